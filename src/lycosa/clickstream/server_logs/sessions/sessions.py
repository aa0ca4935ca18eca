"""Who went on reading: the requests of each visitor as sessions, for whole blocks of requests at once.

A session ends when the log's time is more than the time-out past its last page. The
time on a page is the gap to the visitor's next page in the session; the last page has no
known end. A visitor who reads robots.txt, or asks for more pages in a minute than a
person can, is a robot from then on for a day. The log's time is the latest time so far in
the log, so nothing here depends on how a log is cut into blocks, files or imports.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lycosa.click_records import DAY
from lycosa.clickstream.server_logs.parsing.byte_slices import Places, in_order
from lycosa.clickstream.server_logs.parsing.page_requests import Requests
from lycosa.clickstream.server_logs.sessions.open_sessions import NOTHING_OPEN, OpenSessions
from lycosa.clickstream.server_logs.sessions.pseudonyms import VisitorNames
from lycosa.clickstream.server_logs.sessions.visitor_register import NO_ENTRY

ROBOTS_TXT = -2
"""Stands in the place of a page for a look at robots.txt."""
FASTEST = 30
"""More pages than this in one minute of the clock are not read by a person."""
MINUTE = 60_000
ROBOT_FOR = DAY * 1000
NO_PLACES = np.zeros(0, np.int64)
_WHY = {1: "robots-txt-reader", 2: "inhuman-rate"}


@dataclass(slots=True)
class Followed:
    """What came of a block of requests. Pages are numbers, times are in milliseconds.

    `kept` says which requests are views; `entries` say who the visitor of each is on its day, NO_ENTRY where nobody
    knows. `spans` are pages and the times on them, `unended` pages whose end nobody saw.
    """

    kept: NDArray[np.bool_]
    entries: Places
    span_pages: Places = field(default_factory=lambda: NO_PLACES)
    span_times: Places = field(default_factory=lambda: NO_PLACES)
    unended: Places = field(default_factory=lambda: NO_PLACES)
    sessions: int = 0
    without_session: int = 0
    counts: Counter[str] = field(default_factory=Counter)


class Sessions:
    """The sessions of a site's visitors."""

    def __init__(self, names: VisitorNames, opened: OpenSessions, timeout: int) -> None:
        self._names, self.open, self.timeout = names, opened, timeout

    def follow(self, requests: Requests) -> Followed:
        """Requests in the order of the log."""
        named = self._names.are_known(requests)
        found = Followed(np.ones(len(named), bool), np.full(len(named), NO_ENTRY))
        if named.all():
            self._follow_named(requests, np.arange(len(named)), found)
            return found
        nameless = ~named
        found.kept[nameless] = requests.page[nameless] != ROBOTS_TXT
        found.unended = requests.page[nameless & found.kept]
        found.without_session = len(found.unended)
        found.counts["robots-txt-reader"] += int((nameless & ~found.kept).sum())
        if named.any():
            self._follow_named(requests, np.flatnonzero(named), found)
        return found

    def _follow_named(self, requests: Requests, chosen: Places, found: Followed) -> None:
        places = chosen[in_order(requests.visitor[chosen])]
        visitor = requests.visitor[places]
        firsts = np.flatnonzero(np.append(True, visitor[1:] != visitor[:-1]))
        slots = self._names.slots(requests, places[firsts], self.open)
        slot = np.repeat(slots, np.diff(firsts, append=len(places)))
        entries = self._names.entries(requests, places, slot, self.open)
        found.entries[places] = entries
        _Walk(self, requests, places, slot, entries).walk(found)

    def close(self, time: int) -> Places:
        """Close what timed out by the log's time. Returns the pages whose end nobody saw."""
        return self.open.close(time, self.timeout)


