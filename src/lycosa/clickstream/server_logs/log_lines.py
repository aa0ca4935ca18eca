"""A block of log lines read at once: columns of times, states and slices instead of one object per line.

Lines are cut first, so that no field reaches into the next line. Those of the common and
combined formats are read together; every other line is read by its format, one by one,
to the same columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lycosa.clickstream.server_logs.byte_slices import PADDING, Places
from lycosa.clickstream.server_logs.log_columns import FIELDS, LineBlock
from lycosa.clickstream.server_logs.log_entries import Entry
from lycosa.clickstream.server_logs.log_formats import LogFormat
from lycosa.clickstream.server_logs.regular_lines import RegularLines, are_assets

LONGEST_LINE = 65_536
EXAMPLES = 5
"""Bad lines that are kept to be shown."""
LONGEST_EXAMPLE = 200

_NEWLINE, _QUOTE = 10, 34
_AT_ONCE = 1 << 18


class LineReader:
    """Reads blocks of lines; the room it needs is used again for the next block.

    With `skim`, requests for the commonest assets are only counted: about half of a log, which nobody needs to read.
    """

    def __init__(self, form: LogFormat, *, skim: bool = False) -> None:
        self.form, self.skim = form, skim
        self._newlines, self._quotes = np.empty(_AT_ONCE, bool), np.empty(_AT_ONCE, bool)
        self._lines = 0

    def read(self, data: bytes) -> LineBlock:
        """The requests in whole lines; `data` ends with a newline and PADDING bytes."""
        starts, ends, regular, quotes = self._cut(np.frombuffer(data, np.uint8, len(data) - PADDING))
        odd = np.ones(len(ends), bool)
        assets = 0
        if self.skim and len(regular):
            skimmed = are_assets(data, starts[regular], quotes[0], quotes[1])
            odd[regular[skimmed]] = False
            read = np.flatnonzero(~skimmed)
            assets = len(regular) - len(read)
            regular, quotes = regular[read], quotes[:, read]
        block = RegularLines(data, self.form.quotes, starts[regular], ends[regular], quotes).block(regular)
        odd[block.rows] = False
        block.lines, block.assets = len(ends), assets
        return _with_odd_lines(block, self.form, starts, ends, odd) if odd.any() else block

    def _cut(self, raw: NDArray[np.uint8]) -> tuple[Places, Places, Places, Places]:
        """Where lines begin and end, which have enough quotes, and where these are."""
        parts = [self._marks(raw, start) for start in range(0, len(raw), _AT_ONCE)]
        marks, quotes = np.concatenate(parts or [np.zeros(0, np.int64)]), self.form.quotes
        lines, self._lines = self._lines, 0
        if quotes and lines and len(marks) == (quotes + 1) * lines:
            grid = marks.reshape(-1, quotes + 1)
            ends = np.ascontiguousarray(grid[:, -1])
            if (raw[ends] == _NEWLINE).all() and np.diff(ends, prepend=-1).max() <= LONGEST_LINE:
                return _after(ends), ends, np.arange(lines), np.ascontiguousarray(grid[:, :-1].T)
        last = np.flatnonzero(raw[marks] == _NEWLINE)
        first, ends = _after(last), marks[last]
        starts = _after(ends)
        enough = ends - starts <= LONGEST_LINE
        enough &= last - first >= quotes if quotes else False
        regular = np.flatnonzero(enough)
        return starts, ends, regular, marks[first[regular] + np.arange(quotes)[:, None]]

    def _marks(self, block: NDArray[np.uint8], start: int) -> Places:
        """Where newlines and quotes are, in a stretch that fits into a core's cache."""
        raw = block[start : start + _AT_ONCE]
        sought = np.equal(raw, _NEWLINE, out=self._newlines[: len(raw)])
        self._lines += int(np.count_nonzero(sought))
        if self.form.quotes:
            sought |= np.equal(raw, _QUOTE, out=self._quotes[: len(raw)])
        found = np.flatnonzero(sought)
        found += start
        return found


def _after(ends: Places) -> Places:
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    return starts


def _with_odd_lines(
    block: LineBlock, form: LogFormat, starts: Places, ends: Places, odd: NDArray[np.bool_]
) -> LineBlock:
    """The block with those lines that its format reads one by one."""
    rows, entries, ignored, examples = [], list[Entry](), 0, list[tuple[int, bytes]]()
    for row in np.flatnonzero(odd).tolist():
        line = block.data[starts[row] : min(ends[row], starts[row] + LONGEST_LINE + 2)]
        line = line[:-1] if line.endswith(b"\r") else line
        entry = form.entry(line) if len(line) <= LONGEST_LINE else None
        if entry is not None:
            rows.append(row)
            entries.append(entry)
        elif len(line) <= LONGEST_LINE and form.ignores(line):
            ignored += 1
        elif len(examples) < EXAMPLES:
            examples.append((row, line[:LONGEST_EXAMPLE]))
    bad = int(odd.sum()) - len(rows) - ignored
    found = _joined(block, rows, entries) if rows else block
    found.bad, found.examples, found.assets = bad, examples, block.assets
    return found


def _joined(block: LineBlock, rows: list[int], entries: list[Entry]) -> LineBlock:
    """Regular lines and those read one by one, in the order of the log; texts of the latter follow the data."""
    texts = [text for entry in entries for text in entry[3:]]
    lengths = np.array([len(text) for text in texts], np.int64)
    ends = len(block.data) - PADDING + np.cumsum(lengths)
    starts = ends - lengths
    every = np.concatenate((block.rows, np.array(rows, np.int64)))
    order = np.argsort(every, kind="stable")

    def merged(first: NDArray[Any], second: Any) -> Any:
        return np.concatenate((first, np.asarray(second, first.dtype)))[order]

    return LineBlock(
        block.data[:-PADDING] + b"".join(texts) + bytes(PADDING),
        block.lines,
        every[order],
        merged(block.at, [entry.at for entry in entries]),
        merged(block.status, [entry.status for entry in entries]),
        merged(block.get, [entry.method == b"GET" for entry in entries]),
        [merged(column, starts[name::FIELDS]) for name, column in enumerate(block.starts)],
        [merged(column, ends[name::FIELDS]) for name, column in enumerate(block.ends)],
    )
