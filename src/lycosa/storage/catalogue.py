"""The catalogue: everything that was computed about every visit, as tables (T11, C7).

A visit is one row of the agent's journal, written with the batch it belongs to.
Closed stretches of the journal are rolled into Parquet files, which SQL and
data-frame tools read in place; `tables` joins both. Parquet is an extra: without
it the journal simply stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np

from lycosa.durable import sync
from lycosa.records import Record
from lycosa.storage.link_columns import LinkColumns
from lycosa.user_error import Mendable


class MissingExtra(Mendable):
    """A feature needs an optional package; the message says how to install it."""


class VisitRow(Record, frozen=True):
    """What is kept of a visit; journals hold it as an array, so new fields go to the end.

    `aside` is a page that was kept, but is not to be found: the crawl looks for pages of another structure.
    `claimed` is when the page changed last, by its site's sitemap. `placeholder` names what a page is in place of
    content, such as `soft-404`.
    """

    url: str
    at: float
    agent: int
    outcome: str
    why: str = ""
    detail: str = ""
    status: int = 0
    mime: str = ""
    charset: str = ""
    language: str = ""
    title: str = ""
    length: int = 0
    seconds: float = 0.0
    address: str = ""
    digest: str = ""
    duplicate_of: str = ""
    target: str = ""
    relevance: float | None = None
    relevance_why: str = ""
    importance: float | None = None
    noindex: bool = False
    depth: int = 0
    parent: str = ""
    attempts: int = 0
    file: str = ""
    offset: int = 0
    size: int = 0
    links_dropped: int = 0
    links: LinkColumns = LinkColumns()
    classes: str = ""
    aside: bool = False
    claimed: float | None = None
    placeholder: str = ""

    @property
    def kept_out(self) -> str:
        """Why a fetched page is not to be found, or ''."""
        if self.noindex:
            return "noindex"
        return "duplicate" if self.duplicate_of else "aside" if self.aside else self.placeholder


HISTORY = tuple(field for field in VisitRow.__struct_fields__ if field != "links")
LINKS = ("parent", "at", "url", "anchor", "score", "tag_path", "position")
TABLES = ("pages", "links", "history")
LARGEST_ROLL = 64 * 1024**2
"""Characters of links that are rolled at a time: a page of a hostile site may have links of dozens of megabytes."""
LARGEST_DICTIONARY = 16 * 1024**2
"""Bytes of a column's different values up to which each is written once: pages of a site mostly have the same links."""
AT_ONCE = 256
"""Rows that become columns at a time: those of a whole segment would not fit into a processor's cache."""


class Journal(Protocol):
    """Where rows lie before they are rolled."""

    folder: Path

    def rows(self, after: int = 0) -> Iterator[tuple[int, VisitRow]]:
        """Rows with their numbers, oldest first."""

    def rows_about(self, url: str) -> Iterator[tuple[int, VisitRow]]:
        """Rows of one URL."""

    def number(self, name: str) -> int:
        """A small fact that is a number; `rolled` says how far rows were rolled."""

    def drop_rows(self, through: int) -> None:
        """Forget rows that were rolled."""


@cache
def arrow() -> Any:
    """The pyarrow module, or a clear message.

    It takes memory as everybody else does: its own allocator gives it back after each roll, to have it cleared anew.
    """
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("Parquet needs the extra: pip install 'lycosa[parquet]'") from None
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    return pyarrow


def history_of(rows: Iterable[VisitRow]) -> dict[str, tuple[Any, ...]]:
    """Rows, one or more, as columns of the table `history`."""
    columns = zip(*map(msgspec.structs.astuple, rows), strict=True)
    named = dict(zip(VisitRow.__struct_fields__, columns, strict=True))
    return {name: named[name] for name in HISTORY}


