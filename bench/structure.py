"""`structure`: what the structure of a page costs to read, to look up among 100 000 others, and to compare exactly.

The pages are twelve each of eighty real sites. The index is filled with templates
made of these by renaming elements, and their pages by dropping and doubling parts.
All figures are CPU time; contestants take turns in one process.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.crawl import cost_beside, size
from bench.rows import Row, less_is_better, missing, more_is_better
from bench.web_pages import WebPages
from lycosa.pages.document import read_page, read_structure
from lycosa.pages.structure.index import StructureIndex
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.pages.structure.sketch import Comparison, Sketch, sketch_of
from lycosa.pages.structure.tree_matching import TreeMatcher, matching
from lycosa.records import Fetched, Link, Response

BENCH = "structure"
STRUCTURES = 100_000
TEMPLATES = 2_000
LOOKUPS = 300
READINGS = 7
PAIRS_PER_SITE = 4
PLAIN_PAIRS = 40
LOOKUP_ALLOWED = 1_000.0
MATCHING_ALLOWED = 3.0
MOST_PAIRS = 0.5
RENAMED = bytes(range(8, 100))
"""The numbers of elements that templates differ in: those of a body."""

Sites = dict[str, list[Fetched]]
Tree = tuple[int | str, list["Tree"]]


def run() -> list[Row]:
    """A row per bar and per contestant."""
    crawls = _crawls()
    sites = _sites()
    if not sites:
        return [*crawls, missing(BENCH, BENCH, "no pages of sites; set LYCOSA_DATA")]
    pages = [page for found in sites.values() for page in found]
    skeletons = {site: [_structure(page) for page in found] for site, found in sites.items()}
    reading, extraction = _extraction(pages[::20])
    return [
        *crawls,
        *reading,
        *_lookups([each for found in skeletons.values() for each in found], extraction),
        *_matching(skeletons),
        *_filter(skeletons),
    ]


def _crawls() -> list[Row]:
    """CPU a page of crawling by three samples, beside best-first on the same web."""
    web = WebPages(3_000, 200, 18_080)
    with TemporaryDirectory() as folder:
        files = [str(Path(folder) / f"{number}.bin") for number in (500, 1_000, 1_500)]
        for number, file in zip((500, 1_000, 1_500), files, strict=True):
            Path(file).write_bytes(read_structure(web.html(number).encode()).to_bytes())
        return cost_beside(BENCH, "structure", [f"structure.samples={json.dumps(files)}"], size(), most=1.5)


def _sites() -> Sites:
    data = Path(os.environ.get("LYCOSA_DATA") or Path.home() / ".cache" / "lycosa-data") / "structure"
    sites: Sites = {}
    for file in sorted(data.glob("*/*/*.htm")):
        response = Response("http://site.test/", 200, (("Content-Type", "text/html"),), file.read_bytes())
        sites.setdefault(file.parent.name, []).append(Fetched(Link("http://site.test/"), response))
    return sites


def _structure(page: Fetched) -> Skeleton:
    return Skeleton.from_bytes(read_page(page, structure=True).structure)


def _extraction(pages: Sequence[Fetched]) -> tuple[list[Row], float]:
    """Reading a page with its structure beside reading it without, and the microseconds between them."""
    plain = whole = 0.0
    for page in pages:
        turns = [(_spent(read_page, page), _spent(read_page, page, 5000, True)) for _ in range(READINGS)]
        plain += min(turn[0] for turn in turns) / len(pages) * 1e6
        whole += min(turn[1] for turn in turns) / len(pages) * 1e6
    elements = sum(_structure(page).size for page in pages) / len(pages)
    note = f"{whole - plain:.0f} us more for {elements:.0f} elements"
    row = less_is_better(
        BENCH, "reading a page", whole, plain, other_name="without its structure", unit="us", note=note
    )
    return [row], whole - plain


def _spent(work: Callable[..., object], *given: object) -> float:
    began = time.process_time()
    work(*given)
    return time.process_time() - began


def _lookups(skeletons: Sequence[Skeleton], extraction: float) -> list[Row]:
    chance = random.Random(1)
    templates = [_template(chance.choice(skeletons), chance) for _ in range(TEMPLATES)]
    index = StructureIndex()
    for number in range(STRUCTURES):
        index.add(f"http://site{number % 997}.test/{number}", _page(chance.choice(templates), chance))
    asked = [_page(chance.choice(templates), chance) for _ in range(LOOKUPS)]
    rows = []
    for name, ask in (("pages alike", index.like), ("pages of its template", index.count)):
        took = sorted(_spent(ask, each) * 1e6 for each in asked)
        median, late = took[LOOKUPS // 2], took[LOOKUPS * 95 // 100]
        note = f"bar >= 1; look-up {median:.0f}, p95 {late:.0f} us; {len(index.templates())} templates"
        rows.append(
            less_is_better(
                BENCH,
                f"extract and look up {name}",
                extraction + median,
                LOOKUP_ALLOWED,
                other_name="bar",
                unit="us",
                note=note,
            )
        )
    return rows


def _template(skeleton: Skeleton, chance: random.Random) -> Skeleton:
    """Another template: the same tree with its elements renamed."""
    renamed = bytearray(RENAMED)
    chance.shuffle(renamed)
    return Skeleton(skeleton.tags.translate(bytes.maketrans(RENAMED, bytes(renamed))), skeleton.depths, skeleton.names)


def _page(template: Skeleton, chance: random.Random) -> Skeleton:
    """A page of a template: some small parts of it dropped, others doubled."""
    tags, depths, at = bytearray(), bytearray(), 0
    size = template.size
    for begin in sorted(chance.sample(range(3, size), max(1, int(chance.random() * size / 40)))):
        end = next(
            (place for place in range(begin + 1, size) if template.depths[place] <= template.depths[begin]), size
        )
        if begin >= at and end - begin <= size / 8:
            kept = end if chance.random() < 0.5 else begin
            tags += template.tags[at:kept] + template.tags[begin:kept]
            depths += template.depths[at:kept] + template.depths[begin:kept]
            at = end
    return Skeleton(bytes(tags + template.tags[at:]), bytes(depths + template.depths[at:]), template.names)


def _matching(sites: dict[str, list[Skeleton]]) -> list[Row]:
    """Exact tree matching of pages of one site: nothing known before, then with a memory, then by definition."""
    chance = random.Random(2)
    pairs = [pair for found in sites.values() for pair in chance.sample([*combinations(found, 2)], PAIRS_PER_SITE)]
    memory = TreeMatcher()
    fresh = sorted(_spent(matching, a, b) * 1e3 for a, b in pairs)
    known = sorted(_spent(memory.matching, a, b) * 1e3 for a, b in pairs)
    late = len(pairs) * 95 // 100
    note = f"bar >= 1; median {fresh[len(pairs) // 2]:.2f} ms; with a memory p95 {known[late]:.2f} ms"
    few = chance.sample(pairs, PLAIN_PAIRS)
    ours = sum(_spent(matching, a, b) for a, b in few) / len(few) * 1e3
    plain = sum(_spent(_plain, _tree(a), _tree(b)) for a, b in few) / len(few) * 1e3
    wrong = sum(_plain(_tree(a), _tree(b)) != memory.matching(a, b) for a, b in few[:10])
    return [
        less_is_better(
            BENCH, "tree matching, p95", fresh[late], MATCHING_ALLOWED, other_name="bar", unit="ms", note=note
        ),
        less_is_better(
            BENCH, "tree matching, mean", ours, plain, other_name="by definition", unit="ms", note=f"{wrong} differ"
        ),
    ]


def _tree(skeleton: Skeleton) -> Tree:
    path: list[Tree] = []
    for label, depth in zip(skeleton.labels(), skeleton.depths, strict=True):
        node: Tree = (label, [])
        del path[depth - 1 :]
        if path:
            path[-1][1].append(node)
        path.append(node)
    return path[0]


def _plain(a: Tree, b: Tree) -> int:
    """The definition: every child is compared with every other."""
    if a[0] != b[0]:
        return 0
    above = [0] * (len(b[1]) + 1)
    for ours in a[1]:
        row = [0]
        for column, theirs in enumerate(b[1], 1):
            row.append(max(row[-1], above[column], above[column - 1] + _plain(ours, theirs)))
        above = row
    return above[-1] + 1


def _filter(sites: dict[str, list[Skeleton]]) -> list[Row]:
    """Whether each page is similar to sample pages, one of each site: how many pairs the sketches decide."""
    known = {site: [(each, sketch_of(each)) for each in found] for site, found in sites.items()}
    samples: list[tuple[Skeleton, Sketch]] = [found[0] for found in known.values()]
    comparison = Comparison()
    others = [page for found in known.values() for page in found[1:]]
    began = time.process_time()
    for page in others:
        for sample in samples:
            comparison.similar(page, sample)
    spent = time.process_time() - began
    pairs = comparison.by_sketch + comparison.by_matching
    note = f"bar >= 1, most pairs; {comparison.by_matching} of {pairs} pairs went to tree matching"
    each = spent / pairs * 1e6
    decided = comparison.by_sketch / pairs
    return [
        more_is_better(
            BENCH, "pairs decided by sketches", decided, MOST_PAIRS, other_name="bar", unit="share", note=note
        ),
        less_is_better(
            BENCH, "similar to a sample or not", each, LOOKUP_ALLOWED, other_name="bar", unit="us", note="bar >= 1"
        ),
    ]
