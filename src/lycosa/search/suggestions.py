"""What somebody may have meant: words and titles that go on from what was typed, and other spellings.

All comes from the index itself: its words as they are written, with how many pages have
them, and what its pages are called. Queries of others come in only where the caller hands
them in. The list of words is bounded, so time and memory are, whatever was crawled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from lycosa.search.query import filter_in, parts_of, understand, with_words
from lycosa.text import stop_words, words

MOST_WORDS = 100_000
LONGEST_WORD = 24
MOST_SUGGESTED = 8
LONGEST_TYPED = 120
FEWEST_LETTERS = 3
"""Shorter beginnings fit too many titles, and shorter words too many others."""
MOST_IN_CONTEXT = 2_000
"""Of more words that begin alike, the most frequent are suggested whatever stands beside them."""
MOST_COMPARED = 1_000
FARTHEST = 2
MOST_LOOKED_UP = 2
"""So many words of a query are looked up in other spellings."""
FEW_RESULTS = 5
MUCH_MORE = 10
"""A word that some pages have is called wrong only where so many times more pages have the other."""

Codes = npt.NDArray[np.uint32]
Counts = npt.NDArray[np.int64]
_SET_BITS = np.array([number.bit_count() for number in range(1 << 16)], np.uint8)


class Source(Protocol):
    """An index as this module needs it."""

    def completions(self, prefix: str, beside: Sequence[str], most: int) -> list[tuple[str, int]]:
        """Words that begin so, on pages that have one of those beside them."""

    def names(self, prefix: str, most: int) -> list[tuple[str, int]]:
        """What pages are called that begin so."""

    def pages_with(self, word: str) -> int:
        """How many pages have a word in some form."""


class WordList:
    """Words with how many pages have them; some 120 bytes a word."""

    def __init__(self, counted: Iterable[tuple[str, int]] = ()) -> None:
        known = sorted({word: count for word, count in counted if 0 < len(word) <= LONGEST_WORD}.items())[:MOST_WORDS]
        self._words = np.array([word for word, _ in known], f"<U{LONGEST_WORD}")
        self._counts: Counts = np.array([count for _, count in known], np.int64)
        self._codes: Codes = self._words.view(np.uint32).reshape(len(known), LONGEST_WORD)
        self._lengths = np.count_nonzero(self._codes, axis=1)
        self._letters = _letters(self._codes)

    def __len__(self) -> int:
        return len(self._words)

    def _range(self, prefix: str) -> tuple[int, int]:
        first, last = np.searchsorted(self._words, np.array([prefix, prefix + "\U0010ffff"]))
        return int(first), int(last)

    def number(self, prefix: str) -> int:
        """How many words begin so."""
        first, last = self._range(prefix)
        return last - first

    def beginning(self, prefix: str, most: int) -> list[str]:
        """The most frequent words that begin so."""
        first, last = self._range(prefix)
        best = np.argsort(-self._counts[first:last], kind="stable")[:most] + first
        return [str(self._words[place]) for place in best]

    def nearest(self, word: str, more_than: int = 0) -> str:
        """The word that one was probably meant to be, of those that more pages have; '' if there is none.

        A letter may be missing, too many, another, or two be exchanged; twice in a word of five letters or more.
        """
        if not FEWEST_LETTERS <= len(word) <= LONGEST_WORD or any(letter.isdigit() for letter in word):
            return ""
        farthest = 1 if len(word) < 5 else FARTHEST
        places = self._alike(word, farthest, more_than)
        if not len(places):
            return ""
        away = distances(word, self._codes[places], self._lengths[places])
        same_beginning = self._codes[places, 0] == ord(word[0])
        worth = np.log1p(self._counts[places]) - 3.0 * away + 1.5 * same_beginning
        worth[(away > farthest) | (away == 0)] = -np.inf
        best = int(np.argmax(worth))
        return str(self._words[places[best]]) if np.isfinite(worth[best]) else ""

    def _alike(self, word: str, farthest: int, more_than: int) -> Counts:
        """The places of frequent words of about this length that have about the same letters."""
        near = (np.abs(self._lengths - len(word)) <= farthest) & (self._counts > more_than)
        own = _letters(np.array([[ord(letter) for letter in word]], np.uint32))[0]
        differing = self._letters ^ own
        bits = _SET_BITS[differing & 0xFFFF] + _SET_BITS[differing >> 16]
        places = np.flatnonzero(near & (bits <= 2 * farthest))
        if len(places) > MOST_COMPARED:
            places = places[np.argsort(-self._counts[places], kind="stable")[:MOST_COMPARED]]
        return places


def _letters(codes: Codes) -> Codes:
    """Which letters each word has, as bits; one step of spelling changes two of them at most."""
    bits = np.where(codes > 0, np.uint32(1) << (codes & np.uint32(31)), np.uint32(0)).astype(np.uint32)
    return np.bitwise_or.reduce(bits, axis=1) if len(codes) else np.zeros(0, np.uint32)


def distances(word: str, codes: Codes, lengths: Counts) -> Counts:
    """The steps from a word to each other one: a letter more, less or another, or two neighbours exchanged.

    Beyond `FARTHEST` steps they are not counted exactly.
    """
    letters, columns = [ord(letter) for letter in word], int(lengths.max(initial=0))
    number = len(codes)
    before = np.zeros((columns + 1, number), np.int16)
    last = np.repeat(np.arange(columns + 1, dtype=np.int16)[:, None], number, axis=1)
    for row, letter in enumerate(letters, 1):
        now = np.full_like(last, len(word) + columns)
        now[0] = row
        for column in range(max(1, row - FARTHEST), min(columns, row + FARTHEST) + 1):
            here = codes[:, column - 1]
            now[column] = np.minimum(np.minimum(last[column], now[column - 1]) + 1, last[column - 1] + (here != letter))
            if row > 1 and column > 1:
                exchanged = (here == letters[row - 2]) & (codes[:, column - 2] == letter)
                now[column] = np.where(exchanged, np.minimum(now[column], before[column - 2] + 1), now[column])
        before, last = last, now
    found: Counts = last[lengths, np.arange(number)].astype(np.int64)
    return found


def completed(typed: str, source: Source, known: WordList, queries: Sequence[str] = ()) -> list[str]:
    """What somebody may be going to type: what others asked, words of the index, titles; the likeliest first.

    `queries` are those of others that may be told, the most frequent first.
    """
    typed = " ".join(typed[:LONGEST_TYPED].split()) + (" " if typed[-1:].isspace() else "")
    plain = " ".join(words(typed))
    parts = parts_of(typed)
    if not plain or typed.count('"') % 2 or filter_in(parts[-1])[0] or any(mark in parts[-1] for mark in '-":'):
        return []
    found = [query for query in queries if query.startswith(plain) and query != plain][:3]
    if not typed.endswith(" "):
        found += _next_words(typed, source, known)
    if len(plain) >= FEWEST_LETTERS and not any(filter_in(part)[0] for part in parts):
        found += [name for name, _ in source.names(plain, 4)]
    return [each for each in dict.fromkeys(found) if each.lower() != typed.lower()][:MOST_SUGGESTED]


def _next_words(typed: str, source: Source, known: WordList) -> list[str]:
    """What was typed with its last word at full length."""
    before, _, last = typed.rpartition(" ")
    prefix = last.lower()
    if words(prefix) != [prefix]:
        return []
    beside = understand(before).words
    if beside and known.number(prefix) <= MOST_IN_CONTEXT:
        found = [word for word, _ in source.completions(prefix, beside, 8)]
    else:
        found = known.beginning(prefix, 8)
    ordinary = stop_words()["en"]
    told = [word for word in found if len(word) > 1 and word not in ordinary and word not in beside]
    return [f"{before} {word}".strip() for word in told[:5]]


def corrected(typed: str, total: int, source: Source, known: WordList) -> str:
    """The query as it was probably meant, where it found `total` pages; '' where nothing seems wrong."""
    wanted = understand(typed)
    told = dict.fromkeys([*wanted.words, *(word for phrase in wanted.phrases for word in phrase.split())])
    pages = {word: source.pages_with(word) for word in told}
    doubtful = [word for word in told if not pages[word] or total < FEW_RESULTS]
    doubtful.sort(key=lambda word: pages[word])
    better = {word: known.nearest(word, MUCH_MORE * pages[word]) or word for word in doubtful[:MOST_LOOKED_UP]}
    if all(word == meant for word, meant in better.items()):
        return ""
    return with_words(typed, lambda word: better.get(word, word))
