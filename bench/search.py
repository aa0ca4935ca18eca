"""`search`: how long a query takes, beside SQLite's full-text search over the same pages, and what ranking adds.

Then whole requests to the server at 100 000 pages: results with snippets, facets, spelling and the page as HTML,
and suggestions while typing.
"""

from __future__ import annotations

import random
import sqlite3
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from bench import search_requests
from bench.rows import Row, less_is_better
from bench.web_text import vocabulary
from lycosa.configuration.sections import Configuration
from lycosa.indexing.ranking_signals import Known, PageTable
from lycosa.records import Page
from lycosa.search.click_model import Choice
from lycosa.search.index import Document, IndexReader, IndexWriter
from lycosa.search.query import understand
from lycosa.search.ranking import Order, lycosa_ranking, page_key

PAGES = 20_000
WORDS = 300
QUERIES = 400
VOCABULARY = vocabulary(8_000, 1)


def run() -> list[Row]:
    """Median and 99th percentile of two-word queries."""
    chance = random.Random(1)
    weights = [1 / (rank + 10) for rank in range(len(VOCABULARY))]
    texts = [" ".join(chance.choices(VOCABULARY, weights, k=WORDS)) for _ in range(PAGES)]
    queries = [" ".join(chance.choices(VOCABULARY[:2000], k=2)) for _ in range(QUERIES)]
    with tempfile.TemporaryDirectory() as path:
        reader = _indexed(Path(path), texts)
        by_words = partial(_by_words, reader)
        ours = _timed(by_words, queries)
        ranked, plain = _in_turns(_ranked(reader, queries), by_words, queries)
        other = _timed(_sqlite(texts), queries)
    note = "CPU, in turns; first 100 put in order, all pages visited, half of the first ones chosen"
    return [
        *_rows("query", ours, other, "SQLite FTS5", f"{PAGES} pages, two words, ten hits with snippets"),
        *_rows("ranked query", ranked, plain, "by words alone", note),
        *search_requests.rows(),
    ]


def _rows(what: str, ours: list[float], other: list[float], other_name: str, note: str) -> list[Row]:
    last = int(len(ours) * 0.99)
    behind = "only the index; whole requests are measured below"
    return [
        less_is_better(
            "search", f"median {what}", median(ours), median(other), other_name=other_name, unit="ms", note=note
        ),
        less_is_better(
            "search", f"{what}, 99th percentile", ours[last], other[last], other_name=other_name, unit="ms", note=behind
        ),
    ]


def _in_turns(
    first: Callable[[str], object], second: Callable[[str], object], queries: list[str]
) -> tuple[list[float], list[float]]:
    """Both for each query, one after the other, so that both meet the same weather; each is first every other time."""
    for query in queries[:20]:
        first(query), second(query)
    taken: tuple[list[float], list[float]] = ([], [])
    for number, query in enumerate(queries):
        for which in (0, 1) if number % 2 else (1, 0):
            taken[which].extend(_timed((first, second)[which], [query], time.process_time))
    return sorted(taken[0]), sorted(taken[1])


def _ranked(reader: IndexReader, queries: list[str]) -> Callable[[str], object]:
    """Searches with something known of every page, and of half of the results of every query."""
    chance = random.Random(2)
    table = PageTable(
        [
            (page_key(f"http://a.org/{n}"), chance.expovariate(0.02), chance.randrange(500), chance.random(), 20)
            for n in range(PAGES)
        ]
    )
    chosen = {
        query: {page_key(url): Choice(9, 3.0, 0.5) for url in reader.ranking(understand(query), 20)[::2]}
        for query in queries
    }
    known, ranking = Known(table, chosen=chosen), lycosa_ranking(Configuration())
    return lambda query: reader.search(understand(query), 10, 0, Order(ranking, known, query, 1.7e9))


def _timed(
    search: Callable[[str], object], queries: list[str], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    taken = []
    for query in queries:
        began = clock()
        search(query)
        taken.append(1000 * (clock() - began))
    return sorted(taken)


def _indexed(path: Path, texts: list[str]) -> IndexReader:
    writer = IndexWriter(path, 128 * 1024**2)
    for number, text in enumerate(texts):
        writer.add(Document(Page(f"http://a.org/{number}", text[:40], text=text), at=1.7e9))
    writer.commit({0: len(texts)})
    writer.close()
    return IndexReader(path)


def _by_words(reader: IndexReader, query: str) -> object:
    return reader.search(understand(query), 10)


def _sqlite(texts: list[str]) -> Callable[[str], object]:
    base = sqlite3.connect(":memory:")
    base.execute("create virtual table pages using fts5(url unindexed, body, tokenize='porter unicode61')")
    base.executemany("insert into pages values (?, ?)", ((f"http://a.org/{n}", text) for n, text in enumerate(texts)))
    order = (
        "select url, snippet(pages, 1, '<b>', '</b>', '…', 30) from pages where pages match ? "
        "order by bm25(pages) limit 10"
    )
    return lambda query: base.execute(order, (" OR ".join(query.split()),)).fetchall()
