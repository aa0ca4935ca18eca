"""What visitors are called: a hash of address and browser with the key of the day of their request."""

from __future__ import annotations

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
    """Names visitors while the keys of their days are there."""

    def __init__(self, keys: VisitorKeys) -> None:
        self._keys = keys
        self._known: dict[int, bytes | None] = {}
        self.book = VisitorBook(self.key)

    def key(self, day: int) -> bytes | None:
        """The key of a day; None where it was destroyed."""
        if day not in self._known:
            self._known[day] = self._keys.key(day)
        return self._known[day]

    def forget(self, days: list[int]) -> None:
        """These keys were destroyed."""
        self._known.update(dict.fromkeys(days))

    def are_known(self, requests: Requests) -> NDArray[np.bool_]:
        """Which requests can be named: their day's key is there, and the log is not two days past that day."""
        first, last = requests.at.min() // (DAY * 1000), requests.at.max() // (DAY * 1000)
        if first == last and self.key(int(first)) is not None:
            kept: NDArray[np.bool_] = requests.time < (int(first) + 1) * DAY * 1000 + KEYS_KEPT * 1000
            return kept
        days, which = np.unique(requests.day, return_inverse=True)
        known = np.array([self.key(day) is not None for day in days.tolist()], bool)
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
        entries = self.book.add(requests, places, days)
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
