"""Feeds the index from what the agents have committed, and from nothing else.

The indexer follows the agents' journals from its last mark: for each fetched page
it reads the archive, parses the page again and adds it. So there is one path into
the index, while crawling and when it is built anew, and no agent waits for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from lycosa.fetching.content_coding import BadCoding, TooLarge, codings, decode
from lycosa.pages.document import read_page
from lycosa.records import Fetched, Link, Page, Response
from lycosa.search.index import Document, IndexWriter
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import ArchiveDamaged, Place, read
from lycosa.storage.catalogue import VisitRow

NEEDED = ("url", "at", "agent", "outcome", "relevance", "noindex", "duplicate_of", "file", "offset", "size")


class Indexer:
    """Brings an index up to date with the agents' journals."""

    def __init__(self, writer: IndexWriter, archive: Path, stores: Sequence[AgentStore], topic: str = "") -> None:
        self._writer, self._archive, self._stores, self._topic = writer, archive, stores, topic
        self._marks = dict(writer.marks)
        self.counts: Counter[str] = Counter()

    def follow(self, most: int = 500) -> int:
        """Add up to so many new rows; returns how many there were."""
        done = 0
        for number, store in enumerate(self._stores):
            store.refresh()
            for row_number, row in catalogue.history(store, self._marks.get(number, 0), NEEDED):
                if done >= most:
                    return done
                self._take(row, store)
                self._marks[number] = row_number
                done += 1
        return done

    def commit(self) -> None:
        """Make what was added searchable."""
        if self._marks != self._writer.marks:
            self._writer.commit(self._marks)

    def _take(self, row: VisitRow, store: AgentStore) -> None:
        if row.outcome != "fetched":
            return
        if row.noindex or row.duplicate_of:
            self._writer.drop(row.url)
            self.counts["noindex" if row.noindex else "duplicate"] += 1
            return
        try:
            page = page_at(self._archive, Place(row.file, row.offset, row.size))
        except (ArchiveDamaged, BadCoding, TooLarge) as error:
            self.counts[f"damaged: {type(error).__name__}"] += 1
            return
        record = store.find(row.url)
        anchors = record.anchors if record else ()
        self._writer.add(Document(page, anchors, self._topic, row.at, row.relevance or 0.0))
        self.counts["indexed"] += 1


LARGEST_BODY = 64 * 1024**2


def page_at(archive: Path, place: Place) -> Page:
    """A page read again from the archive."""
    _, response = read(archive, place)
    body, _ = decode(response.raw, codings(response.header("content-encoding")), LARGEST_BODY)
    whole = Response(response.url, response.status, response.headers, body, response.raw, response.began)
    return read_page(Fetched(Link(response.url), whole))
