"""How deep elements lie in each other is counted by compiled code and by Python, with one result."""

from __future__ import annotations

import random
import time

import pytest

from lycosa.pages.hostile_markup import MANY_BYTES, MOST_TAGS, nesting, plain_nesting, tamed

_WRITTEN = (
    b"<div> </div> <DIV|class='a>b'> <span> </span> <b> </B> <I|x> </i|> <svg> </svg> <path/> <g> </g> <li> </li> "
    b"<object> </object> <math/> <use/ <!-- --> <! - <script> </script> <style <scripts> <script-x> </s < </ > "
    b"=\" =' =| \" ' / <x <br/> text| \n <\xe9"
)
PIECES = [piece.replace(b"|", b" ") for piece in _WRITTEN.split(b" ")]


def test_both_count_the_same(compiled: None) -> None:
    assert nesting is not plain_nesting
    chance = random.Random(23)
    for _ in range(3_000):
        weights = [chance.random() ** 2 for _ in PIECES]
        html = b"".join(chance.choices(PIECES, weights, k=chance.randint(1, 120)))
        most = chance.choice([2, 20, MOST_TAGS])
        assert nesting(html, most) == plain_nesting(html, most), html


@pytest.mark.parametrize("count", [nesting, plain_nesting])
@pytest.mark.parametrize(
    ("html", "deepest", "formats"),
    [
        (b"<div><p>x</p><br><li></div>", 1, 0),
        (b"<div></x><div></x>", 2, 0),
        (b"<span><div></span></div>", 2, 0),
        (b"<div><span></div><div>", 2, 0),
        (b"<b><i></b><u>", 2, 2),
        (b"<b><object></b></object><p>", 3, 1),
        (b"<svg><path/><g></g></svg><path/>", 3, 0),
        (b"<!-- <div> --><div><script><p></script><style><b></style>", 1, 0),
    ],
)
def test_elements_nest_as_a_parser_would_have_them(count: object, html: bytes, deepest: int, formats: int) -> None:
    assert callable(count)
    assert count(html, MOST_TAGS) == (len(html), deepest, formats)
    assert count(html[:-1] + b"<p>" * 9, 9)[0] > count(html, 1)[0] > 0


@pytest.mark.parametrize("piece", [b"<x", b"</x", b"<b "])
@pytest.mark.parametrize("before", [b"", b"<!--", b"<script>"])
def test_tags_that_never_end_are_left_out_at_once(before: bytes, piece: bytes) -> None:
    html = b"<div>" * 15_000 + b"<b>" * 300 + before + piece * 200_000
    began = time.process_time()
    markup, dropped = tamed(html)
    assert time.process_time() - began < 2
    assert len(markup) < 50_000
    assert dropped == 0


def test_many_values_in_quotes_are_no_puzzle() -> None:
    overlong = b"<p" + b" a" * 2 * MANY_BYTES + b">"
    ordinary = b"<p" + b'="bbbbbbbb"' * 45 + b">"
    began = time.process_time()
    assert tamed(overlong + ordinary) == (b"<p>" + ordinary, 0)
    assert time.process_time() - began < 2
