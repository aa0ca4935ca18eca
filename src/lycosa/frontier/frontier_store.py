"""What the frontier asks of a store: the shelf its waiting links lie on.

The frontier keeps the best few links of each site in memory and leaves the rest
here. It never writes by itself: it gathers `Changes`, and whoever owns the
durable store writes them together with everything else of a batch. `MemoryShelf`
is the shelf of the lab and of tests; the durable one lives in `storage`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Protocol

from lycosa.frontier.sorted_keys import OrderedKeys
from lycosa.queue_records import Changes, SiteRecord, UrlRecord, key_in_queue, sortable


class Shelf(Protocol):
    """Where waiting links lie."""

    def url(self, key: bytes) -> UrlRecord | None:
        """What is known of a URL."""

    def queued(self, queue_key: bytes) -> UrlRecord | None:
        """What is known of the URL of a queue key."""

    def known(self, keys: Sequence[bytes]) -> dict[bytes, UrlRecord]:
        """What is known of those of many URLs that are known at all."""

    def best(self, site: int, number: int, without: set[bytes]) -> list[bytes]:
        """The queue keys of a site's best waiting links, best first, but not those in `without`."""

    def due(self, now: float, number: int) -> list[bytes]:
        """The keys (time and URL) of postponed links whose time has come."""

    def numbered(self) -> int:
        """The highest number of a URL; 0 when there is none."""

    def sites(self) -> Iterable[SiteRecord]:
        """All sites known."""

    def leases(self) -> Iterable[tuple[bytes, bytes]]:
        """URL keys and queue keys of links that were taken but not finished."""


class MemoryShelf:
    """A shelf that is gone with the process."""

    def __init__(self) -> None:
        self._urls: dict[bytes, UrlRecord] = {}
        self._queues: defaultdict[bytes, OrderedKeys] = defaultdict(OrderedKeys)
        self._later = OrderedKeys()
        self._leases: dict[bytes, bytes] = {}
        self._sites: dict[int, SiteRecord] = {}

    def url(self, key: bytes) -> UrlRecord | None:
        """What is known of a URL."""
        return self._urls.get(key)

    def queued(self, queue_key: bytes) -> UrlRecord | None:
        """What is known of the URL of a queue key."""
        return self._urls.get(key_in_queue(queue_key))

    def known(self, keys: Sequence[bytes]) -> dict[bytes, UrlRecord]:
        """What is known of many URLs."""
        urls = self._urls
        return {key: urls[key] for key in keys if key in urls}

    def best(self, site: int, number: int, without: set[bytes]) -> list[bytes]:
        """The best waiting links of a site."""
        queue = self._queues[site.to_bytes(4, "big")]
        return list(islice((key for key in queue if key not in without), number))

    def due(self, now: float, number: int) -> list[bytes]:
        """Postponed links whose time has come."""
        end = sortable(now) + b"\xff" * 12
        return list(islice(takewhile(lambda key: key < end, self._later), number))

    def numbered(self) -> int:
        """The highest number of a URL: each has one."""
        return len(self._urls)

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
            self._queues[key[:4]].discard(key)
        for site, keys in changes.queued.items():
            self._queues[site].update(keys)
        for key in changes.unleased:
            self._leases.pop(key, None)
        self._leases.update(changes.leased)
        for key in changes.unpostponed:
            self._later.discard(key)
        self._later.update(changes.postponed)
