"""The command that tells the versions of a page, and what changed in its text (M8)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from lycosa.crawl_folder.folder import CrawlError
from lycosa.inspection.page_versions import Difference, PageVersions, PageVisit, difference, versions_of
from lycosa.interface.commands.arguments import Commands, asked_crawl
from lycosa.interface.shared import wording
from lycosa.interface.shared.wording import print_json, printable

_COLOURS = {"-": "\x1b[31m", "+": "\x1b[32m", "@": "\x1b[36m"}
_PLAIN = "\x1b[0m"
_LONGEST_DETAIL = 120


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """What can be typed after `lycosa history`."""
    history = commands.add_parser("history", help="the versions of a page, and what changed", parents=[shared])
    history.add_argument("name", help="the crawl's name")
    history.add_argument("url", help="the page")
    history.add_argument(
        "--diff",
        nargs="*",
        metavar="VERSION",
        help="what changed in its text: between the last two versions, or between two by their numbers",
    )
    history.set_defaults(run=run)


def run(told: argparse.Namespace) -> int:
    """Tell the visits of a page, or the difference of two versions of it."""
    numbers = None if told.diff is None else _numbers(told.diff)
    folder = asked_crawl(told)
    page = versions_of(folder, told.url)
    found = None if numbers is None else difference(folder, page, *numbers)
    if told.json:
        return print_json(page.plain() | ({"difference": found.plain()} if found else {}))
    print("\n".join(difference_lines(page, found, _colours()) if found else visit_lines(page)))
    return 0


def _numbers(typed: Sequence[str]) -> tuple[int, ...]:
    """The numbers of two versions, or none."""
    if len(typed) not in (0, 2) or not all(each.isdecimal() and len(each) < 10 and int(each) for each in typed):
        raise CrawlError(f"--diff {' '.join(typed)} is no pair of versions; write --diff, or such as --diff 1 3")
    return tuple(map(int, typed))


def _colours() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def visit_lines(page: PageVersions) -> list[str]:
    """A page's visits, for people."""
    visits, versions = len(page.visits), len(page.places)
    head = f"{page.url}: {visits} visit{'' if visits == 1 else 's'}, {versions} version{'' if versions == 1 else 's'}"
    table = [f"{'visit':>5}  {'when':19}  {'outcome':10} {'version':>7}  {'size':>8}  {'digest':12}  relevance"]
    return [printable(line).rstrip() for line in (head, *table, *map(_visit_line, page.visits))]


def _visit_line(visit: PageVisit) -> str:
    size = wording.size(visit.length) if visit.outcome == "fetched" else ""
    relevance = "" if visit.relevance is None else f"{visit.relevance:.3f}"
    version = str(visit.version) if visit.outcome in ("fetched", "unchanged") and visit.version else ""
    when = datetime.fromtimestamp(visit.at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    figures = f"{visit.number:>5}  {when}  {visit.outcome:10} {version:>7}  {size:>8}  {visit.digest[:12]:12}"
    return f"{figures}  {relevance:9}  {_remark(visit)}"


def _remark(visit: PageVisit) -> str:
    if visit.outcome in ("fetched", "unchanged"):
        back = f", back to version {visit.same_as}" if visit.same_as else ""
        told = {None: "", False: "text unchanged", True: f"text changed{back}"}[visit.changed]
        if visit.outcome == "fetched" and visit.version == 1 and visit.number == 1:
            told = "first seen"
        copy = f"same text as {visit.duplicate_of}" if visit.duplicate_of else ""
        return "; ".join(filter(None, (told, copy)))
    return visit.detail[:_LONGEST_DETAIL]


def difference_lines(page: PageVersions, found: Difference, coloured: bool) -> list[str]:
    """A difference, for people; colours are for terminals only."""
    seen = [wording.iso(page.beginning_of(version)) or "?" for version in (found.older, found.newer)]
    lines = [
        f"{page.url}: version {found.older} (first seen {seen[0]}) and version {found.newer} (first seen {seen[1]})",
        f"{found.removed} sentences gone, {found.added} new" if found.lines else "their texts are the same",
    ]
    lines += [_coloured(printable(line), coloured) for line in found.lines[2:]]
    if found.left_out:
        lines.append(f"… and {wording.number(found.left_out)} more lines")
    if found.not_compared:
        lines.append(f"{wording.number(found.not_compared)} sentences towards the end were too many to be compared")
    return lines


def _coloured(line: str, wanted: bool) -> str:
    colour = _COLOURS.get(line[:1]) if wanted else None
    return f"{colour}{line}{_PLAIN}" if colour else line
