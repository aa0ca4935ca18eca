"""What a trial is judged by, and how sure we are of it.

All measures follow from the harvest curve: how many relevant pages were found after each
fetched page. Means come with bootstrap intervals; two strategies are compared in pairs, on
the same topic, the same kind of seeds and the same drawing of examples.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

SHARES = (0.05, 0.1, 0.2, 0.5)
"""The parts of the web at which recall is looked at."""
FIRST = (1, 10, 50)
"""Pages are counted until so many relevant ones were found."""
LEVEL = 0.95
RESAMPLES = 4000
_AT_ONCE = 1_000_000
_Case = TypeVar("_Case")

BASELINES = (
    "random", "breadth-first", "depth-first", "indegree", "opic", "pagerank", "hits", "best-first", "best-n-first",
    "fish-search", "shark-search", "infospiders", "context-graph", "link-classifier", "tree-frontier",
    "tag-path-bandit", "parent-score", "parent-mean",
)  # fmt: skip
"""The strategies that others are measured against."""
ORACLE = "oracle"


def harvest_curve(order: Iterable[str], relevant: Collection[str]) -> list[int]:
    """Relevant pages found after each fetched page."""
    found, curve = 0, []
    for url in order:
        found += url in relevant
        curve.append(found)
    return curve


def found_by(curve: Sequence[int], step: int) -> int:
    """Relevant pages found by a step; a crawl that ended before stays at what it had."""
    step = min(step, len(curve))
    return curve[step - 1] if step > 0 else 0


def harvest_rate(curve: Sequence[int]) -> float:
    """The share of fetched pages that are relevant."""
    return curve[-1] / len(curve) if curve else 0.0


def recall(curve: Sequence[int], relevant: int) -> float:
    """The share of all relevant pages that was found."""
    return curve[-1] / relevant if curve and relevant else 0.0


def recall_at(curve: Sequence[int], relevant: int, size: int, budget: int) -> dict[str, float | None]:
    """Recall after parts of a web of `size` pages; None where the budget does not reach so far."""
    found: dict[str, float | None] = {}
    for share in SHARES:
        step = math.ceil(share * size)
        found[f"{share:.0%}"] = found_by(curve, step) / relevant if relevant and step <= budget else None
    return found


def area(curve: Sequence[int], budget: int) -> int:
    """The sum over all steps of the budget of what was found so far; a shorter curve goes on flat."""
    return sum(curve[:budget]) + max(0, budget - len(curve)) * found_by(curve, budget)


def relative_area(curve: Sequence[int], oracle: Sequence[int], budget: int) -> float:
    """The area under a curve, divided by the oracle's; 0 where even the oracle found nothing."""
    most = area(oracle, budget)
    return area(curve, budget) / most if most else 0.0


def pages_until(curve: Sequence[int], wanted: int) -> int | None:
    """How many pages it took to find the first `wanted` relevant ones, or None where it found fewer."""
    if wanted <= 0:
        return 0
    place = int(np.searchsorted(np.asarray(curve, dtype=np.int64), wanted))
    return place + 1 if place < len(curve) else None


def until_first(curve: Sequence[int]) -> dict[str, int | None]:
    """Pages until the first few relevant ones."""
    return {str(wanted): pages_until(curve, wanted) for wanted in FIRST}


class Interval(msgspec.Struct, frozen=True):
    """A mean, where it lies with 95 % confidence, and of how many values it is."""

    mean: float
    low: float
    high: float
    number: int

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def mean_interval(values: Sequence[float], seed: int = 0) -> Interval:
    """The mean with its bootstrap interval (percentiles of resampled means)."""
    if not values:
        return Interval(0.0, 0.0, 0.0, 0)
    given = np.asarray(values, dtype=np.float64)
    means = _resampled_means(given, np.random.default_rng(seed))
    outside = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(means, [outside, 100 - outside])
    return Interval(float(given.mean()), float(low), float(high), len(given))


def _resampled_means(values: npt.NDArray[np.float64], rng: np.random.Generator) -> npt.NDArray[np.float64]:
    rows = max(1, _AT_ONCE // len(values))
    parts = []
    for begin in range(0, RESAMPLES, rows):
        drawn = rng.integers(0, len(values), (min(rows, RESAMPLES - begin), len(values)))
        parts.append(values[drawn].mean(axis=1))
    return np.concatenate(parts)


def paired_difference(ours: Mapping[_Case, float], theirs: Mapping[_Case, float], seed: int = 0) -> Interval:
    """The mean of ours minus theirs over the cases both have, with its paired bootstrap interval."""
    shared = [case for case in ours if case in theirs]
    return mean_interval([ours[case] - theirs[case] for case in shared], seed)


def best_of(values: Mapping[str, float], among: Collection[str] = BASELINES) -> str:
    """The name with the highest value among some, or '' where there is none of them."""
    there = [name for name in values if name in among]
    return max(there, key=lambda name: (values[name], name)) if there else ""


def gain(ours: float, theirs: float) -> float | None:
    """How much better ours is, as a share of theirs; None where theirs is nothing."""
    return ours / theirs - 1 if theirs > 0 else None
