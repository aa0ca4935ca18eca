"""Calls about what visitors did on pages (M12, M13), what was not counted, and which pages nothing links to (C13)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated

import msgspec

from lycosa.click_records import Action, actions_of
from lycosa.clickstream.behaviour import PageWeight, most_asked, page_weight
from lycosa.configuration.sections import Clicks
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.inspection.dark_pages import DarkReport, dark_report
from lycosa.inspection.user_stats import PageStats
from lycosa.interface.operations.calls import Call, Office, call
from lycosa.interface.operations.clicks import (
    Crawl,
    Limit,
    Offset,
    PageRecord,
    PagesAsked,
    SiteAsked,
    SiteName,
    in_site_store,
)
from lycosa.interface.shared.errors import NotThere
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.open_click_stores import in_store
from lycosa.interface.shared.stamped_cache import readings
from lycosa.interface.shared.tokens import Role
from lycosa.interface.views.clicks import doings, known_site, page_stats, site_figures, store_place, weighed_pages
from lycosa.storage.click_store import ClickStore

Url = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
MOST_NAMES = 32
_KNOWN = frozenset(Action)


class ActionCount(Message, frozen=True):
    """An action (M12): how often, and by how many visitors; `at_least` where a page's script sees only some."""

    action: str
    times: int
    visitors: int
    at_least: bool


class PartConfidence(Message, frozen=True):
    """How many did a part of a set, and which share of them did all of it."""

    actions: tuple[str, ...]
    visitors: int
    value: float
    counted: bool


class ActionSet(Message, frozen=True):
    """One of the largest frequent sets of actions, and what it adds to the weight."""

    actions: tuple[str, ...]
    visitors: int
    weight: float
    confidences: tuple[PartConfidence, ...]


class BehaviourOfPage(Message, frozen=True):
    """A page with its hit count, mean rating and weight (M13), and what was done on it."""

    url: str
    visits: int
    visitors: int
    rating: float | None
    ratings: int
    weight: float
    why: str
    actions: tuple[ActionCount, ...]

    @classmethod
    def of(cls, page: PageStats) -> BehaviourOfPage:
        """A page with its weight."""
        clicks = page.clicks
        return cls(
            clicks.url, clicks.visits, clicks.visitors, page.rating, clicks.ratings, page.weight.value,
            page.weight.why(), action_counts(page),
        )  # fmt: skip


def action_counts(page: PageStats) -> tuple[ActionCount, ...]:
    """What was done on a page, in the order of M12."""
    doing = page.doing()
    return tuple(
        ActionCount(Action(each).name.lower(), times, doing.get(each, 0), each in page.partly)
        for each, times in sorted(page.clicks.actions.items())
        if each in _KNOWN
    )


def _names(bits: int) -> tuple[str, ...]:
    return tuple(action.name.lower() for action in actions_of(bits))


def action_sets(weight: PageWeight) -> tuple[ActionSet, ...]:
    """The sets of actions that a weight comes from."""
    return tuple(
        ActionSet(
            _names(each.bits), each.number, each.weight,
            tuple(PartConfidence(_names(p.bits), p.number, p.value, p.counted) for p in each.confidences[:14]),
        )
        for each in weight.sets[:5]
    )  # fmt: skip


class BehaviourList(Message, frozen=True):
    """The pages of a site by weight; weights are worked out for the 300 most visited on which actions are known."""

    total: int
    pages: tuple[BehaviourOfPage, ...]


@call("GET", "/clicks/behaviour", Role.READ)
def list_behaviour(office: Office, asked: PagesAsked) -> BehaviourList:
    """What visitors did on the pages of a site, and the weights that gives, the heaviest first."""
    found = in_site_store(office, asked, weighed_pages, weighing(office, asked.crawl))
    part = found[asked.offset : asked.offset + asked.limit]
    return BehaviourList(len(found), tuple(map(BehaviourOfPage.of, part)))


def weighing(office: Office, crawl: str) -> Clicks:
    """How sets and confidences count: as a crawl says, or as usual."""
    return office.library.crawl(crawl).configuration().clicks if crawl else Clicks()


class PageAsked(Message, frozen=True):
    """Which page of a site."""

    site: SiteName
    url: Url
    crawl: Crawl = ""


class QueryWeighed(Message, frozen=True):
    """The weight of a page for those who came by a query."""

    query: str
    weight: float
    visitors: int


