"""A decimal classification (T1): numbers with captions, and the words and phrases that speak of each.

`598` lies in `59`, which lies in `5`: what a number begins with is what it belongs to.
The dot of `746.92` is for people; the digits alone count. Words are matched by their
stems, and a phrase wins over shorter ones and over its words. Which class a text is
about is decided in `classifier`; reading and writing files is not done here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lycosa.configuration.settings import ConfigurationError
from lycosa.lexicon import Meanings, Running
from lycosa.records import Record
from lycosa.text import Stems, stems, words

MOST_NEAR = 6
WORDS_REMEMBERED = 200_000
LONGEST_WORD = 60
"""Characters of a word that may be in an index; longer ones are noise and not remembered."""
PAIRS = 1 << 20
SPREAD = 40_503
"""Odd, so that the pairs of one word with others spread over the whole table."""

Span: TypeAlias = tuple[int, int]
"""The first of some running words, and the one behind the last."""
NO_ANCHOR: Span = (0, 0)


class ClassLine(Record, frozen=True):
    """A class as somebody wrote it down: the digits of its number, a caption for people, words and phrases."""

    number: str
    caption: str
    phrases: tuple[str, ...] = ()
    place: str = ""

    @property
    def written(self) -> str:
        """The number as people write it."""
        return written(self.number)


class Point(Record, frozen=True):
    """One class that one occurrence of a word or phrase speaks for; an anchor's words weigh more."""

    number: str
    word: str = ""
    anchor: bool = False


def digits_of(number: str) -> str:
    """The digits of a class number, which are all that counts."""
    return number.strip().replace(".", "")


def written(number: str) -> str:
    """A number with a dot behind its third digit, as people write it."""
    digits = digits_of(number)
    return f"{digits[:3]}.{digits[3:]}" if len(digits) > 3 else digits


class Entry:
    """Words that the index knows, or that its phrases begin with: their classes, and how they may go on."""

    __slots__ = ("longer", "number", "numbers", "size")

    def __init__(self, size: int, number: int) -> None:
        self.size, self.number = size, number
        self.numbers: tuple[str, ...] = ()
        self.longer: dict[int, Entry] = {}


Match: TypeAlias = tuple[int, Entry]
"""An entry, and at which of some running words it begins."""
Numbers: TypeAlias = npt.NDArray[np.int64]
Found: TypeAlias = tuple[Numbers, Numbers]
"""Where entries begin among running words, and their numbers."""


class _Stems(dict[str, int]):
    """Words of running text, and the numbers of their stems, 0 for one that the index has not; remembered."""

    def __init__(self, known: Mapping[str, int], stem: Stems) -> None:
        super().__init__()
        self._known, self._stem = known, stem

    def __missing__(self, word: str) -> int:
        if len(word) > LONGEST_WORD:
            return 0
        if len(self) >= WORDS_REMEMBERED:
            self.clear()
        number = self[word] = self._known.get(self._stem(word), 0)
        return number


class _Phrases:
    """The words and phrases of an index, found in running words by whole arrays at once.

    Nearly every word begins some phrase, so words are looked at in pairs: a table of
    bits rules out nearly all pairs that begin none, and only the others are followed.
    """

    def __init__(self, index: Mapping[tuple[str, ...], Sequence[str]], stem: Stems) -> None:
        known = {each: number for number, each in enumerate(sorted({each for phrase in index for each in phrase}), 1)}
        self._stems = _Stems(known, stem)
        self._meanings = Meanings(self._stems.__getitem__)
        self._reach = max(map(len, index), default=0)
        self.entries = [Entry(1, number) for number in range(len(known) + 1)]
        """First those of single words, by the number of their stem, then those of phrases."""
        self._pairs = np.zeros(PAIRS, np.bool_)
        for phrase, numbers in index.items():
            first, *others = (known[each] for each in phrase)
            entry = self.entries[first]
            for other in others:
                entry = entry.longer.get(other) or self._longer(entry, other)
            entry.numbers = tuple(sorted(numbers))
            if others:
                self._pairs[(first * SPREAD + others[0]) % PAIRS] = True
        self._alone = np.array([bool(entry.numbers) for entry in self.entries[: len(known) + 1]], np.bool_)

    def _longer(self, entry: Entry, other: int) -> Entry:
        longer = entry.longer[other] = Entry(entry.size + 1, len(self.entries))
        self.entries.append(longer)
        return longer

    def find(self, told: Sequence[str] | Running) -> Found:
        """All matches, phrases last: at each place the longest, and none inside another."""
        if isinstance(told, Running):
            stems = self._meanings.of(told)
        else:
            stems = np.fromiter(map(self._stems.__getitem__, told), np.int64, len(told))
        line: list[int] = stems.tolist()
        phrases: list[Entry] = []
        begins: list[int] = []
        free, begun = 0, self.entries
        for at in self._pairs[(stems[:-1] * SPREAD + stems[1:]) & (PAIRS - 1)].nonzero()[0].tolist():
            if at < free or line[at + 1] not in begun[line[at]].longer:
                continue
            phrase = self._longest(line[at : at + self._reach])
            if phrase is not None:
                phrases.append(phrase)
                begins.append(at)
                free = at + phrase.size
                stems[at:free] = 0
        alone = self._alone[stems].nonzero()[0]
        if not phrases:
            return alone, stems[alone]
        numbers = np.array([phrase.number for phrase in phrases], np.int64)
        return np.concatenate((alone, np.array(begins, np.int64))), np.concatenate((stems[alone], numbers))

    def _longest(self, stems: list[int]) -> Entry | None:
        """The longest phrase that stems begin with; None where it is no more than a word."""
        longest, entry = None, self.entries[stems[0]]
        for stem in stems[1:]:
            if stem not in entry.longer:
                break
            entry = entry.longer[stem]
            longest = entry if entry.numbers else longest
        return longest


