"""Naive Bayes over hashed terms, for all strategies that tell texts apart by their words.

Samples are bags: places of terms, each with a weight. Many bags are handled at
once, behind each other in two arrays, so learning and judging are a few native
steps however many there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Places: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float32]

SMOOTHING = 0.1
"""What every place counts before anything was seen there."""


class Bags:
    """Many bags of weighted places, behind each other."""

    def __init__(self, places: Sequence[Places], weights: Sequence[Floats] | None = None) -> None:
        self.sizes = np.fromiter(map(len, places), np.int64, len(places))
        self.places = np.concatenate(places) if places else np.empty(0, np.int32)
        self.weights = np.concatenate(weights) if weights else np.ones(len(self.places), np.float32)

    def __len__(self) -> int:
        return len(self.sizes)

    def sums(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """For each bag the sum of the values of its members."""
        owners = np.repeat(np.arange(len(self)), self.sizes)
        return np.bincount(owners, values, len(self)).astype(np.float64)


class NaiveBayes:
    """Classes numbered from 0, all as likely before a text is read; one without samples is never likely.

    What was counted for a class is scaled down to the smallest class, so that a word
    nobody has seen speaks for none of them.
    """

    def __init__(self, bags: Bags, classes: npt.NDArray[np.int64], number: int, places: int) -> None:
        flat = np.repeat(classes, bags.sizes) * places + bags.places
        counts = np.bincount(flat, bags.weights, number * places).astype(np.float64).reshape(number, places)
        totals = counts.sum(axis=1)
        filled = totals > 0
        self._empty = ~filled & filled.any()
        scales = totals[filled].min(initial=np.inf) / np.where(filled, totals, np.inf) if filled.any() else totals
        logs = np.log(counts * scales[:, None] + SMOOTHING)
        self._logs = (logs - logs.mean(axis=0)).astype(np.float32)

    def likelihoods(self, bags: Bags) -> npt.NDArray[np.float64]:
        """A row per bag, a column per class: the logarithm of its likelihood, up to what all classes share."""
        found = np.empty((len(bags), len(self._logs)))
        for number, logs in enumerate(self._logs):
            found[:, number] = bags.sums(logs[bags.places].astype(np.float64) * bags.weights)
        found[:, self._empty] = -np.inf
        return found

    def posteriors(self, bags: Bags) -> npt.NDArray[np.float64]:
        """A row per bag, a column per class; rows add up to 1."""
        logs = self.likelihoods(bags)
        logs -= logs.max(axis=1, keepdims=True, initial=-np.inf)
        powers: npt.NDArray[np.float64] = np.exp(logs)
        powers /= powers.sum(axis=1, keepdims=True)
        return powers
