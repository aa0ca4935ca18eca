"""How similar passages are to many others at once: inverted lists and one sum, not one comparison per pair.

For each of the four parts the passages that are searched lie in lists by term. A
question is a batch of passages: their distinct texts are looked up together, every
posting is multiplied once, and one count by (question, passage) adds them up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lycosa.link_graph.passages import BagRows, Passage, Terms

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
MOST_CELLS = 2_000_000
"""Similarities worked out at a time; larger questions come in pieces."""


class Question(NamedTuple):
    """Passages to be compared: for each part the distinct texts as bags, and which of them each passage has."""

    number: int
    parts: list[tuple[Numbers, BagRows]]

    @classmethod
    def of(cls, terms: Terms, passages: Sequence[Passage]) -> Question:
        """The question that some passages make."""
        parts = []
        for texts in zip(*[passage.parts for passage in passages], strict=True):
            rows: dict[str, int] = {}
            which = np.array([rows.setdefault(text, len(rows)) for text in texts], np.int64)
            parts.append((which, terms.bags(list(rows))))
        return cls(len(passages), parts)

    def only(self, places: Sequence[int]) -> Question:
        """The same question about some of the passages."""
        if len(places) == self.number:
            return self
        parts = []
        for every, bags in self.parts:
            rows, which = np.unique(every[list(places)], return_inverse=True)
            renumbered = np.full(int(every.max()) + 1, -1)
            renumbered[rows] = np.arange(len(rows))
            texts = renumbered[bags.texts]
            held = texts >= 0
            parts.append((which, BagRows(texts[held], bags.terms[held], bags.weights[held])))
        return Question(len(places), parts)


class PassageIndex:
    """Passages to compare others with."""

    def __init__(self, terms: Terms, passages: Sequence[Passage]) -> None:
        self.size = len(passages)
        parts = list(zip(*[passage.parts for passage in passages], strict=True)) or [()] * 4
        self._lists = [_Lists(terms.bags(list(texts)), self.size) for texts in parts]

    def osm(self, asked: Question) -> Floats:
        """The overall similarity: the mean over the four parts, for each asked passage (row) and each held one."""
        total = np.zeros((asked.number, self.size))
        for part in self.parts(asked):
            if part is not None:
                total += part
        return total / 4

    def parts(self, asked: Question) -> Iterator[Floats | None]:
        """The similarity of each part alone; None where nothing is shared."""
        for lists, (which, bags) in zip(self._lists, asked.parts, strict=True):
            found = lists.cosines(bags, int(which.max(initial=-1)) + 1)
            yield None if found is None else found[which]


class _Lists:
    """One part of all passages: for each term, who has it and with what weight."""

    def __init__(self, bags: BagRows, size: int) -> None:
        order = np.argsort(bags.terms, kind="stable")
        terms = bags.terms[order]
        self._size, self._owners, self._weights = size, bags.texts[order], bags.weights[order]
        self._terms = int(terms[-1]) + 1 if len(terms) else 0
        self._begins = np.searchsorted(terms, np.arange(self._terms + 1))

    def cosines(self, bags: BagRows, number: int) -> Floats | None:
        """The cosine of each bag (row) with each passage; None where no term is shared at all."""
        known = bags.terms < self._terms
        terms = bags.terms[known]
        begins = self._begins[terms]
        lengths = self._begins[terms + 1] - begins
        ends = np.cumsum(lengths)
        size = int(ends[-1]) if len(ends) else 0
        if not size:
            return None
        places = np.arange(size) + np.repeat(begins - ends + lengths, lengths)
        cells = np.repeat(bags.texts[known] * self._size, lengths) + self._owners[places]
        shares = np.repeat(bags.weights[known], lengths) * self._weights[places]
        sums: Floats = np.bincount(cells, shares, number * self._size).astype(np.float64, copy=False)
        return sums.reshape(number, self._size)
