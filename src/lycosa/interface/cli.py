"""The command line: what can be typed, and how errors reach a person.

Every command is a function `(arguments) -> exit code` in one of the modules
beside this one. An error that a person can mend is one sentence on standard
error and an exit code that is not 0.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import lmdb

from lycosa import __version__, plugins
from lycosa.agents.export import FORMATS, TABLES
from lycosa.agents.folder import CrawlError
from lycosa.configuration import ConfigurationError
from lycosa.interface import (
    checking,
    classes,
    clicks,
    clicks_import,
    collect,
    dark,
    demo,
    ground,
    history,
    lab,
    looking,
    proposals,
    running,
    seeds,
    site_maps,
    structure,
    topics,
    treasure,
)
from lycosa.plugins import UnknownPlugin
from lycosa.search.index import IndexDamaged
from lycosa.storage.agent_store import StoreFull
from lycosa.storage.catalogue import MissingExtra

EXAMPLES = """examples:
  lycosa demo                                              see it work on a small web of its own
  lycosa crawl --topic "wolf spiders" --seed https://example.org/ --contact https://me.example/bot
  lycosa status crawl                                      how is it doing?
  lycosa search crawl "burrow -tarantula"                  find pages again
  lycosa explain crawl https://example.org/page            why was (not) this crawled?
