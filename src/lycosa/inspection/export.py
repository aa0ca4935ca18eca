"""Hand a crawl's tables and archive to other tools: Parquet, JSON lines, WARC."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.input_files import check_output
from lycosa.crawl_folder.reading_apart import LONG, damage_named, read_apart
from lycosa.crawl_folder.stores import reading
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore

FORMATS = ("parquet", "jsonl", "warc")
TABLES = (*catalogue.TABLES, "urls", "sites")
ROWS_AT_ONCE = 10_000


def print_table(folder: CrawlFolder, table: str, file: TextIO, *, escaped: bool = False) -> int:
    """Write a table as JSON lines to where somebody reads them, `escaped` in ASCII; returns how many."""
    with damage_named(folder.name), reading(folder) as stores:
        return _jsonl(_rows(stores, table), file, escaped=escaped)


@read_apart(LONG)
def export(folder: CrawlFolder, form: str, table: str, target: Path) -> int:
    """Write a table (or, as WARC, the archive) to a file; returns how many rows or files."""
    check_output(target, folder.path.parent)
    if form == "warc":
        if target.exists() and not target.is_dir():
            raise CrawlError(f"{target} is a file, and the archive needs a folder; choose another --output")
        return _copy_archive(folder, target)
    if target.exists() and not target.is_file():
        raise CrawlError(f"{target} is no file that can be written over; choose another --output")
    with reading(folder) as stores:
        rows = _rows(stores, table)
        partial = target.with_name(target.name + ".partial")
        try:
            if form == "parquet":
                number = _parquet(rows, table, partial)
            else:
                with partial.open("w", encoding="utf-8") as file:
                    number = _jsonl(rows, file)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        return number


def _rows(stores: list[AgentStore], table: str) -> Iterator[dict[str, Any]]:
    if table == "urls":
        return (
            {"url": record.url, "state": record.state.name.lower(), "priority": record.priority, "depth": record.depth}
            | {"parent": record.parent, "why": record.why, "attempts": record.attempts, "at": record.at}
            for store in stores
            for record in store.urls()
        )
    if table == "sites":
        return (
            {"site": site.site, "waiting": site.waiting, "fetched": site.fetched, "failed": site.failed}
            | {"rests_until": site.next_at, "why": site.why}
            for store in stores
            for site in store.sites()
            if site.let_in
        )
    return catalogue.table(stores, table)


def _jsonl(rows: Iterator[dict[str, Any]], file: TextIO, *, escaped: bool = False) -> int:
    number = 0
    for row in rows:
        file.write(json.dumps(row, ensure_ascii=escaped) + "\n")
        number += 1
    return number


def _parquet(rows: Iterator[dict[str, Any]], table: str, path: Path) -> int:
    pa = catalogue.arrow()
    schema = catalogue.schema(table) if table in catalogue.TABLES else None
    number, writer = 0, None
    try:
        while (chunk := list(islice(rows, ROWS_AT_ONCE))) or writer is None:
            batch = pa.Table.from_pylist(chunk, schema=schema)
            if writer is None:
                writer = pa.parquet.ParquetWriter(path, batch.schema, compression="zstd")
            writer.write_table(batch)
            number += len(chunk)
            if not chunk:
                break
    finally:
        if writer is not None:
            writer.close()
    return number


def _copy_archive(folder: CrawlFolder, target: Path) -> int:
    files = sorted(folder.archive.glob("*.warc.gz"))
    if not files:
        raise CrawlError(f"crawl {folder.name!r} has no archive yet; it has fetched nothing")
    target.mkdir(parents=True, exist_ok=True)
    with reading(folder) as stores:
        ends = {
            f"agent-{number}-{p.file:06d}.warc.gz": p.offset for number, p in enumerate(s.position() for s in stores)
        }
    for path in files:
        shutil.copyfile(path, target / path.name)
        if path.name in ends:
            with (target / path.name).open("r+b") as copy:
                copy.truncate(ends[path.name])
    return len(files)
