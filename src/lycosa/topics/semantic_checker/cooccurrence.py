"""Which terms are used alike: closeness of terms by the company they keep, with no model installed.

Each term has a vector of the words right before and right after it (stop words
too: they tell how a term is used), weighted by how much more often they meet than
by chance (positive pointwise mutual information). Terms with like vectors are used
alike. A term whose vector is close to many is close to nothing in particular, so
a pair counts against the neighbourhoods of both.
"""

from __future__ import annotations

import numpy as np

from lycosa.topics.semantic_checker.corpus import Collection, Floats, Ints

WINDOW = 2
SMOOTHING = 0.75
MOST_CONTEXTS = 3_000
NEIGHBOURS = 10
ROWS_AT_ONCE = 1_500


def context_terms(collection: Collection) -> Ints:
    """The terms that count as company: those that most texts hold."""
    held = collection.holding.sum(0)
    return np.argsort(-held, kind="stable")[:MOST_CONTEXTS].astype(np.int32)


def context_vectors(collection: Collection, rows: Ints, contexts: Ints) -> Floats:
    """A vector of length 1 for each term of `rows`: what stands before it, then what stands after it."""
    row_of = np.full(len(collection.terms), -1, np.int64)
    row_of[rows] = np.arange(len(rows))
    context_of = np.full(len(collection.terms), -1, np.int64)
    context_of[contexts] = np.arange(len(contexts))
    width = 2 * len(contexts)
    met = np.zeros(len(rows) * width, np.float32)
    row, context = row_of[collection.stream], context_of[collection.stream]
    for apart in range(1, WINDOW + 1):
        same_text = collection.text_of[apart:] == collection.text_of[:-apart]
        weight = np.float32((WINDOW + 1 - apart) / WINDOW)
        before = same_text & (row[apart:] >= 0) & (context[:-apart] >= 0)
        np.add.at(met, row[apart:][before] * width + context[:-apart][before], weight)
        after = same_text & (row[:-apart] >= 0) & (context[apart:] >= 0)
        np.add.at(met, row[:-apart][after] * width + len(contexts) + context[apart:][after], weight)
    return _unit(_informative(met.reshape(len(rows), width)))


def _informative(met: Floats) -> Floats:
    """Positive pointwise mutual information, in place; frequent contexts are smoothed."""
    of_row, of_column = met.sum(1), met.sum(0) ** np.float32(SMOOTHING)
    chance = of_column / max(float(of_column.sum()), 1e-9)
    met /= np.maximum(of_row, np.float32(1e-9))[:, None]
    met /= np.maximum(chance, np.float32(1e-12))
    np.maximum(met, 1.0, out=met)
    return np.log(met, out=met)


def _unit(vectors: Floats) -> Floats:
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    vectors /= np.maximum(length, np.float32(1e-9))[:, None]
    return vectors


def used_alike(collection: Collection, terms: Ints, others: Ints) -> Floats:
    """How much more each term (row) is used like each of the others (column) than like their neighbours."""
    contexts = context_terms(collection)
    vectors = context_vectors(collection, terms, contexts)
    alike = np.empty((len(terms), len(others)), np.float32)
    for begin in range(0, len(others), ROWS_AT_ONCE):
        chosen = others[begin : begin + ROWS_AT_ONCE]
        alike[:, begin : begin + len(chosen)] = vectors @ context_vectors(collection, chosen, contexts).T
    if not alike.size:
        return alike
    around_terms, around_others = _nearest_mean(alike), _nearest_mean(alike.T)
    alike *= 2
    alike -= around_terms[:, None]
    alike -= around_others[None, :]
    return alike


def _nearest_mean(alike: Floats) -> Floats:
    """The mean closeness of each row's nearest."""
    nearest = min(NEIGHBOURS, alike.shape[1])
    found: Floats = np.empty(len(alike), np.float32)
    for begin in range(0, len(alike), ROWS_AT_ONCE):
        part = alike[begin : begin + ROWS_AT_ONCE]
        found[begin : begin + len(part)] = np.partition(part, part.shape[1] - nearest, axis=1)[:, -nearest:].mean(1)
    return found


def shared_company(collection: Collection, pairs: list[tuple[int, int]], most: int = 4) -> list[tuple[str, ...]]:
    """For pairs of terms, the phrases with a gap that both fill: ('the … of', …), most telling first."""
    if not pairs:
        return []
    contexts = context_terms(collection)
    rows = np.unique(np.array(pairs, np.int32))
    vectors = context_vectors(collection, rows, contexts)
    at = {int(row): place for place, row in enumerate(rows)}
    found = []
    for one, other in pairs:
        shared = vectors[at[one]] * vectors[at[other]]
        best = np.argsort(-shared)[:most]
        found.append(tuple(_phrase(collection, contexts, int(place)) for place in best if shared[place] > 0))
    return found


def _phrase(collection: Collection, contexts: Ints, place: int) -> str:
    """A context for people: a word before or after a gap."""
    side, column = divmod(place, len(contexts))
    name = collection.names[contexts[column]]
    return f"… {name}" if side else f"{name} …"
