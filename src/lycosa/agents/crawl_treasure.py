"""The T-Graph of a crawl as it is now: what its agents have made of the one that they were given.

Each agent keeps its own with its counts. They are read back as an agent reads its own
at a restart, and joined: experience adds up, and whoever has more of it says more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from lycosa import plugins
from lycosa.agents.assembly import topic_of
from lycosa.agents.folder import CrawlError, CrawlFolder
from lycosa.agents.treasure_folder import given_graph
from lycosa.configuration import Configuration
from lycosa.link_graph.treasure_graph import Node, TreasureGraph
from lycosa.link_graph.watchdog import Change
from lycosa.records import Record
from lycosa.scoring.scorer import Topic
from lycosa.scoring.treasure_keeper import TreasureKeeper
from lycosa.storage.agent_store import AgentStore


class CrawlTreasure(Record, frozen=True):
    """The T-Graph of a crawl as its agents have it now, and the watchdog's changes with the agents that made them."""

    targets: tuple[str, ...]
    nodes: tuple[Node, ...]
    changes: tuple[tuple[int, Change], ...]
    judged: dict[str, int] = msgspec.field(default_factory=dict)


def crawl_treasure(folder: CrawlFolder) -> CrawlTreasure:
    """What the agents of a crawl know, running or not."""
    configuration = folder.configuration()
    given = given_graph(configuration, folder.path)
    topic = topic_of(configuration, folder.path)
    kept = {}
    for number, told in _statistics(folder, configuration.agents):
        kept[number] = keeper = _keeper(folder, configuration, topic)
        if told is not None:
            keeper.recall(told, ())
    keepers = kept or {0: _keeper(folder, configuration, topic)}
    changes = [(number, change) for number, keeper in keepers.items() for change in keeper.watchdog.changes]
    changes.sort(key=lambda pair: pair[1].pages)
    targets = given.targets if given is not None else ()
    judged = sum((keeper.judged for keeper in keepers.values()), Counter[str]())
    nodes = _joined([keeper.graph for keeper in keepers.values()])
    return CrawlTreasure(targets, nodes, tuple(changes), dict(sorted(judged.items())))


def _keeper(folder: CrawlFolder, configuration: Configuration, topic: Topic) -> TreasureKeeper:
    scorer = plugins.find("link_scorers", configuration.strategy)(configuration, topic)
    keeper = getattr(scorer, "keeper", None)
    if not isinstance(keeper, TreasureKeeper):
        raise CrawlError(
            f"crawl {folder.name!r} goes by the strategy {configuration.strategy!r}, which has no T-Graph; "
            "`lycosa crawl --strategy treasure` makes one that has"
        )
    return keeper


def _statistics(folder: CrawlFolder, agents: int) -> Iterator[tuple[int, bytes | None]]:
    """What the link scorer of each agent that has begun last left in its store: the last of the strategy's parts."""
    for number, path in enumerate(folder.agents(agents)):
        if (path / "store" / "ready").exists():
            with AgentStore(path / "store", readonly=True) as store:
                mark = store.mark("statistics")
            parts = msgspec.msgpack.decode(mark, type=list[bytes]) if mark is not None else []
            yield number, parts[-1] if parts else None


def _joined(graphs: Sequence[TreasureGraph]) -> tuple[Node, ...]:
    """The nodes of all agents; experience adds up, and whoever has more of it says more about the weight."""
    found: dict[str, list[Node]] = {}
    for graph in graphs:
        for key, node in graph.nodes.items():
            found.setdefault(key, []).append(node)
    return tuple(_one_of(same) for same in found.values())


def _one_of(same: Sequence[Node]) -> Node:
    if len(same) == 1:
        return same[0]
    whole = sum(node.tried + 1 for node in same)
    weight = sum(node.weight * (node.tried + 1) for node in same) / whole
    nearest = min(same, key=lambda node: node.distance)
    tried, led = sum(node.tried for node in same), sum(node.led for node in same)
    return msgspec.structs.replace(nearest, weight=weight, tried=tried, led=led)
