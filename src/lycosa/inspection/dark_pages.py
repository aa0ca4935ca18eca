"""Which dark pages has a crawl found (C13)? People visit them, but no page crawled by any agent links to them.

`crawling.dark_pages` lets them in while a crawl runs, and counts those of one agent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.reading_apart import LONG, read_apart
from lycosa.crawl_folder.stores import reading
from lycosa.crawling.click_source import counted_pages
from lycosa.crawling.dark_pages import _COLUMNS
from lycosa.queue_records import State
from lycosa.records import Record
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.urls import normalise, site_of


class DarkPage(Record, frozen=True):
    """A page that no crawled page links to; `state` is where it is on its way, `listed` whether it is relevant."""

    url: str
    visits: int
    state: str
    relevance: float | None = None
    listed: bool = False


class DarkReport(Record, frozen=True):
    """The dark pages of a crawl, the most visited first, among so many pages that people visit on its sites."""

    visited: int
    pages: tuple[DarkPage, ...]

    def counts(self) -> dict[str, int]:
        """How many were found, fetched, and relevant."""
        fetched = [page for page in self.pages if page.relevance is not None]
        return {"found": len(self.pages), "fetched": len(fetched), "relevant": sum(page.listed for page in fetched)}

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        names = DarkPage.__struct_fields__
        pages = [{name: getattr(page, name) for name in names} for page in self.pages]
        return {"visited": self.visited, **self.counts(), "pages": pages}


@read_apart(LONG)
def dark_report(folder: CrawlFolder) -> DarkReport:
    """The pages of the clickstream, on sites that the crawl has met, that no page crawled so far links to."""
    configuration = folder.configuration()
    clicks = counted_pages(configuration, folder.path)
    with reading(folder) as stores:
        met = {site.site for store in stores for site in store.sites()}
        visits: dict[str, int] = {}
        for page in clicks:
            url = normalise(page.url)
            if url is not None and page.visits and site_of(url) in met:
                visits[url] = visits.get(url, 0) + page.visits
        dark = _unlinked(visits, stores)
        fetched = _fetched_among(dark, stores, configuration.topic.threshold)
        found = [DarkPage(url, visits[url], _state(url, stores), *fetched.get(url, (None, False))) for url in dark]
    found.sort(key=lambda page: (-page.visits, page.url))
    return DarkReport(len(visits), tuple(found))


def _unlinked(urls: Iterable[str], stores: Sequence[AgentStore]) -> set[str]:
    """Those that no other page links to."""
    dark = set(urls)
    for store in stores:
        for link in catalogue.link_rows(store):
            if link["parent"] != link["url"]:
                dark.discard(link["url"])
    return dark


def _fetched_among(urls: set[str], stores: Sequence[AgentStore], threshold: float) -> dict[str, tuple[float, bool]]:
    """The relevance of those that were fetched, and whether it is enough."""
    found: dict[str, tuple[float, bool]] = {}
    for store in stores:
        for _, row in catalogue.history(store, columns=_COLUMNS):
            if row.url in urls and row.outcome == "fetched":
                relevance = row.relevance or 0.0
                found[row.url] = (relevance, relevance >= threshold and not row.aside)
    return found


def _state(url: str, stores: Sequence[AgentStore]) -> str:
    """Where a URL is on its way; `unseen` where no agent knows it."""
    for store in stores:
        record = store.find(url)
        if record is not None:
            return f"refused: {record.why}" if record.state is State.REFUSED else record.state.name.lower()
    return "unseen"
