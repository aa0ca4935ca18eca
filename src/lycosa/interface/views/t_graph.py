"""T-Graphs in words and figures, for the command line and the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lycosa.inspection.t_graph import CrawlTreasure
from lycosa.interface.shared.wording import iso
from lycosa.link_graph.t_graph.graph import Node
from lycosa.link_graph.t_graph.watchdog import Change

HEAVIEST = 10
TARGETS_SHOWN = 20


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


def level_lines(nodes: Sequence[Node]) -> list[str]:
    """The levels of a T-Graph as a table."""
    lines = ["  level        nodes   pages  weight    tried      led"]
    for each in levels_of(nodes):
        name = f"{each['level']}" if each["level"] else "0 (targets)"
        figures = f"{each['nodes']:>5} {each['pages']:>7} {each['weight']:>7.2f}"
        lines.append(f"  {name:12} {figures} {each['tried']:>8.1f} {each['led']:>8.1f}")
    return lines


def _heaviest(nodes: Sequence[Node]) -> list[Node]:
    return sorted(nodes, key=lambda node: (-node.weight, -node.led, node.distance, node.page))[:HEAVIEST]


def graph_lines(name: str, found: CrawlTreasure) -> list[str]:
    """A T-Graph for people: its levels, heaviest nodes, targets, and what was made of it."""
    if not found.nodes:
        return [f"{name}: a T-Graph without nodes yet; the watchdog adds some as the crawl finds relevant pages"]
    lines = [f"{name}: {counted(len(found.nodes), 'node')}", *level_lines(found.nodes), "heaviest nodes"]
    for node in _heaviest(found.nodes):
        heading = node.passage.nearest or node.passage.main or node.passage.boundary
        lines += [
            f"  {node.key}  level {node.distance}, weight {node.weight:.2f}  {_brief(heading)}",
            f"    {node.page}",
        ]
    lines += [counted(len(found.targets), "target"), *(f"  {url}" for url in found.targets[:TARGETS_SHOWN])]
    if len(found.targets) > TARGETS_SHOWN:
        lines.append(f"  and {counted(len(found.targets) - TARGETS_SHOWN, 'other')}")
    if found.judged:
        lines.append(f"links by what the graph said of them: {shares_told(found.judged)}")
    if found.changes:
        shown = "it" if _made(found) == 1 else "them"
        lines.append(f"{_changes_told(found)} by the watchdog; --log shows {shown}")
    return lines


def _made(found: CrawlTreasure) -> int:
    return len(found.changes) + found.forgotten


def _changes_told(found: CrawlTreasure) -> str:
    made = counted(_made(found), "change")
    return f"the latest {len(found.changes)} of {made}" if found.forgotten else made


def counted(number: int, what: str) -> str:
    """A number with its noun."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def shares_told(judged: Mapping[str, int]) -> str:
    """The share of links at each priority, as one line."""
    whole = max(1, sum(judged.values()))
    return ", ".join(f"{name} {number / whole:.0%}" for name, number in judged.items())


def _brief(text: str, longest: int = 60) -> str:
    words = " ".join(text.split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


def log_lines(found: CrawlTreasure) -> list[str]:
    """The changes of the watchdog, the latest last."""
    several = len({agent for agent, _ in found.changes}) > 1
    lines = [f"{_changes_told(found)}; older ones can no longer be taken back"] if found.forgotten else []
    for agent, change in found.changes:
        who = f" (agent {agent})" if several else ""
        after = counted(change.pages, "page")
        lines += [f"{change.name}  {change.kind:6} node {change.node.key} after {after}{who}", f"    {change.why}"]
    return lines or ["the watchdog has changed nothing yet"]


def plain_graph(name: str, found: CrawlTreasure) -> dict[str, Any]:
    """A T-Graph for programs."""
    return {
        "name": name,
        "nodes": len(found.nodes),
        "levels": levels_of(found.nodes),
        "heaviest": [_plain_node(node) for node in _heaviest(found.nodes)],
        "targets": list(found.targets),
        "judged": found.judged,
        "changes_made": _made(found),
        "changes": [_plain_change(agent, change) for agent, change in found.changes],
    }


def _plain_node(node: Node) -> dict[str, Any]:
    texts = {name: getattr(node.passage, name) for name in node.passage.__struct_fields__}
    own = {name: getattr(node, name) for name in ("page", "distance", "weight", "tried", "led")}
    return {"key": node.key} | own | texts


def _plain_change(agent: int, change: Change) -> dict[str, Any]:
    told = {name: getattr(change, name) for name in ("name", "kind", "pages", "why")}
    return told | {"at": iso(change.at), "agent": agent, "node": change.node.key}
