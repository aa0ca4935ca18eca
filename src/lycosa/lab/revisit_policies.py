"""Policies of looking again, compared on a web that changes, with the same number of looks each.

Pages change at heavy-tailed rates that no policy is told, and some matter more than
others. Ours is the plan that a crawl uses. The yardstick is the best that anybody could
do who knew every rate. A copy is fresh until its page changes; what counts is the share of
the weight that is fresh, averaged over the second half of the time, when policies have
learned what they can.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import numpy as np

from lycosa.freshness.change_rates import DAY, PageHistory
from lycosa.freshness.revisit_policy import Floats, RevisitPlan, intervals, price_of

RECKON_EVERY = 1000
NUTCH_UP, NUTCH_DOWN = 1.4, 0.8
NUTCH_SHORTEST, NUTCH_LONGEST = 60.0, 365 * DAY
PARTS = 40

Policy = Callable[[int, float, bool], float]
"""Told that a page was looked at, when, and whether it had changed: when to look again."""


class ChangingWeb(msgspec.Struct, frozen=True):
    """Pages that change by themselves: a rate per second and a weight each, and how many looks a second there are."""

    rates: Floats
    weights: Floats
    looks: float
    seconds: float
    seed: int

    @classmethod
    def drawn(cls, pages: int, days: float, looks_per_day: float, seed: int = 1) -> ChangingWeb:
        """A web with log-normal rates (the middle page changes every twelve days) and Pareto weights."""
        chance = np.random.default_rng(seed)
        rates = np.exp(chance.normal(math.log(0.08 / DAY), 1.6, pages))
        weights = chance.pareto(1.5, pages) + 1.0
        return cls(rates, weights / weights.sum(), looks_per_day / DAY, days * DAY, seed)


class Freshness(msgspec.Struct, frozen=True):
    """What a policy reached: the mean over the second half, and the curve over the whole time."""

    name: str
    mean: float
    of_optimum: float
    curve: tuple[float, ...]


class Comparison(msgspec.Struct, frozen=True):
    """All policies on one web, beside the optimum of one who knows all rates."""

    pages: int
    days: float
    looks_per_day: float
    optimum: float
    policies: tuple[Freshness, ...]

    def plain(self) -> dict[str, Any]:
        """The comparison as JSON has it."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found

    def lines(self) -> list[str]:
        """The comparison for people."""
        told = f"{self.pages} pages, {self.looks_per_day:g} looks a day, {self.days:g} days; the optimum is"
        rows = [f"  {each.name:<14}{each.mean:>10.4f}{each.of_optimum:>12.1%}" for each in self.policies]
        return [f"{told} {self.optimum:.4f}", f"  {'policy':<14}{'freshness':>10}{'of optimum':>12}", *rows]


def optimum(web: ChangingWeb) -> float:
    """The freshness of the best plan that knows every rate; no policy can do better."""
    return _freshness(web, intervals(web.rates, web.weights, price_of(web.rates, web.weights, web.looks)))


def _freshness(web: ChangingWeb, every: Floats) -> float:
    """The mean freshness when each page is looked at at its own regular interval."""
    changes = web.rates * every
    fresh = np.where(np.isfinite(changes), -np.expm1(-changes) / np.where(changes > 0, changes, 1.0), 0.0)
    return float((web.weights * fresh).sum())


def compare(web: ChangingWeb, progress: Callable[[int, int], None] | None = None) -> Comparison:
    """Every policy on the same web."""
    best = optimum(web)
    makers: dict[str, Callable[[ChangingWeb], Policy]] = {
        "lycosa": planned,
        "uniform": uniform,
        "proportional": proportional,
        "nutch": adaptive,
    }
    found = []
    for done, (name, maker) in enumerate(makers.items(), 1):
        curve = simulate(web, maker(web))
        later = curve[len(curve) // 2 :]
        mean = sum(later) / len(later)
        found.append(Freshness(name, mean, mean / best, tuple(curve)))
        if progress:
            progress(done, len(makers))
    return Comparison(len(web.rates), web.seconds / DAY, web.looks * DAY, best, tuple(found))


def simulate(web: ChangingWeb, policy: Policy) -> list[float]:
    """Look at whatever is due longest, as often as the budget allows; the freshness of successive parts of the time."""
    chance = Random(web.seed)
    pages = len(web.rates)
    rates, weights = web.rates.tolist(), web.weights.tolist()
    stale_at = [chance.expovariate(rate) for rate in rates]
    last = [0.0] * pages
    queue = [(policy(page, 0.0, False), chance.random(), page) for page in range(pages)]
    heapq.heapify(queue)
    fresh = _FreshTime(web.seconds)
    for look in range(1, int(web.seconds * web.looks) + 1):
        now = look / web.looks
        page = queue[0][2]
        fresh.add(weights[page], last[page], min(stale_at[page], now))
        changed = stale_at[page] <= now
        if changed:
            stale_at[page] = now + chance.expovariate(rates[page])
        last[page] = now
        heapq.heapreplace(queue, (policy(page, now, changed), chance.random(), page))
    for page in range(pages):
        fresh.add(weights[page], last[page], min(stale_at[page], web.seconds))
    return fresh.shares()


class _FreshTime:
    """The weighted time that copies were fresh, in equal parts of the whole."""

    def __init__(self, seconds: float) -> None:
        self._part = seconds / PARTS
        self._sums = [0.0] * PARTS

    def add(self, weight: float, begin: float, end: float) -> None:
        first, last = int(begin / self._part), min(int(end / self._part), PARTS - 1)
        for place in range(first, last + 1):
            low, high = max(begin, place * self._part), min(end, (place + 1) * self._part)
            self._sums[place] += weight * max(0.0, high - low)

    def shares(self) -> list[float]:
        return [each / self._part for each in self._sums]


# -- policies -----------------------------------------------------------------------------------


def planned(web: ChangingWeb) -> Policy:
    """The plan of a crawl: rates learned, one price for a look at any page."""
    plan = RevisitPlan(web.looks, Random(web.seed))
    histories = [PageHistory() for _ in web.rates]
    weights = web.weights.tolist()
    looks = 0

    def again(page: int, now: float, changed: bool) -> float:
        nonlocal looks
        histories[page] = histories[page].looked(now, changed, plan.prior)
        plan.note(str(page), histories[page], weights[page])
        looks += 1
        if looks % RECKON_EVERY == 0:
            plan.reckon()
        return plan.due(histories[page], weights[page])

    return again


def uniform(web: ChangingWeb) -> Policy:
    """Every page equally often."""
    every = len(web.rates) / web.looks
    return lambda page, now, changed: now + every


def proportional(web: ChangingWeb) -> Policy:
    """Every page as often as it changes; it is told the rates, and still loses."""
    every = (web.rates.sum() / (web.looks * web.rates)).tolist()
    return lambda page, now, changed: now + float(every[page])


def adaptive(web: ChangingWeb) -> Policy:
    """Nutch's adaptive schedule: a changed page is due sooner by a fifth, an unchanged one later by two fifths."""
    spans = [len(web.rates) / web.looks] * len(web.rates)

    def again(page: int, now: float, changed: bool) -> float:
        if now:
            spans[page] *= NUTCH_DOWN if changed else NUTCH_UP
        spans[page] = min(max(spans[page], NUTCH_SHORTEST), NUTCH_LONGEST)
        return now + spans[page]

    return again
