"""One budget of pages for all agents of a crawl.

Each agent has a slot in a small shared file: pages fetched plus pages on their
way. An agent sends out another request only while the sum is below the budget.
A dead agent's slot is corrected when it starts again.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

_SLOT = struct.Struct("<q")
_MOST_AGENTS = 256


class Budget:
    """An agent's view of the shared budget; 0 pages means no limit."""

    def __init__(self, pages: int, own: int = 0, fetched: int = 0, path: Path | None = None) -> None:
        self.pages = pages
        self._own = own
        size = _SLOT.size * _MOST_AGENTS
        if path is None:
            self._slots = mmap.mmap(-1, size)
        else:
            with path.open("a+b") as file:
                file.truncate(size)
                self._slots = mmap.mmap(file.fileno(), size)
        self._write(fetched)

    def _write(self, value: int) -> None:
        _SLOT.pack_into(self._slots, self._own * _SLOT.size, value)

    def _read(self) -> int:
        value: int = _SLOT.unpack_from(self._slots, self._own * _SLOT.size)[0]
        return value

    def used(self) -> int:
        """Pages fetched or on their way, over all agents."""
        return sum(value for (value,) in _SLOT.iter_unpack(self._slots[:]))

    @property
    def spent(self) -> bool:
        """Whether no further page may be asked for now."""
        return bool(self.pages) and self.used() >= self.pages

    def take(self) -> bool:
        """Reserve a page, if there is one left."""
        if self.spent:
            return False
        self._write(self._read() + 1)
        return True

    def give_back(self) -> None:
        """A reserved page did not come."""
        self._write(self._read() - 1)
