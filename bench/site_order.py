"""`site-order`: 10 000 sites with 5 million sitemap links put in order, beside counting every site anew each time."""

from __future__ import annotations

import time

import numpy as np

from bench.rows import Row, less_is_better
from lycosa.frontier.site_priority import Numbers, ordered_numbers

SITES, LINKS, SHARED = 10_000, 5_000_000, 0.3
BAR = 20.0
FEW_SITES, FEW_LINKS = 300, 60_000


def run() -> list[Row]:
    """CPU seconds at full size against the bar, and at a small size against the definition."""
    ours = _seconds(_sitemaps(SITES, LINKS), ordered_numbers)
    few = _sitemaps(FEW_SITES, FEW_LINKS)
    note = f"{FEW_SITES} sites, {FEW_LINKS} links"
    return [
        less_is_better("site-order", "seconds", ours, BAR, other_name="bar", unit="s", note="bar >= 1"),
        less_is_better(
            "site-order", "seconds, few sites", _seconds(few, ordered_numbers), _seconds(few, _plainly),
            other_name="counted anew", unit="s", note=note,
        ),
    ]  # fmt: skip


def _sitemaps(sites: int, links: int) -> dict[str, Numbers]:
    """Sites of Zipf-like sizes; a part of their links is known to others too."""
    chance = np.random.default_rng(1)
    sizes = chance.pareto(1.2, sites) + 1
    sizes = np.maximum(1, (sizes / sizes.sum() * links)).astype(int)
    found = {}
    for site, size in enumerate(sizes.tolist()):
        own = chance.integers(0, 2**63, int(size * (1 - SHARED)) + 1, dtype=np.uint64)
        common = chance.integers(0, links // 4, int(size * SHARED) + 1, dtype=np.uint64)
        found[f"site-{site:05}"] = np.unique(np.concatenate([own, common]))
    return found


def _plainly(sitemaps: dict[str, Numbers]) -> list[str]:
    left = {site: set(part.tolist()) for site, part in sitemaps.items()}
    order = []
    while left:
        best = min(left, key=lambda site: (-len(left[site]), site))
        new = left.pop(best)
        order.append(best)
        for links in left.values():
            links -= new
    return order


def _seconds(sitemaps: dict[str, Numbers], order: object) -> float:
    assert callable(order)
    began = time.process_time()
    order(sitemaps)
    return time.process_time() - began
