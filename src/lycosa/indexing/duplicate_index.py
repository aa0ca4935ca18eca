"""Groups of pages with nearly the same text (M9).

Every page that is indexed is compared with all before it, whichever agent fetched it, and
gets the number of its group: search shows one page of a group. The file is written when it
has grown by a tenth, and at the end; what a crash left out is read again from the archive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stored_pages import page_at
from lycosa.duplicates.near_duplicates import NearDuplicates
from lycosa.duplicates.text_sketch import sketch_of
from lycosa.fetching.content_coding import BadCoding, TooLarge
from lycosa.indexing.indexer import NEEDED, ReadingGuard
from lycosa.records import Page
from lycosa.search.ranking import page_key
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import ArchiveDamaged, Place
from lycosa.storage.catalogue import DUPLICATE, has_moved

WORTH_SAVING = 10
_VERSION = 1


class _Saved(msgspec.Struct, array_like=True):
    version: int
    marks: dict[int, int]
    groups: bytes


class SimilarPages:
    """Groups of pages with nearly the same text, by page."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._groups = NearDuplicates()
        self._saved = 0
        self.marks: dict[int, int] = {}

    @classmethod
    def open(cls, folder: CrawlFolder) -> SimilarPages:
        """What was saved; from the beginning if there is nothing that can be read."""
        found = cls(folder.index / "similar.bin")
        try:
            saved = msgspec.msgpack.decode(found._path.read_bytes(), type=_Saved)
            if saved.version != _VERSION:
                return found
            groups = NearDuplicates.from_bytes(saved.groups)
        except (FileNotFoundError, ValueError):
            return found
        found._groups, found.marks, found._saved = groups, saved.marks, len(groups)
        return found

    def __len__(self) -> int:
        return len(self._groups)

    def group(self, page: Page) -> int:
        """The number of a page's group, which is its own where nothing is like it."""
        return self._groups.add(page_key(page.url), sketch_of(page.text))

    def forget(self, url: str) -> None:
        """A page is not to be found any more."""
        self._groups.remove(page_key(url))

    def catch_up(
        self,
        archive: Path,
        stores: Sequence[AgentStore],
        marks: Mapping[int, int],
        guard: ReadingGuard | None = None,
    ) -> None:
        """Read again what the index has and this has not."""
        for agent, store in enumerate(stores):
            for number, row in catalogue.history(store, self.marks.get(agent, 0), NEEDED):
                if number > marks.get(agent, 0):
                    break
                if guard is not None:
                    guard.begin(row)
                if row.outcome == "fetched" and not row.kept_out:
                    try:
                        self.group(page_at(archive, Place(row.file, row.offset, row.size)))
                    except (ArchiveDamaged, BadCoding, TooLarge):
                        self.forget(row.url)
                elif row.outcome == DUPLICATE or has_moved(row):
                    self.forget(row.url)
                self.marks[agent] = number
        if guard is not None:
            guard.done()

    def save_if_grown(self) -> None:
        """Write the file if a tenth of its pages are new."""
        if len(self) - self._saved > self._saved // WORTH_SAVING:
            self.save()

    def save(self) -> None:
        """Write the file, replacing it in one step."""
        partial = self._path.with_suffix(".partial")
        partial.write_bytes(msgspec.msgpack.encode(_Saved(_VERSION, self.marks, self._groups.to_bytes())))
        partial.replace(self._path)
        self._saved = len(self)
