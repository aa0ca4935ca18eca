"""Queries as people type them, and the index that answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.interface.commands.search import search_lines
from lycosa.records import Page
from lycosa.search.index import Document, IndexReader, IndexWriter
from lycosa.search.query import MOST_WORDS, Wanted, understand
from lycosa.search.schema import IndexDamaged

MEMORY = 32 * 1024**2


def test_words_phrases_minus_and_filters() -> None:
    found = understand('wolf "carries its young" -tarantula site:Example.org lang:en')
    assert found == Wanted(
        ("wolf",), ("carries its young",), ("tarantula",), (("site", "example.org"), ("language", "en"))
    )


def test_stop_words_count_only_where_nothing_else_was_typed() -> None:
    assert understand("the nest of a bird").words == ("nest", "bird")
    assert understand("to be or not").words == ("to", "be", "or", "not")


@given(st.text(max_size=2000))
def test_no_query_means_more_than_it_looks_like(typed: str) -> None:
    found = understand(typed)
    assert len(found.words) <= MOST_WORDS
    for part in (*found.words, *found.without, *found.phrases):
        assert part.replace(" ", "").isalnum()


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    folder = tmp_path_factory.mktemp("index")
    writer = IndexWriter(folder, MEMORY)
    pages = [
        Page("http://a.org/1", "Wolf spiders", text="A wolf spider carries its young on its back.", language="en"),
        Page("http://b.org/2", "Tarantulas", text="A tarantula is a large spider, no wolf.", language="en"),
        Page("http://www.a.org/3", "Loups", text="Le loup chasse la nuit.", language="fr"),
    ]
    for page in pages:
        writer.add(Document(page, at=1.7e9, anchors=("lycosidae",) if page.url.endswith("1") else ()))
    writer.add(Document(pages[0], at=1.7e9, anchors=("lycosidae",)))
    writer.commit({0: 3})
    writer.close()
    return IndexReader(folder)


@pytest.mark.parametrize(
    ("typed", "urls"),
    [
        ("wolf spider", ["http://a.org/1", "http://b.org/2"]),
        ('"wolf spider"', ["http://a.org/1"]),
        ("spiders -tarantula", ["http://a.org/1"]),
        ("spider site:b.org", ["http://b.org/2"]),
        ("site:a.org", ["http://a.org/1", "http://www.a.org/3"]),
        ("lang:fr loup", ["http://www.a.org/3"]),
        ("lycosidae", ["http://a.org/1"]),
        ("-wolf", []),
        ("", []),
        ('"" : ( ) * ~ ^ \\', []),
    ],
)
def test_searching(reader: IndexReader, typed: str, urls: list[str]) -> None:
    found = reader.search(understand(typed))
    assert sorted(hit.url for hit in found.hits) == sorted(urls)
    assert found.total == len(urls)


def test_a_page_added_twice_is_there_once_and_marked_up(reader: IndexReader) -> None:
    assert len(reader) == 3
    (hit,) = reader.search(understand('"wolf spider"')).hits
    assert hit.title == "Wolf spiders"
    assert "<b>wolf</b>" in hit.snippet


def test_a_phrase_that_no_page_has_is_searched_by_its_words_and_says_so(reader: IndexReader) -> None:
    wanted = understand('"spiders on its back" -tarantula')
    found = reader.search(wanted)
    assert [hit.url for hit in found.hits] == ["http://a.org/1"]
    assert found.loosened == ("spiders on its back",)
    assert "No page has “spiders on its back” word for word" in search_lines("typed", found)[1]
    assert reader.ranking(wanted, 5) == ["http://a.org/1"]
    assert wanted.loosened(found.loosened).words == ("spiders", "back")
    assert reader.search(understand('"wolf spider"')).loosened == ()


def test_a_phrase_that_pages_have_is_kept_where_a_filter_leaves_none(reader: IndexReader) -> None:
    found = reader.search(understand('"wolf spider" site:b.org'))
    assert (found.total, found.loosened) == (0, ())


def test_only_the_phrases_that_no_page_has_are_loosened(reader: IndexReader) -> None:
    found = reader.search(understand('"large spider" "wolf tarantula"'))
    assert [hit.url for hit in found.hits] == ["http://b.org/2"]
    assert found.loosened == ("wolf tarantula",)


def test_a_word_typed_twice_counts_twice(tmp_path: Path) -> None:
    writer = IndexWriter(tmp_path, MEMORY)
    for name, text in (("a", "red stone stone"), ("b", "blue red red"), ("c", "grey")):
        writer.add(Document(Page(f"http://a.org/{name}", text=text), at=1.7e9))
    writer.commit({0: 3})
    writer.close()
    reader = IndexReader(tmp_path)
    scores = {typed: reader.search(understand(typed)).hits[0].score for typed in ("grey", "grey grey")}
    assert scores["grey grey"] == pytest.approx(2 * scores["grey"])
    assert reader.ranking(understand("red stone stone"), 3)[0] == "http://a.org/a"
    assert reader.ranking(understand("red red blue"), 3)[0] == "http://a.org/b"


def test_a_title_and_anchors_are_found_and_are_not_in_the_snippet(reader: IndexReader) -> None:
    (hit,) = reader.search(understand("lycosidae")).hits
    assert (hit.url, "lycosidae" in hit.snippet) == ("http://a.org/1", False)
    assert hit.snippet.startswith("A wolf spider")


def test_what_was_not_committed_is_not_found(tmp_path: Path) -> None:
    writer = IndexWriter(tmp_path, MEMORY)
    writer.add(Document(Page("http://a.org/", "x", text="alpha"), at=1.7e9))
    writer.commit({0: 1})
    writer.add(Document(Page("http://b.org/", "x", text="beta"), at=1.7e9))
    writer.close()
    again = IndexWriter(tmp_path, MEMORY)
    assert again.marks == {0: 1}
    again.close()
    assert IndexReader(tmp_path).urls() == {"http://a.org/"}


def test_no_index_is_told(tmp_path: Path) -> None:
    with pytest.raises(IndexDamaged, match="no index yet"):
        IndexReader(tmp_path / "nothing")
