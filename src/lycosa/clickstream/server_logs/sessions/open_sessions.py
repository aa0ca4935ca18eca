"""The visitors who may still go on: one row each, in columns, and how they are kept from one import to the next.

A row is stored under its visitor's name, a hash with the key of a day; when that key is
destroyed, the row is closed, for nobody can find it again.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.click_records import DAY
from lycosa.clickstream.server_logs.parsing.byte_slices import Places, Words
from lycosa.clickstream.server_logs.sessions.visitor_register import NO_ENTRY, VisitorBook
from lycosa.clickstream.server_logs.sessions.visitor_table import VisitorRows
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
    """Rows of visitors. `page` is the last page seen, or NOTHING_OPEN; `robot_until` is 0 for people.

    `first_entry` says in the book who it was when the session began, `today_entry` who it is on the day `today`.
    """

    def __init__(self, book: VisitorBook, room: int = 1024) -> None:
        self._book = book
        self.at, self.page, self.minute, self.rate = (np.zeros(room, np.int64) for _ in range(4))
        self.robot_until, self.why, self.first_day, self.today = (np.zeros(room, np.int64) for _ in range(4))
        self.first_entry, self.today_entry = (np.full(room, NO_ENTRY) for _ in range(2))
        self.taken: NDArray[np.bool_] = np.zeros(room, bool)
        self._hash: Words = np.zeros(room, np.uint64)
        self._free = list(range(room - 1, -1, -1))
        self.by_hash = VisitorRows()
        self.kept: dict[tuple[int, bytes], int] = {}
        """Rows of an earlier import whose visitors did not come back yet, by day and name."""
        self.kept_days: list[int] = []
        self._kept_as: dict[int, tuple[int, bytes]] = {}

    def __len__(self) -> int:
        return len(self.taken) - len(self._free)

    def take(self, visitors: Words, days: Places, entries: Places) -> Places:
        """Rows for new visitors."""
        while len(self._free) < len(entries):
            self._grow()
        kept = len(self._free) - len(entries)
        slots = np.array(self._free[kept:][::-1], np.int64)
        del self._free[kept:]
        self.taken[slots] = True
        for column in (self.at, self.minute, self.rate, self.robot_until, self.why):
            column[slots] = 0
        self.page[slots] = NOTHING_OPEN
        self.first_day[slots] = self.today[slots] = days
        self.first_entry[slots] = self.today_entry[slots] = entries
        self._hash[slots] = visitors
        self.by_hash.put(visitors, slots)
        return slots

    def known_as(self, slots: Places, visitors: Words, days: Places, entries: Places) -> None:
        """This import knows the visitors of kept rows by hashes and entries of its own."""
        for slot in slots.tolist():
            del self._kept_as[slot]
        self.today[slots], self.today_entry[slots] = days, entries
        self._hash[slots] = visitors
        self.by_hash.put(visitors, slots)

    def _grow(self) -> None:
        room = len(self.taken)
        for name in (*_COLUMNS, "today", "first_entry", "today_entry", "taken", "_hash"):
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
        slots = np.flatnonzero(over)
        if not len(slots):
            return
        self.by_hash.drop(self._hash[slots])
        for slot in slots.tolist() if self.kept else ():
            if slot in self._kept_as:
                self.kept.pop(self._kept_as.pop(slot), None)
        self._free += slots.tolist()
        self.taken[slots] = False

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
        names = self._book.names(self.first_entry[rows])
        return _encode(KeptSessions(urls(pages[int(has) :]), columns, names.tobytes()))

    def saved(self) -> None:
        """All rows were stored: the book need not know more of their visitors than their names."""
        rows = np.flatnonzero(self.taken)
        same = self.today_entry[rows] == self.first_entry[rows]
        self.first_entry[rows] = self._book.keep(self.first_entry[rows])
        self.today_entry[rows] = np.where(same, self.first_entry[rows], NO_ENTRY)

    @classmethod
    def unpacked(cls, data: bytes | None, book: VisitorBook, number: Callable[[str], int]) -> OpenSessions:
        """The rows of an earlier import."""
        if data is None:
            return cls(book)
        kept = _decode(data)
        ids = np.frombuffer(kept.ids, np.uint64).reshape(-1, 2)
        found = cls(book, max(1024, 2 * len(ids)))
        pages = np.array([*map(number, kept.urls), NOTHING_OPEN], np.int64)
        days, nobody = np.frombuffer(kept.columns["first_day"], np.int64), np.zeros(len(ids), np.uint64)
        slots = found.take(nobody, days, book.add_named(days, nobody, ids))
        found.by_hash.clear()
        for name in _COLUMNS:
            values = np.frombuffer(kept.columns[name], np.int64)
            getattr(found, name)[slots] = pages[values] if name == "page" else values
        names = [(day, name.tobytes()) for day, name in zip(days.tolist(), ids, strict=True)]
        found._kept_as = dict(zip(slots.tolist(), names, strict=True))
        found.kept = {name: slot for slot, name in found._kept_as.items()}
        found.kept_days = sorted({day for day, _ in names}, reverse=True)
        return found
