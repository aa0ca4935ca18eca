"""What an agent knows of its URLs, on disk: records, the way to them, and the queues of those that wait.

Records lie in the order in which their URLs were found, so new ones are appended;
one that changes is kept among the changed ones from then on, so that no page of the
many that never do is written again. Two sorted sets for each site lead to them:
fingerprints with the number of the record, and queue keys, which end with it. That a
URL is new is mostly known without them. Nothing here begins or ends a transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import msgspec

from lycosa.queue_records import NUMBER_BYTES, Changes, State, UrlRecord, queue_key
from lycosa.storage import site_sets
from lycosa.storage.bloom_filter import FEWEST, KnownBits
from lycosa.storage.site_sets import SITE_BYTES, SiteSets
from lycosa.urls import fingerprint, site_of

TABLES = 2 + 2 * site_sets.TABLES
REBUILT_AT_ONCE = 400_000
_FINGERPRINT, _PLACE = 8, 8
_INDEX_ENTRY = _FINGERPRINT + NUMBER_BYTES
_QUEUE_ENTRY = _PLACE + _FINGERPRINT + NUMBER_BYTES
_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(UrlRecord).decode


class UrlTables:
    """URL records by key, and each site's queue. `owner` says whether these may be written to, and by nobody else."""

    def __init__(self, env: Any, folder: Path, *, owner: bool, most_young: int) -> None:
        self._records = env.open_db(b"records", create=owner)
        self._changed = env.open_db(b"changed", create=owner)
        self._index = SiteSets(env, folder, "index", _INDEX_ENTRY, owner=owner, most_young=most_young)
        self._queue = SiteSets(env, folder, "queue", _QUEUE_ENTRY, owner=owner, most_young=most_young)
        self._owner = owner
        self._bits: KnownBits | None = None

    def look(self, txn: Any) -> bool:
        """See what has been committed by now; whether all of it is to be had."""
        return all([self._index.look(txn), self._queue.look(txn)])

    def sweep(self, txn: Any) -> None:
        """Take away what a crash left."""
        self._index.sweep(txn)
        self._queue.sweep(txn)

    def damaged(self, txn: Any) -> list[tuple[str, str]]:
        """Files that are not as they were written, and why."""
        return [*self._index.damaged(txn), *self._queue.damaged(txn)]

    # -- reading --------------------------------------------------------------------------------

    def url(self, txn: Any, key: bytes) -> UrlRecord | None:
        """What is known of a URL."""
        entry = self._index.one_beginning_with(txn, key)
        return None if entry is None else self._record(txn, entry[-NUMBER_BYTES:])

    def queued(self, txn: Any, queue_key: bytes) -> UrlRecord | None:
        """What is known of the URL of a queue key."""
        return self._record(txn, queue_key[-NUMBER_BYTES:])

    def _record(self, txn: Any, number: bytes) -> UrlRecord | None:
        data = txn.get(number, db=self._changed) or txn.get(number, db=self._records)
        return None if data is None else _unpack(data)

    def known(self, txn: Any, keys: Sequence[bytes]) -> dict[bytes, UrlRecord]:
        """What is known of many URLs, looked up in the order of their keys."""
        entries = self._index.beginning_with(txn, sorted(self._perhaps(txn, keys)))
        keys_of = {entry[-NUMBER_BYTES:]: key for key, entry in entries.items()}
        numbers = sorted(keys_of)
        found = dict(txn.cursor(self._records).getmulti(numbers))
        found.update(txn.cursor(self._changed).getmulti(numbers))
        return {keys_of[number]: _unpack(data) for number, data in found.items()}

    def _perhaps(self, txn: Any, keys: Sequence[bytes]) -> Sequence[bytes]:
        """The keys that may be known. Nobody else may write meanwhile, so only the owner knows without a look."""
        if not self._owner or len(keys) < FEWEST:
            return keys
        if self._bits is None:
            bits = KnownBits()
            for rows in self._index.all_rows(txn):
                bits.put(rows.tobytes(), SITE_BYTES + _INDEX_ENTRY, SITE_BYTES)
            self._bits = bits
        return self._bits.perhaps(keys, SITE_BYTES)

    def urls(self, txn: Any) -> Iterator[UrlRecord]:
        """All URLs known, in the order in which they were found."""
        return self._urls_from(txn, 0)

    def urls_after(self, txn: Any, number: int, most: int) -> list[UrlRecord]:
        """Up to so many URLs in the order in which they were found, after the one with a number."""
        return list(islice(self._urls_from(txn, number + 1), most))

    def _urls_from(self, txn: Any, number: int) -> Iterator[UrlRecord]:
        cursor, changed = txn.cursor(self._records), txn.cursor(self._changed)
        if cursor.set_range(number.to_bytes(NUMBER_BYTES, "big")):
            for key, data in cursor:
                yield _unpack(changed.get(key) or data)

    def numbered(self, txn: Any) -> int:
        """The highest number of a URL; 0 when there is none."""
        cursor = txn.cursor(self._records)
        return int.from_bytes(cursor.key(), "big") if cursor.last() else 0

    def best(self, txn: Any, site: bytes, number: int, without: set[bytes]) -> list[bytes]:
        """The best waiting links of a site."""
        return self._queue.first(txn, site, number, without)

    def place_in_queue(self, txn: Any, queue_key: bytes, most: int) -> int:
        """How many links of the same site are ahead of one (counted up to `most`)."""
        entries, own = self._queue.entries(txn, queue_key[:SITE_BYTES]), queue_key[SITE_BYTES:]
        return sum(1 for _ in islice(takewhile(lambda entry: entry < own, entries), most))

    # -- writing --------------------------------------------------------------------------------

    def write(self, txn: Any, changes: Changes) -> None:
        """Make the changes of records and queues."""
        self._write_queue(txn, changes)
        self._write_records(txn, changes)

    def _write_queue(self, txn: Any, changes: Changes) -> None:
        self._queue.discard(txn, [(key[:SITE_BYTES], key[SITE_BYTES:]) for key in sorted(changes.unqueued)])
        sites = sorted(changes.queued.items())
        self._queue.add(txn, [(site, key[SITE_BYTES:]) for site, keys in sites for key in sorted(keys)])
        self._queue.move_on(txn)

    def _write_records(self, txn: Any, changes: Changes) -> None:
        """Records with a higher number than any so far are new; all others have changed."""
        highest = self.numbered(txn)
        new: list[tuple[bytes, bytes]] = []
        changed: list[tuple[bytes, bytes]] = []
        entries: list[bytes] = []
        for key, record in (*changes.urls.items(), *changes.refused.items()):
            number = record.number.to_bytes(NUMBER_BYTES, "big")
            if record.number > highest:
                entries.append(key + number)
                new.append((number, _pack(record)))
            else:
                changed.append((number, _pack(record)))
        txn.cursor(self._changed).putmulti(sorted(changed))
        txn.cursor(self._records).putmulti(sorted(new), append=True)
        entries.sort()
        self._index.add(txn, [(entry[:SITE_BYTES], entry[SITE_BYTES:]) for entry in entries])
        self._index.move_on(txn)
        if self._bits is not None:
            self._bits.put(b"".join(entries), SITE_BYTES + _INDEX_ENTRY, SITE_BYTES)

    def rebuild(self, txn: Any, sites: Mapping[str, bytes]) -> int:
        """Make the sets anew from the records, with the keys of sites by name; returns how many URLs there are."""
        self._bits = None
        self._index.clear(txn)
        self._queue.clear(txn)
        numbered: list[bytes] = []
        waiting: list[bytes] = []
        for record in self.urls(txn):
            key = sites[site_of(record.url)] + fingerprint(record.url)
            numbered.append(key + record.number.to_bytes(NUMBER_BYTES, "big"))
            if record.state is State.WAITING:
                waiting.append(queue_key(key, record.order, record.number))
            if len(numbered) == REBUILT_AT_ONCE:
                self._write_runs(txn, numbered, waiting)
        self._write_runs(txn, numbered, waiting)
        return self.numbered(txn)

    def _write_runs(self, txn: Any, numbered: list[bytes], waiting: list[bytes]) -> None:
        for each, keys in ((self._index, numbered), (self._queue, waiting)):
            each.write_run(txn, keys)
            keys.clear()
