"""The seen-set's memory: a bounded cache in front of the store, with a count of how often each URL was met (M9).

A URL that was only put is a newcomer: there are few of those, and most are never
met again, so they must not push out what is. One that is met joins two generations
that stand in for least-recently-used order: what is asked for moves into the young
one; when that is full the old one is forgotten, but for some URLs that were met
often, which stay for as many turns as their count can be halved. A URL maps to the
priority it waits with, or to `SETTLED` when no better judgement can change
anything. A URL that is not here is looked for on disk. A million entries with URLs
of 60 characters take 200 MB.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import islice

import msgspec

from lycosa.records import Score

SETTLED = math.inf
OFTEN = 4
"""How often a URL must have been met to outlive its generation."""
MOST_COUNTED = 255
"""Meetings beyond so many do not let a URL stay for longer."""
NEWCOMERS = 32
"""This fraction of memory is for newcomers: so little that the processor's cache holds it."""


class Seen(msgspec.Struct, gc=False):
    """What is remembered of a URL that was met: the priority it waits with, and how often it was met."""

    priority: float
    times: int = 1


class SeenUrls:
    """The URLs met most recently and most often, and what they wait with."""

    def __init__(self, most: int) -> None:
        most = max(3, most)
        self._most_new = max(1, most // NEWCOMERS)
        self._most_young = (most - self._most_new) // 2
        self._new: dict[str, float] = {}
        self._young: dict[str, Seen] = {}
        self._old: dict[str, Seen] = {}
        self.hits = 0
        self.misses = 0

    def __len__(self) -> int:
        return len(self._new) + len(self._young) + len(self._old)

    def get(self, url: str) -> float | None:
        """A URL was met: the priority it waits with, SETTLED, or None where memory does not know it."""
        found = self._young.get(url) or self._joined(url)
        if found is None:
            self.misses += 1
            return None
        self.hits += 1
        found.times += 1
        return found.priority

    def _joined(self, url: str) -> Seen | None:
        """A URL that is not young is met, and so is young from now on, if memory knows it."""
        found = self._old.pop(url, None)
        if found is None:
            priority = self._new.pop(url, None)
            if priority is None:
                return None
            found = Seen(priority)
        self._enter(url, found)
        return found

    def unsettled(self, urls: Sequence[str], scores: Iterable[Score], gain: float) -> list[int]:
        """URLs were met and judged: the places of those that memory does not know, or that wait with less by `gain`."""
        found: list[int] = []
        known = list(map(self._young.get, urls))
        for place, (seen, score) in enumerate(zip(known, scores, strict=True)):
            if seen is None:
                waits_with = self.get(urls[place])
                if waits_with is None or waits_with + gain < score.value:
                    found.append(place)
            else:
                seen.times += 1
                if seen.priority + gain < score.value:
                    found.append(place)
        self.hits += len(known) - known.count(None)
        return found

    def peek(self, url: str) -> float | None:
        """The same for a URL that was not met, only asked about."""
        found = self._young.get(url) or self._old.get(url)
        return self._new.get(url) if found is None else found.priority

    def times(self, url: str) -> int:
        """How often a URL was met, as far as memory goes."""
        found = self._young.get(url) or self._old.get(url)
        return int(url in self._new) if found is None else found.times

    def put(self, url: str, priority: float, *, met: bool = False) -> None:
        """Remember a URL; one that is known elsewhere and was `met` now is no newcomer."""
        found = self._young.get(url) or self._old.get(url)
        if found is not None:
            found.priority = priority
        elif met:
            self._new.pop(url, None)
            self._enter(url, Seen(priority))
        else:
            self._new[url] = priority
            if len(self._new) > self._most_new:
                self._new = dict(islice(self._new.items(), len(self._new) // 2 + 1, None))

    def _enter(self, url: str, seen: Seen) -> None:
        if len(self._young) >= self._most_young:
            self._turn()
        self._young[url] = seen

    def _turn(self) -> None:
        """Forget the old generation, but for some of what was met often."""
        often = [(url, seen) for url, seen in self._old.items() if seen.times >= OFTEN]
        self._old, self._young = self._young, dict(islice(often, self._most_young // 4))
        for seen in self._young.values():
            seen.times = min(seen.times, MOST_COUNTED) // 2
