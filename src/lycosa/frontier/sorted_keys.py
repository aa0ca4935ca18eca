"""A sorted set of keys that stays quick when it is large: short sorted lists, one after the other.

A single sorted list moves half of itself for every key that comes or goes; here
only a short list moves, and a long one is cut in two.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

LONGEST_RUN = 512


class OrderedKeys:
    """Keys in sorted order."""

    __slots__ = ("_ends", "_runs")

    def __init__(self) -> None:
        self._runs: list[list[bytes]] = []
        self._ends: list[bytes] = []
        """The last key that each run had when it was cut: a key belongs into the first run whose end is not before."""

    def __iter__(self) -> Iterator[bytes]:
        for run in self._runs:
            yield from run

    def update(self, keys: Iterable[bytes]) -> None:
        """Put keys in."""
        for key in keys:
            place = bisect_left(self._ends, key)
            if place == len(self._runs):
                if not place:
                    self._runs.append([])
                    self._ends.append(key)
                else:
                    place -= 1
                    self._ends[place] = key
            self._insert(place, key)

    def _insert(self, place: int, key: bytes) -> None:
        run = self._runs[place]
        within = bisect_left(run, key)
        if within < len(run) and run[within] == key:
            return
        run.insert(within, key)
        if len(run) > LONGEST_RUN:
            half = LONGEST_RUN // 2
            self._runs[place : place + 1] = [run[:half], run[half:]]
            self._ends.insert(place, run[half - 1])

    def discard(self, key: bytes) -> None:
        """Take a key out, where it is in."""
        place = bisect_left(self._ends, key)
        if place == len(self._runs):
            return
        run = self._runs[place]
        within = bisect_left(run, key)
        if within < len(run) and run[within] == key:
            del run[within]
            if not run:
                del self._runs[place], self._ends[place]
