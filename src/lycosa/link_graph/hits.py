"""HITS: good hubs link to good authorities, and good authorities are linked from good hubs.

A baseline to compare strategies with. It works on a whole graph or on some of its
pages and the links among them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lycosa.link_graph.graph import LinkGraph

EXACT = 1e-8
MOST_ROUNDS = 1000


@dataclass(frozen=True, slots=True)
class Hits:
    """Hubs and authorities, each of length 1 as a vector (or all 0 where there are no links), for `pages` in order."""

    pages: NDArray[np.int64]
    hubs: NDArray[np.float64]
    authorities: NDArray[np.float64]
    rounds: int
    is_exact: bool


def hits(
    graph: LinkGraph, pages: Iterable[int] | None = None, *, exact: float = EXACT, most: int = MOST_ROUNDS
) -> Hits:
    """Hubs and authorities to within `exact`, or as far as `most` rounds go; then `is_exact` says no."""
    chosen = np.arange(len(graph)) if pages is None else np.unique(np.fromiter(pages, np.int64))
    sources, targets = _links_among(graph, chosen)
    hubs = _unit(np.ones(len(chosen)))
    authorities = np.zeros(len(chosen))
    before, rounds, is_exact = 0.0, 0, False
    while rounds < most and not is_exact:
        rounds += 1
        authorities = _unit(_sums(targets, hubs[sources], len(chosen)))
        better = _unit(_sums(sources, authorities[targets], len(chosen)))
        change = float(np.linalg.norm(better - hubs))
        is_exact = _distance(change, before) <= exact / 2
        hubs, before = better, change
    return Hits(chosen, hubs, authorities, rounds, is_exact)


def _distance(change: float, before: float) -> float:
    """How far the limit is, if every round comes closer by the same factor as this one did."""
    if change >= before:
        return np.inf if change else 0.0
    return max(change, change * change / (before - change))


def _sums(places: NDArray[np.int64], values: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    sums: NDArray[np.float64] = np.bincount(places, values, size).astype(np.float64, copy=False)
    return sums


def _links_among(graph: LinkGraph, chosen: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The links that stay among the chosen pages, by place in `chosen`."""
    if len(chosen) and not 0 <= chosen[0] <= chosen[-1] < len(graph):
        raise IndexError(f"a chosen page is not in the graph, which has {len(graph)}")
    place = np.full(len(graph), -1, np.int64)
    place[chosen] = np.arange(len(chosen))
    sources, targets = (place[end] for end in graph.edges())
    inside = (sources >= 0) & (targets >= 0)
    return sources[inside], targets[inside]


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
