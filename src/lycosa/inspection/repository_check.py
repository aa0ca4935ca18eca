"""The repository checker: does what the catalogue says lie in the archive, and can it be found again (T12)?

Looks at every record, every row and every page of the index, and names each disagreement.
It changes nothing; `repair` mends what can be mended without losing anything. A crawl
that runs may be checked too: what was committed when the check began is what counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from lycosa.crawl_folder.costly_pages import costly_pages
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stored_pages import page_at
from lycosa.crawl_folder.stores import damaged_agents, reading
from lycosa.durable import replace_file
from lycosa.fetching.content_coding import BadCoding, TooLarge
from lycosa.queue_records import State
from lycosa.records import GONE, Record
from lycosa.search.index import IndexReader, read_marks
from lycosa.search.schema import IndexDamaged
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import ArchiveDamaged, Place, file_of, losses, read
from lycosa.storage.catalogue import DUPLICATE, VisitRow, has_moved

FETCH_AGAIN = "the page is fetched again"
CUT = "what was never committed is cut off"
GO_ON = "the archive goes on in a new file, without what is lost"
REMOVE = "the left-over file is removed"
REINDEX = "the index is built again from the archive"
ADD = "the page is added to the index"
DROP = "the page is taken out of the index"
REBUILD = "it is built again from the URLs known"
RESTORE = "a new one is made from archive and catalogue; the damaged one is kept"
MARK = "the index follows from the last row there is"
MOST_TOLD = 20
"""Findings of one kind that are told one by one."""

KINDS = {
    "damaged-store": "what an agent knows (data.mdb) cannot be read; all else is checked when that is mended",
    "damaged-record": "an archived page cannot be read, or its bytes are not those that came",
    "other-record": "a row points at the record of another page",
    "changed-content": "an archived page has another text than when it was catalogued",
    "missing-file": "an archive file is gone",
    "short-file": "an archive file ends before what was committed",
    "torn-tail": "an archive file goes on after what was committed",
    "stray-file": "a file lies in the archive that belongs to nobody",
    "orphan-record": "a stretch of the archive that no row points at",
    "stored-twice": "two rows point at the same record",
    "damaged-segment": "a part of the catalogue cannot be read",
    "missing-segment": "a part of the catalogue is gone",
    "unclosed-segment": "a part of the catalogue was never finished",
    "missing-row": "a page counts as fetched, but the catalogue has no row of it",
    "unknown-page": "the catalogue has a row of a page that its agent does not know",
    "damaged-run": "a part of the queues, or of the way to known URLs, is lost or damaged",
    "damaged-index": "the search index cannot be read",
    "index-ahead": "the search index claims rows that do not exist",
    "not-indexed": "a page is missing in the search index",
    "indexed-twice": "the search index has more than one copy of a page",
    "index-orphan": "the search index has a page that nobody ever found",
}


class Finding(Record, frozen=True):
    """Something that does not agree; `repair` says how it can be mended, and is empty where nobody can safely."""

    kind: str
    where: str
    detail: str = ""
    repair: str = ""
    agent: int = -1


class CheckReport(msgspec.Struct, frozen=True):
    """What was looked at, and what was found."""

    name: str
    pages: int
    records: int
    indexed: int
    findings: tuple[Finding, ...]
    repaired: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether everything agrees."""
        return not self.findings

    def plain(self) -> dict[str, Any]:
        """The report as JSON has it."""
        found = [{name: getattr(each, name) for name in each.__struct_fields__} for each in self.findings]
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain | {"sound": self.sound, "findings": found}

    def lines(self) -> list[str]:
        """The report for people."""
        found = [f"{self.name}: {self.pages} pages, {self.records} archived records, {self.indexed} pages in the index"]
        for kind in KINDS:
            of_kind = [each for each in self.findings if each.kind == kind]
            if of_kind:
                mend = of_kind[0].repair or "nothing can be done safely; restore it from a copy if there is one"
                found.append(f"  {len(of_kind)} × {kind}: {KINDS[kind]}; {mend}")
                found += [f"      {each.where}  {each.detail}".rstrip() for each in of_kind[:MOST_TOLD]]
                if len(of_kind) > MOST_TOLD:
                    found.append(f"      and {len(of_kind) - MOST_TOLD} more")
        found += [f"  repaired: {each}" for each in self.repaired]
        if self.sound:
            found.append("  everything agrees")
        elif not self.repaired and any(each.repair for each in self.findings):
            found.append(f"  mend what can be mended with `lycosa check {self.name} --repair`")
        return found


