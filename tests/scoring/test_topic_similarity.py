"""Closeness to the topic is the topic vector's measure, only faster for short texts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_web import BIRDS, FILLER, TOPICS

from lycosa.scoring.baselines.topic_similarity import Closeness
from lycosa.topics.vectors import TopicVector

CLOSENESS, VECTOR = Closeness(BIRDS), TopicVector(BIRDS.label, BIRDS.examples)
WORDS = [word for listed in TOPICS.values() for word in listed.split()] + [
    *FILLER,
    "the",
    "a",
    "eagles",
    "Nesting",
    "é",
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join))
def test_a_text_is_as_close_as_the_topic_vector_says(text: str) -> None:
    assert CLOSENESS.of(text) == pytest.approx(VECTOR.of_text(text), abs=1e-5)


def test_what_says_nothing_is_not_close_at_all() -> None:
    assert [CLOSENESS.of(text) for text in ("", "the of and", "???", "bakery")] == [0.0] * 4


def test_very_long_texts_are_judged_by_their_beginning() -> None:
    assert CLOSENESS.of("bakery " * 1000 + "eagle") == 0.0
