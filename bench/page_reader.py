"""What reading a page costs: `read_page` beside a bare parse, and beside other parsers that find only the links.

Pages differ from one to the next, as in a crawl: one page read over and over
would flatter every contestant. Of each page the quickest of several readings
counts, which leaves out what other programs did to the machine meanwhile.
`python -m bench.page_reader` also shows where the time goes.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from bench.rows import Row, less_is_better, missing
from bench.web_pages import WebPages
from lycosa.pages import document
from lycosa.pages.charsets import as_utf_8, looks_binary
from lycosa.pages.digests import digest_of
from lycosa.pages.head import read_head
from lycosa.pages.hostile_markup import tamed
from lycosa.pages.html.elements import Elements
from lycosa.pages.html.links import find_links
from lycosa.pages.html.main_text import main_text
from lycosa.records import Fetched, Link, Response

BENCH = "page-reader"
METRIC = "CPU per page"
PAGES = 60
READINGS = 15
MICROSECONDS_ALLOWED = 350.0
BARE_PARSES_ALLOWED = 2.0
TYPE = "text/html; charset=utf-8"

Contestant = Callable[[bytes], object]


def run() -> list[Row]:
    """A row per contestant, and one per bar."""
    fetched = {page.response.body: page for page in _fetched_pages()}
    pages = list(fetched)
    rivals = {name: work for name, work in RIVALS.items() if _installed(name)}
    ours, *others = _microseconds([lambda body: document.read_page(fetched[body]), *rivals.values()], pages)
    note = f"{sum(map(len, pages)) // len(pages) // 1000} KB, {len(_bare(pages[0]))} links"
    found = [
        less_is_better(BENCH, METRIC, ours, took, other_name=name, unit="us", note=note)
        for name, took in zip(rivals, others, strict=True)
    ]
    found.append(_bar(METRIC, ours, MICROSECONDS_ALLOWED, "us"))
    found.append(_bar("bare parses per page", ours / others[0], BARE_PARSES_ALLOWED, "times"))
    return found + [missing(BENCH, name, "not installed") for name in RIVALS if name not in rivals]


def rows() -> list[dict[str, Any]]:
    """The same as plain values."""
    return [asdict(row) for row in run()]


def _bar(metric: str, ours: float, allowed: float, unit: str) -> Row:
    return less_is_better(BENCH, metric, ours, allowed, other_name="bar", unit=unit, note="bar >= 1")


def _installed(rival: str) -> bool:
    return importlib.util.find_spec(MODULES.get(rival, "selectolax")) is not None


def _fetched_pages() -> Iterator[Fetched]:
    web = WebPages(pages=2_000, hosts=20, port=18_080)
    for number in range(0, PAGES * 20, 20):
        url = web.url(number)
        yield Fetched(Link(url), Response(url, 200, (("Content-Type", TYPE),), web.html(number).encode()))


def _microseconds(contestants: Sequence[Contestant], pages: Iterable[bytes]) -> list[float]:
    """For each contestant the mean over the pages of its quickest reading; they take turns on every page."""
    quickest: list[list[int]] = [[] for _ in contestants]
    for body in pages:
        turns = [[_nanoseconds(work, body) for work in contestants] for _ in range(READINGS)]
        for best, took in zip(quickest, zip(*turns, strict=True), strict=True):
            best.append(min(took))
    return [sum(best) / len(best) / 1000 for best in quickest]


def _nanoseconds(contestant: Contestant, body: bytes) -> int:
    began = time.process_time_ns()
    contestant(body)
    return time.process_time_ns() - began


def _bare(body: bytes) -> list[LexborNode]:
    return LexborHTMLParser(body).css("a[href]")


def _plain(body: bytes) -> object:
    tree = LexborHTMLParser(body)
    anchors = [(node.attributes["href"], node.text()) for node in tree.css("a[href]")]
    headings = [node.text() for node in tree.css("title,h1,h2,h3,h4,h5,h6")]
    return anchors, headings, tree.body.text(separator=" ") if tree.body else ""


def _lxml(body: bytes) -> object:
    tree = importlib.import_module("lxml.html").fromstring(body)
    anchors = [(node.get("href"), node.text_content()) for node in tree.xpath("//a[@href]")]
    headings = [node.text_content() for node in tree.xpath("//title|//h1|//h2|//h3|//h4|//h5|//h6")]
    return anchors, headings, tree.text_content()


def _soup(body: bytes) -> object:
    tree = importlib.import_module("bs4").BeautifulSoup(body, "html.parser")
    anchors = [(node["href"], node.get_text()) for node in tree.find_all("a", href=True)]
    headings = [node.get_text() for node in tree.find_all(["title", "h1", "h2", "h3", "h4", "h5", "h6"])]
    return anchors, headings, tree.get_text(" ")


RIVALS: dict[str, Contestant] = {
    "lexbor: parse, links": _bare,
    "lexbor: parse, links, anchors, text": _plain,
    "lxml: the same": _lxml,
    "BeautifulSoup: the same": _soup,
}
MODULES = {"lxml: the same": "lxml", "BeautifulSoup: the same": "bs4"}


def breakdown() -> dict[str, float]:
    """Microseconds of each step of reading a page, in the order in which they come."""
    totals: dict[str, float] = {}
    pages = list(_fetched_pages())
    for page in pages:
        readings = [_steps(page) for _ in range(READINGS)]
        for step in readings[0]:
            totals[step] = totals.get(step, 0.0) + min(reading[step] for reading in readings) / len(pages)
    return totals


def _steps(page: Fetched) -> dict[str, float]:
    body, url = page.response.body, page.link.url
    spent: dict[str, float] = {}
    _timed(spent, "text or not", lambda: looks_binary(body))
    html = _timed(spent, "charset", lambda: as_utf_8(body, TYPE))[0]
    markup = _timed(spent, "tame", lambda: tamed(html))[0]
    elements = _timed(spent, "parse and sort elements", lambda: Elements(markup))
    head = _timed(spent, "head", lambda: read_head(elements.said(), url, page.response))
    found = _timed(spent, "links", lambda: find_links(elements, page.link, head.base, head.title, 5000))
    text = _timed(spent, "main text", lambda: main_text(elements, found.framing, found.blocks))
    _timed(spent, "language", lambda: document.language_of_text(text, head.language))
    _timed(spent, "digest", lambda: digest_of(text))
    return spent


def _timed(spent: dict[str, float], step: str, work: Callable[[], Any]) -> Any:
    began = time.process_time_ns()
    result = work()
    spent[step] = (time.process_time_ns() - began) / 1000
    return result


if __name__ == "__main__":
    from bench.rows import table

    print(table(run()))
    for step, spent in breakdown().items():
        print(f"{step:26} {spent:7.1f} us")
