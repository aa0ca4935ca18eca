"""Who saw which page on which day, as numbers: so that a visitor counts once a day.

The numbers are made of the visitor's name and the page. They are kept while the day's
key lives, since they mean nothing without it. For a day without a key the hashes of this
import take the place of names, and its numbers stay in memory.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lycosa.click_records import DAY
from lycosa.clickstream.server_logs.parsing.byte_slices import Places, Words, grouped
from lycosa.clickstream.server_logs.sessions.store_protocol import LogStore
from lycosa.clickstream.server_logs.sessions.visitor_register import VisitorBook

LARGEST = 1 << 22
"""Numbers in one sorted array; larger ones would have to be copied to grow."""


class DayVisitors:
    """The sets of numbers of days."""

    def __init__(self, store: LogStore, site: str, book: VisitorBook) -> None:
        self._book = book
        self._store, self._prefix = store, f"seen:{site}:"
        self._days: dict[int, list[Words]] = {}
        self._parts: dict[int, int] = {}
        self._dropped: int | None = None
        self.marks: dict[str, bytes | None] = {}
        """What to put into the store with the next totals."""

    def new(self, days: Places, entries: Places, pages: Words, before: float) -> NDArray[np.bool_]:
        """Which visitors (by entries of the book) came to a page for the first time on their day.

        From now on none of them does, until the days that ended before a time in seconds are dropped.
        """
        found = np.zeros(len(entries), bool)
        order = np.argsort(days, kind="stable")
        for places in np.split(order, np.flatnonzero(np.diff(days[order])) + 1) if len(order) else ():
            found[places] = self._new(int(days[places[0]]), entries[places], pages[places], before)
        return found

    def _new(self, day: int, entries: Places, pages: Words, before: float) -> NDArray[np.bool_]:
        """The same for views of one day."""
        found = np.zeros(len(entries), bool)
        named = self._book.has_key(day)
        kept = self._known(day, named)
        once, first, _ = grouped((self._book.names(entries)[:, 0] if named else self._book.hashes(entries)) ^ pages)
        unseen = np.ones(len(once), bool)
        for known in kept:
            place = np.minimum(np.searchsorted(known, once), len(known) - 1)
            unseen &= known[place] != once
        found[first[unseen]] = True
        if (day + 1) * DAY > before:
            self._add(day, once[unseen], named)
        return found

    def _known(self, day: int, named: bool) -> list[Words]:
        if day not in self._days:
            self._days[day], self._parts[day] = [], 0
            for _, data in self._store.marks(f"{self._prefix}{day}:") if named else ():
                self._parts[day] += 1
                self._keep(day, np.frombuffer(data, np.uint64))
        return self._days[day]

    def _add(self, day: int, numbers: Words, named: bool) -> None:
        if not len(numbers):
            return
        if named:
            self.marks[f"{self._prefix}{day}:{self._parts[day]:08}"] = numbers.tobytes()
            self._parts[day] += 1
        self._keep(day, numbers)

    def _keep(self, day: int, numbers: Words) -> None:
        """Add a sorted array; arrays of like size become one, so that few are looked into."""
        arrays = self._days[day]
        arrays.append(numbers)
        while len(arrays) > 1 and len(arrays[-2]) < 2 * len(arrays[-1]) and len(arrays[-2]) < LARGEST:
            arrays[-2:] = [np.sort(np.concatenate(arrays[-2:]))]

    def drop(self, before: float) -> None:
        """Forget the days that ended before a time in seconds."""
        if int(before // DAY) == self._dropped:
            return
        self._dropped = int(before // DAY)
        for name, _ in list(self._store.marks(self._prefix)):
            if (self._day_of(name) + 1) * DAY <= before:
                self.marks[name] = None
        for name in [name for name in self.marks if self._day_of(name) * DAY + DAY <= before]:
            self.marks[name] = None
        for day in [day for day in self._days if (day + 1) * DAY <= before]:
            del self._days[day]

    def _day_of(self, name: str) -> int:
        return int(name.removeprefix(self._prefix).partition(":")[0])

    def taken(self) -> dict[str, bytes | None]:
        """What to put into the store, once."""
        found, self.marks = self.marks, {}
        return found
