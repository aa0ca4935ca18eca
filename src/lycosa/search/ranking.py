"""The order of search results: what the words say, raised by what is known of the pages besides.

A ranking turns the text score of a result, the age of its page and what people did with it
into one score, and can say how. Behaviour is where strangers can press: however much of it
there is, it raises a score by at most `cap` of the text score and never lowers one. What
is known of pages comes from outside (`Signals`); nothing here reads a file or a clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Protocol

import xxhash

from lycosa.configuration import sections
from lycosa.configuration.sections import Configuration
from lycosa.plugins import registry
from lycosa.plugins.plug_points import NOTHING, Candidate, Ranking, Signal
from lycosa.records import Score

DEFAULT = "lycosa"
DAY = 86_400.0


class Signals(Protocol):
    """Those who know something of pages besides their words."""

    def of(self, pages: Sequence[int], query: str) -> Sequence[Signal]:
        """What is known of each page, by its key, where it is a result of a query."""


class Unwatched:
    """Nobody is watched: nothing is known of any page."""

    def of(self, pages: Sequence[int], query: str) -> Sequence[Signal]:
        """Nothing of each."""
        return [NOTHING] * len(pages)


def find_ranking(configuration: Configuration, name: str = DEFAULT) -> Ranking:
    """A ranking by its name."""
    ranking: Ranking = registry.find("rankings", name)(configuration)
    return ranking


class TextRanking:
    """By the words alone."""

    def score(self, candidate: Candidate) -> float:
        """The text score."""
        return candidate.text

    def explained(self, candidate: Candidate) -> Score:
        """The text score, by its name."""
        return _of_words(candidate)


class BehaviourRanking:
    """Text score × (1 + behaviour, at most `cap`, + freshness). Weights are between 0 and 1."""

    def __init__(self, weights: sections.Ranking) -> None:
        self._importance, self._weight = _share(weights.by_importance), _share(weights.by_behaviour)
        self._clicks, self._fresh = _share(weights.by_clicks), _share(weights.by_freshness)
        self._cap, self._half_life = _share(weights.cap), max(0.0, weights.half_life)

    def score(self, candidate: Candidate) -> float:
        """The text score, raised."""
        return candidate.text * (1.0 + self._behaviour(candidate.signal) + self._freshness(candidate.age))

    def _behaviour(self, signal: Signal) -> float:
        if signal is NOTHING:
            return 0.0
        found = (
            _share(signal.importance) * self._importance
            + _share(signal.behaviour) * self._weight
            + _share(signal.clicks) * self._clicks
        )
        return found if found < self._cap else self._cap

    def _freshness(self, age: float | None) -> float:
        if age is None or not self._half_life or not self._fresh:
            return 0.0
        return float(self._fresh * 0.5 ** (max(0.0, age) / self._half_life))

    def explained(self, candidate: Candidate) -> Score:
        """The score and what it is made of."""
        added = [*self._told_behaviour(candidate.signal), *self._told_freshness(candidate.age)]
        parts = (_of_words(candidate), Score(1.0 + sum(each.value for each in added), "times this", tuple(added)))
        return Score(self.score(candidate), "text score × (1 + what is added)", parts)

    def _told_behaviour(self, signal: Signal) -> list[Score]:
        parts = (
            (signal.importance, self._importance, f"importance: {signal.visitors} visitors, one a day each"),
            (signal.behaviour, self._weight, _told_weight(signal)),
            (signal.clicks, self._clicks, _told_clicks(signal)),
        )
        told = tuple(
            Score(_share(part) * weight, f"{_share(part):.2f} × {weight:g}  {why}")
            for part, weight, why in parts
            if _share(part) > 0.0
        )
        return [Score(self._behaviour(signal), f"what people did, at most {self._cap:g}", told)] if told else []

    def _told_freshness(self, age: float | None) -> list[Score]:
        value = self._freshness(age)
        if age is None or not value:
            return []
        half = self._half_life / DAY
        return [Score(value, f"freshness: {max(0.0, age) / DAY:.0f} days old, half as much every {half:g} days")]


def _share(value: float) -> float:
    """A part or weight as it counts, whatever came: between 0 and 1, and 0 of what is no number."""
    return (value if value < 1.0 else 1.0) if value > 0.0 else 0.0


def _of_words(candidate: Candidate) -> Score:
    return Score(candidate.text, "text score: how well the words match (BM25)")


def _told_weight(signal: Signal) -> str:
    return f"page weight {signal.weight:.2f} by what visitors do there" + (
        " who came by this query" if signal.by_query else ""
    )


def _told_clicks(signal: Signal) -> str:
    return f"chosen {signal.chosen} times for this query, {signal.expected:.1f} expected at its places"


def lycosa_ranking(configuration: Configuration) -> Ranking:
    """The default: words, importance, page weight, choices, freshness."""
    return BehaviourRanking(configuration.ranking)


def bm25_ranking(_configuration: Configuration) -> Ranking:
    """By the words alone."""
    return TextRanking()


def page_key(url: str) -> int:
    """A number that stands for a page, of 63 bits."""
    return xxhash.xxh3_64_intdigest(url.encode("utf-8", "surrogatepass")) >> 1


@dataclass(frozen=True, slots=True)
class Order:
    """How the best results of a query are put in order: by which ranking, with which signals, as of when."""

    ranking: Ranking
    signals: Signals
    query: str
    now: float
    depth: int = 100

    def arranged(
        self, texts: Sequence[float], pages: Sequence[int], dates: Sequence[float | None]
    ) -> list[tuple[int, float, Candidate]]:
        """The first `depth` results anew, best first: place before, score, candidate. Equals stay as they were."""
        signals, score = self.signals.of(pages, self.query), self.ranking.score
        found = []
        for place, (text, date, signal) in enumerate(zip(texts, dates, signals, strict=True)):
            candidate = Candidate(text, None if date is None else self.now - date, signal)
            found.append((place, score(candidate), candidate))
        return sorted(found, key=itemgetter(1), reverse=True)
