"""Charts are well-formed SVG within their paper, whatever the figures and labels are."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from lycosa.interface.shared.charts import HEIGHT, WIDTH, Axis, Series, key_mark, line_chart, share_bar

SVG = "{http://www.w3.org/2000/svg}"
NUMBERS = st.floats(allow_nan=True, allow_infinity=True) | st.integers(-10, 10**12).map(float)
POINTS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=20).map(tuple)
PRINTABLE = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn")), max_size=20)


def a_chart(*series: Series, up: Axis | None = None, title: str = "Harvest") -> ElementTree.Element:
    return ElementTree.fromstring(line_chart(series, title, Axis("pages"), up or Axis("share"), "in words"))


def words_of(svg: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in svg.iter(f"{SVG}text")]


@given(st.lists(POINTS, max_size=3), st.booleans())
def test_a_chart_is_well_formed_and_stays_on_its_paper(
    lines: list[tuple[tuple[float, float], ...]], percent: bool
) -> None:
    svg = a_chart(*(Series("line", points) for points in lines), up=Axis("share", percent=percent))
    for line in svg.iter(f"{SVG}path"):
        if line.get("class") == "line":
            places = [float(number) for number in re.findall(r"-?[\d.]+", line.get("d", ""))]
            assert all(0 <= x <= WIDTH for x in places[::2])
            assert all(0 <= y <= HEIGHT for y in places[1::2])
    assert len([line for line in svg.iter(f"{SVG}line") if line.get("class") == "grid"]) <= 6


@given(PRINTABLE)
def test_labels_are_text_whatever_they_contain(label: str) -> None:
    svg = ElementTree.fromstring(line_chart([], label, Axis(label), Axis(label), label))
    assert words_of(svg).count(label) >= 2
    assert (svg.findtext(f"{SVG}title") or "") == label


def test_the_line_goes_where_the_figures_say() -> None:
    svg = a_chart(Series("harvest", ((0, 0.0), (50, 1.0), (100, 0.5))), up=Axis("share", 1.0, percent=True))
    (line,) = [path for path in svg.iter(f"{SVG}path") if path.get("class") == "line"]
    x, y = zip(*(map(float, place.split()) for place in line.get("d", "")[1:].split("L")), strict=True)
    assert x[1] - x[0] == x[2] - x[1]
    assert y[1] < y[2] < y[0]
    assert y[0] - y[2] == y[2] - y[1]
    assert {"0%", "100%", "0", "100", "pages", "share"} <= set(words_of(svg))


def test_an_empty_chart_says_so_and_a_single_point_is_a_dot() -> None:
    assert "nothing to show yet" in words_of(a_chart(Series("harvest")))
    dotted = a_chart(Series("harvest", ((1.0, 1.0),)))
    assert "nothing to show yet" not in words_of(dotted)
    assert len(list(dotted.iter(f"{SVG}circle"))) == 1


def test_several_lines_have_a_legend_and_colours_of_their_own() -> None:
    svg = a_chart(Series("ours", ((0, 0), (1, 1))), Series("theirs", ((0, 1), (1, 0))))
    assert {"ours", "theirs"} <= set(words_of(svg))
    assert len({path.get("stroke") for path in svg.iter(f"{SVG}path") if path.get("class") == "line"}) == 2


@given(NUMBERS)
def test_a_bar_is_never_longer_than_the_whole(value: float) -> None:
    _, filled = ElementTree.fromstring(share_bar(value, '"<share>"')).iter("rect")
    assert 0 <= float(filled.get("width", "-1")) <= 40


def test_a_bar_is_as_long_as_its_share() -> None:
    _, filled = ElementTree.fromstring(share_bar(0.25, "a quarter")).iter("rect")
    assert filled.get("width") == "10.0"


def test_more_lines_than_colours_are_told_apart_by_their_dashes() -> None:
    svg = a_chart(*(Series(f"line {number}", ((0, 0), (1, number))) for number in range(20)))
    looks = [
        (path.get("stroke"), path.get("stroke-dasharray"))
        for path in svg.iter(f"{SVG}path")
        if path.get("class") == "line"
    ]
    assert len(set(looks)) == len(looks) == 20


def test_a_line_with_a_style_of_its_own_looks_like_its_key_wherever_it_stands() -> None:
    alone = a_chart(Series("ours", ((0, 0), (1, 1)), style=9))
    (line,) = [path for path in alone.iter(f"{SVG}path") if path.get("class") == "line"]
    (key,) = ElementTree.fromstring(key_mark(9)).iter("path")
    assert (line.get("stroke"), line.get("stroke-dasharray")) == (key.get("stroke"), key.get("stroke-dasharray"))


def test_a_band_lies_around_its_line_and_a_legend_can_be_left_out() -> None:
    series = [Series("ours", ((0, 0.5), (10, 0.5)), ((0, 0.25, 0.75), (10, 0.25, 0.75))), Series("theirs")]
    svg = ElementTree.fromstring(line_chart(series, "t", Axis("x"), Axis("y", 1.0), legend=False))
    (band,) = [path for path in svg.iter(f"{SVG}path") if path.get("class") == "band"]
    (line,) = [path for path in svg.iter(f"{SVG}path") if path.get("class") == "line"]
    heights = {float(place.split()[1]) for place in band.get("d", "")[1:-1].split("L")}
    (middle,) = {float(place.split()[1]) for place in line.get("d", "")[1:].split("L")}
    assert middle * 2 == sum(heights)
    assert band.get("fill") == line.get("stroke")
    assert "ours" not in words_of(svg)
