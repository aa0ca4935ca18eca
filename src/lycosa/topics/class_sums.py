"""The points of a long text, added up class by class in arrays: what the galaxy does with lists, for whole pages."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lycosa.topics.classes import Numbers, Scheme

DIGITS = 3
"""Digits of a class that is predicted; those behind them only give a point more weight."""
PLAIN, ANCHOR = 10, 14
"""The impact of a word, in tenths: 1.0, and 1.4 for the words of an anchor."""


class ClassSums:
    """The classes of a scheme as places in arrays, and those of each of its entries."""

    def __init__(self, scheme: Scheme) -> None:
        held = [entry.numbers for entry in scheme.entries]
        self._classes = sorted({number for numbers in held for number in numbers})
        places = {number: place for place, number in enumerate(self._classes)}
        self._held = np.array([places[number] for numbers in held for number in numbers], np.int64)
        self._number = np.array([len(numbers) for numbers in held], np.int64)
        self._begins = np.cumsum(self._number) - self._number
        self._lengths = np.array([len(number) for number in self._classes], np.int64)

    def heaviest(self, entries: Numbers, anchored: Numbers) -> tuple[str, ...]:
        """The classes that entries speak for; those of the anchor are among them, and given once more."""
        points, more = self._points(entries), self._points(anchored)
        weights = self._lengths * (points * PLAIN + more * (ANCHOR - PLAIN))
        found: list[str] = []
        waiting = [("", points.nonzero()[0].tolist())]
        for inside, places in waiting:
            groups: dict[str, list[int]] = {}
            for place in places:
                number = self._classes[place]
                if len(number) > len(inside):
                    groups.setdefault(number[: len(inside) + 1], []).append(place)
            if not groups or len(inside) == DIGITS:
                found += [inside] if inside else []
                continue
            total = {number: int(points[held].sum() * weights[held].sum()) for number, held in groups.items()}
            most = max(total.values())
            waiting += [(number, held) for number, held in groups.items() if total[number] == most]
        return tuple(sorted(found))

    def _points(self, entries: Numbers) -> npt.NDArray[np.int64]:
        """How many points each class gets."""
        numbers = self._number[entries]
        ends = np.cumsum(numbers)
        size = int(ends[-1]) if len(ends) else 0
        places = np.arange(size) + np.repeat(self._begins[entries] - ends + numbers, numbers)
        return np.bincount(self._held[places], minlength=len(self._classes))
