"""HITS order: the best authority of the crawled graph goes first."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lycosa.configuration.sections import Configuration
from lycosa.link_graph.graph import LinkGraph
from lycosa.link_graph.hits import hits
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.scoring.baselines.graph_order import GraphOrderLinkScorer
from lycosa.scoring.crawled_graph import CrawledGraph

EXACT_ENOUGH = 1e-4
"""Finer than the order of links can tell."""
MOST_ROUNDS = 50


class AuthorityMeasure:
    """Authority as a part of the largest there is; nobody has less than off-topic links have.

    At the limit of HITS, hubs h and authorities a of a graph A hold A·a = σ·h and Aᵀ·h = σ·a: a page
    whose links have the authorities a adds Σa/σ² to each of them.
    """

    least = OFF_TOPIC

    def __init__(self, graph: LinkGraph) -> None:
        self._graph = graph
        self._squared = math.inf

    def refresh(self) -> NDArray[np.float64]:
        """Hubs and authorities of the whole graph."""
        found = hits(self._graph, exact=EXACT_ENOUGH, most=MOST_ROUNDS)
        together, largest = float(found.authorities.sum()), float(found.authorities.max(initial=0.0))
        if not together:
            return np.full(len(self._graph), self.least)
        self._squared = (float(found.hubs @ self._graph.out_degrees) / together) ** 2
        return np.maximum(found.authorities / largest, self.least)

    def share(self, page: float, links: Sequence[float]) -> float:
        """Nothing before the first refresh: then there are no hubs yet."""
        return math.fsum(links) / self._squared


def hits_link_scorer(configuration: Configuration, topic: Topic) -> GraphOrderLinkScorer:
    """The link scorer of the strategy `hits`."""
    return GraphOrderLinkScorer(CrawledGraph(AuthorityMeasure), "{:.3f} of the best authority known".format)
