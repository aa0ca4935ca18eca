"""The word pairs of a text as numbers, found natively: what near-duplicates are told by.

A word here is a run of letters and digits, ASCII letters in lower case. Some scripts do
without spaces: a letter of three bytes or more in UTF-8 begins a word of its own, which
is as much as is found in eight bytes. Everything happens on the bytes of the text at once, since turning a page
into a list of strings would cost more than all the rest of finding its duplicates.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

LONGEST = 1_000_000
"""Characters of a text that count; what is behind them is not looked at."""

Hashes: TypeAlias = NDArray[np.uint64]

_SPACE = 32
_TWO_BYTES = 0xDF
_SIGNS = 0xE2
"""The first byte of dashes, quotation marks and arrows; they are parts of words."""
_SPACELESS = (0xE0, 0xE1)
"""The first bytes of the scripts of South and South-East Asia; those of East Asia are larger than any other."""
_REACH = 8
_MARGIN = b" " * _REACH
_LETTERS = bytes(
    (code | 32 if 65 <= code <= 90 else code) if code > 127 or chr(code).isalnum() else _SPACE for code in range(256)
)
_FRONT = np.array([(1 << 8 * min(length, _REACH)) - 1 for length in range(_REACH + 1)], np.uint64)
_A, _B, _C = (np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_HALF = np.uint64(32)


def pairs(text: str) -> Hashes:
    """A number for each two words that follow each other, in their order; its upper half is evenly spread."""
    words = _words(lettered(text))
    if len(words) < 2:
        return _spread(words)
    found: Hashes = words[:-1] * _B
    found += words[1:]
    return _spread(found)


def lettered(text: str) -> bytes:
    """The text in UTF-8 and in lower case, all that is no letter or digit turned into spaces."""
    return text[:LONGEST].encode("utf-8", "surrogatepass").translate(_LETTERS)


def _words(text: bytes) -> Hashes:
    """A number for each word, made of its first eight bytes and its length."""
    data = b"".join((_MARGIN, text, _MARGIN))
    starts, ends = _bounds(data)
    ends -= starts
    eights: Hashes = np.ndarray((len(data) - _REACH + 1,), "<u8", data, strides=(1,))
    found: Hashes = eights[starts]
    found &= _FRONT.take(ends, mode="clip")
    found += ends.view(np.uint64)
    found *= _A
    found ^= found >> _HALF
    return found


def _bounds(text: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where words begin and where they end."""
    data = np.frombuffer(text, np.uint8)
    inside = data != _SPACE
    if text.isascii() or not (data.max() > _SIGNS or any(map(text.__contains__, _SPACELESS))):
        edges = np.flatnonzero(inside[1:] != inside[:-1])
        edges += 1
        return edges[::2], edges[1::2]
    outside, opens = ~inside, (data > _TWO_BYTES) & (data != _SIGNS)
    starts = np.flatnonzero(inside[1:] & (outside[:-1] | opens[1:])) + 1
    ends = np.flatnonzero(inside[:-1] & (outside[1:] | opens[1:])) + 1
    alone = np.flatnonzero(opens[starts])
    spaces = np.flatnonzero(outside)
    ends[alone] = np.minimum(starts[alone] + _REACH, spaces[spaces.searchsorted(starts[alone])])
    return starts, ends


def _spread(values: Hashes) -> Hashes:
    """The bits of each value spread upwards: the upper half depends on all of it. Wraps around on purpose."""
    values ^= values >> _HALF
    values *= _C
    return values
