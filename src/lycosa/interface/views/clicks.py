"""What the click stores of a home hold, read for pages and programs: sites, their pages, visitors by day.

There is one store for all watched sites, and one in each crawl, of what people did in
its search and in the logs it was given. A store may hold a million pages: what is kept
in memory of a site is its sums and its most visited pages.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import msgspec

from lycosa.click_records import DAY, LOWER_BOUND, Behaviour, PageClicks, Source, WatchedSite, added, day_of
from lycosa.clickstream.behaviour import page_weight
from lycosa.configuration.sections import Clicks
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.reading_apart import LONG, read_apart
from lycosa.inspection.user_stats import PageStats
from lycosa.interface.shared.errors import NotThere
from lycosa.interface.shared.stamped_cache import readings
from lycosa.interface.views.important_pages import known_pages
from lycosa.records import Record
from lycosa.scoring.importance import PlacedPage, ordered, placed_pages
from lycosa.storage.click_store import ClickStore, as_one

MOST_PAGES = 20_000
"""Pages of a site that lists are made of: those that people visit most."""
MOST_WEIGHED = 300
MOST_ROWS = 50_000
"""Rows of visitors that are looked through, latest days first."""
ROWS_SHOWN = 20
LONGEST_NAME = 500
LONGEST_SPAN = 1000
"""Days of a chart, at most."""


Placed = tuple[list[PlacedPage], list[str]]


class PlacedPart(Record, frozen=True):
    """Some of so many pages in an order, and what a person should know about it."""

    total: int
    pages: tuple[PlacedPage, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, placed: Placed, by: str, offset: int, limit: int) -> PlacedPart:
        """The pages from a place on."""
        pages, notes = placed
        return cls(len(pages), tuple(ordered(pages, by)[offset : offset + limit]), tuple(notes))


class StorePlace(Record, frozen=True):
    """A click store: that of all watched sites (`crawl` is ''), or that of a crawl."""

    crawl: str
    folder: Path

    @property
    def there(self) -> bool:
        """Whether anything was ever counted in it."""
        return (self.folder / "data.mdb").exists()


def store_places(home: Path) -> list[StorePlace]:
    """All click stores of a home that there are."""
    crawls = [StorePlace(folder.name, folder.path / "clicks") for folder in CrawlFolder.all(home)]
    return [place for place in (StorePlace("", home / "clicks"), *crawls) if place.there]


def store_place(home: Path, crawl: str) -> StorePlace:
    """The store of a crawl, or of all watched sites; crawls are only ever compared by name, not made into paths."""
    names = {folder.name: folder for folder in CrawlFolder.all(home)} if crawl else {}
    if crawl and crawl not in names:
        raise NotThere(f"there is no crawl named {crawl[:80]!r}")
    place = StorePlace(crawl, (names[crawl].path if crawl else home) / "clicks")
    if not place.there:
        whose = f"in crawl {crawl!r}" if crawl else "on any site"
        raise NotThere(f"nothing was counted {whose} yet; import a log, add the beacon to pages, or search")
    return place


def known_site(store: ClickStore, name: str) -> WatchedSite:
    """A site by its name, or an error with those there are."""
    site = store.site(name) if 0 < len(name.encode()) <= LONGEST_NAME else None
    if site is None:
        there = ", ".join(each.name for each in store.sites()[:20]) or "none yet"
        raise NotThere(f"no site named {name[:200]!r} was counted; there are: {there}")
    return site


# -- a site ---------------------------------------------------------------------------------------


class SiteFigures(Record, frozen=True):
    """A site in figures, its most visited pages, and of which actions a page's script saw only some."""

    pages: int = 0
    visits: int = 0
    visitors: int = 0
    duration: int = 0
    downloads: int = 0
    ratings: int = 0
    rating_sum: int = 0
    last_access: float = 0.0
    sources: dict[str, int] = msgspec.field(default_factory=dict)
    most_visited: tuple[PageClicks, ...] = ()
    partly: frozenset[int] = frozenset()


def site_figures(store: ClickStore, site: str) -> SiteFigures:
    """What is known of a site."""
    return readings.get(("site", store.folder, site), store.stamp(), lambda: _read_site(store, site))


def all_sites(store: ClickStore) -> list[tuple[WatchedSite, SiteFigures]]:
    """All sites of a store in figures, without their pages, the most visited first."""

    def read() -> list[tuple[WatchedSite, SiteFigures]]:
        found = [(site, _read_site(store, site.name, 0)) for site in store.sites()]
        return sorted(found, key=lambda pair: (-pair[1].visits, pair[0].name))

    return readings.get(("sites", store.folder), store.stamp(), read)


def _read_site(store: ClickStore, site: str, most: int = MOST_PAGES) -> SiteFigures:
    found: dict[str, list[PageClicks]] = {}
    sources: dict[str, int] = {}
    partly: set[int] = set()
    for source in Source:
        for page in store.pages(site, source):
            found.setdefault(page.url, []).append(page)
            sources[source] = sources.get(source, 0) + page.visits
            if source is Source.BEACON:
                partly |= LOWER_BOUND & page.actions.keys()
    pages = [as_one(several) for several in found.values()]
    return SiteFigures(
        len(pages),
        sum(page.visits for page in pages),
        sum(page.visitors for page in pages),
        sum(page.duration for page in pages),
        sum(page.downloads for page in pages),
        sum(page.ratings for page in pages),
        sum(page.rating_sum for page in pages),
        max((page.last_access for page in pages), default=0.0),
        sources,
        tuple(heapq.nlargest(most, pages, key=lambda page: (page.visits, page.last_access, page.url))),
        frozenset(partly),
    )


