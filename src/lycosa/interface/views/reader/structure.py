"""How a stored page is built, and which pages of its crawl are built alike.

The structures of a crawl's pages lie in a file that its indexer writes. Reading it takes
a while for a large crawl, so the last few are kept at hand, and brought up to date a
little at each look: nobody waits for a whole crawl to be read.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.reading_apart import read_apart
from lycosa.crawl_folder.stores import reading
from lycosa.indexing.template_index import Alike, Structures
from lycosa.interface.views.reader.stored_page import StoredPage
from lycosa.interface.views.skeleton_text import one_line
from lycosa.pages.document import read_structure
from lycosa.pages.structure.sketch import ALIKE

MOST_KEPT = 4
FOLLOWED = 300
"""Rows of the journals that one look takes in."""
MOST_ALIKE = 20
LONGEST_OUTLINE = 700
_kept: OrderedDict[Path, tuple[int, Structures]] = OrderedDict()
_one_by_one = threading.Lock()


@dataclass(frozen=True, slots=True)
class StructureTold:
    """A page's structure: its outline in short, its elements, its template and the pages built like it.

    `known` is how many pages of the crawl were compared, `behind` whether there are more to come.
    """

    outline: str
    elements: int
    left_out: int
    depth: int
    template: int | None
    template_pages: int
    alike: tuple[Alike, ...]
    known: int
    behind: bool


@read_apart()
def structure_told(folder: CrawlFolder, stored: StoredPage, most: int = MOST_ALIKE) -> StructureTold | None:
    """How a page is built; None for one that has no structure."""
    if stored.kind != "html" or not stored.response.body:
        return None
    skeleton = read_structure(stored.response.body, stored.response.header("content-type"))
    with _one_by_one:
        structures, behind = _up_to_date(folder)
        alike = [each for each in structures.like(skeleton, most + 1, ALIKE) if each.url != stored.url][:most]
        template, pages, known = structures.template_of(skeleton), structures.count(skeleton), len(structures)
    return StructureTold(
        one_line(skeleton, LONGEST_OUTLINE),
        skeleton.size,
        skeleton.left_out,
        max(skeleton.depths, default=0),
        template,
        pages,
        tuple(alike),
        known,
        behind,
    )


def _up_to_date(folder: CrawlFolder) -> tuple[Structures, bool]:
    """A crawl's structures, and whether some of its pages are not in yet."""
    path = folder.index / "structures.bin"
    stamp = path.stat().st_mtime_ns if path.exists() else 0
    kept = _kept.get(folder.path)
    structures = kept[1] if kept is not None and kept[0] == stamp else Structures.open(folder)
    with reading(folder) as stores:
        behind = structures.follow(stores, most=FOLLOWED) >= FOLLOWED
    _kept[folder.path] = (stamp, structures)
    _kept.move_to_end(folder.path)
    if len(_kept) > MOST_KEPT:
        _kept.popitem(last=False)
    return structures, behind
