"""From which likeness on a page matches the samples: between the pages that match and those nearest to them.

Two templates of one site share its frame, so a fixed limit would either let the other
template in or leave long pages of the wanted one out. The pages that the crawl has met
fall into two heaps by their likeness, and the limit is where the heaps are most apart
(Otsu's rule); before there are pages, what the heaps usually look like stands for them.
Pages of other sites are not near the samples, and no contrast.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from lycosa.scoring.pages.sample_template import SLOT_BITS, Likeness, SampleTemplate, Slots, Table, even_weights

MOST_KEPT = 400
"""Pages that the limit is drawn from; of more, a fair sample."""
FIRST_TIME = 4
GROWTH = 1.25
"""The limit is drawn anew when so many times the pages have been met,"""
RARELY = 1_000
"""and at least after so many."""
NEAR = 0.2
"""The likeness, all features counted the same, of pages that could be taken for the template."""
ROUNDS = 4
MOST_WEIGHT = 2.0
"""The natural logarithm of how rare a feature may be: beyond that, rarer ones count no more."""
MATCHING_SHARE = 0.25
"""Pages that match are counted as a quarter of the others at most, however well the crawl goes."""
USUAL = np.repeat([0.3, 0.9], 10)
"""Likenesses of pages of neighbouring templates and of the same template, as they usually are."""
LENIENT = 0.9
"""The share of it that is the limit: pages of a template vary more than their neighbours do."""
SURELY = 0.3
"""Pages so far between the limit and 1 are very like the samples."""
FIRST_LIMIT = 0.85
"""With all features counted the same, pages share the frame of their site: a strict limit to begin with."""


class Contrast:
    """The likeness to samples of one template, and the limit of it."""

    def __init__(self, samples: Sequence[Slots], random: Random) -> None:
        self._samples, self._random = samples, random
        self._plain = SampleTemplate(samples, even_weights())
        self._template, self.limit = self._plain, FIRST_LIMIT
        self._kept: list[Slots] = []
        self.met = 0
        self._next = FIRST_TIME

    def likeness(self, page: Slots) -> Likeness:
        """How like a page is to the samples."""
        return self._template.likeness(page)

    def meet(self, page: Slots) -> None:
        """A page of the crawl."""
        if self._plain.likeness(page).value < NEAR:
            return
        self.met += 1
        if len(self._kept) < MOST_KEPT:
            self._kept.append(page)
        elif (place := self._random.randrange(self.met)) < MOST_KEPT:
            self._kept[place] = page
        if self.met >= self._next:
            self._next = min(int(self.met * GROWTH) + 1, self.met + RARELY)
            self._draw_limit()

    def _draw_limit(self) -> None:
        """Weights depend on the limit, and the limit on the weights: begin strictly, go on until it stays."""
        lengths = np.array([len(page) for page in self._kept])
        pages, begins = np.concatenate(self._kept), np.cumsum(lengths) - lengths
        self._template, self.limit = self._plain, FIRST_LIMIT
        before = None
        for _ in range(ROUNDS):
            found = self._template.likenesses(pages, begins)
            matching = found >= self.limit
            surely = found >= self.limit + SURELY * (1 - self.limit)
            if before is not None and np.array_equal(matching, before):
                return
            before = matching
            like = [self._kept[place] for place in np.flatnonzero(matching)]
            very_like = [self._kept[place] for place in np.flatnonzero(surely)]
            weights = _weights(pages, lengths, matching)
            self._template = SampleTemplate(self._samples, weights, like, very_like)
            self.limit = LENIENT * between_heaps(self._template.likenesses(pages, begins))


def _weights(pages: Slots, lengths: NDArray[np.int64], matching: NDArray[np.bool_]) -> Table:
    """How rare each feature is among pages, those that match counted less where they are many."""
    many = int(np.count_nonzero(matching))
    others = len(matching) - many
    counted = min(1.0, MATCHING_SHARE * max(others, 1) / max(many, 1))
    shares = np.repeat(np.where(matching, counted, 1.0), lengths)
    found = np.bincount(pages, shares, 1 << SLOT_BITS)
    number = others + counted * many
    rarity = np.log((number + 2) / (np.minimum(found, number) + 1))
    return np.minimum(rarity, MOST_WEIGHT).astype(np.float32)


def between_heaps(found: NDArray[np.float64]) -> float:
    """The limit that leaves two heaps of likenesses most apart."""
    heap = np.sort(np.concatenate([found, USUAL]))
    below, sums = np.arange(1, len(heap)), np.cumsum(heap)
    above = len(heap) - below
    apart = sums[:-1] / below - (sums[-1] - sums[:-1]) / above
    place = int(np.argmax(below * above * apart * apart))
    return float((heap[place] + heap[place + 1]) / 2)
