"""When to look again: rates learned from looks, and one price for a look at any page."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.freshness.change_rates import DAY, HOUR, ChangeClass, PageHistory, class_of
from lycosa.freshness.revisit_policy import RevisitPlan, interval, intervals, price_of, worth

rates = st.floats(1e-8, 1e-2)
weights = st.floats(1e-3, 1e3)


@given(rates, weights, st.floats(1e-3, 1e6))
def test_a_page_is_due_when_a_look_has_grown_worth_the_price(rate: float, weight: float, price: float) -> None:
    after = interval(rate, weight, price)
    assert after == pytest.approx(float(intervals(np.array([rate]), np.array([weight]), price)[0]), rel=1e-6)
    if math.isfinite(after) and rate * after < 40:
        gained = weight * float(worth(np.array([rate]), np.array([after]))[0])
        assert gained == pytest.approx(price, rel=1e-2, abs=1e-9)
    elif math.isinf(after):
        assert weight / rate <= price * (1 + 1e-9)


@given(st.lists(st.tuples(rates, weights), min_size=1, max_size=30), st.floats(1e-6, 1e-1))
def test_the_price_keeps_to_the_budget(pages: list[tuple[float, float]], looks: float) -> None:
    rate, weight = np.array([page[0] for page in pages]), np.array([page[1] for page in pages])
    made = float((1.0 / intervals(rate, weight, price_of(rate, weight, looks))).sum())
    assert made <= looks * 1.001


@pytest.mark.parametrize("every", [HOUR, DAY, 20 * DAY])
def test_the_rate_of_changes_is_learned_from_looks_that_only_see_whether(every: float) -> None:
    chance, prior = Random(3), 1 / (7 * DAY)
    history, now, change = PageHistory(), 0.0, chance.expovariate(1 / every)
    for _ in range(400):
        now += chance.uniform(0.2, 1.5) * every
        changed = change <= now
        history = history.looked(now, changed, prior)
        if changed:
            change = now + chance.expovariate(1 / every)
    assert 1 / history.rate(prior) == pytest.approx(every, rel=0.2)
    assert history.change_class(prior) is class_of(every)


def test_a_page_that_changes_at_every_look_stays_finite_and_a_jumping_clock_adds_nothing() -> None:
    history, now = PageHistory(), 0.0
    for look in range(1000):
        now += DAY
        history = history.looked(now, look > 0, 1 / DAY)
    assert math.isfinite(history.rate(1 / DAY))
    back = history.looked(now - 50 * DAY, False, 1 / DAY)
    assert (back.watched, back.last, back.looks) == (history.watched, now, 1001)


@given(st.lists(st.tuples(st.floats(0, 1e9), st.booleans()), max_size=30), st.floats(1e-9, 1.0))
def test_any_history_has_a_rate_and_a_due_time(looks: list[tuple[float, bool]], prior: float) -> None:
    history, plan = PageHistory(), RevisitPlan(0.01, Random(1), prior)
    for at, changed in looks:
        history = history.looked(at, changed, prior)
        plan.note("http://example.org/", history, 1.0)
    plan.reckon()
    assert 0 < history.rate(prior) < math.inf
    assert history.last + 60.0 <= plan.due(history, 1.0) <= history.last + 90 * DAY


def test_classes_are_those_of_sitemaps() -> None:
    assert [class_of(span) for span in (1, 3600, 80_000, 6 * DAY, 28 * DAY, 300 * DAY, 5000 * DAY)] == list(ChangeClass)


def test_the_sample_of_a_large_collection_stays_small_and_up_to_date() -> None:
    plan = RevisitPlan(1.0, Random(1))
    for page in range(12_000):
        plan.note(str(page), PageHistory().looked(0.0, False, 1.0).looked(DAY, True, 1 / DAY), 1.0)
    plan.reckon()
    assert len(plan._sample) == 5000
    assert {plan._places[url] for url in plan._places} == set(range(5000))
    assert plan.price > 0
