"""What sample pages of one template have in common, and how much of it another page has.

Pages of one template differ in length, so being like one sample says little; but
what all samples have is the template, and what none of them has speaks against it.
Features are weighed by how rare they are among the pages of the crawl that are near:
the frame of a site, which all its pages share, then counts for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lycosa.pages.structure.sketch import Features, in_both

ONE_TEMPLATE = 0.5
"""Samples that share so much of the smaller of them are taken together."""
SAMPLES_COUNT = 10.0
"""The samples count as so many of the pages that were found to be like them."""
COMMON = 0.7
"""Share of the pages of a template that have what is common to it."""
KNOWN = 0.05
"""Share of the pages of a template that have what is known of it."""
SLOT_BITS = 18
"""Features are told apart by so many bits, so that tables of them have a fixed size."""

Slots: TypeAlias = NDArray[np.uint32]
Table: TypeAlias = NDArray[np.float32]


def slots_of(features: Features) -> Slots:
    """The features of a page as places in tables."""
    return features >> np.uint32(32 - SLOT_BITS)


def even_weights() -> Table:
    """Every feature counts the same: nothing is known of other pages yet."""
    return np.ones(1 << SLOT_BITS, np.float32)


class Likeness(NamedTuple):
    """Of what is common to a template, the share that a page has; of what the page has, the share that is known."""

    has: float
    known: float

    @property
    def value(self) -> float:
        """Their geometric mean, the first counted twice: a page may have more than its template demands."""
        return float(np.cbrt(self.has * self.has * self.known))


class SampleTemplate:
    """Some sample pages of one template, seen through the weights of features."""

    def __init__(
        self, samples: Sequence[Slots], weights: Table, like: Sequence[Slots] = (), very_like: Sequence[Slots] = ()
    ) -> None:
        """Pages found to be like the samples widen what is known; only those very like them change what is common."""
        self._weights = weights
        shares = _shares(samples, very_like)
        self._common = np.where(shares >= COMMON, weights * shares * shares, 0).astype(np.float32)
        self._known = np.where(_shares(samples, like) >= KNOWN, weights, 0).astype(np.float32)
        self._total = max(float(self._common.sum()), 1e-6)

    def likeness(self, page: Slots) -> Likeness:
        """How like a page is to the samples."""
        has, known, all_of_it = (float(table[page].sum()) for table in (self._common, self._known, self._weights))
        return Likeness(min(1.0, has / self._total), known / max(all_of_it, 1e-6))

    def likenesses(self, pages: Slots, begins: NDArray[np.int64]) -> NDArray[np.float64]:
        """The values of many pages at once, which lie one behind the other."""
        tables = (self._common, self._known, self._weights)
        has, known, all_of_it = (np.add.reduceat(table[pages], begins).astype(np.float64) for table in tables)
        return np.asarray(np.cbrt(np.minimum(1, has / self._total) ** 2 * known / np.maximum(all_of_it, 1e-6)))


def _shares(samples: Sequence[Slots], others: Sequence[Slots]) -> Table:
    """The share of pages that have each feature, over the samples and the pages found to be like them."""
    found = np.zeros(1 << SLOT_BITS, np.float32)
    for sample in samples:
        found[sample] += SAMPLES_COUNT / len(samples)
    if others:
        found += np.bincount(np.concatenate(others), minlength=1 << SLOT_BITS)
    return np.asarray(np.minimum(found / (SAMPLES_COUNT + len(others)), 1), np.float32)


def one_template_each(samples: Sequence[Features]) -> list[list[int]]:
    """The numbers of the samples that belong together, told by how much they share with the first of them."""
    found: list[list[int]] = []
    for number, sample in enumerate(samples):
        for together in found:
            first = samples[together[0]]
            if np.count_nonzero(in_both(sample, first)) >= ONE_TEMPLATE * min(len(sample), len(first)):
                together.append(number)
                break
        else:
            found.append([number])
    return found
