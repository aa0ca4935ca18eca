"""PageRank order: the page with the highest rank in the crawled graph goes first.

Ranks are raw ones (N3): a page without parents has 0.15. They do not shrink or grow
as a whole when the graph grows, so links that are not looked at again stay in order.
"""

from __future__ import annotations

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import Topic
from lycosa.scoring.baselines.graph_order import GraphOrderLinkScorer
from lycosa.scoring.crawled_graph import CrawledGraph, PageRankMeasure


def pagerank_link_scorer(configuration: Configuration, topic: Topic) -> GraphOrderLinkScorer:
    """The link scorer of the strategy `pagerank`."""
    return GraphOrderLinkScorer(CrawledGraph(PageRankMeasure), "rank {:.3f} in the crawled graph".format)
