"""From documents to topics (C3): which nodes of a taxonomy a person's documents are about, and why.

The measure is the tf-idf cosine between the documents and the centre of a node's
exemplary texts, a mean over the documents, so each has one voice. The centre of
few texts is longer than that of many, since chance does not average out, and a
wide topic's centre is shorter than a narrow one's. So the length of the true centre
is estimated from how alike a node's texts are to each other, each to the others but
not to itself; nodes with few texts lean on the mean of all nodes. Documents in
another language than the taxonomy are set apart, and "none fits" is an answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lycosa.records import Record
from lycosa.text import language_of, stems, stop_words, words
from lycosa.topics.elias_delta import Numbers
from lycosa.topics.inverted_list import InvertedList, Postings, Weights, saturated
from lycosa.topics.okapi import Statistics, shipped_background
from lycosa.topics.taxonomy import Node, Taxonomy

MARGIN = 0.05
"""Nodes whose score is at most this share below the best one's are best too."""
USUAL = 1.5
FLOOR = 0.052
"""The best score, less half again of what the other nodes usually score, must reach this, or nothing fits.

Of 150 articles 4 in 100 stay below it, of jumbles of words from all topics, which score
well everywhere, 85 in 100. Invented words score nothing.
"""
PRIOR_PAIRS = 12.0
"""How many pairs of texts the mean of all nodes counts for, beside a node's own."""
LEAST_ALIKE = 0.1
"""No node's texts count as less alike than this share of the mean."""
MOST_TERMS = 8
LONGEST = 500_000
"""Characters of a document that are read."""


class Deciding(Record, frozen=True):
    """A word of the documents and its share in a node's score."""

    term: str
    share: float


class Fit(Record, frozen=True):
    """How well a node fits, and the words that decided it."""

    id: str
    path: str
    score: float
    terms: tuple[Deciding, ...] = ()


class Foreign(Record, frozen=True):
    """A document, counted from 1, that is not in the taxonomy's language."""

    document: int
    language: str


class Mapping(Record, frozen=True):
    """The answer: nodes from the best down, the best one(s) by id, and why there is none if there is none."""

    ranked: tuple[Fit, ...]
    best: tuple[str, ...] = ()
    why: str = ""
    foreign: tuple[Foreign, ...] = ()


