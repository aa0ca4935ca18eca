"""How full the queues of crawls were, at the moments when somebody looked.

Journals say what was fetched, but not what was waiting then. So the server remembers
what it sees while a crawl is watched: a few hundred moments of each crawl, further
apart the longer it is watched.
"""

from __future__ import annotations

import threading
import time

from lycosa.crawl_folder.status import Status
from lycosa.records import Record

MOST_MOMENTS = 240
MOST_CRAWLS = 200
CLOSEST = 1.0


class Moment(Record, frozen=True):
    """What waited, was under way and was put off at a time."""

    at: float
    waiting: int
    in_flight: int
    later: int

    def plain(self) -> list[float]:
        """For the page."""
        return [self.at, self.waiting, self.in_flight, self.later]


class Pulse:
    """The moments of one crawl."""

    def __init__(self) -> None:
        self._apart = CLOSEST
        self._moments: list[Moment] = []

    def note(self, moment: Moment) -> None:
        """Remember a moment, unless it is close to the last one; where there are too many, every second goes."""
        if self._moments and moment.at - self._moments[-1].at < self._apart * 0.9:
            return
        self._moments.append(moment)
        if len(self._moments) > MOST_MOMENTS:
            self._apart *= 2
            self._moments = self._moments[::2]

    def moments(self) -> tuple[Moment, ...]:
        """All that is remembered, oldest first."""
        return tuple(self._moments)


class Pulses:
    """The moments of all crawls that are watched."""

    def __init__(self) -> None:
        self._noting = threading.Lock()
        self._by_name: dict[str, Pulse] = {}

    def note(self, status: Status) -> tuple[Moment, ...]:
        """Remember how a crawl stands, if it runs. Returns its moments so far."""
        with self._noting:
            pulse = self._by_name.setdefault(status.name, Pulse())
            if not status.over:
                sums = status.sums
                pulse.note(Moment(time.time(), sums["waiting"], sums["in_flight"], sums["later"]))
            while len(self._by_name) > MOST_CRAWLS:
                self._by_name.pop(next(iter(self._by_name)))
            return pulse.moments()
