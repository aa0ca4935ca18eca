"""Whole requests to the search page and to its suggestions at 100 000 pages, without a network in between.

A request is taken three times and its best time counts; the bars are for the time of the
processor, as others use the machine too. The index is opened and its words are read before.
Queries are of all kinds: frequent and rare words, phrases, misspelt words, filters, orders,
later pages.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode

import numpy as np

from bench.rows import Row, less_is_better
from bench.web_text import Prose, vocabulary
from lycosa.configuration.settings import build
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.interface.server.app import web_app
from lycosa.records import Page
from lycosa.search.index import Document, IndexWriter

PAGES, WORDS, QUERIES, TURNS = 100_000, 120, 400, 3
PAGE_BAR, SUGGESTION_BAR = 50.0, 20.0
VOCABULARY = vocabulary(60_000, 1)
NOW = 1.75e9


def rows() -> list[Row]:
    """The 99th percentiles against their bars."""
    with tempfile.TemporaryDirectory() as home:
        folder = CrawlFolder(Path(home) / "crawls" / "many")
        folder.create(build({"name": "many", "topic": {"words": "spiders"}}))
        _index(folder)
        chance = random.Random(2)
        pages = [_asked(chance) for _ in range(QUERIES)]
        beginnings = [f"/suggest?{urlencode({'crawl': 'many', 'q': _beginning(chance)})}" for _ in range(QUERIES)]
        served, suggested, waited = asyncio.run(_timed(web_app(Path(home)), pages, beginnings))
    note = f"CPU, {PAGES} pages, {QUERIES} queries"
    return [
        _row("search page, 99th percentile", served, PAGE_BAR, f"{note}; bar >= 1"),
        _row("suggestions, 99th percentile", suggested, SUGGESTION_BAR, f"{note}; bar >= 1"),
        _row("search page, 99th percentile by the clock", waited, PAGE_BAR, "others use the machine too", "50 ms"),
        less_is_better(
            "search", "search page, median", median(served), PAGE_BAR, other_name="50 ms", unit="ms", note=note
        ),
    ]


def _row(metric: str, taken: list[float], bar: float, note: str, other_name: str = "bar") -> Row:
    last = taken[int(len(taken) * 0.99)]
    return less_is_better("search", metric, last, bar, other_name=other_name, unit="ms", note=note)


def _index(folder: CrawlFolder) -> None:
    prose, chance = Prose(VOCABULARY), np.random.default_rng(1)
    writer = IndexWriter(folder.index, 256 * 1024**2)
    for number in range(PAGES):
        told = prose.draw(WORDS, chance)
        page = Page(
            f"http://site{int(500 * chance.random() ** 3)}.example/{number}",
            " ".join(told[:5]),
            text=" ".join(told),
            language=("en", "en", "en", "de", "fr")[number % 5],
            published=NOW - 86400.0 * 2000 * float(chance.random()),
        )
        classes = (str(500 + int(100 * chance.random() ** 2)),)
        writer.add(Document(page, at=NOW, relevance=float(chance.random()), classes=classes))
    writer.commit({0: PAGES})
    writer.close()


def _asked(chance: random.Random) -> str:
    words = [
        chance.choice(VOCABULARY[:150] if chance.random() < 0.5 else VOCABULARY)
        for _ in range(chance.choice((1, 2, 3)))
    ]
    more: dict[str, str] = chance.choice(
        (
            {}, {}, {}, {"site": f"site{chance.randrange(20)}.example"}, {"lang": "de"}, {"topic": "55"},
            {"after": "2024"}, {"sort": "newest"}, {"sort": "relevance"},
            {"page": str(chance.randrange(2, 20))}, {"format": "json"},
        )
    )  # fmt: skip
    kind = chance.randrange(6)
    if kind == 0:
        words = [f'"{" ".join(VOCABULARY[chance.randrange(40)] for _ in range(2))}"']
    elif kind == 1:
        place = chance.randrange(max(1, len(words[0]) - 1))
        words[0] = words[0][:place] + "x" + words[0][place:]
    return "/search?" + urlencode({"crawl": "many", "q": " ".join(words), **more})


def _beginning(chance: random.Random) -> str:
    before = f"{chance.choice(VOCABULARY[:2000])} " if chance.random() < 0.5 else ""
    return before + chance.choice(VOCABULARY)[: chance.randrange(1, 5)]


async def _timed(app: Any, pages: Sequence[str], beginnings: Sequence[str]) -> tuple[list[float], ...]:
    for _ in range(20):
        await _get(app, pages[0])
        await asyncio.sleep(0.1)
    return (
        await _best(app, pages, time.process_time),
        await _best(app, beginnings, time.process_time),
        await _best(app, pages, time.perf_counter),
    )


async def _best(app: Any, paths: Sequence[str], clock: Callable[[], float]) -> list[float]:
    taken = []
    for path in paths:
        turns = []
        for _ in range(TURNS):
            began = clock()
            await _get(app, path)
            turns.append(1000 * (clock() - began))
        taken.append(min(turns))
    return sorted(taken)


async def _get(app: Any, path: str) -> int:
    """Ask the app for a path; the length of its answer, which must be a whole one."""
    where, _, query = path.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": where, "raw_path": where.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(b"host", b"127.0.0.1"), (b"dnt", b"1")], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    size = 0

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        nonlocal size
        if message["type"] == "http.response.start" and message["status"] != 200:
            raise RuntimeError(f"{path}: answered {message['status']}")
        size += len(message.get("body", b""))

    await app(scope, receive, send)
    return size
