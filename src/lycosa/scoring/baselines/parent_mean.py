"""Parent-mean: a link is as promising as its known parents are relevant on average.

The plain form of what the strategy `parents` does with paragraphs, and a strong
baseline: one relevant page that links to everything counts for little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Link, Page, Score, Visit, urls_of
from lycosa.scoring.known_parents import MOST_REMEMBERED, KnownParents, Said


class ParentMeanLinkScorer:
    """The mean relevance of all fetched pages that link to a URL; what another agent tells counts as one page."""

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._parents = KnownParents(most)
        self._changed: dict[str, Score | None] = {}

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """The mean over the known parents of each link, this page among them."""
        own, value, parents = page.url, relevance.value, self._parents.with_page
        alone = _score((1, value))
        said = [parents(own, link.url, value) for link in links]
        return [alone if each[0] == 1 else _score(each) for each in said]

    def learn(self, visits: Sequence[Visit]) -> None:
        """Each page becomes a parent of those it links to."""
        for visit in visits:
            if visit.page is None or visit.relevance is None:
                continue
            judged = dict(zip(urls_of(visit.page.links), visit.priorities, strict=False))
            for link in self._parents.count(visit.page):
                self._add(link.url, visit.relevance.value, judged.get(link.url))

    def hear(self, letters: Sequence[tuple[Link, Score]]) -> None:
        """A page of another agent links here; what its finder gave the link stands for the page."""
        for link, score in letters:
            self._add(link.url, score.value, None)

    def _add(self, url: str, value: float, judged: Score | None) -> None:
        if self._parents.add(url, value)[0] > 1 and not self._parents.is_fetched(url):
            self._changed[url] = judged

    def revised(self) -> Iterator[tuple[str, Score]]:
        """Waiting links that have another parent now; a judgement that still holds need not be worded again."""
        changed, self._changed = self._changed, {}
        for url, judged in changed.items():
            said = self._parents.of(url)
            yield url, judged if judged is not None and judged.value == _value(said) else _score(said)


def _value(said: Said) -> float:
    return max(OFF_TOPIC, said[1] / said[0])


def _score(said: Said) -> Score:
    number, total = said
    return Score(_value(said), f"mean {total / number:.3f} over {number} parent{'' if number == 1 else 's'}")


def parent_mean_link_scorer(configuration: Configuration, topic: Topic) -> ParentMeanLinkScorer:
    """The link scorer of the strategy `parent-mean`."""
    return ParentMeanLinkScorer()
