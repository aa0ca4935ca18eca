"""Lines of a W3C log cut at the spaces or tabs between their fields, all at once.

A field between quotes may hold spaces. A line that has other fields than it should, or a
quote inside quotes, is left to the format, which reads it alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lycosa.clickstream.server_logs.parsing.byte_slices import Places
from lycosa.clickstream.server_logs.parsing.columns import LineBlock
from lycosa.clickstream.server_logs.parsing.whole_fields import CutLines, Slices

_SPACE, _TAB, _NEWLINE, _QUOTE, _RETURN, _DASH, _PLUS, _ASK = b' \t\n"\r-+?'
_NAMES = {
    "sc-status": "status", "cs-method": "method", "cs-uri-stem": "target", "cs-uri-query": "query",
    "cs(referer)": "referrer", "cs(user-agent)": "agent", "c-ip": "address", "cs-host": "host", "cs(host)": "host",
    "x-session": "session", "session-id": "session",
}  # fmt: skip
_NEEDED = ("date", "time", "sc-status", "cs-uri-stem", "c-ip")


def can_be_cut(columns: dict[str, int]) -> bool:
    """Whether lines with these columns hold all that is needed, once, with date and query where they usually are."""
    if any(name not in columns for name in _NEEDED) or columns["time"] != columns["date"] + 1:
        return False
    wanted = [_NAMES[name] for name in columns if name in _NAMES]
    stem = columns["cs-uri-stem"]
    return len(wanted) == len(set(wanted)) and columns.get("cs-uri-query", stem + 1) == stem + 1


class W3cLines:
    """Lines of a block, one after another, that have the same columns; `usable` says which of them may be read."""

    def __init__(
        self, data: bytes, columns: dict[str, int], first_row: int, starts: Places, ends: Places,
        usable: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        self._raw, self._columns = np.frombuffer(data, np.uint8), columns
        self._last = max(columns.values())
        first, last = int(starts[0]), int(ends[-1])
        separator = _TAB if data.find(b"\t", first, last) >= 0 else _SPACE
        cuts, last_cuts = self._separators(separator, first, last + 1)
        firsts = np.append(0, last_cuts[:-1] + 1)
        chosen = np.flatnonzero((last_cuts - firsts == self._last) & usable)
        self._cuts, self._firsts = cuts, firsts.take(chosen)
        self._rows, self._starts = first_row + chosen, starts.take(chosen)
        self._fits = np.ones(len(chosen), bool)

    def _separators(self, separator: int, start: int, stop: int) -> tuple[Places, Places]:
        """The places between fields and at the ends of lines, and which are ends; quotes hide what they hold."""
        piece = self._raw[start:stop]
        places = np.flatnonzero((piece == separator) | (piece == _NEWLINE) | (piece == _QUOTE))
        kinds = piece.take(places)
        quotes = kinds == _QUOTE
        self._quotes = places[quotes] + start
        if quotes.any():
            ended, before = kinds == _NEWLINE, np.cumsum(quotes)
            opened = np.append(0, before[ended])[np.cumsum(ended) - ended]
            kept = ended | (~quotes & ((before - opened) % 2 == 0))
            places, kinds = places[kept], kinds[kept]
        return places + start, np.flatnonzero(kinds == _NEWLINE)

    def block(self) -> LineBlock:
        """Those lines that fit, as columns."""
        fields = {_NAMES[name]: self._field(place) for name, place in self._columns.items() if name in _NAMES}
        date, time = self._field(self._columns["date"]), self._field(self._columns["time"])
        fields["time"] = date[0], time[1]
        raw = self._raw.copy()
        target = fields["target"]
        self._fits &= target[1] > target[0]
        if "query" in fields:
            self._ask(raw, fields)
        if "agent" in fields:
            self._space(raw, *fields["agent"])
        return CutLines(raw.tobytes(), self._rows, fields, self._fits).block()

    def _field(self, number: int) -> Slices:
        """A field of each line, without its quotes; one that is only a dash is empty."""
        places, raw = self._firsts + number, self._raw
        begin = self._starts if number == 0 else self._cuts.take(places - 1) + 1
        end = self._cuts.take(places)
        if number == self._last:
            end = end - (raw.take(end - 1) == _RETURN)
        self._fits &= end > begin
        if len(self._quotes):
            quoted = (raw.take(begin) == _QUOTE) & (raw.take(end - 1) == _QUOTE) & (end - begin > 1)
            begin, end = begin + quoted, end - quoted
            inside = np.searchsorted(self._quotes, end) - np.searchsorted(self._quotes, begin)
            self._fits &= ~quoted | (inside == 0)
        return begin, np.where((end - begin == 1) & (raw.take(begin) == _DASH), begin, end)

    def _ask(self, raw: NDArray[np.uint8], fields: dict[str, Slices]) -> None:
        """Put the query behind its target; both stand side by side, unless there are quotes."""
        begin, end = fields.pop("query")
        start, stop = fields["target"]
        asks = end > begin
        self._fits &= ~asks | (begin == stop + 1)
        raw[stop[asks & self._fits]] = _ASK
        fields["target"] = start, np.where(asks, end, stop)

    def _space(self, raw: NDArray[np.uint8], begin: Places, end: Places) -> None:
        """Write the spaces of browsers' names, which stand there as plus signs."""
        if len(begin):
            first = int(begin[0])
            pluses = np.flatnonzero(raw[first : int(end[-1])] == _PLUS) + first
            which = np.searchsorted(begin, pluses, "right") - 1
            raw[pluses[(pluses < end.take(which)) & self._fits.take(which)]] = _SPACE
