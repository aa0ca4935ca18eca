"""The index of a crawl, kept open between two questions where it is read, with what ranks its results.

The functions at the end are asked by whoever shows results; they run in the process that reads the crawl.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.reading_apart import read_apart
from lycosa.indexing.ranking_signals import ResultOrders
from lycosa.interface.views.search.index_words import IndexWords
from lycosa.interface.views.search.request import PER_PAGE, Question
from lycosa.interface.views.search.results import Answer
from lycosa.search.index import Found, IndexReader
from lycosa.search.query import understand
from lycosa.search.ranking import Order
from lycosa.search.schema import IndexDamaged
from lycosa.search.suggestions import completed, corrected


class OpenIndex:
    """One crawl's index. After an error it is opened anew for the next question."""

    def __init__(self, folder: CrawlFolder) -> None:
        self._folder = folder
        self._orders = ResultOrders(folder, beside=True)
        self._words = IndexWords()
        self._opening = threading.Lock()
        self._kept: tuple[int, IndexReader] | None = None

    def search(self, typed: str, limit: int, offset: int) -> Found:
        """The best pages for what was typed."""
        return self.reader().search(understand(typed), limit, offset, self._order(typed))

    def ask(self, question: Question, now: float) -> Answer:
        """A page of results, what they have in common, and another spelling if need be."""
        wanted, reader = question.wanted(now), self.reader()
        found = reader.search(wanted, PER_PAGE, question.offset, self._order(question.typed), question.sort)
        correction = corrected(question.typed, found.total, reader, self._words.of(reader, stamp_of(self._folder)))
        return Answer(found, reader.facets(wanted.loosened(found.loosened), found.total), correction)

    def suggest(self, typed: str, queries: Sequence[str]) -> list[str]:
        """How what somebody types may go on."""
        reader = self.reader()
        return completed(typed, reader, self._words.of(reader, stamp_of(self._folder)), queries)

    def reader(self) -> IndexReader:
        """The one reader of the index, which sees everything committed by now.

        It is opened anew after a commit, as the index may have been built again with another layout.
        """
        with self._opening:
            stamp = stamp_of(self._folder)
            if self._kept is None or self._kept[0] != stamp:
                self._kept = None
                self._kept = (stamp, IndexReader(self._folder.index))
            return self._kept[1]

    def forget(self) -> None:
        """Open the index anew for the next question."""
        with self._opening:
            self._kept = None

    def _order(self, typed: str) -> Order | None:
        """How results are put in order; by the words alone where the crawl's settings cannot be read."""
        try:
            return self._orders.of(typed)
        except (ConfigurationError, OSError):
            return None


_open: dict[Path, OpenIndex] = {}


def _index_of(folder: CrawlFolder) -> OpenIndex:
    return _open.setdefault(folder.path, OpenIndex(folder))


@read_apart()
def searched(folder: CrawlFolder, typed: str, limit: int, offset: int) -> Found:
    """The best pages of a crawl for what was typed."""
    index = _index_of(folder)
    try:
        return index.search(typed, limit, offset)
    except (IndexDamaged, ValueError, OSError) as error:
        index.forget()
        raise _as_damage(error) from error


@read_apart()
def answered(folder: CrawlFolder, question: Question, now: float) -> Answer:
    """The answer of a crawl's index to a question."""
    index = _index_of(folder)
    try:
        return index.ask(question, now)
    except (IndexDamaged, ValueError, OSError) as error:
        index.forget()
        raise _as_damage(error) from error


@read_apart()
def suggested(folder: CrawlFolder, typed: str, queries: Sequence[str]) -> list[str]:
    """How what somebody types may go on, by the words of a crawl's index."""
    index = _index_of(folder)
    try:
        return index.suggest(typed, queries)
    except (IndexDamaged, ValueError, OSError) as error:
        index.forget()
        raise _as_damage(error) from error


def _as_damage(error: Exception) -> Exception:
    """What the index's library says of a file that it cannot read is damage, too."""
    return IndexDamaged(str(error)) if isinstance(error, ValueError) else error


def stamp_of(folder: CrawlFolder) -> int:
    """Changes with every commit of the index; 0 where there is none."""
    try:
        return (folder.index / "meta.json").stat().st_mtime_ns
    except FileNotFoundError:
        return 0
