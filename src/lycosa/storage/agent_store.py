"""The agent's own store (LMDB): all that one agent knows, changed by one synced transaction a batch.

Everything an agent must not lose is written here together: states of URLs,
queues, leases, sites, the journal of the catalogue, links for other agents, and
how far the archive counts. Other processes read it while the agent writes; only
the agent that owns it writes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from errno import EDQUOT, ENOSPC
from itertools import chain, takewhile
from pathlib import Path
from types import TracebackType
from typing import Any

import lmdb
import msgspec

from lycosa.configuration.settings import ConfigurationError
from lycosa.queue_records import Changes, SiteRecord, UrlRecord, sortable, url_key
from lycosa.records import Link, Score
from lycosa.storage import lmdb_environments as environments
from lycosa.storage.archive import Position
from lycosa.storage.catalogue import VisitRow
from lycosa.storage.site_sets import MOST_YOUNG
from lycosa.storage.url_tables import TABLES, UrlTables
from lycosa.urls import fingerprint, site_of
from lycosa.user_error import Mendable

_TABLES = ("later", "leases", "sites", "visits", "outbox", "marks", "digests")
_OLD_TABLES = (b"urls", b"journal", b"old-index")
VIEWS = 5
"""How often a view is taken before files that it names are taken to be lost."""
_RULES, _COUNTED = b"rule.", 8
_NUMBER = struct.Struct(">Q")
_MAIL = struct.Struct(">HQ")
_pack = msgspec.msgpack.Encoder().encode
_unpack_site = msgspec.msgpack.Decoder(SiteRecord).decode
_unpack_row = msgspec.msgpack.Decoder(VisitRow).decode
_unpack_mail = msgspec.msgpack.Decoder(list[tuple[Link, Score]]).decode


class StoreInUse(Exception):
    """Another process owns this store."""


class StoreFull(Mendable):
    """The disk is full; nothing of the batch was written."""


@dataclass(slots=True)
class Batch:
    """What becomes durable together."""

    changes: Changes
    rows: list[VisitRow] = field(default_factory=list)
    digests: dict[bytes, str] = field(default_factory=dict)
    mail: dict[int, list[tuple[Link, Score]]] = field(default_factory=dict)
    received: dict[int, int] = field(default_factory=dict)
    delivered: dict[int, int] = field(default_factory=dict)
    position: Position | None = None
    marks: dict[str, bytes] = field(default_factory=dict)
    counted: Mapping[str, Mapping[bytes, int]] = field(default_factory=dict)
    """What admission rules counted, by the name of each; what is counted has a name of eight bytes."""


class AgentStore:
    """One agent's LMDB environment; also the frontier's shelf."""

    def __init__(self, folder: Path, *, readonly: bool = False, most_young: int = MOST_YOUNG) -> None:
        if not readonly:
            folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._env, _ = environments.take(folder, len(_TABLES) + TABLES, readonly=readonly)
        try:
            self._open_tables(readonly, most_young)
        except BaseException:
            environments.give_back(folder)
            raise
        if not readonly:
            self._urls.sweep(self._txn)
        self._numbers: dict[str, int] = {}
        self._open = True

    def _open_tables(self, readonly: bool, most_young: int) -> None:
        self._refuse_old_layout()
        with environments.opening:
            self._db = {table: self._env.open_db(table.encode(), create=not readonly) for table in _TABLES}
            self._urls = UrlTables(self._env, self.folder, owner=not readonly, most_young=most_young)
        self._look()

    def _refuse_old_layout(self) -> None:
        with self._env.begin() as txn:
            old = any(txn.cursor().set_key(table) for table in _OLD_TABLES)
        if old:
            raise ConfigurationError(
                f"{self.folder} was written by an older version of Lycosa; "
                "start the crawl again under another name, or finish it with that version"
            )

    def refresh(self) -> None:
        """See what has been committed by now."""
        self._txn.abort()
        self._look()

    def _look(self) -> None:
        """Take a view of what is committed. Files that it names may be replaced before they are open; so once more."""
        for left in reversed(range(VIEWS)):
            self._txn = self._env.begin(buffers=False)
            if self._urls.look(self._txn) or not left:
                return
            self._txn.abort()

    def close(self) -> None:
        """Close the environment."""
        if self._open:
            self._open = False
            self._txn.abort()
            environments.give_back(self.folder)

    def __enter__(self) -> AgentStore:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # -- the shelf ------------------------------------------------------------------------------

    def url(self, key: bytes) -> UrlRecord | None:
        """What is known of a URL."""
        return self._urls.url(self._txn, key)

    def queued(self, queue_key: bytes) -> UrlRecord | None:
        """What is known of the URL of a queue key."""
        return self._urls.queued(self._txn, queue_key)

    def known(self, keys: Sequence[bytes]) -> dict[bytes, UrlRecord]:
        """What is known of many URLs."""
        return self._urls.known(self._txn, keys)

    def best(self, site: int, number: int, without: set[bytes]) -> list[bytes]:
        """The best waiting links of a site."""
        return self._urls.best(self._txn, site.to_bytes(4, "big"), number, without)

    def urls_after(self, number: int, most: int) -> list[UrlRecord]:
        """Up to so many URLs in the order in which they were found, after the one with a number."""
        return self._urls.urls_after(self._txn, number, most)

    def numbered(self) -> int:
        """The highest number of a URL."""
        return self._urls.numbered(self._txn)

    def due(self, now: float, number: int) -> list[bytes]:
        """Postponed links whose time has come."""
        end = sortable(now) + b"\xff" * 12
        found: list[bytes] = []
        for key in self._txn.cursor(self._db["later"]).iternext(values=False):
            if key > end or len(found) == number:
                break
            found.append(key)
        return found

    def sites(self) -> Iterator[SiteRecord]:
        """All sites known."""
        return (_unpack_site(data) for _, data in self._txn.cursor(self._db["sites"]))

    def leases(self) -> Iterable[tuple[bytes, bytes]]:
        """Links taken but not finished."""
        return list(self._txn.cursor(self._db["leases"]))

    # -- reading --------------------------------------------------------------------------------

    def urls(self) -> Iterator[UrlRecord]:
        """All URLs known."""
        return self._urls.urls(self._txn)

    def find(self, url: str) -> UrlRecord | None:
        """What is known of a URL, by its text."""
        key = self.key_of(url)
        return None if key is None else self.url(key)

    def key_of(self, url: str) -> bytes | None:
        """The key of a URL, if its site is known."""
        name = site_of(url)
        if name not in self._numbers:
            self._numbers = {record.site: record.number for record in self.sites()}
        number = self._numbers.get(name)
        return None if number is None else url_key(number, fingerprint(url))

    def place_in_queue(self, queue_key: bytes, most: int = 100_000) -> int:
        """How many links of the same site are ahead of one (counted up to `most`)."""
        return self._urls.place_in_queue(self._txn, queue_key, most)

    def rows(self, after: int = 0) -> Iterator[tuple[int, VisitRow]]:
        """The journal's rows with their numbers, oldest first."""
        cursor = self._txn.cursor(self._db["visits"])
        if cursor.set_range(_NUMBER.pack(after + 1)):
            for key, data in cursor:
                yield _NUMBER.unpack(key)[0], _unpack_row(data)

    def rows_about(self, url: str) -> Iterator[tuple[int, VisitRow]]:
        """The journal's rows of one URL; only rows that mention it are decoded."""
        mention = url.encode()
        for key, data in self._txn.cursor(self._db["visits"]):
            if mention in data:
                row = _unpack_row(data)
                if row.url == url:
                    yield _NUMBER.unpack(key)[0], row

    def last_row(self) -> int:
        """The number of the newest row."""
        cursor = self._txn.cursor(self._db["visits"])
        newest = _NUMBER.unpack(cursor.key())[0] if cursor.last() else 0
        return max(newest, self.number("rolled"))

    def count(self, table: str) -> int:
        """How many entries a table has."""
        return int(self._txn.stat(self._db[table])["entries"])

    def first_with(self, digest: bytes) -> str | None:
        """The URL under which content of this digest was first stored."""
        data = self._txn.get(digest, db=self._db["digests"])
        return None if data is None else data.decode()

    def mark(self, name: str) -> bytes | None:
        """A small fact kept with the store."""
        data: bytes | None = self._txn.get(name.encode(), db=self._db["marks"])
        return data

    def rule_counts(self) -> dict[str, dict[bytes, int]]:
        """What admission rules had counted, by the name of each."""
        found: dict[str, dict[bytes, int]] = {}
        cursor = self._txn.cursor(self._db["marks"])
        if cursor.set_range(_RULES):
            for key, value in takewhile(lambda item: item[0].startswith(_RULES), cursor):
                name, counted = key[len(_RULES) : -_COUNTED].decode(), key[-_COUNTED:]
                found.setdefault(name, {})[counted] = int(value)
        return found

    def number(self, name: str) -> int:
        """A small fact that is a number."""
        data = self.mark(name)
        return int(data) if data else 0

    def position(self) -> Position:
        """How far the archive counts."""
        data = self.mark("position")
        return msgspec.msgpack.decode(data, type=Position) if data else Position()

    def mail_for(self, agent: int, after: int, most: int = 50) -> list[tuple[int, list[tuple[Link, Score]]]]:
        """Letters to another agent that it has not taken yet: number and links."""
        cursor = self._txn.cursor(self._db["outbox"])
        found: list[tuple[int, list[tuple[Link, Score]]]] = []
        if cursor.set_range(_MAIL.pack(agent, after + 1)):
            for key, data in cursor:
                receiver, number = _MAIL.unpack(key)
                if receiver != agent or len(found) == most:
                    break
                found.append((number, _unpack_mail(data)))
        return found

    def read_all(self) -> None:
        """Read and understand everything; what cannot be is raised, or ends the process.

        LMDB's compacting copy would look at the list of free pages, too, but it crashes on sound stores.
        """
        for _ in chain(self.urls(), self.sites(), self.rows()):
            continue
        for table in _TABLES:
            for key, data in self._txn.cursor(self._db[table]):
                if table == "outbox":
                    _MAIL.unpack(key)
                    _unpack_mail(data)
        self.rule_counts()
        self.position()

    def damaged(self) -> list[tuple[str, str]]:
        """Files that are not as they were written, and why."""
        return self._urls.damaged(self._txn)

    # -- the one write --------------------------------------------------------------------------

    def commit(self, batch: Batch) -> None:
        """Make a batch durable: all of it, or, when anything goes wrong, nothing."""
        with self._writing() as txn:
            self._write_changes(txn, batch.changes)
            self._write_rows(txn, batch)
            self._write_mail(txn, batch)
            for name, value in self._marks(batch).items():
                txn.put(name.encode(), value, db=self._db["marks"])
            for rule, counts in batch.counted.items():
                for counted, number in counts.items():
                    txn.put(_RULES + rule.encode() + counted, str(number).encode(), db=self._db["marks"])
        self.refresh()

    def rebuild(self) -> int:
        """Make the way to URLs, and the queues, anew from what is known of each; returns how many there are."""
        sites = {record.site: record.number.to_bytes(4, "big") for record in self.sites()}
        with self._writing() as txn:
            number = self._urls.rebuild(txn, sites)
        self.refresh()
        self._urls.sweep(self._txn)
        return number

    @contextmanager
    def _writing(self) -> Iterator[Any]:
        """A transaction that takes effect whole or not at all; a full disk is told by a sentence."""
        try:
            with self._env.begin(write=True) as txn:
                yield txn
        except (lmdb.MapFullError, lmdb.DiskError) as error:
            raise StoreFull(f"{self.folder}: {error}") from error
        except OSError as error:
            if error.errno in (ENOSPC, EDQUOT):
                raise StoreFull(f"{self.folder}: {error}") from error
            raise
        except lmdb.Error as error:
            if "No space left" in str(error):
                raise StoreFull(f"{self.folder}: {error}") from error
            raise

    def _marks(self, batch: Batch) -> dict[str, bytes]:
        marks = dict(batch.marks)
        if batch.position is not None:
            marks["position"] = _pack(batch.position)
        marks.update({f"received.{sender}": str(number).encode() for sender, number in batch.received.items()})
        return marks

    def _write_changes(self, txn: Any, changes: Changes) -> None:
        self._urls.write(txn, changes)
        for key in changes.unleased:
            txn.delete(key, db=self._db["leases"])
        for key in changes.unpostponed:
            txn.delete(key, db=self._db["later"])
        self._put(txn, "leases", list(changes.leased.items()))
        self._put(txn, "later", [(key, b"") for key in sorted(changes.postponed)])
        sites = sorted(changes.sites.items())
        self._put(txn, "sites", [(number.to_bytes(4, "big"), _pack(site)) for number, site in sites])

    def _put(self, txn: Any, table: str, items: list[tuple[bytes, bytes]], *, append: bool = False) -> None:
        if items:
            txn.cursor(self._db[table]).putmulti(items, append=append)

    def _write_rows(self, txn: Any, batch: Batch) -> None:
        if batch.rows:
            first = self.last_row() + 1
            rows = [(_NUMBER.pack(first + place), _pack(row)) for place, row in enumerate(batch.rows)]
            self._put(txn, "visits", rows, append=True)
        self._put(txn, "digests", [(digest, url.encode()) for digest, url in batch.digests.items()])

    def _write_mail(self, txn: Any, batch: Batch) -> None:
        for receiver, letters in batch.mail.items():
            number = int(txn.get(f"sent.{receiver}".encode(), db=self._db["marks"]) or b"0") + 1
            txn.put(_MAIL.pack(receiver, number), _pack(letters), db=self._db["outbox"])
            txn.put(f"sent.{receiver}".encode(), str(number).encode(), db=self._db["marks"])
        for receiver, number in batch.delivered.items():
            cursor = txn.cursor(self._db["outbox"])
            while cursor.set_range(_MAIL.pack(receiver, 0)) and cursor.key() <= _MAIL.pack(receiver, number):
                cursor.delete()

    def drop_rows(self, through: int) -> None:
        """Forget journal rows that now lie in a closed segment."""
        with self._env.begin(write=True) as txn:
            cursor = txn.cursor(self._db["visits"])
            while cursor.first() and cursor.key() <= _NUMBER.pack(through):
                cursor.delete()
            txn.put(b"rolled", str(through).encode(), db=self._db["marks"])
        self.refresh()
