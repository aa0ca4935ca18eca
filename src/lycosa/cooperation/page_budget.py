"""One budget of pages for all agents of a crawl.

Each agent has a slot in a small shared file: pages fetched plus pages on their
way. An agent sends out another request only while the sum is below the budget; it
counts and reserves under the file's lock, so that two agents never take the last page
both. A dead agent's slot is corrected when it starts again.
"""

from __future__ import annotations

import fcntl
import mmap
from pathlib import Path

import numpy as np

_SLOT = np.dtype("<i8")
_MOST_AGENTS = 256


class Budget:
    """An agent's view of the shared budget; 0 pages means no limit."""

    def __init__(self, pages: int, own: int = 0, fetched: int = 0, path: Path | None = None) -> None:
        self.pages = pages
        self._own = own
        size = _SLOT.itemsize * _MOST_AGENTS
        self._file = path.open("a+b") if path else None
        if self._file:
            self._file.truncate(size)
        self._slots = np.frombuffer(mmap.mmap(self._file.fileno() if self._file else -1, size), _SLOT)
        self._slots[own] = fetched

    def used(self) -> int:
        """Pages fetched or on their way, over all agents."""
        return int(np.add.reduce(self._slots))

    @property
    def spent(self) -> bool:
        """Whether no further page may be asked for now."""
        return bool(self.pages) and self.used() >= self.pages

    def take(self, wanted: int = 1) -> int:
        """Reserve so many pages, or as many as are left; returns how many."""
        self._lock(fcntl.LOCK_EX)
        try:
            taken = max(0, min(wanted, self.pages - self.used())) if self.pages else wanted
            self._slots[self._own] += taken
            return taken
        finally:
            self._lock(fcntl.LOCK_UN)

    def give_back(self, pages: int = 1) -> None:
        """Reserved pages did not come."""
        self._slots[self._own] -= pages

    def _lock(self, how: int) -> None:
        """Keep others from reserving a page meanwhile, or let them; a dead agent's lock falls by itself."""
        if self._file:
            fcntl.flock(self._file, how)
