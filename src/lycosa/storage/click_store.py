"""What people did with pages, kept: totals per page, and what each visitor of a day did (LMDB).

Every write is one synced transaction, so what was acknowledged survives any crash.
Several processes may write, each for a moment; readers never wait. It holds no address
and no browser, only hashes whose keys are destroyed after a day or two (`day_keys`).
Results that were shown and chosen in a crawl's own search are a part of it
(`shown_results`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import lmdb
import msgspec

from lycosa.click_records import Behaviour, ClickEvent, PageClicks, ShownResult, Source, WatchedSite
from lycosa.configuration.settings import ConfigurationError
from lycosa.storage import lmdb_environments as environments
from lycosa.storage import shown_results
from lycosa.storage import visitor_actions as behaviours
from lycosa.storage.agent_store import StoreFull
from lycosa.storage.counted_views import Views
from lycosa.storage.shown_results import URL_HASH, ShownResults, url_hash
from lycosa.storage.table_scans import below, remove
from lycosa.storage.visitor_actions import Behaviours

AT_ONCE = 10_000
"""Entries that one transaction removes, so that nobody waits long to write."""
_TABLES = ("sites", "pages", "views", "refusals", "marks", *behaviours.TABLES, *shown_results.TABLES)
_SITE = struct.Struct(">I")
_NOBODY = _SITE.pack(0)
"""Stands for what belongs to no known site."""
_SOURCES = {Source.LOG: b"l", Source.BEACON: b"b", Source.SEARCH: b"s"}
_pack = msgspec.msgpack.Encoder().encode
_unpack_site = msgspec.msgpack.Decoder(tuple[int, WatchedSite]).decode
_unpack_page = msgspec.msgpack.Decoder(PageClicks).decode


class ClickStore:
    """A click store in a folder."""

    def __init__(self, folder: Path, *, readonly: bool = False) -> None:
        if readonly and not (folder / "data.mdb").exists():
            raise ConfigurationError(
                f"{folder}: nothing was counted here yet; import a log with `lycosa clicks import`, "
                "or receive events with `lycosa collect`"
            )
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._env, self._db = environments.take(folder, len(_TABLES), _TABLES)
        self._views, self._behaviours, self._results = (
            Views(self._db["views"]),
            Behaviours(self._db),
            ShownResults(self._db),
        )
        self._open = True

    def close(self) -> None:
        """Close the store."""
        if self._open:
            self._open = False
            environments.give_back(self.folder)

    def __enter__(self) -> ClickStore:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def stamp(self) -> int:
        """A number that changes with every write."""
        return int(self._env.info()["last_txnid"])

    @contextmanager
    def _writing(self) -> Iterator[Any]:
        try:
            with self._env.begin(write=True) as txn:
                yield txn
        except (lmdb.MapFullError, lmdb.DiskError) as error:
            raise StoreFull(f"{self.folder}: {error}") from error
        except lmdb.Error as error:
            if "No space left" in str(error):
                raise StoreFull(f"{self.folder}: {error}") from error
            raise

    # -- sites ----------------------------------------------------------------------------------

    def sites(self) -> list[WatchedSite]:
        """All sites of which something was counted, or is to be."""
        with self._env.begin() as txn:
            return [_unpack_site(data)[1] for _, data in txn.cursor(self._db["sites"])]

    def site(self, name: str) -> WatchedSite | None:
        """A site by its name."""
        with self._env.begin() as txn:
            data = txn.get(name.encode(), db=self._db["sites"])
        return None if data is None else _unpack_site(data)[1]

    def put_site(self, site: WatchedSite) -> None:
        """Add a site, or change it."""
        with self._writing() as txn:
            number = self._number(txn, site.name)
            txn.put(site.name.encode(), _pack((number, site)), db=self._db["sites"])

    def drop_site(self, name: str) -> None:
        """Forget a site with all that was counted of it."""
        with self._writing() as txn:
            data = txn.get(name.encode(), db=self._db["sites"])
            if data is None:
                return
            prefix = _SITE.pack(_unpack_site(data)[0])
            urls = {key[-URL_HASH:] for key, _ in below(txn, self._db["pages"], prefix)}
            self._behaviours.forget_pages(txn, urls)
            for table in ("pages", "refusals"):
                remove(txn, self._db[table], lambda *_: True, prefix)
            for table in ("behaviours", "views"):
                remove(txn, self._db[table], lambda key, _: key[4:8] == prefix)
            remove(txn, self._db["marks"], lambda key, _: f":{name}:".encode() in key)
            txn.delete(name.encode(), db=self._db["sites"])

    def drop_page(self, site: str, url: str) -> bool:
        """Forget all that was counted of a page; False where nothing was."""
        with self._writing() as txn:
            number, page = self._known(txn, site), url_hash(url)
            if number is None:
                return False
            found = [txn.delete(number + source + page, db=self._db["pages"]) for source in _SOURCES.values()]
            remove(txn, self._db["behaviours"], lambda key, _: key[4:24] == number + page)
            self._behaviours.forget_pages(txn, {page})
            return any(found)

    def _number(self, txn: Any, name: str) -> int:
        """The number of a site, which it gets when it is first mentioned."""
        data = txn.get(name.encode(), db=self._db["sites"])
        if data is not None:
            return _unpack_site(data)[0]
        last = int(txn.get(b"sites", db=self._db["marks"]) or b"0") + 1
        txn.put(b"sites", str(last).encode(), db=self._db["marks"])
        txn.put(name.encode(), _pack((last, WatchedSite(name, ""))), db=self._db["sites"])
        return last

    def _known(self, txn: Any, name: str) -> bytes | None:
        data = txn.get(name.encode(), db=self._db["sites"])
        return None if data is None else _SITE.pack(_unpack_site(data)[0])

    # -- counting -------------------------------------------------------------------------------

    def add_pages(
        self,
        site: str,
        source: Source,
        pages: Iterable[PageClicks],
        *,
        marks: Mapping[str, bytes | None] | None = None,
        refusals: Mapping[str, int] | None = None,
    ) -> None:
        """Add to the totals of pages, and put named values with them (None removes one)."""
        with self._writing() as txn:
            number = _SITE.pack(self._number(txn, site))
            for page in sorted(pages, key=lambda page: page.url):
                self._join(txn, number + _SOURCES[source], page)
            for name, value in (marks or {}).items():
                if value is None:
                    txn.delete(name.encode(), db=self._db["marks"])
                else:
                    txn.put(name.encode(), value, db=self._db["marks"])
            for reason, times in (refusals or {}).items():
                self._refuse(txn, number, reason, times)

    def add_events(self, events: Sequence[ClickEvent], refusals: Mapping[tuple[str, str], int] | None = None) -> int:
        """Count what visitors did. Returns how many events had been counted before, and so were refused."""
        replays = 0
        totals: dict[bytes, PageClicks] = {}
        with self._writing() as txn:
            for event in events:
                site = _SITE.pack(self._number(txn, event.site))
                if not self._views.take(txn, site, event):
                    replays += 1
                    self._refuse(txn, site, "replay", 1)
                    continue
                found = self._behaviours.note(txn, site, event)
                key = site + _SOURCES[event.source]
                place = key + event.url.encode()
                totals[place] = totals[place].joined(found) if place in totals else found
            for place, page in sorted(totals.items()):
                self._join(txn, place[:5], page)
            for (name, reason), times in (refusals or {}).items():
                site = _SITE.pack(self._number(txn, name)) if name else _NOBODY
                self._refuse(txn, site, reason, times)
        return replays

    def _join(self, txn: Any, prefix: bytes, page: PageClicks) -> None:
        key = prefix + url_hash(page.url)
        data = txn.get(key, db=self._db["pages"])
        txn.put(key, _pack(page if data is None else _unpack_page(data).joined(page)), db=self._db["pages"])

    def _refuse(self, txn: Any, site: bytes, reason: str, times: int) -> None:
        key = site + reason.encode()
        number = int(txn.get(key, db=self._db["refusals"]) or b"0") + times
        txn.put(key, str(number).encode(), db=self._db["refusals"])

    # -- reading --------------------------------------------------------------------------------

    def page(self, site: str, url: str) -> PageClicks | None:
        """A page's record, all sources as one."""
        with self._env.begin() as txn:
            number = self._known(txn, site)
            if number is None:
                return None
            keys = [number + source + url_hash(url) for source in _SOURCES.values()]
            found = [_unpack_page(data) for key in keys if (data := txn.get(key, db=self._db["pages"])) is not None]
        return as_one(found) if found else None

    def pages(self, site: str = "", source: Source | None = None) -> Iterator[PageClicks]:
        """The records of a site's pages, or of all sites; of one source, or all as one."""
        for name in [site] if site else [each.name for each in self.sites()]:
            found: dict[str, list[PageClicks]] = {}
            with self._env.begin() as txn:
                number = self._known(txn, name)
                for each in [] if number is None else [source] if source else list(Source):
                    for _, data in below(txn, self._db["pages"], (number or b"") + _SOURCES[each]):
                        page = _unpack_page(data)
                        found.setdefault(page.url, []).append(page)
            for url in sorted(found):
                yield as_one(found[url])

    def behaviours(self, site: str = "", most: int = 1000) -> Iterator[Behaviour]:
        """What visitors did, latest days first."""
        with self._env.begin() as txn:
            number = self._known(txn, site) if site else None
            if number is not None or not site:
                yield from self._behaviours.latest(txn, number, most)

    def query_sets(self, query: str) -> dict[str, dict[int, int]]:
        """The sets of actions of visitors who came by a query, by page."""
        with self._env.begin() as txn:
            return self._behaviours.sets_of(txn, query)

    def refusals(self, site: str | None = None) -> dict[str, int]:
        """How often something was refused, by reason; "" is for what names no known site, None for all."""
        found: dict[str, int] = {}
        with self._env.begin() as txn:
            prefix = b"" if site is None else _NOBODY if not site else self._known(txn, site)
            for key, data in below(txn, self._db["refusals"], prefix) if prefix is not None else ():
                reason = key[_SITE.size :].decode()
                found[reason] = found.get(reason, 0) + int(data)
        return found

    def mark(self, name: str) -> bytes | None:
        """A named value."""
        with self._env.begin() as txn:
            data: bytes | None = txn.get(name.encode(), db=self._db["marks"])
        return data

    def marks(self, prefix: str) -> Iterator[tuple[str, bytes]]:
        """The named values whose names begin so."""
        with self._env.begin() as txn:
            for key, data in below(txn, self._db["marks"], prefix.encode()):
                yield key.decode(), data

    def forget(self, before: int) -> int:
        """Remove what visitors did on days before one, and what nobody searched for since; totals stay."""
        total = 0
        for part in (self._views, self._behaviours, self._results):
            gone = AT_ONCE
            while gone == AT_ONCE:
                with self._writing() as txn:
                    gone = part.forget(txn, before, AT_ONCE)
                total += gone
        with self._writing() as txn:
            return total + self._results.forget_unasked(txn, before)

    # -- results of the own search --------------------------------------------------------------

    def add_shown(self, query: str, urls: Sequence[str], first_place: int = 1, *, day: int) -> None:
        """Results were shown, from a place on."""
        with self._writing() as txn:
            self._results.show(txn, query, urls, first_place, day)

    def add_chosen(self, query: str, url: str, place: int, visitor: bytes, day: int) -> bool:
        """A visitor chose a result; False where that does not count: again, or never shown at that place."""
        with self._writing() as txn:
            return self._results.choose(txn, query, url, place, visitor, day)

    def add_answer(self, query: str, first: str, enough: bool, visitor: bytes, day: int) -> bool:
        """A visitor said whether results were enough; False where that does not count: again, or never shown first."""
        with self._writing() as txn:
            return self._results.answer(txn, query, first, enough, visitor, day)

    def shown(self, query: str) -> list[ShownResult]:
        """What was shown for a query."""
        with self._env.begin() as txn:
            return list(self._results.of(txn, query))

    def all_shown(self) -> Iterator[ShownResult]:
        """What was shown for any query."""
        with self._env.begin() as txn:
            yield from self._results.of(txn, None)

    def queries(self) -> dict[str, int]:
        """How often each query was asked."""
        with self._env.begin() as txn:
            return self._results.asked(txn)


def as_one(found: Sequence[PageClicks]) -> PageClicks:
    """What several sources say of one page, as one record.

    They saw the same people, so nothing is added up: the source with most visits speaks of visits, the one with most
    actions of what people did, and the one that knows the document of the document.
    """
    if len(found) == 1:
        return found[0]
    visits = max(found, key=lambda page: page.visits)
    acts = max(found, key=lambda page: sum(page.sets.values()))
    document = max(found, key=lambda page: (page.ascii_sum > 0, page.last_access))
    return msgspec.structs.replace(
        visits,
        length=document.length,
        ascii_sum=document.ascii_sum,
        downloads=document.downloads,
        created=min((page.created for page in found if page.created), default=0.0),
        last_access=max(page.last_access for page in found),
        actions=acts.actions,
        sets=acts.sets,
        ratings=acts.ratings,
        rating_sum=acts.rating_sum,
    )
