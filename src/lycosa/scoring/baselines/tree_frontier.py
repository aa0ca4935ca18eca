"""Tree-Frontier: the frontier parted by a regression tree, so that few links stand for all.

After TRES (Kontogiannis et al.). Every waiting link is described by the way that
led to it and by its words; a regression tree over the links followed so far parts
the frontier by what was behind them. From each leaf one link is drawn at random,
a model values these few, and the best of them is fetched: the choice looks at
everything, yet takes the same time however long the frontier is. In place of the
paper's training beforehand, the tree begins with two leaves, links of relevant
pages and others, and the model with half a belief in pages, half in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

import numpy as np

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Link, Page, Score, Visit
from lycosa.scoring.baselines.chosen_links import ChosenAhead, ahead_of
from lycosa.scoring.baselines.path_features import BELIEVED, FEATURES, PARENT_IS_RELEVANT, Ways
from lycosa.scoring.baselines.regression_tree import RegressionTree, Row, Split
from lycosa.scoring.baselines.reward_model import Worth
from lycosa.scoring.waiting_links import LinkPool, WaitingLinks

MOST_WAITING = 100_000


class TreeFrontierLinkScorer:
    """One link per leaf, the best of them."""

    def __init__(self, topic: Topic, threshold: float, ahead: int = 1, most_waiting: int = MOST_WAITING) -> None:
        self._threshold = threshold
        self._random = Random(f"tree-frontier {topic.label}")
        self._ways = Ways(topic, threshold)
        self._tree = RegressionTree((PARENT_IS_RELEVANT, 0.5))
        self._worth = Worth(BELIEVED)
        self._pools = [LinkPool() for _ in range(self._tree.leaves)]
        self._waiting: WaitingLinks[Row] = WaitingLinks(most_waiting)
        self._chosen = ChosenAhead(ahead)

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """What the model expects of each link."""
        if not links:
            return []
        return [_unchosen(worth) for worth in self._worth.of(self._ways.rows(page, relevance.value, links))]

    def learn(self, visits: Sequence[Visit]) -> None:
        """Values for tree and model, new links into the leaves, then the next choices."""
        for visit in visits:
            row = self._waiting.taken(visit.link.url)
            if row is not None:
                self._pools[self._tree.leaf_of(row)].discard(visit.link.url)
            ahead = self._find_links(visit)
            if row is not None:
                self._value(row, visit, ahead)
        for url in self._chosen.note(visit.link.url for visit in visits):
            self._waiting.taken(url)
        self._choose()

    def _find_links(self, visit: Visit) -> float:
        """The links of a visit into the leaves. Returns what the best of them is worth."""
        page, relevance = visit.page, visit.relevance
        if page is None or relevance is None:
            return 0.0
        self._ways.arrived(page.url, visit.link.parent, relevance.value)
        new = [link for link in page.links if not self._waiting.is_gone(link.url)]
        if not new:
            return 0.0
        rows = self._ways.rows(page, relevance.value, new)
        for link, row in zip(new, rows, strict=True):
            self._find(link.url, row)
        return max(0.0, max(self._worth.of(rows)))

    def _find(self, url: str, row: Row) -> None:
        """A link waits in the leaf of the best way to it."""
        known = self._waiting.get(url)
        if known is not None:
            if url in self._chosen or row[0] <= known[0]:
                return
            self._pools[self._tree.leaf_of(known)].discard(url)
        self._pools[self._tree.leaf_of(row)].add(url)
        for oldest, forgotten in self._waiting.found(url, row):
            self._pools[self._tree.leaf_of(forgotten)].discard(oldest)

    def _value(self, row: Row, visit: Visit, ahead: float) -> None:
        reward = float(visit.relevance is not None and visit.relevance.value >= self._threshold)
        self._worth.learn(row, reward, ahead)
        split = self._tree.add(row, reward)
        if split is not None:
            self._part(split)

    def _part(self, split: Split) -> None:
        """Move the links of a leaf that was split to the side where they belong."""
        pool, moved = self._pools[split.leaf], LinkPool()
        self._pools.append(moved)
        for url in list(pool):
            row = self._waiting.get(url)
            if row is not None and row[split.feature] > split.threshold:
                pool.discard(url)
                moved.add(url)

    def _choose(self) -> None:
        while self._chosen.room:
            drawn = [(leaf, pool.draw(self._random)) for leaf, pool in enumerate(self._pools) if len(pool)]
            if not drawn:
                return
            rows = np.stack([self._row(url) for _, url in drawn])
            worths = self._worth.of(rows)
            best = int(np.argmax(worths))
            leaf, url = drawn[best]
            self._pools[leaf].discard(url)
            told = self._ways.told(rows[best])
            why = f"worth {worths[best]:.3f}, the best of {len(drawn)} links drawn from leaves: {told}"
            self._chosen.lift(url, min(1.0, max(0.0, worths[best])), why, _unchosen(worths[best]))

    def _row(self, url: str) -> Row:
        row = self._waiting.get(url)
        return np.zeros(len(FEATURES), np.float32) if row is None else row

    def revised(self) -> Iterable[tuple[str, Score]]:
        """The links chosen, and those given up."""
        return self._chosen.changes()


def _unchosen(worth: float) -> Score:
    return Score(max(OFF_TOPIC, min(1.0, worth)), f"worth {worth:.3f} by the way it was found")


def tree_frontier_link_scorer(configuration: Configuration, topic: Topic) -> TreeFrontierLinkScorer:
    """The link scorer of the strategy `tree-frontier`."""
    return TreeFrontierLinkScorer(topic, configuration.topic.threshold, ahead_of(configuration))
