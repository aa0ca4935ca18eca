"""Breadth-first: what was found first goes first, whatever it is about."""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import Topic
from lycosa.records import Link, Page, Score


class BreadthFirstLinkScorer:
    """The nearer to a seed, the sooner."""

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """One over the depth plus one."""
        return [Score(1.0 / (link.depth + 1), f"{link.depth} links from a seed") for link in links]


def breadth_first_link_scorer(configuration: Configuration, topic: Topic) -> BreadthFirstLinkScorer:
    """The link scorer of the strategy `breadth-first`."""
    return BreadthFirstLinkScorer()
