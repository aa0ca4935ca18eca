"""The words of the loopback web: an invented language with English's most frequent words and English's proportions."""

from __future__ import annotations

import random
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

COMMON_TEXT = (
    "the of and to a in is that for it as was with be by on not he his but at are this have from which or had they you "
    "were her all she there would their we him been has when who will more no if out so said what up its about into "
    "than them can only other new some could time these two may then do first any my now such like our over man me "
    "even most made after also did many before must through back years where much your way well down should because"
)
FREQUENT = COMMON_TEXT.split()
ONSETS = ("b", "br", "c", "ch", "d", "f", "g", "gr", "h", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr", "v", "w")
VOWELS = ("a", "e", "i", "o", "u", "ea", "ou", "io")
CODAS = ("", "", "", "n", "r", "s", "l", "t", "nd", "st", "m", "ck")
ENDINGS = ("", "", "", "", "ing", "ed", "s", "er", "tion", "ly", "al", "ment")
TABLE_SIZE = 1 << 18
SENTENCE_WORDS = (6, 24)
PARAGRAPH_SENTENCES = 5


def vocabulary(size: int, seed: int) -> list[str]:
    """Distinct words, the most frequent first."""
    rng = random.Random(seed)
    words = dict.fromkeys(FREQUENT[:size])
    while len(words) < size:
        syllables = "".join(_syllable(rng) for _ in range(rng.choice((1, 2, 2, 3))))
        words.setdefault(syllables + rng.choice(ENDINGS))
    return list(words)


def _syllable(rng: random.Random) -> str:
    return rng.choice(ONSETS) + rng.choice(VOWELS) + rng.choice(CODAS)


class Prose:
    """An endless text whose words follow Zipf's law."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        ranks = np.arange(1, len(words) + 1)
        shares = np.cumsum(1.0 / ranks)
        marks = (np.arange(TABLE_SIZE) + 0.5) / TABLE_SIZE * shares[-1]
        self._table: NDArray[np.int64] = np.searchsorted(shares, marks)

    def draw(self, count: int, rng: np.random.Generator) -> list[str]:
        """So many words in a row."""
        picks = self._table[rng.integers(0, TABLE_SIZE, count)].tolist()
        return [self.words[pick] for pick in picks]

    def rare(self, count: int, rng: np.random.Generator) -> list[str]:
        """Words that carry meaning: none of the frequent ones."""
        picks = rng.integers(min(len(FREQUENT), len(self.words) - 1), len(self.words), count).tolist()
        return [self.words[pick] for pick in picks]

    def paragraphs(self, count: int, rng: np.random.Generator) -> list[list[str]]:
        """So many words as sentences, a few sentences a paragraph."""
        words = self.draw(count, rng)
        lengths = rng.integers(*SENTENCE_WORDS, count // SENTENCE_WORDS[0] + 1)
        ends = [0, *(end for end in np.cumsum(lengths).tolist() if end < count), count]
        sentences = iter([_sentence(words[start:end]) for start, end in pairwise(ends)])
        paragraphs = []
        while paragraph := list(islice(sentences, PARAGRAPH_SENTENCES)):
            paragraphs.append(paragraph)
        return paragraphs


def _sentence(words: list[str]) -> str:
    text = " ".join(words)
    return text[:1].upper() + text[1:] + "."
