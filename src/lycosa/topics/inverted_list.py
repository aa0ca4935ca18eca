"""Which exemplary document holds which term, where, and with what weight (C2).

Document numbers count from 1 and are written as gaps in Elias delta, the first
gap being the first number; offsets (the places of a term among a document's words,
from 1) are written the same way within each document. How often a term occurs is
the number of its offsets, so its tf-idf weight is worked out, not stored.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lycosa.records import Record
from lycosa.text import stems, stop_words, words
from lycosa.topics.elias_delta import Coded, Numbers, coded, decoded
from lycosa.topics.okapi import Statistics

Weights = NDArray[np.float64]
NO_BACKGROUND = Statistics()


class Posting(Record, frozen=True):
    """That a document holds a term."""

    document: int
    weight: float
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Postings:
    """The postings of several terms, laid end to end: whose they are, documents from 1, occurrences."""

    asked: Numbers
    documents: Numbers
    counts: Numbers


def rarity(documents: int | Weights, holding: int | Weights | Numbers) -> Weights:
    """How telling a term is that so many of the documents hold (idf); never negative."""
    found: Weights = np.log(1 + (documents - holding + 0.5) / (np.asarray(holding, float) + 0.5))
    return found


def saturated(counts: Numbers) -> Weights:
    """What repeating a term in one document is worth: ever less."""
    found: Weights = 1.0 + np.log(counts)
    return found


class InvertedList:
    """The terms of some documents; `background` is English at large, so that few documents have fair weights."""

    def __init__(self, texts: Iterable[str], language: str = "en", background: Statistics = NO_BACKGROUND) -> None:
        self.language = language
        self.background = background
        self.terms: dict[str, int] = {}
        self.sizes: list[int] = []
        owners, documents, places = self._occurrences(texts)
        order = np.argsort(owners, kind="stable")
        self._compress(owners[order], documents[order], places[order])
        self.norms = self._norms()

    def __len__(self) -> int:
        return len(self.sizes)

    def __contains__(self, term: object) -> bool:
        return term in self.terms

    def _occurrences(self, texts: Iterable[str]) -> tuple[Numbers, Numbers, Numbers]:
        """Every occurrence of a term: the term's number, the document's, and the place, documents in order."""
        stop, stem = stop_words().get(self.language, frozenset()), stems(self.language)
        owners, places = array("i"), array("i")
        for text in texts:
            before = len(owners)
            for place, word in enumerate(words(text), 1):
                if word not in stop:
                    owners.append(self.terms.setdefault(stem(word), len(self.terms)))
                    places.append(place)
            self.sizes.append(len(owners) - before)
        documents = np.repeat(np.arange(1, len(self.sizes) + 1), np.asarray(self.sizes, np.int64))
        return np.array(owners, np.int64), documents, np.array(places, np.int64)

    def _compress(self, owners: Numbers, documents: Numbers, places: Numbers) -> None:
        begins = np.flatnonzero(_changes(owners, documents))
        counts = np.diff(np.append(begins, len(owners)))
        own, held = owners[begins], documents[begins]
        self.holding = np.bincount(own, minlength=len(self.terms))
        self._gaps: Coded = coded(_gaps(held, _changes(own)), self.holding)
        self._counts: Coded = coded(counts, self.holding)
        self._offsets: Coded = coded(
            _gaps(places, _changes(owners, documents)), np.bincount(owners, minlength=len(self.terms))
        )

    def _norms(self) -> Weights:
        """The length of each document's weight vector."""
        everything = self.gather(list(self.terms))
        squares = (saturated(everything.counts) * self.idf(list(self.terms))[everything.asked]) ** 2
        found: Weights = np.sqrt(np.bincount(everything.documents - 1, squares, len(self)))
        return found

    @property
    def size(self) -> int:
        """Bytes of the coded postings."""
        return self._gaps.size + self._counts.size + self._offsets.size

    @property
    def size_of_documents(self) -> int:
        """Bytes of the coded document numbers alone."""
        return self._gaps.size

    def idf(self, terms: Sequence[str]) -> Weights:
        """How telling each term is, known or not."""
        here = self.holding.tolist()
        there = self.background.holding
        number = [here[self.terms[term]] if term in self.terms else 0 for term in terms]
        holding = [there.get(term, 0) + own for term, own in zip(terms, number, strict=True)]
        return rarity(len(self) + self.background.documents, np.asarray(holding, float))

    def gather(self, terms: Sequence[str]) -> Postings:
        """All postings of many terms at once; terms that no document holds have none."""
        known = [(place, self.terms[term]) for place, term in enumerate(terms) if term in self.terms]
        places, rows = np.asarray(known, np.int64).reshape(-1, 2).T
        lengths = self.holding[rows]
        documents = _sums(decoded(self._gaps, rows), lengths)
        return Postings(np.repeat(places, lengths), documents, decoded(self._counts, rows))

    def postings(self, term: str) -> tuple[Posting, ...]:
        """The documents that hold a term, with its tf-idf weight and places in each."""
        return tuple(self._postings(term)) if term in self.terms else ()

    def _postings(self, term: str) -> Iterator[Posting]:
        found = self.gather([term])
        idf = float(self.idf([term])[0])
        row = np.asarray([self.terms[term]])
        places = _sums(decoded(self._offsets, row), found.counts).tolist()
        at = 0
        for document, count in zip(found.documents.tolist(), found.counts.tolist(), strict=True):
            yield Posting(document, (1 + math.log(count)) * idf, tuple(places[at : at + count]))
            at += count


def _changes(*keys: Numbers) -> NDArray[np.bool_]:
    """Where a row differs from the one before it; the first always does."""
    found = np.zeros(len(keys[0]), bool)
    found[:1] = True
    for key in keys:
        found[1:] |= key[1:] != key[:-1]
    return found


def _gaps(numbers: Numbers, begins: NDArray[np.bool_]) -> Numbers:
    """Rising numbers as the steps between them, anew at each beginning."""
    found = numbers.copy()
    found[1:] -= np.where(begins[1:], 0, numbers[:-1])
    return found


def _sums(gaps: Numbers, lengths: Numbers) -> Numbers:
    """The rising numbers that gaps were made of, list by list."""
    total = np.cumsum(gaps)
    kept = lengths[lengths > 0]
    ends = np.cumsum(kept)
    found: Numbers = total - np.repeat(np.append(0, total[ends[:-1] - 1])[: len(kept)], kept)
    return found
