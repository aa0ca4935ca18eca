"""Finds the few structures that may be like a given one without looking at the others.

A signature is the smallest hash of a structure's features under each of 64 hash
functions; the share of equal places in two signatures estimates their likeness.
Two neighbouring places make a band, and structures with an equal band are
candidates: all bands lie in one sorted array. What was added lately is not sorted
in yet and is simply compared, so that adding stays cheap.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lycosa.pages.structure.sketch import Features, is_first, mixed

HASHES = 64
BANDS = HASHES // 2
CROWDED = 512
"""A band that so many structures share says nothing about them."""
FEWEST_UNSORTED = 256

Signature: TypeAlias = NDArray[np.uint32]
Glances: TypeAlias = NDArray[np.uint8]
_FACTORS = (mixed(np.arange(1, HASHES + 1, dtype=np.uint64)) | np.uint64(1))[:, None]
_BANDS = mixed(np.arange(1, BANDS + 1, dtype=np.uint64))
_ONES = np.array([number.bit_count() for number in range(1 << 16)], np.uint8)
"""How many bits of a number of 16 bits are set."""
_EACH_BYTE = np.uint32(0x01010101)
"""Times this, the highest byte of a number is the sum of its four bytes."""


def signature_of(features: Features) -> Signature:
    """The smallest hash of the features under each function."""
    smallest = (_FACTORS * features.astype(np.uint64)).min(axis=1)
    return np.asarray(smallest >> np.uint64(32), np.uint32)


def glance_of(signature: Signature) -> Glances:
    """One byte of each place, which is enough to compare."""
    return signature.astype(np.uint8)


def _bands(signature: Signature) -> NDArray[np.uint64]:
    wide = signature.astype(np.uint64)
    return mixed((wide[0::2] << np.uint64(32) | wide[1::2]) ^ _BANDS)


class GlanceTable:
    """Rows of glances in one growing matrix."""

    def __init__(self, rows: Glances | None = None) -> None:
        self._rows: Glances = np.zeros((0, HASHES), np.uint8) if rows is None else rows
        self.length = len(self._rows)

    def add(self, glance: Glances) -> int:
        """The number of the new row."""
        if self.length == len(self._rows):
            more = np.zeros((max(64, self.length), HASHES), np.uint8)
            self._rows = np.concatenate([self._rows, more])
        self._rows[self.length] = glance
        self.length += 1
        return self.length - 1

    def estimates(self, glance: Glances, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """The estimated likeness of some rows."""
        return self.agreements(glance, rows) / HASHES

    def agreements(self, glance: Glances, rows: NDArray[np.int64]) -> Glances:
        """In how many places some rows are equal to a glance: bits are counted by sixteen, and four counts added."""
        equal = np.packbits(self._rows.take(rows, axis=0) == glance, axis=1).view(np.uint16)
        counts = _ONES.take(equal).view(np.uint32)[:, 0]
        counts *= _EACH_BYTE
        counts >>= np.uint32(24)
        return counts.astype(np.uint8)

    def written(self, rows: NDArray[np.int64]) -> bytes:
        """Some rows as bytes."""
        return self._rows[rows].tobytes()


class Neighbours:
    """Structures numbered from 0 in the order of their coming, and which of them may be like another."""

    def __init__(self) -> None:
        self._glances = GlanceTable()
        self._keys: NDArray[np.uint64] = np.zeros(0, np.uint64)
        self._owners: NDArray[np.int64] = np.zeros(0, np.int64)
        self._unsorted: list[NDArray[np.uint64]] = []

    def add(self, signature: Signature) -> int:
        """The number of the new structure."""
        self._unsorted.append(_bands(signature))
        if len(self._unsorted) > max(FEWEST_UNSORTED, self._glances.length // 16):
            self._sort_in()
        return self._glances.add(glance_of(signature))

    def _sort_in(self) -> None:
        first = self._glances.length + 1 - len(self._unsorted)
        owners = np.repeat(np.arange(first, self._glances.length + 1), BANDS)
        keys = np.concatenate([self._keys, *self._unsorted])
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._owners = np.concatenate([self._owners, owners])[order]
        self._unsorted = []

    def near(self, signature: Signature, most: int, at_least: float) -> list[int]:
        """The structures whose estimated likeness is highest, best first."""
        candidates = self._candidates(signature)
        agreements = self._glances.agreements(glance_of(signature), candidates)
        enough = (agreements >= at_least * HASHES).nonzero()[0]
        order = np.argsort(HASHES - agreements.take(enough), kind="stable")[:most]
        found: list[int] = candidates.take(enough.take(order)).tolist()
        return found

    def _candidates(self, signature: Signature) -> NDArray[np.int64]:
        """Those that have a band in common, once each, and those not sorted in yet."""
        bands = _bands(signature)
        bands.sort()
        begins = self._keys.searchsorted(bands)
        lengths = self._keys.searchsorted(bands, side="right") - begins
        lengths *= lengths <= CROWDED
        ends = lengths.cumsum()
        late = np.arange(self._glances.length - len(self._unsorted), self._glances.length)
        if not ends[-1]:
            return late
        places = np.arange(ends[-1])
        places += (begins + lengths - ends).repeat(lengths)
        owners = self._owners.take(places)
        owners.sort()
        return np.concatenate([owners[is_first(owners)], late])
