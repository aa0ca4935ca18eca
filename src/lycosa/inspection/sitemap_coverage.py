"""How much of what a crawl holds its sites' sitemaps named: the four formulas of M8.

The formulas need sets and ranks alone; for a crawl these come from its catalogue, and the
sitemaps are read again from its archive.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.reading_apart import LONG, read_apart
from lycosa.crawl_folder.stores import reading
from lycosa.fetching.content_coding import BadCoding, TooLarge, codings, decode
from lycosa.fetching.sitemaps import LARGEST, read_sitemap
from lycosa.link_graph.graph import LinkGraph
from lycosa.link_graph.pagerank import PageRanks
from lycosa.records import Record
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import ArchiveDamaged, Place, read
from lycosa.storage.catalogue import DUPLICATE, VisitRow
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


@read_apart(LONG)
def crawl_coverage(folder: CrawlFolder) -> dict[str, Coverage]:
    """The coverage of each site of a crawl."""
    with reading(folder) as stores:
        rows = [row for store in stores for _, row in catalogue.history(store)]
        ranks = _page_ranks(stores)
    pages = {row.url: row for row in rows if row.outcome == "fetched"}
    unique = {url for url, row in pages.items() if not row.duplicate_of}
    unique -= {row.url for row in rows if row.outcome == DUPLICATE}
    found = {url for url in unique if not pages[url].kept_out}
    named = {url for row in rows if row.outcome == "sitemap" for url in _named(folder, row)}
    return coverage_by_site(pages.keys(), named, unique, found, ranks)


def _named(folder: CrawlFolder, row: VisitRow) -> list[str]:
    """The pages that an archived sitemap names; none where it cannot be read any more."""
    try:
        _, response = read(folder.archive, Place(row.file, row.offset, row.size))
        body, _ = decode(response.raw, codings(response.header("content-encoding")), LARGEST)
    except (ArchiveDamaged, BadCoding, TooLarge):
        return []
    vouched = {site_of(row.parent)} if row.parent else set()
    found = read_sitemap(row.url, [body], row.at, vouched=vouched)
    return [entry.url for entry in found.entries if not entry.is_sitemap]


def _page_ranks(stores: Sequence[AgentStore]) -> dict[str, float]:
    """PageRank in the crawled graph."""
    graph = LinkGraph()
    targets: defaultdict[str, list[str]] = defaultdict(list)
    for store in stores:
        for link in catalogue.link_rows(store):
            targets[link["parent"]].append(link["url"])
    for page, linked in targets.items():
        graph.add(page, linked)
    if not targets:
        return {}
    ranks = PageRanks(graph)
    ranks.refresh()
    return {page: ranks.value(number) for page in targets if (number := graph.number(page)) is not None}
