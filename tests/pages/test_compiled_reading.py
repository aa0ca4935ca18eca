"""Compiled code reads every page as Python does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_making import PROSE, URL, fetched

from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.pages import parsed_document as trees
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
    "<a href=w type=image/PNG rel=Up>",
    "<meta name=robots content=none>", "<meta http-equiv=refresh content='0; url=r'>", "<link rel=canonical href=/c>",
    "<time datetime=2024-05-06>",
)  # fmt: skip

LONG_PIECES = (
    "<p>" + PROSE * 4, "<div>" + PROSE, "<li>" + PROSE * 6, "слова о птицах " * 40, "蜘蛛" * 300, " \n " * 300,
    "<figcaption>", "<datalist>", "</datalist>", "</p>",
)  # fmt: skip

HREFS = (
    "/a/b", "/a/b?c=d", "/a/b?utm_source=x", "/a//b", "//site.test/a/b", "/", "", "?c=d", "#part", "/a/b#part", "b",
    "b/", "b/c?d=e:f", "./b", "../b", "../../../b", "a:b", "b?a:b", "mailto:a@site.test", "-b", "~b", "_b", "1",
    " /a/b ", "https://site.test/a/b", "HTTPS://site.test/a/b", "http://site.test/a/b", "https:/a/b", "https:b", "http",
    "https://", "https://site.test", "https://site.test:443/a/b", "https://other.test/a/b", "/%61/b", "/\N{BIRD}",
    "/a/b\n", "/a\tb", "/" + "long/" * 99, "/" + "x" * 480, "/" + "x" * 9000,
)  # fmt: skip
BASES = ("https://site.test/", "https://site.test/a/b", "https://site.test/a/b?c=d/e", "https://other.test:8080/a/")


def by_both(html: str | bytes, most_links: int = 5000, url: str = URL) -> tuple[Page, Page]:
    pages = []
    with pytest.MonkeyPatch.context() as patch:
        for compiled in (True, False):
            patch.setattr(trees, "COMPILED", compiled)
            pages.append(read_page(fetched(html, url=url), most_links, structure=True))
    return pages[0], pages[1]


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PIECES), max_size=60), st.sampled_from([5000, 2, 1]))
def test_both_readers_agree_on_any_markup(pieces: list[str], most_links: int) -> None:
    compiled, plain = by_both("".join(pieces), most_links)
    assert compiled == plain


@settings(max_examples=200)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(LONG_PIECES), st.integers(0, 50)), max_size=60))
def test_both_readers_agree_on_long_blocks(pieces: list[str | int]) -> None:
    compiled, plain = by_both(
        "".join(each if isinstance(each, str) else f"<a href=/{each}>Link</a>" for each in pieces)
    )
    assert compiled == plain


def linking(hrefs: Sequence[str]) -> str:
    return "".join(f'<a href="{href}">{number}</a>' for number, href in enumerate(hrefs))


@settings(max_examples=200)
@given(st.lists(st.tuples(st.sampled_from(BASES), st.lists(st.sampled_from(HREFS), max_size=80)), max_size=5))
def test_both_readers_agree_on_addresses_whatever_was_met_before(pages: list[tuple[str, list[str]]]) -> None:
    for base, hrefs in pages:
        compiled, plain = by_both(linking(hrefs), url=base)
        assert compiled == plain


def test_an_address_that_was_met_before_is_the_same_object() -> None:
    written = ("/kept/one", "one", "https://site.test/kept/one", "../kept/one", "/kept/one#part")
    urls = [read_page(fetched(linking([href]), url="https://site.test/kept/page")).links[0].url for href in written]
    assert set(urls) == {"https://site.test/kept/one"}
    assert all(url is urls[0] for url in urls)


def test_more_addresses_than_are_kept_are_all_read_right() -> None:
    for _ in range(2):
        for first in range(0, 150_000, 5000):
            page = read_page(fetched(linking([f"/many/{number}" for number in range(first, first + 5000)])))
            assert [link.url for link in page.links] == [
                f"https://site.test/many/{number}" for number in range(first, first + 5000)
            ]


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
        "from lycosa.pages import document, parsed_document as trees\n"
        "from lycosa.records import Fetched, Link, Response\n"
        "url = 'https://a.test/'\n"
        "page = document.read_page(Fetched(Link(url), Response(url, 200, (), b'<title>t</title><a href=b>b</a>')))\n"
        "print(trees.COMPILED, page.title, page.links[0].url)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["False", "t", "https://a.test/b"]
