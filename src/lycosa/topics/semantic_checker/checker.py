"""The semantic checker (C4): reads what people hand over and proposes what the taxonomy lacks.

Terms of the documents that the vocabulary V does not know go to a temporary
vocabulary V'. One that is close to a term of V is proposed as its variant; several
that occur together are proposed as a subtopic; any other that weighs much is
proposed to the topic it keeps to. Texts are read once, one at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise

import msgspec
import numpy as np

from lycosa.plugins.plug_points import Closeness
from lycosa.records import Score
from lycosa.text import stop_words, words
from lycosa.topics.semantic_checker.cooccurrence import shared_company
from lycosa.topics.semantic_checker.corpus import Collection, Gathering, Ints, Origin
from lycosa.topics.semantic_checker.new_terms import fewest_texts, new_terms, split_compounds
from lycosa.topics.semantic_checker.proposals import SUBTOPIC, TERM, VARIANT, Proposal, Refusals
from lycosa.topics.semantic_checker.subtopics import Bundle, bundles
from lycosa.topics.semantic_checker.synonym_phrases import Definitions
from lycosa.topics.semantic_checker.synonyms import CLOSE, COMPANY, TOPICS, Likenesses, Witnesses
from lycosa.topics.semantic_checker.topic_affinity import Home, Homes
from lycosa.topics.semantic_checker.word_forms import COMPOUND
from lycosa.topics.vocabulary import Vocabulary, node_texts

MOST_COMPOUNDS = 200_000
SURE = 0.5
"""From this much evidence besides company on, a variant is no part of a subtopic."""
SUPPORT, ENOUGH_TEXTS = 0.2, 30
"""What each e-fold of documents adds to the case for a variant, up to so many documents."""
TERM_WEIGHT = 0.5
"""A single term is a weaker case than a variant or a bundle of terms."""
KEEPS_TO = 0.15
"""A term that keeps to a topic less than this belongs nowhere: a name, a fashion."""
FEWEST_TOGETHER = 3
"""In so many documents the terms of a subtopic meet, at least."""
MOST_NAMED = 5


class SemanticChecker:
    """Takes documents and crawled pages in, then proposes; with a `node`, all documents belong to it."""

    def __init__(self, vocabulary: Vocabulary, model: Closeness | None = None, node: str = "") -> None:
        self._vocabulary = vocabulary
        self._topics = tuple(each.id for each in vocabulary.taxonomy)
        self._node = self._topics.index(vocabulary.taxonomy[node].id) if node else None
        self._gathering = Gathering(vocabulary.language)
        self._witnesses = Witnesses(Definitions(), model)
        self._compounds: dict[str, str] = {}
        self._topic_of: list[int] = []
        self._documents: list[str] = []
        for number, each in enumerate(vocabulary.taxonomy):
            for text in node_texts(each):
                if self._take(text, Origin.TAXONOMY):
                    self._topic_of.append(number)
                    self._note_compounds(text)

    def _take(self, text: str, origin: Origin) -> bool:
        self._witnesses.definitions.read(text)
        return self._gathering.add(self._vocabulary.in_known_words(text), origin)

    def _note_compounds(self, text: str) -> None:
        """Two known words behind each other may be written as one elsewhere."""
        stop, told = stop_words().get(self._vocabulary.language, frozenset()), words(text)
        for one, other in pairwise(told):
            if len(self._compounds) < MOST_COMPOUNDS and one not in stop and other not in stop:
                self._compounds.setdefault(one + other, f"{one} {other}")

    def hand_over(self, name: str, text: str) -> bool:
        """A document whose terms are checked; says whether there was room for it."""
        taken = self._take(text, Origin.HANDED_OVER)
        if taken:
            self._documents.append(name)
        return taken

    def collect(self, text: str) -> bool:
        """A crawled page: its terms are not checked, but it tells how terms are used."""
        return self._take(text, Origin.CRAWL)

    def proposals(self, refusals: Refusals | None = None, most: int = 100) -> list[Proposal]:
        """What the taxonomy lacks, the strongest case first; nothing that was refused."""
        if not self._documents:
            return []
        collection = self._gathering.collection()
        homes = Homes(collection, np.array(self._topic_of, np.int32), len(self._topics), self._node)
        look = _Look(collection, homes, self._witnesses, (*self._topics, ""), tuple(self._documents))
        refused, language = refusals or Refusals(), self._vocabulary.language
        found = sorted(look.proposals(self._compounds, refused, language), key=_strongest_first)
        return look.with_company(found[:most])


def _strongest_first(proposal: Proposal) -> tuple[float, str, tuple[str, ...]]:
    return -proposal.strength.value, proposal.kind, proposal.words


class _Look:
    """One look at everything that was gathered."""

    def __init__(
        self,
        collection: Collection,
        homes: Homes,
        witnesses: Witnesses,
        topics: tuple[str, ...],
        names: tuple[str, ...],
    ) -> None:
        self._collection, self._homes, self._topics, self._names = collection, homes, topics, names
        self._new = new_terms(collection)
        self._likenesses = Likenesses(collection, homes, self._new.terms, witnesses)

    def proposals(self, compounds: Mapping[str, str], refused: Refusals, language: str) -> Iterator[Proposal]:
        """All there is to propose; `compounds` are pairs of known words by what they are in one word."""
        variants = [self._variant(place, compounds) for place in range(len(self._new.terms))]
        variants = [None if each and refused.cover(each, language) else each for each in variants]
        sure = {place for place, each in enumerate(variants) if each and _told_besides_company(each) >= SURE}
        bundled: set[int] = set()
        for bundle in self._bundles(sure):
            bundled.update(bundle.terms)
            yield from _unless_refused(self._subtopic(bundle), refused, language)
        for place, variant in enumerate(variants):
            if place in bundled:
                continue
            if variant is not None:
                yield variant
            else:
                yield from _unless_refused(self._term(place), refused, language)
        for proposal in self._split_compounds(language):
            yield from _unless_refused(proposal, refused, language)

    def _variant(self, place: int, compounds: Mapping[str, str]) -> Proposal | None:
        name, texts = self._collection.names[self._new.terms[place]], self._new.texts[place]
        if name in compounds:
            known, closeness = compounds[name], _compound("the same written as one word")
        elif (pair := self._likenesses.best(place)) is not None and pair.closeness.value >= CLOSE:
            known, closeness = self._collection.names[pair.known], pair.closeness
        else:
            return None
        strength = _supported(closeness, len(texts))
        return Proposal(VARIANT, self._topic(texts), (name,), known, strength, self._named(texts))

    def _bundles(self, sure: set[int]) -> Iterator[Bundle]:
        """Bundles of new terms that are not surely variants."""
        places = np.array([place for place in range(len(self._new.terms)) if place not in sure], np.int32)
        fewest = max(FEWEST_TOGETHER, fewest_texts(len(self._homes.texts)) - 1)
        for bundle in bundles(self._collection, self._homes.texts, self._new.terms[places], fewest):
            yield Bundle(tuple(int(places[term]) for term in bundle.terms), bundle.cohesion, bundle.texts)

    def _subtopic(self, bundle: Bundle) -> Proposal:
        heaviest_first = sorted(bundle.terms)
        names = tuple(self._collection.names[self._new.terms[place]] for place in heaviest_first)
        value = bundle.cohesion * (1 - 1 / len(names))
        home = self._homes.of(bundle.texts)
        parts = (
            Score(bundle.cohesion, "the terms occur together"),
            Score(home.kept_to, f"in texts of {self._topics[home.topic] or 'no topic'}"),
        )
        why = f"{len(names)} new terms occur together in {len(bundle.texts)} texts"
        node = self._topics[home.topic]
        return Proposal(SUBTOPIC, node, names, "", Score(value, why, parts), self._named(bundle.texts))

    def _term(self, place: int) -> Proposal | None:
        texts, weight = self._new.texts[place], float(self._new.weights[place])
        home = self._homes.of(texts)
        if not self._topics[home.topic] or home.kept_to < KEEPS_TO:
            return None
        value = TERM_WEIGHT * home.kept_to * math.sqrt(weight)
        parts = (
            Score(weight, "its weight in the documents, the heaviest new term being 1"),
            Score(home.kept_to, "how much it keeps to the topic"),
        )
        name = self._collection.names[self._new.terms[place]]
        strength = Score(value, f"weighs {weight:.2f} in {len(texts)} texts, not close to any known term", parts)
        return Proposal(TERM, self._topics[home.topic], (name,), "", strength, self._named(texts))

    def _split_compounds(self, language: str) -> Iterator[Proposal]:
        names = self._collection.names
        for (one, other), known in split_compounds(self._collection, language).items():
            strength = _supported(_compound("the same written as two words"), 1)
            yield Proposal(VARIANT, "", (f"{one} {other}",), names[known], strength)

    def _topic(self, texts: Ints) -> str:
        home: Home = self._homes.of(texts)
        return self._topics[home.topic]

    def _named(self, texts: Ints) -> tuple[str, ...]:
        return tuple(self._names[place] for place in texts[:MOST_NAMED])

    def with_company(self, found: list[Proposal]) -> list[Proposal]:
        """The proposals, variants with the phrases that both words are used in."""
        number = {name: place for place, name in enumerate(self._collection.names)}
        heard = [place for place, each in enumerate(found) if each.kind == VARIANT and COMPANY in each.strength.why]
        pairs = [(number[found[place].words[0]], number[found[place].term]) for place in heard]
        for place, phrases in zip(heard, shared_company(self._collection, pairs), strict=True):
            strength = found[place].strength
            why = strength.why.replace(COMPANY, f"{COMPANY} ({', '.join(phrases)})")
            found[place] = msgspec.structs.replace(found[place], strength=msgspec.structs.replace(strength, why=why))
        return found


def _unless_refused(proposal: Proposal | None, refused: Refusals, language: str) -> Iterator[Proposal]:
    if proposal is not None and not refused.cover(proposal, language):
        yield proposal


def _compound(why: str) -> Score:
    return Score(COMPOUND, why, (Score(COMPOUND, why),))


def _supported(closeness: Score, texts: int) -> Score:
    """The case for a variant: how close the words are, and in how many documents the new one is."""
    support = Score(SUPPORT * math.log(min(max(1, texts), ENOUGH_TEXTS)), f"it is in {texts} documents")
    return Score(min(1.0, (closeness.value + support.value) / 2), closeness.why, (*closeness.parts, support))


def _told_besides_company(variant: Proposal) -> float:
    """What others than company say for a variant."""
    return sum(part.value for part in variant.strength.parts[:-1] if part.why not in (COMPANY, TOPICS))
