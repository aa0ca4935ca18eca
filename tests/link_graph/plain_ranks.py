"""The formulas done the slow and obvious way, to compare with."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

from lycosa.link_graph.graph import LinkGraph

Links = Mapping[str, Sequence[str]]


def all_pages(links: Links) -> list[str]:
    return list(dict.fromkeys([*links, *(target for targets in links.values() for target in targets)]))


def plain_ranks(links: Links, damping: float = 0.85, unlinked: Iterable[str] = ()) -> dict[str, float]:
    """PageRank by plain power iteration, the rank of pages without links spread evenly."""
    pages = list(dict.fromkeys([*all_pages(links), *unlinked]))
    out = {page: {target for target in links.get(page, ()) if target != page} for page in pages}
    ranks = dict.fromkeys(pages, 1.0)
    for _ in range(200):
        lost = sum(ranks[page] for page in pages if not out[page])
        after = dict.fromkeys(pages, 1 - damping + damping * lost / len(pages))
        for page in pages:
            for target in out[page]:
                after[target] += damping * ranks[page] / len(out[page])
        ranks = after
    return ranks


def graph_of(links: Links) -> LinkGraph:
    graph = LinkGraph()
    for page, targets in links.items():
        graph.add(page, targets)
    return graph


def random_web(seed: int, pages: int, fetched: int, most_links: int = 12) -> dict[str, list[str]]:
    """Pages with random links, most of them to the same few pages."""
    chance = random.Random(seed)
    return {
        f"http://a.org/{page}": [
            f"http://a.org/{int(pages * chance.random() ** 3)}" for _ in range(chance.randrange(most_links))
        ]
        for page in chance.sample(range(pages), fetched)
    }
