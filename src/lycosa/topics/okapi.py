"""Okapi relevance of a text to a topic (C9), over a background that grows with the crawl.

`Okapi(d, c*) = Σ A·B·C`. How rare a term is (A) comes from a background: a
shipped table of English, and everything that was fetched, off-topic pages
included. A good focused crawl would otherwise find its topic's terms everywhere
and zero exactly those. Only the topic's own terms are counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

import msgspec

from lycosa.configuration.sections import Relevance
from lycosa.records import Record, Score
from lycosa.text import lower_of, occurrences, stems, term_counts, words
from lycosa.topics.topic_mentions import TermRoots

MOST_TERMS = 24
USUAL_LENGTH = 600
"""Words of a page as pages are; the texts that the shipped table was counted over are shorter."""


class Statistics(Record, frozen=True):
    """What was counted over a collection: documents, their words, and how many hold each topic term."""

    documents: int = 0
    length: int = 0
    holding: dict[str, int] = msgspec.field(default_factory=dict)

    def __add__(self, other: Statistics) -> Statistics:
        holding = dict(self.holding)
        for term, number in other.holding.items():
            holding[term] = holding.get(term, 0) + number
        return Statistics(self.documents + other.documents, self.length + other.length, holding)


@lru_cache(maxsize=1)
def shipped_background() -> Statistics:
    """Document frequencies of English stems over the shipped taxonomy's texts (`scripts/make-background`)."""
    lines = files("lycosa").joinpath("data/background_en.tsv").read_text("utf-8").splitlines()
    documents, length = (int(part) for part in lines[0].split("\t")[1:])
    holding = {term: int(number) for term, number in (line.split("\t") for line in lines[1:])}
    return Statistics(documents, length, holding)


def counted_background(texts: Iterable[str]) -> Statistics:
    """Document frequencies of stems over English texts, each counted as a page of usual length."""
    documents, holding = 0, Counter[str]()
    for text in texts:
        documents += 1
        holding.update(term_counts(text).keys())
    return Statistics(documents, documents * USUAL_LENGTH, dict(holding))


def topic_terms(label: str, examples: Sequence[str] = (), language: str = "en") -> dict[str, int]:
    """The terms of a topic and how often it names them: all words of the label, the telling ones of the examples."""
    named = term_counts(label, language)
    if not examples:
        return named
    background = shipped_background()
    weights: dict[str, float] = {}
    spread: dict[str, int] = {}
    for example in examples:
        for term, number in term_counts(example, language).items():
            rarity = math.log(1 + background.documents / (1 + background.holding.get(term, 0)))
            weights[term] = weights.get(term, 0.0) + (1 + math.log(number)) * rarity
            spread[term] = spread.get(term, 0) + 1
    telling = [term for term in weights if spread[term] * 2 > len(examples) and not term.isdigit() and len(term) > 2]
    telling.sort(key=lambda term: -weights[term])
    for term in telling[:MOST_TERMS]:
        named[term] = named.get(term, 0) + spread[term]
    return named


class Okapi:
    """Scores texts against one topic's terms."""

    def __init__(self, terms: Mapping[str, int], settings: Relevance) -> None:
        self.terms = dict(terms)
        self._settings = settings
        self.roots = TermRoots(self.terms)
        self.collected = Statistics()
        self.elsewhere = Statistics()
        self._relearn()

    def _relearn(self) -> None:
        """Take the current statistics into the weights of the terms."""
        shipped = shipped_background()
        total = shipped + self.collected + self.elsewhere
        self._average = total.length / total.documents
        k2 = self._settings.k2
        self._weights = {
            term: self._rarity(total.documents, total.holding.get(term, 0)) * (k2 + 1) * number / (k2 + number)
            for term, number in self.terms.items()
        }
        self.bound = sum(self._weights.values()) * (self._settings.k1 + 1)

    def _rarity(self, documents: int, holding: int) -> float:
        odds = (documents - holding + 0.5) / (holding + 0.5)
        return max(0.0, math.log(odds)) if self._settings.idf == "paper" else math.log(1 + odds)

    def count(self, text: str, language: str = "en", title: str = "") -> tuple[dict[str, int], int]:
        """How often each topic term occurs in a text and its title, and their length in words."""
        if not self.roots.serve(language):
            stem = stems(language or "en")
            stemmed = Counter(stem(word) for part in (title, text) for word in words(part))
            return {term: stemmed[term] for term in self.terms if term in stemmed}, stemmed.total()
        found: dict[str, int] = {}
        length = 0
        for part in (title, text):
            if part:
                lower = lower_of(part)
                length += occurrences(lower.encode("utf-8", "replace"), b" ")
                for _, term in self.roots.found(lower):
                    found[term] = found.get(term, 0) + 1
        return found, length + 1 if title or text else 0

    def score(self, counts: Mapping[str, int], length: int) -> Score:
        """Okapi as a share of the most that any text could reach, with each term's part."""
        k1, b = self._settings.k1, self._settings.b
        norm = k1 * (1 - b + b * length / self._average) if length else k1
        parts = sorted(
            ((self._weights[term] * (k1 + 1) * number / (norm + number), term) for term, number in counts.items()),
            reverse=True,
        )
        raw = math.fsum(value for value, _ in parts)
        if not parts or not self.bound:
            return NOTHING
        value = raw / self.bound
        told = ", ".join(f"{term} {part:.2f}" for part, term in parts[:5])
        return Score(value, f"okapi {raw:.2f} of at most {self.bound:.2f}: {told}")

    def learn(self, counted: Iterable[tuple[Iterable[str], int]]) -> None:
        """Fetched documents (terms they hold, length) join the background."""
        documents, length, holding = self.collected.documents, self.collected.length, dict(self.collected.holding)
        for terms, size in counted:
            documents, length = documents + 1, length + size
            for term in terms:
                holding[term] = holding.get(term, 0) + 1
        self.collected = Statistics(documents, length, holding)
        self._relearn()

    def hear(self, elsewhere: Statistics) -> None:
        """What the other agents have counted so far."""
        self.elsewhere = elsewhere
        self._relearn()


NOTHING = Score(0.0, "no term of the topic occurs")
