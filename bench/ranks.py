"""`ranks`: PageRank of a million pages and ten million links, its refresh after growth, and the graph that carries it.

Two seeded random webs, in- and out-degrees by power laws: in the first, half of
the known pages were fetched, as in a crawl; in the second all were, the hardest
case. Growth is the fetching of the last hundredth of the pages. All seconds are
seconds of CPU, taken beside each other in one process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bench.rows import Row, less_is_better, missing, more_is_better
from lycosa.link_graph.graph import LinkGraph
from lycosa.link_graph.pagerank import LIVE, SETTLED, PageRanks

PAGES = 1_000_000
LINKS = 10_000_000
RIVAL_PAGES = 100_000
RIVAL_LINKS = 1_000_000
GROWTH = 0.01
PAGES_ADDED = 3000
BAR = {"other_name": "bar", "note": "bar >= 1"}
Ends = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Web:
    """Links by number, sources ascending."""

    pages: int
    sources: Ends
    targets: Ends

    def before_growth(self) -> NDArray[np.bool_]:
        before: NDArray[np.bool_] = self.sources < (1 - GROWTH) * (self.sources[-1] + 1)
        return before


@dataclass(frozen=True, slots=True)
class Found:
    """A rival's ranks, mean 1, and what they took."""

    values: NDArray[np.float64]
    seconds: float


