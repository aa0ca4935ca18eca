"""The points of a long text, added up class by class in arrays: what the galaxy does with lists, for whole pages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lycosa.topics.classes import Numbers, Scheme

DIGITS = 3
"""Digits of a class that is predicted; those behind them only give a point more weight."""
PLAIN, ANCHOR = 10, 14
"""The impact of a word, in tenths: 1.0, and 1.4 for the words of an anchor."""


class ClassLists:
    """Classes as places in arrays, and for each entry of a scheme the list of its own."""

    def __init__(self, held: Sequence[Sequence[str]]) -> None:
        """`held` has the class numbers of each entry, in the order of entries."""
        self.classes = sorted({number for numbers in held for number in numbers})
        self.places = {number: place for place, number in enumerate(self.classes)}
        self.listed = np.array([self.places[number] for numbers in held for number in numbers], np.int64)
        self.lengths = np.array([len(numbers) for numbers in held], np.int64)
        self._begins = np.cumsum(self.lengths) - self.lengths

    def of(self, entries: Numbers) -> tuple[Numbers, Numbers]:
        """Where the lists of some entries stand in `listed`, one behind the other, and how long each is."""
        lengths = self.lengths[entries]
        ends = np.cumsum(lengths)
        size = int(ends[-1]) if len(ends) else 0
        return np.arange(size) + np.repeat(self._begins[entries] - ends + lengths, lengths), lengths


class ClassSums:
    """The points of every class of a scheme."""

    def __init__(self, scheme: Scheme) -> None:
        self._lists = ClassLists([entry.numbers for entry in scheme.entries])
        self._classes = self._lists.classes
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
        listed, _ = self._lists.of(entries)
        return np.bincount(self._lists.listed[listed], minlength=len(self._classes))
