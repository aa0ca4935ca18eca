"""The temporary vocabulary V': terms of the documents that V does not know, and what they weigh there.

A term counts when enough of the documents hold it, and clearly and surprisingly
more of them than texts in general (the shipped background), so that ordinary words
which the taxonomy happens not to use stay out; the commonest are listed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np

from lycosa.text import stems, stop_words, words
from lycosa.topics.okapi import shipped_background
from lycosa.topics.semantic_checker.corpus import Collection, Floats, Ints, Origin, Truths

MOST_NEW_TERMS = 1_000
OVER_USUAL = 2.0
"""A new term is in at least so many times more of the documents than of texts in general."""
RAREST = 0.0003
"""The share of texts that hold a term of which the background has none."""
SURPRISING = math.log(1000)
SHORTEST_COMPOUND = 5


@dataclass(frozen=True)
class NewTerms:
    """V', heaviest first: the terms' numbers, their weights (the heaviest has 1), and the documents that hold them."""

    terms: Ints
    weights: Floats
    texts: tuple[Ints, ...]
    """For each term the places, among the handed-over documents, of those that hold it."""


def fewest_texts(documents: int) -> int:
    """How many of so many documents must hold a term: 1 up to 9, 2 up to 99, and so on."""
    return 1 + int(math.log10(max(1, documents)))


def new_terms(collection: Collection) -> NewTerms:
    """V' of the handed-over documents."""
    documents = collection.texts(Origin.HANDED_OVER)
    text, term, often = (column[_of(collection, Origin.HANDED_OVER)] for column in collection.counts)
    weights = np.zeros(len(collection.terms), np.float32)
    np.add.at(weights, term, 1 + np.log(often, dtype=np.float32))
    occurrences = np.bincount(term, often, len(collection.terms))
    held = collection.holding[Origin.HANDED_OVER]
    fewest = fewest_texts(len(documents))
    worth = (collection.holding[Origin.TAXONOMY] == 0) & collection.telling & (held >= fewest) & (occurrences > 1)
    worth[
        [collection.number_of[term] for term in ordinary_terms(collection.language) if term in collection.number_of]
    ] = 0
    usual = _usual_share(collection, worth)
    worth &= (held > OVER_USUAL * usual * len(documents)) & (_surprise(weights, usual * len(documents)) > SURPRISING)
    weights *= np.where(worth, -np.log(usual), 0.0).astype(np.float32)
    order = np.argsort(-weights, kind="stable")[:MOST_NEW_TERMS]
    chosen: Ints = order[weights[order] > 0].astype(np.int32)
    heaviest = weights[chosen[0]] if len(chosen) else np.float32(1)
    places: Ints = np.searchsorted(documents, text).astype(np.int32)
    return NewTerms(chosen, weights[chosen] / heaviest, _texts_of(chosen, term, places))


@lru_cache(maxsize=8)
def ordinary_terms(language: str) -> frozenset[str]:
    """The stems of words that belong to no topic, as far as there is a list for the language."""
    file = files("lycosa").joinpath(f"data/ordinary_words_{language}.txt")
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    return frozenset(stems(language)(word) for line in lines if not line.startswith("#") for word in words(line))


def _of(collection: Collection, origin: Origin) -> Truths:
    found: Truths = collection.origins[collection.counts[0]] == origin
    return found


def _usual_share(collection: Collection, worth: Truths) -> Floats:
    """The share of texts in general that hold each term."""
    background = shipped_background()
    usual = np.full(len(collection.terms), RAREST, np.float32)
    for number in np.flatnonzero(worth):
        held = background.holding.get(collection.terms[number], 0)
        usual[number] = max(RAREST, held / background.documents)
    return usual


def _surprise(often: Floats, expected: Floats) -> Floats:
    """How unlikely (as a negative natural logarithm) it is that something expected so often occurs this often.

    Poisson's probability of that number; in a few documents no ordinary word is surprising.
    """
    factorials = np.array([math.lgamma(each + 1) for each in often], np.float32)
    return expected + factorials - often * np.log(expected)


def _texts_of(chosen: Ints, term: Ints, place: Ints) -> tuple[Ints, ...]:
    order = np.argsort(term, kind="stable")
    begins, ends = (np.searchsorted(term[order], chosen, side) for side in ("left", "right"))
    return tuple(place[order[begin:end]] for begin, end in zip(begins, ends, strict=True))


def split_compounds(collection: Collection, language: str = "en") -> dict[tuple[str, str], int]:
    """Two words of the documents, one of them new, that the taxonomy writes as one; and the number of that term."""
    handed = collection.origins[collection.text_of] == Origin.HANDED_OVER
    behind = handed[1:] & (collection.text_of[1:] == collection.text_of[:-1])
    keys = collection.stream[:-1][behind].astype(np.int64) * len(collection.terms) + collection.stream[1:][behind]
    found, often = np.unique(keys, return_counts=True)
    first, second = np.divmod(found, max(1, len(collection.terms)))
    known = collection.holding[Origin.TAXONOMY] > 0
    fewest = max(2, fewest_texts(len(collection.texts(Origin.HANDED_OVER))))
    worth = (often >= fewest) & ~(known[first] & known[second])
    stem, stop = stems(language), stop_words().get(language, frozenset())
    pairs = {}
    for one, other in zip(first[worth], second[worth], strict=True):
        told = collection.names[one], collection.names[other]
        about = collection.number_of.get(stem("".join(told)))
        if about is not None and known[about] and len("".join(told)) >= SHORTEST_COMPOUND and stop.isdisjoint(told):
            pairs[told] = about
    return pairs
