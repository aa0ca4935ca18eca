"""Elias delta (C2): whole numbers from 1 as bits, small numbers in few of them, many lists decoded side by side.

A code of n: let N = floor(log2 n) and M = floor(log2(N + 1)); M zeros, then N + 1
in M + 1 bits, then the lowest N bits of n. Where a code begins is known only after
reading the one before it, so decoding is sequential by nature. It is made parallel
by marks: the place of the first code of every list and of every 32nd code in it.
All marked runs are then read at once, one code of each per step. Every code fits a
window of 64 bits, whose first eleven bits tell its whole shape.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Words = NDArray[np.uint64]

LARGEST = 2**53 - 1
"""Up to here a double holds every number, and every code fits 64 bits."""
RUN = 32
"""Codes between two marks: more make the marks smaller, and decoding slower."""
_HEAD = 11
_ONE = np.uint64(1)


def _shapes() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """For the first eleven bits of a window: the bits before the lowest bits of n, and the number of those (N)."""
    before, lowest = np.zeros(1 << _HEAD, np.uint8), np.zeros(1 << _HEAD, np.uint8)
    for bits in range(1 << (_HEAD - 6), 1 << _HEAD):
        zeros = _HEAD - bits.bit_length()
        before[bits] = 2 * zeros + 1
        lowest[bits] = (bits >> (_HEAD - 2 * zeros - 1)) - 1
    return before, lowest


_BEFORE, _LOWEST = _shapes()


def bits_of(number: int) -> str:
    """The code of one number, as zeros and ones."""
    if not 1 <= number <= LARGEST:
        raise ValueError(f"{number} has no code here; numbers go from 1 to {LARGEST}")
    lowest = number.bit_length() - 1
    zeros = (lowest + 1).bit_length() - 1
    tail = f"{number - (1 << lowest):0{lowest}b}" if lowest else ""
    return "0" * zeros + f"{lowest + 1:b}" + tail


def numbers_of(bits: str) -> list[int]:
    """The numbers in a string of zeros and ones."""
    found, at = [], 0
    while at < len(bits):
        one = bits.find("1", at)
        head = 2 * one - at + 1
        lowest = int(bits[one:head] or "0", 2) - 1
        if one < 0 or head + lowest > len(bits):
            raise ValueError(f"the bits end inside a code, at bit {at}")
        found.append(int("1" + bits[head : head + lowest], 2))
        at = head + lowest
    return found


@dataclass(frozen=True, slots=True)
class Coded:
    """Lists of numbers, one after another, as bits; `marks[firsts[k]]` is where list k begins."""

    words: Words
    bits: int
    lengths: Numbers
    firsts: Numbers
    marks: NDArray[np.uint32]

    @property
    def size(self) -> int:
        """Bytes of the codes and their marks."""
        return -(-self.bits // 8) + self.marks.nbytes

    def string(self) -> str:
        """All bits, for people and tests."""
        raw = np.unpackbits(self.words.astype(">u8").view(np.uint8))
        return "".join(map(str, raw[: self.bits].tolist()))


def coded(numbers: Iterable[int] | Numbers, lengths: Iterable[int] | Numbers | None = None) -> Coded:
    """Code numbers; `lengths` cuts them into lists (default: one list)."""
    values = np.asarray(numbers if isinstance(numbers, np.ndarray) else list(numbers), np.int64)
    cut = np.asarray([len(values)] if lengths is None else lengths, np.int64)
    if int(cut.sum()) != len(values) or (cut < 0).any():
        raise ValueError(f"the lists hold {int(cut.sum())} numbers, but there are {len(values)}")
    if len(values) and not (int(values.min()) >= 1 and int(values.max()) <= LARGEST):
        raise ValueError(f"only numbers from 1 to {LARGEST} have a code here")
    lowest = _floor_log2(values)
    zeros = _floor_log2(lowest + 1)
    ends = np.cumsum(2 * zeros + 1 + lowest)
    total = int(ends[-1]) if len(values) else 0
    if total >= 1 << 32:
        raise ValueError("more than 512 MiB of codes; cut the lists into several parts")
    begins = np.append(0, ends[:-1]) if len(values) else ends
    runs = -(-cut // RUN)
    heads = np.repeat(np.cumsum(cut) - cut, runs) + RUN * _places(runs)
    marks = begins[heads].astype(np.uint32) if len(values) else np.zeros(0, np.uint32)
    return Coded(_placed(values, lowest, zeros, begins, total), total, cut, np.cumsum(runs) - runs, marks)


def _floor_log2(values: Numbers) -> Numbers:
    """Exact, as a double holds every number up to LARGEST."""
    exponent: Numbers = np.frexp(values.astype(np.float64))[1].astype(np.int64) - 1
    return exponent


def _places(lengths: Numbers) -> Numbers:
    """0, 1, 2, … within each of some lists laid end to end."""
    return np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _placed(values: Numbers, lowest: Numbers, zeros: Numbers, begins: Numbers, total: int) -> Words:
    """The codes' bits in words, the first bit highest, with two words to spare for windows."""
    words = np.zeros((total >> 6) + 3, np.uint64)
    told = ((lowest + 1) << lowest) | (values - (1 << lowest))
    left = told.astype(np.uint64) << (63 - zeros - lowest).astype(np.uint64)
    at = begins + zeros
    word, shift = at >> 6, (at & 63).astype(np.uint64)
    np.add.at(words, word, left >> shift)
    np.add.at(words, word + 1, (left << _ONE) << (np.uint64(63) - shift))
    return words


def decoded(codes: Coded, lists: Numbers | None = None) -> Numbers:
    """The numbers of some lists (default: all), laid end to end."""
    chosen = np.arange(len(codes.lengths)) if lists is None else np.asarray(lists, np.int64)
    lengths = codes.lengths[chosen]
    runs = -(-lengths // RUN)
    place = _places(runs)
    at = codes.marks[np.repeat(codes.firsts[chosen], runs) + place].astype(np.int64)
    sizes = np.minimum(np.repeat(lengths, runs) - RUN * place, RUN)
    return _read_runs(codes.words, at, sizes)


def _read_runs(words: Words, at: Numbers, sizes: Numbers) -> Numbers:
    """Read all runs side by side; the longer ones come first, so those still going are always a slice."""
    order = np.argsort(-sizes, kind="stable")
    at, sizes = at[order], sizes[order]
    found = np.empty(int(sizes.sum()), np.int64)
    into = _begins(sizes, order)
    going = np.searchsorted(-sizes, -np.arange(RUN), side="left")
    for step in range(int(sizes[0]) if len(sizes) else 0):
        number = int(going[step])
        at = at[:number]
        window = _windows(words, at)
        head = window >> np.uint64(64 - _HEAD)
        before, lowest = _BEFORE[head].astype(np.uint64), _LOWEST[head].astype(np.uint64)
        tail = ((window << before) >> _ONE) >> (np.uint64(63) - lowest)
        found[into[:number] + step] = ((_ONE << lowest) | tail).view(np.int64)
        at = at + (before + lowest).view(np.int64)
    return found


def _begins(sizes: Numbers, order: Numbers) -> Numbers:
    """Where each run of the sorted order goes in the answer."""
    given = np.empty_like(sizes)
    given[order] = sizes
    return (np.cumsum(given) - given)[order]


def _windows(words: Words, at: Numbers) -> Words:
    word, shift = at >> 6, (at & 63).astype(np.uint64)
    found: Words = (words[word] << shift) | ((words[word + 1] >> _ONE) >> (np.uint64(63) - shift))
    return found
