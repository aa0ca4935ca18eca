"""What an agent knows of its URLs, on disk: records, the way to them, and the queues of those that wait.

Records lie in the order in which their URLs were found, so new ones are appended.
Two sorted sets for each site lead to them: fingerprints with the number of the
record, and queue keys. That a URL is new is mostly known without them. Nothing here
begins or ends a transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import Any

import msgspec

from lycosa.storage.known_bits import KnownBits
from lycosa.storage.site_sets import BEGINNING, TREES, Place, SiteSets
from lycosa.waiting import Changes, UrlRecord

TABLES = 1 + 2 * TREES
_SHORT = 5
"""Bytes of a URL's number."""
_SITE = 4
"""Bytes of a site's number: what a URL's key has before the fingerprint."""
READ_ON = 4
"""URLs of an earlier process that are read for each new one, until all have their bits."""
_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(UrlRecord).decode


class UrlTables:
    """URL records by key, and each site's queue."""

    def __init__(self, env: Any, *, create: bool) -> None:
        self._records = env.open_db(b"records", create=create)
        self._index = SiteSets(env, "index", create=create)
        self._queue = SiteSets(env, "queue", create=create)
        self._bits = KnownBits()
        self._without_bits: Place | None = BEGINNING

    # -- reading --------------------------------------------------------------------------------

    def url(self, txn: Any, key: bytes) -> UrlRecord | None:
        """What is known of a URL."""
        entry = self._index.one_beginning_with(txn, key)
        data = None if entry is None else txn.get(entry[-_SHORT:], db=self._records)
        return None if data is None else _unpack(data)

    def known(self, txn: Any, keys: Sequence[bytes]) -> dict[bytes, UrlRecord]:
        """What is known of many URLs, looked up in the order of their keys."""
        if self._without_bits is None:
            keys = self._bits.perhaps(keys, _SITE)
        entries = self._index.beginning_with(txn, sorted(keys))
        if not entries:
            return {}
        keys_of = {entry[-_SHORT:]: key for key, entry in entries.items()}
        found = txn.cursor(self._records).getmulti(sorted(keys_of))
        return {keys_of[number]: _unpack(data) for number, data in found}

    def urls(self, txn: Any) -> Iterator[UrlRecord]:
        """All URLs known, in the order in which they were found."""
        return (_unpack(data) for _, data in txn.cursor(self._records))

    def urls_after(self, txn: Any, number: int, most: int) -> list[UrlRecord]:
        """Up to so many URLs in the order in which they were found, after the one with a number."""
        cursor = txn.cursor(self._records)
        if not cursor.set_range((number + 1).to_bytes(_SHORT, "big")):
            return []
        return [_unpack(data) for _, data in islice(cursor, most)]

    def numbered(self, txn: Any) -> int:
        """The highest number of a URL; 0 when there is none."""
        cursor = txn.cursor(self._records)
        return int.from_bytes(cursor.key(), "big") if cursor.last() else 0

    def best(self, txn: Any, site: bytes, number: int, without: set[bytes]) -> list[bytes]:
        """The best waiting links of a site."""
        return self._queue.first(txn, site, number, without)

    def place_in_queue(self, txn: Any, queue_key: bytes, most: int) -> int:
        """How many links of the same site are ahead of one (counted up to `most`)."""
        entries, own = self._queue.entries(txn, queue_key[:4]), queue_key[4:]
        return sum(1 for _ in islice(takewhile(lambda entry: entry < own, entries), most))

    # -- writing --------------------------------------------------------------------------------

    def write(self, txn: Any, changes: Changes) -> None:
        """Make the changes of records and queues."""
        self._write_queue(txn, changes)
        self._write_records(txn, changes)

    def _write_queue(self, txn: Any, changes: Changes) -> None:
        self._queue.discard(txn, [(key[:4], key[4:]) for key in sorted(changes.unqueued)])
        sites = sorted(changes.queued.items())
        self._queue.add(txn, [(site, key[4:]) for site, keys in sites for key in sorted(keys)])
        self._queue.move_on(txn)

    def _write_records(self, txn: Any, changes: Changes) -> None:
        """Known records change in place; those with a higher number than any so far are new."""
        highest = self.numbered(txn)
        new: list[tuple[bytes, bytes]] = []
        known: list[tuple[bytes, bytes]] = []
        entries: list[bytes] = []
        for key, record in (*changes.urls.items(), *changes.refused.items()):
            number = record.number.to_bytes(_SHORT, "big")
            if record.number > highest:
                entries.append(key + number)
                new.append((number, _pack(record)))
            else:
                known.append((number, _pack(record)))
        self._set_bits(txn, entries)
        cursor = txn.cursor(self._records)
        cursor.putmulti(sorted(known))
        cursor.putmulti(sorted(new), append=True)
        entries.sort()
        self._index.add(txn, [(entry[:4], entry[4:]) for entry in entries])
        self._index.move_on(txn)

    def _set_bits(self, txn: Any, new: Sequence[bytes]) -> None:
        """Set the bits of new URLs, and of some that were there before.

        The index must not have been written to in this transaction: should it fail, what was read was true.
        """
        self._bits.put(new, _SITE)
        if self._without_bits is not None:
            before, self._without_bits = self._index.read_on(txn, self._without_bits, READ_ON * len(new))
            self._bits.put(before, 0)
