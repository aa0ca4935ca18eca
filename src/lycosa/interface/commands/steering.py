"""Commands that change a crawl, also while it runs."""

from __future__ import annotations

import argparse

from lycosa.interface.commands.arguments import Commands, asked_crawl, named
from lycosa.interface.operations import crawl_control as controls


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """`lycosa pause`, `stop`, `set`, `block`, `allow` and `add`."""
    named(commands, "pause", "let a running crawl wait", shared).set_defaults(run=pause)
    named(commands, "stop", "end a running crawl after the pages under way", shared).set_defaults(run=stop)
    changing = named(commands, "set", "change a setting, also while running", shared)
    changing.add_argument("setting", nargs="+", metavar="KEY=VALUE", help="such as politeness.delay=2s")
    changing.set_defaults(run=change)
    for name in ("block", "allow"):
        letting = named(commands, name, f"{name} a site or pattern, also while running", shared)
        letting.add_argument("pattern", help="example.org, or example.org/private/*")
        letting.set_defaults(run=pattern, kind=name)
    adding = named(commands, "add", "add URLs, also while running", shared)
    adding.add_argument("url", nargs="+")
    adding.set_defaults(run=add)


def pause(told: argparse.Namespace) -> int:
    """Let a running crawl wait."""
    folder = asked_crawl(told)
    controls.pause(folder)
    print(f"{folder.name}: pausing; `lycosa resume {folder.name}` goes on")
    return 0


def stop(told: argparse.Namespace) -> int:
    """End a running crawl after the pages under way."""
    folder = asked_crawl(told)
    print(f"{folder.name}: {'stopping' if controls.stop(folder) else 'not running'}")
    return 0


def change(told: argparse.Namespace) -> int:
    """Change settings, also while running."""
    folder = asked_crawl(told)
    controls.change(folder, told.setting)
    print(f"{folder.name}: {', '.join(told.setting)}")
    return 0


def pattern(told: argparse.Namespace) -> int:
    """Block or allow a pattern."""
    folder = asked_crawl(told)
    folder.add_pattern(told.kind, told.pattern)
    print(f"{folder.name}: {told.kind} {told.pattern}")
    return 0


def add(told: argparse.Namespace) -> int:
    """Add URLs to a crawl."""
    folder = asked_crawl(told)
    added = controls.add(folder, told.url)
    told_when = "" if folder.running() else f"; `lycosa resume {folder.name}` fetches them"
    print(f"{folder.name}: {added} URLs added{told_when}")
    return 0
