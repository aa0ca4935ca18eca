"""Page weights by frequent sets of actions (M13) are those of the thesis's method, found by plain counting."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.click_records import Action, actions_of, added, bits_of
from lycosa.clickstream.behaviour import (
    ALL_SETS,
    MOST_QUERIES,
    MOST_SETS,
    counted,
    counted_bits,
    most_asked,
    named,
    page_weight,
    supports,
)

VISITORS = [
    {8, 1, 5}, {10, 8, 1}, {6}, {7}, {9}, {11}, {12}, {1, 8, 10}, {4}, {2}, {8, 3}, {13}, {8, 10}, {8}, {1, 5},
]  # fmt: skip
TRANSACTIONS = st.lists(st.sets(st.integers(1, 7), max_size=5), max_size=25)
ANY_ACTIONS = st.lists(st.sets(st.integers(1, 15), max_size=15), max_size=12)
SHARES = st.sampled_from([Fraction(1, 15), Fraction(1, 5), Fraction(1, 3), Fraction(1, 2), Fraction(3, 5), Fraction(1)])


def plain_support(transactions: list[set[int]], wanted: frozenset[int]) -> int:
    return sum(wanted <= each for each in transactions)


def plain_largest(transactions: list[set[int]], share: Fraction) -> list[frozenset[int]]:
    """The largest frequent sets, by trying all of every size."""
    done, least = sorted(set().union(*transactions)), max(Fraction(1), share * len(transactions))
    for size in range(len(done), 0, -1):
        found = [
            frozenset(each)
            for each in combinations(done, size)
            if plain_support(transactions, frozenset(each)) >= least
        ]
        if found:
            return found
    return []


def plain_weight(transactions: list[set[int]], support: Fraction, confidence: Fraction) -> Fraction:
    whole = Fraction(0)
    for largest in plain_largest(transactions, support):
        for size in range(1, len(largest)):
            for part in combinations(sorted(largest), size):
                value = Fraction(plain_support(transactions, largest), plain_support(transactions, frozenset(part)))
                whole += value if value >= confidence else 0
    return whole


def test_the_fifteen_visitors_at_two_of_fifteen_weigh_three() -> None:
    found = page_weight(counted(VISITORS), 2 / 15)
    assert found.value == pytest.approx(3.0)
    (largest,) = found.sets
    assert (largest.bits, largest.number) == (bits_of({1, 8, 10}), 2)
    assert sorted(each.value for each in largest.confidences) == pytest.approx([1 / 3, 1 / 2, 2 / 3, 2 / 3, 2 / 3, 1])
    assert sum(each.counted for each in largest.confidences) == 4


def test_the_fifteen_visitors_at_a_fifth_weigh_one_and_three_quarters() -> None:
    found = page_weight(counted(VISITORS))
    assert found.value == pytest.approx(1.75)
    assert {each.bits: each.weight for each in found.sets} == {bits_of({1, 8}): 0.75, bits_of({8, 10}): 1.0}
    assert (found.visitors, found.least, found.size, found.number) == (15, 3, 2, 2)


def test_the_supports_are_those_of_the_vector() -> None:
    found = supports(counted(VISITORS))
    told = {(10,): 3, (8,): 6, (1,): 4, (8, 10): 3, (1, 10): 2, (1, 8): 3, (1, 8, 10): 2, (): 15}
    assert {actions: int(found[bits_of(actions)]) for actions in told} == told


@given(ANY_ACTIONS)
def test_supports_are_those_of_plain_counting(transactions: list[set[int]]) -> None:
    found = supports(counted(transactions))
    for wanted in [frozenset[int](), *(frozenset(each) for each in transactions), frozenset({1, 15}), frozenset({3})]:
        assert int(found[bits_of(wanted)]) == plain_support(transactions, wanted)


@settings(max_examples=200)
@given(TRANSACTIONS, SHARES, SHARES)
def test_largest_sets_and_weight_are_those_of_trying_everything(
    transactions: list[set[int]], support: Fraction, confidence: Fraction
) -> None:
    found = page_weight(counted(transactions), float(support), float(confidence))
    largest = plain_largest(transactions, support)
    assert found.value == pytest.approx(float(plain_weight(transactions, support, confidence)))
    assert found.number == len(largest)
    assert {each.bits for each in found.sets} <= {bits_of(each) for each in largest}
    assert len(found.sets) == min(len(largest), MOST_SETS)
    assert all(each.number == plain_support(transactions, frozenset(actions_of(each.bits))) for each in found.sets)


@given(ANY_ACTIONS)
def test_counting_equals_counting_one_by_one(transactions: list[set[int]]) -> None:
    assert counted(transactions) == Counter(map(bits_of, transactions))


@given(TRANSACTIONS, TRANSACTIONS)
def test_counts_of_parts_add_up_to_the_weight_of_the_whole(first: list[set[int]], second: list[set[int]]) -> None:
    assert page_weight(added(counted(first), counted(second))) == page_weight(counted(first + second))


@given(TRANSACTIONS)
def test_a_weight_is_the_sum_of_what_its_explanation_counts(transactions: list[set[int]]) -> None:
    found = page_weight(counted(transactions))
    score = found.score()
    if found.number <= MOST_SETS:
        told = sum(part.value for largest in score.parts for part in largest.parts)
        assert told == pytest.approx(found.value)
        assert sum(part.value for part in score.parts) == pytest.approx(found.value)


def test_one_action_at_a_time_or_nobody_weighs_nothing_and_says_why() -> None:
    alone = page_weight(counted([{1}, {1}, {2}]))
    assert alone.value == 0
    assert alone.score().why == "no two actions were done together by at least 1 of 3 visitors"
    assert page_weight({}).score().why == "nobody's actions are known here"
    assert page_weight({0: 7}).value == 0
    assert page_weight({0: 7}).visitors == 7


def test_visitors_who_did_nothing_are_visitors() -> None:
    assert page_weight({bits_of({1, 2}): 2}).value == pytest.approx(2.0)
    assert page_weight({bits_of({1, 2}): 2, 0: 9}).value == 0


def test_foreign_bits_and_negative_counts_do_no_harm() -> None:
    assert page_weight({-1: 4, ALL_SETS: 3, 1 << 40: 1, 3: -2, bits_of({1, 2}): 2}).visitors == 2
    with pytest.raises(ValueError, match="from 1 to 15"):
        counted([{16}])


def test_the_worst_case_is_told_within_bounds() -> None:
    found = page_weight(dict.fromkeys(range(ALL_SETS), 1), 0.005, 0.01)
    assert (found.size, found.number, len(found.sets)) == (7, 6435, MOST_SETS)
    assert found.value == pytest.approx(6435 * sum((2**-7) / (2 ** -len(actions_of(part))) for part in range(1, 127)))


def test_bits_are_counted_in_one_go() -> None:
    assert counted_bits(np.array([3, 3, 0, 32767])) == {0: 1, 3: 2, 32767: 1}


def test_sets_have_names() -> None:
    assert named(bits_of({Action.SCROLL, Action.PRINT})) == "scroll + print"
    assert named(0) == "nothing"


def test_the_most_asked_queries_come_first_and_are_twenty() -> None:
    asked = {f"q{place:02}": place for place in range(30)}
    assert most_asked(asked)[:2] == ["q29", "q28"]
    assert len(most_asked(asked)) == MOST_QUERIES
