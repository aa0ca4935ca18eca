"""Who a visitor is, without knowing who it is: the day's hash of address and browser, and whether it is a robot.

Addresses and browsers pass through here and are gone when the request is answered.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache
from typing import Protocol

from lycosa.click_records import DAY, day_of, visitor_id
from lycosa.clickstream.server_logs.sessions.robots import Asker, asker

SESSION = 1800.0
LONGEST_NIGHT = DAY / 2
"""Seconds after midnight until which a visitor can keep the id of the day before."""
MOST_CARRIED = 100_000
MOST_VIEWS = 50_000
SLACK = 1.0
"""Seconds that the times within a view may be off."""
NOBODY = bytes(16)
"""The visitor where the key of the day is gone."""


class KeysOfDays(Protocol):
    """What keeps the key of each day."""

    def key(self, day: int) -> bytes | None:
        """The key of a day, None once it was destroyed."""
        ...

    def destroy(self, before: float) -> list[int]:
        """Destroy the keys of days that ended before a time."""
        ...


class Visitors:
    """Names visitors. One who is active over midnight keeps the name of the first day.

    Whoever was seen in the last half hour of a day is remembered over midnight, so memory is bounded by `most`.
    """

    def __init__(self, keys: KeysOfDays, most: int = MOST_CARRIED) -> None:
        self._keys, self._most = keys, most
        self._known: dict[int, bytes | None] = {}
        self._late: OrderedDict[bytes, float] = OrderedDict()

    def name(self, address: str, agent: bytes, now: float) -> tuple[int, bytes]:
        """The visitor's id, and the day that it belongs to."""
        today = day_of(now)
        if self._late and now - today * DAY <= LONGEST_NIGHT:
            earlier = self._named(today - 1, address, agent)
            if now - self._late.get(earlier, 0.0) <= SESSION:
                self._remember(earlier, now)
                return today - 1, earlier
        named = self._named(today, address, agent)
        if now + SESSION >= (today + 1) * DAY:
            self._remember(named, now)
        return today, named

    def forget_keys(self) -> None:
        """Look up the keys anew: one may have been destroyed."""
        self._known.clear()

    def _named(self, day: int, address: str, agent: bytes) -> bytes:
        if day not in self._known:
            self._known = {kept: key for kept, key in self._known.items() if kept >= day - 1}
            self._known[day] = self._keys.key(day)
        key = self._known[day]
        return NOBODY if key is None else visitor_id(key, address.encode(), agent)

    def _remember(self, visitor: bytes, now: float) -> None:
        self._late[visitor] = now
        self._late.move_to_end(visitor)
        while self._late and (len(self._late) > self._most or next(iter(self._late.values())) + SESSION < now):
            self._late.popitem(last=False)


class ViewTimes:
    """How much time the views of pages can have taken so far, and how much of it was claimed."""

    def __init__(self, most: int = MOST_VIEWS) -> None:
        self._most = most
        self._views: OrderedDict[str, tuple[float, float, float]] = OrderedDict()

    def left(self, view: str, at: float, longest: float) -> float:
        """Seconds that an event at a time can tell of; `longest` where nothing is known of its view."""
        begun, latest, claimed = self._views.get(view, (at - longest, at, 0.0))
        return min(longest, max(0.0, max(latest, at) - begun - claimed + SLACK))

    def claim(self, view: str, at: float, seconds: float) -> None:
        """So many seconds were counted for a view, by an event at a time. Events may come out of order."""
        begun, latest, claimed = self._views.get(view, (at - seconds, at, 0.0))
        self._views[view] = begun, max(latest, at), claimed + seconds
        self._views.move_to_end(view)
        if len(self._views) > self._most:
            self._views.popitem(last=False)


@lru_cache(maxsize=4096)
def is_robot(agent: bytes) -> bool:
    """Whether a browser's name is none that a person would use: a robot's, a monitor's, or no browser's at all."""
    return asker(agent) != Asker.PERSON
