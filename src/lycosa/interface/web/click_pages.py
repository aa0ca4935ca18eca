"""The pages about what people do with pages: all sites that are counted, one site, one page, and unlinked pages.

Addresses, sites, queries and reasons come from logs and from browsers that anybody runs:
they are shown as text and nothing else.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.click_records import Action, WatchedSite
from lycosa.clickstream.beacon.script import snippet
from lycosa.configuration.sections import Clicks
from lycosa.configuration.settings import ConfigurationError
from lycosa.inspection.user_stats import PageStats
from lycosa.interface.operations.calls import Office
from lycosa.interface.operations.click_statistics import (
    DarkAsked,
    PageAsked,
    action_counts,
    get_clicked_page,
    list_dark,
    weighing,
)
from lycosa.interface.operations.clicks import (
    PagesAsked,
    SiteAsked,
    TopAsked,
    briefs_in,
    important_pages,
    in_site_store,
    top_page,
)
from lycosa.interface.operations.watched_sites import EXAMPLE
from lycosa.interface.shared.errors import FORESEEN, NotThere
from lycosa.interface.shared.foreign_text import href, tidy
from lycosa.interface.shared.open_click_stores import in_store
from lycosa.interface.shared.rendering import page
from lycosa.interface.views.clicks import (
    Doings,
    SiteFigures,
    StorePlace,
    brief_figures,
    doings,
    known_site,
    store_places,
    weighed_pages,
)
from lycosa.interface.views.important_pages import MEASURES, picture
from lycosa.interface.web.click_charts import chart_points, visits_chart
from lycosa.interface.web.error_pages import as_sentence, asked_number, with_ways_on
from lycosa.storage.click_store import ClickStore
from lycosa.urls import normalise

RANGES = ((7, "7 days"), (30, "30 days"), (90, "90 days"), (0, "All"))
ORDERS_TOLD = {"iv": "IV", "i": "I(d)", "visits": "Visits", "lr": "Time", "bm25": "BM25"}
PER_PAGE, MOST_NUMBER, TOP, STATS_SHOWN = 50, 400, 20, 15
LONGEST_NAME, LONGEST_ADDRESS, MOST_SITES, MOST_QUERIES = 255, 4096, 200, 10
SITES = ("/clicks", "All sites that are counted")
_ACTIONS = {int(action): action.name.lower() for action in Action}


@with_ways_on("clicks", [("/", "The crawls")])
def clicks_page(request: Request) -> Response:
    """`/clicks`: every site of which something was counted, or is to be."""
    office: Office = request.app.state.office
    stores = [_store_told(place) for place in store_places(office.home)]
    return page(request, "clicks.html", stores=stores, most=MOST_SITES, of_site=_address_of_site, example=EXAMPLE)


def _store_told(place: StorePlace) -> dict[str, Any]:
    """A store with its sites and what people searched for most."""
    briefs = briefs_in(place)
    queries = in_store(place.folder, ClickStore.queries)
    asked = sorted(queries.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_QUERIES]
    return {"crawl": place.crawl, "sites": briefs[:MOST_SITES], "total": len(briefs), "queries": asked,
            "searched": len(queries)}  # fmt: skip


def _address_of_site(site: str, crawl: str, **more: str | int) -> str:
    return "/clicks/site?" + _asking(site, crawl, **more)


def _asking(site: str, crawl: str, **more: str | int) -> str:
    told = {"site": site, "crawl": crawl, **more}
    return urlencode({name: value for name, value in told.items() if value != ""})


def _site_asked(request: Request) -> tuple[str, str]:
    """The site and the crawl that an address names."""
    told = request.query_params
    return told.get("site", "")[:LONGEST_NAME], told.get("crawl", "")[:64]


@with_ways_on("clicks", [SITES])
def site_page(request: Request) -> Response:
    """`/clicks/site?site=S&crawl=C&days=N&by=ORDER&content=CRAWL&collector=URL`: what people do on a site."""
    office: Office = request.app.state.office
    site, crawl = _site_asked(request)
    days = next((number for number, _ in RANGES if str(number) == request.query_params.get("days")), 30)
    by, content = _order_asked(request)
    asked = SiteAsked(site, crawl)
    known, figures, done, refused, stats = in_site_store(office, asked, _site, days, weighing(office, crawl))
    values = {"days": days, "by": by, "content": content, "ranges": RANGES, "site": site, "crawl": crawl}
    return page(
        request, "clicks_site.html", **values, known=known, figures=figures, done=done, href=href, tidy=tidy,
        refused=sorted(refused.items(), key=lambda pair: (-pair[1], pair[0])), stats=stats[:STATS_SHOWN],
        weighed=len(stats), crawls=office.library.names(), asking=_asking, actions=_ACTIONS,
        **_top(office, site, crawl, by, content), **_days(done), **_beacon(request, known.key),
    )  # fmt: skip


def _site(
    store: ClickStore, site: str, days: int, settings: Clicks
) -> tuple[WatchedSite, SiteFigures, Doings, dict[str, int], list[PageStats]]:
    """What the page of a site shows of its store."""
    refused, stats = store.refusals(site), weighed_pages(store, site, settings)
    return known_site(store, site), brief_figures(store, site), doings(store, site, days), refused, stats


def _order_asked(request: Request) -> tuple[str, str]:
    by = request.query_params.get("by", "iv")
    return by if by in ORDERS_TOLD else "iv", request.query_params.get("content", "")[:64]


def _top(office: Office, site: str, crawl: str, by: str, content: str) -> dict[str, Any]:
    """The importance list and its picture; where a crawl's texts cannot be read, it says why and goes without."""
    trouble = ""
    try:
        found = important_pages(office, TopAsked(site, crawl, TOP, by=by, content=content))  # type: ignore[arg-type]
    except FORESEEN as error:
        if not content:
            raise
        trouble = as_sentence(error)
        found = important_pages(office, TopAsked(site, crawl, TOP, by=by))  # type: ignore[arg-type]
    drawn = Markup(picture(found.pages, by, site, alone=False))
    top = [top_page(each, place) for place, each in enumerate(found.pages, 1)]
    return {"top": top, "listed": found.total, "notes": found.notes, "plot": drawn, "orders": ORDERS_TOLD,
            "measure": MEASURES[by], "content_trouble": trouble}  # fmt: skip


