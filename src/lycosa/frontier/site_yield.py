"""What a site and its patterns have brought so far: how many pages, how many of them with new text.

A page's text is new if its words are not nearly those of another page that the site sent lately. The order of words
does not matter, nor do numbers among more words: neither a text that is shuffled nor one with the time of day is new.
In scripts without spaces pairs of characters stand for words. One page of eight is looked at and stands for eight;
which one is drawn by chance, so that a site cannot avoid it. The links of those pages tell whether a site comes to an
end: links to pages that are known show that; what every page has, as menus, does not.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Callable, Sequence
from hashlib import blake2b
from heapq import nsmallest

from lycosa.records import Page, urls_of

CALM = 100
"""Pages of a site before which nobody looks."""
ONE_OF = 8
"""One of so many pages is looked at."""
MOST_TEXT, SLICES = 8000, 4
"""Of a longer text so many slices are read, spread over it, with so many characters together."""
LONGEST_WORD = 24
"""What is longer without a space between is read as pairs of characters."""
HASHES = 64
"""So many hashes of its words stand for a text; one with fewer words is compared exactly."""
NEAR = 0.9
"""Two texts with this share of their words in common are the same."""
FEWEST_NUMBERS = 8
"""More numbers than that, and than words, are a table: then they count as words."""
TEXTS_KEPT = 48
FEWEST_SAMPLES = 24
LEAST_NEW = 0.25
"""With a smaller share of pages with new text a site is doubted."""
LINKS_SAMPLED = 16
FEWEST_LINKS, MOST_LINKS = 40, 1024
LEAST_KNOWN = 0.1
"""With a smaller share of links to known pages a site shows no end."""
MOST_REMEMBERED = 0x10000
"""Characters beyond are looked up each time, so that hostile texts do not fill memory."""

_NOTHING: frozenset[str] = frozenset()


class _OnlyWords(dict[int, int]):
    """Blanks all that is no letter, mark or digit, in any script."""

    def __missing__(self, code: int) -> int:
        kept = code if unicodedata.category(chr(code))[0] in "LMN" else 32
        if code < MOST_REMEMBERED:
            self[code] = kept
        return kept


_ONLY_WORDS = _OnlyWords()


def is_sampled(url: str, key: bytes) -> bool:
    """Whether a page is one of those that are looked at: unpredictable for those who do not know the key."""
    return blake2b(url.encode(), digest_size=1, key=key).digest()[0] % ONE_OF == 0


def _spread(text: str) -> str:
    """A text, or slices from all over it."""
    if len(text) <= MOST_TEXT:
        return text
    size = MOST_TEXT // SLICES
    begins = [(len(text) - size) * number // (SLICES - 1) for number in range(SLICES)]
    return " ".join([text[begin : begin + size] for begin in begins])


def _words(text: str) -> set[str]:
    """The words of a text, and its numbers where these are the most of it."""
    words: set[str] = set()
    numbers: set[str] = set()
    for piece in set(_spread(text).lower().split()):
        if len(piece) <= LONGEST_WORD and any(map(str.isdigit, piece)):
            numbers.add(piece)
            continue
        for word in piece.translate(_ONLY_WORDS).split():
            if len(word) <= LONGEST_WORD:
                words.add(word)
            else:
                words.update(map(str.__add__, word, word[1:]))
    return words | numbers if len(numbers) > max(len(words), FEWEST_NUMBERS) else words


def words_sketch(text: str) -> array[int]:
    """The smallest hashes of the words of a text, whatever their order; none without words."""
    return array("I", nsmallest(HASHES, {hash(word) & 0xFFFFFFFF for word in _words(text)}))


class SiteYield:
    """What one site brought since it had `CALM` pages."""

    __slots__ = ("_frame", "_next", "_texts", "known", "links", "new", "patterns", "sampled", "spent", "turn", "unsure")

    def __init__(self) -> None:
        self._texts: list[array[int]] = []
        self._next = 0
        self._frame: frozenset[str] = _NOTHING
        self.sampled = self.new = self.links = self.known = 0
        self.unsure = 0
        """Links that were let in while the site was doubted."""
        self.turn = 0
        """The number of the agent's request from which on the site may be asked, where it shows no end."""
        self.spent = ""
        """Why nothing more of the site is fetched, or ''."""
        self.patterns: dict[str, str] = {}
        """The same of its patterns."""

    def brings_new_text(self, page: Page) -> bool:
        """Look at a page that is sampled."""
        self.sampled += 1
        sketch = array("I") if page.placeholder else words_sketch(page.text)
        if not sketch or self._has_one_like(sketch):
            return False
        if len(self._texts) < TEXTS_KEPT:
            self._texts.append(sketch)
        else:
            self._texts[self._next] = sketch
            self._next = (self._next + 1) % TEXTS_KEPT
        self.new += 1
        return True

    def _has_one_like(self, sketch: array[int]) -> bool:
        hashes = frozenset(sketch)
        for other in self._texts:
            both = len(hashes.intersection(other))
            if both >= NEAR * (len(sketch) + len(other) - both):
                return True
        return False

    def note_links(self, site: str, page: Page, is_known: Callable[[str], bool]) -> None:
        """Count which links of a sampled page lead to known pages of its site, its frame aside."""
        begin = site + "/"
        urls: Sequence[str] = [url for url in urls_of(page.links) if url.startswith(begin)]
        others = [url for url in urls if url not in self._frame][:LINKS_SAMPLED]
        self._frame = frozenset(urls)
        self.links += len(others)
        self.known += sum(map(is_known, others))
        if self.links > MOST_LINKS:
            self.links, self.known = self.links // 2, self.known // 2

    @property
    def is_doubted(self) -> bool:
        """Whether hardly any of its pages have new text."""
        return self.sampled >= FEWEST_SAMPLES and self.new < LEAST_NEW * self.sampled

    @property
    def shows_no_end(self) -> bool:
        """Whether nearly all of its links lead to pages that nobody has met yet."""
        return self.links >= FEWEST_LINKS and self.known < LEAST_KNOWN * self.links
