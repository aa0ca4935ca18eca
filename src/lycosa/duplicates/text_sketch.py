"""What a page says, in 65 bytes: enough to tell how much of it another page says too.

The word pairs of a text fall into 128 bins by their hashes, and of the smallest hash
of each bin four bits are kept (one-permutation MinHash). The share of equal bins
estimates the Jaccard similarity of the pairs, within 0.04 for a text of some length.
A text with few different pairs has no room for such an estimate: all its bins are made
of its digest, so it equals only itself. How many bins were filled is kept beside them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
import xxhash
from numpy.typing import NDArray

from lycosa.duplicates.shingles import lettered, pairs

BINS = 128
SKETCH_BYTES = BINS // 2 + 1
NEAR = 0.6
"""From this similarity on, two long texts are near-duplicates. A tenth of all words changed leaves 0.7; different
articles of one encyclopedia about twin subjects reach 0.5."""
NEAR_IF_SHORT = 0.8
"""The same for short texts: of pages made by filling in a form, two thirds may be equal."""
FEWEST_FILLED = 44
"""With fewer bins filled, as some 54 different pairs do it, a text equals only itself."""
SHORT_FILLED = 72
"""With at most so many bins filled (105 pairs) a text is short."""
LONG_FILLED = 118
"""With at least so many bins filled (330 pairs) a text is long; what is asked of those between lies between."""

Words: TypeAlias = NDArray[np.uint64]
"""The bins of a sketch as eight numbers, or of many sketches as rows of eight."""

_EDGES = np.arange(BINS, dtype=np.uint32) << np.uint32(25)
_UPPER = np.uint64(32)
"""The upper half of a hash counts; its four lowest bits, below what makes it the smallest, are kept."""
_CHANCE = 1 / 16
"""Two bins of four bits are equal by chance so often."""
_ONES = np.uint64(0x1111111111111111)
_SUM = np.uint64(0x0101010101010101)


def sketch_of(text: str) -> bytes:
    """The sketch of a text. Equal texts have equal sketches, whatever machine made them."""
    in_order = (pairs(text) >> _UPPER).astype(np.uint32)
    in_order.sort()
    begins = in_order.searchsorted(_EDGES)
    filled = np.empty(BINS, np.bool_)
    np.less(begins[:-1], begins[1:], out=filled[:-1])
    filled[-1] = begins[-1] < len(in_order)
    count = int(np.count_nonzero(filled))
    if count < FEWEST_FILLED:
        return bytes([count]) + _digest(text)
    if count < BINS:
        begins = begins[_lenders(filled)]
    bins = in_order[begins].astype(np.uint8) & np.uint8(15)
    return bytes([count]) + (bins[0::2] | bins[1::2] << np.uint8(4)).tobytes()


def _digest(text: str) -> bytes:
    """As many bytes as the bins of a sketch have, all depending on every word."""
    words = b" ".join(lettered(text).split())
    return b"".join(xxhash.xxh3_128_digest(words, seed) for seed in range(BINS // 32))


def _lenders(filled: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Which bin each bin has its value of: itself, or the first filled one it asks."""
    lenders = np.arange(BINS)
    empty = np.flatnonzero(~filled)
    asked = _lending_orders()[empty]
    lenders[empty] = asked[np.arange(len(empty)), filled[asked].argmax(axis=1)]
    return lenders


@lru_cache(maxsize=1)
def _lending_orders() -> NDArray[np.uint8]:
    """For each bin the order in which it asks the others for a value when it is empty."""
    return np.array([np.random.RandomState(number).permutation(BINS) for number in range(BINS)], np.uint8)


def is_wordless(sketch: bytes) -> bool:
    """Whether the text had no words at all; such a page is like no other."""
    return not sketch[0]


def words_of(sketch: bytes) -> Words:
    """The bins of a sketch as numbers."""
    return np.frombuffer(sketch, "<u8", offset=1)


def equal_bins(sketches: Words, sketch: Words) -> Words:
    """How many bins of each of many sketches are those of one sketch."""
    apart = sketches ^ sketch
    apart |= apart >> np.uint64(2)
    apart |= apart >> np.uint64(1)
    apart &= _ONES
    by_word: Words = np.bitwise_count(apart).view(np.uint64)[:, 0]
    return np.uint64(BINS) - (by_word * _SUM >> np.uint64(56))


def similarity(a: bytes, b: bytes) -> float:
    """The estimated share of word pairs that two texts have in common, of all that either has."""
    if is_wordless(a) or is_wordless(b):
        return 0.0
    equal = float(equal_bins(words_of(a)[None], words_of(b))[0])
    return max(0.0, (equal / BINS - _CHANCE) / (1 - _CHANCE))


def near(a: bytes, b: bytes) -> bool:
    """Whether two texts are near-duplicates, as far as their sketches tell."""
    return bool(equal_bins(words_of(a)[None], words_of(b))[0] >= max(NEEDED[a[0]], NEEDED[b[0]]))


def _needed() -> NDArray[np.uint8]:
    """For each number of filled bins how many must be equal; without words more than there are."""
    filled = np.arange(BINS + 1)
    wanted = np.interp(filled, [SHORT_FILLED, LONG_FILLED], [NEAR_IF_SHORT, NEAR])
    wanted[:FEWEST_FILLED] = 1.0
    needed = np.ceil(BINS * (_CHANCE + (1 - _CHANCE) * wanted)).astype(np.uint8)
    needed[0] = BINS + 1
    return needed


NEEDED = _needed()
"""For each number of filled bins how many bins must be equal in near-duplicates; the shorter text decides."""
