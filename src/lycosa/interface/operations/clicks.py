"""Calls about what people do with pages: the sites that are counted, their pages, and the importance list (P6).

A site is counted in the store of all watched sites, or in that of a crawl (`crawl`). All
lists have bounds; how many there are in all stands beside them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Concatenate, Literal, ParamSpec, TypeVar

import msgspec

from lycosa.click_records import PageClicks, WatchedSite
from lycosa.interface.operations.calls import Call, Office, call
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.open_click_stores import in_store
from lycosa.interface.shared.tokens import Role
from lycosa.interface.shared.wording import iso
from lycosa.interface.views.clicks import (
    Doings,
    PlacedPart,
    SiteFigures,
    StorePlace,
    all_sites,
    brief_figures,
    doings,
    known_site,
    moment_of,
    site_figures,
    store_place,
    store_places,
    with_content,
    with_places,
)
from lycosa.scoring.importance import PlacedPage
from lycosa.storage.click_store import ClickStore

SiteName = Annotated[str, msgspec.Meta(min_length=1, max_length=255)]
Crawl = Annotated[str, msgspec.Meta(max_length=64, description="a crawl's own store; '' for that of watched sites")]
Days = Annotated[int, msgspec.Meta(ge=0, le=3650, description="only the last so many days; 0 for all that are kept")]
Limit = Annotated[int, msgspec.Meta(ge=1, le=500)]
Offset = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
By = Literal["iv", "i", "visits", "lr", "bm25"]
MOST_SITES = 1000
P = ParamSpec("P")
T = TypeVar("T")


class SiteBrief(Message, frozen=True):
    """A site in figures: visits by source (log, beacon, search), times in milliseconds."""

    site: str
    crawl: str
    watched: bool
    pages: int
    visits: int
    visitors: int
    duration: int
    downloads: int
    sources: dict[str, int]
    last_access: str | None


class SiteAsked(Message, frozen=True):
    """Which site, in which store."""

    site: SiteName
    crawl: Crawl = ""


@call("GET", "/clicks/sites", Role.READ)
def list_clicked_sites(office: Office) -> list[SiteBrief]:
    """All sites of which something was counted, or is to be, in all stores."""
    found = [brief for place in store_places(office.home) for brief in briefs_in(place)]
    return found[:MOST_SITES]


def briefs_in(place: StorePlace) -> list[SiteBrief]:
    """The sites of one store."""
    return [
        SiteBrief(
            site.name, place.crawl, bool(site.key), told.pages, told.visits, told.visitors, told.duration,
            told.downloads, told.sources, iso(told.last_access),
        )
        for site, told in in_store(place.folder, all_sites)
    ]  # fmt: skip


def in_site_store(
    office: Office, asked: SiteAsked, act: Callable[Concatenate[ClickStore, str, P], T], *args: P.args, **_: P.kwargs
) -> T:
    """What a function of a module does with the store of a site, which is in it."""
    found: T = in_store(store_place(office.home, asked.crawl).folder, _of_site, asked.site, act, args)
    return found


def _of_site(store: ClickStore, site: str, act: Callable[..., T], args: tuple[Any, ...]) -> T:
    known_site(store, site)
    return act(store, site, *args)


class DaysAsked(SiteAsked, frozen=True):
    """Which site, and how far back."""

    days: Days = 0


class DayVisits(Message, frozen=True):
    """A day with its visits and visitors."""

    day: str
    visits: int
    visitors: int


class SiteDetail(Message, frozen=True):
    """A site, and its visits by day as far as days are kept; logs do not say days."""

    site: SiteBrief
    days: tuple[DayVisits, ...]
    origins: tuple[str, ...]


@call("GET", "/clicks/site", Role.READ)
def get_clicked_site(office: Office, asked: DaysAsked) -> SiteDetail:
    """A site in figures, and its visits by day."""
    known, told, counted = in_site_store(office, asked, _detail, asked.days)
    brief = SiteBrief(
        known.name, asked.crawl, bool(known.key), told.pages, told.visits, told.visitors, told.duration,
        told.downloads, told.sources, iso(told.last_access),
    )  # fmt: skip
    days = tuple(DayVisits((iso(moment_of(each.day)) or "")[:10], each.visits, each.visitors) for each in counted.days)
    return SiteDetail(brief, days, known.origins)


def _detail(store: ClickStore, site: str, days: int) -> tuple[WatchedSite, SiteFigures, Doings]:
    return known_site(store, site), brief_figures(store, site), doings(store, site, days)


# -- pages ----------------------------------------------------------------------------------------


class PageRecord(Message, frozen=True):
    """A page's record (P3), times in milliseconds; `visitors` counts each once a day."""

    url: str
    key: str
    visits: int
    visitors: int
    duration: int
    length: int
    ascii_sum: int
    downloadable_content_value: int
    created: str | None
    last_access: str | None

    @classmethod
    def of(cls, page: PageClicks) -> PageRecord:
        """A page as the store knows it."""
        return cls(
            page.url, page.key, page.visits, page.visitors, page.duration, page.length, page.ascii_sum,
            page.downloads, iso(page.created), iso(page.last_access),
        )  # fmt: skip


class PagesAsked(SiteAsked, frozen=True):
    """Which pages of a site, from the most visited on."""

    limit: Limit = 50
    offset: Offset = 0


class PageList(Message, frozen=True):
    """Some of so many pages."""

    total: int
    pages: tuple[PageRecord, ...]


@call("GET", "/clicks/pages", Role.READ)
def list_clicked_pages(office: Office, asked: PagesAsked) -> PageList:
    """The records of a site's pages, the most visited first (the first 20,000 can be listed)."""
    return in_site_store(office, asked, _most_visited, asked.offset, asked.limit)


def _most_visited(store: ClickStore, site: str, offset: int, limit: int) -> PageList:
    figures = site_figures(store, site)
    return PageList(figures.pages, tuple(map(PageRecord.of, figures.most_visited[offset : offset + limit])))


class TopAsked(PagesAsked, frozen=True):
    """Which pages, in which order; `content` is a crawl whose texts count."""

    by: By = "iv"
    content: Crawl = ""


class TopPage(Message, frozen=True):
    """A page of the importance list: IV, I(d), and what they come from."""

    rank: int
    iv: float
    i: float
    bm25: float
    lr: float
    record: PageRecord


class TopList(Message, frozen=True):
    """Some of so many pages in an order, and what to know about it."""

    total: int
    by: str
    notes: tuple[str, ...]
    pages: tuple[TopPage, ...]


@call("GET", "/clicks/top", Role.READ)
def top_pages(office: Office, asked: TopAsked) -> TopList:
    """The most important pages of a site: by visits, time, text, downloads, and where a crawl is named by content."""
    found = important_pages(office, asked)
    told = tuple(top_page(page, place) for place, page in enumerate(found.pages, asked.offset + 1))
    return TopList(found.total, asked.by, found.notes, told)


def important_pages(office: Office, asked: TopAsked) -> PlacedPart:
    """Some of the pages of a site in the order that was asked for."""
    part = (asked.by, asked.offset, asked.limit)
    if not asked.content:
        return in_site_store(office, asked, with_places, *part)
    in_site_store(office, asked, known_site)
    of = "" if asked.crawl else asked.site
    return with_content(office.library.crawl(asked.content), office.home, of, *part)


def top_page(page: PlacedPage, rank: int) -> TopPage:
    """A page at its place."""
    return TopPage(rank, page.iv, page.importance.value, page.bm25, page.log_rank, PageRecord.of(page.clicks))


CALLS: list[Call] = [list_clicked_sites, get_clicked_site, list_clicked_pages, top_pages]
