"""Which sketches may be near a sketch: those that agree with it in one of a few bands of bins.

A band is five bins, 20 bits, and each band has a table of buckets with eight places.
A bucket holds the sketches whose band falls into it; a full one turns others away, which
costs a sketch one of its bands and keeps the cost of a look bounded whatever is crawled.
Each table grows by itself, an eighth at a time and never two at once, so that growing
never holds up a crawl for long and little room lies idle.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lycosa.duplicates.text_sketch import Words

BANDS = 12
PLACES = 8
"""Sketches in a bucket at most."""
FULLEST = 0.9
"""A table grows before more of its places are taken."""
GROWTH = 1.12
MOST_BUCKETS = 1 << 20
"""As many as a band has values: enough for six million sketches; beyond that buckets fill up."""
_SMALLEST = 1024

Rows: TypeAlias = NDArray[np.uint32]

_BITS = np.uint64(20)
_MASK = np.uint64(MOST_BUCKETS - 1)
_HALF = np.uint64(32)
_WORD = np.arange(BANDS) // 3
_SHIFT = (np.arange(BANDS) % 3).astype(np.uint64) * _BITS


class Buckets(NamedTuple):
    """The buckets of a sketch, one of each table, to be changed; and the rows + 1 that were in them, 0 where none."""

    places: list[Rows]
    rows: Rows


class SketchBands:
    """Rows of sketches by their bands. What is kept of a sketch is its row, the number it has elsewhere."""

    def __init__(self) -> None:
        sizes = [int(_SMALLEST * GROWTH ** (band / BANDS)) for band in range(BANDS)]
        self._tables: list[Rows] = [np.zeros((size, PLACES), np.uint32) for size in sizes]
        self._sizes = np.array(sizes, np.uint64)
        self._room = _room(self._sizes)
        self._held = 0

    @property
    def bytes_held(self) -> int:
        """The memory that the tables take."""
        return sum(table.nbytes for table in self._tables)

    def buckets(self, sketch: Words) -> Buckets:
        """The bucket of a sketch in each table; good until one of them grows."""
        values = sketch.take(_WORD)
        values >>= _SHIFT
        values &= _MASK
        values *= self._sizes
        values >>= _BITS
        places = [table[place] for table, place in zip(self._tables, values.tolist(), strict=True)]
        return Buckets(places, np.concatenate(places))

    def put(self, row: int, buckets: Buckets) -> None:
        """Make a sketch findable."""
        free = buckets.rows.reshape(BANDS, PLACES).argmin(axis=1).tolist()
        for bucket, place in zip(buckets.places, free, strict=True):
            if not bucket[place]:
                bucket[place] = row + 1
        self._held += 1

    def drop(self, row: int, buckets: Buckets) -> None:
        """Make a sketch that was put here unfindable."""
        for bucket in buckets.places:
            bucket[bucket == row + 1] = 0
        self._held -= 1

    def is_crowded(self) -> bool:
        """Whether a table should grow before more is put here."""
        return self._held > self._room

    def grow(self, rows: Rows, sketches: Words) -> None:
        """Give the smallest table more room. `rows` are all that is held, as numbers of `sketches`."""
        self._build(int(self._sizes.argmin()), GROWTH, rows, sketches)

    def fill(self, rows: Rows, sketches: Words) -> None:
        """Hold these rows and no others, in tables that suit their number."""
        self._held = len(rows)
        needed = self._held / (FULLEST * PLACES * int(self._sizes.min()))
        for band in range(BANDS):
            self._build(band, max(1.0, needed), rows, sketches)

    def _build(self, band: int, growth: float, rows: Rows, sketches: Words) -> None:
        """Make a band's table anew; of those in too small a bucket the first rows stay."""
        size = min(MOST_BUCKETS, int(self._sizes[band] * growth) + 1)
        values = sketches[rows, _WORD[band]]
        values >>= _SHIFT[band]
        values &= _MASK
        values *= np.uint64(size)
        values >>= _BITS
        values <<= _HALF
        values |= rows
        values.sort()
        places, ranks = (values >> _HALF).astype(np.int64), np.arange(len(rows))
        ranks -= np.maximum.accumulate(np.where(np.diff(places, prepend=-1) > 0, ranks, 0))
        seated = ranks < PLACES
        table: Rows = np.zeros((size, PLACES), np.uint32)
        table[places[seated], ranks[seated]] = values[seated].astype(np.uint32) + np.uint32(1)
        self._tables[band], self._sizes[band] = table, size
        self._room = _room(self._sizes)


def candidates(buckets: Buckets) -> Rows:
    """The rows in some buckets, some of them more than once."""
    return buckets.rows[buckets.rows > 0] - np.uint32(1)


def _room(sizes: Words) -> float:
    """How many sketches there may be until the smallest table must grow."""
    smallest = int(sizes.min())
    return FULLEST * PLACES * smallest if smallest < MOST_BUCKETS else math.inf