def power_law_web(pages: int, links: int, fetched: float) -> Web:
    """A random web; a page's popularity has nothing to do with its number."""
    chance = np.random.default_rng(2024)
    weights = np.minimum(chance.pareto(1.5, int(pages * fetched)) + 0.3, 600)
    counts = np.maximum(1, weights * (1.06 * links / weights.sum())).astype(np.int64)
    sources = np.repeat(np.arange(len(counts)), counts)
    popular = (pages * chance.random(len(sources)) ** 3).astype(np.int64)
    targets = chance.permutation(pages)[popular]
    distinct = np.unique((sources * pages + targets)[sources != targets])
    return Web(pages, distinct // pages, distinct % pages)


def run() -> list[Row]:
    """All rows of the bench."""
    rows: list[Row] = []
    for name, fetched in (("half fetched", 0.5), ("all fetched", 1.0)):
        web = power_law_web(PAGES, LINKS, fetched)
        graph, filling = _filled(web)
        rows += _rank_rows(name, web, graph)
        rows.append(_rival_row("scipy", _by_scipy, web, graph))
        if name == "half fetched":
            rows += filling
            rows += _graph_rows(graph)
    small = power_law_web(RIVAL_PAGES, RIVAL_LINKS, 0.5)
    return [*rows, _rival_row("networkx", _by_networkx, small, _whole(small))]


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _url(page: int) -> str:
    return f"https://site-{page % 2000}.example.org/section-{page % 97}/page-{page}.html"


def _filled(web: Web) -> tuple[LinkGraph, list[Row]]:
    """The graph before it grows."""
    graph, before = LinkGraph(), web.before_growth()
    graph.numbers(map(_url, range(web.pages)))
    seconds = _seconds(lambda: graph.add_many(web.sources[before], web.targets[before]))
    return graph, [
        more_is_better("ranks", "links added in bulk", graph.links / seconds, 1_000_000, unit="links/s", **BAR)
    ]


def _rank_rows(name: str, web: Web, graph: LinkGraph) -> list[Row]:
    ranks, growth = PageRanks(graph), ~web.before_growth()
    whole = _seconds(ranks.refresh)
    graph.add_many(web.sources[growth], web.targets[growth])
    live = _seconds(ranks.refresh)
    settled = live + _seconds(lambda: ranks.refresh(SETTLED))
    of = f"{graph.links / 1e6:.1f} million links, {name}"
    figures = {"other_name": "whole computation", "unit": "s"}
    return [
        less_is_better("ranks", f"PageRank, {of}", whole, 10, unit="s", **BAR),
        less_is_better("ranks", f"share of a refresh after 1 % growth, {of}", live / whole, 0.2, unit="", **BAR),
        less_is_better(
            "ranks", f"refresh to {LIVE:g}, {of}", live, whole, **figures, note=f"the whole computation to {SETTLED:g}"
        ),
        less_is_better("ranks", f"refresh to {SETTLED:g}, {of}", settled, whole, **figures, note="as exact as anew"),
    ]


def _graph_rows(graph: LinkGraph) -> list[Row]:
    """Memory with names and the way back; the cost of adding a page of 30 links, a sixth of them new."""
    way_back = _seconds(lambda: graph.parents(0))
    per_link = graph.bytes_used / graph.links
    chance = np.random.default_rng(7)
    fetched = [
        (f"https://new.example.org/{page}", [*map(_url, chance.integers(0, PAGES, 25).tolist()), *_new_urls(page)])
        for page in range(PAGES_ADDED)
    ]
    adding = min(_seconds(partial(_add_all, graph, fetched[at::10])) for at in range(10))
    return [
        less_is_better("ranks", "memory per link, URLs included", per_link, 20, unit="bytes", **BAR),
        less_is_better("ranks", "adding a page of 30 links", adding * 1e7 / PAGES_ADDED, 40, unit="µs", **BAR),
        Row("ranks", "sorting all links by target", way_back, None, "", None, "s"),
    ]


def _new_urls(page: int) -> list[str]:
    return [f"https://new.example.org/{page}/{number}" for number in range(5)]


def _add_all(graph: LinkGraph, fetched: list[tuple[str, list[str]]]) -> None:
    for page, targets in fetched:
        graph.add(page, targets)


def _whole(web: Web) -> LinkGraph:
    graph = LinkGraph()
    graph.numbers(map(_url, range(web.pages)))
    graph.add_many(web.sources, web.targets)
    return graph


def _rival_row(name: str, find: Callable[[Web], Found], web: Web, graph: LinkGraph) -> Row:
    """A rival's ranks of a web beside ours of the same web as a graph."""
    try:
        theirs = find(web)
    except ModuleNotFoundError as absent:
        return missing("ranks", name, f"{absent.name} cannot be imported here")
    ranks = PageRanks(graph)
    ours = _seconds(ranks.refresh)
    apart = float(np.abs(theirs.values / ranks.values() - 1).max())
    note = f"both to {SETTLED:g}; no two ranks differ by more than {apart:.0e} of themselves"
    share = 100 * len(np.unique(web.sources)) / web.pages
    metric = f"PageRank, {len(web.sources) / 1e6:.1f} million links, {share:.0f} % fetched"
    return less_is_better("ranks", metric, ours, theirs.seconds, other_name=name, unit="s", note=note)


def _by_networkx(web: Web) -> Found:
    """Its PageRank; the building of its graph is not counted. Its tolerance is per page, in ranks that add up to 1."""
    import networkx
    import scipy  # noqa: F401

    graph = networkx.DiGraph()
    graph.add_nodes_from(range(web.pages))
    graph.add_edges_from(zip(web.sources.tolist(), web.targets.tolist(), strict=True))
    found: dict[int, float] = {}
    tolerance = SETTLED / web.pages
    seconds = _seconds(lambda: found.update(networkx.pagerank(graph, tol=tolerance, max_iter=1000)))
    return Found(np.array([found[page] for page in range(web.pages)]) * web.pages, seconds)


def _by_scipy(web: Web) -> Found:
    """Power iteration until a round changes less than the tolerance; the building of the matrix is counted."""
    from scipy.sparse import csr_matrix

    began = time.process_time()
    counts = np.bincount(web.sources, minlength=web.pages)
    matrix = csr_matrix((0.85 / counts[web.sources], (web.targets, web.sources)), shape=(web.pages, web.pages))
    ending, values, change = counts == 0, np.ones(web.pages), 1.0
    while change > SETTLED:
        after = matrix @ values + 0.15 + 0.85 * values[ending].sum() / web.pages
        change = float(np.abs(after - values).mean())
        values = after
    return Found(values, time.process_time() - began)
