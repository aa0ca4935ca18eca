"""Where log lines come from: plain, gzip and zstd files, globs, whole folders, standard input.

What a file is packed with is told by its first bytes, not by its name. Nothing is
unpacked beyond what is read, and what comes before damage is read.
"""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import zstandard
from isal import isal_zlib

from lycosa.configuration.settings import ConfigurationError

PIECE = 1 << 22
_ZSTD_PIECE = 1 << 11
"""Few packed bytes at a time: each of them may unpack to a lot."""
_LARGEST_WINDOW = 1 << 27
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
STDIN = "-"


class LogFile:
    """A log that can be read from its beginning, more than once unless it is standard input."""

    def __init__(self, name: str, *, told: bool = True, opened: Callable[[], BinaryIO] | None = None) -> None:
        self.name, self.told = name, told
        self._opened = opened or (lambda: open(name, "rb"))  # noqa: SIM115

    @property
    def size(self) -> int:
        """Bytes on disk; 0 where nobody knows."""
        try:
            return os.stat(self.name).st_size if self.name != STDIN else 0
        except OSError:
            return 0

    def open(self) -> LogStream:
        """Begin to read."""
        try:
            return LogStream(self._opened(), closed=self.name == STDIN)
        except OSError as error:
            raise ConfigurationError(f"{self.name}: cannot be read ({error.strerror or error})") from error


class LogStream:
    """The bytes of a log as they come. `closed` says that nothing will be added at its end."""

    def __init__(self, raw: BinaryIO, *, closed: bool) -> None:
        self._raw, self.closed = raw, closed
        self.damage = ""
        self.taken = 0
        self._is_plain = False
        self._pieces = self._unpacked()
        self._left = b""

    def read(self, most: int) -> bytes:
        """Up to so many bytes; none at the end."""
        if not self._left:
            self._left = next(self._pieces, b"")
        found, self._left = self._left[:most], self._left[most:]
        return found

    def give_back(self, number: int) -> bool:
        """Unread the last bytes, to read them again with what follows; False where what is read is not on disk so."""
        if not self._is_plain:
            return False
        self._raw.seek(-number - len(self._left), os.SEEK_CUR)
        self.taken -= number + len(self._left)
        self._left, self._pieces = b"", self._plain()
        return True

    def close(self) -> None:
        """Let go of the file."""
        self._pieces = iter(())
        if self._raw is not sys.stdin.buffer:
            self._raw.close()

    def _unpacked(self) -> Iterator[bytes]:
        first = self._packed(PIECE)
        while first and len(first) < 4 and (more := self._packed(PIECE)):
            first += more
        if first.startswith(_GZIP):
            self.closed = True
            return (yield from self._gzip(first))
        if first.startswith(_ZSTD):
            self.closed = True
            return (yield from self._zstd(first))
        self._is_plain = self._raw.seekable()
        if first:
            yield first
        return (yield from self._plain())

    def _plain(self) -> Iterator[bytes]:
        while found := self._packed(PIECE):
            yield found

    def _packed(self, most: int) -> bytes:
        try:
            found = self._raw.read(most)
        except OSError as error:
            self._damaged(f"reading stopped ({error.strerror or error})")
            return b""
        self.taken += len(found)
        return found

    def _damaged(self, why: str) -> None:
        self.damage, self.closed = why, False

    def _gzip(self, packed: bytes) -> Iterator[bytes]:
        while packed:
            member = isal_zlib.decompressobj(31)
            while not member.eof:
                try:
                    found = member.decompress(packed, PIECE)
                except isal_zlib.error as error:  # type: ignore[misc]
                    return self._damaged(f"the gzip data is damaged ({error})")
                if found:
                    yield found
                packed = member.unconsumed_tail or (b"" if member.eof or found else self._packed(PIECE))
                if not packed and not found and not member.eof:
                    return self._damaged("the gzip data ends too soon")
            packed = (member.unused_data or self._packed(PIECE)).lstrip(b"\0")
            if packed and not _GZIP.startswith(packed[:2]):
                return self._damaged("something else follows the gzip data")
        return None

    def _zstd(self, packed: bytes) -> Iterator[bytes]:
        unpacker = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
        while packed:
            frame = unpacker.decompressobj()
            while not frame.eof:
                piece, packed = packed[:_ZSTD_PIECE], packed[_ZSTD_PIECE:]
                try:
                    found = frame.decompress(piece)
                except zstandard.ZstdError as error:
                    return self._damaged(f"the zstd data is damaged ({error})")
                if found:
                    yield found
                packed = packed or self._packed(PIECE)
                if not packed and not frame.eof:
                    return self._damaged("the zstd data ends too soon")
            packed = frame.unused_data + packed
        return None


def log_files(names: Sequence[str]) -> list[LogFile]:
    """The logs that names stand for: files, globs, folders with all that is in them, and - for standard input."""
    found: dict[str, LogFile] = {}
    for name in names:
        for each in _files(name):
            found.setdefault(each.name if each.name == STDIN else os.path.realpath(each.name), each)
    if not found:
        raise ConfigurationError("there is no log to read; give files, folders, or - for standard input")
    return list(found.values())


def _files(name: str) -> list[LogFile]:
    if name == STDIN:
        return [LogFile(STDIN, opened=lambda: sys.stdin.buffer)]
    if os.path.isdir(name):
        return _inside(name)
    if os.path.exists(name):
        return [LogFile(name)]
    matching = sorted(glob.glob(name, recursive=True)) if glob.has_magic(name) else []
    if not matching:
        raise ConfigurationError(
            f"{name}: there is no such file; give a log, a folder of logs, or - for standard input"
        )
    return [log for each in matching for log in (_inside(each) if os.path.isdir(each) else [LogFile(each)])]


def _inside(folder: str) -> list[LogFile]:
    files = (path for path in Path(folder).rglob("*") if path.is_file() and not path.name.startswith("."))
    paths = sorted(path for path in files if path.stat().st_size)
    if not paths:
        raise ConfigurationError(
            f"{folder}: there is no log in this folder; give one with logs, or the files themselves"
        )
    return [LogFile(str(path), told=False) for path in paths]