def links_of(rows: Iterable[VisitRow]) -> dict[str, Any]:
    """The links of rows as columns of the table `links`."""
    pa, listed = arrow(), [row for row in rows if row.links.urls]
    numbers = np.array([len(row.links) for row in listed], np.int64)
    first = numbers.cumsum() - numbers
    parents = np.repeat(np.arange(len(listed)), numbers)
    return {
        "parent": pa.array([row.url for row in listed], pa.string()).take(pa.array(parents)),
        "at": np.array([row.at for row in listed])[parents],
        "url": _cut([row.links.urls for row in listed]),
        "anchor": _cut([row.links.anchors for row in listed]),
        "score": np.frombuffer(b"".join(row.links.scores for row in listed)),
        "tag_path": _cut([row.links.tag_paths for row in listed]),
        "position": np.arange(len(parents)) - first[parents],
    }


def _cut(texts: list[str]) -> Any:
    """The lines of texts, one after the other. There are dozens a page, so they are cut all at once."""
    pa = arrow()
    return pa.compute.split_pattern(pa.array(texts, pa.string()), "\n").flatten()


def schema(table: str) -> Any:
    """The Arrow schema of a table."""
    pa = arrow()
    kinds = {
        "str": pa.string(),
        "float": pa.float64(),
        "int": pa.int64(),
        "bool": pa.bool_(),
        "float | None": pa.float64(),
    }
    if table == "links":
        named = dict.fromkeys(LINKS, "str") | {"at": "float", "score": "float", "position": "int"}
        return pa.schema([(name, kinds[kind]) for name, kind in named.items()])
    return pa.schema([(name, kinds[VisitRow.__annotations__[name]]) for name in HISTORY])


def _segment(folder: Path, table: str, first: int, last: int) -> Path:
    return folder / "catalogue" / f"{table}-{first:012d}-{last:012d}.parquet"


def _segments(folder: Path, table: str, through: int) -> list[tuple[int, int, Path]]:
    """Closed segments in order; a file beyond the mark was never closed and does not count."""
    found = []
    for path in sorted((folder / "catalogue").glob(f"{table}-*.parquet")):
        _, first, last = path.stem.rsplit("-", 2)
        if int(last) <= through:
            found.append((int(first), int(last), path))
    return found


def rolled(folder: Path) -> int:
    """Up to which row segments that can be read follow each other without a gap, in both tables."""
    ends = []
    for table in ("history", "links"):
        end = 0
        for first, last, path in _segments(folder, table, 1 << 62):
            if first != end + 1 or unreadable(path):
                break
            end = last
        ends.append(end)
    return min(ends)


def _remove_unclosed(folder: Path, closed: int) -> None:
    """Remove segments that an interrupted roll left behind: their rows are still in the journal."""
    for path in (folder / "catalogue").glob("*-*.parquet"):
        if int(path.stem.rpartition("-")[2]) > closed:
            path.unlink()


def _portions(journal: Journal, after: int, through: int) -> Iterator[list[VisitRow]]:
    """The rows to be rolled, some at a time."""
    rows: list[VisitRow] = []
    size = 0
    for number, row in journal.rows(after):
        if number > through or size > LARGEST_ROLL:
            break
        rows.append(row)
        size += row.links.size
        if len(rows) == AT_ONCE:
            yield rows
            rows = []
    if rows:
        yield rows


def roll(journal: Journal, through: int) -> int:
    """Move journal rows up to a number into Parquet, as many as fit in memory. Returns how many.

    Safe to be interrupted anywhere.
    """
    begin, moved = journal.number("rolled"), 0
    pa = arrow()
    made: dict[str, list[Any]] = {"history": [], "links": []}
    for rows in _portions(journal, begin, through):
        moved += len(rows)
        made["history"].append(pa.table(history_of(rows), schema=schema("history")))
        made["links"].append(pa.table(links_of(rows), schema=schema("links")))
    if not moved:
        return 0
    last = begin + moved
    (journal.folder / "catalogue").mkdir(exist_ok=True)
    _remove_unclosed(journal.folder, begin)
    for table, parts in made.items():
        _write_segment(_segment(journal.folder, table, begin + 1, last), pa.concat_tables(parts))
    sync(journal.folder / "catalogue")
    journal.drop_rows(last)
    return moved


