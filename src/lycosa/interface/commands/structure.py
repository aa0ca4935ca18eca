"""Commands about how pages are built: compare two, find pages like one, list the templates of a crawl."""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from lycosa.configuration import settings
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, home
from lycosa.indexing.template_index import Alike, Cluster, Structures
from lycosa.interface.commands.arguments import Commands, asked_crawl
from lycosa.interface.operations.contact import with_contact
from lycosa.interface.shared import wording
from lycosa.interface.shared.wording import print_json, printable
from lycosa.pages.structure import sketch as structure_sketch
from lycosa.pages.structure import tree_matching
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.pages.structure.sketch import likeness, sketch_of
from lycosa.preparation.structure_samples import is_url, stored_structure, structures_of
from lycosa.urls import normalise

MOST_SHOWN = 1000
PATHS_SHOWN = 8
LONGEST_SKETCH = 110


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """What can be typed after `lycosa structure`."""
    structure = commands.add_parser("structure", help="how pages are built: compare, like, templates", parents=[shared])
    actions = structure.add_subparsers(dest="action", metavar="ACTION", required=True)
    compared = actions.add_parser("compare", help="how similar two pages are built", parents=[shared])
    compared.add_argument("first", metavar="A", help="a URL, or a file with HTML")
    compared.add_argument("second", metavar="B", help="another one")
    compared.add_argument("--contact", default="", help="where site owners can reach you, when URLs are fetched")
    compared.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="how URLs are fetched")
    compared.set_defaults(run=compare)
    found = actions.add_parser("like", help="pages of a crawl that are built like a page", parents=[shared])
    found.add_argument("name", help="the crawl's name")
    found.add_argument("page", metavar="URL|FILE", help="a page of the crawl, another URL, or a file with HTML")
    found.set_defaults(run=like)
    listed = actions.add_parser("templates", help="what templates the pages of a crawl have", parents=[shared])
    listed.add_argument("name", help="the crawl's name")
    listed.set_defaults(run=templates)
    for each, usual in ((found, 10), (listed, 20)):
        each.add_argument("--limit", type=int, default=usual, help=f"how many to print ({usual})")


# -- compare --------------------------------------------------------------------------------------


def compare(told: argparse.Namespace) -> int:
    """How similar two pages are built."""
    names = (told.first, told.second)
    raw = {"seeds": [name for name in names if is_url(name)], "fetching": {"contact": told.contact}}
    configuration = settings.build(raw, told.set, "command line")
    a, b = asyncio.run(structures_of(names, with_contact(home(told.home), configuration)))
    found = _comparison(a, b)
    if told.json:
        return print_json({"a": _plain(names[0], a), "b": _plain(names[1], b), **found})
    print("\n".join(printable(line) for line in _comparison_lines(names, (a, b), found)))
    return 0


def _plain(name: str, skeleton: Skeleton) -> dict[str, Any]:
    return {"name": name, "elements": skeleton.size, "left_out": skeleton.left_out}


def _comparison(a: Skeleton, b: Skeleton) -> dict[str, Any]:
    matched = tree_matching.matching(a, b)
    similarity = 2 * matched / (a.size + b.size)
    alike = likeness(sketch_of(a), sketch_of(b))
    paths_a, paths_b = tag_paths(a), tag_paths(b)
    return {
        "matching": matched,
        "similarity": similarity,
        "verdict": _verdict(similarity, tree_matching.SIMILAR, tree_matching.SAME_TEMPLATE),
        "likeness": alike,
        "likeness_verdict": _verdict(alike, structure_sketch.ALIKE, structure_sketch.SAME_TEMPLATE),
        "only_a": _only(paths_a, paths_b),
        "only_b": _only(paths_b, paths_a),
    }


def _verdict(value: float, similar: float, same: float) -> str:
    return "same template" if value >= same else "similar" if value >= similar else "different"


def tag_paths(skeleton: Skeleton) -> Counter[str]:
    """How many elements are on each tag path, such as html/body/div/p."""
    found: Counter[str] = Counter()
    above: list[str] = []
    for name, depth in skeleton.elements():
        del above[depth - 1 :]
        above.append(f"{above[-1]}/{name}" if above else name)
        found[above[-1]] += 1
    return found


def _only(paths: Counter[str], others: Counter[str]) -> list[dict[str, Any]]:
    """The highest paths that the other page has not, with the number of elements on them."""
    alone = {path for path in paths if path not in others}
    highest = [path for path in alone if path.rpartition("/")[0] not in alone]
    return [{"path": path, "elements": paths[path]} for path in sorted(highest, key=lambda each: (-paths[each], each))]


def _comparison_lines(names: Sequence[str], pages: Sequence[Skeleton], found: dict[str, Any]) -> list[str]:
    lines = []
    for name, page in zip(names, pages, strict=True):
        left_out = f" ({wording.number(page.left_out)} more left out)" if page.left_out else ""
        lines.append(f"{wording.number(page.size):>7} elements{left_out}  {name}")
    lines.append(f"{wording.number(found['matching']):>7} elements match in the same place and order")
    lines.append(f"  similarity {found['similarity']:.3f} by tree matching: {found['verdict']}")
    lines.append(f"  likeness   {found['likeness']:.3f} by tag paths: {found['likeness_verdict']}")
    for name, only in zip(names, (found["only_a"], found["only_b"]), strict=True):
        if only:
            lines.append(f"only in {name}:")
            lines += [f"{each['elements']:>7} × {each['path']}" for each in only[:PATHS_SHOWN]]
            lines += [f"        and {len(only) - PATHS_SHOWN} more"] if len(only) > PATHS_SHOWN else []
    return lines


