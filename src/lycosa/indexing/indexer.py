"""Feeds the index from what the agents have committed, and from nothing else.

The indexer follows the agents' journals from its last mark: for each fetched page
it reads the archive, parses the page again and adds it. So there is one path into
the index, while crawling and when it is built anew, and no agent waits for it.
Whoever keeps the structures of pages is handed each page too, so it is parsed once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from lycosa.crawl_folder.costly_pages import TooCostly
from lycosa.crawl_folder.stored_pages import page_at
from lycosa.crawl_folder.suspect_pages import TOO_COSTLY
from lycosa.fetching.content_coding import BadCoding, TooLarge
from lycosa.records import GONE, Page
from lycosa.search.index import Document, IndexWriter
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import ArchiveDamaged, Place
from lycosa.storage.catalogue import DUPLICATE, VisitRow, has_moved

NEEDED = (
    "url", "at", "agent", "outcome", "why", "relevance", "noindex", "duplicate_of", "file", "offset", "size", "aside",
    "classes", "status", "target", "placeholder",
)  # fmt: skip


class StructureKeeper(Protocol):
    """Keeps the structures of pages beside the index."""

    def take(self, number: int, row: VisitRow, page: Page | None) -> None:
        """A row of an agent's journal by its number, and its page with its structure, where it was read."""


class PageGroups(Protocol):
    """Knows which pages have nearly the same text."""

    marks: dict[int, int]

    def group(self, page: Page) -> int:
        """The number of a page's group."""

    def forget(self, url: str) -> None:
        """A page is not to be found any more."""


class ReadingGuard(Protocol):
    """Notes which page is being read, for whoever watches the process from outside."""

    def begin(self, row: VisitRow) -> None:
        """The page of a row is about to be read."""

    def done(self) -> None:
        """All pages that were begun are read."""


class Indexer:
    """Brings an index up to date with the agents' journals."""

    def __init__(
        self,
        writer: IndexWriter,
        archive: Path,
        stores: Sequence[AgentStore],
        topic: str = "",
        structures: StructureKeeper | None = None,
        similar: PageGroups | None = None,
        guard: ReadingGuard | None = None,
    ) -> None:
        self._guard = guard
        self._writer, self._archive, self._stores, self._topic = writer, archive, stores, topic
        self._structures, self._similar = structures, similar
        self._marks = dict(writer.marks)
        self.counts: Counter[str] = Counter()

    @property
    def marks(self) -> dict[int, int]:
        """The number of the last row that was taken of each agent's journal, committed or not."""
        return self._marks

    def follow(self, most: int = 500) -> int:
        """Add up to so many new rows; returns how many there were."""
        try:
            return self._follow(most)
        finally:
            if self._guard is not None:
                self._guard.done()

    def _follow(self, most: int) -> int:
        done = 0
        for number, store in enumerate(self._stores):
            store.refresh()
            for row_number, row in catalogue.history(store, self._marks.get(number, 0), NEEDED):
                if done >= most:
                    return done
                if self._guard is not None:
                    self._guard.begin(row)
                page = self.take(row, store)
                if self._structures is not None:
                    self._structures.take(row_number, row, page)
                self._marks[number] = row_number
                if self._similar is not None:
                    self._similar.marks[number] = row_number
                done += 1
        return done

    def behind(self) -> int:
        """How many rows of the journals cannot be searched yet."""
        marks = self._writer.marks
        return sum(max(0, store.last_row() - marks.get(number, 0)) for number, store in enumerate(self._stores))

    def commit(self) -> None:
        """Make what was added searchable."""
        if self._marks != self._writer.marks:
            self._writer.commit(self._marks)

    def take(self, row: VisitRow, store: AgentStore) -> Page | None:
        """Add the page of a row, or take it out; the page, if it was read."""
        if row.outcome == "failed" and row.why in GONE:
            self._drop(row.url, "gone")
        elif row.outcome == DUPLICATE or has_moved(row):
            self._drop(row.url, "duplicate" if row.outcome == DUPLICATE else "moved")
        if row.outcome != "fetched":
            return None
        if row.kept_out:
            self._drop(row.url, row.kept_out)
            return None
        try:
            page = page_at(self._archive, Place(row.file, row.offset, row.size), self._structures is not None)
        except TooCostly:
            self._drop(row.url, TOO_COSTLY)
            return None
        except (ArchiveDamaged, BadCoding, TooLarge) as error:
            self.counts[f"damaged: {type(error).__name__}"] += 1
            return None
        record = store.find(row.url)
        anchors = record.anchors if record else ()
        group = None if self._similar is None else self._similar.group(page)
        classes = tuple(row.classes.split())
        self._writer.add(Document(page, anchors, self._topic, row.at, row.relevance or 0.0, group, classes))
        self.counts["indexed"] += 1
        return page

    def _drop(self, url: str, why: str) -> None:
        self._writer.drop(url)
        self.counts[why] += 1
        if self._similar is not None:
            self._similar.forget(url)
