"""What visitors are called: a hash of address and browser with the key of the day of their request.

A day that was over for 48 hours when the import began gets no key: its visitors are told
apart by the secret hash of the import, in memory only, and never named.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from lycosa.click_records import DAY
from lycosa.clickstream.server_logs.parsing.byte_slices import Places
from lycosa.clickstream.server_logs.parsing.page_requests import Requests
from lycosa.clickstream.server_logs.sessions.open_sessions import OpenSessions
from lycosa.clickstream.server_logs.sessions.store_protocol import VisitorKeys
from lycosa.clickstream.server_logs.sessions.visitor_register import NO_ENTRY, VisitorBook
from lycosa.clickstream.server_logs.sessions.visitor_table import NO_ROW

KEYS_KEPT = 2 * DAY
LONGEST_SESSION = 2
"""Days back in which a session that goes on may have begun."""


class VisitorNames:
    """Names visitors while the keys of their days are there. `now` is the time by the clock, in seconds."""

    def __init__(self, keys: VisitorKeys, now: float) -> None:
        self._keys, self._due = keys, now - KEYS_KEPT
        self._known: dict[int, bytes | None] = {}
        self._on_disk, self._closed = set(keys.days()), keys.closed()
        self._passed: set[int] = set()
        self.book = VisitorBook(self.key)

    def key(self, day: int) -> bytes | None:
        """The key of a day; None where it has none. Only a day whose 48 hours last gets a new one."""
        if day not in self._known:
            lasts = (day + 1) * DAY > self._due
            self._known[day] = self._keys.key(day) if lasts else self._kept_key(day)
        return self._known[day]

    def _kept_key(self, day: int) -> bytes | None:
        return self._keys.kept_key(day) if day in self._on_disk else None

    def _is_open(self, day: int) -> bool:
        """Whether visitors of a day can be told apart: by its key, or, of a past day, by this import alone."""
        if self.key(day) is not None:
            return True
        if (day + 1) * DAY > self._due or day in self._closed:
            return False
        self._passed.add(day)
        return True

    def passed(self, before: float) -> set[int]:
        """The days without a key, met since this was asked last, that ended before a time in seconds."""
        found = {day for day in self._passed if (day + 1) * DAY <= before}
        self._passed -= found
        return found

    def close(self, days: Iterable[int]) -> None:
        """These days are closed: their keys were destroyed, or they had none."""
        self._known.update(dict.fromkeys(days))
        self._closed.update(days)

    def are_known(self, requests: Requests) -> NDArray[np.bool_]:
        """Which requests have a visitor: their day is open, and the log is not two days past that day."""
        first, last = requests.at.min() // (DAY * 1000), requests.at.max() // (DAY * 1000)
        if first == last and self._is_open(int(first)):
            kept: NDArray[np.bool_] = requests.time < (int(first) + 1) * DAY * 1000 + KEYS_KEPT * 1000
            return kept
        days, which = np.unique(requests.day, return_inverse=True)
        known = np.array([self._is_open(day) for day in days.tolist()], bool)
        ends = (days + 1) * DAY + KEYS_KEPT
        found: NDArray[np.bool_] = known[which] & (ends[which] * 1000 > requests.time)
        return found

    def slots(self, requests: Requests, places: Places, opened: OpenSessions) -> Places:
        """The rows of visitors, of each the place of a request; new ones are made."""
        found = opened.by_hash.find(requests.visitor[places])
        new = np.flatnonzero(found == NO_ROW)
        if len(new):
            found[new] = self._new_slots(requests, places[new], opened)
        return found

    def _new_slots(self, requests: Requests, places: Places, opened: OpenSessions) -> Places:
        days, visitors = requests.at[places] // (DAY * 1000), requests.visitor[places]
        entries = self.book.add(requests, places, days, returning=bool(opened.kept))
        if not opened.kept:
            return opened.take(visitors, days, entries)
        found = self._kept_slots(entries, days, opened)
        back, new = np.flatnonzero(found >= 0), np.flatnonzero(found < 0)
        opened.known_as(found[back], visitors[back], days[back], entries[back])
        found[new] = opened.take(visitors[new], days[new], entries[new])
        return found

    def _kept_slots(self, entries: Places, days: Places, opened: OpenSessions) -> Places:
        """Rows that an earlier import left open for visitors; a session over midnight has its first name."""
        found = np.full(len(entries), -1)
        for earlier in opened.kept_days:
            if self.key(earlier) is None:
                continue
            rows = np.flatnonzero((found < 0) & (earlier <= days) & (days <= earlier + LONGEST_SESSION))
            names = self.book.names_on(entries[rows], earlier)
            found[rows] = [opened.kept.pop((earlier, name), -1) for name in names]
        return found

    def entries(self, requests: Requests, places: Places, slot: Places, opened: OpenSessions) -> Places:
        """The entries of visitors on the days of their requests, which are in the order of `slot`."""
        days = requests.day[places]
        found: Places = opened.today_entry[slot]
        other = np.flatnonzero((opened.today[slot] != days) | (found == NO_ENTRY))
        if len(other):
            changes = (np.diff(slot[other]) != 0) | (np.diff(days[other]) != 0)
            begins = np.append(True, changes)
            first = other[begins]
            found[other] = self.book.add(requests, places[first], days[first])[np.cumsum(begins) - 1]
        return found
