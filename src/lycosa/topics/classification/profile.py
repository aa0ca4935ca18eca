"""A text as a profile over knowledge classes, and how close it is to a topic's.

Where the galaxy (T3) names one class, a profile keeps them all: every known word or
phrase counts for its classes and for those above them, rare classes more than common
ones. Two texts that share no word are close when their words belong to the same
classes: so a few examples speak for a whole field, and a text with a word or two for
another field is not shut out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lycosa.lexicon import Running
from lycosa.records import Page
from lycosa.text import words
from lycosa.topics.classification.class_arrays import ClassLists
from lycosa.topics.classification.class_words import page_entries
from lycosa.topics.classification.scheme import Numbers, Scheme, digits_of
from lycosa.topics.classification.scheme_file import SchemeFiles, scheme_in
from lycosa.topics.taxonomy_file import shipped

DIGITS = 3
LONGEST_TEXT = 50_000
"""Characters of a text that are looked at."""
REMEMBERED = 2_000
Profile: TypeAlias = npt.NDArray[np.float32]
"""A weight for each class of one to three digits, at length 1; all 0 where no word of a text is known."""


class Profiles:
    """Makes profiles of texts, all by one scheme, and remembers those of the latest pages."""

    def __init__(self, scheme: Scheme, background: Iterable[str] = ()) -> None:
        self._scheme = scheme
        held = [entry.numbers for entry in scheme.entries]
        listed = {numbers: _with_those_above(numbers) for numbers in dict.fromkeys(held)}
        self._lists = ClassLists([listed[numbers] for numbers in held])
        self.classes = self._lists.classes
        shares = 1.0 / np.maximum(1, np.array([len(numbers) for numbers in held]))
        self._shares = np.repeat(shares, self._lists.lengths)
        self._rarities = self._counted_rarities(background)
        self._pages: dict[tuple[bytes | str, str], Profile] = {}

    def _counted_rarities(self, background: Iterable[str]) -> npt.NDArray[np.float64]:
        """How rare each class is among some texts."""
        holding, documents = np.zeros(len(self.classes)), 0
        for text in background:
            documents += 1
            holding += self._counted(text) > 0
        return np.log1p((documents - holding + 0.5) / (holding + 0.5))

    def of_text(self, text: str) -> Profile:
        """The profile of a text."""
        return _at_length_1(np.log1p(self._counted(text)) * self._rarities)

    def of_page(self, page: Page) -> Profile:
        """The profile of a page's title, headings and main text."""
        key = page.digest or page.text, page.title
        found = self._pages.get(key)
        if found is None:
            if len(self._pages) >= REMEMBERED:
                self._pages.clear()
            entries, _ = page_entries(self._scheme).of(page)
            found = self._pages[key] = _at_length_1(np.log1p(self._sums(entries)) * self._rarities)
        return found

    def of_topic(self, texts: Sequence[str], classes: Iterable[str] = ()) -> Profile:
        """The middle of some texts and, with the same say, the classes that a person named."""
        middle, named = np.zeros(len(self.classes)), np.zeros(len(self.classes))
        for text in texts:
            middle += self.of_text(text)
        for number in _with_those_above(map(digits_of, classes)):
            place = self._lists.places.get(number)
            if place is not None:
                named[place] = self._rarities[place]
        return _at_length_1((_at_length_1(middle) + _at_length_1(named)).astype(np.float64))

    def closeness_of(self, told: Running, topic: Profile) -> npt.NDArray[np.float64]:
        """How close each of many short texts is to a topic, worked out for all of them at once."""
        begins, entries = self._scheme.found(told)
        places, numbers = self._lists.of(entries)
        size, texts = len(self.classes), told.texts
        every = np.repeat(told.owners[begins], numbers) * size + self._lists.listed[places]
        cells, which = np.unique(every, return_inverse=True)
        owners, classes = cells // size, cells % size
        weights = np.log1p(np.bincount(which, self._shares[places], len(cells))) * self._rarities[classes]
        lengths = np.sqrt(np.bincount(owners, weights * weights, texts))
        sums = np.bincount(owners, weights * topic[classes], texts)
        return np.minimum(1.0, sums / np.maximum(lengths, 1e-12))

    def _counted(self, text: str) -> npt.NDArray[np.float64]:
        """How often each class and each one above it is spoken of; a word of several classes is parted among them."""
        _, entries = self._scheme.found(words(text[:LONGEST_TEXT]))
        return self._sums(entries)

    def _sums(self, entries: Numbers) -> npt.NDArray[np.float64]:
        places, _ = self._lists.of(entries)
        sums = np.bincount(self._lists.listed[places], self._shares[places], len(self.classes))
        return sums.astype(np.float64, copy=False)

    def shared(self, one: Profile, other: Profile, most: int = 3) -> list[str]:
        """The classes that say most for two profiles being close."""
        shares = one * other
        return [self.classes[place] for place in np.argsort(-shares)[:most].tolist() if shares[place] > 0]


def closeness(one: Profile, other: Profile) -> float:
    """The cosine of two profiles, between 0 and 1."""
    return min(1.0, float(one @ other))


def _with_those_above(numbers: Iterable[str]) -> list[str]:
    """Each class and those it lies in, as far as digits count."""
    return [number[:size] for number in numbers for size in range(1, min(DIGITS, len(number)) + 1)]


def _at_length_1(weights: npt.NDArray[np.float64]) -> Profile:
    length = float(np.sqrt(weights @ weights))
    return (weights / length if length else weights).astype(np.float32)


@lru_cache(maxsize=4)
def profiles(files: SchemeFiles = ()) -> Profiles:
    """One maker for all who use a scheme; the shipped topics' texts tell which classes are rare."""
    return Profiles(scheme_in(files), (text for node in shipped() for text in node.texts))
