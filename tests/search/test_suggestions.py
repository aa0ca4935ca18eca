"""What search suggests while somebody types, and which spelling it takes for meant."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.records import Page
from lycosa.search.index import Document, IndexReader, IndexWriter
from lycosa.search.schema import LONGEST_NAME, name_of
from lycosa.search.suggestions import FARTHEST, LONGEST_WORD, MOST_SUGGESTED, WordList, completed, corrected, distances

WORDS = st.text("abcdeß", min_size=1, max_size=9)
PAGES = [
    ("Wolf spider", "A wolf spider hunts by sight and spins no web."),
    ("Spiders of the garden", "The garden spider spins a web and waits."),
    ("Bees | The Hive", "Bees dance, and spiders eat them."),
    ("Spinning wheels", "Yarn is spun on a spinning wheel."),
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    folder = tmp_path_factory.mktemp("index")
    writer = IndexWriter(folder, 15_000_000)
    for number, (title, text) in enumerate(PAGES):
        writer.add(Document(Page(f"http://a.org/{number}", title, text=text), at=1.7e9))
    writer.commit({0: len(PAGES)})
    writer.close()
    return IndexReader(folder)


@pytest.fixture(scope="module")
def known(reader: IndexReader) -> WordList:
    return WordList(reader.words(1000))


def steps(one: str, other: str) -> int:
    """The distance again, written as its definition says."""
    rows = [[max(i, j) if not (i and j) else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (one[i - 1] != other[j - 1]))
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


@given(WORDS, st.lists(WORDS, min_size=1, max_size=8))
def test_distances_are_those_of_damerau_and_levenshtein(word: str, others: list[str]) -> None:
    codes = np.array(others, f"<U{LONGEST_WORD}").view(np.uint32).reshape(len(others), LONGEST_WORD)
    found = distances(word, codes, np.array(list(map(len, others))))
    beyond = FARTHEST + 1
    assert [min(each, beyond) for each in found.tolist()] == [min(steps(word, other), beyond) for other in others]


@pytest.mark.parametrize(
    ("word", "other", "away"),
    [
        ("spidre", "spider", 1),
        ("psider", "spider", 1),
        ("spider", "spiders", 1),
        ("spizer", "spider", 1),
        ("ab", "ba", 1),
    ],
)
def test_one_slip_is_one_step(word: str, other: str, away: int) -> None:
    codes = np.array([other], f"<U{LONGEST_WORD}").view(np.uint32).reshape(1, LONGEST_WORD)
    assert distances(word, codes, np.array([len(other)])).tolist() == [away]
    assert steps(word, other) == away


@given(WORDS, st.dictionaries(WORDS, st.integers(1, 1000), max_size=30))
def test_the_nearest_word_is_known_and_near(word: str, counted: dict[str, int]) -> None:
    found = WordList(counted.items()).nearest(word)
    near = [each for each in counted if 0 < steps(word, each) <= (1 if len(word) < 5 else FARTHEST)]
    assert bool(found) == bool(near and len(word) >= 3)
    assert not found or found in near


def test_of_words_equally_near_the_more_frequent_one_was_meant() -> None:
    assert WordList([("spider", 9), ("spiber", 1)]).nearest("spizer") == "spider"


@given(st.dictionaries(WORDS, st.integers(1, 50), max_size=30), st.text("abc", max_size=3))
def test_words_that_begin_so_come_by_frequency(counted: dict[str, int], prefix: str) -> None:
    found = WordList(counted.items()).beginning(prefix, 5)
    expected = sorted((each for each in counted if each.startswith(prefix)), key=lambda each: -counted[each])
    assert [counted[each] for each in found] == [counted[each] for each in expected[:5]]
    assert WordList(counted.items()).number(prefix) == len(expected)


@pytest.mark.parametrize(
    ("typed", "suggested"),
    [
        ("spi", ["spider", "spiders", "spins", "spinning", "spiders of the garden", "spinning wheels"]),
        ("wolf s", ["wolf spider", "wolf spins", "wolf sight"]),
        ("garden spi", ["garden spider", "garden spiders", "garden spins"]),
        ("Wolf spider", []),
        ("bee", ["bees"]),
        ("zzz", []),
        ("", []),
        ("site:a", []),
        ("web -sp", []),
        ('"wolf sp', []),
    ],
)
def test_suggestions_come_from_words_and_titles(
    reader: IndexReader, known: WordList, typed: str, suggested: list[str]
) -> None:
    found = completed(typed, reader, known)
    assert set(found) >= set(suggested) if suggested else found == []


def test_stop_words_are_not_suggested(reader: IndexReader, known: WordList) -> None:
    assert known.number("the") == 2
    assert "the" not in completed("th", reader, known)


def test_queries_of_others_come_first(reader: IndexReader, known: WordList) -> None:
    assert completed("spi", reader, known, ["bees", "spider silk", "spi"])[:2] == ["spider silk", "spider"]


@given(st.text(max_size=300))
def test_nothing_typed_is_too_odd(reader: IndexReader, known: WordList, typed: str) -> None:
    found = completed(typed, reader, known, ["a b", "spider"])
    assert len(found) == len(set(found)) <= MOST_SUGGESTED
    assert typed not in found
    assert isinstance(corrected(typed, 0, reader, known), str)


@pytest.mark.parametrize(
    ("typed", "total", "meant"),
    [
        ("spidre", 0, "spider"),
        ("wolf Spidr", 9, "wolf spider"),
        ('"wolf spidr" site:a.org -bee', 0, '"wolf spider" site:a.org -bee'),
        ("spiders", 9, ""),
        ("hunting", 9, ""),
        ("-spidre", 0, ""),
        ("site:spidre", 0, ""),
        ("qwertyuiop", 0, ""),
        ("12345", 0, ""),
    ],
)
def test_only_words_of_the_index_are_taken_for_meant(
    reader: IndexReader, known: WordList, typed: str, total: int, meant: str
) -> None:
    assert corrected(typed, total, reader, known) == meant


def test_a_rare_word_is_called_wrong_only_where_little_was_found(tmp_path: Path) -> None:
    writer = IndexWriter(tmp_path, 15_000_000)
    for number in range(30):
        writer.add(Document(Page(f"http://a.org/{number}", text="spider" if number else "spidre"), at=1.7e9))
    writer.commit({0: 30})
    writer.close()
    reader = IndexReader(tmp_path)
    known = WordList(reader.words(100))
    assert corrected("spidre", 1, reader, known) == "spider"
    assert corrected("spidre", 20, reader, known) == ""
    assert corrected("spider", 1, reader, known) == ""


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Wolf spider - Wikipedia", "wolf spider"),
        ("Bees | The Hive", "bees"),
        ("| Bees", "bees"),
        ("A well-known bee", "a well known bee"),
        ("<b>Bold</b>", "b bold b"),
        ("", ""),
    ],
)
def test_pages_are_called_by_their_titles_without_the_site(title: str, name: str) -> None:
    assert name_of(title) == name


@given(st.text(max_size=500))
def test_names_are_short(title: str) -> None:
    assert len(name_of(title)) <= LONGEST_NAME
