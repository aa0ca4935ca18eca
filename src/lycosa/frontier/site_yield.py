"""What a site and its patterns have brought so far: how many pages, how many of them with new text.

A page's text is new if the words of its beginning are not nearly those of another page that the site sent lately.
The order of words does not matter, nor do words with digits: neither a text that is shuffled nor one with the time
of day is new. Of large sites every fourth page is looked at and stands for four. The links of those pages tell
whether a site comes to an end: links to pages that are known show that; what every page has, as menus, does not.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

from lycosa.records import Page, urls_of

CALM = 100
"""Pages of a site before which nobody looks."""
ONE_OF = 8
"""One of so many pages is looked at."""
BEGINNING = 1000
BINS = 32
NEAR = 27
"""With so many equal bins of `BINS`, some five words in six are the same."""
TEXTS_KEPT = 48
FEWEST_SAMPLES = 24
LEAST_NEW = 0.25
"""With a smaller share of pages with new text a site is doubted."""
LINKS_SAMPLED = 16
FEWEST_LINKS, MOST_LINKS = 40, 1024
LEAST_KNOWN = 0.1
"""With a smaller share of links to known pages a site shows no end."""

_NOTHING: frozenset[str] = frozenset()


def is_sampled(url: str) -> bool:
    """Whether a page is one of those that are looked at."""
    return zlib.crc32(url.encode()) % ONE_OF == 0


def words_sketch(text: str) -> tuple[int, ...]:
    """The words of a text, whatever their order: of each bin of their hashes the smallest; () without words."""
    words = {word for word in text[:BEGINNING].lower().split() if word.isalpha()}
    smallest = [0] * BINS
    for number in map(hash, words):
        place = number % BINS
        if not smallest[place] or number < smallest[place]:
            smallest[place] = number
    return tuple(smallest) if words else ()


class SiteYield:
    """What one site brought since it had `CALM` pages."""

    __slots__ = ("_frame", "_next", "_texts", "known", "links", "new", "patterns", "sampled", "spent", "turn", "unsure")

    def __init__(self) -> None:
        self._texts: list[tuple[int, ...]] = []
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
        sketch = () if page.placeholder else words_sketch(page.text)
        if not sketch or any(sum(map(int.__eq__, sketch, other)) >= NEAR for other in self._texts):
            return False
        if len(self._texts) < TEXTS_KEPT:
            self._texts.append(sketch)
        else:
            self._texts[self._next] = sketch
            self._next = (self._next + 1) % TEXTS_KEPT
        self.new += 1
        return True

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
