"""Tree-Frontier: splits where values differ, one link per leaf, the best of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scored_pages import BIRDS, GOOD, POOR, SEQUENTIAL, arrived, link_to, page_of
from small_web import SETTINGS, SmallWeb, crawl

from lycosa.scoring.baselines.chosen_links import ABOVE_ALL
from lycosa.scoring.baselines.path_features import FEATURES, Ways
from lycosa.scoring.baselines.regression_tree import FEWEST_SAMPLES, MOST_LEAVES, RegressionTree, best_split
from lycosa.scoring.baselines.reward_model import DISCOUNT, Worth
from lycosa.scoring.baselines.tree_frontier import TreeFrontierLinkScorer, tree_frontier_link_scorer


def test_the_best_split_is_where_the_values_change() -> None:
    rows = np.random.default_rng(1).random((200, 3)).astype(np.float32)
    feature, threshold = best_split(rows, (rows[:, 1] > 0.6).astype(float)) or (-1, 0.0)
    assert feature == 1
    assert threshold == pytest.approx(0.6, abs=0.02)


def test_values_that_are_all_alike_are_not_split() -> None:
    rows = np.random.default_rng(1).random((200, 3)).astype(np.float32)
    assert best_split(rows, np.ones(200)) is None
    assert best_split(np.ones((200, 3), np.float32), np.arange(200.0)) is None


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_the_best_split_leaves_the_least_variance_of_all(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, values = random.integers(0, 9, (40, 2)).astype(np.float32), random.random(40)
    left_over = {}
    for feature in range(2):
        for threshold in range(9):
            above = rows[:, feature] > threshold
            if FEWEST_SAMPLES <= above.sum() <= 40 - FEWEST_SAMPLES:
                left_over[feature, threshold] = sum(values[side].var() * side.sum() for side in (above, ~above))
    found = best_split(rows, values)
    if found is not None:
        assert left_over[found] == pytest.approx(min(left_over.values()))
    else:
        assert not left_over or min(left_over.values()) > 0.98 * values.var() * 40


def test_a_tree_grows_leaves_within_bounds_and_every_row_has_one() -> None:
    tree, random = RegressionTree(), np.random.default_rng(1)
    splits = [
        split for row in random.random((6000, 4)).astype(np.float32) if (split := tree.add(row, float(row.sum())))
    ]
    assert 8 < tree.leaves <= MOST_LEAVES
    assert len(splits) == tree.leaves - 1
    assert {tree.leaf_of(row) for row in random.random((3000, 4)).astype(np.float32)} <= set(range(tree.leaves))


def test_the_model_learns_what_links_are_worth() -> None:
    worth, random = Worth([0.0, 0.0, 0.0]), np.random.default_rng(1)
    for row in random.random((500, 3)).astype(np.float32):
        worth.learn(row, float(row[0]), 0.0)
    good, poor = worth.of(np.array([[1, 0, 0], [0, 1, 0]], np.float32))
    assert good == pytest.approx(1 / (1 + DISCOUNT), abs=0.02)
    assert poor == pytest.approx(0, abs=0.02)


def test_a_way_tells_how_long_ago_it_passed_a_relevant_page() -> None:
    ways = Ways(BIRDS, 0.5)
    near = FEATURES.index("nearness of a relevant page")
    found = []
    for step, relevance in enumerate((0.8, 0.1, 0.1)):
        page = page_of(str(step), [link_to("next", anchor="eagle")])
        ways.arrived(page.url, f"http://a.org/{step - 1}", relevance)
        found.append(float(ways.rows(page, relevance, page.links)[0][near]))
    assert found == pytest.approx([1, 1 / 2, 1 / 3])


def test_the_chosen_link_is_the_best_of_one_per_leaf_and_says_so() -> None:
    scorer = tree_frontier_link_scorer(SEQUENTIAL, BIRDS)
    scorer.learn(
        [
            arrived(scorer, page_of("good", [link_to("a", anchor="eagle")]), GOOD),
            arrived(scorer, page_of("poor", [link_to(f"x{number}", anchor="tax") for number in range(9)]), POOR),
        ]
    )
    ((url, score),) = scorer.revised()
    assert url == "http://a.org/a"
    assert score.value >= ABOVE_ALL
    assert "best of 2" in score.why
    assert "anchor" in score.why


def test_a_link_found_again_on_a_better_page_waits_among_the_better_ones() -> None:
    scorer = tree_frontier_link_scorer(SEQUENTIAL, BIRDS)
    links = [link_to(str(number)) for number in range(5)]
    scorer.learn([arrived(scorer, page_of("poor", links), POOR), arrived(scorer, page_of("good", links[:1]), GOOD)])
    assert [url for url, _ in scorer.revised()] == [links[0].url]


def test_waiting_links_are_bounded_and_leaves_hold_no_others() -> None:
    scorer = TreeFrontierLinkScorer(BIRDS, 0.5, most_waiting=40)
    for number in range(30):
        links = [link_to(f"{number}-{child}") for child in range(10)]
        scorer.learn([arrived(scorer, page_of(str(number), links), GOOD)])
    assert len(scorer._waiting) <= 40
    assert sum(map(len, scorer._pools)) <= 40


def test_two_crawls_with_the_same_topic_are_the_same() -> None:
    web = SmallWeb(3)
    first, second = (crawl(web, tree_frontier_link_scorer(SETTINGS, BIRDS), web.urls[:2], 120).urls for _ in range(2))
    assert first == second
