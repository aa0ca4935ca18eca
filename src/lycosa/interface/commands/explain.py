"""`lycosa explain`: why was a URL crawled, or why not?"""

from __future__ import annotations

import argparse

from lycosa.inspection import explanation
from lycosa.interface.commands.arguments import Commands, asked_crawl, named
from lycosa.interface.shared.wording import print_json, printable


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """`lycosa explain`."""
    explain_ = named(commands, "explain", "why was this URL crawled, or why not?", shared)
    explain_.add_argument("url")
    explain_.set_defaults(run=explain)


def explain(told: argparse.Namespace) -> int:
    """Why was (not) this URL crawled?"""
    found = explanation.explain(asked_crawl(told), told.url)
    if told.json:
        return print_json(found.plain())
    print("\n".join(map(printable, found.lines())))
    return 0
