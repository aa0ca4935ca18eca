"""The seen-set's memory: a bounded cache in front of the store.

Two generations stand in for least-recently-used order: what is asked for moves
into the young one; when that is full the old one is forgotten. A URL maps to the
priority it waits with, or to `SETTLED` when no better judgement can change
anything. About 250 bytes an entry, its text included.
"""

from __future__ import annotations

import math

SETTLED = math.inf


class SeenUrls:
    """The most recently seen URLs and what they wait with."""

    def __init__(self, most: int) -> None:
        self._most = max(2, most)
        self._young: dict[str, float] = {}
        self._old: dict[str, float] = {}
        self.hits = 0
        self.misses = 0

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def get(self, url: str) -> float | None:
        """The priority a URL waits with, SETTLED, or None where memory does not know it."""
        found = self._young.get(url)
        if found is None:
            found = self._old.pop(url, None)
            if found is None:
                self.misses += 1
                return None
            self.put(url, found)
        self.hits += 1
        return found

    def put(self, url: str, priority: float) -> None:
        """Remember a URL."""
        if len(self._young) >= self._most // 2:
            self._old, self._young = self._young, {}
        self._young[url] = priority
