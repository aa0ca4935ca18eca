"""How the pages of a crawl are read for whatever follows its journals, so that no page holds up all others.

The process says which page it reads; one over which it died is read alone first, in a process with
limits. Where it fails there too, it is listed, and `page_at` refuses it to everybody from then on.
"""

from __future__ import annotations

from time import time

from lycosa.configuration.sections import Reading
from lycosa.crawl_folder.costly_pages import CostlyPage, note_costly
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.reading_slot import OF_INDEXER
from lycosa.crawl_folder.stored_pages import page_at
from lycosa.crawl_folder.suspect_pages import SuspectPages
from lycosa.duplicates.text_sketch import sketch_of
from lycosa.limited_process import LimitedProcess
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.search.index import Document, as_stored
from lycosa.storage.archive import Place
from lycosa.storage.catalogue import VisitRow


class PageReading:
    """The indexer's care for the pages that it reads."""

    def __init__(self, folder: CrawlFolder, limits: Reading) -> None:
        self._crawl, self._archive, self._limits = folder.path, folder.archive, limits
        self._suspects = SuspectPages(folder.path / OF_INDEXER)

    def begin(self, row: VisitRow) -> None:
        """The page of a row is about to be read; one that nobody could read is listed before that."""
        self._suspects.page(row.url)
        if row.outcome != "fetched":
            return
        place = Place(row.file, row.offset, row.size)
        why = self._suspects.refused(row.url)
        if not why and self._suspects.doubts(row.url):
            why = LimitedProcess(lambda: self._try(row.url, place), self._limits.within, self._limits.memory).wait()
            if why:
                self._suspects.refuse(row.url, why)
        if why:
            note_costly(self._crawl, CostlyPage(row.url, place, time(), why))

    def _try(self, url: str, place: Place) -> None:
        """All that the indexer does with a page, in a process that may die of it."""
        page = page_at(self._archive, place, structure=True)
        sketch_of(page.text)
        if page.structure:
            Skeleton.from_bytes(page.structure)
        as_stored(Document(page))

    def done(self) -> None:
        """All pages that were begun are read."""
        self._suspects.done()

    def close(self) -> None:
        """Close the slot."""
        self._suspects.close()
