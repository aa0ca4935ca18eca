"""Commands about how pages are built: compare two, find pages like one, list the templates of a crawl."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from typing import Any

from lycosa.configuration import settings
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import home
from lycosa.indexing.template_index import Alike, Cluster, Structures
from lycosa.interface.commands.arguments import Commands, asked_crawl
from lycosa.interface.operations.contact import with_contact
from lycosa.interface.operations.structure import structure_like, structures_up_to_date
from lycosa.interface.shared import wording
from lycosa.interface.shared.wording import print_json, printable
from lycosa.interface.views.skeleton_text import one_line
from lycosa.interface.views.structure_comparison import comparison
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.preparation.structure_samples import is_url, structures_of
from lycosa.urls import normalise

MOST_SHOWN = 1000
PATHS_SHOWN = 8


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
    found = comparison(a, b)
    if told.json:
        return print_json({"a": _plain(names[0], a), "b": _plain(names[1], b), **found})
    print("\n".join(printable(line) for line in _comparison_lines(names, (a, b), found)))
    return 0


def _plain(name: str, skeleton: Skeleton) -> dict[str, Any]:
    return {"name": name, "elements": skeleton.size, "left_out": skeleton.left_out}


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
    skeleton = structure_like(folder, told.page)
    structures = structures_up_to_date(folder)
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
    structures = structures_up_to_date(asked_crawl(told))
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
