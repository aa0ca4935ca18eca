"""Fish-Search: full budgets after relevant pages, smaller ones after others, and an end to them."""

from __future__ import annotations

from scored_pages import BIRDS, GOOD, POOR, SEQUENTIAL, arrived, link_to, page_of

from lycosa.scoring.baselines import fish_search
from lycosa.scoring.baselines.fish_search import DEAD, FED, HUNGRY, SPARE, FishSearchLinkScorer, fish_search_link_scorer


def test_links_of_a_relevant_page_go_before_those_of_another() -> None:
    scorer = fish_search_link_scorer(SEQUENTIAL, BIRDS)
    page = page_of("seed", [link_to("a")])
    (fed,), (hungry,) = (scorer.priorities(page, relevance, page.links) for relevance in (GOOD, POOR))
    assert (fed.value, hungry.value) == (FED, HUNGRY)
    assert "relevant page" in fed.why
    assert "irrelevant page" in hungry.why


def test_only_the_first_links_of_a_page_count_and_a_relevant_one_has_more_of_them() -> None:
    scorer = FishSearchLinkScorer(0.5, width=4)
    page = page_of("seed", [link_to(str(number)) for number in range(8)])
    assert [score.value for score in scorer.priorities(page, GOOD, page.links)] == [FED] * 6 + [SPARE] * 2
    assert [score.value for score in scorer.priorities(page, POOR, page.links)] == [HUNGRY] * 4 + [SPARE] * 4


def test_the_school_dies_out_where_nothing_is_found_and_waits_last() -> None:
    scorer = FishSearchLinkScorer(0.5, depth=2)
    values = []
    for step in range(4):
        page = page_of(str(step), [link_to(str(step + 1))])
        visit = arrived(scorer, page, POOR)
        values.append(visit.priorities[0].value)
        scorer.learn([visit])
    assert values == [HUNGRY, HUNGRY, DEAD, DEAD]
    assert 0 < DEAD < SPARE


def test_a_relevant_page_gives_its_links_the_full_budget_again() -> None:
    scorer = FishSearchLinkScorer(0.5, depth=1)
    scorer.learn([arrived(scorer, page_of("0", [link_to("1")]), POOR)])
    scorer.learn([arrived(scorer, page_of("1", [link_to("2")]), GOOD)])
    page = page_of("2", [link_to("3")])
    assert scorer.priorities(page, POOR, page.links)[0].value == HUNGRY


def test_of_several_budgets_a_link_keeps_the_largest() -> None:
    scorer = FishSearchLinkScorer(0.5, depth=1)
    scorer.learn([arrived(scorer, page_of("rich", [link_to("1")]), GOOD)])
    scorer.learn([arrived(scorer, page_of("poor", [link_to("1")]), POOR)])
    page = page_of("1", [link_to("2")])
    assert scorer.priorities(page, POOR, page.links)[0].value == HUNGRY


def test_budgets_are_remembered_within_bounds(monkeypatch) -> None:
    monkeypatch.setattr(fish_search, "BUDGETS_REMEMBERED", 10)
    scorer = FishSearchLinkScorer(0.5)
    scorer.learn([arrived(scorer, page_of("seed", [link_to(str(number)) for number in range(100)]), GOOD)])
    assert len(scorer._budgets) <= 10
