"""Tells of most new URLs that they are new, without a look at the disk.

A fingerprint stands for four bits of one word of memory; where one of them is not
set, the URL is new. Of ten million URLs one new one in a hundred finds its bits set by
others; it is looked for on disk like those that are known. However many URLs there
are, this takes 16 MB, and helps the less the more there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np

WORDS = 21
"""How many bits of a fingerprint tell the word."""
BITS = 4
"""How many bits of a word a fingerprint stands for; six of its own bits tell each."""
FEWEST = 16
"""Fewer keys are looked for on disk sooner than here."""


class KnownBits:
    """Fingerprints that are not known, as far as their beginnings tell."""

    def __init__(self) -> None:
        self._words = np.zeros(1 << WORDS, np.uint64)

    def put(self, keys: bytes, length: int, at: int) -> None:
        """Take note of keys, all of one length and one behind the other, in which fingerprints begin at a place."""
        words, bits = _places(keys, length, at)
        np.bitwise_or.at(self._words, words, bits)

    def perhaps(self, keys: Sequence[bytes], at: int) -> Sequence[bytes]:
        """The keys that may be known; all others are not."""
        if len(keys) < FEWEST:
            return keys
        words, bits = _places(b"".join(keys), len(keys[0]), at)
        return list(compress(keys, (self._words[words] & bits == bits).tolist()))


def _places(keys: bytes, length: int, at: int) -> tuple[Any, Any]:
    """Where the bits of fingerprints are: their words, and the bits of each word."""
    within = np.dtype({"names": ["fingerprint"], "formats": [">u8"], "offsets": [at], "itemsize": length})
    prints = np.frombuffer(keys, within)["fingerprint"].astype(np.uint64)
    bits = np.zeros(len(prints), np.uint64)
    for number in range(BITS):
        bits |= np.uint64(1) << (prints >> np.uint64(6 * number) & np.uint64(63))
    return prints >> np.uint64(64 - WORDS), bits
