"""Sitemaps: XML lists and lists of lists, plain text, RSS and Atom, packed or not (M7, M8).

They are read in pieces as they are unpacked, never as a whole, and only what the protocol
allows counts: its limits of size and number, and addresses that a sitemap of its place may
speak for. A document type or an entity is an attack and ends the reading. What came before
an error stays.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from xml.parsers import expat

from msgspec import field

from lycosa.records import Record
from lycosa.urls import normalise, site_of

MOST_ENTRIES = 50_000
LARGEST = 50 * 1024**2
DEEPEST = 32
LONGEST_VALUE = 8192
FUTURE = 86_400.0
"""A change further in the future than clocks differ has not happened: nobody knows when the page changed."""
FREQUENCIES = frozenset({"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"})
_PIECE = 64 * 1024
_ENTRY_TAGS = {"url": False, "sitemap": True, "item": False, "entry": False}
_VALUE_TAGS = {"loc", "lastmod", "changefreq", "priority", "link", "pubDate", "updated", "published"}
_FORMS = ("%Y-%m-%d", "%Y-%m", "%Y")


class SitemapEntry(Record, frozen=True):
    """A page that a sitemap names, or another sitemap."""

    url: str
    lastmod: float | None = None
    changefreq: str = ""
    priority: float = 0.5
    is_sitemap: bool = False


class Sitemap(Record, frozen=True):
    """What a sitemap says; what was left out by reason; `trouble` where it could not be read to its end."""

    entries: tuple[SitemapEntry, ...] = ()
    refused: dict[str, int] = field(default_factory=dict)
    trouble: str = ""


class _Refused(Exception):
    """The reading ends here; the message is its name."""


def read_sitemap(
    location: str,
    pieces: Iterable[bytes],
    now: float,
    *,
    vouched: Collection[str] = (),
    follow: bool = True,
    drop_tracking: bool = True,
) -> Sitemap:
    """The sitemap found at a location. `vouched` are sites whose robots.txt names it, so that it may speak for them.

    `follow` says whether lists of sitemaps may be followed from here; a list inside a list may not. `drop_tracking`
    takes parameters away that only tell where visitors came from.
    """
    reading = _Reading(location, now, frozenset(vouched), follow, drop_tracking)
    trouble = ""
    try:
        reading.read(_unpacked(pieces))
    except _Refused as refused:
        trouble = str(refused)
    except (expat.ExpatError, zlib.error, UnicodeDecodeError, LookupError) as error:
        trouble = f"broken: {error}"[:200]
    return Sitemap(tuple(reading.entries.values()), dict(reading.refused), trouble)


def _unpacked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces, unpacked where they are gzip, in small parts and up to the protocol's limit."""
    total, unpack = 0, None
    for number, piece in enumerate(pieces):
        if not number and piece[:2] == b"\x1f\x8b":
            unpack = zlib.decompressobj(31)
        left = piece
        while left:
            if unpack is None:
                part, left = left[:_PIECE], left[_PIECE:]
            else:
                part = unpack.decompress(left, _PIECE)
                left = unpack.unconsumed_tail
            total += len(part)
            if total > LARGEST:
                raise _Refused("too-large")
            if part:
                yield part


