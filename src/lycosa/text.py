"""Words: one tokenizer, one stop list and one stemmer per language, used by every scorer and by search.

A word is a run of letters and digits, in lower case. Plain ASCII text takes a
native path, and so does the plain part of any other text; all paths give the same
words for the same text.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

import numpy as np
import Stemmer

_WORD = re.compile(r"[^\W_]+")
_SPACED = bytes(code if code > 127 or chr(code).isalnum() else 32 for code in range(256))
END = "\0"
"""Stands behind a text among running words, so that no phrase reaches over."""
_SPACED_BUT_ENDS = bytes((0, *_SPACED[1:]))
_WHITE = b" \t\n\r\x0b\x0c"
_LOWER = bytes.maketrans(string.ascii_uppercase.encode(), string.ascii_lowercase.encode())

SNOWBALL = {
    "ar": "arabic", "da": "danish", "de": "german", "en": "porter", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
"""Languages with a stemmer; words of all others stay as they are."""

MEMO_SIZE = 200_000
SAMPLE_WORDS = 400
FEW_ODD = 64
"""So many words with letters beyond ASCII are put right one by one."""
FEWEST_WORDS = 12


def plain_letters(text: str) -> bytes:
    """A text in lower case without its white space, since markup inside a sentence decides where some of it appears."""
    letters = text if text.isascii() else text.lower()
    return letters.encode("utf-8", "replace").translate(_LOWER, _WHITE)


def plain_lower(text: str) -> str:
    """A text in lower case."""
    return text.lower()


def plain_occurrences(data: bytes, byte: bytes) -> int:
    """How often a byte occurs; `count` would take several times as long."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord(byte)))


try:
    from lycosa.compiled_text import letters_of as letters_of
    from lycosa.compiled_text import lower_of as lower_of
    from lycosa.compiled_text import occurrences as occurrences
except ImportError:
    letters_of, lower_of, occurrences = plain_letters, plain_lower, plain_occurrences


def words(text: str) -> list[str]:
    """The words of a text, in lower case, in order."""
    lower = text.lower()
    if lower.isascii():
        return lower.encode().translate(_SPACED).decode().split()
    parts = lower.encode("utf-8", "surrogatepass").translate(_SPACED).decode("utf-8", "surrogatepass").split()
    odd = [place for place, plain in enumerate(map(str.isascii, parts)) if not plain]
    if len(odd) > FEW_ODD:
        return [word for part in parts for word in ((part,) if part.isascii() else _WORD.findall(part))]
    for place in reversed(odd):
        parts[place : place + 1] = _WORD.findall(parts[place])
    return parts


def words_of_all(texts: Sequence[str]) -> list[str]:
    """The words of several texts, and END behind those of each."""
    every = f" {END} ".join((*texts, ""))
    if every.isascii() and every.count(END) == len(texts):
        return every.lower().encode().translate(_SPACED_BUT_ENDS).decode().split()
    found: list[str] = []
    for text in texts:
        found += words(text)
        found.append(END)
    return found


class Stems:
    """Stems of one language, remembered: a page's words are mostly words seen before."""

    def __init__(self, language: str) -> None:
        algorithm = SNOWBALL.get(language)
        self._stemmer = Stemmer.Stemmer(algorithm, 0) if algorithm else None
        self._memo: dict[str, str] = {}

    def __call__(self, word: str) -> str:
        if self._stemmer is None:
            return word
        stem = self._memo.get(word)
        if stem is None:
            if len(self._memo) >= MEMO_SIZE:
                self._memo.clear()
            stem = self._memo[word] = self._stemmer.stemWord(word)
        return stem

    def counts(self, counted: Mapping[str, int]) -> dict[str, int]:
        """Counts of words turned into counts of stems."""
        found: dict[str, int] = {}
        for word, number in counted.items():
            stem = self(word)
            found[stem] = found.get(stem, 0) + number
        return found


@lru_cache(maxsize=32)
def stems(language: str = "en") -> Stems:
    """The stemmer of a language."""
    return Stems(language)


@lru_cache(maxsize=1)
def stop_words() -> dict[str, frozenset[str]]:
    """The stop words of each language we know."""
    found: dict[str, frozenset[str]] = {}
    for line in files("lycosa").joinpath("data/stop_words.txt").read_text("utf-8").splitlines():
        language, _, listed = line.partition(":")
        if listed:
            found[language.strip()] = frozenset(listed.split())
    return found


def terms(text: str, language: str = "en") -> list[str]:
    """The stems of a text without its stop words, in order."""
    stop, stem = stop_words().get(language, frozenset()), stems(language)
    return [stem(word) for word in words(text) if word not in stop]


def term_counts(text: str, language: str = "en") -> dict[str, int]:
    """How often each term occurs in a text."""
    stop = stop_words().get(language, frozenset())
    counted = Counter(words(text))
    return stems(language).counts({word: number for word, number in counted.items() if word not in stop})


def language_of(sample: Iterable[str], declared: str = "") -> str:
    """The language of some words: the one whose stop words are most of them, else the declared one, else ''.

    A page's declaration loses against clear evidence, since templates are often copied with their `lang`.
    """
    seen = Counter(list(sample)[:SAMPLE_WORDS])
    total = sum(seen.values())
    hits = {language: sum(seen[word] for word in seen.keys() & listed) for language, listed in stop_words().items()}
    best = max(hits, key=lambda language: (hits[language], language == declared), default="")
    if total >= FEWEST_WORDS and hits.get(best, 0) >= 0.12 * total and hits[best] > hits.get(declared, 0):
        return best
    return declared
