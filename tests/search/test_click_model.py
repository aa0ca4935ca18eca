"""Choices among results: a place is no merit, few choices say little, and many say more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.click_records import ShownResult
from lycosa.search.click_model import PLACES, Choice, ClickModel, chosen_results, counts
from lycosa.search.ranking import page_key

numbers = st.lists(st.integers(-5, 1000), max_size=PLACES + 5).map(tuple)
results = st.lists(st.builds(ShownResult, st.sampled_from("qr"), st.sampled_from("abcdef"), numbers, numbers))


def at(query: str, url: str, place: int, shown: int, chosen: int) -> ShownResult:
    return ShownResult(query, url, (*[0] * (place - 1), shown), (*[0] * (place - 1), chosen))


def pages_of_results(rates: dict[int, float], shown: int = 1000, queries: int = 30) -> list[ShownResult]:
    """Queries whose result at each place is always the same one, chosen at that rate."""
    return [
        at(f"q{query}", f"u{place}", place, shown, round(shown * rate))
        for query in range(queries)
        for place, rate in rates.items()
    ]


def found(said: dict[str, dict[int, Choice]], query: str, url: str) -> float:
    choice = said.get(query, {}).get(page_key(url))
    return choice.value if choice else 0.0


@pytest.mark.parametrize("bias", [0.5, 1.0, 1.5, 2.0])
def test_a_result_that_is_always_first_is_not_thereby_good(bias: float) -> None:
    shown = pages_of_results({place: 0.3 * place**-bias for place in range(1, 11)})
    said = chosen_results(shown)
    assert max((choice.value for own in said.values() for choice in own.values()), default=0.0) < 0.1


@pytest.mark.parametrize("bias", [0.5, 1.0, 1.5])
def test_how_likely_a_place_is_looked_at_is_learned(bias: float) -> None:
    model = ClickModel.learned(pages_of_results({place: 0.3 * place**-bias for place in range(1, 11)}))
    assert model.looked_at[:10] == pytest.approx([place**-bias for place in range(1, 11)], rel=0.05)
    assert model.ordinary == pytest.approx(0.3, rel=0.05)


def test_without_choices_the_usual_curve_holds_and_nothing_is_said() -> None:
    model = ClickModel.learned([])
    assert model.looked_at == pytest.approx([1 / place for place in range(1, PLACES + 1)])
    assert chosen_results([]) == chosen_results(pages_of_results({1: 0.0, 2: 0.0})) == {}


def test_a_result_chosen_more_often_than_others_at_its_place_is_good() -> None:
    usual = pages_of_results({place: 0.3 / place for place in range(1, 11)})
    said = chosen_results([*usual, at("mine", "good", 8, 1000, 150), at("mine", "bad", 1, 1000, 150)])
    assert found(said, "mine", "good") > 0.6, "four times as often as an eighth is"
    assert found(said, "mine", "bad") == 0.0, "as often, but at the first place, where that is little"


@pytest.mark.parametrize(("chosen", "expected"), [(1, 1 / 3), (2, 0.5), (6, 0.75)])
def test_a_result_is_taken_for_an_ordinary_one_with_the_weight_of_two_choices(chosen: int, expected: float) -> None:
    """Where hardly anything was expected, `n` choices are `(n + 2) / 2` times as many, a lift of `n / 2`."""
    looked_at = np.ones(PLACES)
    (choice,) = ClickModel(looked_at, 1e-12).choices(
        np.eye(1, PLACES) * chosen, np.array([[chosen] + [0] * (PLACES - 1)], float)
    )
    assert choice.value == pytest.approx(expected)


def test_few_choices_say_little() -> None:
    usual = pages_of_results({place: 0.3 / place for place in range(1, 11)})
    one, ten, many = (found(chosen_results([*usual, at("mine", "u", 5, n, n)]), "mine", "u") for n in (1, 10, 1000))
    assert 0 < one < 0.35 < ten < many < 1


@given(results)
def test_whatever_was_counted_what_is_said_lies_between_0_and_1(counted: list[ShownResult]) -> None:
    for own in chosen_results(counted).values():
        for choice in own.values():
            assert 0 < choice.value < 1
            assert choice.chosen > choice.expected
    model = ClickModel.learned(counted)
    assert np.all((model.looked_at > 0) & (model.looked_at <= 1))
    assert 0 <= model.ordinary < np.inf


@given(results)
def test_no_result_counts_as_chosen_more_often_than_shown(counted: list[ShownResult]) -> None:
    shown, chosen = counts(counted)
    assert np.all((chosen >= 0) & (chosen <= shown))


def test_more_results_than_are_looked_at_together_are_judged_by_the_same_measure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = pages_of_results({place: 0.3 / place for place in range(1, 11)})
    late = at("mine", "good", 8, 1000, 150)
    whole = found(chosen_results([*usual, late]), "mine", "good")
    monkeypatch.setattr("lycosa.search.click_model.AT_ONCE", 100)
    assert found(chosen_results([*usual, late]), "mine", "good") == pytest.approx(whole, abs=0.03)
