"""The graph of what was crawled, and what each page in it is worth by some measure, kept up to date cheaply.

A measure such as PageRank is worked out anew when the graph has grown enough. In
between, what a page that was just fetched hands on to its links is added to their
worth at once, so that links are ordered from the first page on. The graph holds a
bounded number of pages: beyond it, pages never met are not taken in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lycosa.link_graph.graph import LinkGraph
from lycosa.link_graph.growing_arrays import Growing
from lycosa.link_graph.pagerank import DAMPING, PageRanks
from lycosa.records import Page, urls_of
from lycosa.scoring.known_parents import MOST_REMEMBERED

GROWTH = 0.02
FEWEST_PAGES = 50
"""The measure is taken again after so many more pages, or so large a part of them, whichever is more.
A young graph is measured whenever it has doubled."""
MOST_REVISED = 5_000
"""Links of which a refresh changes the judgement; the rest comes with the next refreshes."""
UNCHANGED = 1e-6


class Measure(Protocol):
    """What pages are worth in a graph."""

    least: float
    """The worth of a page that nobody is known to link to."""

    def refresh(self) -> NDArray[np.float64]:
        """The worth of every page of the graph."""

    def share(self, page: float, links: Sequence[float]) -> float:
        """What a page of this worth adds to each of its links, which have these worths without it."""


class CrawledGraph:
    """Pages, links and worths."""

    def __init__(self, measure_of: Callable[[LinkGraph], Measure], most: int = MOST_REMEMBERED) -> None:
        self._graph = LinkGraph(most=most)
        self._measure = measure_of(self._graph)
        self._worths, self._told = Growing(np.float64), Growing(np.float64)
        self._pages = self._refreshed_at = 0
        self._largest = self._measure.least

    @property
    def largest(self) -> float:
        """The largest worth there is."""
        return self._largest

    def worth(self, url: str) -> float:
        """What a page is worth as of now."""
        number = self._graph.number(url)
        return self._measure.least if number is None else float(self._worths.room[number])

    def parents(self, url: str) -> int:
        """How many crawled pages link to a page."""
        number = self._graph.number(url)
        return 0 if number is None else self._graph.in_degree(number)

    def is_fetched(self, url: str) -> bool:
        """Whether a page's own links are known."""
        number = self._graph.number(url)
        return number is not None and self._graph.fetched(number)

    def with_page(self, page: str, links: Sequence[str]) -> list[float]:
        """What a page's links will be worth once it is taken in; nothing is added where it is in already."""
        worths = [self.worth(url) for url in links]
        if not worths or self.is_fetched(page):
            return worths
        share = self._measure.share(self.worth(page), worths)
        return [worth + share for worth in worths]

    def take_in(self, page: Page) -> None:
        """A page was fetched: its links are in the graph, and what it hands on is in their worths."""
        again = self.is_fetched(page.url)
        number = self._graph.add(page.url, urls_of(page.links))
        self._lengthen()
        if number is None or again:
            return
        self._pages += 1
        targets = self._graph.successors(number)
        worths: list[float] = self._worths.filled[targets].tolist()
        if worths:
            self._worths.filled[targets] += self._measure.share(float(self._worths.filled[number]), worths)
            self._told.filled[targets] = self._worths.filled[targets]
            self._largest = max(self._largest, float(self._worths.filled[targets].max()))

    def _lengthen(self) -> None:
        known, size = len(self._worths), len(self._graph)
        if size > known:
            self._worths.lengthen(size)
            self._told.lengthen(size)
            self._worths.filled[known:] = self._measure.least

    @property
    def is_due(self) -> bool:
        """Whether the graph has grown enough to measure it again."""
        last = self._refreshed_at
        return self._pages - last >= max(1, min(FEWEST_PAGES, last), GROWTH * last)

    def refresh(self, gate: float | None = None, most: int = MOST_REVISED) -> list[str]:
        """Measure the graph again. Returns the waiting pages whose worth has changed most.

        Those that have come to the other side of the gate go before all others.
        """
        self._refreshed_at = self._pages
        worths, told = self._measure.refresh(), self._told.filled
        self._worths.filled[:] = worths
        self._largest = float(worths.max(initial=self._measure.least))
        change = np.abs(worths - told)
        if gate is not None:
            change[(worths >= gate) != (told >= gate)] += self._largest
        change[self._graph.out_degrees > 0] = 0.0
        chosen = np.flatnonzero(change > UNCHANGED)
        if len(chosen) > most:
            chosen = np.sort(chosen[np.argpartition(change[chosen], -most)[-most:]])
        told[chosen] = worths[chosen]
        return [self._graph.name(number) for number in chosen.tolist()]


class PageRankMeasure:
    """A page hands the damped part of its rank on, in equal parts."""

    least = 1.0 - DAMPING

    def __init__(self, graph: LinkGraph) -> None:
        self._ranks = PageRanks(graph, DAMPING)

    def refresh(self) -> NDArray[np.float64]:
        """Raw ranks, from where the last refresh left them."""
        self._ranks.refresh()
        values = self._ranks.values()
        return values * (self._ranks.raw(0) / self._ranks.value(0)) if len(values) else values

    def share(self, page: float, links: Sequence[float]) -> float:
        """d · PR / links."""
        return DAMPING * page / len(links)
