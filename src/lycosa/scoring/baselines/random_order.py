"""Random: the order in which a crawler goes that looks at nothing, the same each time for the same seed."""

from __future__ import annotations

from collections.abc import Sequence

import xxhash

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import Topic
from lycosa.records import Link, Page, Score

RANGE = 2**64


class RandomLinkScorer:
    """A number between 0 and 1 for each URL, drawn from the URL and the seed alone."""

    def __init__(self, seed: int) -> None:
        self._seed = seed % RANGE
        self._why = f"drawn at random for its URL, with the seed {seed}"

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """The number of each URL; it does not change when a link is found again."""
        digest, seed, why = xxhash.xxh3_64_intdigest, self._seed, self._why
        return [Score(digest(link.url.encode("utf-8", "surrogatepass"), seed) / RANGE, why) for link in links]


def random_link_scorer(configuration: Configuration, topic: Topic) -> RandomLinkScorer:
    """The link scorer of the strategy `random`."""
    return RandomLinkScorer(configuration.random_seed)
