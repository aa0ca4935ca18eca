"""A number for every URL, in the order they were met, in about 30 bytes a page beside the URL itself.

A dictionary of strings would take ten times as much. Here a page is known by 64
bits of its URL; the URLs lie behind each other in one buffer, or are not kept at
all. The bits are salted, so that nobody outside can write URLs that crowd one
place of the table.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import xxhash
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int32]

MOST_PAGES = 2**31 - 1
"""Numbers are 32 bits wide."""
NO_NUMBER = -1
_FEWEST = 1024


class PageNumbers:
    """URLs and their numbers. Beyond `most` pages no new URL gets a number."""

    def __init__(self, *, keep_names: bool = True, most: int = MOST_PAGES, salt: int | None = None) -> None:
        self._keep_names = keep_names
        self._most = min(most, MOST_PAGES)
        self._salt = (hash("salt of the link graph") if salt is None else salt) & (2**64 - 1)
        self._marks = array("Q")
        self._names = bytearray()
        self._ends = array("Q")
        self._make_table(_FEWEST)

    def __len__(self) -> int:
        return len(self._marks)

    @property
    def bytes_used(self) -> int:
        """What all this takes in memory."""
        return sum(part.__sizeof__() for part in (self._marks, self._names, self._ends, self._table))

    def find(self, url: str) -> int | None:
        """The number of a URL, or None where it was never met."""
        mark = xxhash.xxh3_64_intdigest(_encoded((url,))[0], self._salt)
        place = mark & self._mask
        while (number := self._table[place]) != NO_NUMBER and self._marks[number] != mark:
            place = (place + 1) & self._mask
        return None if number == NO_NUMBER else number

    def name(self, number: int) -> str:
        """The URL of a number; '' where URLs are not kept."""
        if not 0 <= number < len(self):
            raise IndexError(f"there is no page {number}; the graph has {len(self)}")
        if not self._keep_names:
            return ""
        begin = self._ends[number - 1] if number else 0
        return self._names[begin : self._ends[number]].decode("utf-8", "surrogatepass")

    def number_all(self, urls: Sequence[str]) -> list[int]:
        """The numbers of URLs, in order, new ones for those never met; NO_NUMBER where there is no room left."""
        digest, salt, none = xxhash.xxh3_64_intdigest, self._salt, NO_NUMBER
        table, marks, mask = self._table, self._marks, self._mask
        found: list[int] = []
        for key in _encoded(urls):
            mark = digest(key, salt)
            place = mark & mask
            while (number := table[place]) != none and marks[number] != mark:
                place = (place + 1) & mask
            if number == none:
                number = self._add(key, mark, place)
                table, mask = self._table, self._mask
            found.append(number)
        return found

    def _add(self, key: bytes, mark: int, place: int) -> int:
        number = len(self._marks)
        if number >= self._most:
            return NO_NUMBER
        self._table[place] = number
        self._marks.append(mark)
        if self._keep_names:
            self._names += key
            self._ends.append(len(self._names))
        if number > self._fullest:
            self._make_table(2 * len(self._table))
        return number

    def _make_table(self, slots: int) -> None:
        """A table of so many slots (a power of two), to be at most two thirds full."""
        marks = np.array(self._marks, np.uint64)
        self._table = array("i", _table_of(marks, slots).tobytes())
        self._mask, self._fullest = slots - 1, slots * 2 // 3


def _encoded(urls: Sequence[str]) -> list[bytes]:
    try:
        return [url.encode() for url in urls]
    except UnicodeEncodeError:
        return [url.encode("utf-8", "surrogatepass") for url in urls]


def _table_of(marks: NDArray[np.uint64], slots: int) -> Numbers:
    """A table that holds all marks, each at the first free place from its own on.

    All marks try at once; those that find their place taken try the next one.
    """
    table = np.full(slots, NO_NUMBER, np.int32)
    waiting = np.arange(len(marks), dtype=np.int32)
    places = (marks & np.uint64(slots - 1)).astype(np.int64)
    while len(waiting):
        free = table[places] == NO_NUMBER
        table[places[free]] = waiting[free]
        homeless = table[places] != waiting
        waiting, places = waiting[homeless], (places[homeless] + 1) & (slots - 1)
    return table
