"""What a strategy knows about URLs, within bounds: a crawl meets more of them than memory holds.

Two generations stand in for age: when the young one is full, the old one is
forgotten. Reading changes nothing, so a scorer may ask while it judges.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Remembered(Generic[Key, Value]):
    """A mapping that holds the latest `most` entries at most, and at least half as many."""

    def __init__(self, most: int) -> None:
        self._half = max(1, most // 2)
        self._young: dict[Key, Value] = {}
        self._old: dict[Key, Value] = {}

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def __contains__(self, key: object) -> bool:
        return key in self._young or key in self._old

    def get(self, key: Key) -> Value | None:
        """What was put there last, or None."""
        found = self._young.get(key)
        return self._old.get(key) if found is None else found

    def get_all(self, keys: Iterable[Key]) -> list[Value | None]:
        """The same for each of many."""
        young, old = self._young, self._old
        if old:
            return [young[key] if key in young else old.get(key) for key in keys]
        return [young.get(key) for key in keys]

    def put(self, key: Key, value: Value) -> None:
        """Remember, in place of what was known."""
        self._old.pop(key, None)
        if key not in self._young and len(self._young) >= self._half:
            self._old, self._young = self._young, {}
        self._young[key] = value

    def pop(self, key: Key) -> Value | None:
        """Forget, and tell what was known."""
        found = self._young.pop(key, None)
        return self._old.pop(key, None) if found is None else found
