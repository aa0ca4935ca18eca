"""Tells of most new URLs that they are new, without a look at the disk.

There is a bit for everything that a fingerprint can begin with, set where a known
URL's begins so. Of ten million URLs one new one in fourteen finds its bit set by
another; it is looked for on disk like those that are known. However many URLs there
are, this takes 16 MB, and helps the less the more there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np

BITS = 27
"""How many bits of a fingerprint are looked at."""
FEWEST = 16
"""Fewer keys are looked for on disk sooner than here."""


class KnownBits:
    """Fingerprints that are not known, as far as their beginnings tell."""

    def __init__(self) -> None:
        self._bytes = np.zeros(1 << (BITS - 3), np.uint8)

    def put(self, keys: Sequence[bytes], at: int) -> None:
        """Take note of keys, all of one length, in which fingerprints begin at a place."""
        if keys:
            places, bits = _bits(keys, at)
            np.bitwise_or.at(self._bytes, places, bits)

    def perhaps(self, keys: Sequence[bytes], at: int) -> Sequence[bytes]:
        """The keys that may be known; all others are not."""
        if len(keys) < FEWEST:
            return keys
        places, bits = _bits(keys, at)
        return list(compress(keys, (self._bytes[places] & bits).tolist()))


def _bits(keys: Sequence[bytes], at: int) -> tuple[Any, Any]:
    """Where the bits of fingerprints are: their bytes, and the bit of each byte."""
    beginning = np.dtype({"names": ["beginning"], "formats": [">u4"], "offsets": [at], "itemsize": len(keys[0])})
    found = np.frombuffer(b"".join(keys), beginning)["beginning"].astype(np.uint32) >> np.uint32(32 - BITS)
    return found >> np.uint32(3), np.left_shift(np.uint8(1), (found & np.uint32(7)).astype(np.uint8))
