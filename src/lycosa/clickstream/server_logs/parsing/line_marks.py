"""Where the lines of a block end and where their quotes are, found in one pass over the bytes.

Both are kept as one list of places, in order: between the ends of two lines stand the
quotes of the second one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lycosa.clickstream.server_logs.parsing.byte_slices import Places

_NEWLINE, _QUOTE = 10, 34
_STRETCH = 1 << 17
"""Bytes that are looked at together: they fit into a core's cache."""


@dataclass(slots=True, frozen=True)
class LineMarks:
    """Places of ends and quotes; `last` says which of them are ends."""

    places: Places
    last: Places

    @property
    def ends(self) -> Places:
        """Where lines end."""
        return self.places.take(self.last)

    @property
    def first(self) -> Places:
        """For each line, which mark is the first of its quotes; its end where it has none."""
        return after(self.last)


class MarkFinder:
    """Finds the marks of blocks; the room it needs is used again for the next block."""

    def __init__(self, *, quotes: bool) -> None:
        self._quotes = quotes
        self._sought, self._more = np.empty(_STRETCH, bool), np.empty(_STRETCH, bool)

    def find(self, raw: NDArray[np.uint8]) -> LineMarks:
        """The marks of a block; without quotes where nobody asks for them."""
        stretches = range(0, max(len(raw), 1), _STRETCH)
        found = [self._places(raw[start : start + _STRETCH], start) for start in stretches]
        places, are_ends = (np.concatenate(each) for each in zip(*found, strict=True))
        return LineMarks(places, np.flatnonzero(are_ends))

    def _places(self, raw: NDArray[np.uint8], start: int) -> tuple[Places, NDArray[np.bool_]]:
        sought = np.equal(raw, _NEWLINE, out=self._sought[: len(raw)])
        if self._quotes:
            sought |= np.equal(raw, _QUOTE, out=self._more[: len(raw)])
        found = np.flatnonzero(sought)
        are_ends: NDArray[np.bool_] = raw.take(found) == _NEWLINE
        found += start
        return found, are_ends


def after(ends: Places) -> Places:
    """What comes next after each end but the last, and 0 for the first."""
    found = np.zeros_like(ends)
    np.add(ends[:-1], 1, out=found[1:])
    return found
