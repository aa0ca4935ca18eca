"""Waiting links as records and keys: shared by the frontier, which thinks, and the store, which keeps.

Keys are bytes that sort as the things they stand for, so that any ordered
key-value store can hold the queues.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from enum import IntEnum

from lycosa.records import Link, Record


class State(IntEnum):
    """Where a URL is on its way."""

    WAITING = 1
    LEASED = 2
    LATER = 3
    DONE = 4
    REFUSED = 5
    FAILED = 6


_ENDED = (State.REFUSED, State.FAILED)


class SitemapLink(Link, frozen=True):
    """A page that a sitemap names, and how often it changes by that sitemap: '' or the name of a change class."""

    changes: str = ""


class UrlRecord(Record, frozen=True):
    """What an agent knows of a URL. URLs are numbered from 1 in the order in which they were found.

    `why` is the reason of its priority. Of a URL that was refused or given up it is the reason for that, and `detail`
    keeps the one for which it was let in, if it was; of one that is tried again `detail` is what went wrong last.
    `changes` is how often the page changes, by its sitemap; records are kept as arrays, so new fields go to the end.
    """

    url: str
    state: State
    priority: float = 0.0
    enqueued_at: float = 0.0
    order: float = 0.0
    parent: str = ""
    depth: int = 0
    redirects: int = 0
    attempts: int = 0
    anchors: tuple[str, ...] = ()
    why: str = ""
    detail: str = ""
    at: float = 0.0
    etag: str = ""
    last_modified: str = ""
    number: int = 0
    rel: str = ""
    changes: str = ""

    @property
    def let_in_for(self) -> str:
        """The reason of the priority with which it was let in; '' if it never was."""
        return self.detail if self.state in _ENDED else self.why

    def link(self) -> Link:
        """The link as it is handed to a fetcher."""
        anchor = self.anchors[0] if self.anchors else ""
        return Link(
            self.url, parent=self.parent, anchor=anchor, rel=self.rel, depth=self.depth, redirects=self.redirects
        )


class SiteRecord(Record, frozen=True):
    """What an agent keeps of a site.

    One that errors or its server slowed down has a `backoff`, the longest pause that was asked for; where it rests,
    `next_at` is when it may be asked again, and `why` says what for; for its Crawl-delay (`delay`) where it is empty.
    """

    number: int
    site: str
    waiting: int = 0
    delay: float = 0.0
    fetched: int = 0
    failed: int = 0
    backoff: float = 0.0
    next_at: float = 0.0
    why: str = ""

    @property
    def let_in(self) -> bool:
        """Whether any link of it was let in; of a host all of whose links were refused there is a record, too."""
        return bool(self.waiting or self.fetched or self.failed)


@dataclass(slots=True)
class Changes:
    """Writes that the frontier wants to be made durable together.

    `queued` is by site: the first bytes of a key. What is `unqueued` leaves its
    queue before what is `queued` enters, so a link that comes back is in both; a
    link that came and went in between is in neither. Leases likewise.
    """

    urls: dict[bytes, UrlRecord] = field(default_factory=dict)
    queued: dict[bytes, set[bytes]] = field(default_factory=dict)
    unqueued: set[bytes] = field(default_factory=set)
    leased: dict[bytes, bytes] = field(default_factory=dict)
    unleased: set[bytes] = field(default_factory=set)
    postponed: set[bytes] = field(default_factory=set)
    unpostponed: set[bytes] = field(default_factory=set)
    sites: dict[int, SiteRecord] = field(default_factory=dict)
    refused: dict[bytes, UrlRecord] = field(default_factory=dict)

    def queue(self, site: bytes, queue_key: bytes) -> None:
        """Put a link into its site's queue."""
        keys = self.queued.get(site)
        if keys is None:
            keys = self.queued[site] = set()
        keys.add(queue_key)

    def unqueue(self, site: bytes, queue_key: bytes) -> None:
        """Take a link out of its site's queue."""
        keys = self.queued.get(site)
        if keys is not None and queue_key in keys:
            keys.discard(queue_key)
        else:
            self.unqueued.add(queue_key)


NUMBER_BYTES = 5
"""How long a URL's number is in keys."""
_SITE = struct.Struct(">I")
_NUMBER = struct.Struct(">Q")
_DOUBLE = struct.Struct(">d")
_FLIP, _SIGN = (1 << 64) - 1, 1 << 63


def url_key(site: int, fingerprint: bytes) -> bytes:
    """The key of a URL: its site's number, so that nobody can collide with another site, and its fingerprint."""
    return _SITE.pack(site) + fingerprint


def sortable(value: float) -> bytes:
    """Eight bytes that sort as the number does."""
    if value > 0:
        return _DOUBLE.pack(-value)
    (bits,) = _NUMBER.unpack(_DOUBLE.pack(value))
    return _NUMBER.pack(bits ^ _FLIP if bits & _SIGN else bits ^ _SIGN)


def queue_key(key: bytes, order: float, number: int) -> bytes:
    """The key of a waiting link in its site's queue: the best order sorts first. It ends with the URL's number."""
    place = _DOUBLE.pack(order) if order < 0 else sortable(-order)
    return key[:4] + place + key[4:] + number.to_bytes(NUMBER_BYTES, "big")


def order_in_queue(queued: bytes) -> float:
    """The order inside a queue key."""
    (bits,) = _NUMBER.unpack(queued[4:12])
    value: float = _DOUBLE.unpack(_NUMBER.pack(bits ^ _SIGN if bits & _SIGN else bits ^ _FLIP))[0]
    return -value


def due_key(at: float, key: bytes) -> bytes:
    """The key of a postponed link: the earliest sorts first."""
    return sortable(at) + key


def key_in_queue(queued: bytes) -> bytes:
    """The URL key inside a queue key."""
    return queued[:4] + queued[12:-NUMBER_BYTES]
