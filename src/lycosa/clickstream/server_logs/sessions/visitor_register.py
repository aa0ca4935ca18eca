"""Who the visitors are until it is written down: an entry for a visitor and a day, named only where a name is needed.

Within an import a secret hash, which is never written, tells visitors apart. What is
written is a visitor's name: a hash of the address with a key that is made of the browser
and the key of the day. Until what is counted is saved, address and browser wait here, packed
and in memory only; then they are forgotten. Visitors of days without a key have no name,
and nothing of them waits.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from lycosa.clickstream.server_logs.parsing.byte_slices import NARROW, PADDING, Places, Words, distinct, grouped, slices
from lycosa.clickstream.server_logs.parsing.columns import ADDRESS, AGENT, SESSION, LineBlock
from lycosa.clickstream.server_logs.parsing.page_requests import Requests
from lycosa.clickstream.server_logs.sessions.siphash import KEY, keyed_hashes

NO_ENTRY = -1
MOST_ENTRIES = 500_000
"""Entries between two saves."""
MOST_TEXT = 1 << 25
"""Bytes of addresses and browsers between two saves."""
_BESIDE = 150
"""Bytes that a browser's text takes beside its own."""
_ROOM = 1024
_COLUMNS = ("_day", "_visitor", "_agent", "_start", "_end", "_is_named")


class VisitorBook:
    """Entries by number. `key` gives the key of a day while it is there."""

    def __init__(self, key: Callable[[int], bytes | None]) -> None:
        self._key = key
        self._begin()

    def _begin(self) -> None:
        self._day: Places = np.zeros(_ROOM, np.int64)
        self._visitor: Words = np.zeros(_ROOM, np.uint64)
        self._name: Words = np.zeros((0, 2), np.uint64)
        self._is_named: NDArray[np.bool_] = np.zeros(_ROOM, bool)
        self._agent: Words = np.zeros(_ROOM, np.uint64)
        self._start: NDArray[np.int32] = np.zeros(_ROOM, np.int32)
        self._end: NDArray[np.int32] = np.zeros(_ROOM, np.int32)
        self._addresses = bytearray(PADDING)
        self._agents: dict[int, bytes] = {}
        self._agent_keys: dict[tuple[int, int], bytes] = {}
        self._length = self._added = self._size = 0

    @property
    def is_full(self) -> bool:
        """Whether it is time for a save."""
        return self._added >= MOST_ENTRIES or self._size >= MOST_TEXT

    def add(self, requests: Requests, places: Places, days: Places, *, returning: bool = False) -> Places:
        """New entries for the visitors of requests on days, who may be `returning` under a name of another day."""
        blocks, rows, agents = requests.block[places], requests.row[places], requests.agent[places]
        found = np.arange(self._length, self._length + len(places))
        self._put(found, days, requests.visitor[places])
        self._agent[found] = agents
        wanted = np.ones(len(days), bool) if returning else self._have_key(days)
        for number in distinct(blocks[wanted]):
            chosen = np.flatnonzero(wanted & (blocks == number))
            self._read(requests.blocks[number], rows[chosen], agents[chosen], found[chosen])
        self._added += len(found)
        return found

    def add_named(self, days: Places, visitors: Words, names: Words) -> Places:
        """Entries of visitors whose names are known."""
        found = np.arange(self._length, self._length + len(days))
        self._put(found, days, visitors)
        self._name_as(found, names)
        return found

    def _put(self, entries: Places, days: Places, visitors: Words) -> None:
        self._length += len(entries)
        while self._length > len(self._day):
            for name in _COLUMNS:
                column = getattr(self, name)
                setattr(self, name, np.concatenate((column, np.zeros_like(column))))
        self._day[entries], self._visitor[entries] = days, visitors

    def _name_as(self, entries: Places, names: Words) -> None:
        """Room for names is made when the first is needed."""
        if len(self._name) < self._length:
            self._name = np.concatenate((self._name, np.zeros((len(self._day) - len(self._name), 2), np.uint64)))
        self._name[entries], self._is_named[entries] = names, True

    def has_key(self, day: int) -> bool:
        """Whether visitors of a day have names."""
        return self._key(day) is not None

    def _have_key(self, days: Places) -> NDArray[np.bool_]:
        """Which of the days have a key."""
        each, which = np.unique(days, return_inverse=True)
        return np.array([self.has_key(day) for day in each.tolist()], bool)[which.reshape(-1)]

    def _read(self, block: LineBlock, rows: Places, agents: Words, entries: Places) -> None:
        """Take the texts of rows out of a block; of each browser one copy."""
        each, where, _ = grouped(agents)
        for agent, place in zip(each.tolist(), where.tolist(), strict=True):
            if agent not in self._agents:
                self._agents[agent] = _agent(block, int(rows[place]))
                self._size += len(self._agents[agent]) + _BESIDE
        data, starts, ends = _addresses(block, rows) if block.is_plain else _odd_addresses(block, rows)
        first = len(self._addresses) - PADDING
        self._start[entries], self._end[entries] = starts + first, ends + first
        self._addresses[first:first] = data
        self._size += len(data)

    def hashes(self, entries: Places) -> Words:
        """What tells visitors apart in this import; it is never written."""
        found: Words = self._visitor[entries]
        return found

    def names(self, entries: Places) -> Words:
        """What tells visitors of a day apart for good, each as two numbers; zeros where the day has no key."""
        wanted = np.zeros(self._length, bool)
        wanted[entries] = True
        wanted &= ~self._is_named[: self._length]
        unnamed = np.flatnonzero(wanted)
        if len(unnamed):
            names, keyed = np.zeros((len(unnamed), 2), np.uint64), self._have_key(self._day[unnamed])
            if keyed.any():
                names[keyed] = self._names(unnamed[keyed], self._day[unnamed[keyed]])
            self._name_as(unnamed, names)
        found: Words = self._name[entries]
        return found

    def names_on(self, entries: Places, day: int) -> list[bytes]:
        """The names that visitors who were not named yet would have had on a day."""
        return [name.tobytes() for name in self._names(entries, np.full(len(entries), day))]

    def _names(self, entries: Places, days: Places) -> Words:
        """The names of visitors on days."""
        starts = self._start[entries].astype(np.int64)
        keys = self._keys(days, self._agent[entries])
        return keyed_hashes(keys, self._addresses, starts, self._end[entries] - starts)

    def _keys(self, days: Places, agents: Words) -> Words:
        """The key of each browser on each day."""
        found = np.empty((len(days), 2), np.uint64)
        for day in distinct(days):
            chosen = np.flatnonzero(days == day)
            each, _, which = grouped(agents[chosen])
            keys = b"".join([self._agent_key(day, agent) for agent in each.tolist()])
            found[chosen] = np.frombuffer(keys, "<u8").reshape(-1, 2)[which]
        return found

    def _agent_key(self, day: int, agent: int) -> bytes:
        found = self._agent_keys.get((day, agent))
        if found is None:
            found = agent_key(self._living_key(day), self._agents[agent])
            self._agent_keys[day, agent] = found
        return found

    def _living_key(self, day: int) -> bytes:
        key = self._key(day)
        if key is None:
            raise LookupError(f"the key of day {day} was destroyed before its visitors were named")
        return key

    def keep(self, entries: Places) -> Places:
        """After a save: only these stay, by their names, under new numbers. Nobody's address or browser stays."""
        days, visitors, names = self._day[entries], self._visitor[entries], self.names(entries)
        self._begin()
        return self.add_named(days, visitors, names)


