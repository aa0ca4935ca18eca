"""What visitors did on pages, gathered from a click store for people to look at: "User stats" (M12, M13)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from lycosa.click_records import LOWER_BOUND, Behaviour, PageClicks, Source, actions_of
from lycosa.clickstream.behaviour import PageWeight, most_asked, page_weight
from lycosa.configuration.sections import Clicks
from lycosa.configuration.settings import ConfigurationError
from lycosa.records import Record
from lycosa.storage.click_store import ClickStore

ROWS_READ = 100_000
"""Rows of visitors that are looked through, latest days first."""
ROWS_KEPT = 50


class PageStats(Record, frozen=True):
    """A page with its weight. `active` and `dwell` are the times (ms) in the rows of visitors that are still kept.

    Of the actions in `partly` the page's script saw only some, so they happened at least so often.
    """

    site: str
    clicks: PageClicks
    weight: PageWeight
    partly: frozenset[int] = frozenset()
    active: int = 0
    dwell: int = 0

    @property
    def rating(self) -> float | None:
        """The mean of the stars that people gave; None where nobody did."""
        return self.clicks.rating_sum / self.clicks.ratings if self.clicks.ratings else None

    def doing(self) -> dict[int, int]:
        """By action, how many visitors did it."""
        found: dict[int, int] = {}
        for bits, visitors in self.clicks.sets.items():
            for action in actions_of(bits):
                found[action] = found.get(action, 0) + visitors
        return found


class QueryWeight(Record, frozen=True):
    """The weight of a page for those who came to it by a query."""

    query: str
    url: str
    weight: PageWeight


class UserStats(Record, frozen=True):
    """Pages, the heaviest first; weights by query; the latest rows of `rows` that there are."""

    pages: tuple[PageStats, ...] = ()
    queries: tuple[QueryWeight, ...] = ()
    latest: tuple[Behaviour, ...] = ()
    rows: int = 0


def user_stats(store: ClickStore, site: str = "", url: str = "", settings: Clicks | None = None) -> UserStats:
    """What is known of a site, or all of them; of one page, or all."""
    settings = settings or Clicks()
    sites = [each.name for each in store.sites()]
    if site and site not in sites:
        there = ", ".join(sites) or "none yet; import a log with `lycosa clicks import`"
        raise ConfigurationError(f"no site named {site!r} was counted; there are: {there}")
    rows = [row for row in store.behaviours(site, ROWS_READ) if not url or row.url == url]
    rows.sort(key=lambda row: -row.at)
    pages = _timed(_pages(store, [site] if site else sites, url, settings), rows)
    pages.sort(key=lambda page: (-page.weight.value, -page.clicks.visits, page.clicks.url))
    queries = _queries(store, {page.clicks.url for page in pages}, settings)
    return UserStats(tuple(pages), tuple(queries), tuple(rows[:ROWS_KEPT]), len(rows))


def _pages(store: ClickStore, sites: Sequence[str], url: str, settings: Clicks) -> Iterator[PageStats]:
    for site in sites:
        seen = {page.url: page.actions for page in store.pages(site, Source.BEACON)}
        one = store.page(site, url) if url else None
        for page in ([one] if one else []) if url else store.pages(site):
            partly = frozenset(LOWER_BOUND & seen.get(page.url, {}).keys())
            yield PageStats(site, page, _weight(page.sets, settings), partly)


def _weight(sets: Mapping[int, int], settings: Clicks) -> PageWeight:
    return page_weight(sets, settings.least_support, settings.least_confidence)


def _timed(pages: Iterator[PageStats], rows: Sequence[Behaviour]) -> list[PageStats]:
    """The pages with the times that visitors spent on them."""
    active: dict[tuple[str, str], int] = {}
    dwell: dict[tuple[str, str], int] = {}
    for row in rows:
        place = (row.site, row.url)
        active[place] = active.get(place, 0) + row.active
        dwell[place] = dwell.get(place, 0) + row.dwell
    return [
        msgspec.structs.replace(page, active=active.get(place, 0), dwell=dwell.get(place, 0))
        for page in pages
        for place in ((page.site, page.clicks.url),)
    ]


def _queries(store: ClickStore, urls: set[str], settings: Clicks) -> Iterator[QueryWeight]:
    """For the most frequent queries, the weights of these pages."""
    for query in most_asked(store.queries()):
        for url, sets in sorted(store.query_sets(query).items()):
            if url in urls:
                yield QueryWeight(query, url, _weight(sets, settings))
