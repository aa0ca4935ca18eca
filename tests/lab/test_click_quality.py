"""Importance learned from what people did foretells what they do later, better than links do."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hand_made import a_page, a_web, address
from hypothesis import given
from hypothesis import strategies as st

from lycosa.click_records import PageClicks
from lycosa.configuration.settings import ConfigurationError
from lycosa.lab.click_quality import BY_LINKS, click_quality, kendall_tau, learned, linked, measured, ndcg
from lycosa.lab.wikispeedia import data_folder

FLOORS = tomllib.loads((Path(__file__).parents[1] / "quality_floors.toml").read_text("utf-8"))["clicks-wikispeedia"]


def test_ndcg_on_an_example_by_hand() -> None:
    gains = {"a": 3.0, "b": 2.0, "c": 0.0}
    best = 3 / 1 + 2 / 1.584962500721156
    assert ndcg(["a", "b", "c"], gains) == pytest.approx(1.0)
    assert ndcg(["b", "a", "c"], gains) == pytest.approx((2 + 3 / 1.584962500721156) / best)
    assert ndcg(["c", "x", "a"], gains, depth=2) == 0.0
    assert ndcg([], {}) == 0.0


def plain_tau(first: list[int], second: list[int]) -> float:
    """Every pair, as the definition has it."""
    pairs = [(a, b) for a in range(len(first)) for b in range(a)]
    signs = [((first[a] > first[b]) - (first[a] < first[b]), (second[a] > second[b]) - (second[a] < second[b]))
             for a, b in pairs]  # fmt: skip
    untied = [sum(1 for sign in signs if sign[place]) for place in (0, 1)]
    return sum(one * other for one, other in signs) / (untied[0] * untied[1]) ** 0.5 if all(untied) else 0.0


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30))
def test_tau_is_that_of_all_pairs(values: list[tuple[int, int]]) -> None:
    first, second = [one for one, _ in values], [other for _, other in values]
    assert kendall_tau(first, second) == pytest.approx(plain_tau(first, second))


def test_tau_knows_full_agreement_and_full_contradiction() -> None:
    assert kendall_tau([1, 2, 3], [10, 20, 30]) == pytest.approx(1.0)
    assert kendall_tau([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)
    assert kendall_tau([1, 1, 2, 3], [1, 2, 2, 3]) == pytest.approx(4 / 5)


def test_orders_come_from_people_and_from_links() -> None:
    web = a_web([a_page("a", "b"), a_page("b", "c"), a_page("c", "b")])
    said = learned([PageClicks(address("a"), 5, 5, 9_000, 0, {1: 5}), PageClicks(address("c"), 7)], web)
    assert said["visits"] == {address("a"): 5, address("b"): 0, address("c"): 7}
    assert max(said["cfp"], key=said["cfp"].__getitem__) == address("a")
    links = linked(web, [address(name) for name in "abc"])
    assert links["indegree"] == {address("a"): 0, address("b"): 2, address("c"): 1}
    assert links["pagerank"][address("b")] > links["pagerank"][address("c")] > links["pagerank"][address("a")]
    later = {address("a"): 1.0, address("b"): 0.0, address("c"): 3.0}
    assert measured("visits", said["visits"], later).tau == pytest.approx(1.0)
    assert measured("indegree", links["indegree"], later).ndcg_at_100 < 1


def test_a_web_that_nobody_visited_twice_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="use wikispeedia:DIR"):
        click_quality("box:1")


def test_importance_foretells_visits_better_than_rank_and_in_degree() -> None:
    data = data_folder() / "wikispeedia"
    if not (data / "paths-and-graph" / "paths_finished_merged.tsv").is_file():
        pytest.skip(f"no Wikispeedia paths at {data}; set LYCOSA_DATA")
    found = click_quality("wikispeedia:")
    print("\n".join(found.lines()))
    by_name = {order.name: order for order in found.orders}
    for name in ("cfp", "importance-value"):
        assert by_name[name].ndcg_at_100 >= FLOORS["ndcg_at_100"]
        assert by_name[name].tau >= FLOORS["tau"]
        for rival in BY_LINKS:
            assert by_name[name].ndcg_at_100 > by_name[rival].ndcg_at_100
            assert by_name[name].tau > by_name[rival].tau