class _Walk:
    """Requests sorted by visitor, each visitor's in the order of the log."""

    def __init__(self, sessions: Sessions, requests: Requests, places: Places, slot: Places, entries: Places) -> None:
        self.open, self.timeout = sessions.open, sessions.timeout
        self.places, self.slot, self.entries = places, slot, entries
        self.found = Followed(np.zeros(0, bool), entries)
        self.at, self.time = requests.at[places], requests.time[places]
        self.page, self.day = requests.page[places], requests.day[places]
        begins = np.ones(len(slot), bool)
        begins[1:] = slot[1:] != slot[:-1]
        self.begins = begins
        self.starts = np.flatnonzero(begins)
        self.runs = slot[self.starts]

    def walk(self, found: Followed) -> None:
        self.found = found
        opened = self.open
        before_at, before_page = self._before(self.at, opened.at), self._before(self.page, opened.page)
        minute = self.at // MINUTE
        goes_on = (before_page >= 0) & (self.time - before_at <= self.timeout)
        goes_on &= self.at - before_at >= -self.timeout
        rate = self._rates(goes_on & (minute == self._before(minute, opened.minute)))
        odd = np.logical_or.reduceat((rate > FASTEST) | (self.page == ROBOTS_TXT), self.starts)
        known = opened.robot_until[self.runs]
        odd |= known > 0
        if odd.any():
            stops = np.append(self.starts[1:], len(self.slot))
            lengths = stops - self.starts
            plain = ~np.repeat(odd, lengths)
            robots = self._robots(odd, known, stops - 1, lengths)
            turns = np.flatnonzero(odd & ~robots).tolist()
            told = [self._one_by_one(int(self.starts[run]), int(stops[run])) for run in turns]
            self._count(plain, goes_on, before_at, before_page)
            self._keep(~odd, minute, rate, goes_on)
            self._join(told)
        else:
            self._count(np.ones(len(self.slot), bool), goes_on, before_at, before_page)
            self._keep(~odd, minute, rate, goes_on)

    def _robots(self, odd: NDArray[np.bool_], known: Places, last: Places, lengths: Places) -> NDArray[np.bool_]:
        """Visitors who are robots all the while: none of it counts. The rest of the odd ones go one by one.

        They were known before and do not look at robots.txt again, or they begin with such a look.
        """
        opened, asked = self.open, self.page == ROBOTS_TXT
        begin = odd & asked[self.starts] & (self.time[last] - self.time[self.starts] < ROBOT_FOR)
        robots = odd & (known > self.time[last]) & ~np.logical_or.reduceat(asked, self.starts)
        why = opened.why[self.runs]
        for number, name in _WHY.items():
            self.found.counts[name] += int(lengths[robots & (why == number)].sum())
        self.found.counts[_WHY[1]] += int(lengths[begin].sum())
        slots, latest = (
            self.runs[begin],
            np.maximum.reduceat(np.where(asked, np.arange(len(asked)), 0), self.starts)[begin],
        )
        left = opened.page[slots]
        self.found.unended = np.concatenate((self.found.unended, left[left >= 0]))
        opened.page[slots], opened.why[slots] = NOTHING_OPEN, 1
        opened.robot_until[slots] = self.time[latest] + ROBOT_FOR
        opened.first_day[slots], opened.first_entry[slots] = self.day[latest], self.entries[latest]
        robots |= begin
        self.found.kept[self.places[np.repeat(robots, lengths)]] = False
        return robots

    def _before(self, values: Places, kept: Places) -> Places:
        """The value of the visitor's request before, from what is open for the first one."""
        before = np.empty_like(values)
        before[1:] = values[:-1]
        before[self.starts] = kept[self.runs]
        return before

    def _rates(self, same_minute: NDArray[np.bool_]) -> Places:
        """The how-manieth page of the visitor's session in its minute each request is."""
        numbers = np.arange(len(self.slot))
        extra = np.where(same_minute & self.begins, self.open.rate[self.slot], 0)
        since = np.maximum.accumulate(np.where(~same_minute | self.begins, numbers, 0))
        found: Places = numbers - since + 1 + extra[since]
        return found

    def _count(
        self, plain: NDArray[np.bool_], goes_on: NDArray[np.bool_], before_at: Places, before_page: Places
    ) -> None:
        found = self.found
        on = plain & goes_on
        gaps = self.at[on] - before_at[on]
        found.counts["clock-backwards"] += int((gaps < 0).sum())
        found.span_pages, found.span_times = before_page[on], np.maximum(gaps, 0)
        new = plain & ~goes_on
        found.sessions += int(new.sum())
        found.unended = np.concatenate((found.unended, before_page[new & (before_page >= 0)]))

    def _keep(self, chosen: NDArray[np.bool_], minute: Places, rate: Places, goes_on: NDArray[np.bool_]) -> None:
        """Remember where each visitor is now."""
        opened = self.open
        last = np.append(self.starts[1:], len(self.slot))[chosen] - 1
        slots = self.runs[chosen]
        opened.at[slots], opened.page[slots] = self.at[last], self.page[last]
        opened.minute[slots], opened.rate[slots] = minute[last], rate[last]
        opened.today[slots], opened.today_entry[slots] = self.day[last], self.entries[last]
        begun = np.maximum.reduceat(np.where(goes_on, -1, np.arange(len(goes_on))), self.starts)[chosen]
        new = begun >= 0
        opened.first_day[slots[new]], opened.first_entry[slots[new]] = self.day[begun[new]], self.entries[begun[new]]

    def _join(self, told: list[tuple[list[int], list[int], list[int]]]) -> None:
        found = self.found
        pages, times, unended = ([each for one in told for each in one[part]] for part in range(3))
        found.span_pages = np.concatenate((found.span_pages, np.array(pages, np.int64)))
        found.span_times = np.concatenate((found.span_times, np.array(times, np.int64)))
        found.unended = np.concatenate((found.unended, np.array(unended, np.int64)))

    def _one_by_one(self, start: int, stop: int) -> tuple[list[int], list[int], list[int]]:
        """A visitor who may be a robot: each request in its turn."""
        slot = int(self.slot[start])
        visitor = _Visitor(self.open, slot, self.timeout, self.found.counts)
        asked = zip(*(each[start:stop].tolist() for each in (self.at, self.time, self.page)), strict=True)
        for place, (at, time, page) in enumerate(asked, start):
            view = visitor.ask(at, time, page)
            self.found.kept[self.places[place]] = view
            if visitor.begun:
                self.open.first_day[slot], self.open.first_entry[slot] = self.day[place], self.entries[place]
        self.found.sessions += visitor.sessions
        visitor.remember()
        self.open.today[slot], self.open.today_entry[slot] = self.day[stop - 1], self.entries[stop - 1]
        return visitor.pages, visitor.times, visitor.unended


