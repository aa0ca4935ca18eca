"""Fish-Search: a school of fish that breeds where there is food and dies out where there is none.

After De Bra and Post, in the form that Hersovici et al. give it. A relevant page
gives its links a full budget of depth and the highest value; links of an
irrelevant page have one step less than it had and half the value, and beyond the
budget they die. Only the first links of a page count. What would be dropped there
waits last here: a crawl with nothing better to do may still go on.
"""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Link, Page, Score, Visit
from lycosa.scoring.bounded_memory import Remembered

DEPTH = 3
WIDTH = 30
"""How many links of an irrelevant page are worth following."""
BREEDING = 1.5
"""A relevant page may have so many times more."""
BUDGETS_REMEMBERED = 400_000

FED = 1.0
HUNGRY = 0.5
SPARE = OFF_TOPIC
DEAD = OFF_TOPIC / 10


class FishSearchLinkScorer:
    """Budgets of depth, and three values."""

    def __init__(self, threshold: float, depth: int = DEPTH, width: int = WIDTH) -> None:
        self._threshold, self._depth, self._width = threshold, depth, width
        self._budgets: Remembered[str, int] = Remembered(BUDGETS_REMEMBERED)

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """1 for the first links of a relevant page, 1/2 for the first ones of another, little for the rest."""
        relevant = relevance.value >= self._threshold
        budget = self._handed_on(page.url, relevant)
        if budget < 0:
            return [Score(DEAD, f"no relevant page within {self._depth} links before it")] * len(links)
        value = FED if relevant else HUNGRY
        places = round(self._width * (BREEDING if relevant else 1))
        kind = "a relevant" if relevant else "an irrelevant"
        near = Score(value, f"among the first {places} links of {kind} page, {budget} more links deep")
        rest = Score(SPARE, f"beyond the first {places} links of {kind} page")
        return [near] * min(places, len(links)) + [rest] * (len(links) - places)

    def _handed_on(self, page: str, relevant: bool) -> int:
        """The budget of a page's links; a seed has the full one."""
        if relevant:
            return self._depth
        own = self._budgets.get(page)
        return (self._depth if own is None else own) - 1

    def learn(self, visits: Sequence[Visit]) -> None:
        """Hand budgets on to the links of visited pages; of several, a link keeps the largest."""
        budgets = self._budgets
        for visit in visits:
            if visit.page is None or visit.relevance is None:
                continue
            budget = self._handed_on(visit.page.url, visit.relevance.value >= self._threshold)
            for link in visit.page.links:
                known = budgets.get(link.url)
                if known is None or known < budget:
                    budgets.put(link.url, budget)


def fish_search_link_scorer(configuration: Configuration, topic: Topic) -> FishSearchLinkScorer:
    """The link scorer of the strategy `fish-search`."""
    return FishSearchLinkScorer(configuration.topic.threshold)
