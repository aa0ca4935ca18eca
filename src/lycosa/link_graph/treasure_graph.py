"""The T-Graph: example passages, each with the least number of downloads from there to a target (T4, T6).

A node is a paragraph or list with links on a page. A link that is not visited yet is
compared with the nodes: those similar enough say how far from a target it may lead.
Nodes are searched level by level, the nearest to a target first, and the search ends
at the first level that has one: the answer is that of comparing with every node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec
import numpy as np

from lycosa.link_graph.passage_index import MOST_CELLS, Floats, PassageIndex, Question
from lycosa.link_graph.passages import PARTS, Passage, Terms
from lycosa.records import Record, Score

ENOUGH = 0.05
"""Overall similarity from which a node counts."""
ROUNDING = 1e-12
MOST_LEVELS = 20
MOST_YOUNG = 200
"""Nodes that stand apart from the others, whose index is costly to build, before all are put together."""


class Node(Record, frozen=True):
    """A passage of a page and where it leads. `distance` is 0 on a target itself.

    `weight` is what experience has left of its say; `tried` links that it decided were fetched, `led` of them well.
    """

    page: str
    passage: Passage
    leads_to: tuple[str, ...] = ()
    distance: int = 1
    weight: float = 1.0
    tried: float = 0.0
    led: float = 0.0

    @property
    def key(self) -> str:
        """What a node is called: the same passage of two pages is one node."""
        return self.passage.key

    @property
    def level(self) -> int:
        """The distance that counts: a target's own is 1."""
        return max(1, self.distance)


class Verdict(NamedTuple):
    """What the T-Graph says of a link: the level of the deciding node and its similarity; no node, no level."""

    level: int
    osm: float
    node: str

    @property
    def say(self) -> float:
        """How much that promises: nothing where no node is similar, 1 for the very passage that leads to a target."""
        return self.osm / self.level if self.level else 0.0


UNLIKE_ALL = Verdict(0, 0.0, "")


