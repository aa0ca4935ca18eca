"""Many texts as numbers: the words of taxonomy, handed-over documents and crawl in a few flat arrays.

The semantic checker asks how terms stand to each other in thousands of texts.
Texts are taken one at a time and only their words' numbers are kept, within
bounds: of a text, of all texts, and of different words. Words seen in one text only
are forgotten first, so a page of random letters cannot push out real ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import islice
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lycosa.text import stems, stop_words, words

MOST_TEXTS = 50_000
MOST_WORDS_OF_TEXT = 20_000
MOST_WORDS = 4_000_000
MOST_DIFFERENT_WORDS = 400_000
LONGEST_WORD = 40
TEXTS_AT_ONCE = 512

Ints: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float32]
Truths: TypeAlias = npt.NDArray[np.bool_]


class Origin(IntEnum):
    """Where a text comes from."""

    TAXONOMY = 0
    HANDED_OVER = 1
    CRAWL = 2


class _Numbers(dict[str, int]):
    """Words and their numbers; a new word gets the next one."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class Gathering:
    """Takes texts in, one at a time."""

    def __init__(self, language: str = "en") -> None:
        self._language = language
        self._numbers = _Numbers()
        self._texts: list[Ints] = []
        self._origins: list[Origin] = []
        self._length = 0

    def add(self, text: str, origin: Origin) -> bool:
        """Take a text in; says whether there was room for it."""
        if self._length >= MOST_WORDS or len(self._texts) >= MOST_TEXTS:
            return False
        found = np.fromiter(map(self._numbers.__getitem__, islice(words(text), MOST_WORDS_OF_TEXT)), np.int32)
        self._texts.append(found)
        self._origins.append(origin)
        self._length += len(found)
        if len(self._numbers) > MOST_DIFFERENT_WORDS:
            self._forget_rare_words()
        return True

    def _forget_rare_words(self) -> None:
        """Words of one text only become the unnamed word, number 0."""
        holding = np.zeros(len(self._numbers), np.int32)
        for text in self._texts:
            holding[np.unique(text)] += 1
        kept = _Numbers({"": 0})
        renumbered = np.zeros(len(self._numbers), np.int32)
        for word, number in self._numbers.items():
            if holding[number] > 1 and word:
                renumbered[number] = kept[word]
        self._texts = [renumbered[text] for text in self._texts]
        self._numbers = kept

    def collection(self) -> Collection:
        """What was taken in, as terms."""
        stop, stem = stop_words().get(self._language, frozenset()), stems(self._language)
        terms = _Numbers()
        term_of = np.full(max(1, len(self._numbers)), -1, np.int32)
        for word, number in self._numbers.items():
            if word in stop or 0 < len(word) < 3:
                term_of[number] = terms[f" {word}"]
            elif 2 < len(word) <= LONGEST_WORD and not word[0].isdigit():
                term_of[number] = terms[stem(word)]
        flat = np.concatenate(self._texts) if self._texts else np.empty(0, np.int32)
        text_of = np.repeat(np.arange(len(self._texts), dtype=np.int32), [len(text) for text in self._texts])
        told = term_of[flat]
        names = _most_frequent_words(list(self._numbers), term_of, flat, len(terms))
        kept = told >= 0
        return Collection(
            tuple(terms), names, told[kept], text_of[kept], np.array(self._origins, np.int8), self._language
        )


def _most_frequent_words(known: list[str], term_of: Ints, flat: Ints, terms: int) -> tuple[str, ...]:
    """The word by which people know each term."""
    often = np.bincount(flat, minlength=len(known))[: len(known)]
    order = np.argsort(often, kind="stable")
    shown = order[term_of[order] >= 0]
    best = np.zeros(terms, np.int64)
    best[term_of[shown]] = shown
    return tuple(known[number] for number in best)


@dataclass(frozen=True)
class Collection:
    """Texts as one stream of term numbers; stop words are terms that begin with a space."""

    terms: tuple[str, ...]
    names: tuple[str, ...]
    stream: Ints
    text_of: Ints
    origins: npt.NDArray[np.int8]
    language: str = "en"

    @cached_property
    def number_of(self) -> dict[str, int]:
        """The number of each term."""
        return {term: number for number, term in enumerate(self.terms)}

    @cached_property
    def telling(self) -> Truths:
        """Which terms are more than stop words."""
        return np.array([not term.startswith(" ") for term in self.terms], np.bool_)

    @cached_property
    def counts(self) -> tuple[Ints, Ints, Ints]:
        """Text, term and how often, for every term of every text; in the order of the texts."""
        keys = self.text_of.astype(np.int64) * max(1, len(self.terms)) + self.stream
        found, often = np.unique(keys, return_counts=True)
        text, term = np.divmod(found, max(1, len(self.terms)))
        return text.astype(np.int32), term.astype(np.int32), often.astype(np.int32)

    def texts(self, origin: Origin) -> Ints:
        """The numbers of the texts of an origin."""
        return np.flatnonzero(self.origins == origin).astype(np.int32)

    @cached_property
    def holding(self) -> Ints:
        """How many texts of each origin (rows) hold each term (columns)."""
        text, term, _ = self.counts
        keys = self.origins[text].astype(np.int64) * len(self.terms) + term
        found = np.bincount(keys, minlength=len(Origin) * len(self.terms))
        return found.reshape(len(Origin), len(self.terms)).astype(np.int32)

    def blocks(self, texts: Ints, terms: Ints) -> Iterator[tuple[slice, Floats]]:
        """How often these terms occur in these texts (in rising order), some hundred texts at a time."""
        text, term, often = self.counts
        column_of = np.full(len(self.terms), -1, np.int32)
        column_of[terms] = np.arange(len(terms), dtype=np.int32)
        for begin in range(0, len(texts), TEXTS_AT_ONCE):
            chosen = texts[begin : begin + TEXTS_AT_ONCE]
            first, last = np.searchsorted(text, (chosen[0], chosen[-1] + 1))
            row_of = np.full(int(chosen[-1]) + 1 - int(chosen[0]), -1, np.int32)
            row_of[chosen - chosen[0]] = np.arange(len(chosen), dtype=np.int32)
            row, column = row_of[text[first:last] - chosen[0]], column_of[term[first:last]]
            kept = (row >= 0) & (column >= 0)
            block = np.zeros((len(chosen), len(terms)), np.float32)
            block[row[kept], column[kept]] = often[first:last][kept]
            yield slice(begin, begin + len(chosen)), block
