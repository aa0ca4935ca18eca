"""Links in the order of a measure over the crawled graph: PageRank and HITS share this, and differ in the measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lycosa.records import Link, Page, Score, Visit
from lycosa.scoring.crawled_graph import CrawledGraph


class GraphOrderLinkScorer:
    """The priority of a link is what its page is worth in the graph so far; `said` words it."""

    def __init__(self, graph: CrawledGraph, said: Callable[[float], str]) -> None:
        self._graph, self._said = graph, said
        self._changed: dict[str, Score | None] = {}

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """The worth of each link with what this page hands on."""
        worths = self._graph.with_page(page.url, [link.url for link in links])
        scores = {worth: self._score(worth) for worth in set(worths)}
        return [scores[worth] for worth in worths]

    def _score(self, worth: float) -> Score:
        return Score(worth, self._said(worth))

    def learn(self, visits: Sequence[Visit]) -> None:
        """Take pages into the graph, and measure it again when it has grown enough."""
        for visit in visits:
            if visit.page is None:
                continue
            self._graph.take_in(visit.page)
            judged = visit.priorities or (None,) * len(visit.page.links)
            for link, score in zip(visit.page.links, judged, strict=True):
                self._changed[link.url] = score
        if self._graph.is_due:
            self._changed.update(dict.fromkeys(self._graph.refresh()))

    def revised(self) -> Iterator[tuple[str, Score]]:
        """Links of the latest pages, and those of which a refresh changed the worth most."""
        changed, self._changed = self._changed, {}
        for url, judged in changed.items():
            worth = self._graph.worth(url)
            yield url, judged if judged is not None and judged.value == worth else self._score(worth)
