"""Archived pages that nobody reads again: the agent could read them, but the indexer could not within its limits.

The indexer is the only writer of the list. Pages that an agent could not read are not in it: they
are in the catalogue as failed, and nothing reads those.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import msgspec

from lycosa.durable import replace_file
from lycosa.records import Record
from lycosa.storage.archive import ArchiveDamaged, Place

LIST = "too-costly.json"


class TooCostly(ArchiveDamaged):
    """The page at a place of the archive is not to be read."""


class CostlyPage(Record, frozen=True):
    """A page that is not read again: where it lies, when that was found out, and why."""

    url: str
    place: Place
    at: float
    why: str


def costly_pages(crawl: Path) -> Mapping[Place, CostlyPage]:
    """The list of a crawl, by place."""
    try:
        stamp = (crawl / LIST).stat()
    except FileNotFoundError:
        return {}
    return _listed(crawl / LIST, stamp.st_mtime_ns, stamp.st_ino)


@lru_cache(maxsize=64)
def _listed(path: Path, changed: int, number: int) -> Mapping[Place, CostlyPage]:
    """The list in a file, which is read again when it has been replaced."""
    pages = msgspec.json.decode(path.read_bytes(), type=list[CostlyPage])
    return {page.place: page for page in pages}


def note_costly(crawl: Path, page: CostlyPage) -> None:
    """Add a page to the list of a crawl, for good."""
    pages = {**costly_pages(crawl), page.place: page}
    replace_file(crawl / LIST, msgspec.json.encode(list(pages.values())).decode())


def refuse_costly(crawl: Path, place: Place) -> None:
    """Raise where a page is not to be read."""
    page = costly_pages(crawl).get(place)
    if page is not None:
        raise TooCostly(f"reading it is too costly: {page.why}")
