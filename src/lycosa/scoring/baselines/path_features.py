"""The way to a link in numbers: what the pages before it were like, and what its words say.

State and action of a crawl that learns by reward: the state is the path of pages
that led here, the action is the link.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from lycosa.plugins.plug_points import Topic
from lycosa.records import Link, Page
from lycosa.scoring.baselines.topic_similarity import Closeness
from lycosa.scoring.bounded_memory import Remembered
from lycosa.text import words
from lycosa.urls import path_of, site_of

FEATURES = (
    "parent's relevance", "parent is relevant", "relevant pages on the way", "relevance on the way",
    "nearness of a relevant page", "anchor", "URL", "paragraph", "same site", "always",
)  # fmt: skip
BELIEVED = (0.5, 0.0, 0.0, 0.0, 0.0, 0.4, 0.1, 0.0, 0.0, 0.0)
"""What the features are thought to weigh before anything was learnt: half the parent, half the words."""
PARENT_IS_RELEVANT = FEATURES.index("parent is relevant")
WAYS_REMEMBERED = 100_000
FORGETTING = 0.5
"""What a page before counts beside the one after it."""


class _Way(msgspec.Struct, frozen=True):
    relevance: float
    relevant: float
    distance: int


_NO_WAY = _Way(0.0, 0.0, 10)


class Ways:
    """Remembers how good the ways to fetched pages were."""

    def __init__(self, topic: Topic, threshold: float) -> None:
        self._threshold, self._closeness = threshold, Closeness(topic)
        self._known: Remembered[str, _Way] = Remembered(WAYS_REMEMBERED)

    def arrived(self, url: str, parent: str, relevance: float) -> None:
        """A page was fetched, coming from another."""
        self._known.put(url, self._continued(self._known.get(parent), relevance))

    def _continued(self, before: _Way | None, relevance: float) -> _Way:
        relevant = relevance >= self._threshold
        if before is None:
            return _Way(relevance, float(relevant), 0 if relevant else _NO_WAY.distance)
        return _Way(
            (1 - FORGETTING) * relevance + FORGETTING * before.relevance,
            (1 - FORGETTING) * relevant + FORGETTING * before.relevant,
            0 if relevant else min(_NO_WAY.distance, before.distance + 1),
        )

    def rows(self, page: Page, relevance: float, links: Sequence[Link]) -> npt.NDArray[np.float32]:
        """A row of features per link of a page."""
        way = self._known.get(page.url) or self._continued(None, relevance)
        shared = (relevance, float(relevance >= self._threshold), way.relevant, way.relevance, 1 / (1 + way.distance))
        of, site = self._closeness.of, site_of(page.url) + "/"
        return np.array(
            [
                (
                    *shared,
                    of(link.anchor),
                    of(" ".join(words(path_of(link.url))[-6:])),
                    of(link.boundary),
                    link.url.startswith(site),
                    1.0,
                )
                for link in links
            ],
            np.float32,
        )

    def told(self, row: npt.NDArray[np.float32]) -> str:
        """The features of a link that say something."""
        named = zip(FEATURES[:-1], row.tolist(), strict=False)
        return ", ".join(f"{name} {value:.2f}" for name, value in named if value > 0)