def agent_key(key: bytes, agent: bytes) -> bytes:
    """The key by which the visitors with a browser are named on a day."""
    return blake2b(agent, key=key, digest_size=KEY).digest()


def _addresses(block: LineBlock, rows: Places) -> tuple[bytes, Places, Places]:
    """Addresses of rows in bytes of their own, and where each begins and ends."""
    starts = block.starts[ADDRESS][rows]
    lengths = block.ends[ADDRESS][rows] - starts
    if lengths.max() <= NARROW:
        new = np.arange(len(rows)) * NARROW
        return slices(block.data, NARROW, starts, lengths).tobytes(), new, new + lengths
    ends = np.cumsum(lengths)
    places = np.arange(ends[-1]) + np.repeat(starts - ends + lengths, lengths)
    return np.frombuffer(block.data, np.uint8)[places].tobytes(), ends - lengths, ends


def _odd_addresses(block: LineBlock, rows: Places) -> tuple[bytes, Places, Places]:
    """The same where lines may name a session, which stands for the browser then."""
    each = [b"session" if _session(block, row) else block.text(ADDRESS, row) for row in rows.tolist()]
    lengths = np.array([len(address) for address in each], np.int64)
    ends = np.cumsum(lengths)
    return b"".join(each), ends - lengths, ends


def _agent(block: LineBlock, row: int) -> bytes:
    return (b"" if block.is_plain else _session(block, row)) or block.text(AGENT, row)


def _session(block: LineBlock, row: int) -> bytes:
    """The session that the server says a request belongs to; empty for none."""
    found = block.text(SESSION, row)
    return b"" if found == b"-" else found
