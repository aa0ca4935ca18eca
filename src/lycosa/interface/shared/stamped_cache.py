"""What takes long to read, kept at hand: read again when it has changed, but only after a rest.

A store of millions of records cannot be read for every look at a page. What was read
rests as many times longer as the reading took, so a small store is always fresh and a
large one takes a small share of the machine. Whoever asks meanwhile gets what is there.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

PATIENCE = 20.0
MOST_KEPT = 16
Read = TypeVar("Read")


@dataclass(slots=True)
class _Reading:
    """One thing that was read: as it was at `stamp`, at rest until a moment."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    stamp: object = None
    until: float = 0.0
    value: Any = None
    there: bool = False


class Readings:
    """Things that were read, by key; the least recently used go first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[Hashable, _Reading] = OrderedDict()
        self._one_by_one = threading.Lock()

    def get(self, key: Hashable, stamp: object, read: Callable[[], Read]) -> Read:
        """What is known under a key; `stamp` tells whether it has changed since."""
        with self._one_by_one:
            kept = self._kept.setdefault(key, _Reading())
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        with kept.lock:
            if not kept.there or (stamp != kept.stamp and self._clock() >= kept.until):
                began = self._clock()
                kept.value = read()
                now = self._clock()
                kept.stamp, kept.until, kept.there = stamp, now + PATIENCE * (now - began), True
            found: Read = kept.value
        return found

    def drop(self) -> None:
        """Forget everything: somebody removed what was read."""
        with self._one_by_one:
            self._kept.clear()


readings = Readings()
"""Those of this process."""
