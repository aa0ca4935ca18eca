"""The T-Graph's formulas word by word, to compare with: every passage with every node."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from lycosa.link_graph.t_graph.graph import Node
from lycosa.link_graph.t_graph.passages import Passage
from lycosa.text import term_counts


def cosine(one: str, other: str) -> float:
    """The cosine of two texts' term frequencies; 0 where one has no terms."""
    a, b = term_counts(one), term_counts(other)
    lengths = math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    return sum(number * b.get(term, 0) for term, number in a.items()) / lengths if lengths else 0.0


def osm(one: Passage, other: Passage) -> float:
    """The mean of the four similarities."""
    return sum(cosine(a, b) for a, b in zip(one.parts, other.parts, strict=True)) / 4


def priority(passage: Passage, nodes: Iterable[Node], levels: int) -> tuple[float, float]:
    """The priority of a link, and the similarity of the deciding node."""
    similar = [(node.level, osm(passage, node.passage) * node.weight) for node in nodes]
    counting = [(level, value) for level, value in similar if value >= 0.05 - 1e-12]
    if not counting:
        return 1 / (levels + 1), 0.0
    nearest = min(level for level, _ in counting)
    return 1 / nearest, max(value for level, value in counting if level == nearest)


def strongest(passage: Passage, nodes: Iterable[Node]) -> float:
    """The largest similarity divided by level."""
    says = [osm(passage, node.passage) * node.weight / node.level for node in nodes]
    counting = [
        say for say, node in zip(says, nodes, strict=True) if osm(passage, node.passage) * node.weight >= 0.05 - 1e-12
    ]
    return max(counting, default=0.0)


def distances(targets: Iterable[str], links: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """The least number of links to a target, by going round until nothing changes."""
    far = dict.fromkeys(targets, 0)
    changed = True
    while changed:
        changed = False
        for page, urls in links.items():
            best = min((far[url] + 1 for url in urls if url in far), default=None)
            if best is not None and best < far.get(page, best + 1):
                far[page], changed = best, True
    return far
