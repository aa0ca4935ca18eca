"""The topic weight table (N2): the few words that make a topic, each with its weight, and how near a text is to them.

The table comes from the first results of a search, or from the documents that a
person brought. Texts near a link are measured against it by the cosine of N4.
There are many of them and they repeat, so only the table's own words are looked
at, and a text that comes again is answered from memory.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property

import xxhash

from lycosa.configuration.sections import Relevance
from lycosa.records import Record, Score
from lycosa.text import stems, terms
from lycosa.topics.okapi import Okapi

MOST_TERMS = 10
FIRST_RESULTS = 7
"""So many results of a search make a table."""

REMEMBERED = 16_384
MOST_TOLD = 5


class WeightTable(Record, frozen=True, gc=True, dict=True):
    """Terms (stems) with their weights, the heaviest first; the heaviest has weight 1."""

    weights: tuple[tuple[str, float], ...] = ()
    language: str = "en"

    @classmethod
    def of_texts(cls, texts: Iterable[str], language: str = "en", most: int = MOST_TERMS) -> WeightTable:
        """The most frequent terms of all texts together, each weighing n / n_max; the earlier of two equals wins.

        A lone letter is no term but what is left of a word, such as the s of `spider's`.
        """
        counted: Counter[str] = Counter()
        for text in texts:
            counted.update(term for term in terms(text, language or "en") if len(term) > 1 or not term.isascii())
        kept = counted.most_common(most)
        return cls(tuple((term, number / kept[0][1]) for term, number in kept), language or "en")

    @classmethod
    def of_weights(cls, told: Mapping[str, float], language: str = "en") -> WeightTable:
        """A table that somebody wrote: words are stemmed, and of words with one stem the heaviest counts."""
        found: dict[str, float] = {}
        for word, weight in told.items():
            if not (math.isfinite(weight) and weight > 0):
                raise ValueError(f"the weight of {word!r} is {weight}; it must be greater than 0")
            stem = stems(language or "en")(word.lower())
            found[stem] = max(weight, found.get(stem, 0.0))
        return cls(tuple(sorted(found.items(), key=lambda pair: -pair[1])), language or "en")

    def counts(self, text: str) -> dict[str, int]:
        """How often each term of the table occurs in a text; those that do not occur are left out."""
        return self._measure.counts(text)

    def cosine(self, found: str | Mapping[str, int]) -> float:
        """How near a text, or counts of terms, are to the topic (N4): 0 without a term, 1 with the table's mixture."""
        return self._measure.measured(found).value

    def score(self, found: str | Mapping[str, int]) -> Score:
        """The cosine with the terms that made it, the telling ones first."""
        measured, weights = self._measure.measured(found), dict(self.weights)
        if not measured.held:
            return NOTHING
        held = sorted(measured.held, key=lambda pair: -weights[pair[0]] * pair[1])
        told = ", ".join(f"{number} × {term} ({weights[term]:.2f})" for term, number in held[:MOST_TOLD])
        more = f" and {len(held) - MOST_TOLD} more" if len(held) > MOST_TOLD else ""
        return Score(measured.value, f"cosine with the topic's weight table: {told}{more}")

    @cached_property
    def _measure(self) -> _Measure:
        return _Measure(dict(self.weights), self.language)


class _Measured(Record, frozen=True):
    value: float = 0.0
    held: tuple[tuple[str, int], ...] = ()


class _Measure:
    """Measures texts against one table's weights."""

    def __init__(self, weights: dict[str, float], language: str) -> None:
        self._weights = weights
        self._squares = math.fsum(weight * weight for weight in weights.values())
        self._counter = Okapi(dict.fromkeys(weights, 1), Relevance())
        self._language = language
        self._remembered: dict[bytes, _Measured] = {}

    def measured(self, found: str | Mapping[str, int]) -> _Measured:
        """A text is remembered by its digest, so what is kept does not grow with the texts."""
        if not isinstance(found, str):
            return self._of_counts(found)
        key = xxhash.xxh3_128_digest(found.encode("utf-8", "surrogatepass"))
        measured = self._remembered.get(key)
        if measured is None:
            if len(self._remembered) >= REMEMBERED:
                self._remembered.clear()
            measured = self._remembered[key] = self._of_counts(self.counts(found))
        return measured

    def _of_counts(self, counted: Mapping[str, int]) -> _Measured:
        """N4 divides each count by the largest one first, which changes nothing in a cosine."""
        weights = self._weights
        held = tuple((term, number) for term, number in counted.items() if number > 0 and term in weights)
        if not held:
            return _Measured()
        common = sum(weights[term] * number for term, number in held)
        lengths = math.sqrt(self._squares * sum(number * number for _, number in held))
        return _Measured(min(common / lengths, 1.0), held)

    def counts(self, text: str) -> dict[str, int]:
        """How often each term of the table occurs in a text; Okapi's way to count looks at no other word."""
        return self._counter.count(text, self._language)[0]


NOTHING = Score(0.0, "no term of the topic's weight table occurs")