def check(folder: CrawlFolder, progress: Callable[[int], None] | None = None) -> CheckReport:
    """Look at everything of a crawl. Stores that cannot be read are the only finding, where there are some."""
    if damaged := damaged_agents(folder):
        found = (Finding("damaged-store", f"agent {each}", why, RESTORE, each) for each, why in damaged.items())
        return CheckReport(folder.name, 0, 0, 0, tuple(found))
    with reading(folder) as stores:
        parts = [_AgentCheck(folder, number, store, progress) for number, store in enumerate(stores)]
        findings = [finding for part in parts for finding in part.findings()]
        findings += _stray_files(folder, stores)
        expected = {url: part.number for part in parts for url in part.indexable}
        known = {url for part in parts for url in part.known | set(part.latest)}
        whole = not any(each.kind in ("damaged-segment", "missing-segment") for each in findings)
        indexed, about_index = _check_index(folder, stores, expected, known, whole)
    pages = sum(len(part.latest) for part in parts)
    return CheckReport(folder.name, pages, sum(part.records for part in parts), indexed, (*findings, *about_index))


def keep_check(folder: CrawlFolder) -> CheckReport:
    """Check a crawl and keep the report in its folder, where people find it."""
    found = check(folder)
    (folder.path / "report").mkdir(exist_ok=True)
    replace_file(folder.path / "report" / "check.txt", "\n".join(found.lines()) + "\n")
    return found


class _AgentCheck:
    """What one agent owns: its segments, its archive files, its rows and its states."""

    def __init__(
        self, folder: CrawlFolder, number: int, store: AgentStore, progress: Callable[[int], None] | None
    ) -> None:
        self.number = number
        self._folder, self._store, self._progress = folder, store, progress
        self._costly = costly_pages(folder.path)
        self._mark = read_marks(folder.index).get(number, 0)
        self._places: dict[str, list[tuple[int, int]]] = {}
        self.latest: dict[str, VisitRow] = {}
        self._newest: dict[str, VisitRow] = {}
        self.indexable: set[str] = set()
        self.known: set[str] = set()
        self.records = 0

    def findings(self) -> Iterator[Finding]:
        yield from self._runs()
        yield from self._segments()
        rows = list(self._rows())
        yield from self._archive_files()
        for row in rows:
            yield from self._record(row)
        yield from self._stretches()
        yield from self._states({row.url for row in rows})

    def _finding(self, kind: str, where: str, detail: str = "", repair: str = "") -> Finding:
        return Finding(kind, where, detail[:200], repair, self.number)

    def _runs(self) -> Iterator[Finding]:
        for name, why in self._store.damaged():
            yield self._finding("damaged-run", name, why, REBUILD)

    def _segments(self) -> Iterator[Finding]:
        """Segments of the catalogue cover everything that was rolled, without a gap, and can be read."""
        folder, rolled = self._store.folder / "catalogue", self._store.number("rolled")
        for path in sorted(folder.glob("*.partial")):
            yield self._finding("unclosed-segment", path.name, repair=REMOVE)
        for table in ("history", "links"):
            covered = 0
            for path in sorted(folder.glob(f"{table}-*.parquet")):
                first, last = (int(part) for part in path.stem.rsplit("-", 2)[1:])
                if last > rolled:
                    yield self._finding("unclosed-segment", path.name, repair=REMOVE)
                    continue
                if first != covered + 1:
                    yield self._finding("missing-segment", table, f"rows {covered + 1} to {first - 1}")
                covered = last
                if why := catalogue.unreadable(path):
                    yield self._finding("damaged-segment", path.name, why)
            if covered < rolled:
                yield self._finding("missing-segment", table, f"rows {covered + 1} to {rolled}")

    def _rows(self) -> Iterator[VisitRow]:
        for number, row in catalogue.history(self._store, sound_only=True):
            yield row
            if row.file:
                self._newest[row.url] = row
            if row.outcome == "failed" and row.why in GONE:
                self.latest.pop(row.url, None)
                self.indexable.discard(row.url)
            if row.outcome == DUPLICATE or has_moved(row):
                self.indexable.discard(row.url)
            if row.outcome == "fetched":
                self.latest[row.url] = row
                costly = Place(row.file, row.offset, row.size) in self._costly
                if number <= self._mark and not (row.kept_out or costly):
                    self.indexable.add(row.url)
                else:
                    self.indexable.discard(row.url)

    def _archive_files(self) -> Iterator[Finding]:
        position = self._store.position()
        for path, lost in losses(self._folder.archive, f"agent-{self.number}", position):
            if lost is None:
                yield self._finding("missing-file", path.name, repair=GO_ON)
            else:
                yield self._finding("short-file", path.name, f"{lost} bytes are missing", GO_ON)
        last = self._path(position.file)
        tail = last.stat().st_size - position.offset if last.exists() else 0
        if tail > 0 and not self._folder.running():
            yield self._finding("torn-tail", last.name, f"{tail} bytes", CUT)

    def _path(self, number: int) -> Path:
        return file_of(self._folder.archive, f"agent-{self.number}", number)

    def _record(self, row: VisitRow) -> Iterator[Finding]:
        """The record of a row. Only the latest version of a page, or of another answer, can be had again."""
        if not row.file:
            return
        self.records += 1
        if self._progress and self.records % 100 == 0:
            self._progress(self.records)
        self._places.setdefault(row.file, []).append((row.offset, row.size))
        newest = self.latest if row.outcome == "fetched" else self._newest
        repair = FETCH_AGAIN if newest.get(row.url) is row else ""
        place = Place(row.file, row.offset, row.size)
        readable = row.outcome == "fetched" and place not in self._costly
        try:
            _, response = read(self._folder.archive, place)
            if response.url != row.url:
                yield self._finding("other-record", row.url, f"it is that of {response.url}", repair)
            elif readable and (digest := page_at(self._folder.archive, place).digest.hex()) != row.digest:
                yield self._finding("changed-content", row.url, f"{digest[:8]} instead of {row.digest[:8]}", repair)
        except (ArchiveDamaged, BadCoding, TooLarge, ValueError, KeyError, IndexError) as error:
            yield self._finding("damaged-record", row.url, str(error), repair)

    def _stretches(self) -> Iterator[Finding]:
        """Records follow each other without a gap; the first of a file describes the file."""
        position = self._store.position()
        for name, places in sorted(self._places.items()):
            places.sort()
            end = places[0][0]
            for offset, length in places:
                if offset < end:
                    yield self._finding("stored-twice", f"{name} at {offset}")
                elif offset > end:
                    yield self._finding("orphan-record", f"{name} at {end}", f"{offset - end} bytes")
                end = max(end, offset + length)
            if name == self._path(position.file).name and end < position.offset:
                yield self._finding("orphan-record", f"{name} at {end}", f"{position.offset - end} bytes")

    def _states(self, with_rows: set[str]) -> Iterator[Finding]:
        for record in self._store.urls():
            self.known.add(record.url)
            if record.state is State.DONE and record.url not in with_rows:
                yield self._finding("missing-row", record.url, repair=FETCH_AGAIN)
        for url in sorted(with_rows - self.known):
            yield self._finding("unknown-page", url)


