"""Slices of a block of bytes, all at once: a number for each, so that every distinct text is understood only once.

A slice is named by a 64-bit hash with secret random constants, made anew for each
table, so nobody outside can write two texts that collide. The hashes never leave the
process.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Words: TypeAlias = NDArray[np.uint64]
Places: TypeAlias = NDArray[np.int64]
Bytes: TypeAlias = bytes | bytearray

PADDING = 192
"""Bytes that must follow the last slice of a block."""
_WORD = 8
_ROUND = 128
_AT_ONCE = 4096
"""Slices whose windows fit into a core's cache."""
_ODD = np.uint64(0x9E3779B97F4A7C15)
_ONE, _HALF = np.uint64(1), np.uint64(32)
NARROW = 16
"""Bytes of a narrow window, which holds most addresses."""


def _masks(width: int) -> NDArray[np.void]:
    """For each length, the bytes of a window that belong to the slice."""
    each = (b"\xff" * length + bytes(width - length) for length in range(width + 1))
    return np.frombuffer(b"".join(each), f"V{width}")


_MASKS = {width: _masks(width) for width in (_WORD, NARROW, _ROUND // 2, _ROUND)}


def number_of(text: bytes) -> int:
    """The number that a few bytes are in a word."""
    return int.from_bytes(text, "little")


def windows(data: Bytes, width: int, starts: Places) -> Words:
    """The bytes from each place on, as words: one row for each place."""
    every = np.ndarray((max(len(data) - width + 1, 0),), f"V{width}", data, 0, (1,))
    return every[starts].view("<u8").reshape(-1, width // 8)


def slices(data: Bytes, width: int, starts: Places, lengths: Places) -> Words:
    """The same, with zeros after the end of each slice; none is longer than `width`."""
    found = windows(data, width, starts)
    found &= _MASKS[width].take(lengths).view("<u8").reshape(found.shape)
    return found


def distinct(numbers: Places) -> list[int]:
    """The distinct numbers of an array in which few numbers come again and again."""
    if not len(numbers):
        return []
    changes = np.flatnonzero(numbers[1:] != numbers[:-1]) + 1
    return sorted({int(numbers[0]), *numbers[changes].tolist()})


def in_order(hashes: Words) -> Places:
    """The places of hashes in their order; those of a hash as they come.

    The lowest bits make room for the place, so that numbers are sorted and nothing else. Should two hashes differ in
    no other bits, they are sorted the slow way.
    """
    place = np.uint64((1 << len(hashes).bit_length()) - 1)
    keys = hashes & ~place
    keys |= np.arange(len(hashes), dtype=np.uint64)
    keys.sort()
    found: Places = (keys & place).view(np.int64)
    each = hashes.take(found)
    alike = (each[1:] ^ each[:-1]) - _ONE < place
    return np.argsort(hashes, kind="stable") if alike.any() else found


class Groups(NamedTuple):
    """The distinct hashes of an array in their order, where each comes first, and which of them each hash is."""

    each: Words
    first: Places
    which: Places


def grouped(hashes: Words) -> Groups:
    """What is distinct among hashes."""
    order = in_order(hashes)
    by_order = hashes.take(order)
    begins = np.ones(len(hashes), bool)
    np.not_equal(by_order[1:], by_order[:-1], out=begins[1:])
    which = np.empty(len(hashes), np.int64)
    which[order] = np.cumsum(begins) - 1
    firsts = np.flatnonzero(begins)
    return Groups(by_order.take(firsts), order.take(firsts), which)


class SliceHash:
    """Hashes slices with constants of its own.

    Every half word has a random factor, and the sum is taken modulo 2**64. Two texts of a length, whoever chose them,
    differ in a half word, so they meet with a chance of 2**-33 at most, and with 2**-64 if it is an odd difference.
    """

    def __init__(self) -> None:
        drawn = np.frombuffer(os.urandom(16), "<u8")
        self._first, self._last = drawn[0], drawn[1] | _ONE
        self._factors: Words = np.zeros((2, 0), np.uint64)

    def of(self, data: bytes, starts: Places, ends: Places) -> Words:
        """The hash of each slice; the data must go on for PADDING bytes."""
        found = np.empty(len(starts), np.uint64)
        for place in range(0, len(starts), _AT_ONCE):
            some = slice(place, place + _AT_ONCE)
            found[some] = self._of(data, starts[some], ends[some] - starts[some])
        return found

    def _of(self, data: bytes, starts: Places, lengths: Places) -> Words:
        longest = int(lengths.max())
        done = NARROW if longest <= NARROW else _ROUND if 2 * lengths.sum() > _ROUND * len(lengths) else _ROUND // 2
        found = self._sums(slices(data, done, starts, np.minimum(lengths, done)), 0)
        found += lengths.view(np.uint64) * self._last
        while done < longest:
            longer = np.flatnonzero(lengths > done)
            rest = np.minimum(lengths.take(longer) - done, _ROUND)
            found[longer] += self._sums(slices(data, _ROUND, starts.take(longer) + done, rest), done // _WORD)
            done += _ROUND
        found += self._first
        return _stirred(found)

    def _sums(self, words: Words, first: int) -> Words:
        """Words of zeros change nothing, so a slice may stand in windows of any width."""
        last = first + words.shape[1]
        while last > self._factors.shape[1]:
            more = np.frombuffer(os.urandom(2 * _ROUND * _WORD), "<u8").reshape(2, -1)
            self._factors = np.concatenate((self._factors, more), axis=1)
        lower, upper = self._factors[:, first:last]
        found: Words = words @ lower
        words >>= _HALF
        found += words @ upper
        return found

    def mixed(self, first: Words, second: Words) -> Words:
        """One hash of two."""
        return _stirred(first ^ (second * self._last))

    def one(self, text: bytes) -> int:
        """The hash of one text."""
        return int(self.of(text + bytes(PADDING), np.array([0]), np.array([len(text)]))[0])


def _stirred(hashes: Words) -> Words:
    """Bits from above carried to those below; different hashes stay different."""
    hashes ^= hashes >> _HALF
    hashes *= _ODD
    hashes ^= hashes >> _HALF
    return hashes


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
        found: Places = self._numbers.take(rows)
        unknown = np.flatnonzero(self._hashes.take(rows) != hashes)
        if len(unknown):
            each, first, which = grouped(hashes.take(unknown))
            numbers = np.array([self._number(text(place)) for place in unknown[first].tolist()], np.int64)
            found[unknown] = numbers.take(which)
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
