"""What the known parents of each URL say of it, as a number of parents and a sum: enough for counts and for means.

A page counts once, however often it is fetched; when it comes again, only links
that nobody had before count. What is known is bounded: the oldest is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from lycosa.records import Link, Page
from lycosa.scoring.bounded_memory import Remembered

MOST_REMEMBERED = 1_000_000

Said: TypeAlias = tuple[int, float]
"""How many parents, and the sum of what they say."""

NOBODY: Said = (0, 0.0)


class KnownParents:
    """Numbers of parents and sums of what they say, by URL."""

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._said: Remembered[str, Said] = Remembered(most)
        self._counted: Remembered[str, bool] = Remembered(most)

    def of(self, url: str) -> Said:
        """What all known parents of a URL say."""
        return self._said.get(url) or NOBODY

    def with_page(self, page: str, url: str, says: float) -> Said:
        """What the parents of a URL say once this page is one of them; it may be already."""
        known = self._said.get(url)
        if known is None:
            return (1, says)
        return known if page in self._counted else (known[0] + 1, known[1] + says)

    def is_fetched(self, url: str) -> bool:
        """Whether a page was counted as a parent itself: then its own links are known and it waits no longer."""
        return url in self._counted

    def count(self, page: Page) -> Iterator[Link]:
        """The page's links to which it is a new parent, each URL once; `add` what it says of each."""
        again = page.url in self._counted
        self._counted.put(page.url, True)
        for link in {link.url: link for link in page.links}.values():
            if not (again and link.url in self._said) and link.url != page.url:
                yield link

    def add(self, url: str, says: float) -> Said:
        """One more parent says this. Returns what all say."""
        number, total = self._said.get(url) or NOBODY
        said = (number + 1, total + says)
        self._said.put(url, said)
        return said