class Mapper:
    """Ranks the nodes of one taxonomy; its inverted list is decoded once."""

    def __init__(self, taxonomy: Taxonomy, floor: float = FLOOR) -> None:
        self.taxonomy = taxonomy
        self.floor = floor
        documents = [(number, text) for number, node in enumerate(taxonomy) for text in _exemplary(node)]
        self.language = language_of((word for _, text in documents for word in words(text)[:80]), "en")
        background = shipped_background() if self.language == "en" else Statistics()
        self.inverted = InvertedList((text for _, text in documents), self.language, background)
        self._owners: Numbers = np.asarray([number for number, _ in documents], np.int64)
        self._numbers = np.bincount(self._owners, minlength=len(taxonomy)).astype(float)
        every = self.inverted.gather(list(self.inverted.terms))
        self._nodes: Numbers = self._owners[every.documents - 1]
        units = self._units(every)
        lengths = np.sqrt(self._alike(self._squares(every.asked, units)))
        self._parts: Weights = units / (self._numbers * lengths)[self._nodes]
        self._begins: Numbers = np.cumsum(self.inverted.holding) - self.inverted.holding

    def _units(self, every: Postings) -> Weights:
        """The weights of all postings, such that every document's vector has the length 1."""
        idf = self.inverted.idf(list(self.inverted.terms))
        norms = self.inverted.norms[every.documents - 1]
        found: Weights = saturated(every.counts) * idf[every.asked] / np.maximum(norms, 1e-12)
        return found

    def _alike(self, squares: Weights) -> Weights:
        """For each node the mean cosine between two of its texts: the square of its true centre's length."""
        own = self._numbers
        pairs = own * (own - 1)
        several = pairs > 0
        usual = float(np.mean((squares - own)[several] / pairs[several])) if several.any() else 1.0
        usual = max(usual, 1e-6)
        leaning = (np.maximum(squares - own, 0.0) + PRIOR_PAIRS * usual) / (pairs + PRIOR_PAIRS)
        found: Weights = np.maximum(leaning, LEAST_ALIKE * usual)
        return found

    def _squares(self, terms: Numbers, units: Weights) -> Weights:
        """The squared length of the sum of each node's unit vectors."""
        stride = max(len(self.inverted.terms), 1)
        keys = self._nodes * stride + terms
        order = np.argsort(keys, kind="stable")
        begins = np.flatnonzero(np.diff(keys[order], prepend=-1))
        sums = np.add.reduceat(units[order], begins) if len(begins) else np.zeros(0)
        return _summed(keys[order][begins] // stride, sums**2, len(self.taxonomy))

    def map(self, documents: Sequence[str], margin: float = MARGIN, limit: int = 10) -> Mapping:
        """The nodes that fit the documents, best first, with the words that decided; `limit` of them."""
        told = [words(document[:LONGEST]) for document in documents]
        languages = [language_of(each, self.language) for each in told]
        foreign = tuple(
            Foreign(number, language) for number, language in enumerate(languages, 1) if language != self.language
        )
        own = [each for each, language in zip(told, languages, strict=True) if language == self.language and each]
        asked = _Asked(own, self.inverted)
        scores, brought = self._scores(asked)
        order = np.argsort(-scores, kind="stable")
        lead = float(scores[order[0]] - USUAL * np.median(scores[order[1:]])) if len(order) > 1 else float(scores.sum())
        chosen = [int(number) for number in order[:limit] if scores[number] > 0]
        ranked = tuple(self._fits(chosen, scores, asked, brought))
        near = [fit.id for fit in ranked if fit.score >= ranked[0].score * (1 - margin)]
        best = tuple(near) if lead >= self.floor else ()
        return Mapping(ranked, best, "" if best else self._why_none(lead, own, foreign), foreign)

    def _scores(self, asked: _Asked) -> tuple[Weights, _Brought]:
        """Every node's score, and what each posting brought to it."""
        known = [(place, self.inverted.terms[term]) for place, term in enumerate(asked.terms) if term in self.inverted]
        places, rows = np.asarray(known, np.int64).reshape(-1, 2).T
        lengths = self.inverted.holding[rows]
        at = np.repeat(self._begins[rows] - np.cumsum(lengths) + lengths, lengths) + np.arange(int(lengths.sum()))
        terms = np.repeat(places, lengths)
        brought = _Brought(self._nodes[at], terms, self._parts[at] * asked.weights[terms])
        return _summed(brought.nodes, brought.values, len(self.taxonomy)), brought

    def _fits(self, chosen: list[int], scores: Weights, asked: _Asked, brought: _Brought) -> Iterator[Fit]:
        wanted = np.zeros(len(self.taxonomy), bool)
        wanted[chosen] = True
        few = brought.only(wanted[brought.nodes])
        decided = [few.only(few.nodes == number).largest(len(asked.terms)) for number in chosen]
        said = asked.said({term for each in decided for term, _ in each})
        for number, parts in zip(chosen, decided, strict=True):
            node, score = self.taxonomy.nodes[number], float(scores[number])
            terms = tuple(Deciding(said[term], value / score) for term, value in parts)
            yield Fit(node.id, self.taxonomy.path(node.id), score, terms)

    def _why_none(self, lead: float, own: list[list[str]], foreign: tuple[Foreign, ...]) -> str:
        if foreign and not own:
            spoken = ", ".join(sorted({each.language for each in foreign}))
            return f"none fits: the documents are in another language ({spoken}) than the topics ({self.language})"
        if not own:
            return "none fits: there is no text to go by"
        if lead <= 0:
            return "none fits: no word of the documents is known to any topic"
        return f"none fits: the nearest topic stands out by {lead:.3f}, and {self.floor:g} is the least that counts"


class _Brought(NamedTuple):
    """What postings brought: to which node, by which term, how much."""

    nodes: Numbers
    terms: Numbers
    values: Weights

    def only(self, chosen: NDArray[np.bool_]) -> _Brought:
        return _Brought(self.nodes[chosen], self.terms[chosen], self.values[chosen])

    def largest(self, number: int) -> list[tuple[int, float]]:
        """The terms that brought most, and how much."""
        sums = _summed(self.terms, self.values, number)
        top = np.argsort(-sums, kind="stable")[:MOST_TERMS]
        return [(int(term), float(sums[term])) for term in top if sums[term] > 0]


class _Asked:
    """A person's documents as one vector: the mean of their unit vectors, words that no topic knows included."""

    def __init__(self, documents: Sequence[list[str]], inverted: InvertedList) -> None:
        stop, stem = stop_words().get(inverted.language, frozenset()), stems(inverted.language)
        self.counted = [Counter(document) for document in documents]
        held = [stem.counts({word: n for word, n in each.items() if word not in stop}) for each in self.counted]
        self._stem = stem
        self.terms = list(dict.fromkeys(term for each in held for term in each))
        place = {term: number for number, term in enumerate(self.terms)}
        self.idf = inverted.idf(self.terms)
        self.weights = np.zeros(len(self.terms))
        for each in held:
            rows = np.asarray([place[term] for term in each], np.int64)
            weights = saturated(np.asarray(list(each.values()), np.int64)) * self.idf[rows]
            self.weights[rows] += weights / (np.sqrt(weights @ weights) or 1.0) / len(held)

    def said(self, terms: Collection[int]) -> dict[int, str]:
        """For each of some terms the word that people wrote most often for it."""
        wanted = {self.terms[number]: number for number in terms}
        found: dict[int, Counter[str]] = {number: Counter() for number in terms}
        for document in self.counted:
            for word, times in document.items():
                number = wanted.get(self._stem(word))
                if number is not None:
                    found[number][word] += times
        return {number: written.most_common(1)[0][0] for number, written in found.items()}


def _summed(keys: Numbers, values: Weights, number: int) -> Weights:
    """The sum of the values of each key below a number."""
    return np.bincount(keys, weights=values, minlength=number).astype(float)


def _exemplary(node: Node) -> list[str]:
    """What a node sounds like: its label and description, and each of its texts under its label."""
    own = [f"{node.label}. {node.description}"] if node.description or not node.texts else []
    return [*own, *(f"{node.label}\n{text}" for text in node.texts)]
