"""A sitemap for a site, made from what was crawled of it (M8): for sites that have none, or a poor one.

Listed are the pages that a visitor gets and a search engine may show: fetched with status
200, not asked to be left out of indexes, no copy of another page, not redirected, not gone.
When a page last changed lies between the last visit that found another text and the first
one that found the text of now; what the server says of it counts if it lies there too.
"""

from __future__ import annotations

import gzip
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import msgspec

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.fetching.sitemaps import FUTURE, LARGEST, MOST_ENTRIES, time_of
from lycosa.records import Record
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import ArchiveDamaged, Place, read
from lycosa.storage.catalogue import DUPLICATE, VisitRow
from lycosa.urls import normalise, site_of

LONGEST_ADDRESS = 2048
"""Addresses must be shorter than this."""
MOST_SITES_TOLD = 8
OLDEST = 631_152_000.0
"""There was no web before 1990; a page that claims to be older does not know its age."""

_STATE_COLUMNS = ("url", "at", "outcome", "why", "status", "mime", "digest", "duplicate_of", "noindex", "placeholder")
_COLUMNS = (*_STATE_COLUMNS, "file", "offset", "size")
_FEEDS = frozenset({"application/xml", "text/xml", "application/rss+xml", "application/atom+xml"})
_QUOTES = {"'": "&apos;", '"': "&quot;"}
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


class MapEntry(Record, frozen=True):
    """A page of a site and when it last changed, as far as anybody knows."""

    url: str
    lastmod: float | None = None


class SiteMap(Record, frozen=True):
    """The pages of a site that a sitemap should name, in order, and how many are left out by reason."""

    site: str
    entries: tuple[MapEntry, ...]
    left_out: dict[str, int] = msgspec.field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {"site": self.site, "urls": len(self.entries), "left_out": self.left_out}


@dataclass(slots=True)
class _PageState:
    """What the visits of a page have shown so far; `place` is where its text was first seen."""

    why_not: str = "never fetched"
    why_not_fetched: str = "never fetched"
    digest: str | None = None
    other_until: float = 0.0
    since: float = 0.0
    seen: float = 0.0
    place: Place | None = None

    def note(self, row: VisitRow) -> None:
        """One more visit."""
        if row.outcome == "fetched":
            if row.digest != self.digest:
                self.other_until = self.seen if self.digest is not None else 0.0
                self.digest, self.since = row.digest, row.at
                self.place = Place(row.file, row.offset, row.size)
            self.seen = row.at
            self.why_not = self.why_not_fetched = _why_not(row)
        elif row.outcome == "unchanged":
            self.seen, self.why_not = row.at, self.why_not_fetched
        elif row.outcome == "redirected":
            self.why_not = "redirected"
        elif row.outcome == DUPLICATE:
            self.why_not = self.why_not_fetched = "duplicate"
        elif row.outcome == "refused":
            self.why_not = f"refused ({row.why})"
        elif 400 <= row.status < 500 and row.status != 429:
            self.why_not = "gone"


def _why_not(row: VisitRow) -> str:
    """Why a fetched page is not listed, or ''."""
    if row.status != 200:
        return f"status {row.status}"
    if row.noindex:
        return "noindex"
    if row.duplicate_of:
        return "duplicate"
    if row.placeholder:
        return row.placeholder
    if row.mime.partition(";")[0].strip().lower() in _FEEDS:
        return "a feed or sitemap"
    return "address too long" if len(row.url) >= LONGEST_ADDRESS else ""


def site_map(folder: CrawlFolder, typed: str, now: float) -> SiteMap:
    """The pages of a site as a crawl knows them."""
    with reading(folder) as stores:
        site = _site(stores, folder, typed)
        pages: dict[str, _PageState] = {}
        for row in _visits(stores, site):
            pages.setdefault(row.url, _PageState()).note(row)
    left_out = Counter(state.why_not for state in pages.values() if state.why_not)
    listed = sorted(url for url, state in pages.items() if not state.why_not)
    if not listed:
        told = ", ".join(f"{number} {why}" for why, number in left_out.most_common()) or "nothing was fetched of it"
        raise CrawlError(f"no page of {site} can be in a sitemap: {told}; crawl more of the site first")
    entries = (MapEntry(url, last_change(folder, pages[url], now)) for url in listed)
    return SiteMap(site, tuple(entries), dict(left_out.most_common()))