class Scheme:
    """All classes, and the index from words and phrases to their numbers."""

    def __init__(self, lines: Iterable[ClassLine], language: str = "en") -> None:
        self.language = language
        self._stem = stems(language)
        self._classes: dict[str, ClassLine] = {}
        self._index: dict[tuple[str, ...], list[str]] = {}
        for line in lines:
            self._enter(line)
        self._phrases = _Phrases(self._index, self._stem)

    def _enter(self, line: ClassLine) -> None:
        first = self._classes.setdefault(line.number, line)
        if first is not line:
            raise ConfigurationError(
                f"class {line.written} is there twice, at {first.place or 'one line'} and at "
                f"{line.place or 'another'}; join the two lines into one"
            )
        for phrase in line.phrases:
            numbers = self._index.setdefault(tuple(map(self._stem, words(phrase))), [])
            if line.number not in numbers:
                numbers.append(line.number)

    # -- classes --------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._classes)

    def __iter__(self) -> Iterator[ClassLine]:
        return iter(self._classes.values())

    def __contains__(self, number: object) -> bool:
        return isinstance(number, str) and digits_of(number) in self._classes

    @cached_property
    def phrases(self) -> int:
        """How many words and phrases the index knows."""
        return len(self._index)

    def find(self, number: str) -> ClassLine:
        """The class of a number, with or without its dot; an unknown one is refused with those near it."""
        digits = digits_of(number)
        if digits in self._classes:
            return self._classes[digits]
        if not (digits.isascii() and digits.isdigit()):
            raise ConfigurationError(f"{number!r} is no class number; write its digits, such as 598 or 746.92")
        near = self._near(digits)
        verb = "is" if len(near) == 1 else "are"
        hint = f"near it {verb} {', '.join(near)}" if near else "the classification has nothing near it"
        raise ConfigurationError(f"there is no class {written(number)}; {hint}")

    def _near(self, digits: str) -> list[str]:
        """The classes around an unknown one, with captions: the one that holds it, those that begin like it, others."""
        above = self._holding(digits)
        begun = [digits[:size] for size in range(len(digits), len(above), -1)]
        alike = dict.fromkeys(each for start in begun for each in sorted(self._classes) if each.startswith(start))
        beside = [each for each in self._classes if each.startswith(above) and len(each) == len(above) + 1]
        wanted = digits[len(above) : len(above) + 1]
        beside.sort(key=lambda each: (abs(int(each[-1]) - int(wanted)), each))
        return [self.named(each) for each in [*[above] * bool(above), *alike, *beside][:MOST_NEAR]]

    def _holding(self, digits: str) -> str:
        """The longest known number that one begins with, or ''."""
        while digits and digits not in self._classes:
            digits = digits[:-1]
        return digits

    def caption(self, number: str) -> str:
        """What a class is about; for an unknown number, what the nearest one above it is about, else ''."""
        known = self._classes.get(self._holding(digits_of(number)))
        return known.caption if known else ""

    def named(self, number: str) -> str:
        """A number and its caption: `598 Birds`."""
        return f"{written(number)} {self.caption(number)}".rstrip()

    def path(self, number: str) -> str:
        """A class under those it lies in: `5 Science > 59 Animals > 598 Birds`."""
        digits = digits_of(number)
        above = [digits[:size] for size in range(1, len(digits)) if digits[:size] in self._classes]
        return " > ".join(map(self.named, [*above, digits]))

    # -- words ----------------------------------------------------------------------------------

    def numbers(self, phrase: str) -> tuple[str, ...]:
        """The classes that the index has for a word or phrase."""
        return tuple(sorted(self._index.get(tuple(map(self._stem, words(phrase))), ())))

    def matches(self, told: Sequence[str]) -> list[Match]:
        """The entries in running words: at each place the longest, and none inside another. They come in any order."""
        begins, numbers = self._phrases.find(told)
        entries = self._phrases.entries
        return [(at, entries[number]) for at, number in zip(begins.tolist(), numbers.tolist(), strict=True)]

    def found(self, told: Sequence[str] | Running) -> Found:
        """As `matches`, in arrays: where entries begin, and their numbers among `entries`."""
        return self._phrases.find(told)

    @property
    def entries(self) -> Sequence[Entry]:
        """Every entry by its number; those without classes are only the beginnings of others."""
        return self._phrases.entries

    def points(self, told: Sequence[str], anchor: Span = NO_ANCHOR) -> list[Point]:
        """A point for every class of every entry; one that touches the anchor counts as anchor."""
        begin, stop = anchor
        return [
            Point(number, " ".join(told[at : at + entry.size]), at < stop and at + entry.size > begin)
            for at, entry in sorted(self.matches(told), key=itemgetter(0))
            for number in entry.numbers
        ]

    def share_known(self, text: str) -> float:
        """The share of a text's words that the index knows, alone or within a phrase."""
        told = words(text)
        return sum(entry.size for _, entry in self.matches(told)) / max(1, len(told))
