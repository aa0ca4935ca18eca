"""The T-Graph: example passages, each with the least number of downloads from there to a target (T4, T6).

A node is a paragraph or list with links on a page. A link that is not visited yet is
compared with the nodes: those similar enough say how far from a target it may lead.
Inverted lists are asked, of one level after the other or of all at once: the answer is
that of comparing with every node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from lycosa.link_graph.t_graph.passage_index import MOST_CELLS, Floats, PassageIndex, Question
from lycosa.link_graph.t_graph.passages import PARTS, Passage, Terms
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
        self._settled = _Floors({}, self._terms)
        self._places: dict[str, int] = {}
        self._young: dict[str, Node] = {}
        self._apart: _Floors | None = None
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
            key = node.key
            known = self._nodes.get(key)
            self._nodes[key] = node
            if known is not None and (known.level, known.weight) == (node.level, node.weight):
                continue
            if known is not None and known.level == node.level and key in self._places:
                self._settled.weigh(self._places[key], node.weight)
                continue
            self._leave(key)
            self._young[key] = node
            self._apart = None

    def remove(self, keys: Iterable[str]) -> None:
        """Take nodes out."""
        for key in keys:
            if self._nodes.pop(key, None) is not None:
                self._leave(key)

    def _leave(self, key: str) -> None:
        """A node is where it was no longer: nothing weighs nothing."""
        if self._young.pop(key, None) is not None:
            self._apart = None
        if key in self._places:
            self._settled.weigh(self._places.pop(key), 0.0)

    def judge(self, passages: Sequence[Passage]) -> list[Verdict]:
        """What the first level that counts says of links in these passages."""
        distinct = list(dict.fromkeys(passages))
        verdicts, held = [UNLIKE_ALL] * len(distinct), self._held()
        asked = Question.of(self._terms, distinct) if held and distinct else None
        levels = sorted((level, at) for at, floors in enumerate(held) for level in floors.levels)
        for level, at in levels if asked is not None else ():
            places = [place for place, verdict in enumerate(verdicts) if verdict.level in (0, level)]
            if not places or asked is None:
                break
            for place, verdict in held[at].nearest(asked, places, level):
                if verdict.osm > verdicts[place].osm:
                    verdicts[place] = verdict
        return _given_back(passages, distinct, verdicts)

    def strongest(self, passages: Sequence[Passage]) -> list[Verdict]:
        """The node with the largest say about each passage, which is its similarity divided by its level."""
        distinct = list(dict.fromkeys(passages))
        verdicts, held = [UNLIKE_ALL] * len(distinct), self._held()
        asked = Question.of(self._terms, distinct) if held and distinct else None
        for floors in held if asked is not None else ():
            for place, verdict in floors.strongest(asked) if asked is not None else ():
                if (verdict.say, -verdict.level) > (verdicts[place].say, -verdicts[place].level):
                    verdicts[place] = verdict
        return _given_back(passages, distinct, verdicts)

    def likeness(self, passage: Passage, key: str) -> Score:
        """How similar a passage and a node are, part by part."""
        node, terms = self._nodes[key], Terms()
        index, asked = PassageIndex(terms, [node.passage]), Question.of(terms, [passage])
        sims = [len(PARTS) * float(index.osm(asked.part(part))[0, 0]) for part in range(len(PARTS))]
        told = tuple(
            Score(sim, f"{name}: {text[:60]}") for sim, name, text in zip(sims, PARTS, node.passage.parts, strict=True)
        )
        return Score(sum(sims) / 4, f"like a passage of {node.page}, {node.distance} downloads from a target", told)

    def _held(self) -> list[_Floors]:
        """All nodes: those in their places, and the young ones that stand apart."""
        if self._apart is None or self._terms.full:
            if self._terms.full or len(self._young) > max(MOST_YOUNG, len(self._nodes) // 4):
                self._settle()
            self._apart = _Floors(self._young, self._terms)
        return [floors for floors in (self._settled, self._apart) if floors.nodes]

    def _settle(self) -> None:
        """Put all nodes in their places anew, so that none stands apart."""
        self._terms, self._young = Terms(), {}
        self._settled = _Floors(self._nodes, self._terms)
        self._places = {key: place for place, key in enumerate(self._settled.keys)}

    def encoded(self) -> bytes:
        """The graph as bytes."""
        return encoded(self._nodes.values())

    @classmethod
    def decoded(cls, data: bytes) -> TreasureGraph:
        """The graph that was encoded."""
        return cls(msgspec.msgpack.decode(data, type=list[Node]))


def encoded(nodes: Iterable[Node]) -> bytes:
    """The graph of some nodes, each of which is there once, as bytes."""
    return msgspec.msgpack.encode(list(nodes))


def _given_back(passages: Sequence[Passage], distinct: list[Passage], verdicts: list[Verdict]) -> list[Verdict]:
    """The verdict on each passage that was asked about, however often."""
    if len(distinct) == len(passages):
        return verdicts
    found = dict(zip(distinct, verdicts, strict=True))
    return [found[passage] for passage in passages]


class _Floors:
    """Nodes level by level, the nearest to a target first."""

    def __init__(self, nodes: Mapping[str, Node], terms: Terms) -> None:
        self.keys = sorted(nodes, key=lambda key: nodes[key].level)
        self.nodes = [nodes[key] for key in self.keys]
        levels = [node.level for node in self.nodes]
        self.levels = sorted(set(levels))
        self._numbers = {level: number for number, level in enumerate(self.levels)}
        self._index = PassageIndex(
            terms, [node.passage for node in self.nodes], [self._numbers[level] for level in levels]
        )
        self._weights: Floats = np.array([node.weight for node in self.nodes], np.float64)
        self._says: Floats = self._weights / np.array(levels, np.float64)

    def weigh(self, place: int, weight: float) -> None:
        """Give a node another weight; 0 for one that is gone."""
        self._weights[place], self._says[place] = weight, weight / self.nodes[place].level

    def nearest(self, asked: Question, places: Sequence[int], level: int) -> Iterator[tuple[int, Verdict]]:
        """The asked passages, by their places, for which a node of a level counts, and the most similar one."""
        number = self._numbers[level]
        first, behind = self._index.begin(number), self._index.begin(number + 1)
        for piece in _pieces(places, behind - first):
            osm = self._index.osm(asked.only(piece), (number, number + 1)) * self._weights[first:behind]
            best = osm.argmax(axis=1).tolist()
            for place, at, similar in zip(piece, best, osm.max(axis=1).tolist(), strict=True):
                if similar >= ENOUGH - ROUNDING:
                    yield place, Verdict(level, similar, self.keys[first + at])

    def strongest(self, asked: Question) -> Iterator[tuple[int, Verdict]]:
        """The asked passages, by their places, for which a node counts, and the one with the largest say."""
        for piece in _pieces(range(asked.number), len(self.nodes)):
            osm = self._index.osm(asked.only(piece))
            best = (osm * self._says).argmax(axis=1).tolist()
            for row, (place, at) in enumerate(zip(piece, best, strict=True)):
                similar = float(osm[row, at] * self._weights[at])
                if similar < ENOUGH - ROUNDING:
                    weighed = osm[row] * self._weights
                    at = int(np.where(weighed >= ENOUGH - ROUNDING, osm[row] * self._says, 0.0).argmax())
                    similar = float(weighed[at])
                if similar >= ENOUGH - ROUNDING:
                    yield place, Verdict(self.nodes[at].level, similar, self.keys[at])


def _pieces(places: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """Some of the asked passages at a time, so that comparing them with so many nodes fits in memory."""
    most = max(1, MOST_CELLS // max(1, size))
    for first in range(0, len(places), most):
        yield places[first : first + most]
