"""Every strategy finds the topic's pages sooner than chance, always says why, and does the same twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from small_web import BIRDS, SETTINGS, RandomOrder, SmallWeb, crawl, harvest

from lycosa.plugins.plug_points import LinkScorer
from lycosa.scoring.baselines.context_graph import context_graph_link_scorer
from lycosa.scoring.baselines.fish_search import fish_search_link_scorer
from lycosa.scoring.baselines.infospiders import infospiders_link_scorer
from lycosa.scoring.baselines.link_classifier import link_classifier_link_scorer
from lycosa.scoring.baselines.shark_search import shark_search_link_scorer
from lycosa.scoring.baselines.tag_path_bandit import tag_path_bandit_link_scorer
from lycosa.scoring.baselines.tree_frontier import tree_frontier_link_scorer

Factory = Callable[[Any, Any], LinkScorer]
STRATEGIES: dict[str, tuple[Factory, float]] = {
    "fish-search": (fish_search_link_scorer, 1.8),
    "shark-search": (shark_search_link_scorer, 2.0),
    "infospiders": (infospiders_link_scorer, 2.0),
    "context-graph": (context_graph_link_scorer, 1.8),
    "link-classifier": (link_classifier_link_scorer, 1.8),
    "tree-frontier": (tree_frontier_link_scorer, 2.0),
    "tag-path-bandit": (tag_path_bandit_link_scorer, 1.25),
}
"""Each with how many times the harvest of random order it must have; 8 topics leave room for 2.5 times."""
BUDGET = 150


@pytest.fixture(scope="module")
def webs() -> list[SmallWeb]:
    return [SmallWeb(seed) for seed in (1, 2, 3, 4)]


@pytest.fixture(scope="module")
def by_chance(webs: list[SmallWeb]) -> float:
    found = [
        harvest(web, RandomOrder(seed), seeds, BUDGET) for web in webs for seeds in both(web) for seed in (1, 2, 3)
    ]
    return sum(found) / len(found)


def both(web: SmallWeb) -> tuple[list[str], list[str]]:
    """A seed on the topic, and one that is not."""
    return [web.of_topic["birds"][0]], [web.of_topic["law"][0]]


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_beats_chance_clearly(name: str, webs: list[SmallWeb], by_chance: float) -> None:
    factory, times = STRATEGIES[name]
    found = [harvest(web, factory(SETTINGS, BIRDS), seeds, BUDGET) for web in webs for seeds in both(web)]
    assert sum(found) / len(found) > times * by_chance, (found, by_chance)


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_link_was_taken_for_a_reason_and_a_second_crawl_is_the_same(name: str, webs: list[SmallWeb]) -> None:
    factory, _ = STRATEGIES[name]
    first, second = (crawl(webs[0], factory(SETTINGS, BIRDS), both(webs[0])[0], 130) for _ in range(2))
    assert all(first.reasons)
    assert len(first.urls) == 130
    assert (first.urls, first.reasons) == (second.urls, second.reasons)
