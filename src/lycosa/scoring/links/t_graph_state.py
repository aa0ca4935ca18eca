"""A T-Graph at work in a crawl: kept by its watchdog, and with the agent's counts, so that it outlives a restart.

The exact formula of the paper and our own both ask it; which node had the say about a
link is remembered until the link is fetched, since that is what the watchdog judges by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence

import msgspec

from lycosa.configuration.sections import Treasure
from lycosa.link_graph.t_graph.graph import Node, TreasureGraph, Verdict
from lycosa.link_graph.t_graph.watchdog import Change, Seen, Watchdog, change_name
from lycosa.records import Record, Visit
from lycosa.scoring.bounded_memory import Remembered

DECISIONS_REMEMBERED = 200_000
CHANGES_TOLD = 200
"""Changes that can be read and taken back: they are written and told to other agents after each look."""


class Kept(Record, frozen=True):
    """What is kept of a T-Graph with an agent's counts.

    The nodes that differ from the graph the crawl was given, the latest changes, how links were judged, the
    scorer's own experience, and the keys of given nodes that are `gone`; None where `nodes` are all there are.
    Then how many `pages` the watchdog has seen, and how many changes are `forgotten` since they are too old.
    """

    nodes: list[Node]
    changes: list[Change]
    judged: dict[str, int] = msgspec.field(default_factory=dict)
    experience: bytes = b""
    gone: list[str] | None = None
    pages: int = 0
    forgotten: int = 0


class TreasureKeeper:
    """The T-Graph of one agent."""

    def __init__(self, settings: Treasure, threshold: float, graph: bytes = b"") -> None:
        self.graph = TreasureGraph.decoded(graph) if graph else TreasureGraph()
        self._given = dict(self.graph.nodes)
        self._settings = settings
        self.watchdog = Watchdog(self.graph, settings.levels, threshold, settings.undone)
        self._decisions: Remembered[str, str] = Remembered(DECISIONS_REMEMBERED)
        self.judged: Counter[str] = Counter()
        """How many links were judged by each level."""
        self._unseen = 0
        self._told: bytes | None = None

    def decided(self, url: str, verdict: Verdict | None) -> None:
        """What was said about a link when it was first seen; None where its class was wrong and nobody asked."""
        self.judged[_called(verdict)] += 1
        if verdict is not None and verdict.node:
            self._decisions.put(url, verdict.node)

    def learn(self, visits: Sequence[Visit]) -> None:
        """Pages were fetched; now and then the watchdog looks at them."""
        for visit in visits:
            page = visit.page
            if page is None or visit.relevance is None or not page.text:
                continue
            self._unseen += 1
            if not self._settings.watchdog:
                continue
            seen = Seen(visit.link.parent, visit.relevance.value, links=page.links)
            self.watchdog.saw(page.url, seen, self._decisions.pop(page.url) or "", visit.at)
        if self._unseen >= self._settings.look_every:
            self._unseen, self._told = 0, None
            if self._settings.watchdog:
                self.watchdog.look()

    def statistics(self, experience: Callable[[], bytes] = bytes) -> bytes:
        """The nodes, the latest changes and the scorer's own experience; made anew after each look at the crawl."""
        if self._told is None:
            given, dog = self._given.get, self.watchdog
            changes = dog.changes[-CHANGES_TOLD:]
            forgotten = dog.forgotten + len(dog.changes) - len(changes)
            nodes = [node for key, node in self.graph.nodes.items() if given(key) is not node]
            gone = list(self._given.keys() - self.graph.nodes.keys())
            kept = Kept(nodes, changes, dict(self.judged), experience(), gone, dog.pages, forgotten)
            self._told = msgspec.msgpack.encode(kept)
        return self._told

    def adjust(self, settings: Treasure) -> None:
        """Go on with changed settings: what was undone is taken back, and what no longer is may happen again."""
        self._settings = settings
        self.watchdog.undone &= frozenset(settings.undone)
        self._undo()

    def _undo(self) -> None:
        """Take back own changes, and nodes that another agent learnt and told this one."""
        self.watchdog.undo(self._settings.undone)
        self.graph.remove(
            [key for key, node in self.graph.nodes.items() if key not in self._given and self._undone(node)]
        )
        self._told = None

    def _undone(self, node: Node) -> bool:
        return bool(self.watchdog.undone) and change_name("new", node) in self.watchdog.undone

    def recall(self, own: bytes | None, others: Sequence[bytes]) -> bytes:
        """Take up the graph as it was, and the nodes that other agents have learnt. Returns the scorer's experience."""
        experience = b""
        if own is not None:
            kept = msgspec.msgpack.decode(own, type=Kept)
            experience = kept.experience
            self.graph.remove(self._gone(kept))
            self.graph.put(kept.nodes)
            self.watchdog.recall(kept.changes, kept.pages, kept.forgotten)
            self.judged, self.watchdog.undone = Counter(kept.judged), frozenset()
            self._undo()
        for told in others:
            kept = msgspec.msgpack.decode(told, type=Kept)
            buried = {change.node.key for change in self.watchdog.changes if change.kind == "dead"}
            unknown = [node for node in kept.nodes if node.key not in self.graph and node.key not in buried]
            news = [node for node in unknown if not self._undone(node)]
            if news:
                self.graph.put([msgspec.structs.replace(node, tried=0.0, led=0.0) for node in news])
                self._told = None
        return experience

    def _gone(self, kept: Kept) -> Collection[str]:
        return self._given.keys() - {node.key for node in kept.nodes} if kept.gone is None else kept.gone


def _called(verdict: Verdict | None) -> str:
    """The group of links that one belongs to in reports."""
    if verdict is None:
        return "off topic"
    return f"{verdict.level} from a target" if verdict.level else "like no node"
