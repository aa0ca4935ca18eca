"""New subtopics: several new terms that occur together in the same texts and hardly elsewhere.

Two terms belong together as far as the same texts hold both (the cosine of the
sets of their texts). A bundle grows from the term with most company by the term
that is on average closest to all those already in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lycosa.topics.semantic_checker.corpus import Collection, Floats, Ints, Truths

TOGETHER = 0.4
FEWEST_TERMS = 3
MOST_TERMS = 20


@dataclass(frozen=True)
class Bundle:
    """Terms (places among the candidates) that occur together, how much so, and the texts they occur in."""

    terms: tuple[int, ...]
    cohesion: float
    texts: Ints


def bundles(collection: Collection, texts: Ints, candidates: Ints, fewest_texts: int) -> list[Bundle]:
    """The bundles among candidate terms, in these texts; the most cohesive first."""
    if len(candidates) < FEWEST_TERMS or len(texts) < fewest_texts:
        return []
    holds = np.zeros((len(texts), len(candidates)), np.bool_)
    for part, block in collection.blocks(texts, candidates):
        holds[part] = block > 0
    together = _together(holds, fewest_texts)
    found = []
    for terms in _grown(together):
        inside = together[np.ix_(terms, terms)]
        cohesion = float(inside.sum()) / (len(terms) * (len(terms) - 1))
        where = np.flatnonzero(holds[:, terms].sum(1) >= 2).astype(np.int32)
        found.append(Bundle(tuple(terms), cohesion, where))
    return sorted(found, key=lambda bundle: -bundle.cohesion * len(bundle.terms))


def _together(holds: Truths, fewest_texts: int) -> Floats:
    """The cosine of the sets of texts of each two terms; 0 where too few texts hold both."""
    both = np.zeros((holds.shape[1], holds.shape[1]), np.float32)
    for begin in range(0, len(holds), 4096):
        part = holds[begin : begin + 4096].astype(np.float32)
        both += part.T @ part
    alone = np.sqrt(np.maximum(both.diagonal(), 1.0))
    both[both < fewest_texts] = 0.0
    np.fill_diagonal(both, 0.0)
    both /= alone[:, None]
    both /= alone[None, :]
    return both


def _grown(together: Floats) -> list[list[int]]:
    """Bundles, each term in one at most."""
    company = np.where(together >= TOGETHER, together, 0.0).sum(1)
    free = company >= TOGETHER * (FEWEST_TERMS - 1)
    found = []
    for core in np.argsort(-company, kind="stable"):
        if not free[core]:
            continue
        terms = _around(int(core), together, free)
        if len(terms) >= FEWEST_TERMS:
            free[terms] = False
            found.append(terms)
    return found


def _around(core: int, together: Floats, free: Truths) -> list[int]:
    terms, closeness = [core], together[core].copy()
    outside = free.copy()
    outside[core] = False
    while len(terms) < MOST_TERMS:
        nearest = int(np.where(outside, closeness, 0.0).argmax())
        if not outside[nearest] or closeness[nearest] < TOGETHER * len(terms):
            break
        terms.append(nearest)
        outside[nearest] = False
        closeness += together[nearest]
    return terms
