"""Where texts and terms belong: the topic of each handed-over text, and how much a term keeps to one topic.

A text belongs to the topic whose texts it is most like (tf-idf cosine), or
nowhere. A term belongs where the texts that hold it belong, if they belong there
more than texts do in general: a name that occurs anywhere has no home.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lycosa.topics.semantic_checker.corpus import Collection, Floats, Ints, Origin

MOST_TERMS = 12_000
FITS = 0.03
"""The least cosine at which a text belongs to a topic at all."""
PRIOR = 10.0
"""So many texts, spread evenly over the topics, are thought to be there beside the real ones."""


@dataclass(frozen=True)
class Home:
    """A topic's number, and from 0 to 1 how much something keeps to it."""

    topic: int
    kept_to: float


class Homes:
    """The topics of the handed-over texts, or the one a person says; the last number stands for nowhere."""

    def __init__(self, collection: Collection, topic_of: Ints, topics: int, said: int | None = None) -> None:
        self.nowhere = topics
        self.texts = collection.texts(Origin.HANDED_OVER)
        self.fit = _fit(collection, topic_of, topics, self.texts)
        best = self.fit.argmax(1) if topics else np.zeros(len(self.texts), np.int64)
        fits = self.fit.max(1, initial=0.0) >= FITS
        self.topic_of = np.where(fits, best, topics)
        if said is not None:
            self.topic_of[:] = said
        real = np.bincount(self.topic_of, minlength=topics + 1) if said is None else 0
        counted = real + np.full(topics + 1, PRIOR / (topics + 1))
        self._usual = counted / counted.sum()

    def of(self, texts: Ints) -> Home:
        """The home of something that these texts (places among the handed-over ones) hold."""
        counted = np.bincount(self.topic_of[texts], minlength=self.nowhere + 1)
        share = (counted + self._usual) / (counted.sum() + 1)
        kept = share * np.log(share / self._usual) / np.maximum(-np.log(self._usual), 1e-9)
        best = int(kept.argmax())
        return Home(best, float(max(0.0, kept[best])))


def _fit(collection: Collection, topic_of: Ints, topics: int, texts: Ints) -> Floats:
    """The cosine of each text (row) with each topic (column)."""
    held = collection.holding[Origin.TAXONOMY]
    every = np.flatnonzero((held > 0) & collection.telling)
    known: Ints = every[np.argsort(-held[every], kind="stable")][:MOST_TERMS].astype(np.int32)
    rarity = np.log(1 + (len(topic_of) - held[known] + 0.5) / (held[known] + 0.5)).astype(np.float32)
    middles = np.zeros((topics, len(known)), np.float32)
    for part, block in collection.blocks(collection.texts(Origin.TAXONOMY), known):
        np.add.at(middles, topic_of[part], _weighted(block, rarity))
    middles /= np.maximum(np.linalg.norm(middles, axis=1, keepdims=True), 1e-9)
    fit = np.zeros((len(texts), topics), np.float32)
    for part, block in collection.blocks(texts, known):
        fit[part] = _weighted(block, rarity) @ middles.T
    return fit


def _weighted(block: Floats, rarity: Floats) -> Floats:
    weighted = np.log1p(block, out=block) * rarity
    weighted /= np.maximum(np.linalg.norm(weighted, axis=1, keepdims=True), np.float32(1e-9))
    return weighted


def profiles(collection: Collection, homes: Homes, terms: Ints) -> Floats:
    """How the texts that hold each term differ in topic from texts in general; rows of length 1."""
    held = np.zeros(len(terms), np.float32)
    found = np.zeros((len(terms), homes.fit.shape[1]), np.float32)
    for part, block in collection.blocks(homes.texts, terms):
        holds = (block > 0).astype(np.float32)
        held += holds.sum(0)
        found += holds.T @ homes.fit[part]
    if len(homes.texts):
        found -= held[:, None] * homes.fit.mean(0)
    found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), np.float32(1e-9))
    return found
