"""A log cut into blocks of whole lines, with the length and the hash of all that came before each cut.

A line that never ends is read past, not kept, so memory stays the same whatever the
log holds. The last line of a log that may still grow waits until it has its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import xxhash

from lycosa.clickstream.server_logs.log_files import LogStream
from lycosa.clickstream.server_logs.parsing.byte_slices import PADDING
from lycosa.clickstream.server_logs.parsing.lines import LONGEST_LINE

BLOCK = 1 << 22
_PADDING = bytes(PADDING)


class Lines(NamedTuple):
    """Whole lines: the first bytes of `data`, up to `length`. At least PADDING bytes follow, which mean nothing."""

    data: bytes
    length: int


_NONE = Lines(_PADDING, 0)


def _lines(text: bytes) -> Lines:
    """Lines with an end, and room after it."""
    end = b"" if text.endswith(b"\n") else b"\n"
    return Lines(b"".join((text, end, _PADDING)), len(text) + len(end))


@dataclass(slots=True, frozen=True)
class Prefix:
    """The beginning of a log: how many bytes, and their hash."""

    length: int
    digest: bytes


class LineBlocks:
    """Whole lines of a stream, some mebibytes at a time."""

    def __init__(self, stream: LogStream, *, size: int = BLOCK) -> None:
        self.stream, self.size = stream, size
        self.length = 0
        self._hash = xxhash.xxh3_128()
        self._rest = b""
        self._ended = False

    @property
    def prefix(self) -> Prefix:
        """What was taken so far."""
        return Prefix(self.length, self._hash.digest())

    @property
    def waiting(self) -> int:
        """Bytes of a last line that has no end yet."""
        return len(self._rest) - self._rest.rfind(b"\n") - 1 if self._ended else 0

    def first_line(self) -> bytes:
        """The first line that names a request; empty where there is none that is whole. Nothing is taken."""
        place = 0
        while True:
            end = self._rest.find(b"\n", place)
            if end < 0:
                if len(self._rest) - place > LONGEST_LINE or not self._more():
                    whole = self.stream.closed or len(self._rest) - place > LONGEST_LINE
                    return self._rest[place : place + LONGEST_LINE].strip() if whole else b""
                continue
            line = self._rest[place:end].strip()
            if (line and not line.startswith(b"#")) or end > BLOCK:
                return line[:LONGEST_LINE]
            place = end + 1

    def first_lines(self, most: int) -> list[bytes]:
        """The lines that come next, to look at; nothing is taken."""
        while len(self._rest) < BLOCK // 4 and self._more():
            pass
        lines = self._rest[:BLOCK].split(b"\n", most)
        if len(lines) > most or not (self._ended and self.stream.closed):
            lines = lines[:-1]
        return [line.rstrip(b"\r")[: LONGEST_LINE + 1] for line in lines[:most]]

    def skip(self, length: int) -> bool:
        """Take bytes up to a length; False where the log ends before it."""
        while self.length < length:
            if not self._rest and not self._more():
                return False
            self._take(min(length - self.length, len(self._rest)))
        return True

    def exactly(self, length: int) -> Lines:
        """So many bytes as one block of lines; fewer where the log ends."""
        while len(self._rest) < length and self._more():
            pass
        return _lines(self._take(min(length, len(self._rest))))

    def anything(self) -> bytes:
        """Whatever comes next; empty at the end."""
        if not self._rest:
            self._more()
        return self._take(len(self._rest))

    def next(self) -> Lines:
        """The next lines; none at the end."""
        if self.stream.give_back(len(self._rest)):
            self._rest, self._ended = b"", False
        if len(self._rest) < self.size and not self._ended:
            found = self.stream.read(self.size)
            self._ended = not found
            cut = found.rfind(b"\n", 0, -PADDING) + 1
            if cut:
                return self._as_read(found, cut) if not self._rest else self._with_rest(found, cut)
            self._rest += found
        while len(self._rest) < self.size and self._more():
            pass
        cut = self._rest.rfind(b"\n", 0, self.size) + 1
        if cut:
            return _lines(self._take(cut))
        if len(self._rest) >= self.size:
            return self._endless()
        if self._rest and self.stream.closed:
            return _lines(self._take(len(self._rest)))
        return _NONE

    def _as_read(self, found: bytes, cut: int) -> Lines:
        """New lines, not copied: what comes after them is read again where that is possible, and kept otherwise."""
        self._hash.update(memoryview(found)[:cut])
        self.length += cut
        if not self.stream.give_back(len(found) - cut):
            self._rest = found[cut:]
        return Lines(found, cut)

    def _with_rest(self, found: bytes, cut: int) -> Lines:
        """What was left of the last block, and new lines: copied once."""
        data = b"".join((self._rest, found))
        length = len(self._rest) + cut
        self._hash.update(memoryview(data)[:length])
        self.length += length
        self._rest = found[cut:]
        return Lines(data, length)

    def _endless(self) -> Lines:
        """A line longer than a block: its beginning stands for it."""
        shown = self._rest[: LONGEST_LINE + 2]
        while (end := self._rest.find(b"\n")) < 0:
            self._take(len(self._rest))
            if not self._more():
                return _lines(shown)
        self._take(end + 1)
        return _lines(shown)

    def _more(self) -> bool:
        found = b"" if self._ended else self.stream.read(self.size)
        self._ended = not found
        self._rest += found
        return bool(found)

    def _take(self, length: int) -> bytes:
        found, self._rest = self._rest[:length], self._rest[length:]
        self._hash.update(found)
        self.length += length
        return found
