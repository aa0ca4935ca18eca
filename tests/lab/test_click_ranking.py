"""Simulated people at our result pages: from those who judge the ranking learns, from those who click anywhere not."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from lycosa.configuration.settings import ConfigurationError
from lycosa.lab.cranfield import Abstract, Collection, compare_clicks, find_cranfield, read_collection
from lycosa.lab.search_quality import Comparison
from lycosa.lab.simulated_clicks import CAREFUL, PER_PAGE, PLACES, RANDOM, Notes, Visitors

FLOORS = tomllib.loads((Path(__file__).parent.parent / "quality_floors.toml").read_text("utf-8"))["search-clicks"]
RANKINGS = {"1": [f"d{place}" for place in range(1, 31)]}


def rates(visitors: Visitors, relevant: set[str], times: int = 20_000) -> list[float]:
    """How often each place is chosen of those that it was shown to."""
    notes = Notes(1)
    notes.visit(RANKINGS, {"1": relevant}, visitors, times)
    found = {each.url: each for each in notes.results()}
    assert list(found) == RANKINGS["1"][:PLACES]
    return [sum(found[url].chosen) / sum(found[url].shown) for url in RANKINGS["1"][:PLACES]]


def test_people_look_from_the_top_down_and_choose_what_is_relevant_mostly() -> None:
    found = rates(CAREFUL, {"d1", "d4"})
    assert found[0] == pytest.approx(0.9 * 0.8 + 0.1 * 0.05, abs=0.02)
    assert found[1] == pytest.approx((0.9 * 0.05 + 0.1 * 0.8) / 2, abs=0.01)
    assert found[3] == pytest.approx(found[0] / 4, abs=0.01)


def test_people_who_click_anywhere_care_for_places_only() -> None:
    found = rates(RANDOM, {"d1", "d4"})
    assert found[:10] == pytest.approx([0.3 / place for place in range(1, 11)], abs=0.015)


def test_some_go_on_to_the_second_page() -> None:
    notes = Notes(1)
    notes.visit(RANKINGS, {"1": set()}, Visitors(go_on=0.25), 10_000)
    shown = [sum(each.shown) for each in notes.results()]
    assert shown[:PER_PAGE] == [10_000] * PER_PAGE
    assert set(shown[PER_PAGE:]) == {shown[PER_PAGE]}
    assert shown[PER_PAGE] == pytest.approx(2500, rel=0.1)


def test_the_same_draw_is_the_same_people() -> None:
    assert rates(CAREFUL, {"d2"}, 50) == rates(CAREFUL, {"d2"}, 50)


def test_what_people_choose_comes_first_in_the_end() -> None:
    documents = {str(number): Abstract("", "wing " * 9 + "flow " * number) for number in range(12)}
    small = Collection("small", documents, {"1": "wing"}, {"1": frozenset({"6"})})
    careful, unused, _ = compare_clicks(small, 400).rankings
    assert careful.mean("ndcg_at_10").mean == 1.0
    assert unused.mean("ndcg_at_10").mean < 0.5


# -- quality, on real judgements ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def measured() -> Comparison:
    try:
        collection = read_collection(find_cranfield())
    except ConfigurationError as error:
        reason = f"what clicks do to search quality was not measured: {error}"
        print(reason)
        pytest.skip(reason)
    found = compare_clicks(collection, FLOORS["sessions"])
    print("\n".join(found.lines()))
    return found


def test_clicks_of_people_who_judge_make_search_better(measured: Comparison) -> None:
    careful, unused, _ = measured.rankings
    gained = careful.beside(unused, "ndcg_at_10")
    assert gained.low > 0
    assert gained.mean >= FLOORS["gained"]
    assert careful.mean("ndcg_at_10").mean >= FLOORS["ndcg_at_10"]


def test_clicks_that_mean_nothing_cost_next_to_nothing(measured: Comparison) -> None:
    _, unused, random = measured.rankings
    assert random.beside(unused, "ndcg_at_10").mean >= -FLOORS["lost_at_random"]
