"""A block of log lines read at once: columns of times, states and slices instead of one object per line.

Lines are cut first, so that no field reaches into the next line. Those of the common and
combined formats are read together; every other line is read by its format, one by one,
to the same columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lycosa.clickstream.server_logs.parsing.asset_requests import are_assets
from lycosa.clickstream.server_logs.parsing.byte_slices import PADDING, Places
from lycosa.clickstream.server_logs.parsing.columns import FIELDS, HOST, SESSION, LineBlock
from lycosa.clickstream.server_logs.parsing.common_formats import Cut, RegularLines, requests_first
from lycosa.clickstream.server_logs.parsing.entries import Entry
from lycosa.clickstream.server_logs.parsing.formats import LogFormat
from lycosa.clickstream.server_logs.parsing.line_marks import LineMarks, MarkFinder, after

LONGEST_LINE = 65_536
EXAMPLES = 5
"""Bad lines that are kept to be shown."""
LONGEST_EXAMPLE = 200


class LineReader:
    """Reads blocks of lines; the room it needs is used again for the next block.

    With `skim`, requests for the commonest assets are only counted: about half of a log, which nobody needs to read.
    """

    def __init__(self, form: LogFormat, *, skim: bool = False) -> None:
        self.form, self.skim = form, skim
        self._marks = MarkFinder(quotes=form.quotes > 0)

    def read(self, data: bytes, length: int) -> LineBlock:
        """The requests in whole lines, which are the first `length` bytes; at least PADDING bytes follow."""
        marks = self._marks.find(np.frombuffer(data, np.uint8, length))
        ends = marks.ends
        starts = after(ends)
        if not self.form.quotes:
            return self._together(data, starts, ends)
        odd = np.ones(len(ends), bool)
        cut = self._cut(data, marks, starts, ends)
        lines = len(cut.rows)
        if self.skim and lines:
            skimmed = are_assets(data, cut.begin, cut.opened, cut.closed, cut.near)
            read = ~skimmed
            odd[cut.rows] = read
            cut = cut.only(np.flatnonzero(read))
        block = RegularLines(data, self.form.quotes, marks.places).block(cut)
        odd[block.rows] = False
        block.lines, block.assets = len(ends), lines - len(cut.rows)
        return _with_odd_lines(block, self.form, starts, ends, odd) if odd.any() else block

    def _together(self, data: bytes, starts: Places, ends: Places) -> LineBlock:
        """Lines of a format that has a reader of its own for many lines."""
        odd = np.ones(len(ends), bool)
        block = (self.form.together(data, starts, ends) if len(ends) else None) or LineBlock.none(data)
        short = ends.take(block.rows) - starts.take(block.rows) <= LONGEST_LINE
        block = block if short.all() else block.only(np.flatnonzero(short))
        odd[block.rows] = False
        block.lines = len(ends)
        return _with_odd_lines(block, self.form, starts, ends, odd) if odd.any() else block

    def _cut(self, data: bytes, marks: LineMarks, starts: Places, ends: Places) -> Cut:
        """The lines that have the quotes of the format."""
        first, enough = requests_first(np.frombuffer(data, np.uint8), marks, self.form.quotes)
        enough &= ends - starts <= LONGEST_LINE
        rows = np.flatnonzero(enough)
        if len(rows) < len(ends):
            first, starts, ends = first.take(rows), starts.take(rows), ends.take(rows)
        return Cut.at(data, marks.places, rows, first, starts, ends)


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
    found = _joined(block, rows, entries, starts, ends) if rows else block
    found.bad, found.examples, found.assets = bad, examples, block.assets
    return found


def _joined(block: LineBlock, rows: list[int], entries: list[Entry], starts: Places, ends: Places) -> LineBlock:
    """Regular lines and those read one by one, in the order of the log; `starts` and `ends` are of all lines."""
    every = np.concatenate((block.rows, np.array(rows, np.int64)))
    order = np.argsort(every, kind="stable")
    data, places = _placed(block.data, entries, starts[rows].tolist(), ends[rows].tolist())
    lengths = np.array([len(text) for entry in entries for text in entry[3:]], np.int64)

    def merged(first: NDArray[Any], second: Any) -> Any:
        return np.concatenate((first, np.asarray(second, first.dtype)))[order]

    found = LineBlock(
        data,
        block.lines,
        every[order],
        merged(block.at, [entry.at for entry in entries]),
        merged(block.status, [entry.status for entry in entries]),
        merged(block.get, [entry.method == b"GET" for entry in entries]),
        [merged(column, places[name::FIELDS]) for name, column in enumerate(block.starts)],
        [merged(column, (places + lengths)[name::FIELDS]) for name, column in enumerate(block.ends)],
    )
    if not lengths[HOST::FIELDS].any() and not lengths[SESSION::FIELDS].any():
        found.make_plain()
    return found


def _placed(data: bytes, entries: list[Entry], starts: list[int], ends: list[int]) -> tuple[bytes, Places]:
    """Where the texts of entries are: in their own lines, or after the data where the lines spell them otherwise."""
    places, added, end = list[int](), list[bytes](), len(data)
    for entry, first, last in zip(entries, starts, ends, strict=True):
        for text in entry[3:]:
            place = data.find(text, first, last)
            if place < 0:
                place, end = end, end + len(text)
                added.append(text)
            places.append(place)
    return b"".join((data, *added, bytes(PADDING))) if added else data, np.array(places, np.int64)
