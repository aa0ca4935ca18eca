"""The strategy `cfp`: links wait with I(d), from the words around them and the time that people spend (C10)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_pages import judged, values

from lycosa.click_records import PageClicks
from lycosa.configuration.sections import Configuration, Relevance
from lycosa.configuration.settings import build
from lycosa.plugins.plug_points import (
    OFF_TOPIC,
    Appraiser,
    Estimator,
    Learner,
    Listener,
    Reviser,
    Sharer,
    Topic,
    Watcher,
)
from lycosa.records import Link, Page, Score
from lycosa.scoring.click_statistics import NOBODY, Clickstream, Seen
from lycosa.scoring.links.cfp import CfpFormula, cfp_link_scorer
from lycosa.scoring.links.link_okapi import LinkOkapi
from lycosa.scoring.links.words_and_clicks import Usual, WatchedLinkScorer
from lycosa.scoring.strategy import UNLINKED, strategy_of
from lycosa.topics.okapi import Okapi

A, B, X, Y = "http://a.org/a", "http://a.org/b", "http://a.org/x", "http://a.org/y"
BIRD, WEATHER = "a bird on the wing", "about the weather of today"


def scorer_of(words: str = "bird wing") -> WatchedLinkScorer:
    return cfp_link_scorer(Configuration(), Topic(words))


def parent(url: str, **around: str) -> Page:
    links = tuple(Link(f"http://a.org/{name}", url, boundary=text, depth=1) for name, text in around.items())
    return Page(url, text="x", links=links)


def visited(url: str, visits: int, seconds: int) -> PageClicks:
    return PageClicks(url, visits, visits, 1000 * seconds * visits, 0, {seconds: visits})


def okapi_of(text: str, words: str = "bird wing") -> float:
    """The plain reference: one text, counted by itself."""
    okapi = Okapi(dict.fromkeys(words.split(), 1), Relevance())
    return okapi.score(*okapi.count("\n" + text)).value * okapi.bound


def test_a_link_waits_with_importance_as_worked_out_by_hand() -> None:
    formula = CfpFormula(content=2.0)
    usual = Usual(links=3.0, pages=5.0, log_rank=60_000.0)
    assert formula.value(9.0, Seen(4, 20_000.0), usual) == pytest.approx((2 * 9 / 12 + 20 / 80) / 3)
    assert formula.importance(5.0, Seen(4, 60_000.0), usual).value == pytest.approx((2 * 0.5 + 0.5) / 3)
    assert formula.value(3.0, NOBODY, usual) == pytest.approx(2 * 0.5 / 3)
    assert CfpFormula(content=4.0).value(3.0, NOBODY, usual) == pytest.approx(4 * 0.5 / 5)


@given(st.floats(0, 1e6), st.floats(1, 1e12), st.floats(1.001, 10))
def test_more_time_is_always_worth_more_and_nothing_is_cut_off(okapi: float, rank: float, times: float) -> None:
    usual = Usual(2.0, 2.0, 30_000.0)
    one, more = (CfpFormula(2.0).value(okapi, Seen(1, lasting), usual) for lasting in (rank, rank * times))
    assert one <= more < 1
    assert one < more or rank > 1e9


def test_without_visitors_a_link_lives_by_its_content() -> None:
    scores = scorer_of().priorities(page := parent(A, x=BIRD, y=WEATHER), Score(0.5), page.links)
    assert scores[0].value > scores[1].value == OFF_TOPIC
    assert "no visits known" in scores[0].why


def test_links_are_judged_by_words_parents_and_people_and_say_so() -> None:
    scorer = scorer_of()
    scorer.watch([visited(X, 10, 30), visited("http://a.org/other", 1, 30)])
    scorer.learn([judged(scorer, parent(A, x=BIRD))])
    (score,) = judged(scorer, parent(B, x=WEATHER)).priorities
    mean, median = okapi_of(BIRD) / 2, scorer._measures.usual.links
    people = 300_000 / (300_000 + scorer._measures.usual.log_rank)
    assert score.value == pytest.approx((2 * mean / (mean + median) + people) / 3, rel=1e-6)
    assert scorer._measures.usual.log_rank == pytest.approx((300_000 + 30_000) / 2, rel=0.02)
    assert f"okapi {mean:.2f} around the link" in score.why
    assert "300 s in 10 visits" in score.why
    assert "mean of 2 parents" in score.why


def test_links_that_wait_are_judged_anew_when_more_is_known_of_their_visitors() -> None:
    scorer = scorer_of()
    visit = judged(scorer, parent(A, x=WEATHER, y=WEATHER))
    scorer.learn([visit])
    assert dict(scorer.revised()) == {}
    scorer.watch([visited(Y, 3, 60), visited("http://a.org/never-linked", 9, 60)])
    revised = dict(scorer.revised())
    assert revised.keys() == {Y}
    assert revised[Y].value > visit.priorities[1].value
    scorer.watch([visited(Y, 3, 60), visited("http://a.org/never-linked", 9, 60)])
    assert dict(scorer.revised()) == {}
    scorer.learn([judged(scorer, Page(Y, text="x"))])
    scorer.watch([visited(Y, 8, 60), visited("http://a.org/never-linked", 9, 60), visited("http://a.org/new", 1, 60)])
    assert dict(scorer.revised()).keys() == {"http://a.org/new"}


def test_another_parent_revises_and_what_another_agent_says_counts_as_one() -> None:
    scorer, told = scorer_of(), scorer_of()
    scorer.learn([judged(scorer, parent(A, x=BIRD))])
    foreign = judged(scorer_of(), parent("http://b.org/", x=WEATHER))
    scorer.hear([(foreign.page.links[0], foreign.priorities[0])])  # type: ignore[union-attr]
    told.learn([judged(told, parent(A, x=BIRD)), judged(told, parent(B, x=WEATHER))])
    ours, theirs = dict(scorer.revised())[X], dict(told.revised())[X]
    assert "mean of 2 parents" in ours.why
    assert scorer._parents.of(X) == pytest.approx(told._parents.of(X))
    assert theirs.value < judged(scorer_of(), parent(A, x=BIRD)).priorities[0].value


def test_medians_travel_so_that_agents_score_alike() -> None:
    one, other = scorer_of(), scorer_of()
    one.watch([visited(X, 2, 10), visited(Y, 4, 90)])
    other.watch([visited(X, 2, 10), visited(Y, 4, 90)])
    one.learn([judged(one, parent(A, x=BIRD, y="bird bird bird wing"))])
    page = parent(B, x="one bird", z=BIRD)
    before = values(other.priorities(page, Score(0.5), page.links))
    told = [one.statistics()]
    other.recall(None, told)
    after = values(other.priorities(page, Score(0.5), page.links))
    assert before != after
    again = scorer_of()
    again.watch([visited(X, 2, 10), visited(Y, 4, 90)])
    again.recall(told[0], [])
    assert values(again.priorities(page, Score(0.5), page.links)) == pytest.approx(after)


def test_an_unlinked_page_is_judged_by_its_address_until_a_page_links_to_it() -> None:
    scorer = scorer_of()
    bird, other = "http://a.org/a-bird_page.html", "http://a.org/about.html"
    scorer.watch([visited(bird, 5, 30), visited(other, 5, 30)])
    first, second = scorer.estimates([Link(bird), Link(other)])
    assert first.value > second.value > OFF_TOPIC
    assert "no page links to it" in first.why
    links = (Link(bird, A, boundary=WEATHER, depth=1),)
    scorer.learn([judged(scorer, Page(A, text="x", links=links))])
    assert "mean of 1 parent" in dict(scorer.revised())[bird].why


def test_a_fetched_page_has_its_own_importance() -> None:
    scorer = scorer_of()
    page = Page(X, "Bird", text="the bird is on the wing", language="en")
    without = scorer.importance(page, Score(0.1))
    scorer.watch([visited(X, 7, 60), visited(Y, 1, 1)])
    found = scorer.importance(page, Score(0.1))
    assert 0 < without.value < found.value <= 1
    assert len(found.parts) == 2
    assert strategy_of(build({"strategy": "best-first"}), Topic("bird")).importance(page, Score(0.1)) == Score(0.1)
    assert strategy_of(build({"strategy": "cfp"}), Topic("bird")).importance(page, Score(0.1)) != Score(0.1)


def test_the_strategy_can_do_all_that_a_crawl_asks() -> None:
    scorer = scorer_of()
    for part in (Appraiser, Estimator, Learner, Listener, Reviser, Sharer, Watcher):
        assert isinstance(scorer, part)
    plain = strategy_of(build({}), Topic("bird"))
    assert not plain.watches
    assert plain.estimates([Link(X)]) == [UNLINKED]


@given(
    st.lists(st.sampled_from(["bird", "birds", "Winged", "wing", "a", "sea-bird", "rebird", "İ", "x\ny"]), max_size=9)
)
def test_the_words_around_all_links_are_counted_as_those_around_one(words: list[str]) -> None:
    okapi = Okapi({"bird": 1, "wing": 2}, Relevance())
    links = [Link(X, anchor=word, boundary=" ".join(words)) for word in words]
    found = LinkOkapi(okapi).of(links)
    for link, score in zip(links, found, strict=True):
        counts, _ = okapi.count(f"{link.anchor}\n{link.boundary}")
        length = sum(text.count(" ") + 1 for text in (link.anchor, link.boundary) if text)
        assert score.value == pytest.approx(okapi.score(counts, length).value)


def test_other_languages_are_stemmed_their_way() -> None:
    okapi = Okapi({"vogel": 1}, Relevance())
    (score,) = LinkOkapi(okapi).of([Link(X, anchor="der Vogel")], "de")
    assert score.value > 0


def test_views_without_an_end_last_as_is_usual_and_names_are_those_of_the_crawl() -> None:
    people = Clickstream(most=2)
    changed = people.replace(
        [
            PageClicks("http://a.org:80/x", 3, 3, 20_000, 1, {10: 2}),
            PageClicks("http://a.org/y", 1, 1, 0, 1),
            PageClicks("http://a.org/z", 0),
            PageClicks("no url", 9),
        ]
    )
    assert sorted(changed) == ["http://a.org/x", "http://a.org/y"]
    assert people.of("http://a.org/x") == Seen(3, 30_000.0)
    assert people.of("http://a.org/y").log_rank == 10_000.0
    assert len(people) == 2
    assert people.replace([]) == changed
