"""Orders by the crawled graph: in-degree, OPIC, PageRank, HITS."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_pages import failed, judged, page_of, values

from lycosa.configuration.sections import Configuration
from lycosa.link_graph.graph import LinkGraph
from lycosa.link_graph.hits import hits
from lycosa.link_graph.pagerank import PageRanks
from lycosa.plugins.plug_points import OFF_TOPIC, Learner, Listener, Reviser, Topic
from lycosa.records import Link, Page, Redirected, Response, Score, Visit
from lycosa.scoring.baselines.graph_order import GraphOrderLinkScorer
from lycosa.scoring.baselines.hits_order import AuthorityMeasure, hits_link_scorer
from lycosa.scoring.baselines.indegree import IndegreeLinkScorer, indegree_link_scorer
from lycosa.scoring.baselines.opic import OpicLinkScorer, opic_link_scorer
from lycosa.scoring.baselines.pagerank_order import PageRankMeasure, pagerank_link_scorer
from lycosa.scoring.crawled_graph import CrawledGraph

BIRDS = Topic("birds")


def _web() -> list[Page]:
    random = Random(5)
    targets = [dict.fromkeys(f"p{min(random.sample(range(90), 2))}" for _ in range(6)) for _ in range(40)]
    return [page_of(f"p{number}", *(url for url in urls if url != f"p{number}")) for number, urls in enumerate(targets)]


WEB = _web()
"""40 pages that link to 90, to the first ones more than to the last."""


def waiting_after(
    scorer: IndegreeLinkScorer | OpicLinkScorer | GraphOrderLinkScorer, pages: list[Page]
) -> dict[str, Score]:
    """How links wait after these pages, one at a time, by the rules of a frontier."""
    waiting: dict[str, Score] = {}
    done = {page.url for page in pages}
    for page in pages:
        visit = judged(scorer, page)
        for link, score in zip(page.links, visit.priorities, strict=True):
            if link.url not in waiting or waiting[link.url].value < score.value:
                waiting[link.url] = score
        scorer.learn([visit])
        waiting |= {url: score for url, score in scorer.revised() if url in waiting}
    return {url: score for url, score in waiting.items() if url not in done}


class TestIndegree:
    def test_a_link_waits_with_the_number_of_its_known_parents(self) -> None:
        waiting = waiting_after(indegree_link_scorer(Configuration(), BIRDS), WEB)
        for url, score in waiting.items():
            parents = sum(url in {link.url for link in page.links} for page in WEB)
            assert score.value == parents
            assert score.why.startswith(f"{parents} known page")
        assert max(values(waiting.values())) > 2

    def test_a_page_fetched_again_is_no_second_parent_but_its_new_links_count(self) -> None:
        scorer = IndegreeLinkScorer()
        scorer.learn([judged(scorer, page_of("a", "x"))])
        again = judged(scorer, page_of("a", "x", "y"))
        assert values(again.priorities) == [1.0, 1.0]
        scorer.learn([again])
        assert dict(scorer.revised()) == {}
        assert values(judged(scorer, page_of("b", "x", "y")).priorities) == [2.0, 2.0]

    def test_a_letter_of_another_agent_is_a_parent(self) -> None:
        scorer = IndegreeLinkScorer()
        scorer.learn([judged(scorer, page_of("a", "x"))])
        scorer.hear([(Link("x"), Score(7.0)), (Link("new"), Score(1.0))])
        assert {url: score.value for url, score in scorer.revised()} == {"x": 2.0}

    def test_links_to_fetched_pages_are_not_revised(self) -> None:
        scorer = IndegreeLinkScorer()
        scorer.learn(
            [
                judged(scorer, page_of("a", "b")),
                judged(scorer, page_of("b", "a")),
                judged(scorer, page_of("c", "a", "b")),
            ]
        )
        assert list(scorer.revised()) == []

    def test_judging_changes_nothing(self) -> None:
        scorer = IndegreeLinkScorer()
        first = judged(scorer, page_of("a", "x"))
        assert judged(scorer, page_of("a", "x")) == first

    def test_the_oldest_is_forgotten(self) -> None:
        scorer = IndegreeLinkScorer(most=10)
        for number in range(100):
            scorer.learn([judged(scorer, page_of(f"p{number}", f"x{number}"))])
        assert values(judged(scorer, page_of("q", "x0", "x99")).priorities) == [1.0, 2.0]


class TestOpic:
    def test_a_page_spreads_its_cash_evenly(self) -> None:
        scorer = opic_link_scorer(Configuration(), BIRDS)
        visit = judged(scorer, page_of("seed", "a", "b"))
        assert visit.priorities[0].value == pytest.approx(1 + math.log10(0.5) / 10)
        assert "0.5" in visit.priorities[0].why
        scorer.learn([visit])
        scorer.learn([judged(scorer, page_of("a", "b", "c", depth=1))])
        held = {url: 10 ** ((score.value - 1) * 10) for url, score in scorer.revised()}
        assert held == pytest.approx({"b": 0.75, "c": 0.25})
        assert scorer.history("seed") == 1.0
        assert scorer.history("a") == 0.5
        assert scorer.history("c") == 0.0

    def test_the_virtual_page_takes_what_cannot_be_spread_and_gives_it_to_those_that_wait(self) -> None:
        scorer = OpicLinkScorer()
        scorer.learn([judged(scorer, page_of("seed", "a", "b", "c"))])
        scorer.learn([judged(scorer, page_of("a", depth=1))])
        assert scorer.virtual_cash == pytest.approx(1 / 3)
        scorer.learn([failed("b")])
        assert scorer.virtual_cash == 0.0
        assert 10 ** ((dict(scorer.revised())["c"].value - 1) * 10) == pytest.approx(1.0)

    def test_cash_for_pages_that_were_read_adds_to_their_history_and_goes_to_the_virtual_page(self) -> None:
        scorer = OpicLinkScorer()
        scorer.learn([judged(scorer, page_of("seed", "a", "b"))])
        scorer.learn([judged(scorer, page_of("a", "seed", "b", depth=1))])
        assert scorer.history("seed") == pytest.approx(1.25)
        assert scorer.virtual_cash == pytest.approx(0.25)

    def test_a_redirect_hands_all_its_cash_on(self) -> None:
        scorer = OpicLinkScorer()
        scorer.learn([judged(scorer, page_of("seed", "old", "b"))])
        link = Link("old", depth=1)
        scorer.learn([Visit(link, Redirected(link, "new", Response("old", 301)))])
        assert dict(scorer.revised())["new"].value == pytest.approx(1 + math.log10(0.5) / 10)

    @given(
        st.lists(st.tuples(st.integers(0, 12), st.lists(st.integers(0, 12), max_size=5)), max_size=40),
        st.integers(2, 20),
    )
    @settings(deadline=None, max_examples=100)
    def test_cash_is_neither_made_nor_lost(self, pages: list[tuple[int, list[int]]], most: int) -> None:
        scorer, seeds = OpicLinkScorer(most=1000), 0
        for number, links in pages:
            page = page_of(f"p{number}", *(f"p{link}" for link in links), depth=1)
            scorer.learn([judged(scorer, page)])
        assert scorer.total_cash == 0.0
        small = OpicLinkScorer(most=most)
        for seeds in range(1, 4):
            small.learn([judged(small, page_of(f"seed{seeds}", *(f"p{number}" for number in range(30))))])
        assert small.total_cash == pytest.approx(seeds)
        assert len(small._cash) <= most

    def test_links_wait_with_the_cash_they_hold(self) -> None:
        scorer = OpicLinkScorer()
        waiting = waiting_after(scorer, WEB)
        assert {url: 10 ** ((score.value - 1) * 10) for url, score in waiting.items()} == pytest.approx(scorer._cash)
        assert len({round(value, 6) for value in values(waiting.values())}) > 5

    def test_a_page_without_cash_gives_nothing_but_its_links_still_wait(self) -> None:
        scorer = OpicLinkScorer()
        assert values(judged(scorer, page_of("lost", "x", depth=3)).priorities) == [OFF_TOPIC]

    def test_a_letter_tells_the_cash(self) -> None:
        scorer = OpicLinkScorer()
        scorer.hear([(Link("x"), Score(1 + math.log10(0.2) / 10))])
        assert dict(scorer.revised())["x"].why == "holds a cash of 0.2"


class TestPageRankOrder:
    def test_links_wait_with_their_raw_rank(self) -> None:
        waiting = waiting_after(pagerank_link_scorer(Configuration(), BIRDS), WEB[:32])
        graph = LinkGraph()
        for page in WEB[:32]:
            graph.add(page.url, [link.url for link in page.links])
        ranks = PageRanks(graph)
        ranks.refresh(1e-9)
        exact = {url: ranks.raw(graph.number(url) or 0) for url in waiting}
        assert {url: score.value for url, score in waiting.items()} == pytest.approx(exact, rel=1e-5)
        assert len(waiting) > 5

    def test_between_refreshes_a_link_has_what_its_parents_hand_on(self) -> None:
        scorer = pagerank_link_scorer(Configuration(), BIRDS)
        visit = judged(scorer, page_of("a", "x", "y"))
        assert values(visit.priorities) == pytest.approx([0.15 + 0.85 * 0.15 / 2] * 2)
        assert "0.214" in visit.priorities[0].why

    def test_a_page_fetched_again_hands_nothing_on_twice(self) -> None:
        scorer = pagerank_link_scorer(Configuration(), BIRDS)
        for _ in range(3):
            scorer.learn([judged(scorer, page_of("a", "x", "y"))])
        assert values(judged(scorer, page_of("a", "x", "y")).priorities) == pytest.approx([0.21375] * 2)

    def test_pages_judged_side_by_side_are_settled_afterwards(self) -> None:
        scorer = pagerank_link_scorer(Configuration(), BIRDS)
        visits = [judged(scorer, page_of(name, "x")) for name in ("a", "b", "c")]
        scorer.learn(visits)
        assert dict(scorer.revised())["x"].value == pytest.approx(0.15 + 3 * 0.85 * 0.15)


class TestHitsOrder:
    def test_links_wait_with_their_part_of_the_largest_authority(self) -> None:
        waiting = waiting_after(hits_link_scorer(Configuration(), BIRDS), WEB[:32])
        graph = LinkGraph()
        for page in WEB[:32]:
            graph.add(page.url, [link.url for link in page.links])
        found = hits(graph)
        largest = found.authorities.max()
        exact = {url: max(OFF_TOPIC, float(found.authorities[graph.number(url) or 0] / largest)) for url in waiting}
        assert {url: score.value for url, score in waiting.items()} == pytest.approx(exact, abs=2e-3)
        assert len({round(value, 3) for value in exact.values()}) > 5

    def test_the_authority_of_a_page_is_what_all_its_parents_hand_on(self) -> None:
        graph = LinkGraph()
        measure = AuthorityMeasure(graph)
        for page in WEB:
            graph.add(page.url, [link.url for link in page.links])
        found = measure.refresh()
        best = int(found.argmax())
        handed = [measure.share(0.01, found[graph.successors(int(page))].tolist()) for page in graph.parents(best)]
        assert len(handed) > 3
        assert sum(handed) == pytest.approx(found[best], rel=0.02)

    def test_a_web_without_links_has_no_authorities(self) -> None:
        scorer = hits_link_scorer(Configuration(), BIRDS)
        scorer.learn([judged(scorer, page_of("a")), failed("b")])
        assert values(judged(scorer, page_of("c", "x")).priorities) == [OFF_TOPIC]


class TestCrawledGraph:
    def test_a_young_graph_is_measured_when_it_has_doubled_a_large_one_after_two_per_cent(self) -> None:
        graph, measured = CrawledGraph(PageRankMeasure), []
        for number in range(3100):
            graph.take_in(page_of(f"p{number}", f"x{number}"))
            if graph.is_due:
                graph.refresh()
                measured.append(number + 1)
        assert measured[:9] == [1, 2, 4, 8, 16, 32, 64, 114, 164]
        assert measured[-1] - measured[-2] > 55

    def test_a_refresh_names_the_waiting_pages_that_changed_most_and_no_more_than_asked(self) -> None:
        graph = CrawledGraph(PageRankMeasure)
        for number in range(20):
            graph.take_in(page_of(f"p{number}", "hub", f"x{number}"))
        graph.refresh()
        graph.take_in(page_of("hub", "y", "z"))
        for number in range(5):
            graph.take_in(page_of(f"q{number}", "p0"))
        assert graph.refresh(most=1) == ["x0"]
        assert sorted(graph.refresh()) == ["y", "z"]

    def test_the_most_changed_are_named_first_and_the_rest_later(self) -> None:
        graph = CrawledGraph(PageRankMeasure)
        graph.take_in(page_of("a", "b"))
        graph.take_in(page_of("b", *(f"x{number}" for number in range(3))))
        graph.take_in(page_of("c", "a"))
        graph.take_in(page_of("d", "a"))
        first = graph.refresh(most=2)
        second = graph.refresh(most=2)
        assert len(first) == 2
        assert sorted(first + second) == ["x0", "x1", "x2"]
        assert graph.refresh() == []

    def test_those_that_came_to_the_other_side_of_the_gate_go_first(self) -> None:
        graph = CrawledGraph(PageRankMeasure)
        graph.take_in(page_of("a", "b"))
        graph.take_in(page_of("b", "large"))
        graph.take_in(page_of("m", "n"))
        graph.take_in(page_of("n", "small", "other"))
        graph.take_in(page_of("c", "a"))
        graph.take_in(page_of("k", "m"))
        graph.refresh()
        graph.take_in(page_of("e", "a"))
        graph.take_in(page_of("f", "k"))
        before = graph.worth("small")
        scratch = CrawledGraph(PageRankMeasure)
        assert scratch.worth("small") == pytest.approx(0.15)
        [first] = graph.refresh(gate=before + 1e-3, most=1)
        assert first in ("small", "other")

    def test_a_full_graph_takes_in_no_new_pages(self) -> None:
        graph = CrawledGraph(PageRankMeasure, most=3)
        graph.take_in(page_of("a", "b", "c", "d"))
        graph.take_in(page_of("e", "b"))
        assert graph.worth("d") == pytest.approx(0.15)
        assert graph.worth("b") > 0.15
        graph.refresh()


@pytest.mark.parametrize(
    "scorer", [IndegreeLinkScorer(), OpicLinkScorer(), pagerank_link_scorer(Configuration(), BIRDS)]
)
def test_graph_orders_learn_and_revise(scorer: object) -> None:
    assert isinstance(scorer, Learner)
    assert isinstance(scorer, Reviser)
    assert isinstance(scorer, Listener | GraphOrderLinkScorer)
