"""Which logs were read before, and how far: by what they say, not by what they are called.

A log is recognised by its first line and then by the hash of the bytes that were
read of it, so it may be renamed, packed, moved or longer than before: reading goes on
where it ended.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

import msgspec
import xxhash

from lycosa.clickstream.server_logs.line_blocks import LineBlocks
from lycosa.clickstream.server_logs.log_files import STDIN, LogFile
from lycosa.clickstream.server_logs.sessions.store_protocol import LogStore
from lycosa.records import Record

MOST_KNOWN = 64
"""Places remembered per first line; the oldest are forgotten."""


class Reached(Record, frozen=True):
    """How far a log was read.

    `length` and `digest` name the bytes before that place, `grew_from` the place before it, `lines` their lines.
    `time` is the latest time in them and `directive` what they said of the fields. Of the next `again` bytes, all was
    counted but the requests after the first `emitted`.
    """

    length: int
    digest: bytes
    grew_from: bytes = b""
    lines: int = 0
    time: int = 0
    directive: str = ""
    again: int = 0
    emitted: int = 0
    format: str = ""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[Reached]).decode


@dataclass(slots=True)
class OpenLog:
    """A log opened at the place where it was left; `reached` is None for a new one."""

    file: LogFile
    blocks: LineBlocks
    mark: str
    known: list[Reached]
    reached: Reached | None = None
    shorter_copy: bool = False

    def release(self) -> None:
        """Let go of the file until it is its turn; standard input is kept."""
        if self.file.name != STDIN:
            self.blocks.stream.close()

    def resume(self) -> None:
        """Open it again at the same place."""
        if self.file.name != STDIN:
            self.blocks = LineBlocks(self.file.open())
            self.blocks.skip(self.reached.length if self.reached else 0)


def open_log(file: LogFile, site: str, store: LogStore) -> OpenLog | None:
    """A log at the first byte that was not counted yet; None where it has no line."""
    blocks = LineBlocks(file.open())
    first = blocks.first_line()
    if not first:
        found = OpenLog(file, blocks, "", [])
        found.release()
        return found if blocks.stream.damage else None
    mark = f"import:{site}:{xxhash.xxh3_128_hexdigest(first)}"
    kept = store.mark(mark)
    known = _decode(kept) if kept else []
    if not known:
        return OpenLog(file, blocks, mark, [])
    if file.name == STDIN:
        file, blocks = _spooled(blocks)
    return _at_longest(file, blocks, mark, known)


def waiting_bytes(file: LogFile) -> int:
    """The bytes of a log's only line, if that has no end yet."""
    if file.name == STDIN:
        return 0
    blocks = LineBlocks(file.open())
    blocks.first_line()
    blocks.stream.close()
    return blocks.waiting


def _at_longest(file: LogFile, blocks: LineBlocks, mark: str, known: list[Reached]) -> OpenLog:
    """Find the longest beginning that was read before, and go there."""
    best: Reached | None = None
    for place in sorted({each.length for each in known}):
        if not blocks.skip(place):
            break
        digest = blocks.prefix.digest
        best = next((each for each in known if each.length == place and each.digest == digest), best)
    passed = blocks.length
    if passed > (best.length if best else 0):
        longer = any(each.length > passed and best and each.grew_from == best.digest for each in known)
        blocks.stream.close()
        blocks = LineBlocks(file.open())
        blocks.skip(best.length if best else 0)
        return OpenLog(file, blocks, mark, known, best, longer)
    return OpenLog(file, blocks, mark, known, best)


def _spooled(blocks: LineBlocks) -> tuple[LogFile, LineBlocks]:
    """Standard input as a file that can be read twice; it is gone when the import ends."""
    spool = tempfile.TemporaryFile()  # noqa: SIM115
    while data := blocks.anything():
        spool.write(data)
    spool.flush()

    def opened() -> BinaryIO:
        spool.seek(0)
        return open(os.dup(spool.fileno()), "rb")

    file = LogFile(STDIN, opened=opened)
    return file, LineBlocks(file.open())


def marks_of(logs: Iterable[tuple[OpenLog, Reached]]) -> dict[str, bytes]:
    """What to remember of the logs of an import; no two of them begin alike."""
    found: dict[str, bytes] = {}
    for log, now in logs:
        if log.mark and now.length + now.again:
            others = [each for each in log.known if each.digest != now.digest]
            found[log.mark] = _encode([*others, now][-MOST_KNOWN:])
    return found
