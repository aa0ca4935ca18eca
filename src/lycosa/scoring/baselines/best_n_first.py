"""Best-N-first: the N best links of the frontier are fetched as a batch before anybody looks again.

After Pant, Srinivasan and Menczer: best-first is greedy, and a batch makes it less
so. The priority is best-first's on the lower half of the scale; the links of the
batch are lifted by half. When all of them have come, or when others come although
some are left (those were refused, or wait for their site), the next batch is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Link, Page, Score, Visit, urls_of
from lycosa.scoring.known_parents import MOST_REMEMBERED
from lycosa.scoring.waiting_links import WaitingLinks

N = 256
HALF = 0.5
PATIENCE = 4
"""Other links may come before the batch is over: so many for each that may be under way at a time."""
SPARE_ENTRIES = 1000


class BestNFirstLinkScorer:
    """Knows the best parent of each waiting link, and the batch."""

    def __init__(self, number: int = N, connections: int = 1, most: int = MOST_REMEMBERED) -> None:
        self._number = max(1, number)
        self._patience = 0 if connections <= 1 else PATIENCE * connections
        self._waiting: WaitingLinks[float] = WaitingLinks(most)
        self._heap: list[tuple[float, int, str]] = []
        self._entries = 0
        self._batch: set[str] = set()
        self._others = 0
        self._lifted: list[tuple[str, Score]] = []

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """Half of the page's relevance, until the batch is chosen that the link is in."""
        value = max(OFF_TOPIC, relevance.value)
        why = f"not in a batch yet; its parent's relevance is {relevance.value:.3f}"
        return [Score(HALF * value, why)] * len(links)

    def learn(self, visits: Sequence[Visit]) -> None:
        """Visited links leave the batch, links of visited pages wait, and a new batch is chosen when it is time."""
        for visit in visits:
            url = visit.link.url
            self._waiting.taken(url)
            if url in self._batch:
                self._batch.remove(url)
            elif visit.link.depth:
                self._others += 1
            if visit.page is not None and visit.relevance is not None:
                self._found(urls_of(visit.page.links), visit.relevance.value)
        if not self._batch or self._others > self._patience:
            self._choose()

    def hear(self, letters: Sequence[tuple[Link, Score]]) -> None:
        """What another agent found waits here."""
        for link, score in letters:
            self._found([link.url], score.value / HALF)

    def _found(self, urls: Sequence[str], relevance: float) -> None:
        """Of several parents the best counts."""
        value, waiting = max(OFF_TOPIC, relevance), self._waiting
        for url in urls:
            known = waiting.get(url)
            if (known is None and (url in self._batch or waiting.is_gone(url))) or (known or 0.0) >= value:
                continue
            waiting.found(url, value)
            self._entries += 1
            heappush(self._heap, (-value, self._entries, url))
        if len(self._heap) > 2 * len(waiting) + SPARE_ENTRIES:
            self._heap = [entry for entry in self._heap if waiting.get(entry[2]) == -entry[0]]
            heapify(self._heap)

    def _choose(self) -> None:
        """The N best that wait, first found first. What is left of the last batch stays lifted."""
        self._batch.clear()
        self._others = 0
        while self._heap and len(self._batch) < self._number:
            negative, _, url = heappop(self._heap)
            if self._waiting.get(url) == -negative:
                self._waiting.taken(url)
                self._batch.add(url)
                why = f"in the batch of the best {self._number}; its best parent's relevance is {-negative:.3f}"
                self._lifted.append((url, Score(HALF - HALF * negative, why)))

    def revised(self) -> Iterator[tuple[str, Score]]:
        """The links of a new batch."""
        lifted, self._lifted = self._lifted, []
        yield from lifted


def best_n_first_link_scorer(configuration: Configuration, topic: Topic) -> BestNFirstLinkScorer:
    """The link scorer of the strategy `best-n-first`."""
    return BestNFirstLinkScorer(connections=configuration.fetching.connections)