class TreasureGraph:
    """Nodes on levels, and what they say of links."""

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        self._nodes: dict[str, Node] = {}
        self._terms = Terms()
        self._settled: list[_Floor] = []
        self._places: dict[str, tuple[_Floor, int]] = {}
        self._young: dict[str, Node] = {}
        self._floors: list[_Floor] | None = None
        self.put(nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, key: str) -> bool:
        return key in self._nodes

    @property
    def nodes(self) -> Mapping[str, Node]:
        """The nodes by key."""
        return self._nodes

    @property
    def levels(self) -> int:
        """How many levels there are, the targets' own included."""
        return 1 + max((node.distance for node in self._nodes.values()), default=0)

    @property
    def least(self) -> float:
        """The priority of a link that is like no node."""
        return 1.0 / (self.levels + 1)

    def put(self, nodes: Iterable[Node]) -> None:
        """Add nodes, or put them in the place of those with the same key.

        Other weights take effect where the nodes are; new nodes stand apart until there are many.
        """
        for node in nodes:
            key, known = node.key, self._nodes.get(node.key)
            self._nodes[key] = node
            if known is not None and (known.level, known.weight) == (node.level, node.weight):
                continue
            if known is not None and known.level == node.level and key in self._places:
                floor, place = self._places[key]
                floor.weigh(place, node.weight)
                continue
            self._leave(key)
            self._young[key] = node
            self._floors = None

    def remove(self, keys: Iterable[str]) -> None:
        """Take nodes out."""
        for key in keys:
            if self._nodes.pop(key, None) is not None:
                self._leave(key)

    def _leave(self, key: str) -> None:
        """A node is where it was no longer: nothing weighs nothing."""
        if self._young.pop(key, None) is not None:
            self._floors = None
        if key in self._places:
            floor, place = self._places.pop(key)
            floor.weigh(place, 0.0)

    def judge(self, passages: Sequence[Passage]) -> list[Verdict]:
        """What the first level that counts says of links in these passages."""
        return self._asked(passages, lambda verdict, level: verdict.level in (0, level))

    def strongest(self, passages: Sequence[Passage]) -> list[Verdict]:
        """The node with the largest say about each passage, which is its similarity divided by its level.

        A level cannot say more than one part in its number, so the search ends where that is not enough.
        """
        return self._asked(passages, lambda verdict, level: verdict.say < 1 / level)

    def _asked(self, passages: Sequence[Passage], is_open: Callable[[Verdict, int], bool]) -> list[Verdict]:
        """Ask level after level about the passages that are open still; the larger say stands."""
        distinct = list(dict.fromkeys(passages))
        verdicts, floors = [UNLIKE_ALL] * len(distinct), self._by_level()
        asked = Question.of(self._terms, distinct) if floors and distinct else None
        for floor in floors if asked is not None else ():
            places = [place for place, verdict in enumerate(verdicts) if is_open(verdict, floor.level)]
            if not places or asked is None:
                break
            for place, verdict in floor.decided(asked, places):
                if verdict.say > verdicts[place].say:
                    verdicts[place] = verdict
        found = dict(zip(distinct, verdicts, strict=True))
        return [found[passage] for passage in passages]

    def likeness(self, passage: Passage, key: str) -> Score:
        """How similar a passage and a node are, part by part."""
        node, terms = self._nodes[key], Terms()
        parts = PassageIndex(terms, [node.passage]).parts(Question.of(terms, [passage]))
        sims = [0.0 if part is None else float(part[0, 0]) for part in parts]
        told = tuple(
            Score(sim, f"{name}: {text[:60]}") for sim, name, text in zip(sims, PARTS, node.passage.parts, strict=True)
        )
        return Score(sum(sims) / 4, f"like a passage of {node.page}, {node.distance} downloads from a target", told)

    def _by_level(self) -> list[_Floor]:
        """The floors, the nearest to a target first; young nodes have floors of their own."""
        if self._floors is None or self._terms.full:
            if self._terms.full or len(self._young) > max(MOST_YOUNG, len(self._nodes) // 4):
                self._settle()
            self._floors = sorted([*self._settled, *self._built(self._young.values())], key=lambda each: each.level)
        return self._floors

    def _settle(self) -> None:
        """Build all floors anew, so that no node stands apart."""
        self._terms, self._young = Terms(), {}
        self._settled = self._built(self._nodes.values())
        self._places = {node.key: (floor, place) for floor in self._settled for place, node in enumerate(floor.nodes)}

    def _built(self, nodes: Iterable[Node]) -> list[_Floor]:
        ordered = sorted(nodes, key=lambda node: node.level)
        return [_Floor(level, list(held), self._terms) for level, held in groupby(ordered, key=lambda node: node.level)]

    def encoded(self) -> bytes:
        """The graph as bytes."""
        return msgspec.msgpack.encode(list(self._nodes.values()))

    @classmethod
    def decoded(cls, data: bytes) -> TreasureGraph:
        """The graph that was encoded."""
        return cls(msgspec.msgpack.decode(data, type=list[Node]))


class _Floor:
    """Nodes of one level."""

    def __init__(self, level: int, nodes: list[Node], terms: Terms) -> None:
        self.level, self.nodes = level, nodes
        self._index = PassageIndex(terms, [node.passage for node in nodes])
        self._weights: Floats = np.array([node.weight for node in nodes])

    def weigh(self, place: int, weight: float) -> None:
        """Give a node another weight; 0 for one that is gone."""
        self._weights[place] = weight

    def decided(self, asked: Question, places: Sequence[int]) -> Iterator[tuple[int, Verdict]]:
        """The asked passages, by their places, for which a node of this level counts, and the most similar one."""
        most = max(1, MOST_CELLS // len(self.nodes))
        for first in range(0, len(places), most):
            piece = places[first : first + most]
            osm = self._index.osm(asked.only(piece)) * self._weights
            best = osm.argmax(axis=1).tolist()
            for place, at, similar in zip(piece, best, osm.max(axis=1).tolist(), strict=True):
                if similar >= ENOUGH - ROUNDING:
                    yield place, Verdict(self.level, similar, self.nodes[at].key)
