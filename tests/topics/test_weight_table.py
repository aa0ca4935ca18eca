"""The topic weight table (N2) and the cosine of a text with it (N4), against the vectors of the specification."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from statistics import fmean
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.text import terms
from lycosa.topics import weight_table
from lycosa.topics.weight_table import WeightTable

COMPUTER_BOOKS = {
    "book": 1.0, "free": 0.894259882, "program": 0.459214501, "computer": 0.380664665, "web": 0.25679758,
    "ebook": 0.25679758, "site": 0.250755287, "linux": 0.223564954, "java": 0.208459214, "post": 0.187311178,
}  # fmt: skip
ONLY_BOOK, BOOK_AND_WEB = "A book.", "Books and a book, booked: the book of the web"
WORDS = [
    *COMPUTER_BOOKS,
    "books",
    "Programs!",
    "computing",
    "computers",
    "webs",
    "ebooks",
    "tree",
    "the",
    "über",
    "Java.",
]
texts = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)


@pytest.fixture(scope="module")
def table() -> WeightTable:
    return WeightTable.of_weights(COMPUTER_BOOKS)


def by_the_book(table: WeightTable, text: str) -> float:
    """NGF equation 2, straight: weights tf / max tf over the table's terms."""
    counted = Counter(term for term in terms(text) if term in dict(table.weights))
    if not counted:
        return 0.0
    near = {term: number / max(counted.values()) for term, number in counted.items()}
    common = sum(weight * near.get(term, 0.0) for term, weight in table.weights)
    return common / math.sqrt(sum(w * w for _, w in table.weights) * sum(w * w for w in near.values()))


def test_the_squares_of_the_example_table(table: WeightTable) -> None:
    assert sum(weight * weight for _, weight in table.weights) == pytest.approx(2.478774499771, abs=1e-12)


def test_the_vectors_of_the_example_table(table: WeightTable) -> None:
    assert table.cosine(ONLY_BOOK) == pytest.approx(0.635157587, abs=1e-9)
    assert table.counts(BOOK_AND_WEB) == {"book": 4, "web": 1}
    assert table.cosine(BOOK_AND_WEB) == pytest.approx(0.655752611, abs=1e-9)
    assert table.cosine({"book": 4, "web": 1, "tree": 7}) == table.cosine(BOOK_AND_WEB)


def test_thirteen_parents_have_the_mean_of_the_example(table: WeightTable) -> None:
    paragraphs = [BOOK_AND_WEB] * 2 + [ONLY_BOOK] * 2 + ["Nothing of the kind."] * 9
    mean = fmean(map(table.cosine, paragraphs))
    assert mean == pytest.approx(0.198601569, abs=1e-9)
    assert mean < 0.5


@given(texts)
def test_the_cosine_is_that_of_the_formula(text: str) -> None:
    table = WeightTable.of_weights(COMPUTER_BOOKS)
    assert table.cosine(text) == pytest.approx(by_the_book(table, text), abs=1e-12)
    assert 0 <= table.cosine(text) <= 1


@given(st.lists(texts, max_size=7))
def test_the_heaviest_terms_by_count_then_by_first_occurrence(several: list[str]) -> None:
    table = WeightTable.of_texts(several)
    every = [term for text in several for term in terms(text)]
    expected = sorted(set(every), key=lambda term: (-every.count(term), every.index(term)))[:10]
    assert [term for term, _ in table.weights] == expected
    top = every.count(expected[0]) if expected else 1
    assert [weight for _, weight in table.weights] == [every.count(term) / top for term in expected]


def test_stop_words_and_pieces_of_words_are_no_terms() -> None:
    table = WeightTable.of_texts(["The spider's burrow, and the spiders'", "The burrow of the spider"])
    assert table.weights == (("spider", 1.0), ("burrow", 2 / 3))


def test_an_empty_table_is_near_to_nothing() -> None:
    table = WeightTable.of_texts(["the and of", ""])
    assert table.weights == ()
    assert table.cosine("the book") == 0
    assert table.cosine({"book": 1}) == 0


def test_a_score_says_why(table: WeightTable) -> None:
    score = table.score(BOOK_AND_WEB)
    assert score.value == table.cosine(BOOK_AND_WEB)
    assert "4 × book (1.00), 1 × web (0.26)" in score.why
    assert "no term" in table.score("trees").why
    assert "and 5 more" in table.score(" ".join(COMPUTER_BOOKS)).why


def test_a_text_asked_twice_is_counted_once() -> None:
    table = WeightTable.of_weights(COMPUTER_BOOKS)
    with patch("lycosa.topics.okapi.Okapi.count", autospec=True, return_value=({"book": 1}, 2)) as count:
        assert table.cosine(ONLY_BOOK) == table.score(ONLY_BOOK).value > 0
        assert count.call_count == 1
        table.cosine(ONLY_BOOK + " ")
        assert count.call_count == 2


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weight_table, "REMEMBERED", 8)
    table = WeightTable.of_weights(COMPUTER_BOOKS)
    for number in range(50):
        assert table.cosine(f"book {number}") == pytest.approx(0.635157587)
        assert len(table._measure._remembered) <= 8


def test_a_table_travels_without_what_it_remembers(table: WeightTable) -> None:
    table.cosine(ONLY_BOOK)
    assert pickle.loads(pickle.dumps(table)) == table
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(table), type=WeightTable)
    assert again == table
    assert again.cosine(BOOK_AND_WEB) == table.cosine(BOOK_AND_WEB)


def test_other_languages_have_their_own_stems() -> None:
    table = WeightTable.of_texts(["Die Spinne und die Spinnen", "Spinnen jagen"], "de")
    assert table.weights[0][1] == 1.0
    assert table.cosine("Eine Spinne") == table.cosine("Spinnen") > 0


def test_odd_texts_are_measured_too(table: WeightTable) -> None:
    assert table.cosine("book \ud800 \x00 " + "x" * 100_000) == pytest.approx(0.635157587)
    assert table.cosine("") == 0


def test_a_weight_that_is_none_is_refused() -> None:
    for weight in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="weight of 'book'"):
            WeightTable.of_weights({"book": weight})
