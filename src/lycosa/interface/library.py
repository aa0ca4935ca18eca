"""The crawls of a home as the pages see them: found by name, their indexes and ledgers kept at hand."""

from __future__ import annotations

import threading
from pathlib import Path

from lycosa.agents.folder import CrawlError, CrawlFolder
from lycosa.agents.page_signals import ResultOrders
from lycosa.agents.status import Status, crawl_status
from lycosa.configuration import ConfigurationError
from lycosa.interface.ledger import Ledger, Overview
from lycosa.records import Record
from lycosa.search.index import Found, IndexDamaged, IndexReader
from lycosa.search.query import understand
from lycosa.search.ranking import Order


class UnknownCrawl(CrawlError):
    """There is no crawl of that name."""


class UnreadableCrawl(CrawlError):
    """The crawl's folder is there, but what lies in it cannot be understood."""


class Shelved(Record, frozen=True):
    """A crawl in the list of crawls; `trouble` instead of a status where it cannot be read."""

    name: str
    searchable: bool
    status: Status | None = None
    trouble: str = ""


class Library:
    """All crawls below a home, read only."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._ledgers: dict[str, Ledger] = {}
        self._readers: dict[str, tuple[int, IndexReader]] = {}
        self._orders: dict[str, ResultOrders] = {}
        self._opening = threading.Lock()

    def names(self) -> list[str]:
        """The names of all crawls."""
        return [folder.name for folder in CrawlFolder.all(self._home)]

    def searchable(self) -> list[str]:
        """The names of the crawls that have an index."""
        return [folder.name for folder in CrawlFolder.all(self._home) if _stamp(folder)]

    def crawl(self, name: str) -> CrawlFolder:
        """A crawl by its name, which is only ever compared, never made into a path."""
        for folder in CrawlFolder.all(self._home):
            if folder.name == name:
                return folder
        raise UnknownCrawl(f"There is no crawl named “{name[:80]}”.")

    def shelves(self) -> list[Shelved]:
        """Every crawl with how it stands."""
        found = []
        for folder in CrawlFolder.all(self._home):
            searchable = bool(_stamp(folder))
            try:
                found.append(Shelved(folder.name, searchable, self.status(folder)))
            except UnreadableCrawl as error:
                found.append(Shelved(folder.name, searchable, trouble=str(error)))
        return found

    def status(self, folder: CrawlFolder) -> Status:
        """How a crawl stands now."""
        try:
            return crawl_status(folder)
        except (ConfigurationError, OSError, KeyError, ValueError) as error:
            raise UnreadableCrawl(f"The crawl “{folder.name}” cannot be read: {error}") from error

    def overview(self, folder: CrawlFolder) -> Overview:
        """The crawl's journals in brief, as far as they have been read."""
        try:
            return self._ledgers.setdefault(folder.name, Ledger(folder)).look()
        except (ConfigurationError, OSError) as error:
            return Overview(trouble=str(error))

    def search(self, folder: CrawlFolder, typed: str, limit: int, offset: int) -> Found | None:
        """The answer of a crawl's index, or None where there is no index (any more, or yet)."""
        try:
            reader = self._reader(folder)
            return reader.search(understand(typed), limit, offset, self._order(folder, typed))
        except (IndexDamaged, ValueError):
            self._readers.pop(folder.name, None)
            return None

    def _order(self, folder: CrawlFolder, typed: str) -> Order | None:
        """How results are put in order; by the words alone where the crawl's settings cannot be read."""
        try:
            return self._orders.setdefault(folder.name, ResultOrders(folder, beside=True)).of(typed)
        except (ConfigurationError, OSError):
            return None

    def _reader(self, folder: CrawlFolder) -> IndexReader:
        """The one reader of an index, which sees everything committed by now."""
        with self._opening:
            stamp = _stamp(folder)
            kept = self._readers.get(folder.name)
            if kept is None:
                reader = IndexReader(folder.index)
            elif kept[0] == stamp:
                return kept[1]
            else:
                reader = kept[1]
                reader.refresh()
            self._readers[folder.name] = (stamp, reader)
            return reader


def _stamp(folder: CrawlFolder) -> int:
    """Changes with every commit of the index; 0 where there is none."""
    try:
        return (folder.index / "meta.json").stat().st_mtime_ns
    except FileNotFoundError:
        return 0
