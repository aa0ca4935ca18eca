"""What the scorers know of people: how often and how long each URL was visited.

The records of the click store are brought to the names that the crawl has for pages,
and to the five numbers that scores need, since a crawl may know a million of them. How
the time that people spend is spread is kept beside them: its median makes it
comparable with other measures (C10), and spreads add up over agents.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from lycosa.click_records import PageClicks
from lycosa.scoring.importance import Spread, log_ranks
from lycosa.urls import normalise

MOST_PAGES = 1_000_000
"""Pages of which something is remembered; of more, those that are visited most."""


class Seen(NamedTuple):
    """What people did with a page: visits, the time they spent (LR, in ms), and what the beacon saw of the document."""

    visits: int = 0
    log_rank: float = 0.0
    length: int = 0
    ascii_sum: int = 0
    downloads: int = 0


NOBODY = Seen()


class Clickstream:
    """What people did, by URL."""

    def __init__(self, most: int = MOST_PAGES) -> None:
        self._most = most
        self._seen: dict[str, Seen] = {}
        self.log_rank = Spread()
        """How LR is spread over the pages."""

    def __len__(self) -> int:
        return len(self._seen)

    def of(self, url: str) -> Seen:
        """What people did with a page."""
        return self._seen.get(url, NOBODY)

    def replace(self, pages: Iterable[PageClicks]) -> list[str]:
        """Take these in place of all that was known. Returns the URLs of which something else is known now."""
        found = _seen(pages)
        self.log_rank = Spread().moved((), [seen.log_rank for seen in found.values()])
        if len(found) > self._most:
            visited = sorted(found, key=lambda url: -found[url].visits)
            found = {url: found[url] for url in visited[: self._most]}
        before, self._seen = self._seen, found
        changed = [url for url, seen in found.items() if before.get(url) != seen]
        return changed + [url for url in before if url not in found]


def _seen(pages: Iterable[PageClicks]) -> dict[str, Seen]:
    """The pages under the names that a crawl has for them."""
    named: dict[str, PageClicks] = {}
    for page in pages:
        url = normalise(page.url)
        if url is not None:
            page = page if page.url == url else msgspec.structs.replace(page, url=url)
            named[url] = named[url].joined(page) if url in named else page
    ranks = log_ranks(list(named.values()))
    return {
        url: Seen(page.visits, rank, page.length, page.ascii_sum, page.downloads)
        for (url, page), rank in zip(named.items(), ranks, strict=True)
    }
