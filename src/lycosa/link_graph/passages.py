"""What stands at and around a link, in the four parts that the T-Graph compares (T4, T6), as bags of terms.

A part is compared by the cosine of its term frequencies; a part that is absent on
either side has similarity 0. Texts are made into bags many at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import xxhash

from lycosa.records import Link, Record
from lycosa.text import running, stems, stop_words

Numbers = npt.NDArray[np.int64]
LONGEST_PART = 1000
WORDS_REMEMBERED = 500_000


class Passage(Record, frozen=True):
    """The surroundings of a link: the nearest heading (ISH), the sections' (SH), the document's (MH), and the text."""

    nearest: str = ""
    sections: str = ""
    main: str = ""
    boundary: str = ""

    @property
    def key(self) -> str:
        """Twelve hexadecimal digits that stand for these very texts."""
        return xxhash.xxh3_64_hexdigest("\n".join(self.parts).encode("utf-8", "replace"))[:12]

    @property
    def parts(self) -> tuple[str, str, str, str]:
        """The four texts in their order."""
        return self.nearest, self.sections, self.main, self.boundary

    @property
    def signpost(self) -> tuple[str, str]:
        """The headings that it shares with other passages of its kind."""
        return self.nearest, self.sections


PARTS = ("nearest heading", "section headings", "main heading", "boundary")


def passage_of(link: Link) -> Passage:
    """Where a link stands."""
    above = link.headings
    sections = " ".join(above.sections) if len(above.sections) != 1 else above.sections[0]
    return Passage(above.nearest, sections, above.main, link.boundary)


class BagRows(NamedTuple):
    """Some texts as bags: for each term of each text the text's number, the term's, and its frequency at length 1."""

    texts: npt.NDArray[np.int64]
    terms: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]


class Terms(dict[str, int]):
    """Words, and the numbers of their stems, -1 for stop words; every stem that was met has a number."""

    def __init__(self, language: str = "en") -> None:
        super().__init__({"": -1})
        self._stop, self._stem = stop_words().get(language, frozenset()), stems(language)
        self._numbers: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        if word in self._stop:
            number = -1
        else:
            number = self._numbers.setdefault(self._stem(word), len(self._numbers))
        self[word] = number
        return number

    @property
    def number(self) -> int:
        """How many stems were met."""
        return len(self._numbers)

    @property
    def full(self) -> bool:
        """Whether it is time to begin anew: the web has more words than memory."""
        return len(self) > WORDS_REMEMBERED

    def bags(self, texts: Sequence[str], *, by_term: bool = False) -> BagRows:
        """The bags of some texts, one behind the other, or all terms of all texts in the order of terms."""
        told = running([text[:LONGEST_PART] for text in texts])
        terms = np.fromiter(map(self.__getitem__, told.words), np.int64, len(told.words))
        held = terms >= 0
        terms, owners = terms[held], told.owners[held]
        if by_term:
            terms, owners, counts = _pairs_counted(terms, owners, len(texts))
        else:
            owners, terms, counts = _pairs_counted(owners, terms, self.number)
        lengths = np.sqrt(np.bincount(owners, counts * counts, len(texts)))
        return BagRows(owners, terms, counts / lengths[owners])


def _pairs_counted(first: Numbers, second: Numbers, size: int) -> tuple[Numbers, Numbers, Numbers]:
    """The distinct pairs of two arrays in order, and how often each occurs; the second has numbers below `size`."""
    cells, counts = np.unique(first * max(1, size) + second, return_counts=True)
    return cells // max(1, size), cells % max(1, size), counts
