"""The links of a stored page: where they lead, what they were worth to the crawl, and what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.reading_apart import read_apart
from lycosa.crawl_folder.stores import reading
from lycosa.interface.views.reader.stored_page import StoredPage
from lycosa.plugins import registry
from lycosa.queue_records import State, UrlRecord
from lycosa.records import REJECTED, Link
from lycosa.storage.agent_store import AgentStore

PER_PAGE = 200
_TOLD = {
    State.WAITING: "waits",
    State.LEASED: "being fetched",
    State.LATER: "to be tried again",
    State.DONE: "fetched",
    State.REFUSED: "refused",
    State.FAILED: "failed",
}


@dataclass(frozen=True, slots=True)
class LinkTold:
    """A link of a page. `state` is what became of its target, `why` the reason, `priority` what the crawl gave it."""

    url: str
    anchor: str
    priority: float | None
    state: str
    why: str = ""

    @property
    def stored(self) -> bool:
        """Whether there is a copy to read."""
        return self.state == _TOLD[State.DONE]


@dataclass(frozen=True, slots=True)
class LinksTold:
    """Some of a page's links from `first` on, how many there are, and what is known of links that lead to it."""

    links: tuple[LinkTold, ...]
    first: int
    total: int
    left_out: int
    parent: str
    anchors: tuple[str, ...]


@read_apart()
def links_told(folder: CrawlFolder, stored: StoredPage, first: int = 0, most: int = PER_PAGE) -> LinksTold:
    """The links of a page, in the order of the page."""
    links = stored.page.links
    shown = links[first : first + most]
    scores = {url: score for url, _, score, _ in stored.row.links.rows()}
    records = _records(folder, shown)
    told = tuple(_told(link, scores.get(link.url), records.get(link.url)) for link in shown)
    record = stored.filed.record
    parent, anchors = (record.parent, record.anchors) if record else (stored.row.parent, ())
    return LinksTold(told, first, len(links), stored.page.links_dropped, parent, anchors)


def _records(folder: CrawlFolder, links: Sequence[Link]) -> dict[str, UrlRecord]:
    """What the crawl knows of the targets; each is asked of the agent that owns it."""
    if not links:
        return {}
    configuration = folder.configuration()
    owner = registry.find("assigners", configuration.partition)(configuration.agents)
    found: dict[str, UrlRecord] = {}
    with reading(folder) as stores:
        by_agent: dict[int, AgentStore] = {int(store.folder.parent.name): store for store in stores}
        for link in links:
            store = by_agent.get(owner(link.url))
            record = store.find(link.url) if store else None
            if record is not None:
                found[link.url] = record
    return found


def _told(link: Link, score: float | None, record: UrlRecord | None) -> LinkTold:
    anchor = link.anchor.strip()
    if record is None:
        return LinkTold(link.url, anchor, score, "not followed")
    priority = record.priority if score is None else score
    state = _TOLD[record.state]
    why = record.why if record.state in (State.REFUSED, State.FAILED) else ""
    return LinkTold(link.url, anchor, None if priority <= REJECTED else priority, state, why)
