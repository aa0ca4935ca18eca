"""When the pages of a simulated web change.

Each page changes by a Poisson process of its own rate; rates are spread log-normally, so a few
pages change all the time and most hardly ever. Time is cut into windows of the page's mean
interval, and the changes within a window follow from a hash of its number: the last change before
any moment is found by looking at a window or two, and nothing needs to be remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, factorial
from statistics import NormalDist
from typing import NamedTuple

from lycosa.lab.simulated_web.notation import BoxSettings

_SPREAD = 1.5
_CLASSES = 64
_MOST_PER_WINDOW = 5
_WINDOWS_BACK = 64
_YEAR = 365 * 86400.0


def _poisson_edges() -> list[float]:
    """Where, on a scale of 16 bits, the number of changes in a window goes up by one."""
    upto, edges = 0.0, []
    for changes in range(_MOST_PER_WINDOW):
        upto += exp(-1.0) / factorial(changes)
        edges.append(upto * 65536)
    return edges


_EDGES = _poisson_edges()


class Change(NamedTuple):
    """The latest change of a page: `version` grows with every change, 0 is the page as first written."""

    version: int
    at: float


class Changes:
    """The change history of every page, as a function of its key."""

    def __init__(self, settings: BoxSettings, begins: float, draw: Callable[[bytes, int, int], int]) -> None:
        self._begins = begins
        self._draw = draw
        self._period = float(settings.period)
        self._rates = _rates(settings.changed)

    def per_period(self, key: int) -> float:
        """How often a page changes in a period, on average."""
        return self._rates[key >> 40 & (_CLASSES - 1)]

    def last(self, key: int, now: float) -> Change:
        """The latest change of a page up to `now`."""
        rate = self.per_period(key)
        if not rate:
            return Change(0, self._first_written(key, _YEAR))
        window = self._period / rate
        elapsed = (now - self._begins) / window
        latest = int(elapsed) if elapsed > 0 else -1
        for number in range(latest, max(-1, latest - _WINDOWS_BACK), -1):
            for order, moment in self._moments(key, number):
                if moment <= elapsed:
                    return Change(number * (_MOST_PER_WINDOW + 1) + order + 1, self._begins + moment * window)
        return Change(0, self._first_written(key, window))

    def _moments(self, key: int, number: int) -> list[tuple[int, float]]:
        """The changes within a window, latest first, in windows since the beginning."""
        bits = self._draw(b"change", key, number)
        count = sum((bits & 0xFFFF) >= edge for edge in _EDGES)
        moments = sorted(number + (bits >> (16 + 9 * k) & 0x1FF) / 512 for k in range(count))
        return list(enumerate(moments))[::-1]

    def _first_written(self, key: int, window: float) -> float:
        age = min(window, _YEAR) * (key >> 20 & 0xFFFF) / 65536
        return max(0.0, self._begins - age)


def _rates(changed: float) -> list[float]:
    """Log-normal rates with which that share of pages changes at least once in a period."""
    if not changed:
        return [0.0] * _CLASSES
    spread = [exp(_SPREAD * NormalDist().inv_cdf((k + 0.5) / _CLASSES)) for k in range(_CLASSES)]
    low, high = 0.0, 1e6
    for _ in range(100):
        middle = (low + high) / 2
        share = sum(1.0 - exp(-middle * rate) for rate in spread) / _CLASSES
        low, high = (middle, high) if share < changed else (low, middle)
    return [high * rate for rate in spread]
