"""Which new terms are other words for known ones, and the evidence for it.

Four witnesses: the company that terms keep, their spelling, texts that say it
("X, also called Y"), and, where one is installed, a model of word vectors
(`Closeness`). Each adds to the closeness of a pair; no witness is needed. Company is
only heard where there is enough of it: a term seen twice is close to anything.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from lycosa.plugins.plug_points import Closeness
from lycosa.records import Record, Score
from lycosa.text import stems
from lycosa.topics.semantic_checker.cooccurrence import used_alike
from lycosa.topics.semantic_checker.corpus import Collection, Floats, Ints, Origin
from lycosa.topics.semantic_checker.synonym_phrases import Definitions
from lycosa.topics.semantic_checker.topic_affinity import Homes, profiles
from lycosa.topics.semantic_checker.word_forms import Likeness, Spellings

CLOSE = 0.12
"""From this closeness on a new term counts as a variant."""
SAME_TOPICS = 0.1
"""What being used in texts on the same topics adds, at most."""
COMPANY, TOPICS = "is used like it", "in texts on the same topics"
MOST_COMPANY = 0.6
"""What company adds at most: the members of a list (of orders, of counties) are used exactly alike, too."""
SAID = 0.8
"""What it adds when every text with the new term says that both are the same; less where few do."""
FEWEST_FOR_COMPANY, FEWEST_TEXTS_FOR_COMPANY = 5, 3
MOST_KNOWN = 10_000
SHORTLIST = 5
ASKED = 60
"""So many of the known terms in the company of a new one are put to a model."""
MODEL_FROM, MODEL_WEIGHT = 0.4, 0.8
"""A model's closeness counts from here on, and so much at most: unrelated words are seldom at 0."""


class Pair(Record, frozen=True):
    """A new term and the known one it is closest to, by their numbers; parts of the closeness are the evidence."""

    new: int
    known: int
    closeness: Score


@dataclass(frozen=True)
class Witnesses:
    """Who is heard."""

    definitions: Definitions
    model: Closeness | None = None


class Likenesses:
    """Closeness of new terms to known ones in a collection."""

    def __init__(self, collection: Collection, homes: Homes, new: Ints, witnesses: Witnesses) -> None:
        self._collection, self._new, self._witnesses = collection, new, witnesses
        self._known = known_terms(collection)
        self._column_of = {int(term): column for column, term in enumerate(self._known)}
        held = collection.holding[Origin.TAXONOMY]
        every = np.flatnonzero((held > 0) & collection.telling)
        self._stem_numbers = {collection.terms[number]: int(number) for number in every}
        self._spellings = Spellings(self._stem_numbers)
        self._company, self._topics = self._heard_company(homes)
        self._beside = self._met_beside()
        self._said = self._sayings()

    def _heard_company(self, homes: Homes) -> tuple[Floats, Floats]:
        alike = used_alike(self._collection, self._new, self._known)
        often = np.bincount(self._collection.stream, minlength=len(self._collection.terms))
        collection = self._collection
        enough = collection.holding.sum(0)[self._new] >= FEWEST_TEXTS_FOR_COMPANY
        alike[~enough | (often[self._new] < FEWEST_FOR_COMPANY)] = 0.0
        topics = profiles(collection, homes, self._new) @ profiles(collection, homes, self._known).T
        return alike, topics

    def _met_beside(self) -> dict[tuple[int, int], float]:
        """How often a term stands right beside a new one, as a share of the new one's occurrences.

        Words of one name keep the same company, too, but beside each other.
        """
        stream, terms = self._collection.stream.astype(np.int64), max(1, len(self._collection.terms))
        new = np.zeros(terms, np.bool_)
        new[self._new] = True
        left, right = stream[:-1], stream[1:]
        keys = np.concatenate(((left * terms + right)[new[left]], (right * terms + left)[new[right]]))
        found, often = np.unique(keys, return_counts=True)
        every = np.bincount(stream, minlength=terms)
        return {
            divmod(int(key), terms): float(number) / float(every[key // terms])
            for key, number in zip(found[often > 1], often[often > 1], strict=True)
        }

    def _sayings(self) -> dict[int, dict[int, float]]:
        """For new terms the known ones that texts equate them with, and how many texts do."""
        stem = stems(self._collection.language)
        new = {self._collection.terms[number]: int(number) for number in self._new}
        found: dict[int, dict[int, float]] = defaultdict(dict)
        for (one, other), often in self._witnesses.definitions.pairs.items():
            for here, there in ((stem(one), stem(other)), (stem(other), stem(one))):
                if here in new and there in self._stem_numbers:
                    found[new[here]][self._stem_numbers[there]] = often
        return found

    def best(self, place: int) -> Pair | None:
        """The known term that a new one (its place among the new ones) is closest to."""
        term = int(self._new[place])
        spelt = self._spelt(term)
        said = self._said.get(term, {})
        chosen = {*self._in_company(place), *spelt, *said}
        if self._witnesses.model:
            chosen |= set(self._in_company(place, ASKED))
        pairs = [Pair(term, known, self._closeness(place, known, spelt, said)) for known in sorted(chosen)]
        return max(pairs, key=lambda pair: pair.closeness.value, default=None)

    def _in_company(self, place: int, most: int = SHORTLIST) -> list[int]:
        if not len(self._known):
            return []
        together = self._company[place] + SAME_TOPICS * self._topics[place]
        most = min(most, len(together))
        return [int(self._known[column]) for column in np.argpartition(-together, most - 1)[:most]]

    def _spelt(self, term: int) -> dict[int, Likeness]:
        like = self._spellings.like(self._collection.terms[term])
        return {self._stem_numbers[stem]: likeness for stem, likeness in like.items()}

    def _closeness(self, place: int, known: int, spelt: dict[int, Likeness], said: dict[int, float]) -> Score:
        parts = []
        if (column := self._column_of.get(known)) is not None and self._company[place, column] > 0:
            company = min(MOST_COMPANY, float(self._company[place, column]))
            apart = 1 - min(1.0, 2 * self._beside.get((int(self._new[place]), known), 0.0))
            parts.append(Score(company * apart, COMPANY))
            parts.append(Score(SAME_TOPICS * float(self._topics[place, column]), TOPICS))
        if likeness := spelt.get(known):
            parts.append(Score(likeness.value, likeness.why))
        if often := said.get(known):
            where = "a text says" if often <= 1 else "texts say"
            share = often / max(often, int(self._collection.holding[:, self._new[place]].sum()))
            parts.append(Score(SAID * math.sqrt(share), f"{where} that they are the same"))
        if self._witnesses.model:
            names = self._collection.names
            told = self._witnesses.model.close(names[int(self._new[place])], names[known])
            parts.append(Score(MODEL_WEIGHT * max(0.0, told - MODEL_FROM) / (1 - MODEL_FROM), "a model finds it close"))
        heard = tuple(part for part in parts if part.value)
        return Score(sum(part.value for part in heard), "; ".join(part.why for part in heard if part.value > 0), heard)


def known_terms(collection: Collection) -> Ints:
    """The terms of the taxonomy whose company is looked at: those that most texts hold."""
    held = collection.holding.sum(0)
    known = np.flatnonzero((collection.holding[Origin.TAXONOMY] > 0) & collection.telling & (held > 1))
    return known[np.argsort(-held[known], kind="stable")][:MOST_KNOWN].astype(np.int32)