class _Reading:
    """One sitemap while it is read."""

    def __init__(
        self, location: str, now: float, vouched: frozenset[str], follow: bool, drop_tracking: bool = True
    ) -> None:
        self._location, self._now, self._vouched, self._follow = location, now, vouched, follow
        self._drop_tracking = drop_tracking
        self._site = site_of(location)
        self._folder = location.partition("?")[0].rpartition("/")[0] + "/"
        self.entries: dict[str, SitemapEntry] = {}
        self.refused: Counter[str] = Counter()

    def read(self, pieces: Iterator[bytes]) -> None:
        first = next(pieces, b"")
        while not first.strip(b"\xef\xbb\xbf \t\r\n") and (more := next(pieces, b"")):
            first += more
        if first[:2] not in (b"\xff\xfe", b"\xfe\xff"):
            first = first.lstrip(b"\xef\xbb\xbf \t\r\n")  # a byte-order mark, or part of one
        if first[:1] in (b"<", b"\xff", b"\xfe"):
            _XmlSitemap(self).read(first, pieces)
        else:
            self._read_lines(first, pieces)

    def _read_lines(self, first: bytes, pieces: Iterator[bytes]) -> None:
        rest = first
        for piece in pieces:
            lines = (rest + piece).splitlines(keepends=True)
            rest = lines.pop() if lines else b""
            self._take_lines(lines)
            if len(rest) > LONGEST_VALUE:
                raise _Refused("no-sitemap")
        self._take_lines(rest.splitlines())

    def _take_lines(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            if line.strip():
                self.take({"loc": line.decode("utf-8", "replace")}, is_sitemap=False)

    def take(self, values: dict[str, str], *, is_sitemap: bool) -> None:
        """One entry, if it may be one."""
        if len(self.entries) >= MOST_ENTRIES:
            self.refused["too-many"] += 1
            if self.refused["too-many"] > MOST_ENTRIES:
                raise _Refused("too-many")
            return
        url = normalise(values.get("loc", "").strip(), drop_tracking=self._drop_tracking)
        why = "no-address" if url is None else self._why_not(url, is_sitemap)
        if url is None or why:
            self.refused[why] += 1
            return
        changefreq = values.get("changefreq", "").strip().lower()
        self.entries[url] = SitemapEntry(
            url,
            self._time(values.get("lastmod", "")),
            changefreq if changefreq in FREQUENCIES else "",
            _share(values.get("priority", "")),
            is_sitemap,
        )

    def _why_not(self, url: str, is_sitemap: bool) -> str:
        if url == self._location:
            return "itself"
        if is_sitemap and not self._follow:
            return "list-in-list"
        site = site_of(url)
        if site in self._vouched or (site == self._site and (is_sitemap or url.startswith(self._folder))):
            return ""
        return "foreign" if site != self._site else "outside-folder"

    def _time(self, written: str) -> float | None:
        found = time_of(written.strip())
        if found is None:
            if written.strip():
                self.refused["lastmod-unreadable"] += 1
        elif found > self._now + FUTURE:
            self.refused["lastmod-future"] += 1
            return None
        return found


class _XmlSitemap:
    """The elements of an XML sitemap, or of a feed, as they come."""

    def __init__(self, reading: _Reading) -> None:
        self._reading = reading
        self._space: str | None = None
        self._depth = 0
        self._entry: dict[str, str] | None = None
        self._tag = ""
        self._value = ""
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text

    def read(self, first: bytes, pieces: Iterator[bytes]) -> None:
        self._parser.Parse(first, False)
        for piece in pieces:
            self._parser.Parse(piece, False)
        self._parser.Parse(b"", True)

    def _doctype(self, *_: object) -> None:
        raise _Refused("doctype")

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _Refused("too-deep")
        space, _, tag = name.rpartition(" ")
        if self._space is None:
            if tag not in ("urlset", "sitemapindex", "rss", "feed", "RDF"):
                raise _Refused("no-sitemap")
            self._space = space
        if space != self._space and tag not in _ENTRY_TAGS and not (tag == "link" and self._space == ""):
            self._tag = "?"
            return
        if tag in _ENTRY_TAGS and self._entry is None:
            self._entry, self._value = {}, ""
        self._tag = tag
        if tag in _VALUE_TAGS:
            self._value = ""
        if tag == "link" and self._entry is not None and attributes.get("rel", "alternate") == "alternate":
            self._entry.setdefault("loc", attributes.get("href", ""))

    def _text(self, text: str) -> None:
        if self._entry is not None and self._tag != "?" and len(self._value) < LONGEST_VALUE:
            self._value += text[:LONGEST_VALUE]

    def _end(self, name: str) -> None:
        self._depth -= 1
        space, _, tag = name.rpartition(" ")
        if self._entry is None:
            return
        if tag in _ENTRY_TAGS and (space == self._space or tag in ("item", "entry")):
            if "loc" not in self._entry and "://" in self._value:
                self._entry["loc"] = self._value
            self._reading.take(self._entry, is_sitemap=_ENTRY_TAGS[tag])
            self._entry = None
        elif tag in _VALUE_TAGS and self._tag != "?":
            self._keep(tag)
        self._tag = ""

    def _keep(self, tag: str) -> None:
        assert self._entry is not None
        if tag == "link":
            if self._value.strip():
                self._entry["loc"] = self._value
        elif tag in ("pubDate", "updated", "published"):
            self._entry.setdefault("lastmod", self._value)
        else:
            self._entry[tag] = self._value
        self._value = ""


def time_of(written: str) -> float | None:
    """A time as sitemaps and feeds write it; None where it cannot be read."""
    if not written or len(written) > 64:
        return None
    for read in (_iso_time, _plain_date, _mail_time):
        try:
            found = read(written)
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
        return found if 0 <= found < 1e11 else None
    return None


def _iso_time(written: str) -> float:
    found = datetime.fromisoformat(written)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def _plain_date(written: str) -> float:
    for form in _FORMS:
        try:
            return datetime.strptime(written, form).replace(tzinfo=UTC).timestamp()
        except ValueError:
            continue
    raise ValueError(written)


def _mail_time(written: str) -> float:
    found = parsedate_to_datetime(written)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def _share(written: str) -> float:
    try:
        return min(max(float(written), 0.0), 1.0) if written.strip() else 0.5
    except ValueError:
        return 0.5


def well_known(site: str) -> str:
    """Where a sitemap lies when nobody says where."""
    return f"{site}/sitemap.xml"
