"""Running words as numbers, so that whoever asks what words mean to them asks an array, not a table for each word.

Every word that was met has a number; what it means to somebody (a stem, a place in a
vector, an entry of an index) is worked out once and then taken from an array by that
number. There are more words than memory, so the numbers begin anew when there are many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from threading import Lock
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from lycosa.text import END, words_of_all

Numbers: TypeAlias = npt.NDArray[np.int64]

MOST_WORDS = 500_000
NO_WORD = 0
"""The number of what stands behind each text."""
TEXTS_REMEMBERED = 500
"""Texts whose words are remembered for a while: those around links are looked at for several reasons."""


class Lexicon(dict[str, int]):
    """The numbers of words, in the order in which they were met; and texts met lately as numbers."""

    def __init__(self) -> None:
        super().__init__({END: NO_WORD})
        self.words = [END]
        self._lock = Lock()
        self._texts: dict[str, Numbers] = {}

    def __missing__(self, word: str) -> int:
        with self._lock:
            number = self.setdefault(word, len(self.words))
            if number == len(self.words):
                self.words.append(word)
        return number

    def of(self, texts: Sequence[str]) -> list[Numbers]:
        """The numbers of each text's words, and NO_WORD behind them."""
        known = self._texts
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            if len(known) + len(new) > TEXTS_REMEMBERED:
                known = self._texts = {text: known[text] for text in texts if text in known}
            known.update(zip(new, self._read(new), strict=True))
        return [known[text] for text in texts]

    def _read(self, texts: Sequence[str]) -> list[Numbers]:
        told = words_of_all(texts)
        every = np.fromiter(map(self.__getitem__, told), np.int64, len(told))
        ends = (np.flatnonzero(every == NO_WORD) + 1).tolist()
        return [every[begin:end] for begin, end in zip((0, *ends), ends, strict=False)]


class Running(NamedTuple):
    """Several texts as one run of numbered words; `owners` has the number of each word's text."""

    lexicon: Lexicon
    numbers: Numbers
    owners: Numbers
    texts: int

    def first(self, texts: int) -> Running:
        """The words of the first few of the texts."""
        behind = int(np.searchsorted(self.owners, texts))
        return Running(self.lexicon, self.numbers[:behind], self.owners[:behind], texts)


@lru_cache(maxsize=1)
def _lexicon() -> Lexicon:
    return Lexicon()


def running(texts: Sequence[str]) -> Running:
    """The words of several texts, so that all of them can be looked at in one go."""
    if len(_lexicon()) > MOST_WORDS:
        _lexicon.cache_clear()
    lexicon = _lexicon()
    told = lexicon.of(texts) or [np.zeros(0, np.int64)]
    owners = np.repeat(np.arange(len(told)), [len(each) for each in told])
    return Running(lexicon, np.concatenate(told), owners, len(texts))


class Meanings:
    """What words mean to somebody, as numbers; each word is asked about once."""

    def __init__(self, meaning: Callable[[str], int]) -> None:
        self._meaning = meaning
        self._lexicon: Lexicon | None = None
        self._known: Numbers = np.zeros(0, np.int64)
        self._asked = 0

    def of(self, told: Running) -> Numbers:
        """The meaning of each running word."""
        if self._lexicon is not told.lexicon:
            self._lexicon, self._asked = told.lexicon, 0
        every = told.lexicon.words
        if self._asked < len(every):
            self._ask(every[self._asked :])
        return self._known.take(told.numbers)

    def _ask(self, new: list[str]) -> None:
        """Room is made for twice as many, so that a growing table is seldom copied."""
        asked = self._asked + len(new)
        if asked > len(self._known):
            self._known = np.concatenate((self._known, np.zeros(asked, np.int64)))
        self._known[self._asked : asked] = np.fromiter(map(self._meaning, new), np.int64, len(new))
        self._asked = asked
