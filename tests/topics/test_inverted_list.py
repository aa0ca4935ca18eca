"""Elias delta to the letter and in bulk; postings that say where every term stands."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.text import stems, stop_words, words
from lycosa.topics.elias_delta import LARGEST, RUN, bits_of, coded, decoded, numbers_of
from lycosa.topics.inverted_list import InvertedList
from lycosa.topics.okapi import Statistics

VECTORS = {1: "1", 2: "0100", 3: "0101", 4: "01100", 8: "00100000", 10: "00100010", 17: "001010001"}
NUMBER = st.integers(1, 300) | st.integers(1, LARGEST) | st.integers(0, 52).map(lambda power: 2**power)


@pytest.mark.parametrize(("number", "bits"), VECTORS.items())
def test_the_codes_are_elias_delta(number: int, bits: str) -> None:
    assert bits_of(number) == bits
    assert coded([number]).string() == bits
    assert numbers_of(bits) == [number]


def test_codes_stand_behind_each_other_without_gaps() -> None:
    assert coded(VECTORS).string() == "".join(VECTORS.values())


@given(st.lists(NUMBER, max_size=200))
def test_what_was_coded_is_decoded(numbers: list[int]) -> None:
    codes = coded(numbers)
    assert decoded(codes).tolist() == numbers
    assert codes.string() == "".join(map(bits_of, numbers))
    assert numbers_of(codes.string()) == numbers


@given(st.lists(st.lists(NUMBER, max_size=3 * RUN), max_size=8), st.data())
def test_any_lists_can_be_decoded_in_any_order(lists: list[list[int]], data: st.DataObject) -> None:
    codes = coded([number for each in lists for number in each], [len(each) for each in lists])
    chosen = data.draw(st.lists(st.sampled_from(range(len(lists))), max_size=10)) if lists else []
    wanted = [number for place in chosen for number in lists[place]]
    assert decoded(codes, np.asarray(chosen, np.int64)).tolist() == wanted


@pytest.mark.parametrize("number", [0, -1, LARGEST + 1])
def test_what_has_no_code_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="from 1 to"):
        bits_of(number)
    with pytest.raises(ValueError, match="from 1 to"):
        coded([3, number])


@pytest.mark.parametrize("bits", ["0", "010", "0010001"])
def test_bits_that_end_inside_a_code_are_refused(bits: str) -> None:
    with pytest.raises(ValueError, match="end inside a code"):
        numbers_of(bits)


def test_lists_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ValueError, match="hold 3 numbers, but there are 2"):
        coded([1, 2], [1, 2])


def test_postings_say_document_weight_and_places() -> None:
    held = InvertedList(["The bird sings, birds sing.", "", "A fish and a bird."])
    first, second = held.postings("bird")
    idf = math.log(1 + (3 - 2 + 0.5) / 2.5)
    assert (first.document, first.offsets) == (1, (2, 4))
    assert first.weight == pytest.approx((1 + math.log(2)) * idf)
    assert (second.document, second.offsets) == (3, (5,))
    assert second.weight == pytest.approx(idf)
    assert held.postings("the") == held.postings("whale") == ()
    assert "fish" in held
    assert len(held) == 3


def test_the_background_makes_common_words_light() -> None:
    background = Statistics(1000, 10_000, {"year": 900})
    held = InvertedList(["a year of storks"], background=background)
    assert held.postings("stork")[0].weight > 5 > 0.2 > held.postings("year")[0].weight > 0


WORD = st.sampled_from(["bird", "birds", "the", "wing", "nest", "nesting", "sky", "Über"])


@given(st.lists(st.lists(WORD, max_size=120).map(" ".join), max_size=40))
def test_every_occurrence_is_found_again_and_no_other(texts: list[str]) -> None:
    held = InvertedList(texts)
    wanted: dict[str, dict[int, list[int]]] = {}
    for number, text in enumerate(texts, 1):
        for place, word in enumerate(words(text), 1):
            if word not in stop_words()["en"]:
                wanted.setdefault(stems("en")(word), {}).setdefault(number, []).append(place)
    found = {term: {each.document: list(each.offsets) for each in held.postings(term)} for term in held.terms}
    assert found == wanted


@given(st.lists(st.lists(WORD, max_size=50).map(" ".join), min_size=1, max_size=20), st.lists(WORD, max_size=6))
def test_terms_asked_together_are_answered_as_alone(texts: list[str], asked: list[str]) -> None:
    held = InvertedList(texts)
    together = held.gather(asked)
    for place, term in enumerate(asked):
        alone = [(each.document, len(each.offsets)) for each in held.postings(term)]
        mine = together.asked == place
        pairs = zip(together.documents[mine].tolist(), together.counts[mine].tolist(), strict=True)
        assert list(pairs) == alone


def test_coded_numbers_are_smaller_than_plain_ones() -> None:
    chance = np.random.default_rng(1)
    texts = [" ".join(f"w{number}" for number in chance.zipf(1.3, 60) if number < 5000) for _ in range(400)]
    held = InvertedList(texts)
    postings = int(held.holding.sum())
    assert held.size_of_documents < 0.75 * 4 * postings
