"""Pages made to exhaust a reader: time and memory stay bounded, and what can be read is read."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from page_making import fetched

from lycosa.pages.document import read_page
from lycosa.pages.hostile_markup import tamed

pytestmark = pytest.mark.usefixtures("both_readers")

SECONDS = 8.0
"""Of the processor, so that a busy machine fails nothing; each takes minutes or all memory without its guard."""

SMALL_NESTS = "".join(f"<p><b id=x{number}>" for number in range(40_000))
TAIL = "<p>end <a href=/end>end</a></p>"
HIDDEN = " ".join(f"a{number}='><b>'" for number in range(100_000))

HOSTILE = {
    "nested elements": "<div>" * 100_000 + TAIL,
    "nested lists": "<ul><li>" * 60_000 + TAIL,
    "nested tables": "<table><tr><td>" * 30_000 + TAIL,
    "nested links": "<a href=/x><object>" * 60_000 + TAIL,
    "nested headings": "<h1><div>" * 60_000 + TAIL,
    "a million attributes": "<p " + " ".join(f"a{number}=1" for number in range(1_000_000)) + ">x</p>" + TAIL,
    "attributes with tags in them": f"<p {HIDDEN}>x</p>{TAIL}",
    "a million attributes in a thousand elements": "".join(
        "<p " + " ".join(f"a{number}=1" for number in range(1000)) + ">x</p>" for _ in range(1000)
    )
    + TAIL,
    "open formatting elements": SMALL_NESTS + TAIL,
    "open formatting elements before many blocks": "<b><i><u><s><tt><em>" * 3 + "<p>" * 300_000 + TAIL,
    "end tags that close nothing": "<div></x>" * 60_000 + TAIL,
    "end tags behind a fence": "<div><object></div></object>" * 50_000 + TAIL,
    "end tags out of order": "<span><div></span></div>" * 60_000 + TAIL,
    "formats behind a fence": "".join(f"<b id=x{n}><object></b></object><p>" for n in range(30_000)) + TAIL,
    "formats closed by their block": "".join(f"<div><b id=x{n}></div>" for n in range(30_000)) + TAIL,
    "open brackets": "<" * 3_000_000 + TAIL,
    "open quotes": "<a href='" * 300_000,
    "open comments": "<!--" * 500_000,
    "line breaks": TAIL + "x<br>" * 200_000,
    "a long word": "<p>" + "x" * 5_000_000 + "</p>" + TAIL,
    "white space": "<p>" + " \n\t" * 1_500_000 + "</p>" + TAIL,
    "refresh of spaces": "<meta http-equiv=refresh content='0" + " ;" * 100_000 + "'>" + TAIL,
    "robots of commas": "<meta name=robots content='" + "," * 1_000_000 + "'>" + TAIL,
    "dates": "<time datetime='" + "2" * 1_000_000 + "'>x</time>" + TAIL,
    "class names": "<div class='" + "nav-" * 250_000 + "'><a href=/x>x</a></div>" + TAIL,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_are_read_in_bounded_time(name: str) -> None:
    html = HOSTILE[name]
    began = time.process_time()
    page = read_page(fetched(html))
    assert time.process_time() - began < SECONDS
    if TAIL in html and name not in ("open brackets", "nested links"):
        assert "https://site.test/end" in {link.url for link in page.links}


def test_a_text_of_fifty_megabytes_is_cut() -> None:
    began = time.process_time()
    page = read_page(fetched("<p>" + "word " * 10_000_000 + "</p>"))
    assert time.process_time() - began < SECONDS
    assert 100_000 < len(page.text) <= 2_000_000


def test_of_a_million_links_the_first_are_read_and_the_rest_counted() -> None:
    began = time.process_time()
    page = read_page(fetched("".join(f"<a href=/{number}>x</a>" for number in range(1_000_000))), most_links=500)
    assert time.process_time() - began < SECONDS
    assert len(page.links) == 500
    assert page.links_dropped == 999_500


@pytest.mark.parametrize("number", [1, 40, 1500, 12_000])
def test_ordinary_markup_is_left_alone(number: int) -> None:
    block = (
        '<div class="a b" data-x=\'{"k": "<i>"}\'><p>Some <b>bold</b> <a href="/x?a=1&b=2" title=it\'s>text</a>'
        '<br><img src=x.png alt="2 > 1"></p><ul><li>1<li>2</ul></div><!-- - > -->'
        '<script>if (a<b && "x" > \'y) { f("<p") }</script><svg><path d="M 1"/><g><use/></g></svg>\n'
    )
    html = (block * number).encode()
    assert tamed(html) == (html, 0)


def test_an_overlong_element_loses_its_attributes_and_nothing_else() -> None:
    many = " ".join(f"a{number}" for number in range(40_000))
    html = f'<p id="1">before</p><p {many}>inside</p><a href="/x">after</a>'.encode()
    assert tamed(html) == (b'<p id="1">before</p><p>inside</p><a href="/x">after</a>', 0)


def test_class_names_of_any_length_are_not_kept_in_memory() -> None:
    tracemalloc.start()
    for number in range(20):
        read_page(fetched(f"<div class='{number}{'x' * 1_000_000}'><a href=/x>x</a></div>"))
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert kept < 5_000_000


def test_names_of_elements_of_any_length_are_not_kept_in_memory() -> None:
    tracemalloc.start()
    for number in range(200):
        read_page(fetched(f"<x{number}{'y' * 20_000}><p><a href=/x>x</a></p><div><a href=/y>y</a></div>"))
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert kept < 5_000_000


def test_many_names_of_elements_are_not_kept_in_memory() -> None:
    tracemalloc.start()
    for number in range(3):
        many = "".join(f"<x-{number}-{other}><a href=/{other}>x</a></x-{number}-{other}>" for other in range(40_000))
        read_page(fetched(many), most_links=10)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert kept < 12_000_000


def test_any_number_of_links_may_be_wanted() -> None:
    assert len(read_page(fetched("<a href=x>x</a>"), most_links=2**53).links) == 1
