"""What visitors are called: a hash of address and browser with the key of the day of their request."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lycosa.clicks import DAY, visitor_id
from lycosa.clickstream.server_logs.byte_slices import Places, Words, distinct
from lycosa.clickstream.server_logs.log_columns import ADDRESS, AGENT, SESSION, LineBlock
from lycosa.clickstream.server_logs.log_store import VisitorKeys
from lycosa.clickstream.server_logs.open_sessions import OpenSessions

KEYS_KEPT = 2 * DAY
LONGEST_SESSION = 2
"""Days back in which a session that goes on may have begun."""


@dataclass(slots=True)
class Requests:
    """Requests for pages, in the order of the log. `visitor` is a hash of this import alone, `time` the log's time;
    `block` and `row` say where the line is, `blocks` holds them."""

    visitor: Words
    page: Places
    referrer: Places
    at: Places
    time: Places
    block: Places
    row: Places
    blocks: list[LineBlock]

    @property
    def day(self) -> Places:
        """The UTC day of each request."""
        return self.at // (DAY * 1000)

    def part(self, chosen: slice) -> Requests:
        """Some of them."""
        return Requests(**{name: getattr(self, name)[chosen] for name in _COLUMNS}, blocks=self.blocks)

    @classmethod
    def merged(cls, parts: list[Requests]) -> Requests:
        """Those of several logs by the log's time; at equal times in the order of the parts."""
        order = np.argsort(np.concatenate([part.time for part in parts]), kind="stable")
        offsets = np.cumsum([0, *(len(part.blocks) for part in parts)])
        columns = {name: np.concatenate([getattr(part, name) for part in parts])[order] for name in _COLUMNS}
        shifts = np.concatenate([np.full(len(part.at), offset) for part, offset in zip(parts, offsets, strict=False)])
        columns["block"] = columns["block"] + shifts[order]
        return cls(**columns, blocks=[block for part in parts for block in part.blocks])

    def who(self, places: Places) -> tuple[list[bytes], list[bytes]]:
        """Addresses and browsers of requests, or the sessions that the server says they belong to."""
        if len(self.blocks) == 1:
            return _who(self.blocks[0], self.row[places])
        first, second = [b""] * len(places), [b""] * len(places)
        blocks = self.block[places]
        for number in distinct(blocks):
            chosen = np.flatnonzero(blocks == number)
            texts = _who(self.blocks[number], self.row[places[chosen]])
            for place, address, agent in zip(chosen.tolist(), *texts, strict=True):
                first[place], second[place] = address, agent
        return first, second


def _who(block: LineBlock, rows: Places) -> tuple[list[bytes], list[bytes]]:
    address, agent = block.texts(ADDRESS, rows), block.texts(AGENT, rows)
    if not block.is_plain:
        for place, session in enumerate(block.texts(SESSION, rows)):
            if session not in (b"", b"-"):
                address[place], agent[place] = b"session", session
    return address, agent


_COLUMNS = ("visitor", "page", "referrer", "at", "time", "block", "row")


class VisitorNames:
    """Names visitors while the keys of their days are there."""

    def __init__(self, keys: VisitorKeys) -> None:
        self._keys = keys
        self._known: dict[int, bytes | None] = {}

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

    def name(self, requests: Requests, place: int, day: int) -> bytes:
        """The name of a request's visitor by the key of a day."""
        addresses, agents = requests.who(np.array([place]))
        return visitor_id(self.key(day) or b"", addresses[0], agents[0])

    def slots(self, requests: Requests, places: Places, opened: OpenSessions) -> Places:
        """The rows of visitors, of each the place of a request; new ones are made."""
        known = opened.by_hash.get
        found = np.array([known(visitor, -1) for visitor in requests.visitor[places].tolist()], np.int64)
        new = np.flatnonzero(found < 0)
        if len(new):
            found[new] = self._new_slots(requests, places[new], opened)
        return found

    def _new_slots(self, requests: Requests, places: Places, opened: OpenSessions) -> Places:
        days = requests.at[places] // (DAY * 1000)
        keys = {day: self.key(day) or b"" for day in distinct(days)}
        addresses, agents = requests.who(places)
        names = list(map(visitor_id, map(keys.__getitem__, days.tolist()), addresses, agents))
        if not opened.kept:
            return opened.take(requests.visitor[places], days, names)
        found = np.full(len(places), -1)
        for number, (place, day, name) in enumerate(zip(places.tolist(), days.tolist(), names, strict=True)):
            slot = self._kept_slot(addresses[number], agents[number], day, opened)
            if slot is not None:
                opened.known_as(slot, int(requests.visitor[place]), day, name)
                found[number] = slot
        new = np.flatnonzero(found < 0)
        found[new] = opened.take(requests.visitor[places[new]], days[new], [names[number] for number in new.tolist()])
        return found

    def _kept_slot(self, address: bytes, agent: bytes, day: int, opened: OpenSessions) -> int | None:
        """The row that an earlier import left open for a visitor; a session over midnight has its first name."""
        for earlier in opened.kept_days:
            key = self.key(earlier) if day - LONGEST_SESSION <= earlier <= day else None
            slot = opened.kept.pop((earlier, visitor_id(key, address, agent)), None) if key is not None else None
            if slot is not None:
                return slot
        return None

    def ids(self, requests: Requests, places: Places, slot: Places, opened: OpenSessions) -> Words:
        """The names of visitors on the days of their requests."""
        days = requests.day[places]
        found: Words = opened.today_id[slot]
        other = np.flatnonzero(opened.today[slot] != days)
        made: dict[tuple[int, int], NDArray[np.uint64]] = {}
        for number in other.tolist():
            asked = (int(slot[number]), int(days[number]))
            if asked not in made:
                made[asked] = np.frombuffer(self.name(requests, int(places[number]), asked[1]), np.uint64)
            found[number] = made[asked]
        return found
