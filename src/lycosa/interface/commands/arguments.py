"""What the commands' arguments have in common."""

from __future__ import annotations

import argparse
from typing import TypeAlias

from lycosa.crawl_folder.folder import CrawlFolder, home

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Where a module adds what can be typed."""


def named(commands: Commands, command: str, told: str, shared: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """A command about a crawl."""
    made = commands.add_parser(command, help=told, parents=[shared])
    made.add_argument("name", help="the crawl's name")
    return made


def asked_crawl(told: argparse.Namespace) -> CrawlFolder:
    """The crawl that a command is about."""
    return CrawlFolder.find(home(told.home), told.name)
