"""What reads foreign text, be it a loop or native code, takes time that grows like the text: listed by hand.

Patterns alone are measured by `test_linear_patterns`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from lycosa.clickstream.collector.events import sent_events
from lycosa.clickstream.collector.http_requests import read_head as collector_head
from lycosa.clickstream.server_logs.parsing.formats import format_called
from lycosa.clickstream.server_logs.parsing.timestamps import by_pattern, milliseconds
from lycosa.duplicates.rewrite_rules import explanations, in_order, lowered
from lycosa.duplicates.shingles import lettered, pairs
from lycosa.duplicates.text_sketch import sketch_of
from lycosa.fetching.content_coding import codings
from lycosa.fetching.response_outcome import redirect_target, retry_after
from lycosa.fetching.robots import parse, product_token
from lycosa.fetching.sitemaps import read_sitemap, time_of
from lycosa.fetching.warc_reader import unchunked
from lycosa.frontier.traps import pattern_of
from lycosa.frontier.url_patterns import matcher, odd_pattern
from lycosa.inspection.page_versions import compared, sentences
from lycosa.interface.shared.foreign_text import href, marked, tidy
from lycosa.interface.web.reader_highlights import Marker
from lycosa.interface.web.reader_original import quietened
from lycosa.pages.charset_declarations import by_document, by_header
from lycosa.pages.charsets import as_utf_8, decoded, looks_binary
from lycosa.pages.document import language_of_text, read_page, read_structure
from lycosa.pages.head import moment_of
from lycosa.pages.hostile_markup import plain_nesting, tamed
from lycosa.records import Fetched, Link, Response
from lycosa.scoring.links.hit_rates import address_kinds, shape_of
from lycosa.search.query import filter_in, moment, parts_of, understand, with_words
from lycosa.search.schema import index_terms, name_of
from lycosa.text import letters_of, terms, words, words_of_all
from lycosa.topics.semantic_checker.proposals import passage
from lycosa.topics.semantic_checker.synonym_phrases import said_to_be_the_same
from lycosa.urls import domain_of, host_of, normalise, one_spelling, resolve
from time_growth import grows_too_fast

MARKUP = (
    "<div>", "<x", "</x", "<b", "<b>", "<!--", "<script>", "</script", '<a href="', "<a href=x>",
    "<li>", "<br>", "=", "='", "<meta charset=", "<title>", "<base href=", "&", "&#", "word ", "é ", "\n", "<h1>x",
    "<table><tr><td>", "<svg><style>", "]]>", "<?",
)  # fmt: skip
TEXT = (
    "a",
    " ",
    "\n",
    " \n",
    ". ",
    "a ",
    "a. ",
    "é",
    "。",
    "aka ",
    "x (y) ",
    ", or ",
    '"',
    "a" * 50 + " ",
    "\0",
    "1",
    "ab-",
)
URLS = (
    "a",
    "/",
    "/a",
    "../",
    "./",
    "%41",
    "%2541",
    "?a",
    "&a=b",
    "&",
    "#",
    ".",
    "a.",
    ":",
    "@",
    "é",
    "\\",
    " ",
    "-a",
    "0",
    "a" * 17,
)
LOG = (" ", '"', "[", "]", "\\", "\\x41", "a", "- ", '" "', "%", "/", "?", ",", ":", "{", '{"a":', "\t", ".", "1")
LINES = (
    "User-agent: a\n", "Disallow: /*a\n", "Crawl-delay: 1\n", "User-agent: b\nAllow: /\n", "Sitemap: /x\n", "\n", " ",
    ":", "\r", "*", "Disallow: /a*a*b$\n",
)  # fmt: skip
SITEMAPS = (
    "<url><loc>https://a.test/x</loc></url>", "<url>", "<loc>", "x", "<!--", "&amp;", "<a b='c' ",
    "https://a.test/x\n", "<![CDATA[", " ",
)  # fmt: skip
DATES = ("2", "2020-", "-", " ", ":", "T", ".", "Z", "+", "1 ", "Mon, ", "0")
HEADERS = ("gzip,", ",", " ", ";", "a", "charset=", "a=b;", '"', "<x>;", "rel=")
"""Pieces that are repeated, for each kind of foreign text."""

FLAT = tuple(piece for piece in MARKUP if piece != "<div>")
"""A parser takes longer for each tag the deeper it stands, which `tamed` bounds; so only what is not deep is linear."""
SIZE = 2048
BASE = "https://a.test/a/b"
NOTATION = format_called(
    '%h %l %u %{%d/%b/%Y:%H:%M:%S}t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %{X-Forwarded-For}i'
)


def page(text: str) -> object:
    return read_page(Fetched(Link(BASE), Response(BASE, 200, (("Content-Type", "text/html"),), text.encode())))


def sitemap(text: str, beginning: str = "<urlset>") -> object:
    return read_sitemap(BASE, [(beginning + text).encode()], 1e9)


def log_line(name: str, text: str) -> object:
    form = format_called(name)
    return [form.entry(begin + text.encode()) for begin in (b"", b'1.2.3.4 - - [01/Jan/2020:00:00:00 +0000] "')]


READERS: dict[str, tuple[Callable[[str], object], tuple[str, ...]]] = {
    "tamed": (lambda text: tamed(text.encode()), MARKUP),
    "tamed, deep": (lambda text: tamed(b"<div>" * 15_000 + text.encode()), MARKUP),
    "tamed, deep in a comment": (lambda text: tamed(b"<div>" * 15_000 + b"<!--" + text.encode()), MARKUP),
    "tamed, deep in a script": (lambda text: tamed(b"<div>" * 15_000 + b"<script>" + text.encode()), MARKUP),
    "tamed, many formats": (lambda text: tamed(b"<b>" * 15_000 + text.encode()), MARKUP),
    "tamed, many attributes": (lambda text: tamed(b"<p " + b"a " * 70_000 + b">" + text.encode()), MARKUP),
    "nesting": (lambda text: plain_nesting(text.encode(), 400_000), MARKUP),
    "page": (page, FLAT),
    "original": (lambda text: quietened(tamed(text.encode())[0]), FLAT),
    "structure": (lambda text: read_structure(text.encode()), FLAT),
    "charset": (lambda text: (by_document(text.encode()), looks_binary(text.encode())), MARKUP),
    "charset, header": (by_header, HEADERS),
    "as_utf_8": (lambda text: as_utf_8(text.encode("latin-1", "replace"), ""), TEXT),
    "decoded": (lambda text: decoded(text.encode("utf-8"), "text/plain"), TEXT),
    "sentences": (lambda text: list(sentences(text)), TEXT),
    "versions": (lambda text: compared(1, text, 2, "new " + text[::-1]), TEXT),
    "words": (lambda text: (words(text), words_of_all([text]), terms(text), letters_of(text)), TEXT),
    "language": (lambda text: language_of_text(text, ""), TEXT),
    "sketch": (lambda text: (sketch_of(text), lettered(text), pairs(text)), TEXT),
    "synonyms": (said_to_be_the_same, TEXT),
    "passage": (lambda text: passage(text, ["aka"]), TEXT),
    "index terms": (lambda text: (index_terms(text), name_of(text)), TEXT),
    "query": (lambda text: (understand(text), parts_of(text), with_words(text, str), filter_in(text)), TEXT),
    "reader's marks": (lambda text: Marker("a b", "ab").marked(text), TEXT),
    "shown text": (lambda text: (tidy(text), marked(text), href("https://" + text)), TEXT),
    "url": (lambda text: [normalise(begin + text) for begin in ("", BASE, BASE + "?", "https://")], URLS),
    "links": (lambda text: resolve(BASE + "/", [text, "a" + text, "/" + text, "?" + text]), URLS),
    "redirect": (lambda text: redirect_target(BASE, text), URLS),
    "site": (lambda text: (host_of(BASE + text), domain_of.__wrapped__("https://" + text), one_spelling(text)), URLS),
    "url pattern": (lambda text: (pattern_of(BASE + text), address_kinds(BASE + text), shape_of(text)), URLS),
    "url rules": (lambda text: (lowered(text), in_order(text), explanations(BASE + text, BASE + "a" + text)), URLS),
    "typed patterns": (lambda text: (odd_pattern(text), odd_pattern("a/" + text)), URLS),
    "matched patterns": (lambda text: [test("https://" + text) for test in MATCHERS], URLS),
    "robots": (lambda text: parse(text.encode()).rules_for("b").allows("/a" * 100), LINES),
    "robots, path": (lambda text: ROBOTS.allows("/" + text), URLS),
    "sitemap": (sitemap, SITEMAPS),
    "sitemap of lines": (lambda text: sitemap(text, ""), SITEMAPS),
    "head": (lambda text: collector_head(b"GET / HTTP/1.1\r\na:" + text.encode()), LOG),
    "events": (lambda text: sent_events(b'{"k":"' + text.encode()), LOG),
    "chunks": (lambda text: unchunked(text.encode()), ("1\r\na\r\n", "0", "\n", "1;", "f\n")),
    "headers": (lambda text: (codings(text), retry_after(text, 0.0), product_token(text)), HEADERS),
    "dates": (lambda text: (moment_of(text), time_of(text), moment(text), milliseconds(text.encode())), DATES),
    "dates by pattern": (lambda text: by_pattern(text.encode(), "%d/%b/%Y:%H:%M:%S"), DATES),
    **{f"log, {name}": (partial(log_line, name), LOG) for name in ("combined", "vhost-combined", "json", "w3c")},
    "log, own format": (lambda text: NOTATION.entry(b"1.2.3.4 - - " + text.encode()), LOG),
}
MATCHERS = [matcher(pattern) for pattern in ("ex*mple.*.org", "*a*b*c*", "*/x*y*z", "*.a[bc]?d")]
ROBOTS = parse(b"User-agent: *\nDisallow: /*a*b*c$\nAllow: /a/*/a/*/b\nDisallow: /*%41*x").rules_for("x")
"""Each takes a text; the pieces of which texts are made stand beside it."""


def slow(name: str) -> list[str]:
    read, pieces = READERS[name]

    def work(piece: str, size: int) -> Callable[[], object]:
        text = piece * (size // len(piece))
        return lambda: read(text)

    return [piece for piece in pieces if grows_too_fast(partial(work, piece), SIZE)]


@pytest.mark.parametrize("name", READERS)
def test_foreign_text_is_read_in_linear_time(name: str) -> None:
    assert slow(name) == []
