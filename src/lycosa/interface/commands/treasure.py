"""The commands `treasure`: build a T-Graph, look at it, and take back what the watchdog made of it."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from lycosa import configuration as settings
from lycosa.agents.backlinks import backlink_sources
from lycosa.agents.crawl_treasure import CrawlTreasure, crawl_treasure
from lycosa.agents.folder import CrawlError, CrawlFolder, home
from lycosa.agents.taxonomy_folder import OwnTaxonomy
from lycosa.agents.topic_choice import choose_topic
from lycosa.agents.treasure_building import Bounds, Built, Wanted, addresses_of, build_treasure
from lycosa.agents.treasure_folder import read_graph, write_graph
from lycosa.configuration import Configuration, ConfigurationError
from lycosa.interface.commands.arguments import Commands, asked_crawl
from lycosa.interface.commands.contact import known_contact
from lycosa.interface.treasure_picture import treasure_picture
from lycosa.interface.wording import print_json, printable
from lycosa.link_graph.treasure_builder import LEVELS
from lycosa.link_graph.treasure_graph import MOST_LEVELS, Node
from lycosa.link_graph.watchdog import Change

HEAVIEST = 10
TARGETS_SHOWN = 20
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
    chosen = choose_topic(OwnTaxonomy(base).load(), topic, ())
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
    if configuration.fetching.contact or not configuration.seeds:
        return configuration
    named = (CrawlFolder.find(base, name).configuration().fetching.contact for name in crawls)
    contact = next(filter(None, named), "") or known_contact(base, configuration)
    fetching = msgspec.structs.replace(configuration.fetching, contact=contact)
    return msgspec.structs.replace(configuration, fetching=fetching)


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
    nodes = len(found.graph.nodes)
    lines = [f"{nodes} nodes written to {path}; {found.fetched} pages were fetched", *_level_lines(found.graph.nodes)]
    if found.unreached:
        lines.append(f"never reached, {len(found.unreached)} of the targets:")
        lines += [f"  {url}" for url in found.unreached[:TARGETS_SHOWN]]
    lines.append(f"use it: lycosa crawl --strategy treasure --set treasure.graph={path} …")
    return lines


# -- looking ----------------------------------------------------------------------------------------


def show(told: argparse.Namespace) -> int:
    """A T-Graph in words, figures or as a picture."""
    found = _found(told.name, home(told.home))
    if told.svg:
        _check_writable(Path(told.svg), replace=True)
        Path(told.svg).write_text(treasure_picture(found.nodes, found.targets, f"T-Graph of {told.name}"), "utf-8")
        print(f"written to {told.svg}", file=sys.stderr)
    if told.json:
        return print_json(_plain(told.name, found))
    lines = _log_lines(found.changes) if told.log else _lines(told.name, found)
    print("\n".join(printable(line) for line in lines))
    return 0


def _found(name: str, base: Path) -> CrawlTreasure:
    """A crawl of that name, else a file."""
    folder = CrawlFolder(base / "crawls" / name)
    if "/" not in name and folder.exists:
        return crawl_treasure(folder)
    if not Path(name).exists() and "/" not in name:
        there = ", ".join(each.name for each in CrawlFolder.all(base)) or "none yet"
        raise CrawlError(f"{name!r} is no T-Graph file and no crawl; there are these crawls: {there}")
    graph = read_graph(Path(name))
    return CrawlTreasure(graph.targets, graph.nodes, ())


def levels_of(nodes: Sequence[Node]) -> list[dict[str, Any]]:
    """Per level: how many nodes and pages, and their mean weight and experience."""
    levels: dict[int, list[Node]] = {}
    for node in nodes:
        levels.setdefault(node.distance, []).append(node)
    return [
        {
            "level": distance,
            "nodes": len(held),
            "pages": len({node.page for node in held}),
            "weight": sum(node.weight for node in held) / len(held),
            "tried": sum(node.tried for node in held) / len(held),
            "led": sum(node.led for node in held) / len(held),
        }
        for distance, held in sorted(levels.items())
    ]


def _level_lines(nodes: Sequence[Node]) -> list[str]:
    lines = ["  level        nodes   pages  weight    tried      led"]
    for each in levels_of(nodes):
        name = f"{each['level']}" if each["level"] else "0 (targets)"
        figures = f"{each['nodes']:>5} {each['pages']:>7} {each['weight']:>7.2f}"
        lines.append(f"  {name:12} {figures} {each['tried']:>8.1f} {each['led']:>8.1f}")
    return lines


def _heaviest(nodes: Sequence[Node]) -> list[Node]:
    return sorted(nodes, key=lambda node: (-node.weight, -node.led, node.distance, node.page))[:HEAVIEST]


def _lines(name: str, found: CrawlTreasure) -> list[str]:
    if not found.nodes:
        return [f"{name}: a T-Graph without nodes yet; the watchdog adds some as the crawl finds relevant pages"]
    lines = [f"{name}: {len(found.nodes)} nodes", *_level_lines(found.nodes), "heaviest nodes"]
    for node in _heaviest(found.nodes):
        heading = node.passage.nearest or node.passage.main or node.passage.boundary
        lines += [
            f"  {node.key}  level {node.distance}, weight {node.weight:.2f}  {_brief(heading)}",
            f"    {node.page}",
        ]
    lines += [f"{len(found.targets)} targets", *(f"  {url}" for url in found.targets[:TARGETS_SHOWN])]
    if len(found.targets) > TARGETS_SHOWN:
        lines.append(f"  and {len(found.targets) - TARGETS_SHOWN} others")
    if found.judged:
        lines.append(f"links by what the graph said of them: {shares_told(found.judged)}")
    if found.changes:
        lines.append(f"{len(found.changes)} changes by the watchdog; --log shows them")
    return lines


def shares_told(judged: Mapping[str, int]) -> str:
    """The share of links at each priority, as one line."""
    whole = max(1, sum(judged.values()))
    return ", ".join(f"{name} {number / whole:.0%}" for name, number in judged.items())


def _brief(text: str, longest: int = 60) -> str:
    words = " ".join(text.split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


def _log_lines(changes: Sequence[tuple[int, Change]]) -> list[str]:
    several = len({agent for agent, _ in changes}) > 1
    lines = []
    for agent, change in changes:
        who = f" (agent {agent})" if several else ""
        what = f"{change.name}  {change.kind:6} node {change.node.key} after {change.pages} pages{who}"
        lines += [what, f"    {change.why}"]
    return lines or ["the watchdog has changed nothing yet"]


def _plain(name: str, found: CrawlTreasure) -> dict[str, Any]:
    return {
        "name": name,
        "nodes": len(found.nodes),
        "levels": levels_of(found.nodes),
        "heaviest": [_plain_node(node) for node in _heaviest(found.nodes)],
        "targets": list(found.targets),
        "judged": found.judged,
        "changes": [_plain_change(agent, change) for agent, change in found.changes],
    }


def _plain_node(node: Node) -> dict[str, Any]:
    texts = {name: getattr(node.passage, name) for name in node.passage.__struct_fields__}
    own = {name: getattr(node, name) for name in ("page", "distance", "weight", "tried", "led")}
    return {"key": node.key} | own | texts


def _plain_change(agent: int, change: Change) -> dict[str, Any]:
    told = {name: getattr(change, name) for name in ("name", "kind", "pages", "why")}
    return told | {"agent": agent, "node": change.node.key}


# -- undoing ----------------------------------------------------------------------------------------


def undo(told: argparse.Namespace) -> int:
    """Take changes back: they are named in the crawl's settings, where agents find them, running or not."""
    folder = asked_crawl(told)
    changes = [change for _, change in crawl_treasure(folder).changes]
    known = {change.name: change for change in changes}
    if not known:
        raise CrawlError(f"crawl {folder.name!r}: the watchdog has changed nothing that could be taken back")
    names = list(dict.fromkeys(told.change)) or [changes[-1].name]
    before = folder.configuration().treasure.undone
    for name in names:
        if name in before:
            raise CrawlError(f"change {name} was taken back already")
        if name not in known:
            raise CrawlError(f"no change is named {name!r}; `lycosa treasure show {folder.name} --log` lists them")
    folder.change(f"treasure.undone={json.dumps([*before, *names])}")
    if told.json:
        return print_json({"undone": names})
    for name in names:
        print(printable(f"{folder.name}: taken back: {name} ({known[name].kind}): {known[name].why}"))
    return 0
