"""The links of a page as columns: a sequence of Links like any other, made only where one is looked at."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from lycosa.records import Headings, Link, Links, lines_of, links_at, urls_of

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=5)
FOUND = st.lists(st.tuples(WORDS, WORDS, WORDS, WORDS, WORDS), max_size=6)


def columns(found: list[tuple[str, str, str, str, str]]) -> Links:
    urls, anchors, boundaries, paths, rels = ([each[place] for each in found] for place in range(5))
    headings = [Headings(boundary) for boundary in boundaries]
    return Links("http://a.org/", 3, urls, lines_of(anchors), boundaries, headings, lines_of(paths), rels)


def objects(found: list[tuple[str, str, str, str, str]]) -> tuple[Link, ...]:
    return tuple(
        Link(url, "http://a.org/", anchor, boundary, Headings(boundary), path, rel, place, 3)
        for place, (url, anchor, boundary, path, rel) in enumerate(found)
    )


@given(FOUND)
def test_columns_are_a_sequence_of_the_links_they_stand_for(found: list[tuple[str, str, str, str, str]]) -> None:
    expected = objects(found)
    links = columns(found)
    assert links.at(range(1, len(found))) == list(expected[1:])
    assert links_at(expected, range(1, len(found))) == list(expected[1:])
    assert [links[place] for place in range(len(found))] == list(expected) == links.at(range(len(found)))
    assert (len(links), tuple(links), links[1:], links) == (len(found), expected, expected[1:], expected)
    assert [links[place] for place in range(-len(found), len(found))] == [*expected, *expected]
    assert list(urls_of(links)) == urls_of(expected)
    assert pickle.loads(pickle.dumps(links)) == links


@given(FOUND)
def test_links_become_columns_and_stay_what_they_are(found: list[tuple[str, str, str, str, str]]) -> None:
    expected = objects(found)
    links = Links.of(expected)
    assert tuple(links) == expected
    assert (links.anchors, links.tag_paths) == (columns(found).anchors, columns(found).tag_paths)
    assert Links.of(links) is links


def test_columns_are_equal_to_the_same_links_only() -> None:
    one, other = columns([("u", "a", "b", "p", "")]), columns([("u", "z", "b", "p", "")])
    assert one == columns([("u", "a", "b", "p", "")])
    assert one != other
    assert one != ()
    assert one != "u"


def test_a_line_end_within_a_text_is_a_space() -> None:
    assert lines_of(["one\ntwo", "three"]) == "one two\nthree"
    assert lines_of(["\n"]) == " "
    assert lines_of([]) == ""
