"""Orders that look at no text: random, depth-first, best-N-first."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_pages import failed, judged, page_of

from lycosa.configuration.sections import Configuration, Fetching
from lycosa.plugins.plug_points import Learner, Listener, Reviser, Sharer, Topic
from lycosa.records import Link, Page, Score
from lycosa.scoring.baselines.best_n_first import BestNFirstLinkScorer, best_n_first_link_scorer
from lycosa.scoring.baselines.depth_first import DepthFirstLinkScorer, depth_first_link_scorer
from lycosa.scoring.baselines.random_order import random_link_scorer

BIRDS = Topic("birds")


class TestRandom:
    def test_a_url_has_the_same_number_each_time_it_is_found(self) -> None:
        scorer = random_link_scorer(Configuration(random_seed=3), BIRDS)
        once = scorer.priorities(Page("a"), Score(0.9), [Link("x"), Link("y")])
        again = scorer.priorities(Page("b"), Score(0.1), [Link("y"), Link("x")])
        assert [score.value for score in once] == [score.value for score in reversed(again)]
        assert once[0].value != once[1].value

    @pytest.mark.parametrize("seed", [0, 1, -5, 2**70])
    def test_another_seed_makes_another_order(self, seed: int) -> None:
        links = [Link(f"http://a.org/{number}") for number in range(50)]

        def order(seed: int) -> list[str]:
            scores = random_link_scorer(Configuration(random_seed=seed), BIRDS).priorities(Page("a"), Score(0), links)
            assert all(0 <= score.value < 1 and str(seed) in score.why for score in scores)
            return [link.url for _, link in sorted(zip(scores, links, strict=True), key=lambda pair: pair[0].value)]

        assert order(seed) == order(seed) != order(seed + 1)

    def test_any_text_is_a_url(self) -> None:
        scorer = random_link_scorer(Configuration(), BIRDS)
        assert 0 <= scorer.priorities(Page("a"), Score(0), [Link("http://a.org/\udcff")])[0].value < 1


class TestDepthFirst:
    def test_what_was_found_last_goes_first_and_of_a_page_the_first_link(self) -> None:
        scorer = depth_first_link_scorer(Configuration(), BIRDS)
        waiting: dict[str, float] = {}
        for page in (page_of("a", "1", "2"), page_of("b", "3", "4")):
            visit = judged(scorer, page)
            waiting |= {link.url: score.value for link, score in zip(page.links, visit.priorities, strict=True)}
            scorer.learn([visit])
            assert list(scorer.revised()) == []
        assert sorted(waiting, key=waiting.__getitem__, reverse=True) == ["3", "4", "1", "2"]

    @given(st.lists(st.integers(1, 400), min_size=2, max_size=6))
    @settings(deadline=None, max_examples=30)
    def test_priorities_rise_from_page_to_page_by_more_than_ageing_gives(self, sizes: list[int]) -> None:
        scorer, before = DepthFirstLinkScorer(), 1.0
        for number, size in enumerate(sizes):
            visit = judged(scorer, page_of(f"p{number}", *(f"{number}/{place}" for place in range(size))))
            assert min(score.value for score in visit.priorities) >= before + 0.01
            before = max(score.value for score in visit.priorities)
            scorer.learn([visit])

    def test_pages_judged_side_by_side_get_their_own_numbers_afterwards(self) -> None:
        scorer = DepthFirstLinkScorer()
        visits = [judged(scorer, page_of("a", "1")), judged(scorer, page_of("b", "2"))]
        assert visits[0].priorities[0].value == visits[1].priorities[0].value
        scorer.learn(visits)
        revised = dict(scorer.revised())
        assert list(revised) == ["2"]
        assert revised["2"].value > visits[0].priorities[0].value + 0.5
        assert "page 2" in revised["2"].why

    def test_what_another_agent_found_was_found_now(self) -> None:
        scorer = DepthFirstLinkScorer()
        for number in range(3):
            scorer.learn([judged(scorer, page_of(f"p{number}", "1"))])
        scorer.hear([(Link("far"), Score(5_000_000.0))])
        assert 4 < dict(scorer.revised())["far"].value < 7

    def test_after_a_restart_the_count_goes_on(self) -> None:
        scorer, other = DepthFirstLinkScorer(), DepthFirstLinkScorer()
        scorer.learn([judged(scorer, page_of(f"p{number}", "1")) for number in range(9)])
        other.recall(scorer.statistics(), [])
        assert judged(other, page_of("q", "2")).priorities[0].value > 10
        assert isinstance(scorer, Sharer)


class TestBestNFirst:
    def test_links_of_a_batch_are_lifted_above_all_others_and_seeds_stay_above_them(self) -> None:
        scorer = BestNFirstLinkScorer(2)
        poor, good = judged(scorer, page_of("a", "1"), 0.0), judged(scorer, page_of("b", "2", "3"), 1.0)
        scorer.learn([poor, good])
        lifted = dict(scorer.revised())
        assert set(lifted) == {"2", "3"}
        assert all(0.5 < score.value <= 1.0 and "best 2" in score.why for score in lifted.values())
        assert all(0 < score.value <= 0.5 for visit in (poor, good) for score in visit.priorities)

    def test_nothing_is_chosen_before_the_batch_is_used_up(self) -> None:
        scorer = BestNFirstLinkScorer(2)
        scorer.learn([judged(scorer, page_of("a", "1", "2", "3"), 0.3)])
        assert [url for url, _ in scorer.revised()] == ["1", "2"]
        scorer.learn([judged(scorer, page_of("1", "4", "5", depth=1), 0.9)])
        assert list(scorer.revised()) == []
        scorer.learn([failed("2")])
        assert [url for url, _ in scorer.revised()] == ["4", "5"]

    def test_of_several_parents_the_best_counts_and_first_found_goes_first(self) -> None:
        scorer = BestNFirstLinkScorer(1)
        pages = ((page_of("a", "1", "2"), 0.3), (page_of("b", "2"), 0.6), (page_of("c", "2"), 0.1))
        scorer.learn([judged(scorer, page, relevance) for page, relevance in pages])
        [(url, score)] = scorer.revised()
        assert url == "2"
        assert score.value == pytest.approx(0.8)
        assert "0.600" in score.why

    def test_a_batch_whose_links_never_come_is_given_up(self) -> None:
        scorer = BestNFirstLinkScorer(2)
        scorer.learn([judged(scorer, page_of("a", "refused", "1", "2"), 0.3)])
        assert [url for url, _ in scorer.revised()] == ["refused", "1"]
        scorer.learn([failed("1")])
        assert list(scorer.revised()) == []
        scorer.learn([judged(scorer, page_of("2", "3", "4", depth=1), 0.2)])
        assert [url for url, _ in scorer.revised()] == ["3", "4"]

    def test_with_many_connections_others_may_come_before_the_batch_is_over(self) -> None:
        scorer = best_n_first_link_scorer(Configuration(fetching=Fetching(connections=2)), BIRDS)
        scorer.learn([judged(scorer, page_of("a", "refused"), 0.3)])
        list(scorer.revised())
        for number in range(8):
            scorer.learn([judged(scorer, page_of(f"other{number}", f"next{number}", depth=1), 0.3)])
            assert list(scorer.revised()) == []
        scorer.learn([failed("last")])
        assert [url for url, _ in scorer.revised()] == [f"next{number}" for number in range(8)]

    def test_what_was_visited_is_not_chosen_again(self) -> None:
        scorer = BestNFirstLinkScorer(4)
        scorer.learn([judged(scorer, page_of("a", "1"))])
        scorer.learn([judged(scorer, page_of("1", "a", "1", "2", depth=1))])
        assert [url for url, _ in scorer.revised()] == ["1", "2"]
        scorer.learn([judged(scorer, page_of("2", "a", "1", "2", depth=1))])
        assert list(scorer.revised()) == []

    def test_what_another_agent_found_can_be_chosen(self) -> None:
        scorer = BestNFirstLinkScorer(1)
        scorer.hear([(Link("far"), Score(0.45))])
        scorer.learn([judged(scorer, page_of("a", "1"), 0.2)])
        [(url, score)] = scorer.revised()
        assert url == "far"
        assert score.value == pytest.approx(0.95)

    @given(st.lists(st.lists(st.integers(0, 30), max_size=8), max_size=30), st.integers(1, 5))
    @settings(deadline=None, max_examples=50)
    def test_every_link_found_is_chosen_once(self, pages: list[list[int]], number: int) -> None:
        scorer, chosen, found = BestNFirstLinkScorer(number), [], set()
        for place, links in enumerate(pages):
            urls = [f"u{link}" for link in links]
            found |= set(urls)
            scorer.learn([judged(scorer, page_of(f"p{place}", *urls), place % 7 / 7)])
            chosen += [url for url, _ in scorer.revised()]
        for _ in range(200):
            batch = chosen[-number:]
            scorer.learn([failed(url) for url in batch])
            chosen += [url for url, _ in scorer.revised()]
        assert sorted(chosen) == sorted(found)

    def test_what_is_remembered_is_bounded(self) -> None:
        scorer = BestNFirstLinkScorer(1, most=100)
        for number in range(50):
            scorer.learn([judged(scorer, page_of(f"p{number}", *(f"{number}/{place}" for place in range(50))))])
        assert len(scorer._waiting) <= 100
        assert len(scorer._heap) <= 2 * 100 + 1000


def test_the_plain_orders_show_what_they_can_do() -> None:
    depth, best = DepthFirstLinkScorer(), BestNFirstLinkScorer()
    assert isinstance(depth, Learner)
    assert isinstance(depth, Reviser)
    assert isinstance(depth, Listener)
    assert isinstance(best, Learner)
    assert isinstance(best, Reviser)
