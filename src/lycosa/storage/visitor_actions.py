"""What each visitor of a day did on each page, and what that adds to the page's totals (M12).

A row is one visitor, one page, one day; it grows with every event of that visitor. The
page's counts of action sets follow: when a visitor's set grows, one visitor moves from
the old set to the new one. Rows of visitors who came by a query are kept once more for
that query.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

import msgspec

from lycosa.click_records import Behaviour, ClickEvent, PageClicks, added
from lycosa.storage.shown_results import URL_HASH, query_key, url_hash
from lycosa.storage.table_scans import below, remove, remove_before

TABLES = ("behaviours", "query_sets")
_DAY = struct.Struct(">i")
_PLAIN = 4 + 4 + 16 + 16
"""The length of a row's key; rows for a query have longer ones."""
_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(Behaviour).decode
_unpack_sets = msgspec.msgpack.Decoder(tuple[str, dict[int, int]]).decode


class Behaviours:
    """The rows and the sets by query; all in the caller's transaction."""

    def __init__(self, tables: dict[str, Any]) -> None:
        self._rows, self._sets = (tables[name] for name in TABLES)

    def note(self, txn: Any, site: bytes, event: ClickEvent) -> PageClicks:
        """Note what a visitor did; returns what that adds to the page."""
        place = _DAY.pack(event.day) + site + url_hash(event.url) + event.visitor
        before, after = self._row(txn, place, event, "")
        if event.query:
            self._note_for_query(txn, place, event)
        rated = _rating(after), _rating(before)
        return PageClicks(
            event.url,
            visits=int(event.number == 0),
            visitors=int(before is None),
            duration=event.active,
            length=event.length,
            ascii_sum=event.ascii_sum,
            downloads=event.downloads,
            created=event.at,
            last_access=event.at,
            actions=event.actions,
            sets=_moved(before, after),
            ratings=int(rated[0] > 0) - int(rated[1] > 0),
            rating_sum=rated[0] - rated[1],
            referrers={event.referrer: 1} if event.referrer and event.number == 0 else {},
        )

    def _row(self, txn: Any, place: bytes, event: ClickEvent, query: str) -> tuple[Behaviour | None, Behaviour]:
        """A visitor's row before and after an event."""
        key = place + (query_key(query) if query else b"")
        data = txn.get(key, db=self._rows)
        before = None if data is None else _unpack(data)
        known = before or Behaviour(event.day, event.site, event.url, event.visitor, query)
        after = msgspec.structs.replace(
            known,
            visits=known.visits + int(event.number == 0),
            active=known.active + event.active,
            dwell=known.dwell + event.dwell,
            actions=added(known.actions, event.actions),
            rating=event.rating or known.rating,
            at=max(event.at, known.at),
        )
        txn.put(key, _pack(after), db=self._rows)
        return before, after

    def _note_for_query(self, txn: Any, place: bytes, event: ClickEvent) -> None:
        moved = _moved(*self._row(txn, place, event, event.query))
        if moved:
            key = query_key(event.query) + url_hash(event.url)
            data = txn.get(key, db=self._sets)
            sets = added(_unpack_sets(data)[1] if data else {}, moved)
            txn.put(key, _pack((event.url, sets)), db=self._sets)

    def latest(self, txn: Any, site: bytes | None, most: int) -> Iterator[Behaviour]:
        """Rows of one site or of all, latest days first."""
        cursor = txn.cursor(self._rows)
        if cursor.last():
            fit = (data for key, data in cursor.iterprev() if len(key) == _PLAIN and site in (None, key[4:8]))
            yield from map(_unpack, islice(fit, most))

    def sets_of(self, txn: Any, query: str) -> dict[str, dict[int, int]]:
        """The sets of actions of visitors who came by a query, by page."""
        return dict(_unpack_sets(data) for _, data in below(txn, self._sets, query_key(query)))

    def forget(self, txn: Any, before: int, most: int) -> int:
        """Remove rows of days before one, at most so many. Returns how many."""
        return remove_before(txn, self._rows, _DAY.pack(before), most)

    def forget_pages(self, txn: Any, hashes: Collection[bytes]) -> None:
        """Remove what visitors who came by queries did on pages, given by the hashes of their URLs."""
        remove(txn, self._sets, lambda key, _: key[-URL_HASH:] in hashes)


def _moved(before: Behaviour | None, after: Behaviour) -> dict[int, int]:
    """The change in how many visitors have each set of actions."""
    if before is None:
        return {after.bits: 1}
    return {} if before.bits == after.bits else {after.bits: 1, before.bits: -1}


def _rating(row: Behaviour | None) -> int:
    return 0 if row is None else row.rating
