"""Texts as vectors, and closeness to a topic's examples."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.records import Page
from lycosa.text import term_counts
from lycosa.topics.vectors import MOST_TERMS, PLACES, TopicVector, Vectors, place_of, vectors

BIRDS = "The heron is a long-legged wading bird. Herons nest in colonies and feed on fish and frogs in shallow water."
OWLS = "Owls are birds of prey that hunt at night. An owl's nest may lie in a hollow tree; its feathers make no noise."
TRAINS = "A locomotive pulls railway carriages along steel rails; the gauge of the track differs between countries."


def test_a_vector_holds_the_terms_of_its_text_with_the_logarithm_of_their_number() -> None:
    vector = vectors().of_text("heron heron heron fish")
    weights = dict(zip(vector.places.tolist(), vector.weights.tolist(), strict=True))
    length = math.hypot(1 + math.log(3), 1)
    assert weights[place_of("heron")] == pytest.approx((1 + math.log(3)) / length, rel=1e-6)
    assert weights[place_of("fish")] == pytest.approx(1 / length, rel=1e-6)


@given(st.text(max_size=300))
def test_every_vector_has_the_length_one_and_its_places_in_order(text: str) -> None:
    vector = Vectors().of_text(text)
    assert list(vector.places) == sorted(set(vector.places.tolist()))
    assert not len(vector.places) or abs(float(vector.weights @ vector.weights) - 1) < 1e-5
    assert len(vector.places) <= len(term_counts(text))
    assert all(0 <= place < PLACES for place in vector.places)


def test_texts_about_the_topic_are_closer_than_others() -> None:
    topic = TopicVector("", [BIRDS])
    assert topic.of_text(BIRDS) > topic.of_text(OWLS) > topic.of_text(TRAINS)
    assert 0 <= topic.of_text(TRAINS) <= topic.of_text(BIRDS) <= 1
    assert topic.of_text("") == 0


def test_the_label_alone_is_a_topic_too() -> None:
    topic = TopicVector("railway locomotives")
    assert topic.of_text(TRAINS) > 0.05 > topic.of_text(OWLS)


def test_an_empty_topic_is_close_to_nothing() -> None:
    assert TopicVector("").of_text(BIRDS) == 0


def test_terms_that_several_examples_share_count_more() -> None:
    shared, single = TopicVector("", [BIRDS, OWLS]), TopicVector("", [BIRDS, TRAINS])
    assert shared.of_text("bird nest") > single.of_text("bird nest")


def test_only_the_most_telling_terms_of_long_examples_count() -> None:
    long = " ".join(f"word{number} " * (1 + number % 5) for number in range(3 * MOST_TERMS))
    topic = TopicVector("", [long])
    assert 0 < sum(topic.of_text(f"word{number}") > 0 for number in range(3 * MOST_TERMS)) <= 2 * MOST_TERMS


def test_a_similarity_names_the_terms_that_made_it() -> None:
    topic = TopicVector("", [BIRDS])
    told = topic.telling(vectors().of_text("a heron and a locomotive"))
    assert "heron" in told
    assert "locomot" not in told


def test_vectors_are_remembered_within_bounds() -> None:
    maker = Vectors()
    maker.remembered = 10
    first = maker.of_text("heron")
    assert maker.of_text("heron") is first
    for number in range(100):
        maker.of_text(f"text {number}")
    assert len(maker._young) + len(maker._old) <= 20
    assert maker.of_text("heron") is not first


def test_a_page_is_its_title_and_its_text() -> None:
    page = Page("http://a.org/", title="Heron", text="wades in water", digest=b"1")
    assert place_of("heron") in vectors().of_page(page).places
    assert place_of("water") in vectors().of_page(page).places
