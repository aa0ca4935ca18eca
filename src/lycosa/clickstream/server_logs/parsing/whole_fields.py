"""Lines that are cut into fields all at once, whatever their format, become the columns of a block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lycosa.clickstream.server_logs.parsing.byte_slices import Places, windows
from lycosa.clickstream.server_logs.parsing.clock_times import clock_times
from lycosa.clickstream.server_logs.parsing.columns import (
    ADDRESS,
    AGENT,
    FIELDS,
    HOST,
    REFERRER,
    SESSION,
    TARGET,
    LineBlock,
)
from lycosa.clickstream.server_logs.parsing.digit_words import Digits, digit_at, is_written, shape

_COLUMNS = {
    "target": TARGET, "referrer": REFERRER, "agent": AGENT, "address": ADDRESS, "host": HOST, "session": SESSION,
}  # fmt: skip
_status, _GET, _HTTP = Digits(b"000_____"), shape(b"GET_____"), shape(b" HTTP/0.")
_SPACE, _LONGEST_METHOD = ord(" "), 20
Slices = tuple[Places, Places]


@dataclass(slots=True)
class CutLines:
    """Lines by their rows, and where each field begins and ends in `data`; `fits` says which were cut well."""

    data: bytes
    rows: Places
    fields: dict[str, Slices]
    fits: NDArray[np.bool_]

    def block(self) -> LineBlock:
        """The lines that say when, what and with which status, as columns; the others are left out."""
        at, timely = clock_times(self.data, *self.fields["time"])
        status, stated = _states(self.data, *self.fields["status"])
        if "request" in self.fields:
            get, self.fields["target"], asked = _requests(self.data, *self.fields["request"])
        else:
            get, asked = self._gets()
        chosen = np.flatnonzero(self.fits & timely & stated & asked)
        none = np.zeros(len(chosen), np.int64)
        found = LineBlock(
            self.data, 0, self.rows.take(chosen), at.take(chosen), status.take(chosen), get.take(chosen),
            [none] * FIELDS, [none] * FIELDS,
        )  # fmt: skip
        for name, column in _COLUMNS.items():
            if name in self.fields:
                found.starts[column], found.ends[column] = (each.take(chosen) for each in self.fields[name])
        if "session" in self.fields and "host" not in self.fields:
            found.ends[HOST] = none.copy()
        return found

    def _gets(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        every = np.ones(len(self.rows), bool)
        if "method" not in self.fields:
            return every, every
        starts, ends = self.fields["method"]
        return is_written(windows(self.data, 8, starts)[:, 0], _GET) & (ends - starts == 3), every


def _states(data: bytes, starts: Places, ends: Places) -> tuple[Places, NDArray[np.bool_]]:
    digits, fits = _status.read(windows(data, 8, starts)[:, 0])
    return digit_at(digits, 0) * 100 + digit_at(digits, 8) * 10 + digit_at(digits, 16), fits & (ends - starts == 3)


def _requests(data: bytes, starts: Places, ends: Places) -> tuple[NDArray[np.bool_], Slices, NDArray[np.bool_]]:
    """Which requests such as `GET /page HTTP/1.1` are GETs, their targets, and which of them are written so."""
    get = is_written(windows(data, 8, starts)[:, 0], shape(b"GET ____"))
    begin = starts + 4
    others = np.flatnonzero(~get)
    if len(others):
        reach = starts[others][:, None] + np.arange(_LONGEST_METHOD)
        spaces = np.frombuffer(data, np.uint8).take(reach) == _SPACE
        begin[others] = np.where(spaces.any(1), starts[others] + spaces.argmax(1) + 1, ends[others])
    end = ends - 9
    fits = (end >= begin) & is_written(windows(data, 8, np.maximum(end, 0))[:, 0], _HTTP)
    return get, (begin, np.maximum(end, begin)), fits
