"""Slices of a block of bytes, all at once: a number for each, so that every distinct text is understood only once.

A slice is named by a 64-bit hash with secret random constants, made anew for each
table, so nobody outside can write two texts that collide. The hashes never leave the
process.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Words: TypeAlias = NDArray[np.uint64]
Places: TypeAlias = NDArray[np.int64]

PADDING = 64
"""Bytes that must follow the last slice of a block."""
_WIDTH = 8
_ROUND = _WIDTH * 8
_ODD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
MASKS = np.frombuffer(b"".join(b"\xff" * length + bytes(_ROUND - length) for length in range(_ROUND + 1)), f"V{_ROUND}")
"""For each length, the bytes of a window that belong to the slice."""


def distinct(numbers: Places) -> list[int]:
    """The distinct numbers of an array in which few numbers come again and again."""
    if not len(numbers):
        return []
    changes = np.flatnonzero(numbers[1:] != numbers[:-1]) + 1
    return sorted({int(numbers[0]), *numbers[changes].tolist()})


class SliceHash:
    """Hashes slices with constants of its own."""

    def __init__(self) -> None:
        drawn = np.frombuffer(os.urandom(8 * (_WIDTH + 2)), "<u8")
        self._first, self._factors = drawn[0], drawn[2:] | np.uint64(1)
        self._last = drawn[1] | np.uint64(1)

    def of(self, data: bytes, starts: Places, ends: Places) -> Words:
        """The hash of each slice; the data must go on for PADDING bytes."""
        every = np.ndarray((max(len(data) - _ROUND + 1, 0),), f"V{_ROUND}", data, 0, (1,))
        lengths = ends - starts
        found = self._round(every, starts, np.minimum(lengths, _ROUND), lengths.astype(np.uint64) * _ODD + self._first)
        longer = np.flatnonzero(lengths > _ROUND)
        done = _ROUND
        while len(longer):
            rest = np.minimum(lengths[longer] - done, _ROUND)
            found[longer] = self._round(every, starts[longer] + done, rest, found[longer])
            done += _ROUND
            longer = longer[lengths[longer] > done]
        return found

    def _round(self, every: NDArray[np.void], starts: Places, lengths: Places, before: Words) -> Words:
        words = every[starts].view("<u8")
        words &= MASKS[lengths].view("<u8")
        words = words.reshape(-1, _WIDTH)
        words ^= self._factors
        words *= _ODD
        words ^= words >> _HALF
        return self.mixed(np.einsum("ij,j->i", words, self._factors), before)

    def mixed(self, first: Words, second: Words) -> Words:
        """One hash of two."""
        found: Words = first ^ (second * self._last)
        found ^= found >> _HALF
        found *= _ODD
        found ^= found >> _HALF
        return found

    def one(self, text: bytes) -> int:
        """The hash of one text."""
        return int(self.of(text + bytes(PADDING), np.array([0]), np.array([len(text)]))[0])


class Understood:
    """What distinct texts mean, each asked for once: a number per text, found again by its hash.

    `meaning` is asked for texts that are new here. The table holds at most `most` texts; `clear` forgets them.
    """

    def __init__(self, meaning: Callable[[bytes], int], *, bits: int = 16, most: int = 200_000) -> None:
        self._meaning, self._most = meaning, most
        self._mask = np.uint64((1 << bits) - 1)
        self._hashes = np.zeros(1 << bits, np.uint64)
        self._numbers = np.zeros(1 << bits, np.int64)
        self._known: dict[bytes, int] = {}

    @property
    def is_full(self) -> bool:
        return len(self._known) >= self._most

    def clear(self) -> None:
        """Forget all texts."""
        self._known.clear()
        self._hashes[:] = 0

    def numbers(self, hashes: Words, text: Callable[[int], bytes]) -> Places:
        """The number of each text; `text(place)` gives the text of a place where it is needed."""
        rows = (hashes & self._mask).view(np.int64)
        found = self._numbers[rows]
        unknown = np.flatnonzero(self._hashes[rows] != hashes)
        if len(unknown):
            each, first, which = np.unique(hashes[unknown], return_index=True, return_inverse=True)
            numbers = np.array([self._number(text(place)) for place in unknown[first].tolist()], np.int64)
            found[unknown] = numbers[which.reshape(-1)]
            rows = (each & self._mask).view(np.int64)
            self._hashes[rows], self._numbers[rows] = each, numbers
        return found

    def _number(self, text: bytes) -> int:
        number = self._known.get(text)
        if number is None:
            number = self._meaning(text)
            if not self.is_full:
                self._known[text] = number
        return number
