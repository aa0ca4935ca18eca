"""The nouns of a crawl: what a page is called at each of its seven steps.

Every record is immutable, slotted and typed, so it can travel between threads,
processes and machines without anybody changing it on the way. Records hold
facts; deciding is the business of the rooms above.
"""

from __future__ import annotations

from typing import TypeAlias

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
    """A URL somebody pointed at, and where it was found."""

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


SITEMAP = "sitemap"
"""The `rel` of a link to a list of a site's pages, which is read for them and is no page itself."""

REJECTED = -1e9
"""The priority of a link that must not be fetched unless it is judged anew; it waits, with its reason, until then."""


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
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")


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


class SiteShut(Record, frozen=True, tag=True):
    """A site may not be visited before `until`. `why` is a counted name such as `robots-unreachable`."""

    site: str
    why: str
    until: float
    detail: str = ""
    requested: bool = True


class Page(Record, frozen=True):
    """A document understood: what it says, where it points and, if asked for, the code of its structure."""

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
    links: tuple[Link, ...] = ()
    links_dropped: int = 0
    published: float | None = None
    structure: bytes = b""


class Visit(Record, frozen=True):
    """All that one visit found out; nothing has been written yet."""

    link: Link
    outcome: Outcome
    page: Page | None = None
    relevance: Score | None = None
    priorities: tuple[Score, ...] = ()
    at: float = 0.0
    classes: tuple[str, ...] = ()
