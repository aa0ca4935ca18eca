"""How much of what a crawl holds its sites' sitemaps named: the four formulas of M8, from sets and ranks alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Set
from typing import Any

from lycosa.records import Record
from lycosa.urls import site_of


class Coverage(Record, frozen=True):
    """Shares of pages that sitemaps named; None where there are no pages of that kind at all.

    `pages` were crawled, `named` of them are in a sitemap; `unique` counts each content once,
    `indexed` what can be found by search, and `pagerank` weighs pages by their rank.
    """

    pages: int
    named: int
    coverage: float | None
    unique: float | None
    indexed: float | None
    pagerank: float | None

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {name: getattr(self, name) for name in self.__struct_fields__}


def coverage(
    crawled: Set[str],
    in_sitemaps: Set[str],
    unique: Set[str],
    indexed: Set[str],
    ranks: Mapping[str, float],
) -> Coverage:
    """Coverage, UniqueCoverage, IndexCoverage and PageRankCoverage of crawled URLs.

    URLs that were not crawled do not count, wherever they are named; a page without a rank has the rank 0.
    """
    named = in_sitemaps & crawled
    return Coverage(
        len(crawled),
        len(named),
        _share(named, crawled),
        _share(named, unique & crawled),
        _share(named, indexed & crawled),
        _rank_share(named, crawled, ranks),
    )


def _share(named: Set[str], pages: Set[str]) -> float | None:
    return len(named & pages) / len(pages) if pages else None


def _rank_share(named: Set[str], pages: Collection[str], ranks: Mapping[str, float]) -> float | None:
    whole = sum(ranks.get(url, 0.0) for url in sorted(pages))
    return sum(ranks.get(url, 0.0) for url in sorted(named)) / whole if whole > 0 else None


def coverage_by_site(
    crawled: Set[str],
    in_sitemaps: Set[str],
    unique: Set[str],
    indexed: Set[str],
    ranks: Mapping[str, float],
) -> dict[str, Coverage]:
    """The coverage of each site of which something was crawled, in order of their names."""
    sites: defaultdict[str, set[str]] = defaultdict(set)
    for url in crawled:
        sites[site_of(url)].add(url)
    return {site: coverage(sites[site], in_sitemaps, unique, indexed, ranks) for site in sorted(sites)}
