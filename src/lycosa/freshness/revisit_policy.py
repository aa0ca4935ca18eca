"""When to look at a page again, so that the collection stays as fresh as the budget allows (M8).

Looking at a page is worth its weight times the chance that the copy is stale, and that
chance grows with the time since the last look. The best plan looks at each page when
that worth has grown to one common price, the price at which the looks a day are those
that the budget allows; pages that change faster than anybody could follow are left for
last. The price is found from a sample of the pages and grows stale slowly, so each page
carries its own due time and nothing is ever sorted anew.
"""

from __future__ import annotations

import math
from random import Random

import numpy as np
from numpy.typing import NDArray

from lycosa.freshness.change_rates import DAY, PageHistory

Floats = NDArray[np.float64]

SAMPLE = 5_000
_DEEPEST = 60.0
_FEW = 1e-4
_STEPS = 60


def worth(rate: Floats, since: Floats) -> Floats:
    """What a look after some seconds is worth to a page of weight 1 that changes at a rate."""
    return _growth(rate * since) / rate


def _growth(changes: Floats) -> Floats:
    """How far the worth of a look has grown when so many changes are to be expected: from 0 to 1."""
    few: Floats = changes * changes * (0.5 - changes / 3.0)
    return np.where(changes < _FEW, few, -np.expm1(-changes) - changes * np.exp(-changes))


def intervals(rate: Floats, weight: Floats, price: float) -> Floats:
    """The seconds after which a look at each page is worth the price; infinity where it never is."""
    wanted = price * rate / weight
    low, high = np.zeros_like(wanted), np.full_like(wanted, _DEEPEST)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        under = _growth(middle) < wanted
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    return np.where(wanted < 1.0, high / rate, np.inf)


def price_of(rate: Floats, weight: Floats, looks_per_second: float) -> float:
    """The least price at which no more than so many looks a second are made."""
    low, high = 1e-12, 1.001 * float((weight / rate).max()) if len(rate) else 1.0
    for _ in range(_STEPS):
        price = (low * high) ** 0.5
        if float((1.0 / intervals(rate, weight, price)).sum()) > looks_per_second:
            low = price
        else:
            high = price
    return high


def interval(rate: float, weight: float, price: float) -> float:
    """The same as `intervals` for one page."""
    wanted = price * rate / weight
    if wanted >= 1.0:
        return math.inf
    low, high = 0.0, _DEEPEST
    for _ in range(_STEPS):
        middle = (low + high) / 2
        few = middle * middle * (0.5 - middle / 3.0)
        if (few if middle < _FEW else -math.expm1(-middle) - middle * math.exp(-middle)) < wanted:
            low = middle
        else:
            high = middle
    return high / rate


class RevisitPlan:
    """The due times of pages under one budget, from what is believed of them.

    `prior` is the rate of a page of which nothing is known; it follows what was seen of all pages.
    """

    def __init__(
        self,
        looks_per_second: float,
        chance: Random,
        prior: float = 1.0 / (7 * DAY),
        soonest: float = 60.0,
        latest: float = 90 * DAY,
    ) -> None:
        self._budget, self._chance = looks_per_second, chance
        self._soonest, self._latest = soonest, latest
        self.prior = prior
        self.price = 0.0
        self._pages = 0
        self._sample: list[tuple[str, PageHistory, float, float | None]] = []
        self._places: dict[str, int] = {}

    def change_budget(self, looks_per_second: float) -> None:
        """Another budget from now on; due times follow as pages are looked at."""
        self._budget = looks_per_second
        self.reckon()

    def note(self, url: str, history: PageHistory, weight: float, prior: float | None = None) -> None:
        """Take a page into the sample that the price is found from; a page in it is kept up to date.

        `prior` is the page's own, where somebody has said how often it changes.
        """
        place = self._places.get(url)
        if place is None:
            self._pages += 1
            if len(self._sample) < SAMPLE:
                place = len(self._sample)
                self._sample.append((url, history, weight, prior))
            elif (place := self._chance.randrange(self._pages)) < SAMPLE:
                del self._places[self._sample[place][0]]
            else:
                return
            self._places[url] = place
        self._sample[place] = (url, history, weight, prior)

    def reckon(self) -> None:
        """Find prior and price anew, as every so many looks."""
        if not self._sample or self._budget <= 0:
            self.price = 0.0
            return
        changes = sum(history.changes for _, history, _, _ in self._sample)
        watched = sum(history.watched for _, history, _, _ in self._sample)
        if changes > 0 and watched > 0:
            self.prior = changes / watched
        rate = np.array([history.rate(prior or self.prior) for _, history, _, prior in self._sample])
        weight = np.array([each for _, _, each, _ in self._sample])
        self.price = price_of(rate, weight, self._budget * len(self._sample) / self._pages)

    def due(self, history: PageHistory, weight: float, prior: float | None = None) -> float:
        """When to look at a page again; without a price, when it is likely to have changed."""
        rate = history.rate(prior or self.prior)
        found = interval(rate, weight, self.price) if self.price else 1.0 / rate
        return history.last + min(max(found, self._soonest), self._latest)
