"""The watchdog: what a crawl lives through goes back into its T-Graph (T9).

Now and then the pages seen lately are looked at together. Passages on the way to a
page that turned out relevant become nodes. A node that promised a target and did not
keep it loses weight, and in the end is removed: it is dead. Old experience fades, so a
web that changes is learnt anew. Every change has a name, a reason and a place in the
log, and can be undone: what was undone is not done again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
import numpy as np
import xxhash

from lycosa.link_graph.t_graph.builder import LEVELS, distances_within, passages_around
from lycosa.link_graph.t_graph.graph import MOST_LEVELS, Node, TreasureGraph
from lycosa.link_graph.t_graph.passages import Passage
from lycosa.records import Link, Record, urls_of

PAGES_REMEMBERED = 1_000
LINKS_REMEMBERED = 500_000
"""Links of these pages, together; when there are more, the oldest pages are forgotten."""
MOST_LEARNT = 3_000
"""Nodes learnt beyond those given; when there are more, those with the least say make room."""
CHANGES_KEPT = 1_000
FADING = 0.9
"""What is left of earlier experience at each look."""
FEWEST_TRIES = 3.0
"""A node is not blamed before so many of the links it decided were fetched."""
DEAD = 0.1
BENEFIT = 2.0
"""Kept promises that every node is credited with in advance."""
STEPS = (1.0, 0.75, 0.5, 0.35, 0.25, 0.15, 0.1)
"""The weights that a node may have: small ups and downs are no change worth a line in the log."""

FEWEST_PARTED = 20
CLEARLY = 0.6
"""The share of the variance that two groups of pages must explain."""
TIMES = 2.0
"""How much more relevant one group must be than the other."""

_replace = msgspec.structs.replace


class Change(Record, frozen=True):
    """One change of the T-Graph: `new`, `nearer`, `weighs` or `dead`; `before` is the node as it was, if it was.

    `at` is when the latest page was fetched that the change goes by; 0 in logs that were kept without it.
    """

    name: str
    kind: str
    pages: int
    why: str
    node: Node
    before: Node | None = None
    at: float = 0.0


def change_name(kind: str, node: Node) -> str:
    """What a change is called, by whichever agent it is made."""
    told = f"{kind}/{node.key}" + {"nearer": f"/{node.distance}", "weighs": f"/{node.weight}"}.get(kind, "")
    return xxhash.xxh3_64_hexdigest(told.encode())[:8]


class Seen(Record, frozen=True):
    """What is kept of a fetched page: its links, or the passages that they stand in where these are known already."""

    parent: str
    relevance: float
    known: dict[Passage, tuple[str, ...]] = msgspec.field(default_factory=dict)
    links: Sequence[Link] = ()

    @property
    def passages(self) -> dict[Passage, tuple[str, ...]]:
        """The passages with links, and where these lead; few pages are ever asked for them."""
        return self.known or passages_around(self.links)

    @property
    def leads_to(self) -> list[str]:
        """Where its links lead."""
        return list(urls_of(self.links)) or [url for urls in self.known.values() for url in urls]


class Watchdog:
    """Looks after one T-Graph."""

    def __init__(
        self, graph: TreasureGraph, levels: int = LEVELS, threshold: float = 0.2, undone: Collection[str] = ()
    ) -> None:
        self.graph, self._levels, self._threshold = graph, levels, threshold
        self._room = len(graph) + MOST_LEARNT
        self.changes: list[Change] = []
        self._pages: dict[str, Seen] = {}
        self._ways: dict[str, list[str]] = {}
        self._fresh: list[str] = []
        self._decided: dict[str, str] = {}
        self.pages = self._links = 0
        self.forgotten = 0
        """Changes that were made, and are too old to be known still."""
        self._at = 0.0
        self.undone = frozenset(undone)

    # -- watching -------------------------------------------------------------------------------

    def saw(self, url: str, seen: Seen, decided_by: str = "", at: float = 0.0) -> None:
        """A page was fetched, at this time; `decided_by` is the node that had the say about the link to it."""
        self.pages += 1
        self._at = max(self._at, at)
        self._forget(url)
        self._pages[url], self._ways[url] = seen, seen.leads_to
        self._links += len(seen.links)
        self._fresh.append(url)
        if decided_by:
            self._decided[url] = decided_by
        while len(self._pages) > PAGES_REMEMBERED or self._links > LINKS_REMEMBERED:
            self._forget(next(iter(self._pages)))

    def _forget(self, url: str) -> None:
        seen = self._pages.pop(url, None)
        self._ways.pop(url, None)
        if seen is not None:
            self._links -= len(seen.links)

    def look(self) -> list[Change]:
        """Fold in what was seen since the last look. Returns the changes, which are made and logged."""
        enough = max(self._threshold, parting([seen.relevance for seen in self._pages.values()]))
        targets = [url for url, seen in self._pages.items() if seen.relevance >= enough]
        far = distances_within(MOST_LEVELS, targets, self._ways)
        made = [*self._judged(far), *self._learnt(far), *self._crowded_out()]
        self._fresh, self._decided = [], {}
        known = [*self.changes, *made]
        self.changes = known[-CHANGES_KEPT:]
        self.forgotten += len(known) - len(self.changes)
        return made

    def recall(self, changes: Sequence[Change], pages: int, forgotten: int) -> None:
        """Go on where a process before this one ended, so that what is changed next comes after what was."""
        self.changes, self.forgotten = list(changes), forgotten
        self.pages = max([pages, *(change.pages for change in changes)])
        self._at = max([self._at, *(change.at for change in changes)])

    def _judged(self, far: Mapping[str, int]) -> list[Change]:
        """What the nodes that had the say promised, and whether they kept it; nodes of one kind answer together."""
        tries: dict[tuple[str, ...], list[bool]] = {}
        for url, key in self._decided.items():
            node = self.graph.nodes.get(key)
            if node is not None:
                kept = far.get(url, self._levels + 1) <= max(0, node.distance - 1)
                tries.setdefault(_kind(node), []).append(kept)
        headings = {kind[:2] for kind in tries}
        nodes = [
            (key, node)
            for key, node in self.graph.nodes.items()
            if (node.passage.nearest, node.passage.sections) in headings or (key,) in headings
        ]
        tried = [(key, tries[kind]) for key, node in nodes if (kind := _kind(node)) in tries]
        return [change for key, kept in tried if (change := self._weighed(key, kept)) is not None]

    def _weighed(self, key: str, kept: Sequence[bool]) -> Change | None:
        """A node after some more tries; its weight is how often it is right, with the benefit of the doubt."""
        node = self.graph.nodes[key]
        tried, led = node.tried * FADING + len(kept), node.led * FADING + sum(kept)
        after = _replace(node, tried=tried, led=led)
        self.graph.put([after])
        if tried < FEWEST_TRIES:
            return None
        right = (led + BENEFIT) / (tried + BENEFIT)
        weight = next((step for step in STEPS if right >= 0.95 * step), 0.0)
        why = f"{led:.1f} of {tried:.1f} links it decided led on as promised"
        if weight < DEAD:
            return self._change("dead", after, why, node)
        if weight == node.weight:
            return None
        return self._change("weighs", _replace(after, weight=weight), why, node)

    def _learnt(self, far: Mapping[str, int]) -> list[Change]:
        """Passages on the way to the relevant pages seen since the last look."""
        made: list[Change] = []
        for url in self._fresh:
            seen = self._pages.get(url)
            if seen is None or far.get(url) != 0:
                continue
            for distance in range(1, self._levels + 1):
                page, parent = seen.parent, self._pages.get(seen.parent)
                if parent is None or (distance > 1 and far.get(url) == 0):
                    break
                made += self._paved(page, parent, url, 0 if far.get(page) == 0 else distance)
                url, seen = page, parent
        return made

    def _paved(self, page: str, seen: Seen, url: str, distance: int) -> list[Change]:
        """The passages of a page that hold a link which led on, at this distance from a target."""
        made = []
        for passage, urls in seen.passages.items():
            if url not in urls:
                continue
            node = Node(page, passage, urls, distance)
            known = self.graph.nodes.get(node.key)
            why = f"a link in it led to {url}, {max(0, distance - 1)} links from a target"
            if known is None:
                made.append(self._change("new", node, why))
            elif known.distance > node.distance:
                made.append(self._change("nearer", _replace(known, distance=node.distance), why, known))
        return [change for change in made if change is not None]

    def _crowded_out(self) -> list[Change]:
        """Nodes that make room, those with the least say first."""
        surplus = len(self.graph) - self._room
        if surplus <= 0:
            return []
        least = sorted(self.graph.nodes.values(), key=lambda node: (node.weight, node.led, -node.distance))[:surplus]
        made = [self._change("dead", node, f"there is room for {self._room} nodes", node) for node in least]
        return [change for change in made if change is not None]

    # -- changing -------------------------------------------------------------------------------

    def _change(self, kind: str, node: Node, why: str, before: Node | None = None) -> Change | None:
        """Make a change, unless it was undone before."""
        name = change_name(kind, node)
        if name in self.undone:
            return None
        if kind == "dead":
            self.graph.remove([node.key])
        else:
            self.graph.put([node])
        return Change(name, kind, self.pages, why, node, before, self._at)

    def undo(self, names: Iterable[str]) -> list[Change]:
        """Take changes back, the latest first, and never make them again. Unknown names are only kept in mind."""
        wanted = frozenset(names) - self.undone
        self.undone |= wanted
        taken_back = [change for change in reversed(self.changes) if change.name in wanted]
        for change in taken_back:
            if change.before is None:
                self.graph.remove([change.node.key])
            else:
                self.graph.put([_replace(change.before, tried=0.0, led=0.0)])
        self.changes = [change for change in self.changes if change.name not in wanted]
        return taken_back


def _kind(node: Node) -> tuple[str, ...]:
    """What a node shares with others of its kind: the headings above it; without any, it stands for itself."""
    headings = node.passage.signpost
    return (*headings, str(node.level)) if any(headings) else (node.key,)


def parting(values: Sequence[float]) -> float:
    """The value that parts pages on the topic from others best (Otsu's), or 0 where they do not fall into two groups.

    Page relevance has no natural unit: what is much for one topic and scorer is little for another.
    """
    ordered = np.sort(np.array(values, np.float64))
    if len(ordered) < FEWEST_PARTED:
        return 0.0
    below = np.arange(1, len(ordered))
    sums = np.cumsum(ordered)
    low, high = sums[:-1] / below, (sums[-1] - sums[:-1]) / (len(ordered) - below)
    between = below * (len(ordered) - below) * (high - low) ** 2 / len(ordered) ** 2
    best = int(between.argmax())
    clear = between[best] >= CLEARLY * ordered.var() and high[best] >= TIMES * low[best]
    return float(ordered[best + 1]) if clear else 0.0
