"""Dark pages (C13): people visit them, but no crawled page links to them.

In a crawl with a clickstream, pages that people visit and that the frontier has not seen
are candidates: those that people visit most go first, admission applies as to any link,
and the strategy says what it expects of them. Each agent lets in what it owns. A page
that a crawled one turns out to link to was not dark after all; a sitemap is no page.
What is counted here is what this agent let in; `inspection.dark_pages` looks at all
links of all agents.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

import msgspec

from lycosa.click_records import PageClicks
from lycosa.plugins.plug_points import Assigner
from lycosa.records import Fetched, Visit
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.urls import normalise

AT_ONCE = 2_000
"""Candidates that are let in at one look, so that a crawl goes on meanwhile."""
_COLUMNS = ("url", "outcome", "relevance", "aside")
_WAITING, _FETCHED, _RELEVANT = range(3)


class DarkPages:
    """The dark pages of one agent, and what became of them."""

    def __init__(self, number: int, owner: Assigner, store: AgentStore, threshold: float) -> None:
        self._number, self._owner, self.threshold = number, owner, threshold
        self._candidates: deque[str] = deque()
        self._slices = store.number("dark")
        kept = [store.mark(f"dark.{place}") for place in range(self._slices)]
        urls = [url for told in kept if told is not None for url in msgspec.msgpack.decode(told, type=list[str])]
        self._became = dict.fromkeys(urls, _WAITING)
        if urls:
            self._recall(store)

    def _recall(self, store: AgentStore) -> None:
        """What had become of them before a restart."""
        for _, row in catalogue.history(store, columns=_COLUMNS):
            if row.outcome == "fetched":
                self._fetched(row.url, (row.relevance or 0.0) >= self.threshold and not row.aside)
        for link in catalogue.link_rows(store):
            if link["parent"] != link["url"]:
                self._became.pop(link["url"], None)

    # -- letting in -----------------------------------------------------------------------------

    def consider(self, pages: Iterable[PageClicks]) -> None:
        """People visit these; those of this agent become candidates, the most visited first."""
        found = [(page.visits, url) for page in pages if page.visits and (url := normalise(page.url)) is not None]
        found.sort(reverse=True)
        own = (url for _, url in found if url not in self._became and self._owner(url) == self._number)
        self._candidates = deque(own)

    @property
    def waiting(self) -> int:
        """How many candidates are left to look at."""
        return len(self._candidates)

    def next(self) -> list[str]:
        """Some candidates."""
        return [self._candidates.popleft() for _ in range(min(AT_ONCE, len(self._candidates)))]

    def let_in(self, urls: Sequence[str]) -> dict[str, bytes]:
        """These wait in the frontier now. Returns what is to be kept of that."""
        self._became |= dict.fromkeys(urls, _WAITING)
        if not urls:
            return {}
        self._slices += 1
        return {f"dark.{self._slices - 1}": msgspec.msgpack.encode(list(urls)), "dark": str(self._slices).encode()}

    # -- counting -------------------------------------------------------------------------------

    def note(self, visits: Sequence[Visit], aside_below: float) -> None:
        """Count what became of dark pages, and leave out those that a page, which has a relevance, links to."""
        if not self._became:
            return
        for visit in visits:
            if isinstance(visit.outcome, Fetched):
                relevance = visit.relevance.value if visit.relevance else 0.0
                self._fetched(visit.link.url, relevance >= max(self.threshold, aside_below))
            if visit.page is not None and visit.relevance is not None:
                self.linked([link.url for link in visit.page.links if link.url != visit.page.url])

    def _fetched(self, url: str, relevant: bool) -> None:
        if url in self._became:
            self._became[url] = _RELEVANT if relevant else _FETCHED

    def linked(self, urls: Iterable[str]) -> None:
        """Some page links to these."""
        for url in self._became.keys() & set(urls):
            del self._became[url]

    def counts(self) -> dict[str, int]:
        """How many were found, fetched, and relevant: those have reached the final list."""
        became = list(self._became.values())
        relevant = became.count(_RELEVANT)
        return {"found": len(became), "fetched": became.count(_FETCHED) + relevant, "relevant": relevant}
