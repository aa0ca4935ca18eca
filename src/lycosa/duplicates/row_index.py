"""Which row a key has: a table of numbers in some six bytes a key, where a dictionary would take a hundred.

A row stands where its key's hash says or at the first free place behind. Taking a key out
moves up what stands behind it, so no dead places pile up however often pages come and go.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FULLEST = 0.8
GROWTH = 1.2
_SMALLEST = 1024
_TAIL = 512
"""Places behind the last one, so that nothing wraps around."""
_STEP = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


class RowNumbers:
    """Rows by their keys. The keys themselves are in an array that the owner keeps, one for each row."""

    def __init__(self) -> None:
        self._size = _SMALLEST
        self._places = np.zeros(_SMALLEST + _TAIL, np.uint32)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def bytes_held(self) -> int:
        """The memory that the table takes."""
        return self._places.nbytes

    def find(self, key: int, keys: NDArray[np.uint64]) -> int | None:
        """The row of a key, or None."""
        place = self._place(key, keys)
        row = int(self._places[place])
        return row - 1 if row else None

    def put(self, key: int, row: int, keys: NDArray[np.uint64]) -> None:
        """Note the row of a new key; the key is in `keys` already."""
        place = self._place(key, keys)
        self._places[place] = row + 1
        self._count += 1
        if self._count > FULLEST * self._size or place >= self._size + _TAIL - 2:
            rows = self._places[self._places > 0] - np.uint32(1)
            self.fill(rows, keys, int(self._size * GROWTH))

    def drop(self, key: int, keys: NDArray[np.uint64]) -> None:
        """Forget a key that has a row."""
        hole = self._place(key, keys)
        place = hole + 1
        while row := int(self._places[place]):
            if self._home(int(keys[row - 1])) <= hole:
                self._places[hole], hole = row, place
            place += 1
        self._places[hole] = 0
        self._count -= 1

    def fill(self, rows: NDArray[np.uint32], keys: NDArray[np.uint64], size: int = _SMALLEST) -> None:
        """Hold these rows and no others."""
        self._size = max(size, int(len(rows) / FULLEST) + 1)
        while True:
            homes = self._homes(keys[rows])
            order = homes.argsort(kind="stable")
            count = np.arange(len(rows))
            places = np.maximum.accumulate(homes[order] - count) + count
            if not len(rows) or places[-1] < self._size + _TAIL - 2:
                break
            self._size = int(self._size * GROWTH)
        self._places = np.zeros(self._size + _TAIL, np.uint32)
        self._places[places] = rows[order] + np.uint32(1)
        self._count = len(rows)

    def _home(self, key: int) -> int:
        return (((key ^ key >> 32) * _STEP & _MASK) >> 32) * self._size >> 32

    def _homes(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The same for many keys at once."""
        half = np.uint64(32)
        spread = (keys ^ keys >> half) * np.uint64(_STEP) >> half
        return (spread * np.uint64(self._size) >> half).astype(np.int64)

    def _place(self, key: int, keys: NDArray[np.uint64]) -> int:
        """Where a key is, or the free place where it would be."""
        place = self._home(key)
        while (row := int(self._places[place])) and int(keys[row - 1]) != key:
            place += 1
        return place
