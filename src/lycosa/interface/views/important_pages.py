"""The most important pages by visitors and content: what is known of them, and their picture."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from lycosa.click_records import PageClicks
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.inspection.page_bm25 import CrawlRelevance, crawl_relevance
from lycosa.interface.shared.wording import number
from lycosa.interface.views.importance_plot import MOST_BARS, Bar, importance_plot
from lycosa.records import Record
from lycosa.scoring.importance import ORDERS, PlacedPage
from lycosa.storage.click_store import ClickStore, as_one
from lycosa.urls import site_of

MEASURES = {
    "iv": "importance value IV (all pages together: 100)",
    "i": "importance I(d)",
    "visits": "visits",
    "lr": "time of all visits in milliseconds",
    "bm25": "BM25",
}


class KnownPages(Record, frozen=True):
    """What the list is made of: the pages, their BM25, and what a person should know about it."""

    pages: tuple[PageClicks, ...]
    bm25: dict[str, float]
    notes: tuple[str, ...]


def known_pages(base: Path, site: str, crawl: str = "", topic: str = "") -> KnownPages:
    """The pages of a site, or of a crawl with its topic or another one."""
    if not crawl:
        if topic:
            raise ConfigurationError("--topic needs the text of pages; name a crawl that has them with --crawl NAME")
        with ClickStore(base / "clicks", readonly=True) as store:
            pages = tuple(pages_of_site(store, site))
        if not pages:
            raise ConfigurationError(
                "no visit was counted yet; import a log with `lycosa clicks import`, or put the beacon into your pages"
            )
        note = "the text of pages is not known without --crawl NAME: BM25 counts as 0"
        return KnownPages(pages, {}, (note,))
    folder = CrawlFolder.find(base, crawl)
    clicks = _clicks_for(folder, base / "clicks", site)
    return _joined(clicks, crawl_relevance(folder, topic), site, crawl)


def pages_of_site(store: ClickStore, site: str) -> list[PageClicks]:
    """The pages of a site by its name, or of all; an unknown name is an error with the choices."""
    if site and store.site(site) is None:
        there = ", ".join(each.name for each in store.sites()) or "none yet; import a log with `lycosa clicks import`"
        raise ConfigurationError(f"no site named {site!r} was counted; there are: {there}")
    return list(store.pages(site))


def _clicks_for(folder: CrawlFolder, shared: Path, site: str) -> dict[str, PageClicks]:
    """What is known of visits: on all watched sites, and in the crawl's own search."""
    found: dict[str, list[PageClicks]] = {}
    with ExitStack() as stack:
        for place, wanted in ((shared, site), (folder.path / "clicks", "")):
            if (place / "data.mdb").exists():
                store = stack.enter_context(ClickStore(place, readonly=True))
                for page in pages_of_site(store, wanted):
                    found.setdefault(page.url, []).append(page)
            elif wanted:
                raise ConfigurationError(f"no site named {wanted!r} was counted; nothing was counted yet")
    return {url: as_one(pages) for url, pages in found.items()}


def _joined(clicks: dict[str, PageClicks], relevance: CrawlRelevance, site: str, crawl: str) -> KnownPages:
    """The crawl's pages with what people did with them."""
    bm25 = relevance.bm25
    if site:
        wanted = {site_of(url) for url in clicks}
        bm25 = {url: value for url, value in bm25.items() if site_of(url) in wanted}
    notes = [f"relevance: {relevance.how}"]
    outside = len(clicks.keys() - bm25.keys())
    if not clicks:
        notes.append("no visit was counted yet, so content alone decides; see `lycosa clicks import`")
    elif outside:
        plural = "pages that people visit are" if outside > 1 else "page that people visit is"
        notes.append(f"{number(outside)} {plural} not in the crawl; see `lycosa clicks dark {crawl}`")
    return KnownPages(tuple(clicks[url] for url in bm25 if url in clicks), bm25, tuple(notes))


def picture(shown: Sequence[PlacedPage], by: str, of: str, *, alone: bool = True) -> str:
    """The first pages as bars; `of` names the site or the crawl."""
    about = " of ".join(["The most important pages", *filter(None, (of,))])
    bars = [
        Bar(page.clicks.url, float(ORDERS[by](page)), f"{page.clicks.url}: {page.clicks.visits} visits")
        for page in shown[:MOST_BARS]
    ]
    return importance_plot(bars, about, MEASURES[by], alone=alone)
