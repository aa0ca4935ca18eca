"""Indegree: the page that most known pages link to goes first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import Topic
from lycosa.records import Link, Page, Score, Visit
from lycosa.scoring.known_parents import MOST_REMEMBERED, KnownParents

SCORES_KEPT = 1000


class IndegreeLinkScorer:
    """The priority is the number of known parents; what another agent tells counts as one."""

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._parents = KnownParents(most)
        self._scores = [_score(number) for number in range(SCORES_KEPT)]
        self._changed: set[str] = set()

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """The known parents of each link, this page among them."""
        own, parents = page.url, self._parents.with_page
        return [self._of(parents(own, link.url, 0.0)[0]) for link in links]

    def _of(self, number: int) -> Score:
        return self._scores[number] if number < SCORES_KEPT else _score(number)

    def learn(self, visits: Sequence[Visit]) -> None:
        """Count each page as a parent of those it links to."""
        for visit in visits:
            for link in self._parents.count(visit.page) if visit.page else ():
                self._add(link.url)

    def hear(self, letters: Sequence[tuple[Link, Score]]) -> None:
        """A page of another agent links here."""
        for link, _ in letters:
            self._add(link.url)

    def _add(self, url: str) -> None:
        if self._parents.add(url, 0.0)[0] > 1 and not self._parents.is_fetched(url):
            self._changed.add(url)

    def revised(self) -> Iterator[tuple[str, Score]]:
        """Waiting links that have another parent now."""
        changed, self._changed = self._changed, set()
        for url in sorted(changed):
            yield url, self._of(self._parents.of(url)[0])


def _score(number: int) -> Score:
    return Score(float(number), f"{number} known page{' links' if number == 1 else 's link'} here")


def indegree_link_scorer(configuration: Configuration, topic: Topic) -> IndegreeLinkScorer:
    """The link scorer of the strategy `indegree`."""
    return IndegreeLinkScorer()