"""


def parser() -> argparse.ArgumentParser:
    """Everything that can be typed."""
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--home", help="where crawls live (default: LYCOSA_HOME, else the platform's data folder)")
    shared.add_argument("--json", action="store_true", help="print figures as JSON")
    main_parser = argparse.ArgumentParser(
        prog="lycosa",
        description="A focused web crawler with its own search engine.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[shared],
    )
    main_parser.add_argument("--version", action="version", version=f"lycosa {__version__}")
    commands = main_parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    later = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    later.add_argument("--home", help=argparse.SUPPRESS)
    later.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    _running_commands(commands, later)
    _looking_commands(commands, later)
    about_topics = topics.add_commands(commands, later)
    classes.add_topics_commands(about_topics, later)
    proposals.add_topics_commands(about_topics, later)
    seeds.add_commands(commands, later)
    treasure.add_commands(commands, later)
    structure.add_commands(commands, later)
    about_clicks = clicks.add_commands(commands, later)
    clicks_import.add_clicks_commands(about_clicks, later)
    collect.add_commands(commands, later)
    collect.add_clicks_commands(about_clicks, later)
    dark.add_clicks_commands(about_clicks, later)
    checking.add_commands(commands, later)
    history.add_commands(commands, later)
    site_maps.add_commands(commands, later)
    lab.add_commands(commands, later)
    _ground_commands(commands, later)
    return main_parser


Commands = argparse._SubParsersAction


def _running_commands(commands: Commands[argparse.ArgumentParser], shared: argparse.ArgumentParser) -> None:
    crawl = commands.add_parser("crawl", help="start a crawl, or go on with one", parents=[shared])
    crawl.add_argument("job", nargs="?", help="a job file (TOML)")
    crawl.add_argument("--topic", help="what to look for: words, or a topic of the taxonomy (`lycosa topics show`)")
    crawl.add_argument("--example", action="append", default=[], metavar="URL|FILE", help="a page on the topic")
    crawl.add_argument(
        "--example-structure", action="append", default=[], metavar="URL|FILE", help="a page built like those wanted"
    )
    crawl.add_argument(
        "--class", action="append", default=[], dest="classes", metavar="N", help="a knowledge class of the topic: 598"
    )
    crawl.add_argument("--seed", action="append", default=[], metavar="URL", help="where to begin")
    crawl.add_argument("--strategy", help=f"one of: {', '.join(plugins.names('link_scorers'))}")
    crawl.add_argument("--agents", type=int, help="how many processes crawl together")
    crawl.add_argument("--partition", help=f"who owns a URL: {', '.join(plugins.names('assigners'))}")
    crawl.add_argument("--mode", help="what happens to another agent's links: exchange, firewall, cross-over")
    crawl.add_argument("--pages", type=int, help="stop after so many pages")
    crawl.add_argument("--continuous", action="store_true", help="go on for ever, and look again at pages when due")
    crawl.add_argument("--contact", help="a URL or address where site owners can reach you; asked for once")
    crawl.add_argument("--name", help="the crawl's name (default: the job file's, else 'crawl')")
    crawl.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="any setting of a job file")
    crawl.set_defaults(run=running.crawl)
    for name, run, told in (
        ("pause", running.pause, "let a running crawl wait"),
        ("resume", running.resume, "go on with a paused or stopped crawl"),
        ("revisit", running.revisit, "look again at pages that may have changed"),
        ("stop", running.stop, "end a running crawl after the pages under way"),
    ):
        _named(commands, name, told, shared).set_defaults(run=run)
    change = _named(commands, "set", "change a setting, also while running", shared)
    change.add_argument("setting", nargs="+", metavar="KEY=VALUE", help="such as politeness.delay=2s")
    change.set_defaults(run=running.change)
    for name in ("block", "allow"):
        pattern = _named(commands, name, f"{name} a site or pattern, also while running", shared)
        pattern.add_argument("pattern", help="example.org, or example.org/private/*")
        pattern.set_defaults(run=running.pattern, kind=name)
    add = _named(commands, "add", "add URLs, also while running", shared)
    add.add_argument("url", nargs="+")
    add.set_defaults(run=running.add)


def _looking_commands(commands: Commands[argparse.ArgumentParser], shared: argparse.ArgumentParser) -> None:
    status = commands.add_parser("status", help="how a crawl (or all of them) stands", parents=[shared])
    status.add_argument("name", nargs="?")
    status.set_defaults(run=looking.status)
    report = _named(commands, "report", "what a crawl achieved: harvest, speed, refusals", shared)
    report.add_argument("--html", metavar="FILE", help="write a page with plots")
    report.add_argument("--coverage", action="store_true", help="which share of its pages each site's sitemaps name")
    report.set_defaults(run=looking.report)
    explain = _named(commands, "explain", "why was (not) this URL crawled, and why now?", shared)
    explain.add_argument("url")
    explain.set_defaults(run=looking.explain)
    search = _named(commands, "search", "search what was crawled", shared)
    search.add_argument("query", nargs="+", help='words, "phrases", -without, site:HOST, lang:XX')
    search.add_argument("--limit", type=int, default=10)
    search.add_argument("--explain", action="store_true", help="how each score came about")
    search.set_defaults(run=looking.search)
    export = _named(commands, "export", "hand tables or the archive to other tools", shared)
    export.add_argument("--to", choices=FORMATS, required=True)
    export.add_argument("--table", choices=TABLES, default="pages")
    export.add_argument("--output", metavar="PATH", help="the file (for warc: the folder) to write")
    export.set_defaults(run=looking.export)
    serve = commands.add_parser("serve", help="search and status in the browser", parents=[shared])
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=int, default=8017)
    serve.set_defaults(run=looking.serve)


def _ground_commands(commands: Commands[argparse.ArgumentParser], shared: argparse.ArgumentParser) -> None:
    doctor = commands.add_parser("doctor", help="is this machine ready?", parents=[shared])
    doctor.set_defaults(run=ground.doctor)
    shown = commands.add_parser("demo", help="a small web, a crawl of it, search and status", parents=[shared])
    shown.add_argument("--once", action="store_true", help="crawl, print a search result and exit")
    shown.add_argument("--port", type=int, default=0)
    shown.set_defaults(run=demo.demo)


def _named(
    commands: Commands[argparse.ArgumentParser], command: str, told: str, shared: argparse.ArgumentParser
) -> argparse.ArgumentParser:
    made = commands.add_parser(command, help=told, parents=[shared])
    made.add_argument("name", help="the crawl's name")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    told = parser().parse_args(arguments)
    try:
        code: int = told.run(told)
    except (CrawlError, ConfigurationError, UnknownPlugin, IndexDamaged, MissingExtra, StoreFull) as error:
        print(f"lycosa: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 141
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        print(f"lycosa: {error.strerror or error}{place}; look at its rights, or choose --home", file=sys.stderr)
        return 2
    except lmdb.Error as error:
        print(f"lycosa: a store cannot be used: {error}; look at its rights, or choose --home", file=sys.stderr)
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main())
