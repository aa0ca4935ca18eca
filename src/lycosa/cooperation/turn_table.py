"""The turns that all agents of a crawl on this machine share: a table in a file that each of them maps into memory.

For every site and address that was asked lately it says until when it is left alone, and
for a site also which agent is asking now. Where an address allows fewer connections than
there are agents, the agents form as many groups, and those of a group take turns with one
connection. An agent that was refused leaves its number, and the others let it go first.

The table is read and changed under the file's lock, a few microseconds at a time. A dead
agent holds nothing: whether one lives is known by the lock on its folder.
"""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
from collections.abc import Sequence
from pathlib import Path

import xxhash

from lycosa.configuration.sections import Politeness
from lycosa.frontier.politeness import LONGEST_REST
from lycosa.frontier.shared_turns import TAKEN, Wait

LOOK_AGAIN = 0.05
"""Seconds after which to ask again where nobody knows when the other agent's request is over."""
PATIENCE = 0.1
"""Seconds by which an agent that goes first may be late before the others no longer wait for it."""
ENTRIES = 1 << 15
NEARBY = 8
"""An entry lies at one of so many places; where all are in use, the one with the longest pause gives way."""
_WORDS = 5
_NOBODY = 0


class _Entries:
    """One table: a name's entry holds its hash, until when to leave it alone, who uses it, and who goes first."""

    SIZE = (ENTRIES + NEARBY) * _WORDS * 8

    def __init__(self, memory: memoryview) -> None:
        self._numbers, self._times = memory.cast("Q"), memory.cast("d")

    def find(self, name: str, now: float) -> int:
        """The place of a name's entry, which is begun where there is none."""
        key, numbers = xxhash.xxh3_64_intdigest(name.encode()) or 1, self._numbers
        first = (key % ENTRIES) * _WORDS
        if numbers[first] == key:
            return first
        places = range(first, first + NEARBY * _WORDS, _WORDS)
        for place in places:
            if numbers[place] == key:
                return place
        place = min(places, key=lambda other: self._worth(other, now))
        numbers[place], self._times[place + 1] = key, 0.0
        numbers[place + 2] = numbers[place + 3] = _NOBODY
        return place

    def _worth(self, place: int, now: float) -> tuple[bool, bool, float]:
        """What is given up first where places are wanted: what nobody uses and no pause is left of."""
        until = self._times[place + 1]
        return self._numbers[place + 2] != _NOBODY, until > now, -until

    def pause(self, place: int, now: float) -> float:
        """The seconds it is still left alone; what no pause can be, the clock was set back for."""
        left = self._times[place + 1] - now
        return left if left <= LONGEST_REST else 0.0

    def leave_alone(self, place: int, until: float) -> None:
        """Leave it alone until then."""
        self._times[place + 1] = until

    def user(self, place: int) -> int:
        """Who uses it, by number from 1."""
        return self._numbers[place + 2]

    def begin(self, place: int, agent: int, until: float) -> None:
        """An agent uses it, and should it die, it is left alone until then."""
        numbers = self._numbers
        numbers[place + 2], self._times[place + 1] = agent, until
        if numbers[place + 3] == agent:
            numbers[place + 3] = _NOBODY

    def end(self, place: int, until: float) -> None:
        """Nobody uses it any more, and it is left alone until then."""
        self._numbers[place + 2], self._times[place + 1] = _NOBODY, until

    def goes_first(self, place: int, agent: int, now: float) -> bool:
        """Whether no other agent is waiting that came before."""
        first = self._numbers[place + 3]
        return first in (_NOBODY, agent) or not 0 <= self._times[place + 4] + PATIENCE - now <= LOOK_AGAIN + PATIENCE

    def wait(self, place: int, agent: int, now: float) -> None:
        """An agent must ask again soon; it goes first then, unless another does."""
        if self.goes_first(place, agent, now):
            self._numbers[place + 3], self._times[place + 4] = agent, now + LOOK_AGAIN

    def forget(self, agent: int) -> None:
        """An agent uses nothing any more."""
        for place in range(2, len(self._numbers), _WORDS):
            if self._numbers[place] == agent:
                self._numbers[place] = _NOBODY