def _stray_files(folder: CrawlFolder, stores: Sequence[AgentStore]) -> Iterator[Finding]:
    wanted = {
        file_of(folder.archive, f"agent-{number}", file).name
        for number, store in enumerate(stores)
        for file in range(1, store.position().file + 1)
    }
    for path in sorted(folder.archive.glob("*")):
        if path.name not in wanted and not folder.running():
            yield Finding("stray-file", path.name, f"{path.stat().st_size} bytes")


def _check_index(
    folder: CrawlFolder, stores: Sequence[AgentStore], expected: Mapping[str, int], known: set[str], whole: bool
) -> tuple[int, list[Finding]]:
    """The index holds the pages that it says it has taken, and none that nobody fetched."""
    if not folder.configuration().index.enabled:
        return 0, []
    for number, mark in read_marks(folder.index).items():
        if number >= len(stores) or mark > stores[number].last_row():
            return 0, [Finding("index-ahead", f"agent {number}", f"row {mark}", MARK, number)]
    try:
        reader = IndexReader(folder.index)
        held = reader.urls()
    except (IndexDamaged, ValueError, OSError) as error:
        return 0, [Finding("damaged-index", "index", str(error)[:200], REINDEX)]
    if spare := len(reader) - len(held):
        return len(held), [Finding("indexed-twice", "index", f"{spare} copies too many", REINDEX)]
    missing = [Finding("not-indexed", url, repair=ADD, agent=expected[url]) for url in sorted(set(expected) - held)]
    orphans = sorted(held - known)
    return len(held), missing + [Finding("index-orphan", url, repair=DROP if whole else "") for url in orphans]
