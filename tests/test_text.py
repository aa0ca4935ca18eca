"""Words, stems and languages."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.text import (
    language_of,
    letters_of,
    lower_of,
    occurrences,
    plain_letters,
    plain_occurrences,
    stop_words,
    term_counts,
    terms,
    words,
)


def test_words() -> None:
    assert words("The bird's nest, 2nd_edition: Café!") == ["the", "bird", "s", "nest", "2nd", "edition", "café"]


@given(st.text(st.characters(max_codepoint=126), max_size=200))
def test_the_native_path_gives_the_same_words(text: str) -> None:
    assert words(text) == re.findall(r"[a-z0-9]+", text.lower())


def test_terms_are_stemmed_and_without_stop_words() -> None:
    assert terms("The birds were flying over the nests") == ["bird", "fly", "nest"]
    assert term_counts("bird, birds and a nest") == {"bird": 2, "nest": 1}


def test_other_languages_have_their_own_stemmer() -> None:
    assert terms("die Häuser der Städte", "de") == ["haus", "stadt"]


def test_a_language_without_a_stemmer_keeps_its_words() -> None:
    assert terms("domy i miasta", "pl") == ["domy", "miasta"]


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        (
            "This is the text of a page that was written by people who like birds and their nests in the trees",
            "de",
            "en",
        ),
        ("Das ist der Text einer Seite, die von Leuten geschrieben wurde, die Vögel und ihre Nester mögen", "en", "de"),
        ("C'est le texte d'une page qui a été écrite par des gens qui aiment les oiseaux et leurs nids", "", "fr"),
        ("xyzzy plugh", "it", "it"),
        ("bird nest wing feather", "", ""),
    ],
)
def test_language(text: str, declared: str, language: str) -> None:
    assert language_of(words(text), declared) == language


def test_stop_words_are_words() -> None:
    for language, listed in stop_words().items():
        assert len(listed) > 40, language
        assert all(words(word) == [word] for word in listed), language


@given(st.text() | st.text("aB \t\n\r\x0b\x0c\x1c\xa0\u0130ß\ud800"))
def test_letters_are_the_same_however_they_are_read(text: str) -> None:
    assert letters_of(text) == plain_letters(text)


@given(st.text() | st.text(st.characters(max_codepoint=127)) | st.text("aZ@[`{\u0130ß\ud800"))
def test_lower_case_is_the_same_however_it_is_made(text: str) -> None:
    assert lower_of(text) == text.lower()
    assert hash(lower_of(text)) == hash(text.lower())


@given(st.binary(max_size=600), st.binary(min_size=1, max_size=1))
def test_bytes_are_counted_the_same_however_they_are_counted(data: bytes, byte: bytes) -> None:
    assert occurrences(data, byte) == plain_occurrences(data, byte) == data.count(byte)
    assert occurrences(data, b" ") == data.count(b" ")
    assert occurrences(b" " * len(data), b" ") == len(data)
