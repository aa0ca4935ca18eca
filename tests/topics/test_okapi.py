"""Okapi relevance (C9) against the formula written out, and its background."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.configuration.sections import Configuration, Relevance
from lycosa.plugins.plug_points import Topic
from lycosa.records import Page, Visit
from lycosa.scoring.pages.okapi import OkapiPageScorer
from lycosa.text import stems, words
from lycosa.topics.okapi import Okapi, Statistics, counted_background, shipped_background, topic_terms
from lycosa.topics.taxonomy_file import shipped


def by_the_book(
    counts: dict[str, int], length: int, terms: dict[str, int], background: Statistics, idf: str = "smooth"
) -> float:
    """CFP equation 7, straight."""
    k1, b, k2 = 1.2, 0.75, 100.0
    average, total = background.length / background.documents, 0.0
    for term, f_td in counts.items():
        df = background.holding.get(term, 0)
        odds = (background.documents - df + 0.5) / (df + 0.5)
        a = max(0.0, math.log(odds)) if idf == "paper" else math.log(1 + odds)
        b_part = (k1 + 1) * f_td / (k1 * (1 - b + b * length / average) + f_td)
        total += a * b_part * (k2 + 1) * terms[term] / (k2 + terms[term])
    return total


@pytest.mark.parametrize("idf", ["smooth", "paper"])
def test_the_formula(idf: str) -> None:
    terms = {"bird": 2, "nest": 1, "the": 1}
    okapi = Okapi(terms, Relevance(idf=idf))
    counts = {"bird": 3, "the": 7}
    expected = by_the_book(counts, 250, terms, shipped_background(), idf)
    assert okapi.score(counts, 250).value * okapi.bound == pytest.approx(expected)


@given(st.dictionaries(st.sampled_from(["bird", "nest", "wing"]), st.integers(1, 500)), st.integers(1, 10_000))
def test_relevance_lies_between_0_and_1(counts: dict[str, int], length: int) -> None:
    okapi = Okapi({"bird": 1, "nest": 1, "wing": 1}, Relevance())
    assert 0 <= okapi.score(counts, length).value <= 1


def test_words_are_counted_by_their_stem_and_language() -> None:
    okapi = Okapi(topic_terms("birds nest"), Relevance())
    assert okapi.count("Birds! A bird's nesting; nothing else: blackbirds.") == ({"bird": 2, "nest": 1}, 7)
    assert okapi.count("Birds and nests", "pl") == ({}, 3)


FORMS = """Hoping hope hopes hop history histories historical sensibility sensible bird-like energy energies
relational relating ponies pony agreed agree, (birds) café birdé"""


@given(st.lists(st.sampled_from(FORMS.split())))
def test_looking_for_roots_finds_what_stemming_every_word_finds(listed: list[str]) -> None:
    terms = {
        stems("en")(word): 1
        for word in ("hope", "hop", "history", "sensible", "bird", "energy", "relate", "pony", "agree")
    }
    text = " ".join(listed)
    everything = Counter(stems("en")(word) for word in words(text))
    assert Okapi(terms, Relevance()).count(text)[0] == {term: everything[term] for term in terms if everything[term]}


def test_a_score_says_which_terms_made_it() -> None:
    okapi = Okapi(topic_terms("birds nest"), Relevance())
    score = okapi.score({"bird": 2}, 100)
    assert "bird" in score.why
    assert "nest" not in score.why
    assert okapi.score({}, 100).value == 0


def test_what_is_fetched_joins_the_background() -> None:
    okapi = Okapi({"lycosa": 1, "bird": 1}, Relevance())
    before = okapi.score({"lycosa": 1}, 800).value
    okapi.learn([(["lycosa"], 800)] * 500)
    assert okapi.collected == Statistics(500, 400_000, {"lycosa": 500})
    assert okapi.score({"lycosa": 1}, 800).value < before


def test_two_agents_that_told_each_other_score_alike() -> None:
    one, other = (OkapiPageScorer(Okapi({"lycosa": 1, "bird": 1}, Relevance())) for _ in range(2))
    pages = [Page(f"http://a.org/{n}", text="lycosa " * (n + 1), digest=bytes([n])) for n in range(9)]
    for scorer, share in ((one, pages[:3]), (other, pages[3:])):
        for page in share:
            scorer.relevance(page)
        scorer.learn([Visit(None, None, page) for page in share])  # type: ignore[arg-type]
    probe = Page("http://b.org/", text="lycosa and a bird", digest=b"p")
    assert one.relevance(probe).value != other.relevance(probe).value
    told = [one.statistics(), other.statistics()]
    one.recall(None, [told[1]])
    other.recall(None, [told[0]])
    assert one.relevance(probe).value == pytest.approx(other.relevance(probe).value)


def test_a_restarted_agent_remembers_what_it_learnt() -> None:
    scorer = OkapiPageScorer(Okapi({"lycosa": 1}, Relevance()))
    page = Page("http://a.org/", text="lycosa", digest=b"d")
    scorer.relevance(page)
    scorer.learn([Visit(None, None, page)])  # type: ignore[arg-type]
    again = OkapiPageScorer(Okapi({"lycosa": 1}, Relevance()))
    again.recall(scorer.statistics(), [])
    assert again.relevance(page) == scorer.relevance(page)


def test_examples_name_the_telling_terms() -> None:
    first = "The wolf spider hunts at night. Wolf spiders carry their young. A burrow is its home."
    second = "Wolf spiders do not spin a web; the wolf spider hunts by sight and digs a burrow."
    found = topic_terms("", [first, second])
    assert {"wolf", "spider", "burrow", "hunt"} <= set(found)
    assert "night" not in found


def test_the_factory_reads_the_topic() -> None:
    from lycosa.scoring.pages.okapi import okapi_page_scorer

    scorer = okapi_page_scorer(Configuration(), Topic("wolf spiders"))
    assert scorer.relevance(Page("http://a.org/", text="a wolf spider", digest=b"1")).value > 0.5


def test_the_shipped_table_covers_the_shipped_texts() -> None:
    counted, table = counted_background(text for node in shipped() for text in node.texts), shipped_background()
    assert table.documents >= counted.documents >= 200
    short = {term for term, number in counted.holding.items() if number > max(1, table.holding.get(term, 0))}
    assert not short, "run scripts/make-background again"
