"""How good a ranking is, by people's judgements, and the ranking that any other has to beat: plain BM25.

Measures are those that retrieval experiments report: nDCG of the first ten, mean average
precision and recall of the first hundred, all with binary judgements. Nothing here reads
a file or knows an index, so a new ranking is measured by handing in what it returned.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from typing import Any, TypeAlias

import msgspec

from lycosa.lab.metrics import Interval, mean_interval, paired_difference
from lycosa.text import terms

K1, B = 1.2, 0.75
DEPTH = 1000
"""How far down a ranking is looked at."""
FIRST = 10
FIRST_HUNDRED = 100

Ranking: TypeAlias = Sequence[str]
Rankings: TypeAlias = Mapping[str, Ranking]
"""What was returned for each query, best first; a document is named once."""
Judgements: TypeAlias = Mapping[str, Set[str]]
"""The documents that people found relevant to each query."""


def ndcg(ranking: Ranking, relevant: Collection[str], depth: int = FIRST) -> float:
    """Gain of the first documents, discounted by the logarithm of their place, as a share of the best possible."""
    gained = math.fsum(_discount(place) for place, name in enumerate(ranking[:depth]) if name in relevant)
    best = math.fsum(_discount(place) for place in range(min(depth, len(relevant))))
    return gained / best if best else 0.0


def _discount(place: int) -> float:
    return 1 / math.log2(place + 2)


def average_precision(ranking: Ranking, relevant: Collection[str]) -> float:
    """The precision at each relevant document, and 0 for those not returned, averaged."""
    found, total = 0, 0.0
    for place, name in enumerate(ranking, 1):
        if name in relevant:
            found += 1
            total += found / place
    return total / len(relevant) if relevant else 0.0


def recall(ranking: Ranking, relevant: Collection[str], depth: int = FIRST_HUNDRED) -> float:
    """The share of the relevant documents that is among the first."""
    return sum(name in relevant for name in ranking[:depth]) / len(relevant) if relevant else 0.0


MEASURES: Mapping[str, Callable[[Ranking, Collection[str]], float]] = {
    "ndcg_at_10": ndcg,
    "map": average_precision,
    "recall_at_100": recall,
}
TITLES = {"ndcg_at_10": "nDCG@10", "map": "MAP", "recall_at_100": "recall@100"}


class Quality(msgspec.Struct, frozen=True):
    """What a ranking reaches for each query, by the name of the measure."""

    name: str
    by_query: dict[str, dict[str, float]]

    def mean(self, measure: str) -> Interval:
        """The mean over all queries."""
        return mean_interval(list(self.by_query[measure].values()))

    def beside(self, other: Quality, measure: str) -> Interval:
        """How much better this ranking is than another, over the same queries."""
        return paired_difference(self.by_query[measure], other.by_query[measure])


def quality(name: str, rankings: Rankings, judgements: Judgements) -> Quality:
    """A ranking measured. A query that nothing is relevant to says nothing; one without an answer counts as 0."""
    judged = {query: relevant for query, relevant in judgements.items() if relevant}
    return Quality(
        name,
        {
            measure: {query: of(rankings.get(query, ())[:DEPTH], relevant) for query, relevant in judged.items()}
            for measure, of in MEASURES.items()
        },
    )


class PlainBM25:
    """BM25 over one bag of terms a document, as the textbook has it: no fields, no weights, nothing learned."""

    def __init__(self, documents: Mapping[str, str], analyse: Callable[[str], Sequence[str]] = terms) -> None:
        self._analyse = analyse
        self._postings: dict[str, list[tuple[str, int]]] = {}
        self._lengths: dict[str, int] = {}
        for name, text in documents.items():
            counted = Counter(analyse(text))
            self._lengths[name] = counted.total()
            for term, number in counted.items():
                self._postings.setdefault(term, []).append((name, number))
        self._average = (sum(self._lengths.values()) / len(self._lengths) if documents else 0.0) or 1.0

    def scores(self, query: str) -> dict[str, float]:
        """The score of every document that holds a term of the query."""
        found: dict[str, float] = {}
        for term, wanted in Counter(self._analyse(query)).items():
            postings = self._postings.get(term, [])
            rarity = math.log(1 + (len(self._lengths) - len(postings) + 0.5) / (len(postings) + 0.5))
            for name, number in postings:
                norm = K1 * (1 - B + B * self._lengths[name] / self._average)
                found[name] = found.get(name, 0.0) + wanted * rarity * (K1 + 1) * number / (number + norm)
        return found

    def ranking(self, query: str, limit: int = DEPTH) -> list[str]:
        """The best documents, best first; equals stay in the order of the collection."""
        found = self.scores(query)
        order = {name: place for place, name in enumerate(self._lengths)}
        return sorted(found, key=lambda name: (-found[name], order[name]))[:limit]


class Comparison(msgspec.Struct, frozen=True):
    """Rankings of one collection side by side; the first is ours, or a `baseline` is what all others are beside."""

    collection: str
    documents: int
    queries: int
    judgements: int
    rankings: tuple[Quality, ...]
    baseline: str = ""

    def pairs(self) -> list[tuple[Quality, Quality]]:
        """Which ranking is set beside which."""
        plain = [each for each in self.rankings if each.name == self.baseline]
        if plain:
            return [(each, plain[0]) for each in self.rankings if each is not plain[0]]
        ours, *others = self.rankings
        return [(ours, other) for other in others]

    def plain(self) -> dict[str, Any]:
        """The comparison as JSON has it."""
        return {
            "collection": self.collection,
            "documents": self.documents,
            "queries": self.queries,
            "judgements": self.judgements,
            "rankings": [{"name": each.name, **_means(each)} for each in self.rankings],
            "differences": [
                {"name": ours.name, "beside": other.name, "measure": name, **msgspec.to_builtins(found)}
                for ours, other in self.pairs()
                for name, found in _differences(ours, other)
            ],
        }

    def lines(self) -> list[str]:
        """The comparison for people: means, then what ours is better by."""
        size = max(len(each.name) for each in self.rankings) + 3
        head = f"{self.documents} documents, {self.queries} queries, {self.judgements} judgements"
        found = [f"{self.collection}: {head}", "", " " * size + "".join(f"{TITLES[name]:>12}" for name in MEASURES)]
        for each in self.rankings:
            found.append(f"{each.name:<{size}}" + "".join(f"{value:>12.4f}" for value in _means(each).values()))
        for ours, other in self.pairs():
            told = ", ".join(f"{TITLES[name]} {_signed(interval)}" for name, interval in _differences(ours, other))
            found += ["", f"{ours.name} beside {other.name}: {told}"]
        return found


def _means(measured: Quality) -> dict[str, float]:
    return {name: measured.mean(name).mean for name in MEASURES}


def _differences(ours: Quality, other: Quality) -> list[tuple[str, Interval]]:
    return [(name, ours.beside(other, name)) for name in MEASURES]


def _signed(interval: Interval) -> str:
    return f"{interval.mean:+.4f} [{interval.low:+.4f}, {interval.high:+.4f}]"