class TurnTable:
    """An agent's view of the turns it shares. `locks` are the files that the agents keep locked while they live."""

    def __init__(self, own: int, locks: Sequence[Path], path: Path) -> None:
        self.agents = len(locks)
        self._own, self._agent, self._locks = own, own + 1, locks
        self._file = path.open("a+b", buffering=0)
        self._make_room(3 * _Entries.SIZE)
        memory = memoryview(mmap.mmap(self._file.fileno(), 3 * _Entries.SIZE))
        self._sites, self._addresses, self._connections = (
            _Entries(memory[part * _Entries.SIZE : (part + 1) * _Entries.SIZE]) for part in range(3)
        )
        self._connection_of: dict[str, str] = {}
        self._forget_own()

    def _make_room(self, size: int) -> None:
        """Fill the file: on a full disk, a page of it that is not there yet would kill the agent that writes to it."""
        self._lock(fcntl.LOCK_EX)
        try:
            missing = size - os.fstat(self._file.fileno()).st_size
            if missing > 0 and self._file.write(bytes(missing)) < missing:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._file.name))
        finally:
            self._lock(fcntl.LOCK_UN)

    def _forget_own(self) -> None:
        """What the agent used when it died is free."""
        self._lock(fcntl.LOCK_EX)
        try:
            self._sites.forget(self._agent)
            self._connections.forget(self._agent)
        finally:
            self._lock(fcntl.LOCK_UN)

    def take(self, site: str, address: str, pause: float, rules: Politeness, now: float) -> Wait:
        """Take the turn of a request: `TAKEN`, or how long to wait."""
        sites, addresses, connections = self._sites, self._addresses, self._connections
        connection = self._connection(address, rules.per_address)
        self._lock(fcntl.LOCK_EX)
        try:
            at_site, at_address = sites.find(site, now), addresses.find(address, now)
            at_connection = connections.find(connection, now) if connection else None
            wait = Wait(sites.pause(at_site, now), addresses.pause(at_address, now))
            if max(wait) <= 0:
                wait = Wait(self._wait(sites, at_site, now), self._wait(connections, at_connection, now))
            if max(wait) > 0:
                return wait
            sites.begin(at_site, self._agent, now + pause)
            addresses.leave_alone(at_address, now + rules.address_delay)
            if at_connection is not None:
                connections.begin(at_connection, self._agent, now)
                self._connection_of[site] = connection
            return TAKEN
        finally:
            self._lock(fcntl.LOCK_UN)

    def end(self, site: str, until: float) -> None:
        """A request whose turn was taken is over; the site is left alone until then."""
        self._lock(fcntl.LOCK_EX)
        try:
            self._sites.end(self._sites.find(site, until), until)
            connection = self._connection_of.pop(site, None)
            if connection is not None:
                self._connections.end(self._connections.find(connection, until), 0.0)
        finally:
            self._lock(fcntl.LOCK_UN)

    def leave_alone(self, site: str, until: float, now: float) -> None:
        """Leave a site alone until then at least."""
        self._lock(fcntl.LOCK_EX)
        try:
            sites, place = self._sites, self._sites.find(site, now)
            sites.leave_alone(place, max(until, now + sites.pause(place, now)))
        finally:
            self._lock(fcntl.LOCK_UN)

    def _connection(self, address: str, most: int) -> str:
        """The connection that this agent's group shares; '' where there are enough for each agent to have its part."""
        return f"{address}/{self._own % most}" if most < self.agents else ""

    def _wait(self, entries: _Entries, place: int | None, now: float) -> float:
        """0 if nobody uses it and nobody else goes first, else the seconds until asking again."""
        if place is None:
            return 0.0
        user = entries.user(place)
        free = user in (_NOBODY, self._agent) or not self._lives(user)
        if free and entries.goes_first(place, self._agent, now):
            return 0.0
        entries.wait(place, self._agent, now)
        return LOOK_AGAIN

    def _lives(self, agent: int) -> bool:
        """Whether an agent lives: it keeps its folder locked."""
        try:
            with self._locks[agent - 1].open("r") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except (FileNotFoundError, IndexError):
            return False
        return False

    def _lock(self, how: int) -> None:
        """Keep others from the table meanwhile, or let them; a dead agent's lock falls by itself."""
        fcntl.flock(self._file, how)
