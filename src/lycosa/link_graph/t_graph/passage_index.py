"""How similar passages are to many others at once: inverted lists and one sum, not one comparison per pair.

The passages that are searched lie in lists by term, and in a list by group, so that one
group can be asked alone; a term that very many have is a whole row instead. A question
is a batch of passages: every posting is multiplied once, and one count by (question,
passage) adds them up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lycosa.lexicon import Numbers
from lycosa.link_graph.t_graph.passages import PARTS, Bags, Passage, Terms, one_behind_the_other

Floats = npt.NDArray[np.float64]
Span = tuple[int, int]
"""The first of some groups, and the first behind them."""
MOST_CELLS = 2_000_000
"""Similarities worked out at a time; larger questions come in pieces."""
COMMON = 1 / 16
"""A term that a larger share of passages has is common: adding a whole row is cheaper than so many postings."""
MOST_COMMON = 64


class Question(NamedTuple):
    """Passages to be compared, and their bags."""

    number: int
    bags: Bags

    @classmethod
    def of(cls, terms: Terms, passages: Sequence[Passage]) -> Question:
        """The question that some passages make."""
        return cls(len(passages), terms.bags(passages))

    def only(self, places: Sequence[int]) -> Question:
        """The same question about some of the passages."""
        if len(places) == self.number:
            return self
        numbers = np.full(self.number, -1)
        numbers[list(places)] = np.arange(len(places))
        passages, terms, weights = numbers[self.bags.passages], self.bags.terms, self.bags.weights
        held = passages >= 0
        return Question(len(places), Bags(passages[held], terms[held], weights[held]))

    def part(self, part: int) -> Question:
        """The same question about one of the four parts."""
        passages, terms, weights = self.bags
        held = terms % len(PARTS) == part
        return Question(self.number, Bags(passages[held], terms[held], weights[held]))


class PassageIndex:
    """Passages to compare others with, in groups that follow each other."""

    def __init__(self, terms: Terms, passages: Sequence[Passage], groups: Sequence[int] = ()) -> None:
        """`groups` has the number of each passage's group, ascending from 0; all are one group without it."""
        member = np.array(groups, np.int64) if len(groups) else np.zeros(len(passages), np.int64)
        self.groups = int(member[-1]) + 1 if len(member) else 1
        self._starts: list[int] = np.searchsorted(member, np.arange(self.groups + 1)).tolist()
        bags = terms.bags(passages)
        holding = np.bincount(bags.terms)
        common = np.argsort(-holding)[:MOST_COMMON]
        common = common[holding[common] > COMMON * len(member)]
        self._row_of = np.full(len(holding), -1)
        self._row_of[common] = np.arange(len(common))
        row = self._row_of[bags.terms]
        is_common = row >= 0
        self._rows: Floats = np.zeros((len(common), len(member)))
        self._rows[row[is_common], bags.passages[is_common]] = bags.weights[is_common]
        lists = np.where(is_common, -1, bags.terms * self.groups + member[bags.passages])
        order = _in_order(lists)[np.count_nonzero(is_common) :]
        self._owners, self._weights = bags.passages[order], bags.weights[order]
        self._begins = np.searchsorted(lists[order], np.arange(len(holding) * self.groups + 1))

    def begin(self, group: int) -> int:
        """The place of a group's first passage."""
        return self._starts[group]

    def osm(self, asked: Question, span: Span | None = None) -> Floats:
        """The overall similarity: the mean over the four parts, for each asked passage (row) and each held one."""
        first, last = span or (0, self.groups)
        begin, end = self._starts[first], self._starts[last]
        bags = self._known(asked.bags)
        lists = bags.terms * self.groups
        places, lengths = one_behind_the_other(self._begins[lists + first], self._begins[lists + last])
        cells = np.repeat(bags.passages * (end - begin) - begin, lengths) + self._owners[places]
        shares = np.repeat(bags.weights, lengths) * self._weights[places]
        sums = np.bincount(cells, shares, asked.number * (end - begin))
        found: Floats = sums.astype(np.float64, copy=False).reshape(asked.number, end - begin)
        for passage, row, weight in self._common_among(bags):
            found[passage] += weight * self._rows[row, begin:end]
        return found

    def _known(self, bags: Bags) -> Bags:
        """Asked terms that some passage has."""
        known = bags.terms < len(self._row_of)
        return Bags(bags.passages[known], bags.terms[known], bags.weights[known])

    def _common_among(self, bags: Bags) -> Iterator[tuple[int, int, float]]:
        """The common terms of asked passages: the passage's number, the term's row, and its weight."""
        rows = self._row_of[bags.terms]
        held = rows >= 0
        return zip(bags.passages[held].tolist(), rows[held].tolist(), bags.weights[held].tolist(), strict=True)


def _in_order(numbers: Numbers) -> Numbers:
    """The places of numbers in their order: each number with its place is one number, and those are sorted faster."""
    bits = len(numbers).bit_length()
    keyed = numbers << bits | np.arange(len(numbers))
    keyed.sort()
    found: Numbers = keyed & ((1 << bits) - 1)
    return found
