"""Which kind each page of a simulated web is: an article, a listing, a catalogue entry or a profile.

Kinds say how a page is built and nothing of what it is about. Every run of as many pages as there
are kinds has each kind once, in an order of its own, so that a page of a wanted kind near another
one is found without looking for it; and neither a page's number nor its words give its kind away.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

KINDS = ("article", "listing", "entry", "profile")
"""The kinds there are; a web with fewer has the first ones."""

ARTICLE, LISTING = 0, 1
_DIRECTORIES = "bcdfghjkmnqrstvwxz"


class Kinds:
    """The kinds of a web's pages, as a function of host and number."""

    def __init__(self, count: int, draw: Callable[[bytes, int, int], int]) -> None:
        self.count = count
        self._draw = draw
        self._orders = list(permutations(range(count)))

    def of(self, host: int, number: int) -> int:
        """The kind of what a page shows."""
        if self.count == 1:
            return ARTICLE
        run, position = divmod(number, self.count)
        return self._order(host, run)[position]

    def near(self, host: int, number: int, kind: int) -> int:
        """The page of a kind within the same run of a host's pages."""
        run = number // self.count
        return run * self.count + self._order(host, run).index(kind)

    def listed(self, host: int) -> int:
        """The kind of page that the listings of a host lead to."""
        others = [kind for kind in range(self.count) if kind != LISTING]
        return others[self._draw(b"listed", host, 0) % len(others)]

    def directories(self, host: int) -> tuple[str, ...]:
        """The directory of each kind: half of the hosts keep them apart, and what they call them says nothing."""
        bits = self._draw(b"directories", host, 0)
        if self.count == 1 or bits & 1:
            return ("",) * self.count
        size = len(_DIRECTORIES)
        first, step = (bits >> 1) % size, 1 + 2 * ((bits >> 16) % 2)
        names = [_DIRECTORIES[(first + step * place) % size] for place in range(self.count)]
        order = self._orders[(bits >> 32) % len(self._orders)]
        return tuple(f"/{names[place]}" for place in order)

    def _order(self, host: int, run: int) -> tuple[int, ...]:
        return self._orders[self._draw(b"kind", host, run) % len(self._orders)]