class _Visitor:
    """One visitor, request by request."""

    def __init__(self, opened: OpenSessions, slot: int, timeout: int, counts: Counter[str]) -> None:
        self._open, self._slot, self._timeout, self._counts = opened, slot, timeout, counts
        self.at, self.page = int(opened.at[slot]), int(opened.page[slot])
        self.minute, self.rate = int(opened.minute[slot]), int(opened.rate[slot])
        self.until, self.why = int(opened.robot_until[slot]), int(opened.why[slot])
        self.pages: list[int] = []
        self.times: list[int] = []
        self.unended: list[int] = []
        self.sessions = 0
        self.begun = False

    def ask(self, at: int, time: int, page: int) -> bool:
        """A request; whether it is a view. `begun` says whether the visitor's name is to be taken anew."""
        self.begun = False
        if page == ROBOTS_TXT:
            return self._is_robot(time, 1)
        if self.until > time:
            self._counts[_WHY[self.why]] += 1
            return False
        self.until = 0
        goes_on = self.page >= 0 and time - self.at <= self._timeout and at - self.at >= -self._timeout
        minute = at // MINUTE
        rate = self.rate + 1 if goes_on and minute == self.minute else 1
        if rate > FASTEST:
            return self._is_robot(time, 2)
        self._end(at if goes_on else None)
        self.begun = not goes_on
        self.sessions += not goes_on
        self.at, self.page, self.minute, self.rate = at, page, minute, rate
        return True

    def _is_robot(self, time: int, why: int) -> bool:
        self._end(None)
        self.page, self.begun = NOTHING_OPEN, True
        self.until, self.why = time + ROBOT_FOR, why
        self._counts[_WHY[why]] += 1
        return False

    def _end(self, at: int | None) -> None:
        """The page before ends at a time, or nobody knows when."""
        if self.page < 0:
            return
        if at is None:
            self.unended.append(self.page)
            return
        self._counts["clock-backwards"] += at < self.at
        self.pages.append(self.page)
        self.times.append(max(0, at - self.at))

    def remember(self) -> None:
        """Put the visitor back."""
        opened, slot = self._open, self._slot
        opened.at[slot], opened.page[slot] = self.at, self.page
        opened.minute[slot], opened.rate[slot] = self.minute, self.rate
        opened.robot_until[slot], opened.why[slot] = self.until, self.why
