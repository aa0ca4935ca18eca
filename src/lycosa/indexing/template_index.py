"""The structures of a crawl's pages: which are built alike, how many, what templates there are.

Like the search index, they follow the agents' journals from a mark of their own: the
indexer hands over each page that it reads, and what it did not hand over is read from
the archive. So they can be asked of any crawl, are never needed to go on with one, and
a file that is damaged or gone is made again. Each URL counts once, as it was last fetched.
"""

from __future__ import annotations

import fcntl
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

import msgspec
import xxhash

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stored_pages import page_at
from lycosa.crawl_folder.stores import reading
from lycosa.fetching.content_coding import BadCoding, TooLarge
from lycosa.indexing.indexer import NEEDED, ReadingGuard
from lycosa.pages.structure.index import StructureIndex
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.pages.structure.sketch import ALIKE
from lycosa.records import Page, Record
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import ArchiveDamaged, Place
from lycosa.storage.catalogue import DUPLICATE, VisitRow

MOST_PAGES = 500_000
"""Pages that are kept; later ones are only counted."""
MOST_TEMPLATES = 50_000
LARGEST_FILE = 128 * 1024**2
"""What is written down may have about so many bytes."""
NEARLY = 0.9
"""A file this near to its largest size counts as full. How much it grows is known only when it is written."""
WORTH_SAVING = 10
"""While a crawl runs, the file is written again when a tenth of its pages are new."""
SHOWN_OF_TEMPLATE = 3

_VERSION = 1
_DIGEST = 16


class Alike(Record, frozen=True):
    """A page found by its structure: how like it is, the number of its template and how many pages that has."""

    url: str
    likeness: float
    template: int
    template_pages: int


class Cluster(Record, frozen=True):
    """Pages of one template: how many, the one that came first, a few of them, and the first one's structure."""

    number: int
    pages: int
    founder: str
    examples: tuple[str, ...]
    skeleton: Skeleton


class _Saved(msgspec.Struct, array_like=True):
    version: int
    marks: dict[int, int]
    beyond: int
    index: bytes


