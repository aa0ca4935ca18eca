"""How similar passages are to many others at once: inverted lists and one sum, not one comparison per pair.

For each of the four parts the passages that are searched lie in lists by term, and in
a list by group, so that one group can be asked alone; a term that very many have is a
whole row instead. A question is a batch of passages: every posting is multiplied once,
and one count by (question, passage) adds up those of all parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lycosa.link_graph.passages import BagRows, Numbers, Passage, Terms

Floats = npt.NDArray[np.float64]
Span = tuple[int, int]
"""The first of some groups, and the first behind them."""
MOST_CELLS = 2_000_000
"""Similarities worked out at a time; larger questions come in pieces."""
COMMON = 1 / 16
"""A term that a larger share of passages has is common: adding a whole row is cheaper than so many postings."""
MOST_COMMON = 64


class Question(NamedTuple):
    """Passages to be compared: the bags of each part, numbered like the passages."""

    number: int
    parts: list[BagRows]

    @classmethod
    def of(cls, terms: Terms, passages: Sequence[Passage]) -> Question:
        """The question that some passages make."""
        return cls(len(passages), [_bags_of_each(terms, texts) for texts in _by_part(passages)])

    def only(self, places: Sequence[int]) -> Question:
        """The same question about some of the passages."""
        if len(places) == self.number:
            return self
        numbers = np.full(self.number, -1)
        numbers[list(places)] = np.arange(len(places))
        parts = []
        for bags in self.parts:
            texts = numbers[bags.texts]
            held = texts >= 0
            parts.append(BagRows(texts[held], bags.terms[held], bags.weights[held]))
        return Question(len(places), parts)


def _by_part(passages: Sequence[Passage]) -> list[tuple[str, ...]]:
    """The texts of each part."""
    return list(zip(*[passage.parts for passage in passages], strict=True)) or [()] * 4


def _bags_of_each(terms: Terms, texts: Sequence[str]) -> BagRows:
    """The bags of some texts; of texts that come several times, which headings do, the words are counted once."""
    rows: dict[str, int] = {}
    which = np.array([rows.setdefault(text, len(rows)) for text in texts], np.int64)
    bags = terms.bags(list(rows))
    if len(rows) == len(which):
        return bags
    begins = np.searchsorted(bags.texts, np.arange(len(rows) + 1))
    places, lengths = _one_behind_the_other(begins[:-1][which], begins[1:][which])
    return BagRows(np.repeat(np.arange(len(which)), lengths), bags.terms[places], bags.weights[places])


def _one_behind_the_other(begins: Numbers, ends: Numbers) -> tuple[Numbers, Numbers]:
    """The places of some stretches, and how long each stretch is."""
    lengths = ends - begins
    totals = np.cumsum(lengths)
    size = int(totals[-1]) if len(totals) else 0
    return np.arange(size) + np.repeat(begins - totals + lengths, lengths), lengths


class PassageIndex:
    """Passages to compare others with, in groups that follow each other."""

    def __init__(self, terms: Terms, passages: Sequence[Passage], groups: Sequence[int] = ()) -> None:
        """`groups` has the number of each passage's group, ascending from 0; all are one group without it."""
        member = np.array(groups, np.int64) if len(groups) else np.zeros(len(passages), np.int64)
        self.groups = int(member[-1]) + 1 if len(member) else 1
        self._starts: list[int] = np.searchsorted(member, np.arange(self.groups + 1)).tolist()
        self._lists = [_Lists(terms.bags(texts, by_term=True), member, self.groups) for texts in _by_part(passages)]

    def begin(self, group: int) -> int:
        """The place of a group's first passage."""
        return self._starts[group]

    def osm(self, asked: Question, span: Span | None = None) -> Floats:
        """The overall similarity: the mean over the four parts, for each asked passage (row) and each held one."""
        total = self._sums(list(zip(self._lists, asked.parts, strict=True)), asked.number, span)
        total /= 4
        return total

    def parts(self, asked: Question) -> Iterator[Floats]:
        """The similarity of each part alone."""
        for pair in zip(self._lists, asked.parts, strict=True):
            yield self._sums([pair], asked.number, None)

    def _sums(self, asked: list[tuple[_Lists, BagRows]], number: int, span: Span | None) -> Floats:
        """The cosines of some parts added up, for the passages of some groups."""
        first, last = span or (0, self.groups)
        begin, end = self._starts[first], self._starts[last]
        size = end - begin
        found = [lists.postings(bags, first, last, (begin, size)) for lists, bags in asked]
        cells, shares = [each[0] for each in found], [each[1] for each in found]
        sums = np.bincount(np.concatenate(cells), np.concatenate(shares), number * size)
        rows: Floats = sums.astype(np.float64, copy=False).reshape(number, size)
        for lists, bags in asked:
            for row, term, weight in lists.common_among(bags):
                rows[row] += weight * lists.rows[term, begin:end]
        return rows


class _Lists:
    """One part of all passages: for each term, who has it and with what weight, group by group."""

    def __init__(self, bags: BagRows, member: Numbers, groups: int) -> None:
        """`bags` are in the order of terms; `member` has the group of each passage."""
        holding = np.bincount(bags.terms)
        common = np.argsort(-holding)[:MOST_COMMON]
        common = common[holding[common] > COMMON * len(member)]
        self._row_of = np.full(len(holding), -1)
        self._row_of[common] = np.arange(len(common))
        row = self._row_of[bags.terms]
        is_common, is_rare = row >= 0, row < 0
        self.rows: Floats = np.zeros((len(common), len(member)))
        self.rows[row[is_common], bags.texts[is_common]] = bags.weights[is_common]
        self._groups, self._owners, self._weights = groups, bags.texts[is_rare], bags.weights[is_rare]
        lists = bags.terms[is_rare] * groups + member[self._owners]
        self._begins = np.searchsorted(lists, np.arange(len(holding) * groups + 1))

    def postings(self, bags: BagRows, first: int, last: int, within: Span) -> tuple[Numbers, Floats]:
        """For every term that an asked text shares with a passage of some groups their cell, and what it adds."""
        begin, size = within
        known = bags.terms < len(self._row_of)
        lists = bags.terms[known] * self._groups
        places, lengths = _one_behind_the_other(self._begins[lists + first], self._begins[lists + last])
        cells = np.repeat(bags.texts[known] * size - begin, lengths) + self._owners[places]
        return cells, np.repeat(bags.weights[known], lengths) * self._weights[places]

    def common_among(self, bags: BagRows) -> Iterator[tuple[int, int, float]]:
        """The common terms of asked texts: the text's number, the term's row, and its weight."""
        if len(self.rows):
            known = np.flatnonzero(bags.terms < len(self._row_of))
            rows = self._row_of[bags.terms[known]]
            held = known[rows >= 0]
            yield from zip(
                bags.texts[held].tolist(), rows[rows >= 0].tolist(), bags.weights[held].tolist(), strict=True
            )