def brief_figures(store: ClickStore, site: str) -> SiteFigures:
    """What is known of a site, without its pages."""
    return msgspec.structs.replace(site_figures(store, site), most_visited=())


def with_places(store: ClickStore, site: str, by: str, offset: int, limit: int) -> PlacedPart:
    """The pages of a site with their importance, and what a person should know about it."""
    key = ("placed", store.folder, site)
    figures = site_figures(store, site)
    notes = ["The text of pages is not known here, so BM25 counts as 0; choose a crawl to count it."]
    if figures.pages > MOST_PAGES:
        notes.append(f"Of {figures.pages:,} pages the {MOST_PAGES:,} most visited are in the list.")
    placed = readings.get(key, figures, lambda: placed_pages(figures.most_visited, {}))
    return PlacedPart.of((placed, notes), by, offset, limit)


@read_apart(LONG)
def with_content(folder: CrawlFolder, home: Path, site: str, by: str, offset: int, limit: int) -> PlacedPart:
    """The same, where the texts of a crawl's pages count; without a site they are all its pages."""
    key = ("placed", folder.path, home, site)
    placed = readings.get(key, time.monotonic(), lambda: _with_content(folder, home, site))
    return PlacedPart.of(placed, by, offset, limit)


def _with_content(folder: CrawlFolder, home: Path, site: str) -> Placed:
    known = known_pages(home, site, folder.name)
    settings = folder.configuration().clicks
    placed = placed_pages(known.pages, known.bm25, settings.content, settings.spent)
    notes = [f"{note[:1].upper()}{note[1:]}." for note in known.notes]
    if len(placed) > MOST_PAGES:
        notes.append(f"Of {len(placed):,} pages the {MOST_PAGES:,} most important are in the list.")
    return ordered(placed)[:MOST_PAGES], notes


# -- what visitors did ----------------------------------------------------------------------------


def page_stats(site: str, page: PageClicks, partly: frozenset[int], settings: Clicks) -> PageStats:
    """A page with its weight."""
    weight = page_weight(page.sets, settings.least_support, settings.least_confidence)
    return PageStats(site, page, weight, partly & page.actions.keys())


def weighed_pages(store: ClickStore, site: str, settings: Clicks) -> list[PageStats]:
    """The most visited pages of a site on which actions are known, the heaviest first."""
    figures = site_figures(store, site)

    def weigh() -> list[PageStats]:
        acted = [page for page in figures.most_visited if page.sets or page.ratings][:MOST_WEIGHED]
        stats = [page_stats(site, page, figures.partly, settings) for page in acted]
        return sorted(stats, key=lambda each: (-each.weight.value, -each.clicks.visits, each.clicks.url))

    return readings.get(("weighed", store.folder, site, settings), figures, weigh)


class DayCount(Record, frozen=True):
    """A day (since 1970) with its visits and visitors."""

    day: int
    visits: int = 0
    visitors: int = 0


class Doings(Record, frozen=True):
    """What visitors did in some days, as far as single days are still kept."""

    days: tuple[DayCount, ...] = ()
    rows: int = 0
    actions: dict[int, int] = msgspec.field(default_factory=dict)
    active: int = 0
    dwell: int = 0
    latest: tuple[Behaviour, ...] = ()
    cut: bool = False


def doings(store: ClickStore, site: str, days: int = 0, url: str = "") -> Doings:
    """What visitors of a site, or of one of its pages, did in the last so many days (0: in all that are kept)."""
    today = day_of(time.time())
    since = today - days + 1 if days else 0
    key = ("doings", store.folder, site, since, url)
    return readings.get(key, store.stamp(), lambda: _read_doings(store, site, since, url, today))


def _read_doings(store: ClickStore, site: str, since: int, url: str, today: int) -> Doings:
    visits: dict[int, int] = {}
    visitors: dict[int, int] = {}
    actions: dict[int, int] = {}
    latest: list[tuple[float, int, Behaviour]] = []
    rows = active = dwell = looked = 0
    with closing(_rows(store, site)) as found:
        for looked, row in enumerate(found, 1):
            if row.day < since:
                break
            if url and row.url != url:
                continue
            rows, active, dwell = rows + 1, active + row.active, dwell + row.dwell
            visits[row.day] = visits.get(row.day, 0) + row.visits
            visitors[row.day] = visitors.get(row.day, 0) + 1
            actions = added(actions, row.actions)
            (heapq.heappush if len(latest) < ROWS_SHOWN else heapq.heappushpop)(latest, (row.at, looked, row))
    begin = max(since or min(visits, default=today), today - LONGEST_SPAN)
    days = tuple(DayCount(day, visits.get(day, 0), visitors.get(day, 0)) for day in range(begin, today + 1))
    newest = tuple(row for *_, row in sorted(latest, reverse=True))
    return Doings(days if visits else (), rows, actions, active, dwell, newest, looked >= MOST_ROWS)


def _rows(store: ClickStore, site: str) -> Generator[Behaviour, None, None]:
    yield from store.behaviours(site, MOST_ROWS)


def moment_of(day: int) -> float:
    """When a day began."""
    return float(day * DAY)
