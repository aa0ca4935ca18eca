"""The visitors who may still go on: one row each, in columns, and how they are kept from one import to the next.

A row knows its visitor by a hash with the key of a day, never by address or browser;
when that day's key is destroyed, the row is closed, for nobody can find it again.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.clicks import DAY
from lycosa.clickstream.server_logs.byte_slices import Places, Words
from lycosa.records import Record

NOTHING_OPEN = -1
MOST_OPEN = 300_000
_COLUMNS = ("at", "page", "minute", "rate", "robot_until", "why", "first_day")


class KeptSessions(Record, frozen=True):
    """Open sessions as they are stored: a table of pages, and columns."""

    urls: list[str]
    columns: dict[str, bytes]
    ids: bytes


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(KeptSessions).decode


class OpenSessions:
    """Rows of visitors. `page` is the last page seen, or NOTHING_OPEN; `robot_until` is 0 for people."""

    def __init__(self, room: int = 1024) -> None:
        self.at, self.page, self.minute, self.rate = (np.zeros(room, np.int64) for _ in range(4))
        self.robot_until, self.why, self.first_day, self.today = (np.zeros(room, np.int64) for _ in range(4))
        self.first_id: Words = np.zeros((room, 2), np.uint64)
        self.today_id: Words = np.zeros((room, 2), np.uint64)
        self.taken: NDArray[np.bool_] = np.zeros(room, bool)
        self._hash: Words = np.zeros(room, np.uint64)
        self._free = list(range(room - 1, -1, -1))
        self.by_hash: dict[int, int] = {}
        self.kept: dict[tuple[int, bytes], int] = {}
        """Rows of an earlier import whose visitors did not come back yet, by day and name."""
        self.kept_days: list[int] = []

    def __len__(self) -> int:
        return len(self.taken) - len(self._free)

    def take(self, visitors: Words, days: Places, names: list[bytes]) -> Places:
        """Rows for new visitors."""
        while len(self._free) < len(names):
            self._grow()
        kept = len(self._free) - len(names)
        slots = np.array(self._free[kept:][::-1], np.int64)
        del self._free[kept:]
        ids = np.frombuffer(b"".join(names), np.uint64).reshape(-1, 2)
        self.taken[slots] = True
        for column in (self.at, self.minute, self.rate, self.robot_until, self.why):
            column[slots] = 0
        self.page[slots] = NOTHING_OPEN
        self.first_day[slots] = self.today[slots] = days
        self.first_id[slots] = self.today_id[slots] = ids
        self._hash[slots] = visitors
        self.by_hash.update(zip(visitors.tolist(), slots.tolist(), strict=True))
        return slots

    def known_as(self, slot: int, visitor: int, day: int, name: bytes) -> None:
        """This import knows the visitor of a row by a hash of its own."""
        self.today[slot], self.today_id[slot] = day, np.frombuffer(name, np.uint64)
        self._hash[slot] = visitor
        self.by_hash[visitor] = slot

    def _grow(self) -> None:
        room = len(self.taken)
        for name in (*_COLUMNS, "today", "first_id", "today_id", "taken", "_hash"):
            column = getattr(self, name)
            setattr(self, name, np.concatenate((column, np.zeros_like(column))))
        self._free = [*range(2 * room - 1, room - 1, -1), *self._free]

    def close(self, time: int, timeout: int) -> Places:
        """Close sessions that timed out, and forget who has nothing open. Returns the last pages of what was closed."""
        over = self.taken & (self.page >= 0) & (time - self.at > timeout)
        pages = self._end(over)
        self._forget(self.taken & (self.page < 0) & (self.robot_until <= time))
        if len(self) > MOST_OPEN:
            oldest = np.sort(self.at[self.taken])[len(self) - MOST_OPEN]
            crowded = self.taken & (self.at <= oldest)
            pages = np.concatenate((pages, self._end(crowded & (self.page >= 0))))
            self._forget(crowded)
        return pages

    def close_before(self, before: float) -> Places:
        """Close the rows named by the keys of days that ended before a time in seconds."""
        over = self.taken & ((self.first_day + 1) * DAY <= before)
        pages = self._end(over & (self.page >= 0))
        self._forget(over)
        return pages

    def _end(self, over: NDArray[np.bool_]) -> Places:
        pages = self.page[over]
        self.page[over] = NOTHING_OPEN
        return pages

    def _forget(self, over: NDArray[np.bool_]) -> None:
        slots = np.flatnonzero(over).tolist()
        for visitor in self._hash[slots].tolist():
            self.by_hash.pop(visitor, None)
        for slot in slots if self.kept else ():
            self.kept.pop((int(self.first_day[slot]), self.first_id[slot].tobytes()), None)
        self._free += slots
        self.taken[over] = False

    def renumber(self, numbers: Callable[[Places], Places]) -> None:
        """Pages get other numbers."""
        has = self.taken & (self.page >= 0)
        self.page[has] = numbers(self.page[has])

    def packed(self, urls: Callable[[Places], list[str]]) -> bytes:
        """All rows as they are stored."""
        rows = np.flatnonzero(self.taken)
        pages, which = np.unique(self.page[rows], return_inverse=True)
        has = len(pages) and pages[0] == NOTHING_OPEN
        columns = {name: getattr(self, name)[rows].tobytes() for name in _COLUMNS}
        columns["page"] = (which.reshape(-1) - int(has)).astype(np.int64).tobytes()
        return _encode(KeptSessions(urls(pages[int(has) :]), columns, self.first_id[rows].tobytes()))

    @classmethod
    def unpacked(cls, data: bytes | None, number: Callable[[str], int]) -> OpenSessions:
        """The rows of an earlier import."""
        if data is None:
            return cls()
        kept = _decode(data)
        ids = np.frombuffer(kept.ids, np.uint64).reshape(-1, 2)
        found = cls(max(1024, 2 * len(ids)))
        pages = np.array([*map(number, kept.urls), NOTHING_OPEN], np.int64)
        found.take(np.zeros(len(ids), np.uint64), np.zeros(len(ids), np.int64), [each.tobytes() for each in ids])
        found.by_hash.clear()
        for name in _COLUMNS:
            values = np.frombuffer(kept.columns[name], np.int64)
            getattr(found, name)[: len(ids)] = pages[values] if name == "page" else values
        found.today[: len(ids)] = found.first_day[: len(ids)]
        found.kept = {(int(day), ids[place].tobytes()): place for place, day in enumerate(found.first_day[: len(ids)])}
        found.kept_days = sorted({day for day, _ in found.kept}, reverse=True)
        return found
