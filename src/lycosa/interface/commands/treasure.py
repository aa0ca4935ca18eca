"""The commands `treasure`: build a T-Graph, look at it, and take back what the watchdog made of it."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import msgspec

from lycosa.configuration import settings
from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, home
from lycosa.crawl_folder.t_graph_files import read_graph, write_graph
from lycosa.inspection.t_graph import CrawlTreasure, crawl_treasure, take_back
from lycosa.interface.commands.arguments import Commands, asked_crawl
from lycosa.interface.operations.contact import with_contact
from lycosa.interface.shared.wording import print_json, printable
from lycosa.interface.views.t_graph import (
    TARGETS_SHOWN,
    counted,
    graph_lines,
    level_lines,
    levels_of,
    log_lines,
    plain_graph,
)
from lycosa.interface.views.t_graph_picture import treasure_picture
from lycosa.link_graph.t_graph.builder import LEVELS
from lycosa.link_graph.t_graph.graph import MOST_LEVELS
from lycosa.preparation.backlinks import backlink_sources
from lycosa.preparation.t_graph_pages import Bounds, Built, Wanted, addresses_of, build_treasure
from lycosa.preparation.taxonomy_files import OwnTaxonomy
from lycosa.preparation.topic_choice import choose_topic

MOST_PER_LEVEL, MOST_FETCHES = 1_000, 10_000


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """What can be typed after `lycosa treasure`."""
    treasure = commands.add_parser("treasure", help="T-Graphs: build, show, undo", parents=[shared])
    actions = treasure.add_subparsers(dest="action", metavar="ACTION", required=True)
    _build_command(actions.add_parser("build", help="make one of example pages or of targets alone", parents=[shared]))
    seen = actions.add_parser("show", help="levels, nodes and what the watchdog changed", parents=[shared])
    seen.add_argument("name", metavar="FILE|NAME", help="a T-Graph file, or a crawl that goes by `treasure`")
    seen.add_argument("--log", action="store_true", help="the watchdog's changes")
    seen.add_argument("--svg", metavar="FILE", help="draw it")
    seen.set_defaults(run=show)
    undone = actions.add_parser("undo", help="take changes of the watchdog back, also while running", parents=[shared])
    undone.add_argument("name", help="the crawl's name")
    undone.add_argument("change", nargs="*", help="names of changes, from `show --log` (default: the latest)")
    undone.set_defaults(run=undo)


def _build_command(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="the T-Graph file to write")
    command.add_argument("--target", action="append", default=[], metavar="URL|FILE", help="a page to be found")
    command.add_argument("--topic", help="a topic of the taxonomy: its exemplary pages are targets")
    command.add_argument("--page", action="append", default=[], metavar="URL|FILE", help="a page on the way to one")
    command.add_argument("--base", default="", metavar="URL", help="where the files are from (default: as they say)")
    command.add_argument("--levels", type=int, default=LEVELS, help=f"downloads from a target ({LEVELS})")
    command.add_argument(
        "--backlinks", action="append", default=[], metavar="CRAWL|ENGINE",
        help="who knows parents: a crawl's name, or searxng:http://127.0.0.1:8080 (asked link:URL)",
    )  # fmt: skip
    command.add_argument("--per-level", type=int, default=Bounds().per_level, metavar="N", help="parents of a level")
    command.add_argument("--fetches", type=int, default=Bounds().fetches, metavar="N", help="fetches at most")
    command.add_argument("--within", default="10min", metavar="TIME", help="how long it may take, such as 10min")
    command.add_argument("--replace", action="store_true", help="write over a file that is there")
    command.add_argument("--contact", default="", help="where site owners can reach you, when URLs are fetched")
    command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="how URLs are fetched")
    command.set_defaults(run=build)


# -- building ---------------------------------------------------------------------------------------


def build(told: argparse.Namespace) -> int:
    """Build a T-Graph and write it."""
    base, path = home(told.home), Path(told.file)
    bounds = _bounds(told)
    _check_writable(path, told.replace)
    targets = (*told.target, *_topic_pages(told.topic, base))
    wanted = Wanted(targets, tuple(told.page), told.levels, told.base)
    addresses_of(wanted)
    configuration = _configuration(told, wanted, base)
    sources = backlink_sources(told.backlinks, base, configuration)
    found = asyncio.run(build_treasure(wanted, sources, configuration, bounds))
    write_graph(found.graph, path)
    for note in found.notes:
        print(f"lycosa: warning: {printable(note)}", file=sys.stderr)
    if told.json:
        return print_json(_plain_built(found, path))
    print("\n".join(printable(line) for line in _built_lines(found, path)))
    return 0


def _bounds(told: argparse.Namespace) -> Bounds:
    if not 1 <= told.levels <= MOST_LEVELS:
        raise ConfigurationError(f"--levels {told.levels} is not possible; use 1 to {MOST_LEVELS}")
    if not 1 <= told.per_level <= MOST_PER_LEVEL:
        raise ConfigurationError(f"--per-level {told.per_level} is not possible; use 1 to {MOST_PER_LEVEL}")
    if not 0 <= told.fetches <= MOST_FETCHES:
        raise ConfigurationError(f"--fetches {told.fetches} is not possible; use 0 to {MOST_FETCHES}")
    within = settings.build({"patience": told.within}, origin="--within").patience
    return Bounds(told.per_level, told.fetches, within)


def _check_writable(path: Path, replace: bool) -> None:
    if path.exists() and not replace:
        raise CrawlError(f"{path} is there already; choose another name, or write over it with --replace")
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise CrawlError(f"{path} cannot be written; name a file in a folder that is there")


def _topic_pages(topic: str | None, base: Path) -> tuple[str, ...]:
    if not topic:
        return ()
    taxonomy = OwnTaxonomy(base).load()
    chosen = choose_topic(taxonomy, taxonomy.find(topic).id, ())
    if not chosen.pages:
        raise ConfigurationError(f"the topic {topic!r} has no exemplary pages to aim at; name some: --target URL")
    return chosen.pages


def _configuration(told: argparse.Namespace, wanted: Wanted, base: Path) -> Configuration:
    """How pages are fetched; where some may be on the public web, with a contact."""
    urls = [name for name in (*wanted.targets, *wanted.pages) if "://" in name]
    own = [name.removeprefix("index:") for name in told.backlinks]
    crawls = [name for name in own if ":" not in name]
    unknown = ["https://engine.invalid/"] if len(crawls) < len(told.backlinks) else []
    raw = {"seeds": [*urls, *unknown], "fetching": {"contact": told.contact}}
    configuration = settings.build(raw, told.set, "command line")
    if configuration.seeds and not configuration.fetching.contact:
        named = (CrawlFolder.find(base, name).configuration().fetching.contact for name in crawls)
        fetching = msgspec.structs.replace(configuration.fetching, contact=next(filter(None, named), ""))
        configuration = msgspec.structs.replace(configuration, fetching=fetching)
    return with_contact(base, configuration)


def _plain_built(found: Built, path: Path) -> dict[str, Any]:
    return {
        "file": str(path),
        "fetched": found.fetched,
        "levels": levels_of(found.graph.nodes),
        "targets": list(found.graph.targets),
        "unreached": list(found.unreached),
        "notes": list(found.notes),
    }


def _built_lines(found: Built, path: Path) -> list[str]:
    fetched = "1 page was fetched" if found.fetched == 1 else f"{found.fetched} pages were fetched"
    nodes = counted(len(found.graph.nodes), "node")
    lines = [f"{nodes} written to {path}; {fetched}", *level_lines(found.graph.nodes)]
    if found.unreached:
        lines.append(f"never reached, {len(found.unreached)} of the targets:")
        lines += [f"  {url}" for url in found.unreached[:TARGETS_SHOWN]]
    lines.append(f"use it: lycosa crawl --strategy treasure --set treasure.graph={path} …")
    return lines


# -- looking ----------------------------------------------------------------------------------------


def show(told: argparse.Namespace) -> int:
    """A T-Graph in words, figures or as a picture."""
    found = _found(told.name, home(told.home), told.log)
    if told.svg:
        _write_picture(Path(told.svg), treasure_picture(found.nodes, found.targets, f"T-Graph of {told.name}"))
        print(f"written to {told.svg}", file=sys.stderr)
    if told.json:
        return print_json(plain_graph(told.name, found))
    lines = log_lines(found) if told.log else graph_lines(told.name, found)
    print("\n".join(printable(line) for line in lines))
    return 0


def _write_picture(path: Path, svg: str) -> None:
    """Write a picture in one step, and only over another one: what else a person has there, a T-Graph say, stays."""
    _check_writable(path, replace=True)
    if path.exists() and not _is_picture(path):
        raise CrawlError(f"{path} is there already and is no SVG picture; choose another name for --svg")
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        partial.write_text(svg, "utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _is_picture(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"<svg", b"<?xml"))


def _found(name: str, base: Path, log: bool) -> CrawlTreasure:
    """A crawl of that name, else a file, which has no log."""
    folder = CrawlFolder(base / "crawls" / name)
    if "/" not in name and folder.exists:
        return crawl_treasure(folder)
    if not Path(name).exists() and "/" not in name:
        there = ", ".join(each.name for each in CrawlFolder.all(base)) or "none yet"
        raise CrawlError(f"{name!r} is no T-Graph file and no crawl; there are these crawls: {there}")
    graph = read_graph(Path(name))
    if log:
        raise CrawlError(f"{name} is a file, which has no watchdog and no log; --log wants the name of a crawl")
    return CrawlTreasure(graph.targets, graph.nodes, ())


# -- undoing ----------------------------------------------------------------------------------------


def undo(told: argparse.Namespace) -> int:
    """Take changes back."""
    folder = asked_crawl(told)
    taken = take_back(folder, told.change)
    if told.json:
        return print_json({"undone": [change.name for change in taken]})
    for change in taken:
        print(printable(f"{folder.name}: taken back: {change.name} ({change.kind}): {change.why}"))
    return 0
