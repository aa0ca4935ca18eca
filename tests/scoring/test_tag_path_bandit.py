"""Tag-path bandit: links at like places are one group, and groups that paid are drawn from again."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored_pages import BIRDS, GOOD, POOR, SEQUENTIAL, arrived, failed, link_to, page_of

from lycosa.records import Page
from lycosa.scoring.baselines.chosen_links import ABOVE_ALL
from lycosa.scoring.baselines.tag_path_bandit import Arm, TagPathBanditLinkScorer, tag_path_bandit_link_scorer
from lycosa.scoring.baselines.tag_paths import TagPathGroups, path_vector

LIST, FOOT = "html/body/main/section/ul/li/a", "html/body/footer/div/span/a"


def test_like_paths_are_one_group_and_unlike_ones_are_not() -> None:
    groups = TagPathGroups(0.75)
    first = groups.join(LIST)
    assert groups.join("html/body/main/section/div/ul/li/a") == first
    assert groups.join(FOOT) != first
    assert groups.name(first) == LIST


def test_a_path_not_met_before_has_no_group_until_it_joins() -> None:
    groups = TagPathGroups(0.75)
    assert groups.find(LIST) is None
    assert len(groups) == 0
    assert groups.join(LIST) == groups.find(LIST) == 0


@given(st.lists(st.lists(st.sampled_from(["div", "ul", "li", "p", "td"]), max_size=8).map("/".join), max_size=40))
def test_there_are_never_more_groups_than_allowed(paths: list[str]) -> None:
    groups = TagPathGroups(0.9, most=3)
    assert all(0 <= groups.join(path) < 3 for path in paths)
    assert len(groups) <= 3


def test_a_path_is_as_like_itself_as_can_be() -> None:
    assert float(path_vector(LIST) @ path_vector(LIST)) == pytest.approx(1)
    assert float(path_vector("") @ path_vector("")) == pytest.approx(1)


def test_the_bound_of_an_arm_comes_down_with_every_pull() -> None:
    arm = Arm()
    assert arm.upper_bound(10) == float("inf")
    bounds = []
    for arm.pulls in (1, 10, 100):
        arm.rewards = arm.pulls / 2
        bounds.append(arm.upper_bound(100))
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] > arm.mean == 0.5


def page_with_both(number: int) -> Page:
    links = [
        link_to(f"{kind}/{number}-{child}", tag_path=path)
        for kind, path in (("l", LIST), ("f", FOOT))
        for child in (1, 2)
    ]
    return page_of(str(number), links)


def test_the_group_that_pays_is_drawn_from_more_often() -> None:
    scorer = tag_path_bandit_link_scorer(SEQUENTIAL, BIRDS)
    drawn: Counter[str] = Counter()
    name = "seed"
    for number in range(100):
        kind = name.partition("/")[0]
        page = Page(f"http://a.org/{name}", links=page_with_both(number).links)
        scorer.learn([arrived(scorer, page, GOOD if kind == "l" else POOR)])
        ((url, score),) = scorer.revised()
        assert score.value >= ABOVE_ALL
        assert "like html/body" in score.why
        name = url.removeprefix("http://a.org/")
        drawn[name.partition("/")[0]] += 1
    assert drawn["l"] > 5 * drawn["f"] > 0


def test_a_group_without_waiting_links_sleeps() -> None:
    scorer = tag_path_bandit_link_scorer(SEQUENTIAL, BIRDS)
    scorer.learn([arrived(scorer, page_of("seed", [link_to("l", tag_path=LIST), link_to("f", tag_path=FOOT)]), GOOD)])
    ((first, _),) = scorer.revised()
    scorer.learn([failed(first.removeprefix("http://a.org/"))])
    ((second, _),) = scorer.revised()
    assert {first, second} == {"http://a.org/l", "http://a.org/f"}
    scorer.learn([failed(second.removeprefix("http://a.org/"))])
    assert not list(scorer.revised())


def test_links_wait_with_the_mean_of_their_group() -> None:
    scorer = tag_path_bandit_link_scorer(SEQUENTIAL, BIRDS)
    scorer.learn([arrived(scorer, page_of("seed", [link_to("l", tag_path=LIST)]), GOOD)])
    scorer.learn([arrived(scorer, page_of("l"), GOOD)])
    page = page_of("next", [link_to("m", tag_path=LIST)])
    (score,) = scorer.priorities(page, POOR, page.links)
    assert score.value == 1.0
    assert "1 of 1" in score.why


def test_as_many_links_are_chosen_as_pages_are_fetched_at_a_time() -> None:
    scorer = TagPathBanditLinkScorer(0.5, Random(1), ahead=5)
    scorer.learn([arrived(scorer, page_of("seed", [link_to(str(n), tag_path=LIST) for n in range(9)]), GOOD)])
    chosen = [url for url, _ in scorer.revised()]
    assert len(set(chosen)) == 5


def test_waiting_links_are_bounded() -> None:
    scorer = TagPathBanditLinkScorer(0.5, Random(1), most_waiting=50)
    scorer.learn([arrived(scorer, page_of("seed", [link_to(str(n), tag_path=LIST) for n in range(900)]), GOOD)])
    assert len(scorer._waiting) <= 50
    assert sum(len(arm.pool) for arm in scorer._arms) <= 50
