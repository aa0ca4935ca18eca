"""Running words as numbers: the words of each text, what they mean to whoever asks, and a beginning anew."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa import lexicon
from lycosa.lexicon import NO_WORD, Meanings, Running, running
from lycosa.text import END, words


def told_again(told: Running) -> list[list[str]]:
    """The words of each text, by their numbers."""
    found: list[list[str]] = [[] for _ in range(told.texts)]
    for number, owner in zip(told.numbers.tolist(), told.owners.tolist(), strict=True):
        found[owner].append(told.lexicon.words[number])
    return found


@given(st.lists(st.text(max_size=60), max_size=12))
def test_running_words_are_those_of_each_text_with_an_end_behind_them(texts: list[str]) -> None:
    assert told_again(running(texts)) == [[*words(text), END] for text in texts]


def test_the_first_texts_of_a_run_are_a_run() -> None:
    told = running(["wolf spiders", "", "orb weavers", "hunt"])
    assert told_again(told.first(2)) == [["wolf", "spiders", END], [END]]
    assert told_again(told.first(0)) == []
    assert told.numbers[told.owners == 1].tolist() == [NO_WORD]


def test_each_word_is_asked_about_once_however_often_it_is_told() -> None:
    asked: Counter[str] = Counter()

    def meaning(word: str) -> int:
        asked[word] += 1
        return len(word)

    meanings = Meanings(meaning)
    first = meanings.of(running(["a wolf spider is a spider"]))
    assert first.tolist() == [1, 4, 6, 2, 1, 6, 1]
    for size in (5, 500, 1500):
        told = running([f"word{place}x and a spider" for place in range(size)])
        assert meanings.of(told).tolist() == [len(word) for text in told_again(told) for word in text]
    assert set(asked.values()) == {1}


def test_numbers_begin_anew_when_there_are_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    meanings = Meanings(len)
    before = running(["burrows of spiders"])
    assert meanings.of(before).tolist() == [7, 2, 7, 1]
    monkeypatch.setattr(lexicon, "MOST_WORDS", 3)
    after = running(["spiders"])
    assert len(after.lexicon.words) == 2, "only what was told since"
    assert meanings.of(after).tolist() == [7, 1]
    assert meanings.of(before).tolist() == [7, 2, 7, 1], "what was numbered before is still understood"
    again = running(["spiders of burrows"])
    assert told_again(again) == [["spiders", "of", "burrows", END]]
