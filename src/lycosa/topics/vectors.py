"""Texts as vectors of weighted terms, and how close a text is to a topic's examples.

A term is hashed to one of a million places, so a vector needs no dictionary that
grows with the crawl, and two agents give a text the same one. A vector holds
`1 + ln tf` of each term at length 1: it does not depend on any topic or count, so
it is made once, whoever asks. How rare a term is (idf) belongs to the topic and
comes from the shipped background alone: counting what a focused crawl fetches would
make exactly the topic's terms look common, and measured worse.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import xxhash

from lycosa.lexicon import Meanings, Running
from lycosa.records import Page
from lycosa.text import stems, stop_words, terms, words
from lycosa.topics.okapi import shipped_background

PLACES = 1 << 20
LONGEST_TEXT = 100_000
"""Characters of a text that are looked at: what a page is about shows by then."""
WORDS_REMEMBERED = 200_000
VECTORS_REMEMBERED = 2_000
MOST_TERMS = 300
"""Terms that stand for a topic; the many weak ones that examples hold besides only add noise."""

Floats: TypeAlias = npt.NDArray[np.float32]


class Vector(NamedTuple):
    """The terms of a text: their places, in order, and their weights."""

    places: npt.NDArray[np.int32]
    weights: Floats


NO_WORDS = Vector(np.empty(0, np.int32), np.empty(0, np.float32))


def place_of(term: str) -> int:
    """Where a term stands in every vector."""
    return xxhash.xxh32_intdigest(term.encode("utf-8", "replace")) % PLACES


class _Places(dict[str, int]):
    """Words of one language and the places of their stems, -1 for stop words; remembered."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._stop, self._stem = stop_words().get(language, frozenset()), stems(language)

    def __missing__(self, word: str) -> int:
        if len(self) >= WORDS_REMEMBERED:
            self.clear()
        place = self[word] = -1 if word in self._stop or len(word) < 2 else place_of(self._stem(word))
        return place


class Vectors:
    """Makes vectors of texts, and remembers those of the texts met lately."""

    def __init__(self) -> None:
        self._languages: dict[str, _Places] = {}
        self._meanings: dict[str, Meanings] = {}
        self._young: dict[Any, Vector] = {}
        self._old: dict[Any, Vector] = {}
        self.remembered = VECTORS_REMEMBERED

    def of_text(self, text: str, language: str = "en") -> Vector:
        """The vector of a text."""
        return self._known((text, language)) or self._remember((text, language), self._made(text, language))

    def of_page(self, page: Page) -> Vector:
        """The vector of a page's title and main text."""
        key = (page.digest or page.text, page.title)
        return self._known(key) or self._remember(key, self._made(f"{page.title}\n{page.text}", page.language or "en"))

    def _known(self, key: Any) -> Vector | None:
        found = self._young.get(key)
        if found is None and (found := self._old.pop(key, None)) is not None:
            self._remember(key, found)
        return found

    def _remember(self, key: Any, vector: Vector) -> Vector:
        if len(self._young) >= self.remembered:
            self._old, self._young = self._young, {}
        self._young[key] = vector
        return vector

    def _places(self, language: str) -> _Places:
        if language not in self._languages:
            self._languages[language] = _Places(language)
        return self._languages[language]

    def places(self, told: Running, language: str) -> npt.NDArray[np.int64]:
        """The places of running words, -1 for those that do not count."""
        if language not in self._meanings:
            self._meanings[language] = Meanings(self._places(language).__getitem__)
        return self._meanings[language].of(told)

    def _made(self, text: str, language: str) -> Vector:
        told = words(text[:LONGEST_TEXT])
        every = np.fromiter(map(self._places(language).__getitem__, told), np.int32, len(told))
        places, numbers = np.unique(every, return_counts=True)
        if len(places) and places[0] < 0:
            places, numbers = places[1:], numbers[1:]
        if not len(places):
            return NO_WORDS
        weights = (1 + np.log(numbers)).astype(np.float32)
        return Vector(places, weights / np.sqrt(weights @ weights))


@lru_cache(maxsize=1)
def vectors() -> Vectors:
    """One maker for all: a text has one vector."""
    return Vectors()


class TopicVector:
    """The middle of a topic's label and examples, and how close other texts are to it."""

    def __init__(self, label: str, examples: Sequence[str] = (), language: str = "en") -> None:
        texts = [text for text in (label, *examples) if text]
        self._names = {place_of(term): term for text in texts for term in terms(text[:LONGEST_TEXT], language)}
        self._weights = _weighed([vectors().of_text(text, language) for text in texts], _rarities(self._names))

    def similarity(self, vector: Vector) -> float:
        """How close a text is to the topic: about its cosine, between 0 and 1."""
        return min(1.0, float(self._weights[vector.places] @ vector.weights))

    def of_text(self, text: str, language: str = "en") -> float:
        """The similarity of a text, such as an anchor or what stands around a link."""
        return self.similarity(vectors().of_text(text, language)) if text else 0.0

    def of_texts(self, told: Running, language: str = "en") -> npt.NDArray[np.float64]:
        """The similarity of each of many short texts, worked out for all of them at once."""
        places = vectors().places(told, language)
        held = places >= 0
        cells, numbers = np.unique(told.owners[held] * PLACES + places[held], return_counts=True)
        owners, weights = cells // PLACES, 1 + np.log(numbers)
        lengths = np.sqrt(np.bincount(owners, weights * weights, told.texts))
        sums = np.bincount(owners, weights * self._weights[cells % PLACES], told.texts)
        return np.minimum(1.0, sums / np.maximum(lengths, 1e-12))

    def telling(self, vector: Vector, most: int = 5) -> str:
        """The terms that say most for a text's similarity, with their shares of it."""
        shares = self._weights[vector.places] * vector.weights
        best = np.argsort(-shares)[:most]
        named = [(self._names.get(int(vector.places[at])), float(shares[at])) for at in best]
        return ", ".join(f"{term} {share:.3f}" for term, share in named if term and share > 0)


def _rarities(names: dict[int, str]) -> Floats:
    """How rare each term is in the shipped background, by place."""
    background, found = shipped_background(), np.zeros(PLACES, np.float32)
    for place, term in names.items():
        holding = background.holding.get(term, 0)
        found[place] = math.log1p((background.documents - holding + 0.5) / (holding + 0.5))
    return found


def _weighed(texts: Sequence[Vector], rarities: Floats) -> Floats:
    """The middle of some texts, ready to be multiplied with a text's vector.

    A term's rarity counts twice, for topic and text; one that several texts hold
    counts more; and only the most telling terms count at all.
    """
    middle, held = np.zeros(PLACES, np.float32), np.zeros(PLACES, np.float32)
    lengths = [1.0]
    for places, weights in texts:
        rare = weights * rarities[places]
        lengths.append(math.sqrt(rare @ rare) or 1.0)
        middle[places] += rare / np.float32(lengths[-1])
        held[places] += 1
    middle *= np.sqrt(held / np.float32(max(1, len(texts))))
    telling = middle * rarities
    if np.count_nonzero(telling) > MOST_TERMS:
        middle[telling < np.partition(telling, -MOST_TERMS)[-MOST_TERMS]] = 0.0
    usual = math.sqrt(middle @ middle) * sum(lengths[1:]) / max(1, len(texts))
    weighed: Floats = middle * rarities / np.float32(usual or 1.0)
    return weighed
