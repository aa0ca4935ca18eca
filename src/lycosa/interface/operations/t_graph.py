"""The call about the T-Graph of a crawl (T4 to T6): its levels and nodes as its agents have them now."""

from __future__ import annotations

import time
from typing import Annotated

import msgspec

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.inspection.t_graph import CrawlTreasure, crawl_treasure
from lycosa.interface.operations.calls import Call, Office, call
from lycosa.interface.operations.crawls import CrawlName
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.stamped_cache import readings
from lycosa.interface.shared.tokens import Role
from lycosa.interface.views.t_graph import levels_of
from lycosa.link_graph.t_graph.graph import Node

LONGEST_PART = 300
MOST_TARGETS = 100


class TreasureAsked(Message, frozen=True):
    """The crawl, and which of its nodes, from the nearest and heaviest on."""

    name: CrawlName
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 100
    offset: Annotated[int, msgspec.Meta(ge=0, le=10_000_000)] = 0


class TreasureLevel(Message, frozen=True):
    """A level: how many nodes and pages, and their mean weight and experience."""

    level: int
    nodes: int
    pages: int
    weight: float
    tried: float
    led: float


class TreasureNode(Message, frozen=True):
    """A passage that leads towards a target, with its parts ISH, SH, MH and DC (shortened)."""

    key: str
    page: str
    distance: int
    weight: float
    tried: float
    led: float
    nearest: str
    sections: str
    main: str
    boundary: str

    @classmethod
    def of(cls, node: Node) -> TreasureNode:
        """A node of the graph."""
        parts = [part[:LONGEST_PART] for part in node.passage.parts]
        return cls(node.key, node.page, node.distance, node.weight, node.tried, node.led, *parts)


class Treasure(Message, frozen=True):
    """A T-Graph: its levels, its targets, some of its nodes, and how many changes the watchdog made."""

    total: int
    levels: tuple[TreasureLevel, ...]
    targets: tuple[str, ...]
    nodes: tuple[TreasureNode, ...]
    changes: int
    judged: dict[str, int]


@call("GET", "/crawls/{name}/treasure", Role.READ)
def get_treasure(office: Office, asked: TreasureAsked) -> Treasure:
    """The T-Graph of a crawl, where its strategy has one."""
    found = treasure_in(office.library.crawl(asked.name))
    return treasure_told(found, asked.limit, asked.offset)


def treasure_in(folder: CrawlFolder) -> CrawlTreasure:
    """The T-Graph of a crawl as it is now, or as of a little while ago where reading it takes long."""
    return readings.get(("treasure", folder.path), time.monotonic(), lambda: crawl_treasure(folder))


def treasure_told(found: CrawlTreasure, limit: int, offset: int = 0) -> Treasure:
    """A T-Graph with some of its nodes, the nearest to a target and heaviest first."""
    ordered = sorted(found.nodes, key=lambda node: (node.distance, -node.weight, -node.led, node.page, node.key))
    return Treasure(
        len(ordered),
        tuple(TreasureLevel(**level) for level in levels_of(ordered)),
        found.targets[:MOST_TARGETS],
        tuple(map(TreasureNode.of, ordered[offset : offset + limit])),
        len(found.changes) + found.forgotten,
        found.judged,
    )


CALLS: list[Call] = [get_treasure]
