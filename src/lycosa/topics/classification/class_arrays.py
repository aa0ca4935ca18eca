"""The classes of a scheme as places in arrays, so that those of many words are found at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lycosa.topics.classification.scheme import Numbers


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
