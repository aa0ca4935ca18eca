"""A structure as numbers: its tag paths, hashed and counted, which say most of what tree matching says, at once.

Two things come of it. The multiset of tag paths that two pages share is never
smaller than their tree matching (matched elements have equal paths), so it rules
pairs out for certain. And the share of tag paths that they have in common, each
counted once more for every doubling of its elements, is the likeness by which the
product tells templates apart: a list of ten and a list of forty are one template.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import xxhash
from numpy.typing import NDArray

from lycosa.pages.structure.skeleton import DEEPEST, FIRST_FOREIGN, MOST_ELEMENTS, NAMELESS, Skeleton
from lycosa.pages.structure.tree_matching import SIMILAR, TreeMatcher

ALIKE = 0.35
"""From this likeness on, two pages are of one site or one template: between the least like pages of
one site (0.37) and the most like pages of two (0.33) in a collection of 80 sites."""
SAME_TEMPLATE = 0.6
"""From this likeness on, two pages count as one template: high enough to part list pages from item pages."""
MOST_FEATURES = 2_000
"""Of more features those with the smallest hashes count, a sample that is fair between pages."""
SURE = 0.2
"""An upper bound so far above the threshold leaves no doubt: real pages stay within half of it."""

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIXING = tuple(map(np.uint64, (30, 0xBF58476D1CE4E5B9, 27, 0x94D049BB133111EB, 31)))
Hashes: TypeAlias = NDArray[np.uint64]
Features: TypeAlias = NDArray[np.uint32]
Places: TypeAlias = NDArray[np.intp]

_DOUBLINGS = np.arange(64, dtype=np.uint64) * _STEP
_POWERS = [1 << doubling for doubling in range(MOST_ELEMENTS.bit_length())]
_COUNTS = np.zeros(MOST_ELEMENTS + 1, np.bool_)
"""Whether the element of a rank among those of its path, from 0, is the last of a doubling."""
_DOUBLING: Hashes = np.zeros(MOST_ELEMENTS + 1, np.uint64)
"""What such an element adds to the hash of its path."""
for _doubling, _power in enumerate(_POWERS):
    _COUNTS[_power - 1] = True
    _DOUBLING[_power - 1] = _DOUBLINGS[_doubling]


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """The hashed tag paths of a skeleton in ascending order, how often each occurs, and the features made of them."""

    paths: Hashes
    counts: NDArray[np.int64]
    features: Features
    size: int


def mixed(values: Hashes) -> Hashes:
    """Each bit of a value spread over the whole of it; wraps around on purpose."""
    values = values ^ values >> _MIXING[0]
    values *= _MIXING[1]
    values ^= values >> _MIXING[2]
    values *= _MIXING[3]
    values ^= values >> _MIXING[4]
    return values


_PARTS = mixed(np.arange(1, (DEEPEST + 1) * 256 + 1, dtype=np.uint64))
"""For each depth and tag a number; a path is hashed as the sum of the numbers along it."""


def sketch_of(skeleton: Skeleton) -> Sketch:
    """The sketch of a structure."""
    paths, begins = _ascending_paths(skeleton)
    counts = np.empty_like(begins)
    counts[:-1] = begins[1:] - begins[:-1]
    counts[-1] = len(paths) - begins[-1]
    return Sketch(paths[begins], counts, _features(paths, begins), skeleton.size)


def features_of(skeleton: Skeleton) -> Features:
    """The features of a structure alone, where nothing else of its sketch is wanted."""
    return _features(*_ascending_paths(skeleton))


def _ascending_paths(skeleton: Skeleton) -> tuple[Hashes, Places]:
    """The hashed tag path of each element in ascending order, and where each path begins there."""
    paths = _path_of_each(skeleton)
    paths.sort()
    return paths, is_first(paths).nonzero()[0]


def _path_of_each(skeleton: Skeleton) -> Hashes:
    """The hashed tag path of each element: its own part and those of its ancestors.

    Each round adds what the ancestors twice as far up as in the round before have gathered.
    The root is on every path, so its part is added at the end; until then it is its own parent and counts nothing.
    """
    depths = np.frombuffer(skeleton.depths, np.uint8)
    sums, parents = _parts(skeleton, depths), _parents(depths)
    root = sums[0]
    sums[0] = 0
    for _ in range(max(0, int(depths.max()) - 2).bit_length()):
        sums += sums.take(parents, mode="clip")
        parents = parents.take(parents, mode="clip")
    sums += root
    return sums


def _parents(depths: NDArray[np.uint8]) -> Places:
    """Where each element's parent is; the root's is the root.

    A parent stands right before its first child, and the other children follow that one on their
    level: so, level by level, each element has the parent of the last first child up to it.
    """
    by_depth = depths.argsort(kind="stable")
    first_child = np.empty(len(depths), np.bool_)
    first_child[0] = True
    np.greater(depths[1:], depths[:-1], out=first_child[1:])
    last = np.arange(len(depths))
    last *= first_child.take(by_depth)
    np.maximum.accumulate(last, out=last)
    parents = np.empty_like(by_depth)
    parents[by_depth] = by_depth.take(last) - 1
    parents[0] = 0
    return parents


def _parts(skeleton: Skeleton, depths: NDArray[np.uint8]) -> Hashes:
    """The number of each element by its depth and name; foreign names by what they are called."""
    tags = np.frombuffer(skeleton.tags, np.uint8)
    places = depths.astype(np.intp)
    places <<= 8
    places |= tags
    parts: Hashes = _PARTS.take(places)
    if skeleton.names:
        names = np.array([xxhash.xxh64_intdigest(name.encode()) for name in skeleton.names], np.uint64)
        foreign = ((tags >= FIRST_FOREIGN) & (tags != NAMELESS)).nonzero()[0]
        parts[foreign] = mixed(names[tags[foreign] - FIRST_FOREIGN] + depths[foreign].astype(np.uint64) * _STEP)
    return parts


def _features(paths: Hashes, begins: Places) -> Features:
    """Each path, and once more for every doubling of its elements, as ascending distinct numbers of 32 bits.

    A path has 2, 4, 8 elements where its second, fourth, eighth one is.
    """
    ranks = np.arange(len(paths))
    first = np.zeros_like(ranks)
    first[begins] = begins
    ranks -= np.maximum.accumulate(first, out=first)
    counting = _COUNTS.take(ranks, mode="clip").nonzero()[0]
    hashes = paths.take(counting)
    hashes += _DOUBLING.take(ranks.take(counting))
    hashes >>= np.uint64(32)
    features = hashes.astype(np.uint32)
    features.sort()
    return features[is_first(features)][:MOST_FEATURES]


def is_first(ascending: NDArray[Any]) -> NDArray[np.bool_]:
    """For each number whether it is another than the one before it."""
    found = np.empty(len(ascending), np.bool_)
    found[0] = True
    np.not_equal(ascending[1:], ascending[:-1], out=found[1:])
    return found


def in_both(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    """For each number of an array whether it is in another, ascending one, too."""
    return np.asarray(b.take(b.searchsorted(a), mode="clip") == a)


def share(a: Features, b: Features) -> float:
    """The share of features in common among all that either has."""
    both = int(np.count_nonzero(in_both(a, b)))
    return both / (len(a) + len(b) - both)


def likeness(a: Sketch, b: Sketch) -> float:
    """The share of features that two structures have in common: 1.0 for equal ones; ALIKE, SAME_TEMPLATE."""
    return share(a.features, b.features)


def most_matching(a: Sketch, b: Sketch) -> int:
    """An upper bound of the tree matching: the number of elements on tag paths that both have.

    Simple tree matching pairs roots with roots and children of pairs with each other, names being
    equal, so paired elements have equal tag paths, and of each path no more pairs exist than either has elements.
    """
    place = np.minimum(np.searchsorted(b.paths, a.paths), len(b.paths) - 1)
    equal = b.paths[place] == a.paths
    return int(np.minimum(a.counts[equal], b.counts[place[equal]]).sum())


def most_similarity(a: Sketch, b: Sketch) -> float:
    """An upper bound of the similarity by tree matching."""
    return 2 * most_matching(a, b) / (a.size + b.size)


def decided(a: Sketch, b: Sketch, at_least: float = SIMILAR) -> bool | None:
    """Whether the tree matching reaches a similarity, where the sketches alone tell; None where it must be done.

    "No" is certain. "Yes" is an estimate: the bound is so much higher that the matching has always reached it.
    """
    bound = most_similarity(a, b)
    if bound < at_least:
        return False
    return True if bound >= at_least + SURE else None


class Comparison:
    """Says whether structures are similar, by their sketches where these tell and by tree matching where not."""

    def __init__(self, at_least: float = SIMILAR) -> None:
        self.at_least = at_least
        self.by_sketch = self.by_matching = 0
        self._matcher = TreeMatcher()

    def similar(self, a: tuple[Skeleton, Sketch], b: tuple[Skeleton, Sketch]) -> bool:
        """Whether two structures, each with its sketch, reach the similarity."""
        verdict = decided(a[1], b[1], self.at_least)
        if verdict is None:
            self.by_matching += 1
            return self._matcher.similarity(a[0], b[0]) >= self.at_least
        self.by_sketch += 1
        return verdict
