"""`lycosa clicks dark NAME`: pages that people visit and no crawled page links to (C13)."""

from __future__ import annotations

import argparse

from lycosa.inspection.dark_pages import DarkReport, dark_report
from lycosa.interface.commands.arguments import Commands, asked_crawl
from lycosa.interface.commands.status import dark_told
from lycosa.interface.shared import wording
from lycosa.interface.shared.wording import print_json, printable

SHOWN = 50


def add_actions(actions: Commands, shared: argparse.ArgumentParser) -> None:
    """What can be typed after `lycosa clicks` about unlinked pages."""
    dark = actions.add_parser("dark", help="pages that people visit and no crawled page links to", parents=[shared])
    dark.add_argument("name", help="the crawl's name")
    dark.add_argument("--limit", type=int, default=SHOWN, metavar="N", help=f"how many to show (default: {SHOWN})")
    dark.set_defaults(run=run)


def run(told: argparse.Namespace) -> int:
    """Show the dark pages of a crawl."""
    found = dark_report(asked_crawl(told))
    if told.json:
        return print_json(found.plain())
    print("\n".join(map(printable, _lines(found, max(0, told.limit)))))
    return 0


def _lines(found: DarkReport, limit: int) -> list[str]:
    visited = f"people visit {wording.number(found.visited)} pages on the sites of the crawl"
    if not found.pages:
        return [f"{visited}; crawled pages link to all of them"]
    lines = [f"{visited}", dark_told(found.counts())]
    for page in found.pages[:limit]:
        relevance = "" if page.relevance is None else f", relevance {page.relevance:.3f}"
        listed = ", in the final list" if page.listed else ""
        lines.append(f"  {wording.number(page.visits)} visits  {page.url}  ({page.state}{relevance}{listed})")
    if len(found.pages) > limit:
        lines.append(f"  and {wording.number(len(found.pages) - limit)} more; --limit shows them, --json has all")
    return lines
