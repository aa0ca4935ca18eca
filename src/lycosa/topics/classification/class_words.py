"""The words of a page that a classification knows: found once, whoever asks (the galaxy, the profile)."""

from __future__ import annotations

from functools import lru_cache

from lycosa.records import Page
from lycosa.text import words
from lycosa.topics.classification.scheme import Numbers, Scheme, Span

LONGEST_TEXT = 2_000
"""Characters of a page's text that are looked at, and of its title and headings as many again. What a page is about it
says at the beginning: with all of their text, fewer articles fall into the class that a librarian would choose."""
PAGES_REMEMBERED = 1_000
"""A page is judged by several at about the same time; later nobody asks again."""


def spoken(page: Page) -> tuple[list[str], Span]:
    """The words of a page, as many as are looked at, and which of them count as anchor: title and headings.

    An empty word parts one piece of text from the next, so that no phrase reaches over.
    """
    told: list[str] = []
    left = LONGEST_TEXT
    for piece in (page.title, *page.headings):
        told += words(piece[:left])
        told.append("")
        left = max(0, left - len(piece))
    anchor = (0, len(told))
    told += words(page.text[:LONGEST_TEXT])
    return told, anchor


class PageEntries:
    """The entries of a scheme in the latest pages."""

    def __init__(self, scheme: Scheme) -> None:
        self._scheme = scheme
        self._pages: dict[tuple[object, ...], tuple[Numbers, Numbers]] = {}

    def of(self, page: Page) -> tuple[Numbers, Numbers]:
        """The numbers of all entries in a page, one for each time it occurs, and of those in title and headings."""
        key = page.digest or page.text, page.title, page.headings
        found = self._pages.get(key)
        if found is None:
            if len(self._pages) >= PAGES_REMEMBERED:
                self._pages.clear()
            told, (_, stop) = spoken(page)
            begins, entries = self._scheme.found(told)
            found = self._pages[key] = (entries, entries[begins < stop])
        return found


@lru_cache(maxsize=8)
def page_entries(scheme: Scheme) -> PageEntries:
    """One for all who use a scheme."""
    return PageEntries(scheme)
