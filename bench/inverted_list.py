"""`inverted-list`: size and speed of the coded postings, beside plain 32-bit document numbers."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import numpy as np

from bench.rows import Row, less_is_better, more_is_better
from bench.web_text import vocabulary
from lycosa.topics.inverted_list import InvertedList

DOCUMENTS = 3_000
WORDS = 150
ASKED = 2_000
ROUNDS = 7


def run() -> list[Row]:
    """Bytes per posting, and postings per second of CPU in bulk and term by term."""
    known, chance = vocabulary(8_000, 1), random.Random(1)
    weights = [1 / (rank + 10) for rank in range(len(known))]
    texts = [" ".join(chance.choices(known, weights, k=WORDS)) for _ in range(DOCUMENTS)]
    held = InvertedList(texts)
    terms = chance.sample(sorted(held.terms), min(ASKED, len(held.terms)))
    plain = {term: held.gather([term]).documents.astype(np.uint32) for term in terms}
    number, postings = sum(map(len, plain.values())), int(held.holding.sum())
    bulk = _seconds(lambda: held.gather(terms))
    raw = _seconds(lambda: np.concatenate([plain[term] for term in terms]))
    told = f"{DOCUMENTS} documents, {len(held.terms)} terms, {postings} postings"
    return [
        less_is_better(
            "inverted-list", "document numbers", held.size_of_documents / postings, 4.0, other_name="raw 32-bit ids",
            unit="B/posting", note=f"{told}; marks included",
        ),
        less_is_better(
            "inverted-list", "numbers, counts, places", held.size / postings, 4.0 * (2 + sum(held.sizes) / postings),
            other_name="raw 32-bit ids", unit="B/posting", note="ours: places of every occurrence included",
        ),
        more_is_better(
            "inverted-list", "look-up in bulk", number / bulk / 1e6, number / raw / 1e6, other_name="raw 32-bit ids",
            unit="M postings/s", note=f"{len(terms)} terms at once; ours decodes numbers and counts",
        ),
        more_is_better(
            "inverted-list", "bulk over one by one", number / bulk / 1e6,
            number / _seconds(lambda: [held.gather([term]) for term in terms[:200]]) / len(terms) * 200 / 1e6,
            other_name="term by term", unit="M postings/s",
        ),
    ]  # fmt: skip


def _seconds(work: Callable[[], object]) -> float:
    """The best CPU time of a few rounds."""
    taken = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return max(min(taken), 1e-9)
