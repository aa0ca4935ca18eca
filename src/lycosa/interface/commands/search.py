"""`lycosa search` in the terminal, and `lycosa serve` for the browser."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from html import unescape
from itertools import islice
from typing import Any

from lycosa.crawl_folder.folder import CrawlError, home
from lycosa.indexing.ranking_signals import ResultOrders
from lycosa.interface.commands.arguments import Commands, asked_crawl, named
from lycosa.interface.commands.open_browser import open_browser
from lycosa.interface.shared.wording import print_json, printable
from lycosa.interface.views.search.results import phrases_loosened
from lycosa.records import Score
from lycosa.search.index import Found, Hit, IndexReader
from lycosa.search.query import understand

MOST_RESULTS = 1000
_VALUED = ("--home", "--limit")
"""Options of the command that have a value, which may stand behind them."""
_WITH_SPACES = re.compile(r'^(-?)([^"]*\s[^"]*)$')
_MARK = re.compile(r"</?b>")


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """`lycosa search` and `serve`."""
    search_ = named(commands, "search", "search what was crawled", shared)
    search_.add_argument("query", nargs="+", help='words, "phrases", -without, site:HOST, lang:XX')
    search_.add_argument("--limit", type=int, default=10)
    search_.add_argument("--explain", action="store_true", help="how each score came about")
    search_.set_defaults(run=search)
    serve_ = commands.add_parser("serve", help="search and status in the browser", parents=[shared])
    serve_.add_argument("--host", default="127.0.0.1")
    serve_.add_argument("--port", type=int, default=8017)
    serve_.add_argument("--no-browser", action="store_true", help="open no browser, only print the address")
    serve_.set_defaults(run=serve)


def query_last(typed: Sequence[str]) -> list[str]:
    """What was typed after `search`, for a parser that knows no -without: options first, then the words.

    A word that begins with a minus gets a space before it, so that it is not taken for an option.
    """
    options: list[str] = []
    words: list[str] = []
    left = iter(typed)
    for each in left:
        if each == "--":
            words += left
        elif each.startswith("--") or each == "-h":
            options.append(each)
            if any(valued.startswith(each) for valued in _VALUED):
                options += islice(left, 1)
        else:
            words.append(each)
    return [*options, *(f" {word}" if word.startswith("-") else word for word in words)]


def query_of(words: Sequence[str]) -> str:
    """The words as one query; of several, one with spaces in it was a phrase."""
    if len(words) == 1:
        return words[0].strip()
    return " ".join(_WITH_SPACES.sub(r'\1"\2"', word.strip()) for word in words)


def search(told: argparse.Namespace) -> int:
    """Search what was crawled; to find nothing is an answer too."""
    typed = query_of(told.query)
    if not 1 <= told.limit <= MOST_RESULTS:
        raise CrawlError(f"--limit {told.limit} is not possible; use 1 to {MOST_RESULTS}")
    folder = asked_crawl(told)
    reader, order = IndexReader(folder.index), ResultOrders(folder).of(typed)
    found = reader.search(understand(typed), told.limit, order=order)
    if told.json:
        results = [_plain_hit(hit) for hit in found.hits]
        return print_json({"query": typed, "total": found.total, "results": results, "loosened": found.loosened})
    print("\n".join(search_lines(typed, found, explained=told.explain)))
    return 0


def _plain_hit(hit: Hit) -> dict[str, Any]:
    plain = {name: getattr(hit, name) for name in hit.__struct_fields__}
    return plain | {"snippet": plain_snippet(hit.snippet), "why": _plain_score(hit.why) if hit.why else None}


def _plain_score(score: Score) -> dict[str, Any]:
    return {"value": score.value, "why": score.why, "parts": [_plain_score(part) for part in score.parts]}


def plain_snippet(snippet: str) -> str:
    """A snippet without its marks."""
    return " ".join(unescape(_MARK.sub("", snippet)).split())


def search_lines(typed: str, found: Found, explained: bool = False) -> list[str]:
    """Results for a terminal, with how their scores came about where that is wanted."""
    if not found.total:
        return [f"nothing found for {typed!r}; try fewer or other words"]
    lines = [f"{found.total} pages for {typed!r}", *filter(None, [phrases_loosened(found)])]
    for place, hit in enumerate(found.hits, 1):
        similar = f", {hit.similar} similar: like:{hit.group}" if hit.similar else ""
        lines += [f"{place:>2}. {printable(hit.title)}", f"    {hit.url}  (score {hit.score:.2f}{similar})"]
        lines.append(f"    {printable(plain_snippet(hit.snippet))}")
        lines += hit.why.lines("      ") if explained and hit.why else []
    return lines


def serve(told: argparse.Namespace) -> int:
    """Search and status in the browser."""
    from lycosa.interface.server.app import serve as serve_web

    def ready(address: str, signed_in: str) -> None:
        print(f"Lycosa is at {address}\nTo change crawls from the browser, open {signed_in}", flush=True)
        if not told.no_browser:
            open_browser(signed_in)

    serve_web(home(told.home), told.host, told.port, ready)
    return 0
