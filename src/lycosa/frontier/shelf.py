"""What the frontier asks of a store: the shelf its waiting links lie on.

The frontier keeps the best few links of each site in memory and leaves the rest
here. It never writes by itself: it gathers `Changes`, and whoever owns the
durable store writes them together with everything else of a batch. `MemoryShelf`
is the shelf of the lab and of tests; the durable one lives in `storage`.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from lycosa.waiting import Changes, SiteRecord, UrlRecord, sortable


class Shelf(Protocol):
    """Where waiting links lie."""

    def url(self, key: bytes) -> UrlRecord | None:
        """What is known of a URL."""

    def known(self, keys: Sequence[bytes]) -> dict[bytes, UrlRecord]:
        """What is known of those of many URLs that are known at all."""

    def best(self, site: int, number: int, without: set[bytes]) -> list[bytes]:
        """The queue keys of a site's best waiting links, best first, but not those in `without`."""

    def due(self, now: float, number: int) -> list[bytes]:
        """The keys (time and URL) of postponed links whose time has come."""

    def sites(self) -> Iterable[SiteRecord]:
        """All sites known."""

    def leases(self) -> Iterable[tuple[bytes, bytes]]:
        """URL keys and queue keys of links that were taken but not finished."""


class MemoryShelf:
    """A shelf that is gone with the process."""

    def __init__(self) -> None:
        self._urls: dict[bytes, UrlRecord] = {}
        self._queues: dict[int, list[bytes]] = {}
        self._later: list[bytes] = []
        self._leases: dict[bytes, bytes] = {}
        self._sites: dict[int, SiteRecord] = {}

    def url(self, key: bytes) -> UrlRecord | None:
        """What is known of a URL."""
        return self._urls.get(key)

    def known(self, keys: Sequence[bytes]) -> dict[bytes, UrlRecord]:
        """What is known of many URLs."""
        return {key: self._urls[key] for key in keys if key in self._urls}

    def best(self, site: int, number: int, without: set[bytes]) -> list[bytes]:
        """The best waiting links of a site."""
        found: list[bytes] = []
        for key in self._queues.get(site, ()):
            if key not in without:
                found.append(key)
                if len(found) == number:
                    break
        return found

    def due(self, now: float, number: int) -> list[bytes]:
        """Postponed links whose time has come."""
        return self._later[: min(number, bisect_left(self._later, sortable(now) + b"\xff" * 12))]

    def sites(self) -> Iterator[SiteRecord]:
        """All sites known."""
        return iter(self._sites.values())

    def leases(self) -> Iterator[tuple[bytes, bytes]]:
        """Links taken but not finished."""
        return iter(list(self._leases.items()))

    def apply(self, changes: Changes) -> None:
        """Make changes effective."""
        self._urls.update(changes.urls)
        self._urls.update(changes.refused)
        self._sites.update(changes.sites)
        for key in changes.unqueued:
            _remove(self._queues.get(int.from_bytes(key[:4], "big"), []), key)
        for key in changes.queued:
            insort(self._queues.setdefault(int.from_bytes(key[:4], "big"), []), key)
        for key in changes.unleased:
            self._leases.pop(key, None)
        self._leases.update(changes.leased)
        for key in changes.unpostponed:
            _remove(self._later, key)
        for key in changes.postponed:
            insort(self._later, key)


def _remove(ordered: list[bytes], key: bytes) -> None:
    place = bisect_left(ordered, key)
    if place < len(ordered) and ordered[place] == key:
        del ordered[place]
