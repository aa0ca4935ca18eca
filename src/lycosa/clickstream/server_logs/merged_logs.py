"""One log of an import, read block by block, and all logs of an import as one, in the order of their times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from msgspec.structs import replace

from lycosa.clickstream.server_logs.known_logs import OpenLog, Reached
from lycosa.clickstream.server_logs.line_blocks import Lines
from lycosa.clickstream.server_logs.parsing.formats import LogFormat
from lycosa.clickstream.server_logs.parsing.lines import EXAMPLES, LineReader
from lycosa.clickstream.server_logs.parsing.page_requests import Requests
from lycosa.clickstream.server_logs.request_filter import RequestSieve


@dataclass(slots=True)
class LogNote:
    """What is to be said of one log."""

    name: str
    format: str = ""
    explained: int = 0
    looked_at: int = 0
    lines: int = 0
    skipped: int = 0
    waiting: int = 0
    said: str = ""


@dataclass(slots=True)
class BadLine:
    """A line that nobody understands."""

    log: str
    number: int
    text: bytes


@dataclass(slots=True)
class LineCounts:
    """What lines were, over all logs of an import."""

    lines: int = 0
    bad: int = 0
    examples: list[BadLine] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


class LogRun:
    """A log on its way. `pending` are requests of its last block that were not emitted yet."""

    def __init__(self, log: OpenLog, form: LogFormat, told: LogNote, first_time: int) -> None:
        self.log, self.form, self._told = log, form, told
        reached = log.reached or Reached(0, b"")
        self.lines, self.time = reached.lines, reached.time
        self.first_time = max(first_time, self.time)
        self.pending: Requests | None = None
        self.active = self.ended = False
        self._reader = LineReader(form, skim=True)
        self._before, self._emitted = reached, 0

    def begin(self, sieve: RequestSieve) -> None:
        """It is its turn: open it, and read again what was counted but not emitted."""
        self.active = True
        self.log.resume()
        reached = self.log.reached
        if reached is not None and reached.again:
            start = self._place()
            self._read(start, self.log.blocks.exactly(reached.again), sieve, LineCounts())
            if self.pending is not None:
                self.emit(min(reached.emitted, len(self.pending.at)))

    def advance(self, sieve: RequestSieve, counts: LineCounts) -> None:
        """Read on until there is a request, or the end."""
        while self.pending is None and not self.ended:
            start = self._place()
            lines = self.log.blocks.next()
            if lines.length:
                self._told.lines += self._read(start, lines, sieve, counts)
            else:
                self.ended = True

    def _read(self, start: Reached, lines: Lines, sieve: RequestSieve, counts: LineCounts) -> int:
        block = self._reader.read(lines.data, lines.length)
        requests = sieve.sift(block, self.time, counts.left_out)
        counts.lines += block.lines
        counts.bad += block.bad
        for row, text in block.examples[: EXAMPLES - len(counts.examples)]:
            counts.examples.append(BadLine(self.log.file.name, self.lines + row + 1, text))
        self._before, self._emitted = start, 0
        self.lines += block.lines
        self.time = sieve.time
        self.pending = requests if len(requests.at) else None
        return block.lines

    def emit(self, number: int) -> Requests | None:
        """The next requests; what is left stays."""
        if self.pending is None or not number:
            return None
        found, rest = self.pending, None
        if number < len(found.at):
            found, rest = found.part(slice(None, number)), found.part(slice(number, None))
        self.pending, self._emitted = rest, self._emitted + number
        return found

    def _place(self) -> Reached:
        """Where reading is, with nothing left over; a log that did not grow has grown from where it had before."""
        prefix, reached = self.log.blocks.prefix, self.log.reached
        grew_from = b"" if reached is None else reached.grew_from if reached.digest == prefix.digest else reached.digest
        return Reached(
            prefix.length, prefix.digest, grew_from, self.lines, self.time, self.form.directive, format=self.form.name
        )

    def reached(self) -> Reached:
        """How far all is emitted."""
        if not self.active:
            return self.log.reached or Reached(0, b"")
        if self.pending is None:
            return self._place()
        before = self._before
        return replace(before, again=self.log.blocks.length - before.length, emitted=self._emitted)

    def note(self) -> None:
        """Say how it ended."""
        self._told.waiting = self.log.blocks.waiting
        self._told.said = self.log.blocks.stream.damage


def in_order(runs: list[LogRun], sieve: RequestSieve, counts: LineCounts) -> Iterator[Requests]:
    """The requests of all logs by the log's time; at equal times in the order of the logs.

    A log is opened when the others reach its first time, so many logs need no more memory than those that overlap.
    """
    waiting = sorted(range(len(runs)), key=lambda rank: (runs[rank].first_time, rank), reverse=True)
    active: list[int] = []
    while active or waiting:
        leader = min(active, key=lambda rank: (_last(runs[rank]), rank), default=None)
        if leader is None or (waiting and (runs[waiting[-1]].first_time, waiting[-1]) <= (_last(runs[leader]), leader)):
            rank = waiting.pop()
            runs[rank].begin(sieve)
            active.append(rank)
        else:
            requests = _emitted(runs, active, leader)
            if requests is not None:
                yield requests
        for rank in list(active):
            runs[rank].advance(sieve, counts)
            if runs[rank].pending is None:
                active.remove(rank)


def _last(run: LogRun) -> int:
    return int(run.pending.time[-1]) if run.pending is not None else run.time


def _emitted(runs: list[LogRun], active: list[int], leader: int) -> Requests | None:
    """All that comes before the leader's last request, and with it."""
    until = _last(runs[leader])
    parts = []
    for rank in sorted(active):
        pending = runs[rank].pending
        if pending is None:
            continue
        side = "right" if rank <= leader else "left"
        number = len(pending.at) if rank == leader else int(np.searchsorted(pending.time, until, side))  # type: ignore[call-overload]
        part = runs[rank].emit(number)
        if part is not None:
            parts.append(part)
    return parts[0] if len(parts) == 1 else Requests.merged(parts) if parts else None
