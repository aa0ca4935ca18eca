"""Words that are spelt alike: other spellings of one word, words of one family, compounds, slips of the pen.

Spelling is evidence, not proof: carbide and carbine differ by one letter. So each
kind of likeness has its own weight, and the checker adds what else it knows.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator

from lycosa.records import Record

SAME_WORD, SAME_FAMILY, COMPOUND, ONE_SLIP, ONE_SLIP_IN_SHORT = 0.8, 0.3, 0.8, 0.3, 0.1
TWO_SLIPS = 0.2
"""A short word that is one letter from another is mostly another word: that alone makes no variant."""
SHORTEST, SHORTEST_ROOT, SHORTEST_LONG = 5, 6, 8
LONGEST = 30
"""Longer words are not looked at: what comes as one word of that length is seldom one."""

_SPELLINGS = (
    (re.compile(r"ae|oe"), "e"),
    (re.compile(r"our"), "or"),
    (re.compile(r"([iy])s(?=e|i|a|o|$)"), r"\1z"),
    (re.compile(r"ogue$"), "og"),
    (re.compile(r"([bt])re$"), r"\1er"),
    (re.compile(r"mme?$"), "m"),
    (re.compile(r"ll"), "l"),
    (re.compile(r"enc(?=e|$)"), "ens"),
)
_ENDINGS = re.compile(
    r"(?:iz|ation|ition|ist|ism|ian|ean|an|es|ical|ic|al|ar|ari|"
    r"iti|iv|ous|abl|ant|ent|anc|enc|er|or|eri|hood|ship|like|dom|ifi|ate|at|e|i)$"
)


class Likeness(Record, frozen=True):
    """How much the spelling of two words speaks for them being one, and in which way they are alike."""

    value: float
    why: str


def folded(word: str) -> str:
    """One form for all ways to spell a word: British and American, with and without accents."""
    plain = "".join(char for char in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(char))
    for pattern, instead in _SPELLINGS:
        plain = pattern.sub(instead, plain)
    return plain


def family(stem: str) -> str:
    """What the words of a family begin with: `biolog` for biologist and biology; '' where that is too short."""
    root = _ENDINGS.sub("", stem)
    return root if len(root) >= SHORTEST_ROOT else ""


class Spellings:
    """Known words, findable by what is spelt like them."""

    def __init__(self, known: Iterable[str]) -> None:
        self._folded: dict[str, list[str]] = defaultdict(list)
        self._families: dict[str, list[str]] = defaultdict(list)
        self._shortened: dict[str, list[str]] = defaultdict(list)
        for word in known:
            if not SHORTEST <= len(word) <= LONGEST:
                continue
            self._folded[folded(word)].append(word)
            if root := family(word):
                self._families[root].append(word)
            for shorter in _shortened(word):
                self._shortened[shorter].append(word)

    def like(self, word: str) -> dict[str, Likeness]:
        """The known words that are spelt like this one."""
        found: dict[str, Likeness] = {}
        if not SHORTEST <= len(word) <= LONGEST:
            return found
        for shorter in _shortened(word):
            for other in self._shortened.get(shorter, ()):
                if likeness := slip(word, other):
                    found[other] = likeness
        for other in self._families.get(family(word), ()):
            found[other] = Likeness(SAME_FAMILY, "a word of the same family")
        for other in self._folded.get(folded(word), ()):
            found[other] = Likeness(SAME_WORD, "another spelling of the same word")
        return {other: likeness for other, likeness in found.items() if other != word}


def _shortened(word: str) -> Iterator[str]:
    """The word, and the word without one of its letters: words one slip apart share one of these."""
    yield word
    for place in range(len(word)):
        yield word[:place] + word[place + 1 :]


def slip(word: str, other: str) -> Likeness | None:
    """Whether one or two slips of the pen make a word of another; both begin alike."""
    if word[:1] != other[:1]:
        return None
    apart = slips_between(word, other)
    long = min(len(word), len(other)) >= SHORTEST_LONG
    if apart == 1:
        return Likeness(ONE_SLIP if long else ONE_SLIP_IN_SHORT, "one letter apart")
    if apart == 2 and long:
        return Likeness(TWO_SLIPS, "two letters apart")
    return None


def slips_between(word: str, other: str) -> int:
    """Letters to add, drop, change, or swap with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for place, char in enumerate(word, 1):
        earlier, before, row = before, row, [place]
        for at, wanted in enumerate(other, 1):
            cost = min(before[at] + 1, row[-1] + 1, before[at - 1] + (char != wanted))
            if at > 1 and place > 1 and char == other[at - 2] and word[place - 2] == wanted:
                cost = min(cost, earlier[at - 2] + 1)
            row.append(cost)
    return row[-1]