class ClickedPage(Message, frozen=True):
    """All that is known of a page: its record, actions, weight with its reasons, weights by query, referrers."""

    record: PageRecord
    behaviour: BehaviourOfPage
    sets: tuple[ActionSet, ...]
    queries: tuple[QueryWeighed, ...]
    referrers: dict[str, int]
    active: int
    dwell: int


@call("GET", "/clicks/page", Role.READ)
def get_clicked_page(office: Office, asked: PageAsked) -> ClickedPage:
    """A page with what people did on it."""
    return in_site_store(
        office, SiteAsked(asked.site, asked.crawl), _clicked_page, asked.url, weighing(office, asked.crawl)
    )


def _clicked_page(store: ClickStore, site: str, url: str, settings: Clicks) -> ClickedPage:
    page = store.page(site, url)
    if page is None:
        raise NotThere(f"nothing was counted on {url[:300]!r}; the list of the site's pages has those known")
    stats = page_stats(site, page, site_figures(store, site).partly, settings)
    queries = tuple(_by_query(store, page.url, settings))
    done = doings(store, site, url=page.url)
    told = BehaviourOfPage.of(stats)
    sets, referrers = action_sets(stats.weight), dict(list(page.referrers.items())[:MOST_NAMES])
    return ClickedPage(PageRecord.of(page), told, sets, queries, referrers, done.active, done.dwell)


def _by_query(store: ClickStore, url: str, settings: Clicks) -> Iterator[QueryWeighed]:
    """The weights of a page for the most frequent queries."""
    for query in most_asked(store.queries()):
        sets = store.query_sets(query).get(url)
        if sets:
            weight = page_weight(sets, settings.least_support, settings.least_confidence)
            yield QueryWeighed(query, weight.value, weight.visitors)


# -- what does not count, and what is not linked --------------------------------------------------


class RefusedAsked(Message, frozen=True):
    """Of which site; '' for what names no known one."""

    site: Annotated[str, msgspec.Meta(max_length=255)] = ""
    crawl: Crawl = ""


class Refused(Message, frozen=True):
    """How often something was not counted, by reason."""

    reasons: dict[str, int]


@call("GET", "/clicks/refused", Role.READ)
def list_refused(office: Office, asked: RefusedAsked) -> Refused:
    """What the collector or the log reader did not count, and why."""
    place = store_place(office.home, asked.crawl)
    return Refused(in_store(place.folder, _refusals, asked.site))


def _refusals(store: ClickStore, site: str) -> dict[str, int]:
    return store.refusals(known_site(store, site).name if site else "")


class DarkAsked(Message, frozen=True):
    """The unlinked pages of which crawl; of one site's pages only, where it is named."""

    crawl: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    site: Annotated[str, msgspec.Meta(max_length=255)] = ""
    limit: Limit = 50
    offset: Offset = 0


class UnlinkedPage(Message, frozen=True):
    """A page that people visit and no crawled page links to; `listed` where it is relevant."""

    url: str
    visits: int
    state: str
    relevance: float | None
    listed: bool


class DarkList(Message, frozen=True):
    """Some of so many unlinked pages, among so many that people visit; `fetched` and `relevant` of all of them."""

    visited: int
    total: int
    fetched: int
    relevant: int
    pages: tuple[UnlinkedPage, ...]


@call("GET", "/clicks/dark", Role.READ)
def list_dark(office: Office, asked: DarkAsked) -> DarkList:
    """Pages that people visit and no crawled page links to (C13), the most visited first."""
    report = dark_pages_of(office.library.crawl(asked.crawl))
    pages = [page for page in report.pages if not asked.site or asked.site in page.url.split("/")[2:3]
             or page.url.startswith(f"{asked.site}/")]  # fmt: skip
    told = msgspec.structs.replace(report, pages=tuple(pages)).counts()
    part = pages[asked.offset : asked.offset + asked.limit]
    shown = tuple(UnlinkedPage(each.url, each.visits, each.state, each.relevance, each.listed) for each in part)
    return DarkList(report.visited, told["found"], told["fetched"], told["relevant"], shown)


def dark_pages_of(folder: CrawlFolder) -> DarkReport:
    """The unlinked pages of a crawl, as of a little while ago where looking takes long."""
    return readings.get(("dark", folder.path), time.monotonic(), lambda: dark_report(folder))


CALLS: list[Call] = [list_behaviour, get_clicked_page, list_refused, list_dark]
