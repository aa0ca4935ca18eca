"""Where a text names a topic: its words whose stem is one of the topic's terms.

The text is never cut into words: an English stem begins every word it stems (but for the
letters `root_of` drops), so one look for the roots of all terms finds the few words to be stemmed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ahocorasick_rs import AhoCorasick, BytesAhoCorasick, MatchKind

from lycosa.text import stems

MOST_ROOTS = 32
"""With more terms so many words begin with one of their roots that it is cheaper to stem every word."""
_WORD = re.compile(r"[^\W_]+")
_HALVES = re.compile(r"[\ud800-\udfff]")
"""Halves of characters, which are no text; nobody's root holds one."""


def root_of(stem: str) -> str:
    """What all words with this Porter stem begin with: `histori` stems history, `sensibl` sensibility."""
    if stem.endswith("bl"):
        return stem[:-1]
    return stem[:-1] if len(stem) > 2 and stem[-1] in "ei" else stem


class TermRoots:
    """Finds the terms of a topic in English texts."""

    def __init__(self, terms: Iterable[str]) -> None:
        self._terms = frozenset(terms)
        roots = sorted({root_of(term) for term in self._terms} - {""})
        self._finder = AhoCorasick(roots, matchkind=MatchKind.LeftmostLongest)
        self._plain_finder = BytesAhoCorasick([root.encode() for root in roots], matchkind=MatchKind.LeftmostLongest)

    def serve(self, language: str) -> bool:
        """Whether texts of a language are to be looked through for roots."""
        return language in ("", "en") and len(self._terms) <= MOST_ROOTS

    def found(self, lower: str) -> Iterator[tuple[int, str]]:
        """The places of words whose stem is a term, and the terms, in a text in lower case.

        Roots hold nothing but letters and digits, so no match reaches from one word into the next.
        """
        stem, terms = stems("en"), self._terms
        for _, at, _ in self._matches(lower):
            if not (at and lower[at - 1].isalnum()):
                word = _WORD.match(lower, at)
                term = stem(word[0]) if word else ""
                if term in terms:
                    yield at, term

    def _matches(self, lower: str) -> list[tuple[int, int, int]]:
        """Where roots stand. In plain text bytes are characters; elsewhere most of the time goes into telling which."""
        if lower.isascii():
            return self._plain_finder.find_matches_as_indexes(lower.encode())
        try:
            return self._finder.find_matches_as_indexes(lower)
        except UnicodeEncodeError:
            return self._finder.find_matches_as_indexes(_HALVES.sub("?", lower))