class Structures:
    """The structures of one crawl's pages."""

    def __init__(self, folder: CrawlFolder, most_pages: int = MOST_PAGES, largest_file: int = LARGEST_FILE) -> None:
        self._folder, self._most_pages, self._largest_file = folder, most_pages, largest_file
        self._founded = 0
        self._index = StructureIndex()
        self._template_of: dict[str, int] = {}
        self._marks: dict[int, int] = {}
        self._unsaved = self._added = self._written = self._growth = 0
        self.beyond = 0
        """Fetched pages that came when there was no more room."""

    @classmethod
    def open(cls, folder: CrawlFolder) -> Structures:
        """What was saved of a crawl's structures; from the beginning if there is nothing that can be read."""
        found = cls(folder)
        try:
            found._load(found.path.read_bytes())
        except (FileNotFoundError, ValueError):
            return cls(folder)
        return found

    @property
    def path(self) -> Path:
        """Where they are saved."""
        return self._folder.index / "structures.bin"

    @property
    def marks(self) -> Mapping[int, int]:
        """How far each agent's journal is in."""
        return self._marks

    def __len__(self) -> int:
        """The number of pages."""
        return len(self._index)

    def __contains__(self, url: str) -> bool:
        return url in self._index

    # -- following ------------------------------------------------------------------------------

    def update(self) -> int:
        """Take in what the crawl has fetched since, and save it. How many rows there were. Opens the agents' stores."""
        with reading(self._folder) as stores:
            number = self.follow(stores)
        self.save()
        return number

    def follow(
        self,
        stores: Sequence[AgentStore],
        through: Mapping[int, int] | None = None,
        most: int | None = None,
        guard: ReadingGuard | None = None,
    ) -> int:
        """Read up to so many rows that nobody handed over, of each agent up to a row. How many there were."""
        done = 0
        for store in stores:
            agent = int(store.folder.parent.name)
            last = store.last_row() if through is None else through.get(agent, 0)
            begin = self._marks.get(agent, 0)
            wanted = last - begin if most is None else min(last - begin, most - done)
            if wanted > 0:
                for number, row in islice(catalogue.history(store, begin, NEEDED), wanted):
                    if guard is not None:
                        guard.begin(row)
                    self.take(number, row, None)
                    done += 1
        if guard is not None:
            guard.done()
        return done

    def take(self, number: int, row: VisitRow, page: Page | None) -> None:
        """A row of a journal, and its page if somebody has read it with its structure.

        A row that is in already changes nothing; one that is not the next waits for `follow`.
        """
        if number != self._marks.get(row.agent, 0) + 1:
            return
        self._marks[row.agent] = number
        self._unsaved += 1
        if row.outcome == DUPLICATE:
            self._forget(row.url)
        if row.outcome != "fetched":
            return
        if row.noindex or row.duplicate_of or row.placeholder:
            self._forget(row.url)
            return
        try:
            page = page or page_at(self._folder.archive, Place(row.file, row.offset, row.size), structure=True)
        except (ArchiveDamaged, BadCoding, TooLarge):
            return
        self._keep(row.url, page.structure)

    def _keep(self, url: str, structure: bytes) -> None:
        if self.full:
            self.beyond += url not in self._index
        elif structure:
            number = self._template_of[url] = self._index.add(url, Skeleton.from_bytes(structure))
            self._founded = max(self._founded, number + 1)
            self._added += 1
            self._growth += len(structure)
            if self._written + self._growth > self._largest_file:
                self.save()
        else:
            self._forget(url)

    def _forget(self, url: str) -> None:
        self._index.remove(url)
        self._template_of.pop(url, None)

    @property
    def full(self) -> bool:
        """Whether there is no more room: what is in stays as it is."""
        if len(self._index) >= self._most_pages or self._founded >= MOST_TEMPLATES:
            return True
        return self._written > NEARLY * self._largest_file

    # -- asking ---------------------------------------------------------------------------------

    def like(self, skeleton: Skeleton, most: int = 10, at_least: float = ALIKE) -> list[Alike]:
        """The pages that are built most like a structure, best first."""
        return [
            Alike(url, likeness, self._template_of[url], self.count(url))
            for url, likeness in self._index.like(skeleton, most, at_least)
        ]

    def count(self, of: str | Skeleton) -> int:
        """How many pages share the template of a page of the crawl, or of a structure. Few: it is rare."""
        if isinstance(of, Skeleton):
            return self._index.count(of)
        number = self._template_of.get(of)
        return 0 if number is None else self._index.template(number).pages

    def template_of(self, skeleton: Skeleton) -> int | None:
        """The number of the template that a structure belongs to, if there is one."""
        return self._index.template_of(skeleton)

    def pages_of(self, number: int) -> list[str]:
        """All pages of a template."""
        return self._index.keys_of(number)

    def templates(self, most: int | None = None) -> list[Cluster]:
        """The templates that have pages, those with most pages first."""
        return [
            Cluster(
                each.number,
                each.pages,
                each.founder,
                tuple(self._index.keys_of(each.number)[:SHOWN_OF_TEMPLATE]),
                Skeleton.from_bytes(each.structure),
            )
            for each in self._index.templates()[:most]
        ]

    @property
    def template_count(self) -> int:
        """How many templates have pages."""
        return len(self._index.templates())

    # -- saving ---------------------------------------------------------------------------------

    def save_if_grown(self) -> None:
        """Save if enough has changed to be worth writing all of it."""
        if self._unsaved * WORTH_SAVING >= max(1, len(self._index)):
            self.save()

    def save(self) -> None:
        """Write everything in one step, if anything is new; what is lost by a crash is read again."""
        if not self._unsaved:
            return
        index = self._index.to_bytes()
        written = msgspec.msgpack.encode(_Saved(_VERSION, self._marks, self.beyond, index))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.with_suffix(".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            partial = self.path.with_suffix(".partial")
            with partial.open("wb") as file:
                file.write(xxhash.xxh3_128_digest(written))
                file.write(written)
            partial.replace(self.path)
        self._unsaved, self._growth, self._written = 0, 0, len(index)
        if self._added > 2 * len(self._index):
            self._take_up(index)

    def _load(self, data: bytes) -> None:
        written = memoryview(data)[_DIGEST:]
        if xxhash.xxh3_128_digest(written) != data[:_DIGEST]:
            raise ValueError("the file is damaged")
        try:
            saved = msgspec.msgpack.decode(written, type=_Saved)
        except msgspec.MsgspecError as error:
            raise ValueError("the file is of another kind") from error
        if saved.version != _VERSION:
            raise ValueError("the file is of another version")
        self._take_up(saved.index)
        self._marks, self.beyond, self._written = saved.marks, saved.beyond, len(saved.index)

    def _take_up(self, index: bytes) -> None:
        """Go on with an index as it was written, without what had been removed from it."""
        self._index = StructureIndex.from_bytes(index)
        self._added, self._founded = len(self._index), 0
        self._template_of = {}
        for template in self._index.templates():
            self._template_of.update(dict.fromkeys(self._index.keys_of(template.number), template.number))
            self._founded = max(self._founded, template.number + 1)
