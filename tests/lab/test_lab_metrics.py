"""Measures of a harvest are what a pencil would find, and intervals hold what they claim to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.lab import metrics

CURVES = st.lists(st.booleans(), max_size=60).map(lambda hits: np.cumsum(hits).astype(int).tolist())


def test_the_curve_counts_relevant_pages_as_they_are_found() -> None:
    curve = metrics.harvest_curve(["a", "b", "c", "d"], {"b", "d", "e"})
    assert curve == [0, 1, 1, 2]
    assert metrics.harvest_rate(curve) == 0.5
    assert metrics.recall(curve, 3) == pytest.approx(2 / 3)
    assert [metrics.pages_until(curve, wanted) for wanted in (0, 1, 2, 3)] == [0, 2, 4, None]


def test_recall_is_looked_at_after_parts_of_the_web_that_the_budget_reaches() -> None:
    curve = [1] * 5 + [2] * 5 + [4] * 10
    assert metrics.recall_at(curve, 8, 100, 20) == {"5%": 0.125, "10%": 0.25, "20%": 0.5, "50%": None}


def test_a_crawl_that_ended_early_stays_at_what_it_had() -> None:
    assert metrics.recall_at([1, 2], 4, 100, 50) == {"5%": 0.5, "10%": 0.5, "20%": 0.5, "50%": 0.5}
    assert metrics.area([1, 2], 5) == 1 + 2 + 2 + 2 + 2
    assert metrics.area([1, 2, 3], 2) == 3


def test_the_area_is_relative_to_the_oracles_both_drawn_out_to_the_budget() -> None:
    assert metrics.relative_area([0, 1, 1, 2], [1, 2], 4) == pytest.approx(4 / 7)
    assert metrics.relative_area([0, 0], [0, 0], 4) == 0.0


@given(CURVES, st.integers(1, 80))
def test_the_oracles_own_area_is_one_and_finding_sooner_is_never_worse(curve: list[int], budget: int) -> None:
    assert metrics.relative_area(curve, curve, budget) == (1.0 if metrics.area(curve, budget) else 0.0)
    hits = np.diff([0, *curve])
    sooner = np.cumsum(sorted(hits, reverse=True)).tolist()
    assert metrics.area(sooner, budget) >= metrics.area(curve, budget)


@given(CURVES, st.integers(1, 60))
def test_pages_until_is_the_first_step_with_so_many(curve: list[int], wanted: int) -> None:
    step = metrics.pages_until(curve, wanted)
    if step is None:
        assert not curve or curve[-1] < wanted
    else:
        assert curve[step - 1] >= wanted
        assert step == 1 or curve[step - 2] < wanted


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=30), st.integers(0, 5))
def test_an_interval_holds_its_mean_and_is_the_same_for_the_same_seed(values: list[float], seed: int) -> None:
    found = metrics.mean_interval(values, seed)
    assert found.low - 1e-9 <= found.mean <= found.high + 1e-9
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found == metrics.mean_interval(values, seed)


def test_intervals_cover_the_true_mean_about_as_often_as_they_claim() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for seed in range(300):
        found = metrics.mean_interval(rng.normal(0.3, 0.1, 30).tolist(), seed)
        covered += found.low <= 0.3 <= found.high
    assert 0.88 <= covered / 300 <= 0.99


def test_pairs_see_a_difference_that_two_means_would_hide() -> None:
    rng = np.random.default_rng(2)
    hard = rng.uniform(0, 1, 20)
    theirs = {place: float(value) for place, value in enumerate(hard)}
    ours = {place: float(value) + 0.02 for place, value in enumerate(hard)}
    paired = metrics.paired_difference(ours, theirs)
    assert paired.mean == pytest.approx(0.02)
    assert paired.low > 0
    apart = metrics.mean_interval(list(ours.values()))
    assert apart.low < float(hard.mean()) < apart.high


def test_pairs_are_only_what_both_have() -> None:
    found = metrics.paired_difference({"a": 1.0, "b": 5.0}, {"a": 0.5, "c": 9.0})
    assert (found.mean, found.number) == (0.5, 1)
    assert metrics.paired_difference({"a": 1.0}, {}).number == 0


def test_the_gain_is_over_the_best_baseline() -> None:
    means = {"breadth-first": 0.2, "best-first": 0.5, "lycosa": 0.6, "oracle": 1.0}
    assert metrics.best_of(means) == "best-first"
    assert metrics.gain(0.6, 0.5) == pytest.approx(0.2)
    assert metrics.gain(0.6, 0.0) is None
    assert metrics.best_of({"lycosa": 0.6}) == ""
