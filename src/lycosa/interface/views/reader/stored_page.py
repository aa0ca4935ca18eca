"""Finding the stored copy of a page: by crawl, address and version, or a reason why there is none.

Every reason is a sentence with ways on, since people come here by links that may be old.
A crawl's stores are open only while its rows are read; the copy itself is read from the
archive afterwards, bounded, whatever a server once sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from lycosa.crawl_folder.costly_pages import refuse_costly
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.reading_apart import read_apart
from lycosa.crawl_folder.stores import reading
from lycosa.fetching.content_coding import BadCoding, TooLarge, codings, decode
from lycosa.interface.shared.errors import NotThere
from lycosa.pages.charsets import looks_binary
from lycosa.pages.document import read_page
from lycosa.queue_records import State, UrlRecord
from lycosa.records import Fetched, Link, Page, Response
from lycosa.storage import catalogue
from lycosa.storage.archive import ArchiveDamaged, Place, read
from lycosa.storage.catalogue import VisitRow
from lycosa.urls import host_of, normalise, site_of

LARGEST_READ = 2 * 1024**2
"""Bytes of a stored page that are looked at; the whole of it can be saved."""
LARGEST_SAVED = 64 * 1024**2
LONGEST_ADDRESS = 4096

Way = tuple[str, str]


class NotStored(NotThere):
    """There is no copy to show; `ways` are what can be done instead: words and addresses."""

    def __init__(self, sentence: str, *ways: Way, status: int = 404) -> None:
        super().__init__(sentence)
        self.status, self.ways = status, ways


@dataclass(frozen=True, slots=True)
class Filed:
    """What a crawl's stores know of an address: the visit that brought each version of its text, oldest first."""

    crawl: str
    url: str
    versions: tuple[VisitRow, ...]
    record: UrlRecord | None
    last: VisitRow | None


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A version of a page as it was stored. `cut` says that it is too large to be looked at whole."""

    filed: Filed
    version: int
    row: VisitRow
    response: Response
    page: Page
    cut: bool

    @property
    def url(self) -> str:
        """Its address."""
        return self.filed.url

    @property
    def kind(self) -> str:
        """What it is: `html`, `text`, or `other` for what has no words."""
        mime = self.mime
        wordy = not mime or mime.startswith("text/") or mime.endswith(("html", "xhtml+xml"))
        if not wordy or looks_binary(self.response.body, self.response.header("content-type")):
            return "other"
        return "text" if mime.startswith("text/") and mime != "text/html" else "html"

    @property
    def mime(self) -> str:
        """What its server said it is."""
        return self.response.header("content-type").partition(";")[0].strip().lower()


def reader_address(crawl: str, url: str, **more: str | int) -> str:
    """Where the stored copy of a page is read."""
    return "/read?" + urlencode({"crawl": crawl, "url": url} | {name: each for name, each in more.items() if each})


@read_apart()
def stored_page(folder: CrawlFolder, typed: str, version: int = 0, largest: int = LARGEST_READ) -> StoredPage:
    """A version of a page as it was stored, the last one unless another is asked for."""
    filed = filed_page(folder, typed)
    if not filed.versions:
        raise _never_had(filed)
    number = version or len(filed.versions)
    if not 1 <= number <= len(filed.versions):
        there = "There is only one version" if len(filed.versions) == 1 else f"There are {len(filed.versions)} versions"
        raise NotStored(
            f"There is no version {number} of this page. {there} of it.",
            ("Read the latest version", reader_address(folder.name, filed.url)),
        )
    row = filed.versions[number - 1]
    response, cut = _copy(folder, filed, number, largest)
    page = read_page(Fetched(Link(filed.url), response))
    return StoredPage(filed, number, row, response, page, cut)


def filed_page(folder: CrawlFolder, typed: str) -> Filed:
    """What a crawl's stores know of an address; without a scheme it is looked for with either."""
    typed = typed.strip()
    spelt = [typed] if "://" in typed else [f"https://{typed}", f"http://{typed}"]
    urls = [url for url in map(normalise, spelt) if url] if 0 < len(typed) <= LONGEST_ADDRESS else []
    if not urls:
        raise NotStored(
            "This is no address of a web page; it should look like https://example.org/page.",
            ("Search the crawl", f"/search?{urlencode({'crawl': folder.name})}"),
            status=422,
        )
    try:
        with reading(folder) as stores:
            for url in urls:
                rows = [row for store in stores for _, row in catalogue.about(store, url)]
                record = next((found for store in stores if (found := store.find(url))), None)
                if rows or record:
                    rows.sort(key=lambda row: row.at)
                    return Filed(folder.name, url, versions_in(rows), record, rows[-1] if rows else None)
    except CrawlError as error:
        raise NotStored(f"Nothing is stored here yet: {error}.", _the_crawl(folder.name)) from None
    raise _unknown(folder.name, urls[0])


