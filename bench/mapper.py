"""`mapper`: how long five documents take against a thousand topics, beside a plain tf-idf cosine."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from bench.rows import Row, less_is_better, missing
from bench.web_text import vocabulary
from lycosa.topics.mapper import Mapper
from lycosa.topics.taxonomy import Node, Taxonomy

NODES = 1_000
TEXTS = 3
DOCUMENTS = 5
ROUNDS = 15
BAR = 50.0


def run() -> list[Row]:
    """CPU time of one mapping, the median of several."""
    taxonomy, documents = _scene()
    mapper = Mapper(taxonomy)
    ours = _median_ms(lambda: mapper.map(documents))
    told = f"{DOCUMENTS} documents of 2 000 words, {NODES} nodes of {TEXTS} texts"
    rows = [less_is_better("mapper", "a mapping", ours, BAR, other_name="bar", unit="ms", note=f"bar >= 1; {told}")]
    try:
        rival = _sklearn(taxonomy)
    except ImportError as error:
        return [*rows, missing("mapper", "scikit-learn TfidfVectorizer", str(error))]
    other = _median_ms(lambda: rival(documents))
    return [
        *rows,
        less_is_better(
            "mapper", "a mapping", ours, other, other_name="scikit-learn TfidfVectorizer", unit="ms", note=told
        ),
    ]


def _scene() -> tuple[Taxonomy, list[str]]:
    """Topics that share a language, each with words of its own."""
    known, chance = vocabulary(12_000, 1), random.Random(1)
    weights = [1 / (rank + 10) for rank in range(len(known))]

    def text(own: list[str], length: int) -> str:
        return " ".join(chance.choices(known, weights, k=length * 3 // 4) + chance.choices(own, k=length // 4))

    own = [chance.sample(known, 40) for _ in range(NODES)]
    nodes = [
        Node(
            f"n{number}",
            f"topic {number}",
            description=text(own[number], 30),
            texts=tuple(text(own[number], 140) for _ in range(TEXTS)),
        )
        for number in range(NODES)
    ]
    return Taxonomy(nodes), [text(own[7], 2_000) for _ in range(DOCUMENTS)]


def _sklearn(taxonomy: Taxonomy) -> Callable[[list[str]], object]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(sublinear_tf=True)
    nodes = vectorizer.fit_transform(" ".join((node.label, node.description, *node.texts)) for node in taxonomy)
    return lambda documents: (vectorizer.transform(documents) @ nodes.T).mean(axis=0)


def _median_ms(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        taken.append(1000 * (time.process_time() - began))
    return sorted(taken)[ROUNDS // 2]
