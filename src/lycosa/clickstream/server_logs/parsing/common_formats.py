"""Lines of the common and combined formats, read all at once.

They stand in a fixed order around their quotes, so a few passes over the bytes find
every field; whatever does not fit exactly is left to the format, which reads it alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lycosa.clickstream.server_logs.parsing.byte_slices import NARROW, Places, Words, slices, windows
from lycosa.clickstream.server_logs.parsing.columns import ADDRESS, AGENT, FIELDS, REFERRER, TARGET, LineBlock
from lycosa.clickstream.server_logs.parsing.digit_words import Digits, clocks, digit_at, is_written, shape
from lycosa.clickstream.server_logs.parsing.formats import COMBINED, COMMON
from lycosa.clickstream.server_logs.parsing.line_marks import LineMarks
from lycosa.clickstream.server_logs.parsing.timestamps import midnight_of

_NEWLINE, _SPACE, _BACKSLASH, _RETURN, _BRACKET = 10, 32, 92, 13, 91
_BEFORE = 40
"""Bytes before a request that are looked at: `.1 - - [17/May/2015:10:05:03 +0000] `, so that the hour begins a word."""
_TIME = 28
"""Bytes from the beginning of a time to the request."""
_FURTHEST_ADDRESS = 48
_LONGEST_METHOD = 20
_CLOSING = 17
"""Bytes before the end of a request that are looked at: `/one.png HTTP/1.1`."""


_LONG, _SHORT, _GET = shape(b" HTTP/0."), shape(b"__ HTTP/"), shape(b"_GET ___")
_NOBODY, _NO_NAME = shape(b"______ -"), shape(b" -______")
_TWO = np.uint64(16)


_state = Digits(b"0_ 000 _")


def requests_first(raw: NDArray[np.uint8], marks: LineMarks, expected: int) -> tuple[Places, NDArray[np.bool_]]:
    """Which mark of each line is the first quote of its request, and which lines have the quotes of a format.

    A common line has no others, a combined one may. Before the request only an empty user is quoted.
    """
    first, number = marks.first, marks.last - marks.first
    more = np.flatnonzero(number >= expected + 2)
    opened, closed = marks.places.take(first.take(more)), marks.places.take(first.take(more) + 1)
    after = raw.take(closed[:, None] + (1, 2), mode="clip")
    nameless = more[(closed - opened == 1) & (after == (_SPACE, _BRACKET)).all(1)]
    first[nameless] += 2
    number[nameless] -= 2
    return first, number == COMMON if expected == COMMON else number >= expected


@dataclass(slots=True, frozen=True)
class Cut:
    """Lines that are cut at the quotes of their requests: where they begin and end, and where these quotes are.

    `first` says which mark of the block is the first quote. `near` are three words around the end of the request, the
    second of which begins where ` HTTP/1.1` does.
    """

    rows: Places
    first: Places
    begin: Places
    end: Places
    opened: Places
    closed: Places
    near: Words

    @classmethod
    def at(cls, data: bytes, marks: Places, rows: Places, first: Places, begin: Places, end: Places) -> Cut:
        """Cut lines, each of which has two quotes."""
        opened, closed = marks.take(first), marks.take(first + 1)
        return cls(rows, first, begin, end, opened, closed, windows(data, 24, np.maximum(closed - _CLOSING, 0)))

    def only(self, chosen: Places) -> Cut:
        """Some of the lines."""
        every = (self.rows, self.first, self.begin, self.end, self.opened, self.closed)
        rows, first, begin, end, opened, closed = (each.take(chosen) for each in every)
        return Cut(rows, first, begin, end, opened, closed, self.near.take(chosen, axis=0))


class RegularLines:
    """The lines of a block that are written around their quotes in the usual way, read all at once."""

    def __init__(self, data: bytes, expected: int, marks: Places) -> None:
        self.data, self.expected, self.marks = data, expected, marks
        self.bytes = np.frombuffer(data, np.uint8)

    def block(self, cut: Cut) -> LineBlock:
        """Those lines that fit, as columns."""
        if not len(cut.rows):
            return LineBlock.none(self.data)
        before = windows(self.data, 64, np.maximum(cut.opened - _BEFORE, 0))
        words = np.ascontiguousarray(before[:, :6].T)
        at, fits = _times(before, words)
        fits &= (cut.opened - cut.begin >= _TIME + 4) & (cut.end - cut.closed >= 5)
        status, stated = _states(np.ascontiguousarray(cut.near[:, 2]))
        target, requested = _targets(np.ascontiguousarray(cut.near[:, 1]), cut.opened, cut.closed)
        address, addressed = self._addresses(cut, words)
        fits &= stated & requested & addressed
        get = is_written(words[5], _GET)
        start = self._target_starts(cut, get)
        fits &= start <= target
        starts, ends = [cut.begin, start], [address, target]
        if self.expected == COMBINED:
            fits &= self._tails(cut, starts, ends)
        return self._columns(fits, (cut.rows, at, status), get, starts, ends)

    def _columns(
        self, fits: NDArray[np.bool_], told: tuple[Places, ...], get: NDArray[np.bool_],
        starts: list[Places], ends: list[Places],
    ) -> LineBlock:  # fmt: skip
        if not fits.all():
            chosen = np.flatnonzero(fits)
            told, get = tuple(each.take(chosen) for each in told), get.take(chosen)
            starts, ends = [each.take(chosen) for each in starts], [each.take(chosen) for each in ends]
        none = np.zeros(len(get), np.int64)
        rows, at, status = told
        found = LineBlock(self.data, 0, rows, at, status, get, [none] * FIELDS, [none] * FIELDS)
        for name, start, end in zip((ADDRESS, TARGET, REFERRER, AGENT), starts, ends, strict=False):
            found.starts[name], found.ends[name] = start, end
        return found

    def _target_starts(self, cut: Cut, get: NDArray[np.bool_]) -> Places:
        """Where targets begin: after the method and a space; at the end of a request whose method is too long."""
        found = cut.opened + 5
        others = np.flatnonzero(~get)
        if len(others):
            request = cut.opened[others] + 1
            reach = request[:, None] + np.arange(_LONGEST_METHOD)
            spaces = self.bytes[np.minimum(reach, len(self.data) - 1)] == _SPACE
            found[others] = np.where(spaces.any(1), request + spaces.argmax(1) + 1, cut.closed[others])
        return found

    def _tails(self, cut: Cut, starts: list[Places], ends: list[Places]) -> NDArray[np.bool_]:
        """Referrers and browsers, and where they stand between quotes and spaces as they should."""
        raw = self.bytes
        first, second, third, last = (self.marks.take(cut.first + number) for number in range(2, COMBINED))
        fits: NDArray[np.bool_] = (
            (raw.take(first - 1) == _SPACE) & (third - second == 2) & (raw.take(third - 1) == _SPACE)
        )
        fits &= (raw.take(second - 1) != _BACKSLASH) & (raw.take(last - 1) != _BACKSLASH)
        after = raw.take(np.minimum(last + 1, cut.end))
        fits &= (after == _NEWLINE) | (after == _SPACE) | ((after == _RETURN) & (last + 2 == cut.end))
        starts += [first + 1, third + 1]
        ends += [second, last]
        return fits

    def _addresses(self, cut: Cut, words: Words) -> tuple[Places, NDArray[np.bool_]]:
        """Where the address ends: at the first space of the line. Most lines have ` - - ` before the time."""
        found, begin = cut.opened - _TIME - 6, cut.begin
        fits = is_written(words[0], _NOBODY) & is_written(words[1], _NO_NAME) & (found > begin)
        fits[self._broken(begin, np.where(fits, found - begin, 0))] = False
        odd = np.flatnonzero(~fits)
        if len(odd):
            first = begin[odd]
            reach = np.minimum(first[:, None] + np.arange(_FURTHEST_ADDRESS), len(self.data) - 1)
            end = first + (self.bytes[reach] <= _SPACE).argmax(1)
            found[odd] = end
            fits[odd] = (self.bytes[end] == _SPACE) & (end < cut.opened[odd] - _TIME) & (end > first)
        return found, fits

    def _broken(self, starts: Places, lengths: Places) -> Places:
        """Which slices hold white space: a space, or a byte below it that is not 0."""
        found, rows = list[Places](), np.arange(len(starts))
        while len(rows):
            piece = slices(self.data, NARROW, starts, np.minimum(lengths, NARROW)).view(np.uint8)
            piece -= 1
            found.append(rows.take(np.flatnonzero((piece < _SPACE).view(np.uint64)) // 2))
            longer = np.flatnonzero(lengths > NARROW)
            rows, starts, lengths = rows.take(longer), starts.take(longer) + NARROW, lengths.take(longer) - NARROW
        return np.concatenate(found)


def _states(words: Words) -> tuple[Places, NDArray[np.bool_]]:
    """The three digits between spaces after the request, which ends with a digit: a word begins with its last byte."""
    digits, fits = _state.read(words)
    return digit_at(digits, 24) * 100 + digit_at(digits, 32) * 10 + digit_at(digits, 40), fits


def _targets(words: Words, opened: Places, closed: Places) -> tuple[Places, NDArray[np.bool_]]:
    """Where the target of a request ends: before ` HTTP/1.1` or ` HTTP/2`; any other request is read alone."""
    long = is_written(words, _LONG) & (closed - 9 > opened + 4)
    short = is_written(words, _SHORT) & (closed - 7 > opened + 4)
    return np.where(long, closed - 9, closed - 7), long | short


def _times(before: Words, words: Words) -> tuple[Places, NDArray[np.bool_]]:
    """Times such as `17/May/2015:10:05:03 +0000`, in milliseconds, and which of them are times.

    The day and the offset change seldom, so they are read once for every run of lines that share them; hours, minutes
    and seconds are taken out of the word that holds them, all at once.
    """
    midnight, fits = _midnights(before, words)
    seconds, timely = clocks(words[3], 60)
    fits &= timely
    midnight += seconds
    return midnight * 1000, fits


def _midnights(before: Words, words: Words) -> tuple[Places, NDArray[np.bool_]]:
    """When each line's day began, and whether that is known."""
    changes = np.ones(len(before), bool)
    day = words[1] >> _TWO
    changes[1:] = day[1:] != day[:-1]
    for part in (words[2], words[4]):
        changes[1:] |= part[1:] != part[:-1]
    begin = np.flatnonzero(changes)
    began = [_midnight(before[row].tobytes()) for row in begin.tolist()]
    runs = np.diff(begin, append=len(before))
    midnight = np.repeat(np.array([each or 0 for each in began], np.int64), runs)
    return midnight, np.repeat(np.array([each is not None for each in began], bool), runs)


def _midnight(text: bytes) -> int | None:
    """The beginning of the day of a time, which stands between brackets in bytes that were looked at."""
    first = _BEFORE - _TIME
    around = text[first - 2 : first], text[first + 11 : first + 12], text[first + 20 : first + 21], text[38:40]
    return midnight_of(text[first : first + 11], text[first + 21 : first + 26]) if around == _AROUND else None


_AROUND = (b" [", b":", b" ", b"] ")
