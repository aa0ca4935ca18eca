"""The nouns of a crawl: what a page is called at each of its seven steps.

Every record is immutable, slotted and typed, so it can travel between threads,
processes and machines without anybody changing it on the way. Records hold
facts; deciding is the business of the rooms above.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias, overload

import msgspec


class Record(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An immutable fact. Encodes as a compact array."""


class Headings(Record, frozen=True):
    """The headings above a link: of the document (MH), the sections around it (SH), the nearest one (ISH)."""

    main: str = ""
    sections: tuple[str, ...] = ()
    nearest: str = ""


NO_HEADINGS = Headings()


class Link(Record, frozen=True):
    """A URL somebody pointed at, and where it was found; `rel` holds the media type that it declares, too."""

    url: str
    parent: str = ""
    anchor: str = ""
    boundary: str = ""
    headings: Headings = NO_HEADINGS
    tag_path: str = ""
    rel: str = ""
    position: int = 0
    depth: int = 0
    redirects: int = 0
    lastmod: float | None = None


class Links(Sequence[Link]):
    """The links of one page in its order, column by column; anchors and tag paths are texts with a line a link.

    A page has dozens, and most lead to where others lead: for those the columns do, and no Link is made of them.
    """

    __slots__ = (
        "_made",
        "anchors",
        "boundaries",
        "depth",
        "headings",
        "parent",
        "rels",
        "tag_paths",
        "url_lines",
        "urls",
    )

    def __init__(
        self,
        parent: str,
        depth: int,
        urls: Sequence[str],
        anchors: str,
        boundaries: Sequence[str],
        headings: Sequence[Headings],
        tag_paths: str,
        rels: Sequence[str],
    ) -> None:
        self.parent, self.depth, self.urls, self.anchors = parent, depth, urls, anchors
        self.boundaries, self.headings, self.tag_paths, self.rels = boundaries, headings, tag_paths, rels
        self.url_lines = "\n".join(urls)  # here, where they are at hand: whoever stores them comes much later
        self._made: tuple[Link, ...] = ()

    @classmethod
    def of(cls, links: Sequence[Link]) -> Links:
        """Any links as columns; they stay what they are."""
        if isinstance(links, Links):
            return links
        found = cls(
            "",
            0,
            [link.url for link in links],
            lines_of([link.anchor for link in links]),
            [link.boundary for link in links],
            [link.headings for link in links],
            lines_of([link.tag_path for link in links]),
            [link.rel for link in links],
        )
        found._made = tuple(links)
        return found

    def __len__(self) -> int:
        return len(self.urls)

    @overload
    def __getitem__(self, place: int) -> Link: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Link, ...]: ...
    def __getitem__(self, place: int | slice) -> Link | tuple[Link, ...]:
        return self._all()[place]

    def at(self, places: Sequence[int]) -> list[Link]:
        """The links at some places, without making the others."""
        if self._made or not places:
            return [self._made[place] for place in places]
        anchors, tag_paths = self.anchors.split("\n"), self.tag_paths.split("\n")
        boundaries, headings, rels, parent, depth = self.boundaries, self.headings, self.rels, self.parent, self.depth
        return [
            Link(
                self.urls[place], parent, anchors[place], boundaries[place], headings[place], tag_paths[place],
                rels[place], place, depth,
            )
            for place in places
        ]  # fmt: skip

    def __iter__(self) -> Iterator[Link]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return self._all() == tuple(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._all())

    def _all(self) -> tuple[Link, ...]:
        """All of them; made once, for those who look at each."""
        if not self._made:
            self._made = tuple(self.at(range(len(self))))
        return self._made


def links_at(links: Sequence[Link], places: Sequence[int]) -> list[Link]:
    """Some of the links of a page."""
    return links.at(places) if isinstance(links, Links) else [links[place] for place in places]


def lines_of(texts: Sequence[str]) -> str:
    """Texts as a text with a line each; they hold no line ends, but nothing comes of it where one does."""
    lines = "\n".join(texts)
    if lines.count("\n") >= max(1, len(texts)):
        lines = "\n".join([text.replace("\n", " ") for text in texts])
    return lines


