"""`treasure`: what steering by a T-Graph of 10 000 nodes costs, in a crawl and by itself.

Beside best-first in whole crawls of the bench's web (CPU a page), and beside the
formulas word by word: every link with every node. LYCOSA_BENCH_PAGES sets the size of
the web, as for `crawl`.
"""

from __future__ import annotations

import math
import time
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.crawl import cost_beside, size
from bench.rows import Row, less_is_better, more_is_better
from bench.web_pages import WebPages
from lycosa.crawl_folder.t_graph_files import GraphFile, write_graph
from lycosa.link_graph.t_graph.graph import Node, TreasureGraph
from lycosa.link_graph.t_graph.passages import Passage, passage_of
from lycosa.pages.document import read_page
from lycosa.records import Fetched, Link, Page, Response
from lycosa.text import term_counts

NODES = 10_000
LEVELS = 4
MOST = 1.5
"""How many times as much CPU a page as best-first it may need."""
ASKED = 40
"""Pages whose links are judged; every link with every node by brute force takes hours, so that does a few."""
BY_FORCE = 2


def run() -> list[Row]:
    """All rows of the bench."""
    pages = [_page(number) for number in range(1_000)]
    nodes = _nodes(pages)
    with TemporaryDirectory() as path:
        file = Path(path) / "graph.json"
        targets = tuple(node.page for node in nodes if not node.distance)
        write_graph(GraphFile(targets, tuple(nodes)), file)
        rows = cost_beside("treasure", "treasure", [f"treasure.graph={file}"], size(), most=MOST)
    return [*rows, _without_start_up(rows[0], nodes, size()), *_judging(TreasureGraph(nodes), nodes, pages[-ASKED:])]


def _page(number: int) -> Page:
    """A page of the web that crawls of the bench fetch."""
    web = _WEB
    body = web.html(number).encode()
    link = Link(web.url(number))
    response = Response(link.url, 200, (("Content-Type", "text/html; charset=utf-8"),), body, body)
    return read_page(Fetched(link, response))


_WEB = WebPages(3_000, 200, 18_080)


def _nodes(pages: list[Page]) -> list[Node]:
    """Ten thousand different passages of these pages, spread over the levels."""
    passages = dict.fromkeys(passage_of(link) for page in pages for link in page.links)
    found = [
        Node(f"http://node.test/{at}", passage, (), at % LEVELS) for at, passage in enumerate(islice(passages, NODES))
    ]
    if len(found) < NODES:
        raise RuntimeError(f"only {len(found)} different passages; read more pages")
    return found


def _without_start_up(whole: Row, nodes: list[Node], pages: int) -> Row:
    """The same cost less what the T-Graph needs once, before the first link is judged."""
    kept, spent = TreasureGraph(nodes).encoded(), []
    for _ in range(3):
        begin = time.process_time()
        TreasureGraph.decoded(kept).strongest([nodes[0].passage])
        spent.append(time.process_time() - begin)
    once = min(spent)
    assert whole.ours is not None
    assert whole.other is not None
    return less_is_better("treasure", f"CPU a page once the T-Graph is ready, at most {MOST:g} x best-first",
                          whole.ours - 1e6 * once / pages, MOST * whole.other, other_name="bar", unit="µs",
                          note=f"bar >= 1; reading the graph and building its index takes {once:.2f} s")  # fmt: skip


def _judging(graph: TreasureGraph, nodes: list[Node], pages: list[Page]) -> list[Row]:
    asked = [[passage_of(link) for link in page.links] for page in pages]
    graph.strongest(asked[0])
    links, passages = sum(map(len, asked)), sum(len(set(each)) for each in asked)
    begin = time.process_time()
    for each in asked:
        graph.strongest(each)
    strongest = time.process_time() - begin
    begin = time.process_time()
    verdicts = [verdict for each in asked for verdict in graph.judge(each)]
    first = time.process_time() - begin
    few = list(dict.fromkeys(asked[0]))[:BY_FORCE]
    begin = time.process_time()
    by_force = [_priority(passage, nodes) for passage in few]
    forced = (time.process_time() - begin) / BY_FORCE
    if by_force != [1 / verdict.level if verdict.level else 0.0 for verdict in graph.judge(few)]:
        raise RuntimeError("the graph and brute force disagree")
    shares = {level: sum(verdict.level == level for verdict in verdicts) / len(verdicts) for level in range(LEVELS)}
    note = ", ".join(f"level {level or 'none'} {share:.0%}" for level, share in shares.items())
    return [
        more_is_better("treasure", "passages judged, first level that counts", passages / first, 1 / forced,
                       other_name="brute force", unit="1/s", note=f"{links / first:,.0f} links/s; {note}"),
        more_is_better("treasure", "passages judged, strongest say", passages / strongest, 1 / forced,
                       other_name="brute force", unit="1/s", note=f"{links / strongest:,.0f} links/s, {NODES} nodes"),
    ]  # fmt: skip


def _priority(passage: Passage, nodes: list[Node]) -> float:
    """The paper's priority, every node compared."""
    counting = [node.level for node in nodes if _osm(passage, node.passage) >= 0.05 - 1e-12]
    return 1 / min(counting) if counting else 0.0


def _osm(one: Passage, other: Passage) -> float:
    return sum(_cosine(a, b) for a, b in zip(one.parts, other.parts, strict=True)) / 4


def _cosine(one: str, other: str) -> float:
    a, b = term_counts(one), term_counts(other)
    lengths = math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    return sum(number * b.get(term, 0) for term, number in a.items()) / lengths if lengths else 0.0
