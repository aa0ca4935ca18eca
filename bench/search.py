"""`search`: how long a query takes, beside SQLite's full-text search over the same pages."""

from __future__ import annotations

import random
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.rows import Row, less_is_better
from bench.web_text import vocabulary
from lycosa.records import Page
from lycosa.search.index import Document, IndexReader, IndexWriter
from lycosa.search.query import understand

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
        ours = _timed(_ours(Path(path), texts), queries)
        other = _timed(_sqlite(texts), queries)
    return [
        less_is_better("search", name, ours[place], other[place], other_name="SQLite FTS5", unit="ms", note=note)
        for name, place, note in (
            ("median query", len(ours) // 2, f"{PAGES} pages, two words, ten hits with snippets"),
            ("99th percentile", int(len(ours) * 0.99), "bar of the product: 50 ms at 100 000 pages"),
        )
    ]


def _timed(search: Callable[[str], object], queries: list[str]) -> list[float]:
    taken = []
    for query in queries:
        began = time.perf_counter()
        search(query)
        taken.append(1000 * (time.perf_counter() - began))
    return sorted(taken)


def _ours(path: Path, texts: list[str]) -> Callable[[str], object]:
    writer = IndexWriter(path, 128 * 1024**2)
    for number, text in enumerate(texts):
        writer.add(Document(Page(f"http://a.org/{number}", text[:40], text=text), at=1.7e9))
    writer.commit({0: len(texts)})
    writer.close()
    reader = IndexReader(path)
    return lambda query: reader.search(understand(query), 10)


def _sqlite(texts: list[str]) -> Callable[[str], object]:
    base = sqlite3.connect(":memory:")
    base.execute("create virtual table pages using fts5(url unindexed, body, tokenize='porter unicode61')")
    base.executemany("insert into pages values (?, ?)", ((f"http://a.org/{n}", text) for n, text in enumerate(texts)))
    order = (
        "select url, snippet(pages, 1, '<b>', '</b>', '…', 30) from pages where pages match ? "
        "order by bm25(pages) limit 10"
    )
    return lambda query: base.execute(order, (" OR ".join(query.split()),)).fetchall()
