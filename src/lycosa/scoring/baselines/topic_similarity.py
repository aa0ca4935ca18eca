"""How close short texts are to the topic: anchors and paragraphs by the dozen on every page.

The measure is the topic vector's. A text of a few words is summed up here from what
each of the topic's words says alone, which is asked of the topic vector once per
word: for anchors that takes a tenth of the time of making a vector. Texts are remembered, too, since
anchors and paragraphs come again and again.
"""

from __future__ import annotations

import math
from collections import Counter

from lycosa.plugins.plug_points import Topic
from lycosa.scoring.bounded_memory import Remembered
from lycosa.text import stems, stop_words, terms, words
from lycosa.topics.vectors import TopicVector

TEXTS_REMEMBERED = 50_000
WORDS_REMEMBERED = 200_000
LONGEST_TEXT = 1_000
"""Longer texts are judged by their beginning."""


class _Stems(dict[str, str]):
    """Words and their stems, '' for stop words and single letters; remembered."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._stop, self._stem = stop_words().get(language, frozenset()), stems(language)

    def __missing__(self, word: str) -> str:
        if len(self) >= WORDS_REMEMBERED:
            self.clear()
        stem = self[word] = "" if word in self._stop or len(word) < 2 else self._stem(word)
        return stem


class Closeness:
    """The cosine of a text and the topic, between 0 and 1."""

    def __init__(self, topic: Topic, language: str = "en") -> None:
        self._topic = TopicVector(topic.label, topic.examples, language)
        self._language = language
        self._stems = _Stems(language)
        self._telling = frozenset(term for text in (topic.label, *topic.examples) for term in terms(text, language))
        self._weights: dict[str, float] = {}
        self._texts: Remembered[str, float] = Remembered(TEXTS_REMEMBERED)

    def of(self, text: str) -> float:
        """Worked out once per text."""
        if not text:
            return 0.0
        text = text[:LONGEST_TEXT]
        found = self._texts.get(text)
        if found is None:
            found = self._summed(words(text))
            self._texts.put(text, found)
        return found

    def _summed(self, text: list[str]) -> float:
        """`Σ (1 + ln tf) · w / √Σ (1 + ln tf)²` over the stems of a text, w being what a stem says alone."""
        numbers = Counter(map(self._stems.__getitem__, text))
        del numbers[""]
        if not numbers.keys() & self._telling <= self._weights.keys():
            self._weigh(text)
        weights = self._weights.get
        said, length = 0.0, float(len(numbers))
        for stem, number in numbers.items():
            if number == 1:
                said += weights(stem, 0.0)
            else:
                often = 1 + math.log(number)
                said += often * weights(stem, 0.0)
                length += often * often - 1
        return min(1.0, said / math.sqrt(length)) if length else 0.0

    def _weigh(self, text: list[str]) -> None:
        """Ask what the topic's words in a text say; others say nothing."""
        for word in text:
            stem = self._stems[word]
            if stem in self._telling and stem not in self._weights:
                self._weights[stem] = self._topic.of_text(word, self._language)
