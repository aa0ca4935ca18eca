"""When a request came: the ways in which servers write a time, as milliseconds since 1970.

Servers write local time with an offset, UTC, or seconds since 1970. A time that
means nothing is None: the line is bad, nobody guesses.
"""

from __future__ import annotations

import re
from calendar import timegm
from datetime import UTC, date, datetime
from functools import lru_cache

_MONTHS = {
    name: number
    for number, name in enumerate(
        (b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"), 1
    )
}
_APACHE = re.compile(rb"(\d\d)/([A-Za-z]{3})/(\d{4}):(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?: ([+-]\d{4}))?")
_EPOCH = re.compile(rb"(\d{1,16})(?:\.(\d{1,9}))?")
_MOST_SECONDS = 253_402_300_800
"""The year 10000; larger numbers since 1970 are milliseconds or microseconds."""

_DIRECTIVE = re.compile("%(.?)", re.DOTALL)
_STANDS_FOR = {
    "F": "%Y-%m-%d", "T": "%H:%M:%S", "D": "%m/%d/%y", "R": "%H:%M", "r": "%I:%M:%S %p", "e": "%d", "h": "%b",
    "c": "%a %b %d %H:%M:%S %Y", "x": "%m/%d/%y", "X": "%H:%M:%S", "t": "\t",
}  # fmt: skip
"""Directives of strftime that are short for others; those that depend on a locale as they are without one."""
_WRITTEN = {
    "%": rb"%", "Y": rb"\d{4}", "d": rb"[ \d]?\d", "f": rb"\d{1,6}", "j": rb"\d{1,3}", "p": rb"[AaPp][Mm]",
    "z": rb"(?:[+-]\d\d:?\d\d|Z)", "Z": rb"(?:UTC|GMT)",
    **dict.fromkeys("mHIMSyUWwu", rb"\d\d?"), **dict.fromkeys("aAbB", rb"[A-Za-z]+"),
}  # fmt: skip
"""What the others look like in a log."""
_AN_EVENING = datetime(2015, 5, 17, 22, tzinfo=UTC)


@lru_cache(maxsize=4096)
def midnight_of(day: bytes, offset: bytes) -> int | None:
    """The second since 1970 at which a day such as `17/May/2015` began at an offset such as `+0200`."""
    month = _MONTHS.get(day[3:6].lower())
    if len(day) != 11 or day[2:3] + day[6:7] != b"//" or month is None or not (day[:2] + day[7:]).isdigit():
        return None
    if len(offset) != 5 or offset[:1] not in (b"+", b"-") or not offset[1:].isdigit():
        return None
    try:
        since = date(int(day[7:]), month, int(day[:2])).toordinal() - 719_163
    except ValueError:
        return None
    hours, minutes = int(offset[1:3]), int(offset[3:])
    if hours > 15 or minutes > 59:
        return None
    east = hours * 3600 + minutes * 60
    return since * 86_400 - (east if offset[:1] == b"+" else -east)


def milliseconds(text: bytes) -> int | None:
    """A time in Apache's or nginx's spelling, in ISO 8601, or as a number since 1970."""
    found = _APACHE.fullmatch(text)
    if found is not None:
        return _apache(found)
    if _EPOCH.fullmatch(text):
        return _epoch(text)
    return _iso(text)


def _apache(found: re.Match[bytes]) -> int | None:
    began = midnight_of(b"%s/%s/%s" % found.group(1, 2, 3), found[8] or b"+0000")
    hour, minute, second = (int(part) for part in found.group(4, 5, 6))
    if began is None or hour > 23 or minute > 59 or second > 60:
        return None
    return (began + hour * 3600 + minute * 60 + second) * 1000 + int((found[7] or b"0").ljust(3, b"0")[:3])


def _epoch(text: bytes) -> int | None:
    whole, _, part = text.partition(b".")
    number = int(whole)
    if number < _MOST_SECONDS:
        return number * 1000 + int(part.ljust(3, b"0")[:3])
    return number if number < _MOST_SECONDS * 1000 else number // 1000


@lru_cache(maxsize=4096)
def _iso(text: bytes) -> int | None:
    try:
        moment = datetime.fromisoformat(text.decode("ascii"))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return timegm(moment.timetuple()) * 1000 + moment.microsecond // 1000


def plain_pattern(told: str) -> str:
    """A pattern in strftime's notation with nothing in it but what `by_pattern` can read; a ValueError says what it
    cannot."""
    pattern = _DIRECTIVE.sub(lambda found: _STANDS_FOR.get(found[1], found[0]), told)
    for letter in _DIRECTIVE.findall(pattern):
        if letter not in _WRITTEN:
            raise ValueError(f"its time {told!r} has a %{letter} in it, which nobody could read")
    return pattern


def is_whole(pattern: str) -> bool:
    """Whether times of a plain pattern say the year, the day and the hour, each once."""
    try:
        return datetime.strptime(_AN_EVENING.strftime(pattern), pattern).replace(tzinfo=UTC) == _AN_EVENING
    except (ValueError, re.error):
        return False


def expression(pattern: str) -> bytes:
    """A regular expression for the times of a plain pattern."""
    pieces = _DIRECTIVE.split(pattern)
    return b"".join(_WRITTEN[each] if place % 2 else re.escape(each.encode()) for place, each in enumerate(pieces))


@lru_cache(maxsize=4096)
def by_pattern(text: bytes, pattern: str) -> int | None:
    """A time in a spelling of the user's own, told by a plain pattern; without an offset it is UTC."""
    try:
        moment = datetime.strptime(text.decode("utf-8"), pattern)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return timegm(moment.timetuple()) * 1000 + moment.microsecond // 1000
