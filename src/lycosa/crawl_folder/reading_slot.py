"""Which page a process is reading: a small file that it writes, and that others read, also after its death.

It is written with one system call a page and never synced: it has to outlive the process, not the machine.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from pathlib import Path

import xxhash

from lycosa.records import Record

OF_AGENT, OF_INDEXER = "reading", "index.reading"
"""The file in the folder of what an agent owns, and the one in the crawl's folder."""
_HEAD = struct.Struct("<QQII")
_BATCH_AT = 16 * 1024
_LARGEST_BATCH = 1024**2
LONGEST_NAME = 2000
"""A longer URL is cut, and told from others by its digest."""


class SlotState(Record, frozen=True):
    """What a slot says: who wrote it, a number that rises with every step, the page being read, and its batch."""

    process: int = 0
    steps: int = 0
    page: str = ""
    batch: tuple[str, ...] = ()

    @property
    def suspects(self) -> tuple[str, ...]:
        """The pages of which one may be to blame if the process gets no further."""
        return (self.page,) if self.page else self.batch


def name_of(url: str) -> str:
    """The name of a page in a slot."""
    return (
        url
        if len(url) <= LONGEST_NAME
        else f"{url[:LONGEST_NAME]}…{xxhash.xxh3_128_hexdigest(url.encode('utf-8', 'replace'))}"
    )


def reading_at(path: Path) -> SlotState:
    """What the slot in a file says; of one that is not there, or cannot be read, that nothing is being read."""
    try:
        with path.open("rb") as file:
            data = file.read(_BATCH_AT + _LARGEST_BATCH)
    except OSError:
        return SlotState()
    if len(data) < _HEAD.size:
        return SlotState()
    process, steps, page, batch = _HEAD.unpack_from(data)
    names = data[_BATCH_AT : _BATCH_AT + batch].decode("utf-8", "replace").split("\n") if batch else ()
    return SlotState(process, steps, data[_HEAD.size : _HEAD.size + page].decode("utf-8", "replace"), tuple(names))


class ReadingSlot:
    """The slot of this process."""

    def __init__(self, path: Path) -> None:
        self.left_over = reading_at(path)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        self._process = os.getpid()
        self._steps, self._batch = 0, 0
        self.done()

    def begin(self, names: Iterable[str]) -> None:
        """A batch of pages is about to be read."""
        text = "\n".join(names).encode("utf-8", "replace")[:_LARGEST_BATCH]
        os.pwrite(self._file, text, _BATCH_AT)
        self._batch = len(text)
        self.page("")

    def page(self, name: str) -> None:
        """This page is being read now; without a name, no single one of the batch."""
        self._steps += 1
        text = name.encode("utf-8", "replace")
        os.pwrite(self._file, _HEAD.pack(self._process, self._steps, len(text), self._batch) + text, 0)

    def done(self) -> None:
        """Nothing is being read."""
        self._batch = 0
        self.page("")

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
