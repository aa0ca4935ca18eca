"""Texts that say themselves that two words mean the same: `X, also called Y`, `X (Y)`, `X, or Y,`."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator

LONGEST_TEXT = 200_000
MOST_PAIRS = 100_000
HINTED = 0.3
"""How clearly brackets and a lone `or` equate words: they often name a part or a kind."""
_NEAR = 60
_WORD = r"[^\W\d_]{3,40}"
_SAYING = re.compile(
    r"\b(?:(?:also|sometimes|often|formerly|commonly|otherwise|better) (?:called|known as|termed|named|written|spelled|"
    r"spelt|referred to as)|a\.k\.a\.|aka|synonymous with|a synonym (?:of|for)|another (?:word|name|term) for)\s",
    re.IGNORECASE,
)
_BEFORE = re.compile(rf"({_WORD})(?:,|\s\(|,?\s(?:is|are|was|were|which is|which are|that is))?\s*\Z")
_AFTER = re.compile(
    rf"(?:(?:the|an?)\s+)?[\"'“‘]?({_WORD})[\"'”’]?(?=[\s]*[,.;:)]|\s+(?:is|are|was|were|and|in)\b|\s*\Z)"
)
_OR = re.compile(rf", or (?:an? |the )?({_WORD}),")
_IN_BRACKETS = re.compile(rf" \(({_WORD})\)")
_LAST_WORD = re.compile(rf"(?<![^\W\d_])({_WORD})\Z")


def said_to_be_the_same(text: str) -> dict[tuple[str, str], float]:
    """Pairs of words (in lower case, in the order of the alphabet) that a text equates, and how clearly (0 to 1)."""
    found: dict[tuple[str, str], float] = {}
    for one, other, clearly in _sayings(text[:LONGEST_TEXT]):
        if not (one.isupper() or other.isupper()) and one.lower() != other.lower():
            first, second = sorted((one.lower(), other.lower()))
            found[first, second] = max(clearly, found.get((first, second), 0.0))
    return found


def _sayings(text: str) -> Iterator[tuple[str, str, float]]:
    for pattern in (_OR, _IN_BRACKETS):
        for match in pattern.finditer(text):
            if last := _LAST_WORD.search(text, max(0, match.start() - _NEAR), match.start()):
                yield last[1], match[1], HINTED
    for match in _SAYING.finditer(text):
        before = _BEFORE.search(text, max(0, match.start() - _NEAR), match.start())
        after = _AFTER.match(text, match.end(), match.end() + _NEAR)
        if before and after:
            yield before[1], after[1], 1.0


class Definitions:
    """What all texts together say, each text once; the pairs are kept within bounds."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[str, str], float] = {}

    def read(self, text: str) -> None:
        """Take in a text."""
        for pair, clearly in said_to_be_the_same(text).items():
            self.pairs[pair] = self.pairs.get(pair, 0.0) + clearly
        if len(self.pairs) > MOST_PAIRS:
            self.pairs = dict(heapq.nlargest(MOST_PAIRS // 2, self.pairs.items(), key=lambda each: each[1]))