# -- like -----------------------------------------------------------------------------------------


def like(told: argparse.Namespace) -> int:
    """Pages of a crawl that are built like a page, and how common their templates are."""
    limit = _limit(told)
    folder = asked_crawl(told)
    skeleton = _wanted(folder, told.page)
    structures = _up_to_date(folder)
    own = normalise(told.page) if is_url(told.page) else None
    found = [each for each in structures.like(skeleton, limit + 1) if each.url != own][:limit]
    count = structures.count(skeleton)
    if told.json:
        results = [{field: getattr(each, field) for field in each.__struct_fields__} for each in found]
        return print_json({"page": told.page, "elements": skeleton.size, "template_pages": count, "results": results})
    print("\n".join(printable(line) for line in _like_lines(told.page, count, found)))
    return 0 if found else 1


def _limit(told: argparse.Namespace) -> int:
    if not 1 <= told.limit <= MOST_SHOWN:
        raise ConfigurationError(f"--limit {told.limit} is not possible; use 1 to {MOST_SHOWN}")
    return int(told.limit)


def _wanted(folder: CrawlFolder, name: str) -> Skeleton:
    """The structure of a page of the crawl, of a file, or of a page that is fetched as the crawl would fetch it."""
    if is_url(name):
        stored = stored_structure(folder, name)
        if stored is not None:
            return stored
    try:
        return asyncio.run(structures_of([name], folder.configuration()))[0]
    except CrawlError as error:
        if not is_url(name):
            raise
        raise CrawlError(f"no page of crawl {folder.name!r}, and it cannot be fetched now: {error}") from None


def _up_to_date(folder: CrawlFolder) -> Structures:
    structures = Structures.open(folder)
    structures.update()
    if not len(structures):
        raise CrawlError(f"crawl {folder.name!r} has no pages with a structure yet; `lycosa status` says how it stands")
    return structures


def _like_lines(name: str, count: int, found: Sequence[Alike]) -> list[str]:
    lines = [f"{name}: {_pages(count)} of its template in the crawl"]
    for place, each in enumerate(found, 1):
        template = f"template {each.template}, {_pages(each.template_pages)}"
        lines.append(f"{place:>2}. {each.likeness:.3f}  {each.url}  ({template})")
    return lines if found else [*lines, "no page is built like it"]


def _pages(number: int) -> str:
    return f"{wording.number(number)} page{'' if number == 1 else 's'}"


# -- templates ------------------------------------------------------------------------------------


def templates(told: argparse.Namespace) -> int:
    """What templates the pages of a crawl have."""
    limit = _limit(told)
    structures = _up_to_date(asked_crawl(told))
    found = structures.templates(limit)
    if told.json:
        figures = {"pages": len(structures), "templates": structures.template_count, "not_taken": structures.beyond}
        return print_json({**figures, "clusters": [_plain_cluster(each) for each in found]})
    print("\n".join(printable(line) for line in _template_lines(structures, found)))
    return 0


def _plain_cluster(cluster: Cluster) -> dict[str, Any]:
    return {
        "template": cluster.number,
        "pages": cluster.pages,
        "founder": cluster.founder,
        "examples": list(cluster.examples),
        "elements": cluster.skeleton.size,
        "sketch": one_line(cluster.skeleton),
    }


def _template_lines(structures: Structures, found: Sequence[Cluster]) -> list[str]:
    count = structures.template_count
    lines = [f"{_pages(len(structures))}, {count} template{'' if count == 1 else 's'}"]
    for each in found:
        lines.append(f"{each.number:>4}. {_pages(each.pages)}, first {each.founder}")
        lines.append(f"      {one_line(each.skeleton)}")
        lines += [f"      {url}" for url in each.examples if url != each.founder]
    if count > len(found):
        lines.append(f"      and {count - len(found)} more; --limit shows them")
    if structures.beyond:
        lines.append(f"{wording.number(structures.beyond)} fetches of further pages had no room")
    return lines


def one_line(skeleton: Skeleton, longest: int = LONGEST_SKETCH) -> str:
    """A page's body in one line, as deep as there is room: header(nav) main(h1 p×7) footer."""
    elements = list(skeleton.elements())
    begin = next((place for place, (name, depth) in enumerate(elements) if name == "body" and depth == 2), 0)
    body = elements[begin + 1 :]
    shallow = ""
    for levels in range(1, 12):
        line = _nested([(name, depth - 2) for name, depth in body if 2 < depth <= 2 + levels])
        if len(line) > longest:
            return shallow or line[: longest - 1] + "…"
        shallow = line
    return shallow


def _nested(elements: Sequence[tuple[str, int]]) -> str:
    """Names with their depths as nested text; neighbours that look the same are counted."""
    parts: list[str] = []
    place = 0
    while place < len(elements):
        end = _end(elements, place)
        inner = _nested(elements[place + 1 : end])
        parts.append(elements[place][0] + (f"({inner})" if inner else ""))
        place = end
    runs = [(text, len(list(equal))) for text, equal in groupby(parts)]
    return " ".join(f"{text}×{number}" if number > 1 else text for text, number in runs)


def _end(elements: Sequence[tuple[str, int]], place: int) -> int:
    """Where the element after one and all below it is."""
    depth = elements[place][1]
    return next((at for at in range(place + 1, len(elements)) if elements[at][1] <= depth), len(elements))
