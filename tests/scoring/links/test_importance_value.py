"""The strategy `importance-value`: links wait with P5's Score beside its median."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_pages import judged

from lycosa.click_records import PageClicks
from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import build
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Link, Page, Score
from lycosa.scoring.click_statistics import NOBODY, Seen
from lycosa.scoring.importance import bm25_scaled, value_score
from lycosa.scoring.links.importance_value import ValueFormula, ascii_sum, importance_value_link_scorer
from lycosa.scoring.links.words_and_clicks import Usual

USUAL = Usual(links=100.0, pages=50.0, log_rank=0.0)
BY_TIME, BY_LENGTH = ValueFormula(by_length=False), ValueFormula(by_length=True)


def test_the_score_is_that_of_the_papers_example() -> None:
    seen = Seen(visits=73, log_rank=753_898, ascii_sum=5_634_244, downloads=1)
    assert BY_TIME.measure(10.0, seen) == pytest.approx(159.808, abs=5e-4)
    assert BY_TIME.value(10.0, seen, USUAL) == pytest.approx(159.808 / 259.808, abs=1e-5)
    assert BY_TIME.importance(10.0, seen, USUAL).value == pytest.approx(159.808 / 209.808, abs=1e-5)


@given(
    st.floats(-5, 60),
    st.builds(
        Seen,
        st.integers(0, 10**6),
        st.floats(0, 1e12),
        st.integers(0, 10**7),
        st.integers(0, 10**9),
        st.integers(0, 99),
    ),
    st.booleans(),
)
def test_the_quick_score_equals_the_one_that_explains_itself(okapi: float, seen: Seen, by_length: bool) -> None:
    spent = seen.length if by_length else seen.log_rank
    told = value_score(seen.visits, bm25_scaled(okapi), spent, seen.ascii_sum, seen.downloads)
    assert ValueFormula(by_length).measure(okapi, seen) == pytest.approx(told.value)


def test_links_say_what_their_score_is_made_of() -> None:
    scorer = importance_value_link_scorer(Configuration(), Topic("bird wing"))
    scorer.watch([PageClicks("http://a.org/x", 40, 40, 40_000, 0, {1: 40})])
    links = (Link("http://a.org/x", boundary="nothing", depth=1), Link("http://a.org/y", boundary="a bird", depth=1))
    visited, topical = judged(scorer, Page("http://a.org/", text="x", links=links)).priorities
    assert "score 40.0 beside" in visited.why
    assert "40 visits" in visited.why
    assert "no visits known" in topical.why
    assert visited.value > OFF_TOPIC
    assert topical.value > OFF_TOPIC


def test_what_no_beacon_measured_is_taken_from_the_page() -> None:
    links = (Link("http://a.org/book.PDF"), Link("http://a.org/page.html"))
    page = Page("http://a.org/", text="aé\U0001f426", links=links)
    assert ascii_sum(page.text) == sum(map(ord, page.text))
    found = BY_TIME.completed(Seen(2, 5_000.0), page)
    assert found == Seen(2, 5_000.0, 3, ascii_sum(page.text), 1)
    measured = Seen(2, 5_000.0, 9, 99, 3)
    assert BY_TIME.completed(measured, page) == measured


def test_length_takes_the_place_of_time_when_asked_to() -> None:
    seen = Seen(1, 1000.0, 50, 10)
    assert BY_LENGTH.measure(0.0, seen) < BY_TIME.measure(0.0, seen)
    assert BY_LENGTH.measure(0.0, NOBODY) == 0.0
    told = build({"strategy": "importance-value", "clicks": {"spent": "length"}})
    scorer = importance_value_link_scorer(told, Topic("bird"))
    page = Page("http://a.org/x", text="bird")
    scorer.watch([PageClicks("http://a.org/x", 1, 1, 10**9, 0, {100: 1}, 5, 500)])
    assert "ln(5 x 500)" in scorer.importance(page, Score(0.5)).parts[2].why
