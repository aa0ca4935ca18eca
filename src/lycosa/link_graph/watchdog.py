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
import xxhash

from lycosa.link_graph.passages import Passage
from lycosa.link_graph.treasure_builder import LEVELS, distances_to
from lycosa.link_graph.treasure_graph import Node, TreasureGraph
from lycosa.records import Record

PAGES_REMEMBERED = 1_000
MOST_LEARNT = 3_000
"""Nodes beyond this number: those with the least say make room."""
CHANGES_KEPT = 1_000
FADING = 0.9
"""What is left of earlier experience at each look."""
FEWEST_TRIES = 5.0
"""A node is not blamed before so many of the links it decided were fetched."""
DEAD = 0.1
STEPS = (1.0, 0.5, 0.25, 0.1)
"""The weights that a node may have: small ups and downs are no change worth a line in the log."""

_replace = msgspec.structs.replace


class Change(Record, frozen=True):
    """One change of the T-Graph: `new`, `nearer`, `weighs` or `dead`; `before` is the node as it was, if it was."""

    name: str
    kind: str
    pages: int
    why: str
    node: Node
    before: Node | None = None


class Seen(Record, frozen=True):
    """What is kept of a fetched page."""

    parent: str
    relevant: bool
    passages: dict[Passage, tuple[str, ...]]


class Watchdog:
    """Looks after one T-Graph."""

    def __init__(self, graph: TreasureGraph, levels: int = LEVELS, undone: Collection[str] = ()) -> None:
        self.graph, self._levels = graph, levels
        self.changes: list[Change] = []
        self._pages: dict[str, Seen] = {}
        self._fresh: list[str] = []
        self._decided: dict[str, str] = {}
        self._number = 0
        self.undone = frozenset(undone)

    # -- watching -------------------------------------------------------------------------------

    def saw(self, url: str, seen: Seen, decided_by: str = "") -> None:
        """A page was fetched; `decided_by` is the node that had the say about the link to it."""
        self._number += 1
        self._pages[url] = seen
        self._fresh.append(url)
        if decided_by:
            self._decided[url] = decided_by
        if len(self._pages) > PAGES_REMEMBERED:
            del self._pages[next(iter(self._pages))]

    def look(self) -> list[Change]:
        """Fold in what was seen since the last look. Returns the changes, which are made and logged."""
        links = {url: [to for urls in seen.passages.values() for to in urls] for url, seen in self._pages.items()}
        far = distances_to([url for url, seen in self._pages.items() if seen.relevant], links)
        made = [*self._judged(far), *self._learnt(far), *self._crowded_out()]
        self._fresh, self._decided = [], {}
        self.changes = [*self.changes, *made][-CHANGES_KEPT:]
        return made

    def _judged(self, far: Mapping[str, int]) -> list[Change]:
        """What the nodes that had the say promised, and whether they kept it."""
        tries: dict[str, list[bool]] = {}
        for url, key in self._decided.items():
            node = self.graph.nodes.get(key)
            if node is not None:
                tries.setdefault(key, []).append(far.get(url, self._levels + 1) <= max(0, node.distance - 1))
        number = sum(map(len, tries.values()))
        usual = sum(map(sum, tries.values())) / number if number else 0.0
        return [change for key, kept in tries.items() if (change := self._weighed(key, kept, usual)) is not None]

    def _weighed(self, key: str, kept: Sequence[bool], usual: float) -> Change | None:
        """A node after some more tries; its weight is how often it is right, beside what is usual now."""
        node = self.graph.nodes[key]
        tried, led = node.tried * FADING + len(kept), node.led * FADING + sum(kept)
        after = _replace(node, tried=tried, led=led)
        self.graph.put([after])
        if tried < FEWEST_TRIES:
            return None
        right = led / tried / max(usual, 1.0 / tried)
        weight = next((step for step in STEPS if right >= step), 0.0)
        why = f"{led:.1f} of {tried:.1f} links it decided led on as promised, {usual:.0%} is usual"
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
            if seen is None or not seen.relevant:
                continue
            for distance in range(1, self._levels + 1):
                parent = self._pages.get(seen.parent)
                if parent is None or (distance > 1 and seen.relevant):
                    break
                made += self._paved(seen.parent, parent, url, distance)
                url, seen = seen.parent, parent
        return made

    def _paved(self, page: str, seen: Seen, url: str, distance: int) -> list[Change]:
        """The passages of a page that hold a link which led on."""
        made = []
        for passage, urls in seen.passages.items():
            if url not in urls:
                continue
            node = Node(page, passage, urls, 0 if seen.relevant else distance)
            known = self.graph.nodes.get(node.key)
            why = f"a link in it led to {url}, {distance - 1} links from a target"
            if known is None:
                made.append(self._change("new", node, why))
            elif known.distance > node.distance:
                made.append(self._change("nearer", _replace(known, distance=node.distance), why, known))
        return [change for change in made if change is not None]

    def _crowded_out(self) -> list[Change]:
        """Nodes that make room, those with the least say first."""
        surplus = len(self.graph) - MOST_LEARNT
        if surplus <= 0:
            return []
        least = sorted(self.graph.nodes.values(), key=lambda node: (node.weight, node.led, -node.distance))[:surplus]
        made = [self._change("dead", node, f"there is room for {MOST_LEARNT} nodes", node) for node in least]
        return [change for change in made if change is not None]

    # -- changing -------------------------------------------------------------------------------

    def _change(self, kind: str, node: Node, why: str, before: Node | None = None) -> Change | None:
        """Make a change, unless it was undone before."""
        told = f"{kind}/{node.key}" + {"nearer": f"/{node.distance}", "weighs": f"/{node.weight}"}.get(kind, "")
        name = xxhash.xxh3_64_hexdigest(told.encode())[:8]
        if name in self.undone:
            return None
        if kind == "dead":
            self.graph.remove([node.key])
        else:
            self.graph.put([node])
        return Change(name, kind, self._number, why, node, before)

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
