"""The reading view and the original look of any page: all its words, none of its markup, whatever it holds."""

from __future__ import annotations

import html
import re
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from lycosa.interface.views.reader.stored_page import Filed, StoredPage, versions_in
from lycosa.interface.views.reader.text import PART, Block, Run, blocks_of, parts_of
from lycosa.interface.web.reader_highlights import Marker, shown_blocks
from lycosa.interface.web.reader_original import quietened
from lycosa.pages.document import read_page
from lycosa.records import Fetched, Link, Response
from lycosa.storage.catalogue import VisitRow

URL = "https://a.example/dir/page"
PIECES = [
    "<p>", "</p>", "<div>", "</div>", "<b>bold", "</b>", "<ul><li>item", "</ul>", "<table><tr><td>cell</td>",
    "</table>", "<h1>head</h1>", "<h4>deep</h4>", "words ", "<a href='x'>link</a>",
    "<a href='javascript:alert(1)'>bad</a>",
    "<script>alert(1)</script>", "<pre> a\n b</pre>", "<main>", "</main>", "<article>", "<blockquote>said", "&lt;i&gt;",
    "<svg><script>x</script></svg>", "<img src=x onerror=alert(1)>", "<nav>menu</nav>", "<style>p{}</style>",
    "<noscript><img src=x onerror=y>", "<template><b>t", "<!-- c", "-->", "<math><mi>", "<textarea>", "\0", "\u202e",
    "é",
]  # fmt: skip


def stored(markup: str, kind: str = "text/html; charset=utf-8") -> StoredPage:
    body = markup.encode("utf-8", "replace")
    response = Response(URL, 200, (("Content-Type", kind),), body, body)
    page = read_page(Fetched(Link(URL), response))
    row = VisitRow(URL, 1.0, 0, "fetched")
    return StoredPage(Filed("c", URL, (row,), None, row), 1, row, response, page, cut=False)


def said(blocks: list[Block]) -> str:
    return " ".join("".join(run.text for run in block.runs) for block in blocks)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_markup_becomes_blocks_whose_html_holds_no_markup_of_the_page(markup: str) -> None:
    blocks = blocks_of(stored(markup))
    shown = shown_blocks(blocks, Marker("words", "item"), "c", "words")
    for text in (text for block in shown for text in block["texts"]):
        assert isinstance(text, Markup)
        ours = re.sub(
            r'<mark( class="sought" id="found-\d+")?>|</mark>|<a href="/read\?crawl=c[^"<>]*">|</a>', "", text
        )
        assert "<" not in ours
        assert ">" not in ours
    levels = [1] + [block.level for block in blocks if block.level]
    assert all(1 < later <= earlier + 1 for earlier, later in pairwise(levels))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.characters(categories=["L"]), min_size=4, max_size=12), min_size=30, max_size=60))
def test_no_word_of_an_ordinary_page_is_lost_or_told_twice(words: list[str]) -> None:
    markup = "<main>" + "".join(
        f"<p>{word}</p>" if number % 3 else f"<span>{word}</span> " for number, word in enumerate(words)
    )
    assert said(blocks_of(stored(markup))).split() == words


def test_inline_markup_does_not_part_words_and_blocks_do() -> None:
    text = "<main><p>spi<b>der</b>s run</p><div>outer<p>inner</p>after</div>" + "<p>more words to be enough</p>" * 20
    blocks = blocks_of(stored(text))
    assert [said([block]) for block in blocks[:4]] == ["spiders run", "outer", "inner", "after"]


def test_a_page_that_is_all_frame_still_says_something() -> None:
    links = "".join(f"<li><a href=/{number}>Entry number {number} of the list</a></li>" for number in range(10))
    assert "Entry number 3" in said(blocks_of(stored(f"<nav><ul>{links}</ul></nav>")))


def test_links_lead_to_stored_copies_and_nowhere_else() -> None:
    page = stored(
        "<main><p><a href='other'>there</a> <a href='mailto:a@b'>mail</a></p>" + "<p>enough words here</p>" * 20
    )
    first = blocks_of(page)[0]
    assert [run.href for run in first.runs if run.href] == ["https://a.example/dir/other"]


@given(st.lists(st.integers(0, 3 * PART), max_size=20))
def test_parts_hold_every_block_once_in_order(lengths: list[int]) -> None:
    blocks = [Block("p", [Run("x" * length)]) for length in lengths]
    parts = parts_of(blocks)
    assert parts
    assert [block for part in parts for block in part] == blocks
    assert all(len(part) == 1 or sum(block.length for block in part) <= PART for part in parts)


@given(st.text(), st.text(max_size=20), st.text(max_size=20))
def test_marks_change_no_word(text: str, query: str, find: str) -> None:
    marked = Marker(query, find).marked(text)
    bare = html.unescape(re.sub(r"</?mark[^>]*>", "", marked))
    assert bare == Marker().marked(text).unescape()


DANGEROUS = [
    "<base href=//e>", "<link rel=preconnect href=//e>", "<iframe src=//e>", "<meta http-equiv=refresh content=0>",
    "<a href=//e target=_top>", "<form action=//e>", "<svg><a xlink:href=//e>", "<frameset><frame src=//e>",
    "<body onload=x>",
]  # fmt: skip
ACTING = re.compile(rb"<(script|base|link|iframe|object|embed|template)\b", re.IGNORECASE)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([*PIECES, *DANGEROUS]), max_size=25).map("".join))
def test_a_quiet_copy_has_nothing_that_acts_however_it_is_nested(markup: str) -> None:
    once = quietened(markup.encode())
    bare = re.sub(
        rb"<(style|textarea|xmp|title)\b.*?(</\1>|$)|<!--.*?(-->|$)", b"", once, flags=re.DOTALL | re.IGNORECASE
    )
    assert not ACTING.search(bare)
    assert not re.search(rb"<[a-z][^<>]*\s(onload|onerror|action|target)\s*=", bare)
    assert b"http-equiv" not in bare
    assert set(re.findall(rb'href="([^"]*)"', bare)) <= {b"#"}


def test_versions_are_texts_that_differ_from_the_one_before() -> None:
    rows = [VisitRow(URL, at, 0, outcome, digest=digest) for at, outcome, digest in
            [(1, "fetched", "a"), (2, "unchanged", ""), (3, "fetched", "a"), (4, "fetched", "b"), (5, "failed", ""),
             (6, "fetched", "a")]]  # fmt: skip
    assert [row.at for row in versions_in(rows)] == [1, 4, 6]
