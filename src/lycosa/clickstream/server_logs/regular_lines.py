"""Lines of the common and combined formats, read all at once.

They stand in a fixed order around their quotes, so a few passes over the bytes find
every field; whatever does not fit exactly is left to the format, which reads it alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lycosa.clickstream.server_logs.byte_slices import MASKS, PADDING, Places, Words
from lycosa.clickstream.server_logs.log_columns import ADDRESS, AGENT, FIELDS, REFERRER, TARGET, LineBlock
from lycosa.clickstream.server_logs.log_formats import COMBINED
from lycosa.clickstream.server_logs.log_times import midnight_of

_NEWLINE, _SPACE, _BACKSLASH, _RETURN = 10, 32, 92, 13
_TIME = 26
_WINDOW = 32
_LONGEST_METHOD = 20


def _four(text: bytes) -> int:
    return int.from_bytes(text, "little")


_HTTP, _GET, _OK, _NOT_MODIFIED, _JS = map(_four, (b" HTT", b"GET ", b"200 ", b"304 ", b".js"))
_SUFFIXES = tuple(map(_four, (b".png", b".jpg", b".gif", b".css", b".ico", b".svg")))


def are_assets(data: bytes, begin: Places, opened: Places, closed: Places) -> NDArray[np.bool_]:
    """Which lines are, without a doubt, answered requests for the commonest assets; the line alone decides."""
    four = np.ndarray((len(data) - 3,), "<u4", data, 0, (1,))
    ending = four[np.maximum(closed - 13, 0)]
    found: NDArray[np.bool_] = ending >> 8 == _JS
    for suffix in _SUFFIXES:
        found |= ending == suffix
    length = closed - opened
    found &= (length <= PADDING) & (length > 18) & (opened - begin >= _TIME + 6)
    rows = np.flatnonzero(found)
    first, last = opened[rows], closed[rows]
    status = four[last + 2]
    sure = (four[last - 9] == _HTTP) & (four[first + 1] == _GET) & ((status == _OK) | (status == _NOT_MODIFIED))
    raw = np.frombuffer(data, np.uint8)
    sure &= (raw[first + 5] == ord("/")) & (raw[first - _TIME - 3] == ord("[")) & (raw[first - 2] == ord("]"))
    requests = np.ndarray((len(data) - PADDING + 1,), f"V{PADDING}", data, 0, (1,))[first].view("<u8")
    requests &= MASKS[last - first].view("<u8")
    sure[np.flatnonzero(requests.view(np.uint8) == ord("?")) // PADDING] = False
    found[rows] = sure
    return found


class RegularLines:
    """The lines of a block that are written around their quotes in the usual way, read all at once."""

    def __init__(self, data: bytes, expected: int, begin: Places, end: Places, quotes: Places) -> None:
        self.data, self.expected, self.begin, self.end, self.quotes = data, expected, begin, end, quotes
        self.bytes = np.frombuffer(data, np.uint8)
        self.four = np.ndarray((len(data) - 3,), "<u4", data, 0, (1,))

    def block(self, rows: Places) -> LineBlock:
        """Those lines that fit, as columns."""
        if not len(rows):
            none = np.zeros(0, np.int64)
            return LineBlock(self.data, 0, none, none, none, none.astype(bool), [none] * FIELDS, [none] * FIELDS)
        raw, (opened, closed) = self.bytes, self.quotes[:2]
        fits = (opened - self.begin >= _TIME + 6) & (self.end - closed >= 5)
        if b"\\" in self.data:
            fits &= (raw[self.quotes - 1] != _BACKSLASH).all(0)
        time = np.where(fits, opened - _TIME - 2, 2)
        window = np.ndarray((len(self.data) - _WINDOW + 1,), f"V{_WINDOW}", self.data, 0, (1,))[time]
        at, timely = _times(window.view("<u8").reshape(-1, 4))
        status, stated = self._states(np.where(fits, closed, 0))
        fits &= timely & stated & (raw[time - 1] == ord("[")) & (raw[time - 2] == _SPACE)
        if self.expected == COMBINED:
            fits &= self._tail_fits()
        address, addressed = self._addresses(time)
        target, requested = self._targets(opened, closed)
        columns = (rows, at, status, self.begin, address, target, *self.quotes)
        fits &= addressed & requested
        if not fits.all():
            chosen = np.flatnonzero(fits)
            columns = tuple(column[chosen] for column in columns)
        return self._columns(*columns)

    def _columns(self, rows: Places, at: Places, status: Places, begin: Places, *places: Places) -> LineBlock:
        address, target, quotes = places[0], places[1], places[2:]
        none = np.zeros(len(rows), np.int64)
        starts, ends = [none] * FIELDS, [none] * FIELDS
        get = self.four[quotes[0] + 1] == _GET
        starts[TARGET], ends[TARGET] = self._target_starts(quotes[0] + 1, get), target
        starts[ADDRESS], ends[ADDRESS] = begin, address
        if self.expected == COMBINED:
            starts[REFERRER], ends[REFERRER] = quotes[2] + 1, quotes[3]
            starts[AGENT], ends[AGENT] = quotes[4] + 1, quotes[5]
        return LineBlock(self.data, 0, rows, at, status, get, starts, ends)

    def _target_starts(self, request: Places, get: NDArray[np.bool_]) -> Places:
        """Where targets begin: after the method and a space."""
        found = request + 4
        others = np.flatnonzero(~get)
        if len(others):
            reach = request[others][:, None] + np.arange(_LONGEST_METHOD)
            spaces = self.bytes[np.minimum(reach, len(self.data) - 1)] == _SPACE
            found[others] = request[others] + np.where(spaces.any(1), spaces.argmax(1) + 1, 0)
        return found

    def _states(self, closed: Places) -> tuple[Places, NDArray[np.bool_]]:
        """The three digits between spaces after the request."""
        word = self.four[closed + 2]
        fits = (word & 0xFFF0F0F0) == 0x20303030
        fits &= ((word & 0x0F0F0F) + 0x060606) & 0xF0F0F0 == 0
        fits &= self.bytes[closed + 1] == _SPACE
        status = (word & 15) * 100 + ((word >> 8) & 15) * 10 + ((word >> 16) & 15)
        return status.astype(np.int64), fits

    def _tail_fits(self) -> NDArray[np.bool_]:
        raw, quotes, end = self.bytes, self.quotes, self.end
        fits = (raw[quotes[2] - 1] == _SPACE) & (quotes[4] - quotes[3] == 2) & (raw[quotes[4] - 1] == _SPACE)
        after = raw[np.minimum(quotes[5] + 1, end)]
        found: NDArray[np.bool_] = fits & ((after == _NEWLINE) | (after == _SPACE) | (after == _RETURN))
        return found

    def _addresses(self, time: Places) -> tuple[Places, NDArray[np.bool_]]:
        """Where the address ends: at the first space of the line. Most lines have ` - - ` before the time."""
        raw, begin = self.bytes, self.begin
        usual = np.maximum(time - 6, 0)
        plain = (self.four[usual] == _four(b" - -")) & (usual > begin)
        odd = np.flatnonzero(~plain)
        if len(odd):
            reach = np.minimum(begin[odd][:, None] + np.arange(_WINDOW + 16), len(self.data) - 1)
            spaces = raw[reach] == _SPACE
            usual[odd] = begin[odd] + spaces.argmax(1)
            plain[odd] = spaces.any(1) & (usual[odd] < time[odd])
        return usual, plain & (usual > begin)

    def _targets(self, opened: Places, closed: Places) -> tuple[Places, NDArray[np.bool_]]:
        """Where the target of a request ends: before ` HTTP/1.1` or ` HTTP/2`; any other request is read alone."""
        four = self.four
        long = (four[np.maximum(closed - 9, 0)] == _HTTP) & (closed - 9 > opened + 4)
        short = (four[np.maximum(closed - 7, 0)] == _HTTP) & (closed - 7 > opened + 4)
        return np.where(long, closed - 9, closed - 7), long | short


def _times(words: Words) -> tuple[Places, NDArray[np.bool_]]:
    """Times such as `17/May/2015:10:05:03 +0000`, in milliseconds, and which of them are times.

    The day and the offset change seldom, so they are read once for every run of lines that share them; hours, minutes
    and seconds are taken out of the words that hold them, after a look at the places of digits, colons and the space.
    """
    first, second = np.ascontiguousarray(words[:, 1]), np.ascontiguousarray(words[:, 2])
    midnight, fits = _midnights(words, first, second)
    fits &= (first & _FIRST_SHAPE) == _FIRST_MEANT
    fits &= (second & _SECOND_SHAPE) == _SECOND_MEANT
    fits &= ((first & _FIRST_DIGITS) + _FIRST_SIX) & _FIRST_OVER == 0
    fits &= ((second & _SECOND_DIGITS) + _SECOND_SIX) & _SECOND_OVER == 0
    hours = _digit(first, 32) * 10 + _digit(first, 40)
    minutes = _digit(first, 56) * 10 + _digit(second, 0)
    seconds = _digit(second, 16) * 10 + _digit(second, 24)
    fits &= (hours < 24) & (minutes < 60) & (seconds <= 60)
    return (midnight + hours * 3600 + minutes * 60 + seconds) * 1000, fits


_FIRST_SHAPE, _FIRST_MEANT = np.uint64(0xF0FFF0F0FF000000), np.uint64(0x303A30303A000000)
_SECOND_SHAPE, _SECOND_MEANT = np.uint64(0xFFF0F0FFF0), np.uint64(0x2030303A30)
_FIRST_DIGITS, _FIRST_SIX, _FIRST_OVER = (
    np.uint64(number) for number in (0x0F000F0F00000000, 0x0600060600000000, 0xF000F0F000000000)
)
_SECOND_DIGITS, _SECOND_SIX, _SECOND_OVER = (np.uint64(number) for number in (0x0F0F000F, 0x06060006, 0xF0F000F0))


def _digit(words: Words, place: int) -> Places:
    return ((words >> np.uint64(place)) & np.uint64(15)).view(np.int64)


def _midnights(words: Words, first: Words, second: Words) -> tuple[Places, NDArray[np.bool_]]:
    """When each line's day began, and whether that is known."""
    changes = np.ones(len(words), bool)
    parts = (words[:, 0], first & np.uint64(0xFFFFFF), second >> np.uint64(40), words[:, 3] & np.uint64(0xFFFF))
    changes[1:] = False
    for part in parts:
        changes[1:] |= part[1:] != part[:-1]
    begin = np.flatnonzero(changes)
    began = [_midnight(words[row].tobytes()) for row in begin.tolist()]
    runs = np.diff(np.append(begin, len(words)))
    midnight = np.repeat(np.array([each or 0 for each in began], np.int64), runs)
    return midnight, np.repeat(np.array([each is not None for each in began], bool), runs)


def _midnight(text: bytes) -> int | None:
    return midnight_of(text[:11], text[21:_TIME])
