"""What a page's visitors do says what the page is worth to them: page weights by frequent sets of actions (M13).

The actions of one visitor on one day are a transaction. There are 15 actions, so a
transaction is a number below 32768 and a page is known by how many visitors had each
set. Such counts add up, so the weights are incremental: nobody is ever read twice. All
supports together are one superset sum over the actions that are frequent by themselves,
which is Apriori's own pruning; so a page takes less than a millisecond, however many
visited it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from lycosa.click_records import Action, actions_of
from lycosa.records import Record, Score

ACTIONS = len(Action)
ALL_SETS = 1 << ACTIONS
LEAST_SUPPORT = 0.2
LEAST_CONFIDENCE = 0.6
MOST_QUERIES = 20
MOST_SETS = 20
MOST_CONFIDENCES = 62
"""So many sets and confidences are kept to explain a weight; the weight itself counts all of them."""
_ROUNDING = 1e-9
Numbers = NDArray[np.int64]
_SIZES: Numbers = np.array([bits.bit_count() for bits in range(ALL_SETS)], np.int64)


class Confidence(Record, frozen=True):
    """How often those who did a part of a set did all of it. `number` is how many did that part."""

    bits: int
    number: int
    value: float
    counted: bool


class LargestSet(Record, frozen=True):
    """One of the largest sets of actions that are frequent, how many did it, and what it adds to the weight."""

    bits: int
    number: int
    weight: float
    confidences: tuple[Confidence, ...] = ()


class PageWeight(Record, frozen=True):
    """A page's weight. `least` is the number of visitors from which a set is frequent, `size` that of the largest.

    There may be more largest sets (`number`) than are told in `sets`.
    """

    value: float = 0.0
    visitors: int = 0
    least: int = 0
    size: int = 0
    number: int = 0
    sets: tuple[LargestSet, ...] = ()

    def score(self) -> Score:
        """The weight with its reasons."""
        return Score(self.value, self.why(), tuple(map(_explained, self.sets)) if self.size > 1 else ())

    def why(self) -> str:
        """In words."""
        if not self.visitors:
            return "nobody's actions are known here"
        bar = f"{self.least} of {self.visitors} visitors"
        if self.size < 2:
            return f"no two actions were done together by at least {bar}"
        plural = "s" if self.number > 1 else ""
        return f"{self.number} largest set{plural} of {self.size} actions, each done by at least {bar}"


def _explained(found: LargestSet) -> Score:
    parts = tuple(
        Score(each.value if each.counted else 0.0, _confidence_told(found, each)) for each in found.confidences
    )
    return Score(found.weight, f"{named(found.bits)}: done by {found.number}", parts)


def _confidence_told(found: LargestSet, each: Confidence) -> str:
    told = f"{found.number} of {each.number} who did {named(each.bits)} did all of it"
    return told if each.counted else f"{told}; {each.value:.0%} is too few to count"


def named(bits: int) -> str:
    """A set of actions in words."""
    return " + ".join(action.name.lower() for action in actions_of(bits)) or "nothing"


# -- counting ---------------------------------------------------------------------------------------


def counted(transactions: Sequence[Collection[int]]) -> dict[int, int]:
    """How many transactions, each the actions of one visitor, have each set of actions (as bits)."""
    lengths = np.fromiter(map(len, transactions), np.int64, len(transactions))
    flat = np.fromiter(chain.from_iterable(transactions), np.int64, int(lengths.sum()))
    if flat.size and (int(flat.min()) < 1 or int(flat.max()) > ACTIONS):
        raise ValueError(f"actions are numbers from 1 to {ACTIONS}")
    found = np.zeros(len(transactions), np.int64)
    filled = lengths > 0
    if flat.size:
        begins = (np.cumsum(lengths) - lengths)[filled]
        found[filled] = np.bitwise_or.reduceat(np.int64(1) << (flat - 1), begins)
    return counted_bits(found)


def counted_bits(transactions: Numbers) -> dict[int, int]:
    """The same for sets that are bits already."""
    numbers = np.bincount(transactions, minlength=ALL_SETS)
    return {int(bits): int(numbers[bits]) for bits in np.flatnonzero(numbers)}


def supports(sets: Mapping[int, int]) -> Numbers:
    """By every set of actions, how many visitors did all of it: place 0 has all visitors."""
    numbers = np.zeros(ALL_SETS, np.int64)
    bits, times = _columns(sets)
    np.add.at(numbers, bits, times)
    return _superset_sums(numbers)


def _columns(sets: Mapping[int, int]) -> tuple[Numbers, Numbers]:
    bits = np.fromiter(sets.keys(), np.int64, len(sets))
    times = np.fromiter(sets.values(), np.int64, len(sets))
    good = (bits >= 0) & (bits < ALL_SETS) & (times > 0)
    return bits[good], times[good]


def _superset_sums(numbers: Numbers) -> Numbers:
    """Each set gets the sum over all sets that contain it, in place."""
    for place in range(numbers.size.bit_length() - 1):
        halves = numbers.reshape(-1, 2, 1 << place)
        halves[:, 0] += halves[:, 1]
    return numbers


# -- weighing ---------------------------------------------------------------------------------------


def page_weight(
    sets: Mapping[int, int], least_support: float = LEAST_SUPPORT, least_confidence: float = LEAST_CONFIDENCE
) -> PageWeight:
    """The weight of a page from how many visitors had each set of actions (`PageClicks.sets`).

    It is the sum of the confidences that reach the minimum, over all proper parts of all largest frequent sets.
    """
    bits, times = _columns(sets)
    visitors = int(times.sum())
    least = max(1, math.ceil(least_support * visitors - _ROUNDING * visitors))
    alone = times @ (bits[:, None] >> np.arange(ACTIONS) & 1)
    frequent: list[int] = np.flatnonzero(alone >= least).tolist()
    if not visitors or not frequent:
        return PageWeight(visitors=visitors, least=least if visitors else 0)
    numbers = np.zeros(1 << len(frequent), np.int64)
    np.add.at(numbers, _packed(bits, frequent), times)
    _superset_sums(numbers)
    sizes = np.where(numbers >= least, _SIZES[: numbers.size], 0)
    size = int(sizes.max())
    largest = np.flatnonzero(sizes == size)
    if size < 2:
        told = tuple(LargestSet(_unpacked(int(each), frequent), int(numbers[each]), 0.0) for each in largest)
        return PageWeight(0.0, visitors, least, size, len(largest), told)
    weighed = _weighed(numbers, largest, size, least_confidence)
    told = tuple(_told(each, frequent, numbers, least_confidence) for each in weighed[:MOST_SETS])
    return PageWeight(math.fsum(value for _, value in weighed), visitors, least, size, len(largest), told)


def _packed(bits: Numbers, frequent: Sequence[int]) -> Numbers:
    """Sets of all actions as sets of the frequent ones only."""
    found = np.zeros_like(bits)
    for new, old in enumerate(frequent):
        found |= (bits >> old & 1) << new
    return found


def _unpacked(packed: int, frequent: Sequence[int]) -> int:
    return sum(1 << old for new, old in enumerate(frequent) if packed >> new & 1)


def _parts(largest: Numbers, size: int) -> Numbers:
    """For each set of that size (a row) all its parts but nothing and itself."""
    places = np.nonzero(largest[:, None] >> np.arange(ACTIONS) & 1)[1].reshape(-1, size)
    chosen = np.arange(1, (1 << size) - 1)[:, None] >> np.arange(size) & 1
    return (np.int64(1) << places) @ chosen.T


def _weighed(numbers: Numbers, largest: Numbers, size: int, least_confidence: float) -> list[tuple[int, float]]:
    """The largest sets with what each adds to the weight, those that add most first."""
    values = numbers[largest][:, None] / numbers[_parts(largest, size)]
    sums = np.where(values >= least_confidence - _ROUNDING, values, 0.0).sum(axis=1)
    found = zip(largest.tolist(), sums.tolist(), strict=True)
    return sorted(found, key=lambda pair: (-pair[1], -int(numbers[pair[0]]), pair[0]))


def _told(weighed: tuple[int, float], frequent: Sequence[int], numbers: Numbers, least_confidence: float) -> LargestSet:
    packed, weight = weighed
    number = int(numbers[packed])
    parts = _parts(np.array([packed]), packed.bit_count())[0].tolist()
    parts.sort(key=lambda part: (int(numbers[part]), part.bit_count(), part))
    confidences = []
    for part in parts[:MOST_CONFIDENCES]:
        value = number / int(numbers[part])
        counts = value >= least_confidence - _ROUNDING
        confidences.append(Confidence(_unpacked(part, frequent), int(numbers[part]), value, counts))
    return LargestSet(_unpacked(packed, frequent), number, weight, tuple(confidences))


def most_asked(queries: Mapping[str, int], most: int = MOST_QUERIES) -> list[str]:
    """The most frequent queries, the most frequent first."""
    return sorted(queries, key=lambda query: (-queries[query], query))[:most]
