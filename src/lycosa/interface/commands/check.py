"""The command that checks a crawl's repository, and mends it (T12)."""

from __future__ import annotations

import argparse
import sys

from lycosa.inspection.repair import repair
from lycosa.inspection.repository_check import check
from lycosa.interface.commands.arguments import Commands, asked_crawl
from lycosa.interface.shared.wording import print_json, printable


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """What can be typed after `lycosa check`."""
    checked = commands.add_parser("check", help="do archive, catalogue and index agree?", parents=[shared])
    checked.add_argument("name", help="the crawl's name")
    checked.add_argument("--repair", action="store_true", help="mend what can be mended without losing anything")
    checked.set_defaults(run=run)


def run(told: argparse.Namespace) -> int:
    """Check a crawl; the exit code is 1 where something does not agree (any more)."""
    folder = asked_crawl(told)
    found = check(folder, _progress if sys.stderr.isatty() else None)
    if told.repair and any(each.repair for each in found.findings):
        found = repair(folder, found)
    if told.json:
        print_json(found.plain())
    else:
        print("\n".join(map(printable, found.lines())))
    return 0 if found.sound else 1


def _progress(records: int) -> None:
    print(f"\r{records} records checked", end="\r", file=sys.stderr, flush=True)
