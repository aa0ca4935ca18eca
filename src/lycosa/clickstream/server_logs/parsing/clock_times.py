"""Times of many lines at once, in Apache's spelling or in ISO 8601.

The day and the offset change seldom, so they are read once for every run of lines that
share them; the clock is taken out of the word that holds it, all at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lycosa.clickstream.server_logs.parsing.byte_slices import Places, slices, windows
from lycosa.clickstream.server_logs.parsing.digit_words import clocks
from lycosa.clickstream.server_logs.parsing.timestamps import milliseconds

_WIDTH = 64
_LONGEST, _LONGEST_NUMBER = 40, len("1431857103.250000")
"""Bytes of the longest spelling that is read at once, and of the longest number since 1970."""
_CLOCK = len("00:00:00")
_APACHE_CLOCK, _ISO_CLOCK = len("17/May/2015:"), len("2015-05-17T")


def clock_times(data: bytes, starts: Places, ends: Places) -> tuple[Places, NDArray[np.bool_]]:
    """The milliseconds since 1970 of each slice, and which of them could be read."""
    at, fits = np.zeros(len(starts), np.int64), np.zeros(len(starts), bool)
    lengths = ends - starts
    long_enough = (lengths >= _APACHE_CLOCK + _CLOCK - 1) & (lengths <= _LONGEST)
    apache = np.frombuffer(data, np.uint8).take(starts + 2) == ord("/")
    for clock, last_second, chosen in ((_APACHE_CLOCK, 60, apache), (_ISO_CLOCK, 59, ~apache)):
        rows = np.flatnonzero(long_enough & chosen)
        if len(rows):
            at[rows], fits[rows] = _times(data, clock, last_second, starts[rows], lengths[rows])
    for row in np.flatnonzero((lengths > 0) & (lengths <= _LONGEST_NUMBER)).tolist():
        since = milliseconds(data[starts[row] : ends[row]])
        at[row], fits[row] = since or 0, since is not None
    return at, fits


def _times(
    data: bytes, place: int, last_second: int, starts: Places, lengths: Places
) -> tuple[Places, NDArray[np.bool_]]:
    seconds, fits = clocks(windows(data, 8, starts + place)[:, 0], last_second)
    around = slices(data, _WIDTH, starts, lengths)
    around.view(np.uint8)[:, place : place + _CLOCK] = ord("0")
    changes = np.append(True, (around[1:] != around[:-1]).any(1))
    begin = np.flatnonzero(changes)
    midnights = [
        _midnight(around[row].tobytes()[:length], place) for row, length in zip(begin, lengths[begin], strict=True)
    ]
    runs = np.diff(begin, append=len(starts))
    known = np.array([each is not None for each in midnights], bool)
    began = np.array([each or 0 for each in midnights], np.int64)
    return np.repeat(began, runs) + seconds * 1000, fits & np.repeat(known, runs)


def _midnight(text: bytes, place: int) -> int | None:
    """When the day of a time began, whatever its clock says."""
    return milliseconds(text[:place] + b"00:00:00" + text[place + _CLOCK :])
