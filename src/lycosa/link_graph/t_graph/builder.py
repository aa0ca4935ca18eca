"""How a T-Graph is built: from example pages that link to each other, or backwards from targets alone (T5).

Two stages: pages become nodes, one per paragraph or list with links; then one search
from all targets at once, against the direction of links, gives every page its
distance and every node its own. Nodes from which no target is known to be reached
within the wanted levels are left out. Nothing is fetched here: whoever builds
backwards asks which pages' parents are wanted and hands in what was found.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping

from lycosa.link_graph.t_graph.graph import MOST_LEVELS, Node
from lycosa.link_graph.t_graph.passages import Passage, passage_of
from lycosa.records import Link, Page

LEVELS = 4
"""Links from a target that nodes are kept for, unless told otherwise."""
NODES_PER_PAGE = 200


def passages_of(page: Page, most: int = NODES_PER_PAGE) -> dict[Passage, tuple[str, ...]]:
    """The paragraphs and lists of a page that have links, and where these lead."""
    return passages_around(page.links, most)


def passages_around(links: Iterable[Link], most: int = NODES_PER_PAGE) -> dict[Passage, tuple[str, ...]]:
    """The paragraphs and lists that links of a page stand in, and where those in each lead."""
    found: dict[Passage, list[str]] = {}
    for link in links:
        passage = passage_of(link)
        if passage in found:
            found[passage].append(link.url)
        elif len(found) < most and any(passage.parts):
            found[passage] = [link.url]
    return {passage: tuple(dict.fromkeys(urls)) for passage, urls in found.items()}


class TreasureBuilder:
    """Pages gathered for a T-Graph."""

    def __init__(self, levels: int = LEVELS) -> None:
        self._levels = min(max(1, levels), MOST_LEVELS)
        self._pages: dict[str, dict[Passage, tuple[str, ...]]] = {}
        self._targets: dict[str, bool] = {}

    def add(self, page: Page, *, target: bool = False) -> None:
        """An example page, or a page that leads to one; a target is what such pages lead to in the end."""
        self._pages[page.url] = passages_of(page)
        if target:
            self._targets[page.url] = True

    def aim_at(self, url: str) -> None:
        """A target of which only the address is known."""
        self._targets[url] = True

    @property
    def targets(self) -> list[str]:
        """What is aimed at."""
        return list(self._targets)

    def distances(self) -> dict[str, int]:
        """The least number of links from each known page to a target, for those that reach one."""
        return distances_to(self._targets, self._links())

    def _links(self) -> dict[str, list[str]]:
        return {url: [to for urls in passages.values() for to in urls] for url, passages in self._pages.items()}

    def frontier(self, level: int) -> list[str]:
        """The pages at this distance from a target: their parents make the next level."""
        return [url for url, distance in self.distances().items() if distance == level]

    def nodes(self) -> list[Node]:
        """The nodes of the graph, their distances worked out; the nearest of passages alike stands for all."""
        far = self.distances()
        found: dict[str, Node] = {}
        for url, passages in self._pages.items():
            for passage, leads_to in passages.items():
                distance = node_distance(url, leads_to, far)
                if distance is None or distance > self._levels:
                    continue
                node = Node(url, passage, leads_to, distance)
                known = found.get(node.key)
                if known is None or distance < known.distance:
                    found[node.key] = node
        return list(found.values())


def node_distance(page: str, leads_to: Iterable[str], far: Mapping[str, int]) -> int | None:
    """The least number of downloads from a passage to a target: 0 on a target; None where none is reached."""
    if far.get(page) == 0:
        return 0
    return min((1 + far[url] for url in leads_to if url in far), default=None)


def distances_to(targets: Iterable[str], links: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """The least number of links from every page to a target: one search from all targets, backwards."""
    parents: dict[str, list[str]] = {}
    for page, urls in links.items():
        for url in urls:
            parents.setdefault(url, []).append(page)
    far = dict.fromkeys(targets, 0)
    waiting = deque(far)
    while waiting:
        url = waiting.popleft()
        for parent in parents.get(url, ()):
            if parent not in far:
                far[parent] = far[url] + 1
                waiting.append(parent)
    return far


def distances_within(most: int, targets: Iterable[str], links: Mapping[str, Collection[str]]) -> dict[str, int]:
    """The same for pages at most so many links from a target: round by round, without asking who links to whom."""
    far = dict.fromkeys(targets, 0)
    reached = set(far)
    for distance in range(1, most + 1):
        reached = {page for page, urls in links.items() if page not in far and not reached.isdisjoint(urls)}
        far.update(dict.fromkeys(reached, distance))
        if not reached:
            break
    return far
