"""The seen-set's memory: a bounded cache in front of the store.

Two generations stand in for least-recently-used order: what is asked for moves
into the young one; when that is full the old one is forgotten. A key maps to the
priority the URL waits with, or to `SETTLED` when no better judgement can change
anything. About 170 bytes an entry.
"""

from __future__ import annotations

import math

SETTLED = math.inf


class SeenUrls:
    """The most recently seen URL keys and what they wait with."""

    def __init__(self, most: int) -> None:
        self._most = max(2, most)
        self._young: dict[bytes, float] = {}
        self._old: dict[bytes, float] = {}
        self.hits = 0
        self.misses = 0

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def get(self, key: bytes) -> float | None:
        """The priority a URL waits with, SETTLED, or None where memory does not know it."""
        found = self._young.get(key)
        if found is None:
            found = self._old.pop(key, None)
            if found is None:
                self.misses += 1
                return None
            self.put(key, found)
        self.hits += 1
        return found

    def put(self, key: bytes, priority: float) -> None:
        """Remember a URL."""
        if len(self._young) >= self._most // 2:
            self._old, self._young = self._young, {}
        self._young[key] = priority