def _days(done: Doings) -> dict[str, Any]:
    return {"chart": visits_chart(done.days), "points": chart_points(done.days)}


def _beacon(request: Request, key: str) -> dict[str, Any]:
    """What to paste into pages, for the collector's address that somebody named."""
    typed = request.query_params.get("collector", "").strip()[:1000]
    if not key:
        return {"paste": "", "collector": typed, "collector_trouble": ""}
    address = normalise(typed) if typed else EXAMPLE
    try:
        if address is None:
            raise ConfigurationError(f"{typed!r} is no URL; give one such as {EXAMPLE}")
        return {"paste": snippet(address.rstrip("/"), key), "collector": typed, "collector_trouble": ""}
    except ConfigurationError as error:
        return {"paste": snippet(EXAMPLE, key), "collector": typed, "collector_trouble": as_sentence(error)}


@with_ways_on("clicks", [SITES])
def site_pages_page(request: Request) -> Response:
    """`/clicks/pages?site=S&crawl=C&by=ORDER&content=CRAWL&page=N`: the whole importance list, page by page."""
    office: Office = request.app.state.office
    site, crawl = _site_asked(request)
    by, content = _order_asked(request)
    number = asked_number(request, "page", MOST_NUMBER)
    begin = PER_PAGE * (number - 1)
    asked = TopAsked(site, crawl, PER_PAGE, begin, by=by, content=content)  # type: ignore[arg-type]
    found = important_pages(office, asked)
    part = [top_page(each, place) for place, each in enumerate(found.pages, begin + 1)]
    return page(
        request, "clicks_pages.html", site=site, crawl=crawl, by=by, content=content, top=part, listed=found.total,
        notes=found.notes, orders=ORDERS_TOLD, number=number, last=-(-found.total // PER_PAGE), asking=_asking,
        href=href, tidy=tidy,
    )  # fmt: skip


@with_ways_on("clicks", [SITES])
def clicked_page(request: Request) -> Response:
    """`/clicks/page?site=S&crawl=C&url=URL`: what people do on one page."""
    office: Office = request.app.state.office
    site, crawl = _site_asked(request)
    url = request.query_params.get("url", "")[:LONGEST_ADDRESS]
    if not url:
        raise NotThere("no page was named; the list of a site's pages has those that are known")
    found = get_clicked_page.act(office, PageAsked(site, url, crawl))
    done = in_site_store(office, SiteAsked(site, crawl), doings, 0, url)
    return page(
        request, "clicks_page.html", site=site, crawl=crawl, found=found, done=done, asking=_asking, href=href,
        tidy=tidy, actions=_ACTIONS, **_days(done),
    )  # fmt: skip


@with_ways_on("clicks", [SITES, ("/", "The crawls")])
def unlinked_page(request: Request) -> Response:
    """`/clicks/unlinked?crawl=C&site=S&page=N`: pages that people visit and no crawled page links to."""
    office: Office = request.app.state.office
    site, crawl = _site_asked(request)
    if not crawl:
        raise NotThere("no crawl was named; unlinked pages are those that no page of a crawl links to")
    number = asked_number(request, "page", MOST_NUMBER)
    asked = DarkAsked(crawl, site, PER_PAGE, PER_PAGE * (number - 1))
    found = list_dark.act(office, asked)
    return page(
        request, "clicks_unlinked.html", site=site, crawl=crawl, found=found, number=number, href=href, tidy=tidy,
        last=-(-found.total // PER_PAGE), asking=_asking,
    )  # fmt: skip


@with_ways_on("clicks", [SITES])
def stats_page(request: Request) -> Response:
    """`/clicks/stats?site=S&crawl=C&page=N`: user stats: what visitors do on each page, and the weight that gives."""
    office: Office = request.app.state.office
    site, crawl = _site_asked(request)
    number = asked_number(request, "page", MOST_NUMBER)
    asked = PagesAsked(site, crawl, PER_PAGE, PER_PAGE * (number - 1))
    found = in_site_store(office, asked, weighed_pages, weighing(office, crawl))
    part = [(each, action_counts(each)) for each in found[asked.offset : asked.offset + PER_PAGE]]
    return page(
        request, "clicks_stats.html", site=site, crawl=crawl, stats=part, weighed=len(found), number=number,
        last=-(-len(found) // PER_PAGE), asking=_asking, href=href, tidy=tidy,
    )  # fmt: skip


CLICK_ROUTES = [
    Route("/clicks", clicks_page),
    Route("/clicks/site", site_page),
    Route("/clicks/pages", site_pages_page),
    Route("/clicks/page", clicked_page),
    Route("/clicks/stats", stats_page),
    Route("/clicks/unlinked", unlinked_page),
]
