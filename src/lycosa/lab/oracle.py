"""The oracle: what a crawler could do that knew every label beforehand.

It takes a relevant page of the frontier if there is one, first found first; else
the waiting page with the most relevant links that are still unfetched. Greedy, so
it is a mark to measure by and no strict bound. It is a link scorer like any other;
only it is told the labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lycosa.lab.webs import LabWeb
from lycosa.records import Link, Page, Score, Visit

FOUND_FIRST = 1e-6
"""What a page loses against one that was found a moment earlier."""
A_LINK = 0.01
"""What a relevant link ahead is worth: much more than ageing adds, and all of them less than a relevant page."""


class Unjudged:
    """The oracle needs no page scorer: it knows."""

    def relevance(self, page: Page) -> Score:
        """Nothing."""
        return NOT_ASKED


NOT_ASKED = Score(0.0, "not asked")


class OracleLinkScorer:
    """Knows which pages are relevant, and which lead to them."""

    def __init__(self, web: LabWeb, relevant: frozenset[str]) -> None:
        self._relevant = relevant
        self._leading: dict[str, set[str]] = {}
        self._parents: dict[str, list[str]] = {}
        for url in web.urls():
            page = web.page(url)
            ahead = {link.url for link in page.links} & relevant - {url} if page else set()
            if ahead:
                self._leading[url] = ahead
                for target in ahead:
                    self._parents.setdefault(target, []).append(url)
        self._fetched: set[str] = set()
        self._found: dict[str, int] = {}
        self._changed: set[str] = set()

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """The worth of each link, as of now."""
        number = len(self._found)
        return [self._worth(link.url, self._found.get(link.url, number + place)) for place, link in enumerate(links)]

    def _worth(self, url: str, found: int) -> Score:
        late = FOUND_FIRST * min(found, 400_000)
        if url in self._relevant:
            return Score(2.0 - late, "is relevant")
        ahead = len(self._leading.get(url, ()))
        return Score(min(1.5, ahead * A_LINK) - late * A_LINK, f"leads to {ahead} relevant pages not fetched yet")

    def learn(self, visits: Sequence[Visit]) -> None:
        """A relevant page that was fetched is no reason any more to fetch a page that links to it."""
        for visit in visits:
            self._fetched.add(visit.link.url)
            if visit.link.url in self._relevant:
                for parent in self._parents.get(visit.link.url, ()):
                    self._leading[parent].discard(visit.link.url)
                    self._changed.add(parent)
            for link in visit.page.links if visit.page else ():
                self._found.setdefault(link.url, len(self._found))

    def revised(self) -> Iterator[tuple[str, Score]]:
        """Waiting pages that lead to fewer relevant pages than before."""
        changed, self._changed = self._changed, set()
        for url in changed - self._fetched - self._relevant:
            if url in self._found:
                yield url, self._worth(url, self._found[url])
