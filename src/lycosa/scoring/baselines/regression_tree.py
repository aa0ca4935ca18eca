"""A regression tree that grows while samples come: it splits where that makes the values of a leaf more alike.

A leaf keeps its samples and looks for a split each time their number has grown by
half. Leaves are numbered; a split keeps the number of the leaf for its lower half
and gives the upper half a new one, so whoever keeps things by leaf moves few.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Row: TypeAlias = npt.NDArray[np.float32]

FEWEST_SAMPLES = 8
"""A leaf with fewer does not split into such halves."""
SMALLEST_GAIN = 0.01
"""The least share of a leaf's variance that a split must take away."""
MOST_LEAVES = 64
SAMPLES_PER_LEAF = 2_000


class Split(NamedTuple):
    """A leaf that became two: rows above the threshold are in the new one."""

    leaf: int
    new_leaf: int
    feature: int
    threshold: float


class _Leaf:
    __slots__ = ("look_at", "number", "rows", "values")

    def __init__(self, number: int) -> None:
        self.number = number
        self.rows: list[Row] = []
        self.values: list[float] = []
        self.look_at = 2 * FEWEST_SAMPLES


class _Fork:
    __slots__ = ("above", "below", "feature", "threshold")

    def __init__(self, split: Split, below: _Leaf, above: _Leaf) -> None:
        self.feature, self.threshold = split.feature, split.threshold
        self.below: _Leaf | _Fork = below
        self.above: _Leaf | _Fork = above


class RegressionTree:
    """Leaves with about the same value behind rows of features."""

    def __init__(self, first: tuple[int, float] | None = None, most_leaves: int = MOST_LEAVES) -> None:
        self._most = most_leaves
        self.leaves = 1
        leaf = _Leaf(0)
        self._root: _Leaf | _Fork = leaf
        if first is not None:
            self._split(leaf, None, *first)

    def leaf_of(self, row: Row) -> int:
        """The number of the leaf that a row falls into."""
        return self._descend(row)[0].number

    def _descend(self, row: Row) -> tuple[_Leaf, _Fork | None]:
        node, fork = self._root, None
        while isinstance(node, _Fork):
            fork = node
            node = node.above if row[node.feature] > node.threshold else node.below
        return node, fork

    def add(self, row: Row, value: float) -> Split | None:
        """A sample. Tells if it made its leaf split."""
        leaf, fork = self._descend(row)
        leaf.rows.append(row)
        leaf.values.append(value)
        if len(leaf.rows) > SAMPLES_PER_LEAF:
            del leaf.rows[: SAMPLES_PER_LEAF // 4], leaf.values[: SAMPLES_PER_LEAF // 4]
        if len(leaf.rows) < leaf.look_at or self.leaves >= self._most:
            return None
        leaf.look_at = min(SAMPLES_PER_LEAF, len(leaf.rows) + len(leaf.rows) // 2)
        found = best_split(np.array(leaf.rows), np.array(leaf.values))
        return None if found is None else self._split(leaf, fork, *found)

    def _split(self, leaf: _Leaf, fork: _Fork | None, feature: int, threshold: float) -> Split:
        split = Split(leaf.number, self.leaves, feature, threshold)
        self.leaves += 1
        below, above = _Leaf(split.leaf), _Leaf(split.new_leaf)
        for row, value in zip(leaf.rows, leaf.values, strict=True):
            half = above if row[feature] > threshold else below
            half.rows.append(row)
            half.values.append(value)
        for half in (below, above):
            half.look_at = max(half.look_at, len(half.rows) + len(half.rows) // 2)
        node = _Fork(split, below, above)
        if fork is None:
            self._root = node
        elif fork.above is leaf:
            fork.above = node
        else:
            fork.below = node
        return split


def best_split(rows: npt.NDArray[np.float32], values: npt.NDArray[np.float64]) -> tuple[int, float] | None:
    """Feature and threshold that take most of the variance away, or None where none takes enough.

    With the values sorted by a feature, a split after the i-th leaves
    `Σy² - S_i²/i - (S-S_i)²/(n-i)` of `Σy² - S²/n`, so the best one has the largest of what is subtracted.
    """
    number = len(values)
    whole = float(values.sum()) ** 2 / number
    spread = float(values @ values) - whole
    if number < 2 * FEWEST_SAMPLES or spread <= 1e-12:
        return None
    order = np.argsort(rows, axis=0, kind="stable")
    by_feature = np.take_along_axis(rows, order, axis=0)
    sums = np.cumsum(values[order], axis=0)
    below = np.arange(FEWEST_SAMPLES, number - FEWEST_SAMPLES + 1)
    left = sums[below - 1]
    explained = left**2 / below[:, None] + (sums[-1] - left) ** 2 / (number - below)[:, None] - whole
    explained[by_feature[below - 1] >= by_feature[below]] = -np.inf
    at, feature = np.unravel_index(int(explained.argmax()), explained.shape)
    if explained[at, feature] < SMALLEST_GAIN * spread:
        return None
    return int(feature), float(by_feature[below[at] - 1, feature])
