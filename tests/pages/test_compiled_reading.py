"""Compiled code reads every page as Python does."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_making import PROSE, fetched

from lycosa.fetching.simulated_web.web import SimulatedWeb
from lycosa.pages import trees
from lycosa.pages.document import read_page
from lycosa.records import Page

pytestmark = pytest.mark.usefixtures("compiled")

PIECES = (
    "word ", "Some more words here. ", PROSE, "&nbsp;", "\N{EM SPACE}", "\x85", "&#13;", "  ", "\n\t", "\0",
    "\N{BIRD}", "<a href=x>", "<a href='/y#z' rel=NoFollow>", "<a href=//b.test/>", "<a href>", "<a name=n>", "</a>",
    "<area href=m>", "<a href=i><img alt='a  bird'></a>", "<a href=j title=named><i></i></a>",
    "<svg><a href=k xlink:href=l><title>t</title>", "</svg>", "<math><mi>", "<foreignObject>", "<p>",
    "<div class='menu'>", "<div id=content role=main>", "</div>", "<ul><li>", "</ul>", "<dl><dt>", "<table><tr><td>",
    "</table>", "<h1>", "</h1>", "<h2>Two</h2>", "<h3>", "<pre>\n\n", "<br>", "<b>", "<font>", "<x-own>", "<main>",
    "</main>", "<article>", "</article>", "<section>", "<header>", "</header>", "<footer>", "<nav>", "</nav>",
    "<aside>", "<form>", "</form>", "<menu>", "<button>", "<select><option>", "</select>", "<textarea>",
    "</textarea>", "<script>x</script>", "<noscript><a href=q>z</a></noscript>",
    "<template><a href=u>t</a></template>", "<iframe src=x></iframe>", "<!-- c -->", "<title>q</title>",
    "<base href='https://b.test/d/'>", "<html lang=fr>", "<body lang=de>", "<frameset>",
    "<meta name=robots content=none>", "<meta http-equiv=refresh content='0; url=r'>", "<link rel=canonical href=/c>",
    "<time datetime=2024-05-06>",
)  # fmt: skip


def by_both(html: str | bytes, most_links: int = 5000) -> tuple[Page, Page]:
    pages = []
    with pytest.MonkeyPatch.context() as patch:
        for compiled in (True, False):
            patch.setattr(trees, "COMPILED", compiled)
            pages.append(read_page(fetched(html), most_links, structure=True))
    return pages[0], pages[1]


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PIECES), max_size=60), st.sampled_from([5000, 2, 1]))
def test_both_readers_agree_on_any_markup(pieces: list[str], most_links: int) -> None:
    compiled, plain = by_both("".join(pieces), most_links)
    assert compiled == plain


@settings(max_examples=100)
@given(st.text(max_size=60), st.text(max_size=60))
def test_both_readers_agree_on_any_text(words: str, more: str) -> None:
    html = f"<p>{words}<b>{more}</b> <a href=/x>{more}</a></p><ul><li><a href=/y>{words}<i>{more}</i></a></ul>"
    compiled, plain = by_both(html)
    assert compiled == plain


def test_both_readers_agree_on_the_pages_of_a_web() -> None:
    web = SimulatedWeb.of("box:7?hosts=4&pages=120&topics=3&size=6KiB&links=30&kinds=4&errors=0")
    for url in web.page_urls():
        compiled, plain = by_both(web.respond(url).body)
        assert compiled.links
        assert compiled == plain


@pytest.mark.parametrize(
    "nested", ["<div>", "<ul><li>", "<select>", "<h2><div>", "<x-a>", "<nav><section>", "<a href=/{}><object>"]
)
def test_both_readers_agree_deep_down(nested: str) -> None:
    html = "".join(nested.format(number) for number in range(400)) + f"<a href=/end>end</a>{PROSE}<br>x"
    compiled, plain = by_both(html)
    assert compiled == plain


def test_names_that_only_this_document_has_are_told_apart_in_the_next() -> None:
    for number in range(3):
        compiled, plain = by_both(f"<x-{number}a><y-{number}><a href=/x>x</a></y-{number}><p><a href=/y>y</a>")
        assert compiled == plain
        assert compiled.links[0].tag_path == f"html/body/x-{number}a/y-{number}/a"


def test_without_compiled_code_pages_are_read_by_python() -> None:
    code = (
        "import sys; sys.modules['lycosa.pages.compiled.tree'] = None\n"
        "from lycosa.pages import document, trees\n"
        "from lycosa.records import Fetched, Link, Response\n"
        "url = 'https://a.test/'\n"
        "page = document.read_page(Fetched(Link(url), Response(url, 200, (), b'<title>t</title><a href=b>b</a>')))\n"
        "print(trees.COMPILED, page.title, page.links[0].url)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["False", "t", "https://a.test/b"]
