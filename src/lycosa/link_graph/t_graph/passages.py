"""What stands at and around a link, in the four parts that the T-Graph compares (T4, T6), as bags of terms.

A part is compared by the cosine of its term frequencies; a part that is absent on
either side has similarity 0. A passage is one bag: a term of one part is another than
the same term of the next, and each part has length 1/2, so that the product of two
bags is the mean of the four cosines. Passages are made into bags many at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import xxhash

from lycosa.lexicon import Meanings, Numbers, running
from lycosa.records import Link, Record
from lycosa.text import END, stems, stop_words

LONGEST_PART = 1000
MOST_STEMS = 500_000


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


class Bags(NamedTuple):
    """Some passages as bags: for each term of each passage the passage's number, the term's, and its weight."""

    passages: Numbers
    terms: Numbers
    weights: npt.NDArray[np.float64]


class Terms:
    """The numbers of stems, -1 for stop words; every stem that was met has a number."""

    def __init__(self, language: str = "en") -> None:
        self._stop, self._stem = stop_words().get(language, frozenset()) | {END}, stems(language)
        self._numbers: dict[str, int] = {}
        self._meanings = Meanings(self._number)

    def _number(self, word: str) -> int:
        return -1 if word in self._stop else self._numbers.setdefault(self._stem(word), len(self._numbers))

    @property
    def full(self) -> bool:
        """Whether it is time to begin anew: the web has more words than memory."""
        return len(self._numbers) > MOST_STEMS

    def bags(self, passages: Sequence[Passage]) -> Bags:
        """The bags of some passages, one behind the other; the words of a heading over several are counted once."""
        texts: dict[tuple[int, str], int] = {}
        which = [texts.setdefault(part, len(texts)) for passage in passages for part in enumerate(passage.parts)]
        told = running([text[:LONGEST_PART] for _, text in texts])
        stems = self._meanings.of(told)
        held = stems >= 0
        size = max(1, len(self._numbers))
        cells, counts = np.unique(told.owners[held] * size + stems[held], return_counts=True)
        owners = cells // size
        lengths = np.sqrt(np.bincount(owners, counts * counts, len(texts)))
        parts = np.fromiter((part for part, _ in texts), np.int64, len(texts))
        begins = np.searchsorted(owners, np.arange(len(texts) + 1))
        rows = np.array(which, np.int64)
        places, sizes = one_behind_the_other(begins[rows], begins[rows + 1])
        terms, weights = cells % size * len(PARTS) + parts[owners], counts / (2 * lengths[owners])
        return Bags(np.repeat(np.arange(len(which)) // len(PARTS), sizes), terms[places], weights[places])


def one_behind_the_other(begins: Numbers, ends: Numbers) -> tuple[Numbers, Numbers]:
    """The places of some stretches, and how long each stretch is."""
    lengths = ends - begins
    totals = np.cumsum(lengths)
    size = int(totals[-1]) if len(totals) else 0
    return np.arange(size) + np.repeat(begins - totals + lengths, lengths), lengths
