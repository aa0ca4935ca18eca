"""Depth-first: what was found last goes first, whatever it is about.

Pages are counted, and a link waits with the count of the page that it was found on
last; of one page's links the first goes first, as in the textbook's recursion. The
count is kept with the agent's store, so that a crawl that goes on goes on deeper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import Topic
from lycosa.records import Link, Page, Score, Visit

FIRST = 2.0
"""Seeds wait with 1, before any page is counted."""
WITHIN_PAGE = 0.9
"""How far apart a page's links are: less than pages, so that finding a link again always gains something."""


class DepthFirstLinkScorer:
    """One more for each page: far more than ageing adds until the next one."""

    def __init__(self) -> None:
        self._pages = 0
        self._revised: dict[str, Score] = {}

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """The number of pages before this one, and a part of one for the place on the page."""
        return self._scores(links)

    def _scores(self, links: Sequence[Link]) -> list[Score]:
        base, step = FIRST + self._pages, WITHIN_PAGE / (len(links) + 1)
        why = f"found on page {self._pages + 1}"
        return [Score(base + (len(links) - place) * step, why) for place in range(len(links))]

    def learn(self, visits: Sequence[Visit]) -> None:
        """Count pages. Those judged side by side were given the same number; here each gets its own."""
        for visit in visits:
            if visit.page is None:
                continue
            if visit.page.links:
                self._renumber(visit.page.links, visit.priorities)
            self._pages += 1

    def _renumber(self, links: Sequence[Link], told: Sequence[Score]) -> None:
        scores = self._scores(links)
        if not told or told[0].value != scores[0].value:
            self._revised.update((link.url, score) for link, score in zip(links, scores, strict=True))

    def hear(self, letters: Sequence[tuple[Link, Score]]) -> None:
        """What others found was found now; their count is not ours."""
        for (link, _), score in zip(letters, self._scores([link for link, _ in letters]), strict=True):
            self._revised[link.url] = score

    def revised(self) -> Iterator[tuple[str, Score]]:
        """Links with another number than they were given at first."""
        revised, self._revised = self._revised, {}
        yield from revised.items()

    def statistics(self) -> bytes:
        """The pages counted."""
        return msgspec.msgpack.encode(self._pages)

    def recall(self, own: bytes | None, others: Sequence[bytes]) -> None:
        """Go on counting where the count stopped."""
        if own is not None:
            self._pages = max(self._pages, msgspec.msgpack.decode(own, type=int))


def depth_first_link_scorer(configuration: Configuration, topic: Topic) -> DepthFirstLinkScorer:
    """The link scorer of the strategy `depth-first`."""
    return DepthFirstLinkScorer()
