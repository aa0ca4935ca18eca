"""`lycosa crawl`: everything is checked before a crawl begins."""

from __future__ import annotations

import argparse
import shlex

from lycosa.configuration.settings import ConfigurationError
from lycosa.interface.commands.arguments import Commands
from lycosa.interface.commands.resume import run
from lycosa.interface.operations.crawl_start import begin
from lycosa.plugins import registry
from lycosa.preparation.seed_addresses import PrivateSeed


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """`lycosa crawl`."""
    command = commands.add_parser("crawl", help="start a crawl, or go on with one", parents=[shared])
    command.add_argument("job", nargs="?", help="a job file (TOML)")
    command.add_argument("--topic", help="what to look for: words, or a topic of the taxonomy (`lycosa topics show`)")
    command.add_argument("--example", action="append", default=[], metavar="URL|FILE", help="a page on the topic")
    command.add_argument(
        "--example-structure", action="append", default=[], metavar="URL|FILE", help="a page built like those wanted"
    )
    command.add_argument(
        "--class", action="append", default=[], dest="classes", metavar="N", help="a knowledge class of the topic: 598"
    )
    command.add_argument("--seed", action="append", default=[], metavar="URL", help="where to begin")
    command.add_argument("--strategy", help=f"one of: {', '.join(registry.names('link_scorers'))}")
    command.add_argument("--agents", type=int, help="how many processes crawl together")
    command.add_argument("--partition", help=f"who owns a URL: {', '.join(registry.names('assigners'))}")
    command.add_argument("--mode", help="what happens to another agent's links: exchange, firewall, cross-over")
    command.add_argument("--pages", type=int, help="stop after so many pages")
    allowed = "a private or loopback address to fetch from: 127.0.0.1:8090"
    command.add_argument("--allow-address", action="append", default=[], metavar="ADDRESS", help=allowed)
    command.add_argument("--continuous", action="store_true", help="go on for ever, and look again at pages when due")
    command.add_argument("--contact", help="a URL or address where site owners can reach you; asked for once")
    named = "the crawl's name (default: the job file's, else one made of the topic or the first seed)"
    command.add_argument("--name", help=named)
    command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="any setting of a job file")
    command.set_defaults(run=crawl)


def crawl(told: argparse.Namespace) -> int:
    """Start a crawl, or go on with one."""
    try:
        with begin(told) as folder:
            return run(folder, told.json)
    except PrivateSeed as error:
        again = shlex.join(["lycosa", *told.typed, "--allow-address", error.entry])
        raise ConfigurationError(f"{error}; to allow it: {again}") from None
