"""PageRank of a graph that grows while it is being ranked.

`raw = (1-d) + d·Σ raw(parent)/links(parent)` is solved exactly as printed, so a
page without parents has 0.15; what pages without links hold is lost. Spreading
that loss evenly over all pages multiplies every rank by the same number (the
equations are linear and the share is the same for all), so `value` is `raw`
divided by its mean: one computation, two readings.

Instead of adding up all links again and again, the computation keeps what each
page has received and not yet passed on (its *pending* rank), and only pages where
that matters pass it on. When the graph grows, only the pages that changed have
something pending: that is why a refresh is cheap. Pages pass on block after block,
later blocks passing on what earlier ones just gave them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lycosa.link_graph.graph import LinkGraph, places_of
from lycosa.link_graph.page_numbers import Numbers

Ranks: TypeAlias = NDArray[np.float64]

DAMPING = 0.85
SETTLED = 1e-8
"""No page has more than this share of its rank pending: the first computation, and small graphs always."""
LIVE = 3e-3
"""The same for a refresh while crawling: every rank is then right to about one percent, the mean one to 0.1."""
SMALL = 100_000
"""Graphs with fewer links are settled within milliseconds, so they always are."""
MOST_ROUNDS = 1000
_BLOCKS = 32
_SMALLEST_BLOCK = 65_536
_LARGEST_BLOCK = 1_000_000
_URGENT = 0.5
"""In a round only pages take part that pass on at least this share of the mean per link."""
_WIDESPREAD = 0.3
"""Where more than this share of the linking pages has too much pending, the ranks are levelled first."""


class PageRanks:
    """The ranks of a graph's pages as of the last refresh."""

    def __init__(self, graph: LinkGraph, damping: float = DAMPING) -> None:
        if not 0 < damping < 1:
            raise ValueError(f"the damping factor lies between 0 and 1, not at {damping}")
        self._graph = graph
        self._damping = damping
        self._passed: Ranks = np.zeros(0)
        self._pending: Ranks = np.zeros(0)
        self._starts: NDArray[np.int64] = np.zeros(0, np.int64)
        self._counts: Numbers = np.zeros(0, np.int32)
        self._linking = 0
        self._clearings = graph.clearings
        self._mean = 1.0
        self.links_followed = 0

    def refresh(self, tolerance: float | None = None) -> None:
        """Bring the ranks up to date: no page has more than this share of its rank pending.

        Without a tolerance that is SETTLED for a first computation and for small graphs, else LIVE.
        """
        if tolerance is None:
            tolerance = LIVE if len(self._passed) and self._graph.links >= SMALL else SETTLED
        self._take_in_growth()
        for _ in range(MOST_ROUNDS):
            if not self._round(tolerance):
                break
        self._mean = float(np.mean(self._passed + self._pending)) if len(self._passed) else 1.0

    def value(self, number: int) -> float:
        """The rank of a page, loss spread evenly: the mean of all is 1. A page met since the refresh has the least."""
        return self.raw(number) / self._mean

    def raw(self, number: int) -> float:
        """The rank by the formula as printed: a page without parents has 1-d."""
        if 0 <= number < len(self._passed):
            return float(self._passed[number] + self._pending[number])
        return 1.0 - self._damping

    def values(self) -> Ranks:
        """The values of all pages known at the refresh."""
        return (self._passed + self._pending) / self._mean

    @property
    def unsettled(self) -> float:
        """The largest share of its rank that a page has pending."""
        share = np.abs(self._pending) / (np.abs(self._passed) + 1.0 - self._damping)
        return float(share.max(initial=0.0, where=self._counts > 0))

    def why(self, number: int, most: int = 3) -> str:
        """What a page's rank is made of."""
        parents = self._graph.parents(number)
        text = f"rank {self.value(number):.2f}"
        if not len(parents):
            return f"{text}, the least there is: no known page links here"
        shares = self._damping * self._raw_of(parents) / self._graph.out_degrees[parents] / self._mean
        largest = np.lexsort((parents, -shares))[:most]
        told = ", ".join(f"{self._called(int(parents[place]))} ({shares[place]:.2f})" for place in largest)
        return f"{text} from {len(parents)} page{'s' if len(parents) > 1 else ''}, most from {told}"

    def _called(self, number: int) -> str:
        return self._graph.name(number) or f"page {number}"

    def _raw_of(self, numbers: Numbers) -> Ranks:
        raw = np.full(len(numbers), 1.0 - self._damping)
        ranked = numbers < len(self._passed)
        raw[ranked] = self._passed[numbers[ranked]] + self._pending[numbers[ranked]]
        return raw

    def _take_in_growth(self) -> None:
        """New pages begin with what everybody has; pages with other links than before take back and give anew."""
        graph, known, own = self._graph, len(self._passed), 1.0 - self._damping
        self._passed = np.concatenate((self._passed, np.zeros(len(graph) - known)))
        if graph.clearings != self._clearings:
            moved = np.arange(0)
            self._pending = own - self._passed
            given = np.flatnonzero(graph.out_degrees)
        else:
            self._pending = np.concatenate((self._pending, np.full(len(graph) - known, own)))
            moved = given = self._moved(known)
        self._give(moved, -self._passed[moved])
        self._starts, self._counts = graph.starts.copy(), graph.out_degrees.copy()
        self._linking = int(np.count_nonzero(self._counts))
        self._clearings = graph.clearings
        self._give(given, self._passed[given])

    def _moved(self, known: int) -> NDArray[np.int64]:
        """Pages known before whose links are not what they were."""
        changed = self._starts != self._graph.starts[:known]
        changed |= self._counts != self._graph.out_degrees[:known]
        return np.flatnonzero(changed)

    def _round(self, tolerance: float) -> bool:
        """Let the pages with the most pending pass it on; whether there were any with too much."""
        pages = self._with_too_much(tolerance)
        if len(pages) > _WIDESPREAD * self._linking:
            self._level()
            pages = self._with_too_much(tolerance)
        if not len(pages):
            return False
        amounts, counts = np.abs(self._pending[pages]), self._counts[pages]
        mean = float(amounts.sum() / counts.sum(dtype=np.int64))
        urgent = amounts >= _URGENT * mean * counts
        pages = pages[urgent]
        for part in _blocks_of(counts[urgent]):
            self._pass_on(pages[part])
        return True

    def _with_too_much(self, tolerance: float) -> NDArray[np.intp]:
        allowed = np.maximum(self._passed, 1.0 - self._damping)
        allowed *= tolerance
        too_much = np.abs(self._pending) > allowed
        too_much &= self._counts > 0
        return np.flatnonzero(too_much)

    def _pass_on(self, pages: NDArray[np.int64]) -> None:
        amounts = self._pending[pages]
        self._passed[pages] += amounts
        self._pending[pages] = 0.0
        self._give(pages, amounts)

    def _give(self, pages: NDArray[np.int64], amounts: Ranks) -> None:
        """Each page gives the damped amount to those it links to, in equal parts."""
        for begin in range(0, len(pages), _LARGEST_BLOCK):
            some = pages[begin : begin + _LARGEST_BLOCK]
            counts = self._counts[some]
            parts = amounts[begin : begin + _LARGEST_BLOCK] * self._damping / np.maximum(counts, 1)
            targets = self._graph.store[places_of(self._starts[some], counts)]
            np.add.at(self._pending, targets.astype(np.intp), np.repeat(parts, counts))
            self.links_followed += len(targets)

    def _level(self) -> None:
        """Multiply all ranks so that what is pending adds up to nothing; pages without links keep theirs.

        This settles at once what all pages have too little or too much in common.
        """
        ending = self._counts == 0
        np.add(self._passed, self._pending, out=self._passed, where=ending)
        self._pending[ending] = 0.0
        own = 1.0 - self._damping
        total, most = float(self._pending.sum()), own * len(self._pending)
        if abs(total) < most / 2:
            more = total / (most - total)
            self._passed *= 1.0 + more
            self._pending *= 1.0 + more
            self._pending -= more * own


def _blocks_of(counts: Numbers) -> list[slice]:
    """Runs of pages with about the same number of links."""
    ends = np.cumsum(counts, dtype=np.int64)
    links = int(ends[-1]) if len(ends) else 0
    number = max(1, min(_BLOCKS, links // _SMALLEST_BLOCK), links // _LARGEST_BLOCK)
    cuts = np.searchsorted(ends, np.arange(1, number) * (links / number))
    return [slice(begin, end) for begin, end in pairwise((0, *np.unique(cuts).tolist(), len(ends)))]
