"""A strategy's own picture of the links that wait, for those that choose among them or judge them again.

The frontier keeps the links; here is only what a strategy needs to know of each,
for as many as memory allows. The picture may be wrong at its edges (a link may
have been refused, or belong to another agent): whoever chooses from it must bear
that a choice does not come.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Generic, TypeVar

import xxhash

from lycosa.scoring.bounded_memory import Remembered

MOST_WAITING = 200_000
MOST_TAKEN = 1_000_000
FORGOTTEN_AT_ONCE = 16
"""A full picture forgets its oldest sixteenth."""

Known = TypeVar("Known")


class TakenLinks:
    """URLs that were fetched or tried, the latest of them."""

    def __init__(self, most: int = MOST_TAKEN) -> None:
        self._taken: Remembered[int, bool] = Remembered(most)

    def __contains__(self, url: str) -> bool:
        return xxhash.xxh3_64_intdigest(url.encode()) in self._taken

    def add(self, url: str) -> None:
        """This one waits no longer."""
        self._taken.put(xxhash.xxh3_64_intdigest(url.encode()), True)


class WaitingLinks(Generic[Known]):
    """URLs that wait, in the order they were found, and what is known of each."""

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most = max(1, most)
        self._waiting: dict[str, Known] = {}
        self._taken = TakenLinks()

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, url: object) -> bool:
        return url in self._waiting

    def __iter__(self) -> Iterator[tuple[str, Known]]:
        return iter(self._waiting.items())

    def get(self, url: str) -> Known | None:
        """What is known of a waiting link, or None."""
        return self._waiting.get(url)

    def is_gone(self, url: str) -> bool:
        """Whether the link was taken before."""
        return url in self._taken

    def found(self, url: str, known: Known) -> list[tuple[str, Known]]:
        """A link that was not gone waits with this. Returns those that were forgotten to make room."""
        self._waiting[url] = known
        if len(self._waiting) <= self._most:
            return []
        oldest = list(islice(self._waiting.items(), max(1, self._most // FORGOTTEN_AT_ONCE)))
        for forgotten, _ in oldest:
            del self._waiting[forgotten]
        return oldest

    def taken(self, url: str) -> Known | None:
        """A link waits no longer, and will not again. Returns what was known of it."""
        self._taken.add(url)
        return self._waiting.pop(url, None)


class LinkPool:
    """URLs to draw from at random; adding, taking out and drawing take the same time for any number."""

    def __init__(self) -> None:
        self._urls: list[str] = []
        self._places: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._urls)

    def __iter__(self) -> Iterator[str]:
        return iter(self._urls)

    def add(self, url: str) -> None:
        """Put a URL in, once."""
        if url not in self._places:
            self._places[url] = len(self._urls)
            self._urls.append(url)

    def discard(self, url: str) -> None:
        """Take a URL out, if it is there; the last one takes its place."""
        place = self._places.pop(url, None)
        if place is None:
            return
        last = self._urls.pop()
        if last != url:
            self._urls[place] = last
            self._places[last] = place

    def draw(self, random: Random) -> str:
        """Any of the URLs; it stays in."""
        return self._urls[random.randrange(len(self._urls))]