def versions_in(rows: Sequence[VisitRow]) -> tuple[VisitRow, ...]:
    """The visits that brought a text other than the one before (as `lycosa history` counts them)."""
    found: list[VisitRow] = []
    for row in rows:
        if row.outcome == "fetched" and (not found or row.digest != found[-1].digest):
            found.append(row)
    return tuple(found)


def _copy(folder: CrawlFolder, filed: Filed, number: int, largest: int) -> tuple[Response, bool]:
    """The response as it was stored, its body decoded; and whether only its beginning fits."""
    row = filed.versions[number - 1]
    try:
        refuse_costly(folder.path, Place(row.file, row.offset, row.size))
        _, kept = read(folder.archive, Place(row.file, row.offset, row.size))
        body, cut = _decoded(kept, largest)
    except (ArchiveDamaged, BadCoding, KeyError, ValueError, IndexError) as error:
        others = [each for each in range(len(filed.versions), 0, -1) if each != number][:3]
        raise NotStored(
            f"The stored copy of this page cannot be read from the archive ({error}); "
            f"`lycosa check {folder.name}` says what is damaged.",
            *((f"Read version {each}", reader_address(folder.name, filed.url, at=each)) for each in others),
            _live(filed.url),
            _the_crawl(folder.name),
            status=410,
        ) from error
    whole = Response(
        filed.url, kept.status, kept.headers, body, kept.raw, kept.began, kept.seconds, kept.address, kept.truncated
    )
    return whole, cut


def _decoded(kept: Response, largest: int) -> tuple[bytes, bool]:
    try:
        body, _ = decode(kept.raw, codings(kept.header("content-encoding")), largest)
    except TooLarge as error:
        return error.begin[:largest], True
    return body[:largest], len(body) > largest


# -- why there is no copy -----------------------------------------------------------------------------


def _unknown(crawl: str, url: str) -> NotStored:
    words = host_of(site_of(url))
    return NotStored(
        f"The crawl “{crawl}” has never heard of this page: it is no seed, and no page fetched so far links to it.",
        (f"Search the crawl for pages of {words}", f"/search?{urlencode({'crawl': crawl, 'q': f'site:{words}'})}"),
        _why(crawl, url),
        _live(url),
    )


def _never_had(filed: Filed) -> NotStored:
    crawl, url, last = filed.crawl, filed.url, filed.last
    if last is not None and last.outcome == "redirected":
        return NotStored(
            "There is no copy of this page: its address leads on to another one.",
            ("Read that page", reader_address(crawl, last.target)),
            _why(crawl, url),
        )
    if last is not None:
        told = f"{last.why} {last.detail}".strip() or last.outcome
        return NotStored(f"There is no copy of this page: it could not be had ({told}).", _why(crawl, url), _live(url))
    return NotStored(f"There is no copy of this page yet: {_standing(filed.record)}.", _why(crawl, url), _live(url))


def _standing(record: UrlRecord | None) -> str:
    match record.state if record else State.WAITING:
        case State.REFUSED:
            return f"the crawl does not fetch it ({record.why if record else ''})"
        case State.FAILED:
            return f"it could not be fetched ({record.why if record else ''})"
        case State.LEASED:
            return "it is being fetched just now"
        case _:
            return "it was found, and waits to be fetched"


def _why(crawl: str, url: str) -> Way:
    return "See why", f"/crawl/{crawl}/why?{urlencode({'url': url})}"


def _live(url: str) -> Way:
    return "Open the page on the web", url


def _the_crawl(crawl: str) -> Way:
    return "See how the crawl stands", f"/crawl/{crawl}"
