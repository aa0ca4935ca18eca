"""The T-Graph of a crawl as it is now: what its agents have made of the one that they were given.

Each agent keeps its own with its counts. They are read back as an agent reads its own
at a restart, and joined: experience adds up, and whoever has more of it says more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

import msgspec

from lycosa.configuration.sections import Configuration
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.reading_apart import LONG, read_apart
from lycosa.crawl_folder.t_graph_files import given_graph
from lycosa.crawl_folder.topic import topic_of
from lycosa.link_graph.t_graph.graph import Node, TreasureGraph
from lycosa.link_graph.t_graph.watchdog import Change
from lycosa.plugins import registry
from lycosa.plugins.plug_points import Topic
from lycosa.records import Record
from lycosa.scoring.links.t_graph_state import CHANGES_TOLD, TreasureKeeper
from lycosa.storage.agent_store import AgentStore


class CrawlTreasure(Record, frozen=True):
    """The T-Graph of a crawl as its agents have it now, and the watchdog's changes with the agents that made them.

    The latest change is the last; `forgotten` is how many were made before these and are no longer known.
    """

    targets: tuple[str, ...]
    nodes: tuple[Node, ...]
    changes: tuple[tuple[int, Change], ...]
    judged: dict[str, int] = msgspec.field(default_factory=dict)
    forgotten: int = 0


@read_apart(LONG)
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
    changes = _in_order({number: keeper.watchdog.changes for number, keeper in keepers.items()})
    targets = given.targets if given is not None else ()
    judged = sum((keeper.judged for keeper in keepers.values()), Counter[str]())
    nodes = _joined([keeper.graph for keeper in keepers.values()])
    forgotten = sum(keeper.watchdog.forgotten for keeper in keepers.values())
    return CrawlTreasure(targets, nodes, changes, dict(sorted(judged.items())), forgotten)


def _in_order(made: Mapping[int, Sequence[Change]]) -> tuple[tuple[int, Change], ...]:
    """The changes of all agents by their time; each agent's own stay in the order in which it made them.

    Older logs know no times, and their pages were counted anew after each restart: there the most pages so far count.
    """
    placed = [
        (change.at, pages, number, change)
        for number, changes in made.items()
        for change, pages in zip(changes, accumulate((each.pages for each in changes), max), strict=True)
    ]
    return tuple((number, change) for _, _, number, change in sorted(placed, key=lambda each: each[:2]))


def take_back(folder: CrawlFolder, names: Sequence[str]) -> list[Change]:
    """Take changes back, or the latest: they are named in the crawl's settings, where agents find them, running or not.

    Others may do the same at the same time, so what is still to be taken back is looked up where nobody can interfere.
    """
    known: dict[str, Change] = {}
    for _, change in reversed(crawl_treasure(folder).changes):
        known.setdefault(change.name, change)
    if not known:
        raise CrawlError(f"crawl {folder.name!r}: the watchdog has changed nothing that could be taken back")
    chosen: list[Change] = []

    def amended(current: Configuration) -> Configuration:
        before = current.treasure.undone
        chosen.extend(_chosen(folder.name, known, names, before))
        undone = (*before, *(change.name for change in chosen))
        return msgspec.structs.replace(current, treasure=msgspec.structs.replace(current.treasure, undone=undone))

    folder.amend(amended)
    return chosen


def _chosen(crawl: str, known: Mapping[str, Change], names: Sequence[str], undone: Sequence[str]) -> list[Change]:
    """The changes of these names among those known, the latest of which comes first."""
    latest = [name for name in known if name not in undone][:1]
    if not names and not latest:
        raise CrawlError(f"crawl {crawl!r}: all changes that could be taken back were taken back already")
    wanted = list(dict.fromkeys(names)) or latest
    for name in wanted:
        if name in undone:
            raise CrawlError(f"change {name} was taken back already")
        if name not in known:
            raise CrawlError(
                f"no change is named {name!r}; `lycosa treasure show {crawl} --log` lists them: "
                f"of each agent the latest {CHANGES_TOLD}, older ones can no longer be taken back"
            )
    return [known[name] for name in wanted]


def _keeper(folder: CrawlFolder, configuration: Configuration, topic: Topic) -> TreasureKeeper:
    scorer = registry.find("link_scorers", configuration.link_scorer)(configuration, topic)
    keeper = getattr(scorer, "keeper", None)
    if not isinstance(keeper, TreasureKeeper):
        raise CrawlError(
            f"crawl {folder.name!r} goes by the strategy {configuration.link_scorer!r}, which has no T-Graph; "
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
