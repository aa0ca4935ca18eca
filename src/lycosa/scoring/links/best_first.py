"""Best-first: a link is as promising as the best page that points to it."""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Link, Page, Score


class BestFirstLinkScorer:
    """All links of a page get the page's relevance."""

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """The parent's relevance for each link."""
        value = max(OFF_TOPIC, relevance.value)
        return [Score(value, f"its parent's relevance is {relevance.value:.3f}")] * len(links)


def best_first_link_scorer(configuration: Configuration, topic: Topic) -> BestFirstLinkScorer:
    """The link scorer of the strategy `best-first`."""
    return BestFirstLinkScorer()