def _visits(stores: Iterable[AgentStore], site: str) -> Iterator[VisitRow]:
    rows = (row for store in stores for _, row in catalogue.history(store, columns=_COLUMNS))
    return (row for row in rows if row.url.startswith(site + "/"))


def _site(stores: Iterable[AgentStore], folder: CrawlFolder, typed: str) -> str:
    """The site that a person means: one that the crawl knows."""
    known = {record.site: record.fetched for store in stores for record in store.sites()}
    tried = [typed] if "://" in typed else [f"https://{typed}", f"http://{typed}"]
    meant = [site_of(url) for url in map(normalise, tried) if url]
    found = [site for site in meant if known.get(site)] or [site for site in meant if site in known]
    if len(found) == 1:
        return found[0]
    if found:
        raise CrawlError(f"{typed!r} is two sites; say which one: {' or '.join(found)}")
    largest = sorted(known, key=lambda site: (-known[site], site))[:MOST_SITES_TOLD]
    raise CrawlError(f"crawl {folder.name!r} knows no site {typed!r}; its largest are: {', '.join(largest)}")


def last_change(folder: CrawlFolder, state: _PageState, now: float) -> float | None:
    """When a page changed: by the server where that agrees with what was seen, else when it was first seen so."""
    if state.since > now + FUTURE:
        return None
    claimed = _claimed(folder, state)
    if claimed is not None and max(OLDEST, state.other_until) < claimed <= state.since:
        return claimed
    return state.since


def _claimed(folder: CrawlFolder, state: _PageState) -> float | None:
    """What the server said when the text was first seen."""
    if state.place is None or not state.place.file:
        return None
    try:
        _, response = read(folder.archive, state.place)
    except ArchiveDamaged:
        return None
    return time_of(response.header("last-modified").strip())


# -- the files ----------------------------------------------------------------------------------------


def sitemap_files(
    found: SiteMap, stem: str, ending: str, most: int = MOST_ENTRIES, largest: int = LARGEST
) -> Iterator[tuple[str, bytes]]:
    """The files of a sitemap, unpacked: one named by stem and ending, or numbered ones and then a list of them.

    The list says that the files lie at the site's root, for only from there may they speak for all of it.
    """
    parts = _parts(found, most, largest - len(_urlset([])))
    first = next(parts)
    second = next(parts, None)
    if second is None:
        yield stem + ending, _urlset(first)
        return
    names = []
    for number, part in enumerate(chain([first, second], parts), 1):
        names.append(f"{stem}-{number}{ending}")
        yield names[-1], _urlset(part)
    listed = [f"<sitemap><loc>{_escaped(f'{found.site}/{name}')}</loc></sitemap>\n" for name in names]
    yield stem + ending, f"{_HEAD}<sitemapindex {_SPACE}>\n{''.join(listed)}</sitemapindex>\n".encode()


def _parts(found: SiteMap, most: int, largest: int) -> Iterator[list[bytes]]:
    """The entries, as they are written, in parts that keep the protocol's limits."""
    part: list[bytes] = []
    size = 0
    for entry in found.entries:
        written = _entry(entry).encode()
        if part and (len(part) >= most or size + len(written) > largest):
            yield part
            part, size = [], 0
        part.append(written)
        size += len(written)
    yield part


def _urlset(entries: Iterable[bytes]) -> bytes:
    return b"".join([f"{_HEAD}<urlset {_SPACE}>\n".encode(), *entries, b"</urlset>\n"])


def _entry(entry: MapEntry) -> str:
    changed = "" if entry.lastmod is None else f"<lastmod>{_moment(entry.lastmod)}</lastmod>"
    return f"<url><loc>{_escaped(entry.url)}</loc>{changed}</url>\n"


def _escaped(address: str) -> str:
    return escape(address, _QUOTES)


def _moment(at: float) -> str:
    return datetime.fromtimestamp(int(at), UTC).isoformat()


def write_files(files: Iterable[tuple[str, bytes]], folder: Path, packed: bool) -> list[Path]:
    """Write files completely or not at all: each beside its place first, and all put there at the end."""
    partial: list[tuple[Path, Path]] = []
    try:
        for name, data in files:
            path = folder / name
            partial.append((path.with_name(name + ".partial"), path))
            with partial[-1][0].open("wb") as file:
                file.write(gzip.compress(data, 9, mtime=0) if packed else data)
                file.flush()
                os.fsync(file.fileno())
        for written, path in partial:
            written.replace(path)
    except BaseException:
        for written, _ in partial:
            written.unlink(missing_ok=True)
        raise
    return [path for _, path in partial]
