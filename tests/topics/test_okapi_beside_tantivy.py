"""Okapi (C9) beside tantivy's BM25, which somebody else wrote, where the two formulas coincide.

They do where the topic names each term once (C = 1), the background is the collection itself,
and documents are so short that tantivy keeps their length without rounding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
import tantivy
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lycosa.configuration.sections import Relevance
from lycosa.topics import okapi
from lycosa.topics.okapi import Okapi, Statistics

WORDS = [f"w{number}" for number in range(12)]
LONGEST = 39
"""Up to here tantivy keeps the length of a field as it is; longer ones are rounded down."""
CLOSE = 1e-4

documents = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=LONGEST), min_size=1, max_size=12)
topics = st.sets(st.sampled_from(WORDS), min_size=1)
Background = Callable[[Statistics], None]


@pytest.fixture
def background(monkeypatch: pytest.MonkeyPatch) -> Background:
    """Replaces the shipped background by that of a collection."""
    return lambda statistics: monkeypatch.setattr(okapi, "shipped_background", lambda: statistics)


def counted(collection: list[list[str]]) -> Statistics:
    holding = Counter(word for each in collection for word in set(each))
    return Statistics(len(collection), sum(map(len, collection)), dict(holding))


def by_tantivy(collection: list[list[str]], topic: set[str]) -> dict[int, float]:
    """The score of each document that holds a term, by its place."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("body", tokenizer_name="whitespace")
    builder.add_unsigned_field("place", stored=True)
    index = tantivy.Index(builder.build())
    writer = index.writer(15_000_000, 1)
    for place, each in enumerate(collection):
        writer.add_document(tantivy.Document(body=" ".join(each), place=place))
    writer.commit()
    index.reload()
    clauses = [(tantivy.Occur.Should, tantivy.Query.term_query(index.schema, "body", word)) for word in sorted(topic)]
    searcher = index.searcher()
    hits = searcher.search(tantivy.Query.boolean_query(clauses), limit=len(collection)).hits
    return {searcher.doc(address).to_dict()["place"][0]: score for score, address in hits}


def by_okapi(collection: list[list[str]], topic: set[str]) -> dict[int, float]:
    """The same by our Okapi, before it is divided by its bound."""
    scorer = Okapi(dict.fromkeys(sorted(topic), 1), Relevance())
    found = {}
    for place, each in enumerate(collection):
        counts, length = scorer.count(" ".join(each))
        if counts:
            found[place] = scorer.score(counts, length).value * scorer.bound
    return found


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents, topics)
def test_both_give_every_document_the_same_score(
    background: Background, collection: list[list[str]], topic: set[str]
) -> None:
    background(counted(collection))
    expected = by_tantivy(collection, topic)
    assert by_okapi(collection, topic) == pytest.approx(expected, rel=CLOSE, abs=CLOSE)
    assert set(expected) == {place for place, each in enumerate(collection) if topic & set(each)}


def test_the_comparison_notices_another_formula(background: Background) -> None:
    collection = [["w1", "w2", "w2"], ["w1"], ["w3"] * 9]
    background(counted(collection))
    strange = Okapi({"w1": 1, "w2": 1}, Relevance(b=0.5))
    mine = strange.score({"w1": 1, "w2": 2}, 3).value * strange.bound
    theirs = by_tantivy(collection, {"w1", "w2"})[0]
    assert by_okapi(collection, {"w1", "w2"})[0] == pytest.approx(theirs, rel=CLOSE)
    assert mine != pytest.approx(theirs, rel=0.01)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents, topics)
def test_both_put_documents_in_the_same_order(
    background: Background, collection: list[list[str]], topic: set[str]
) -> None:
    background(counted(collection))
    ours, theirs = by_okapi(collection, topic), by_tantivy(collection, topic)
    assume(len(theirs) > 1)
    for one in theirs:
        for other in theirs:
            if theirs[one] > theirs[other] + 2 * CLOSE:
                assert ours[one] > ours[other]