def urls_of(links: Sequence[Link]) -> Sequence[str]:
    """Where links lead."""
    return links.urls if isinstance(links, Links) else [link.url for link in links]


SITEMAP = "sitemap"
"""The `rel` of a link to a list of a site's pages, which is read for them and is no page itself."""

REJECTED = -1e9
"""The priority of a link that must not be fetched unless it is judged anew; it waits, with its reason, until then."""

LAST = -1e7
"""The priority of a link that comes after all others, however it is judged: it hardly leads to a page."""


class Score(Record, frozen=True):
    """A number that says how it came about."""

    value: float
    why: str = ""
    parts: tuple[Score, ...] = ()

    def lines(self, indent: str = "") -> list[str]:
        """The score and its parts as an indented tree for people."""
        own = f"{indent}{self.value:.4f}  {self.why}"
        return [own, *(line for part in self.parts for line in part.lines(indent + "  "))]


class Response(Record, frozen=True):
    """What a server answered, as it came over the wire (`raw`) and decoded (`body`)."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    raw: bytes = b""
    began: float = 0.0
    seconds: float = 0.0
    address: str = ""
    truncated: bool = False

    def header(self, name: str) -> str:
        """The first header of that name (case does not matter), or ''."""
        wanted, length = name.lower(), len(name)
        for key, value in self.headers:
            if len(key) == length and key.lower() == wanted:
                return value
        return ""

    def all_headers(self, name: str) -> list[str]:
        """All headers of that name (case does not matter)."""
        wanted, length = name.lower(), len(name)
        return [value for key, value in self.headers if len(key) == length and key.lower() == wanted]


class Fetched(Record, frozen=True, tag=True):
    """A page arrived."""

    link: Link
    response: Response


class Unchanged(Record, frozen=True, tag=True):
    """The server says that the copy we have is still current."""

    link: Link
    response: Response


class Redirected(Record, frozen=True, tag=True):
    """The server points elsewhere; the target goes through the frontier like any other link."""

    link: Link
    target: str
    response: Response


class Refused(Record, frozen=True, tag=True):
    """We decided not to ask, or not to read on. `why` is a counted name such as `robots`."""

    link: Link
    why: str
    detail: str = ""
    response: Response | None = None


class Failed(Record, frozen=True, tag=True):
    """It went wrong. `why` is a counted name such as `timeout` or `http-404`; `again` says whether to retry."""

    link: Link
    why: str
    detail: str = ""
    again: bool = False
    retry_after: float | None = None
    response: Response | None = None


Outcome: TypeAlias = Fetched | Unchanged | Redirected | Refused | Failed


GONE = frozenset(("http-404", "http-410"))
"""Why a page failed that is there no more."""


class SiteOpened(Record, frozen=True, tag=True):
    """A site's name is resolved and its robots.txt read: it may be visited."""

    site: str
    address: str
    crawl_delay: float | None = None
    until: float = 0.0
    requested: bool = True
    sitemaps: tuple[str, ...] = ()


HOST_REFUSED = frozenset(("address-refused", "no-contact"))
"""Why a site is shut of whose host nothing may be asked, whatever it would answer."""


class SiteShut(Record, frozen=True, tag=True):
    """A site may not be visited before `until`. `why` is a counted name such as `robots-unreachable`."""

    site: str
    why: str
    until: float
    detail: str = ""
    requested: bool = True


class Page(Record, frozen=True):
    """A document understood: what it says, where it points and, if asked for, the code of its structure.

    `placeholder` names what the page is in place of content, such as `soft-404`.
    """

    url: str
    title: str = ""
    headings: tuple[str, ...] = ()
    text: str = ""
    language: str = ""
    charset: str = ""
    canonical: str = ""
    noindex: bool = False
    nofollow: bool = False
    digest: bytes = b""
    links: Sequence[Link] = ()
    links_dropped: int = 0
    published: float | None = None
    structure: bytes = b""
    placeholder: str = ""


class Visit(Record, frozen=True):
    """All that one visit found out; nothing has been written yet."""

    link: Link
    outcome: Outcome
    page: Page | None = None
    relevance: Score | None = None
    priorities: tuple[Score, ...] = ()
    at: float = 0.0
    classes: tuple[str, ...] = ()
