"""What can be told of a link before its page is fetched, as places of hashed words.

The words of the URL, of the anchor (image texts among them) and of the text around
it are different features, each in its own field, so the word `music` in a path and
in an anchor may mean different things.
"""

from __future__ import annotations

import numpy as np
import xxhash

from lycosa.records import Link
from lycosa.scoring.naive_bayes import Places
from lycosa.text import terms, words
from lycosa.urls import path_of, site_of

PLACES = 1 << 17
MOST_OF_URL = 12
MOST_OF_ANCHOR = 12
MOST_AROUND = 24
WORDS_REMEMBERED = 200_000
PARAGRAPHS_REMEMBERED = 1_000
LONGEST_WORD = 40


class LinkFeatures:
    """Turns links into places, with the places of words remembered."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._around: dict[str, list[int]] = {}

    def of(self, link: Link) -> Places:
        """The places of a link's words, each once."""
        url = words(path_of(link.url))[:MOST_OF_URL]
        found = [self._place("u" + word) for word in url if len(word) > 1]
        found.append(self._place("s" + site_of(link.url)))
        found += [self._place("a" + term) for term in terms(link.anchor)[:MOST_OF_ANCHOR]]
        found += self._places_around(link.boundary, link.anchor)
        return np.array(sorted(set(found)), np.int32)

    def _places_around(self, boundary: str, anchor: str) -> list[int]:
        """The words nearest to the anchor; those of a short paragraph are the same for all its links."""
        known = self._around.get(boundary)
        if known is None:
            known = [self._place("b" + term) for term in terms(boundary)]
            if len(self._around) >= PARAGRAPHS_REMEMBERED:
                self._around.clear()
            self._around[boundary] = known
        if len(known) <= MOST_AROUND:
            return known
        share = max(0, boundary.find(anchor)) / len(boundary)
        begin = max(0, min(round(share * len(known)) - MOST_AROUND // 2, len(known) - MOST_AROUND))
        return known[begin : begin + MOST_AROUND]

    def _place(self, word: str) -> int:
        found = self._places.get(word)
        if found is None:
            if len(self._places) >= WORDS_REMEMBERED:
                self._places.clear()
            found = xxhash.xxh32_intdigest(word[:LONGEST_WORD].encode()) % PLACES
            self._places[word] = found
        return found
