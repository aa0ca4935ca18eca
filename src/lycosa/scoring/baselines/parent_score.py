"""Parent-score: a link inherits the score of the page it was found on last.

After Craw4LLM and QMin, which rank the frontier by what a classifier says of the
linking page, however well that page or the link is connected. The rule here: the
score is the page's relevance, and the latest parent wins, be it better or worse
than those before. So it is neither best-first, where the best parent counts, nor
parent-mean, where all do; and it need not remember anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Link, Page, Score, Visit, urls_of


class ParentScoreLinkScorer:
    """All links of a page get the page's relevance, also those that waited with another one."""

    def __init__(self) -> None:
        self._latest: dict[str, Score] = {}

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """The page's relevance for each link."""
        return [_inherited(relevance)] * len(links)

    def learn(self, visits: Sequence[Visit]) -> None:
        """What the pages of this batch hand on, the later over the earlier."""
        for visit in visits:
            if visit.page is not None and visit.relevance is not None:
                score = visit.priorities[0] if visit.priorities else _inherited(visit.relevance)
                self._latest.update(dict.fromkeys(urls_of(visit.page.links), score))

    def hear(self, letters: Sequence[tuple[Link, Score]]) -> None:
        """A parent at another agent is the latest one now."""
        self._latest.update((link.url, score) for link, score in letters)

    def revised(self) -> Iterator[tuple[str, Score]]:
        """All links of the latest pages; those that wait with this priority already cost next to nothing."""
        latest, self._latest = self._latest, {}
        yield from latest.items()


def _inherited(relevance: Score) -> Score:
    return Score(max(OFF_TOPIC, relevance.value), f"the page it was found on last scores {relevance.value:.3f}")


def parent_score_link_scorer(configuration: Configuration, topic: Topic) -> ParentScoreLinkScorer:
    """The link scorer of the strategy `parent-score`."""
    return ParentScoreLinkScorer()