def _write_segment(path: Path, rows: Any) -> None:
    """Write a segment, which gets its name when it is whole."""
    partial = path.with_suffix(".partial")
    arrow().parquet.write_table(rows, partial, compression="zstd", dictionary_pagesize_limit=LARGEST_DICTIONARY)
    sync(partial)
    partial.replace(path)


def unreadable(path: Path) -> str:
    """Why a segment cannot be read, or ''."""
    pa = arrow()
    try:
        pa.parquet.read_table(path)
    except (OSError, pa.ArrowException) as error:
        return str(error)
    return ""


def history(
    journal: Journal, after: int = 0, columns: Sequence[str] = HISTORY, *, sound_only: bool = False
) -> Iterator[tuple[int, VisitRow]]:
    """All rows of an agent after a number, rolled or not; rolled ones come without their links.

    `sound_only` leaves out segments that cannot be read, for those who look for damage.
    """
    closed = journal.number("rolled")
    for first, last, path in _segments(journal.folder, "history", closed):
        if last <= after or (sound_only and unreadable(path)):
            continue
        for place, values in enumerate(_read_segment(path, columns)):
            if first + place > after:
                yield first + place, msgspec.structs.replace(_EMPTY, **values)
    yield from journal.rows(max(after, closed))


_EMPTY = VisitRow("", 0.0, 0, "")


def _read_segment(path: Path, columns: Sequence[str], filters: Any = None) -> list[dict[str, Any]]:
    """The rows of a closed segment; columns that it is too old to have are left out."""
    parquet = arrow().parquet
    there = set(parquet.read_schema(path).names)
    wanted = [name for name in columns if name in there]
    rows: list[dict[str, Any]] = parquet.read_table(path, columns=wanted, filters=filters).to_pylist()
    return rows


def link_rows(journal: Journal) -> Iterator[dict[str, Any]]:
    """All rows of the table `links` of an agent."""
    closed = journal.number("rolled")
    for _, _, path in _segments(journal.folder, "links", closed):
        yield from arrow().parquet.read_table(path).to_pylist()
    for _, row in journal.rows(closed):
        for position, (url, anchor, score, tag_path) in enumerate(row.links.rows()):
            yield dict(zip(LINKS, (row.url, row.at, url, anchor, score, tag_path, position), strict=True))


def table(journals: Sequence[Journal], name: str) -> Iterator[dict[str, Any]]:
    """A table of the whole crawl, all agents joined, as plain rows: `history`, `pages` (the latest fetch), `links`."""
    if name == "links":
        for journal in journals:
            yield from link_rows(journal)
    elif name == "history":
        for journal in journals:
            yield from (_plain(row) for _, row in history(journal))
    elif name == "pages":
        for journal in journals:
            yield from _latest(journal)
    else:
        raise ValueError(f"no table {name!r}; there are: {', '.join(TABLES)}")


def _plain(row: VisitRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in HISTORY}


def _latest(journal: Journal) -> Iterator[dict[str, Any]]:
    """Each fetched page once, as it was last fetched."""
    newest = {row.url: number for number, row in history(journal) if row.outcome == "fetched"}
    for number, row in history(journal):
        if row.outcome == "fetched" and newest[row.url] == number:
            yield _plain(row)


def about(journal: Journal, url: str) -> Iterator[tuple[int, VisitRow]]:
    """All visits of one URL, oldest first."""
    closed = journal.number("rolled")
    for first, _, path in _segments(journal.folder, "history", closed):
        found = _read_segment(path, HISTORY, [("url", "=", url)])
        yield from ((first, msgspec.structs.replace(_EMPTY, **values)) for values in found)
    yield from journal.rows_about(url)


DUPLICATE = "duplicate"
"""The outcome of a row that is no visit: a page turned out to be a duplicate after it was fetched."""
MOVED = frozenset((301, 308))


def has_moved(row: VisitRow) -> bool:
    """Whether a page leads elsewhere for good: it is another name of the page there."""
    return row.outcome == "redirected" and row.status in MOVED and row.target != row.url
