"""Strategies that judge a link by its parents: parent-mean, parent-score, and `parents` with its gates (N2 to N5)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_pages import failed, judged, page_of, values
from small_web import BIRDS, SETTINGS, RandomOrder, SmallWeb, crawl, harvest

from lycosa.configuration.sections import Configuration, Parents
from lycosa.link_graph.graph import LinkGraph
from lycosa.link_graph.pagerank import PageRanks
from lycosa.plugins.plug_points import OFF_TOPIC, LinkScorer, Topic
from lycosa.records import REJECTED, Link, Page, Score, Visit
from lycosa.scoring.baselines.parent_mean import ParentMeanLinkScorer, parent_mean_link_scorer
from lycosa.scoring.baselines.parent_score import ParentScoreLinkScorer, parent_score_link_scorer
from lycosa.scoring.links.parents import ParentsLinkScorer, parents_link_scorer
from lycosa.topics.weight_table import WeightTable

COMPUTER_BOOKS = WeightTable.of_weights(
    {
        "book": 1, "free": 0.894259882, "program": 0.459214501, "computer": 0.380664665, "web": 0.25679758,
        "ebook": 0.25679758, "site": 0.250755287, "linux": 0.223564954, "java": 0.208459214, "post": 0.187311178,
    }
)  # fmt: skip
"""The table of the paper, for the topic "computer books"."""
BOOK, BOOKS_AND_WEB, NOTHING = "A book.", "Book upon book upon book: a book of the web.", "About the weather."


def parent(url: str, boundaries: dict[str, str]) -> Page:
    """A page whose links stand in these paragraphs."""
    return Page(url, text="x", links=tuple(Link(link, url, boundary=text) for link, text in boundaries.items()))


def learnt(scorer: ParentsLinkScorer, *pages: Page) -> Visit:
    """The last of these visits, one at a time."""
    for page in pages:
        visit = judged(scorer, page)
        scorer.learn([visit])
    return visit


def scorer_of(table: WeightTable = COMPUTER_BOOKS, **gates: float | bool) -> ParentsLinkScorer:
    return ParentsLinkScorer(table, Parents(**gates))  # type: ignore[arg-type]


class TestParentMean:
    @given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8))
    def test_a_link_waits_with_the_mean_over_all_its_parents(self, relevances: list[float]) -> None:
        scorer, told = ParentMeanLinkScorer(), {}
        for number, relevance in enumerate(relevances):
            visit = judged(scorer, page_of(f"p{number}", "x"), relevance)
            told["x"] = visit.priorities[0]
            scorer.learn([visit])
            told |= dict(scorer.revised())
        mean = sum(relevances) / len(relevances)
        assert told["x"].value == pytest.approx(max(OFF_TOPIC, mean))
        assert f"over {len(relevances)} parent" in told["x"].why

    def test_pages_judged_side_by_side_are_settled_afterwards(self) -> None:
        scorer = ParentMeanLinkScorer()
        scorer.learn([judged(scorer, page_of("a", "x", "y"), 0.9), judged(scorer, page_of("b", "x"), 0.1)])
        [(url, score)] = scorer.revised()
        assert (url, score.value, score.why) == ("x", pytest.approx(0.5), "mean 0.500 over 2 parents")

    def test_a_page_counts_once_and_fetched_pages_are_not_revised(self) -> None:
        scorer = ParentMeanLinkScorer()
        for relevance in (0.8, 0.2, 0.2):
            scorer.learn([judged(scorer, page_of("a", "x"), relevance)])
        assert list(scorer.revised()) == []
        scorer.learn([judged(scorer, page_of("b", "x"), 0.4)])
        assert dict(scorer.revised())["x"].value == pytest.approx(0.6)
        scorer.learn([judged(scorer, page_of("x"), 0.4), judged(scorer, page_of("c", "x"), 0.4)])
        assert list(scorer.revised()) == []

    def test_a_letter_counts_as_one_more_parent(self) -> None:
        scorer = parent_mean_link_scorer(Configuration(), Topic("birds"))
        scorer.learn([judged(scorer, page_of("a", "x"), 0.2)])
        scorer.hear([(Link("x"), Score(0.6))])
        assert dict(scorer.revised())["x"].value == pytest.approx(0.4)

    def test_judging_changes_nothing(self) -> None:
        scorer = ParentMeanLinkScorer()
        scorer.learn([judged(scorer, page_of("a", "x"), 0.2)])
        assert judged(scorer, page_of("b", "x"), 0.6) == judged(scorer, page_of("b", "x"), 0.6)

    def test_what_failed_is_no_parent(self) -> None:
        scorer = ParentMeanLinkScorer()
        scorer.learn([failed("a")])
        assert list(scorer.revised()) == []

    def test_the_oldest_is_forgotten(self) -> None:
        scorer = ParentMeanLinkScorer(most=10)
        for number in range(100):
            scorer.learn([judged(scorer, page_of(f"p{number}", f"x{number}"), 0.2)])
        assert values(judged(scorer, page_of("q", "x0", "x99"), 0.6).priorities) == pytest.approx([0.6, 0.4])


class TestParentScore:
    def test_the_latest_parent_wins_be_it_better_or_worse(self) -> None:
        scorer = parent_score_link_scorer(Configuration(), Topic("birds"))
        for number, relevance in enumerate((0.3, 0.9, 0.1)):
            scorer.learn([judged(scorer, page_of(f"p{number}", "x"), relevance)])
            [(url, score)] = scorer.revised()
            assert (url, score.value) == ("x", relevance)
            assert f"{relevance:.3f}" in score.why

    def test_of_a_batch_the_last_page_counts(self) -> None:
        scorer = ParentScoreLinkScorer()
        scorer.learn([judged(scorer, page_of("a", "x", "y"), 0.9), judged(scorer, page_of("b", "x"), 0.0), failed("c")])
        assert {url: score.value for url, score in scorer.revised()} == {"x": OFF_TOPIC, "y": 0.9}
        assert list(scorer.revised()) == []

    def test_a_letter_is_the_latest_parent(self) -> None:
        scorer = ParentScoreLinkScorer()
        scorer.hear([(Link("x"), Score(0.25, "the page it was found on last scores 0.250"))])
        assert dict(scorer.revised())["x"].value == 0.25


class TestRelevancy:
    def test_the_paper_s_paragraphs_have_the_paper_s_cosines(self) -> None:
        visit = judged(scorer_of(), parent("a", {"x": BOOK, "y": BOOKS_AND_WEB, "z": NOTHING}))
        relevancies = [score.parts[0].value for score in visit.priorities]
        assert relevancies == pytest.approx([0.635157587, 0.655752611, 0.0], abs=5e-10)

    def test_thirteen_parents_of_the_paper_s_example_stay_below_the_gate(self) -> None:
        scorer = scorer_of()
        paragraphs = [BOOKS_AND_WEB] * 2 + [BOOK] * 2 + [NOTHING] * 9
        visit = learnt(scorer, *(parent(f"p{number}", {"x": text}) for number, text in enumerate(paragraphs)))
        told = visit.priorities[0]
        assert told.parts[0].value == pytest.approx(0.198601569, abs=5e-10)
        assert told.value < OFF_TOPIC
        assert told.why.startswith("mean 0.199 over 13 parents; rank ")
        assert "relevancy is below the gate of 0.5" in told.why

    def test_the_mean_is_over_all_known_parents_whatever_the_order(self) -> None:
        scorer = scorer_of()
        scorer.learn([judged(scorer, parent("a", {"x": BOOK})), judged(scorer, parent("b", {"x": NOTHING}))])
        assert dict(scorer.revised())["x"].why.startswith("mean 0.318 over 2 parents")

    def test_without_a_paragraph_the_anchor_speaks(self) -> None:
        page = Page("a", text="x", links=(Link("x", "a", anchor="A book"),))
        assert judged(scorer_of(), page).priorities[0].parts[0].value == pytest.approx(0.635157587)

    def test_pages_that_come_again_after_a_restart_count_for_rank_only(self) -> None:
        scorer = scorer_of()
        old = Page("old", links=(Link("x", "old"),))
        scorer.learn([Visit(Link("old"), judged(scorer, old).outcome, old, Score(0.5))])
        told = judged(scorer, parent("new", {"x": BOOK})).priorities[0]
        assert told.why.startswith("mean 0.635 over 1 parent; rank 0.405")

    def test_a_letter_counts_its_relevancy_as_one_parent(self) -> None:
        scorer = scorer_of()
        learnt(scorer, parent("a", {"x": NOTHING}))
        list(scorer.revised())
        scorer.hear(
            [(Link("x"), Score(0.9, "", (Score(0.5, "relevancy"), Score(3.0, "rank")))), (Link("y"), Score(0.4))]
        )
        revised = dict(scorer.revised())
        assert revised["x"].why.startswith("mean 0.250 over 2 parents")
        assert revised["y"].why.startswith("mean 0.400 over 1 parent;")

    def test_the_table_comes_from_the_examples_or_else_from_the_label(self) -> None:
        by_label = parents_link_scorer(Configuration(), Topic("computer books"))
        by_example = parents_link_scorer(Configuration(), Topic("computer books", ("owls and owls and eagles",)))
        for scorer, text in ((by_label, "a computer book"), (by_example, "an owl, an owl, an eagle")):
            assert judged(scorer, parent("a", {"x": text})).priorities[0].parts[0].value == pytest.approx(1.0)
        assert judged(by_example, parent("a", {"x": "a computer book"})).priorities[0].parts[0].value == 0.0

    def test_a_topic_without_words_is_no_error(self) -> None:
        scorer = parents_link_scorer(Configuration(), Topic())
        assert 0 < judged(scorer, parent("a", {"x": BOOK})).priorities[0].value < OFF_TOPIC


class TestRankAndScore:
    def test_a_link_that_passes_both_gates_waits_with_the_mean_of_relevancy_and_its_part_of_the_largest_rank(
        self,
    ) -> None:
        scorer = scorer_of()
        told = learnt(scorer, parent("a", {"x": BOOK, "y": BOOK}), parent("b", {"x": BOOK})).priorities[0]
        rank = 0.15 + 0.85 * 0.15 / 2 + 0.85 * 0.15
        assert told.parts[1].value == pytest.approx(rank)
        assert told.value == pytest.approx((0.635157587 + rank / rank) / 2)
        smaller = dict(scorer.revised())["y"]
        assert smaller.value == pytest.approx((0.635157587 + (0.15 + 0.85 * 0.15 / 2) / rank) / 2)
        assert smaller.why == "mean 0.635 over 1 parent; rank 0.214 of at most 0.341"

    @pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
    def test_the_combination_is_configurable(self, weight: float) -> None:
        told = judged(scorer_of(relevancy_weight=weight), parent("a", {"x": BOOK})).priorities[0]
        assert told.value == pytest.approx(weight * 0.635157587 + (1 - weight))

    def test_the_rank_of_a_refresh_is_the_raw_page_rank(self) -> None:
        scorer, graph = scorer_of(), LinkGraph()
        pages = [
            parent("a", {"b": BOOK}),
            parent("b", {"c": BOOK, "x": BOOK}),
            parent("c", {"a": BOOK}),
            parent("d", {"a": BOOK}),
        ]
        for page in pages:
            graph.add(page.url, [link.url for link in page.links])
        learnt(scorer, *pages)
        ranks = PageRanks(graph)
        ranks.refresh(1e-9)
        x = dict(scorer.revised())["x"]
        largest = max(ranks.raw(number) for number in range(len(graph)))
        rank = ranks.raw(graph.number("x") or 0)
        assert x.value == pytest.approx((0.635157587 + rank / largest) / 2, rel=1e-5)

    def test_the_rank_gate_is_at_a_fifth(self) -> None:
        few = judged(scorer_of(), parent("a", {f"x{number}": BOOK for number in range(2)})).priorities[0]
        many = judged(scorer_of(), parent("a", {f"x{number}": BOOK for number in range(3)})).priorities[0]
        assert few.parts[1].value >= 0.2 > many.parts[1].value
        assert few.value > OFF_TOPIC > many.value
        assert "rank is below the gate of 0.2" in many.why

    @given(
        st.lists(st.tuples(st.sampled_from([BOOK, BOOKS_AND_WEB, NOTHING]), st.integers(1, 9)), min_size=1, max_size=9)
    )
    @settings(deadline=None, max_examples=60)
    def test_links_below_a_gate_wait_in_order_above_nothing_and_below_all_that_pass(
        self, pages: list[tuple[str, int]]
    ) -> None:
        scorer = scorer_of()
        told: list[Score] = []
        for number, (text, links) in enumerate(pages):
            visit = learnt(scorer, parent(f"p{number}", {f"x{link}": text for link in range(links)}))
            told += visit.priorities
        failing = [score for score in told if "below" in score.why]
        assert all(0 < score.value < OFF_TOPIC for score in failing)
        assert all(score.value >= OFF_TOPIC for score in told if "below" not in score.why)

    def test_below_a_gate_the_better_score_goes_first(self) -> None:
        texts = [NOTHING, "A post on a site about nothing else.", BOOKS_AND_WEB]
        told = judged(scorer_of(rank_gate=9.0), parent("a", {f"x{number}": text for number, text in enumerate(texts)}))
        assert all(worse < better for worse, better in pairwise(values(told.priorities)))

    def test_a_page_that_links_to_a_waiting_link_s_parent_lifts_it_at_the_next_refresh(self) -> None:
        scorer = scorer_of()
        learnt(scorer, parent("hub", {"x": BOOK, "y": BOOK, "z": BOOK}))
        before = dict(scorer.revised())["x"]
        assert before.value < OFF_TOPIC
        learnt(scorer, *(parent(f"p{number}", {"hub": NOTHING}) for number in range(3)))
        after = dict(scorer.revised())["x"]
        assert after.value > 0.5

    def test_judging_changes_nothing(self) -> None:
        scorer = scorer_of()
        learnt(scorer, parent("a", {"x": BOOK}))
        assert judged(scorer, parent("b", {"x": BOOK})) == judged(scorer, parent("b", {"x": BOOK}))

    def test_what_is_remembered_is_bounded(self) -> None:
        scorer = ParentsLinkScorer(COMPUTER_BOOKS, Parents(), most=20)
        for number in range(60):
            learnt(scorer, parent(f"p{number}", {f"{number}/{link}": BOOK for link in range(5)}))
        assert len(scorer._parents._said) <= 20
        assert len(scorer._graph._graph) <= 20


class TestStrict:
    def test_links_below_a_gate_are_rejected_with_both_numbers(self) -> None:
        scorer = scorer_of(strict=True)
        visit = learnt(scorer, parent("a", {"x": NOTHING, "y": BOOK, "z": BOOK}))
        revised = dict(scorer.revised())
        reason = "gate: relevancy 0.00 < 0.5, rank 0.19 < 0.2"
        assert visit.priorities[0].value == revised["x"].value == REJECTED
        assert visit.priorities[0].why == revised["x"].why == reason
        assert (
            revised["y"] == revised["z"] == Score(REJECTED, "gate: relevancy 0.64, rank 0.19 < 0.2", revised["y"].parts)
        )

    def test_a_rejected_link_that_passes_later_is_revised(self) -> None:
        scorer = scorer_of(strict=True)
        learnt(scorer, parent("a", {"x": BOOK, "y": BOOK, "z": BOOK}))
        list(scorer.revised())
        learnt(scorer, parent("b", {"x": BOOK}))
        assert dict(scorer.revised())["x"].value > 0.5

    def test_digits_show_that_a_number_is_below_its_gate(self) -> None:
        scorer = scorer_of(WeightTable.of_weights({"book": 1.0}), strict=True, relevancy_gate=1.0, rank_gate=0.0)
        learnt(scorer, *(parent(f"p{number}", {"x": BOOK if number else NOTHING}) for number in range(300)))
        assert dict(scorer.revised())["x"].why.startswith("gate: relevancy 0.997 < 1, rank ")

    def test_by_default_nothing_is_rejected(self) -> None:
        scorer = scorer_of()
        learnt(scorer, parent("a", {"x": NOTHING}))
        assert all(score.value > 0 for _, score in scorer.revised())


STRATEGIES: dict[str, tuple[Callable[..., LinkScorer], float]] = {
    "parent-mean": (parent_mean_link_scorer, 2.0),
    "parent-score": (parent_score_link_scorer, 1.7),
    "parents": (parents_link_scorer, 1.7),
}
"""Each with how many times the harvest of random order it must have on a small web."""


@pytest.mark.parametrize("name", STRATEGIES)
def test_on_a_small_web_a_strategy_beats_chance_clearly(name: str) -> None:
    factory, times = STRATEGIES[name]
    found = chance = 0
    for seed in (1, 2, 3):
        web = SmallWeb(seed)
        for topic in ("birds", "law"):
            seeds = [web.of_topic[topic][0]]
            found += harvest(web, factory(SETTINGS, BIRDS), seeds, 150)
            chance += harvest(web, RandomOrder(seed), seeds, 150)
    assert found > times * chance, (found, chance)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_second_crawl_is_the_same_and_every_link_was_taken_for_a_reason(name: str) -> None:
    factory, web = STRATEGIES[name][0], SmallWeb(1)
    first, second = (crawl(web, factory(SETTINGS, BIRDS), web.urls[:1], 100) for _ in range(2))
    assert first.urls == second.urls
    assert all(first.reasons)
