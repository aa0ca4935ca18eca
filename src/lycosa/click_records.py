"""What people did with a page: the nouns that the clickstream, its store and the scorers share.

All of it adds up: what a log or the beacon found in a while is the same record as the
page's total, so counting is joining. Nobody's address or browser is in any of it; a
visitor is a keyed hash whose key lives for a day or two.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from enum import IntEnum, StrEnum
from functools import lru_cache
from hashlib import blake2b
from typing import TypeVar

from msgspec import field

from lycosa.records import Record

Counted = TypeVar("Counted", int, str)

MOST_REFERRERS = 32
LONGEST_SPAN = 86_400
DAY = 86_400


class Action(IntEnum):
    """What a visitor can do on a page (M12)."""

    SCROLL = 1
    COPY = 2
    FIND = 3
    BACK = 4
    DIRECT = 5
    FORWARD = 6
    STOP = 7
    FAVOURITE = 8
    PRINT = 9
    SAVE = 10
    HYPERLINK = 11
    HOME = 12
    CLICK = 13
    REFRESH = 14
    KEYS = 15


LOWER_BOUND = frozenset({Action.FIND, Action.FAVOURITE, Action.SAVE})
"""Actions that a page's script sees only by their shortcut keys: they happened at least so often."""


class Source(StrEnum):
    """Who saw the visits. Sources are kept apart: a site with log and beacon would count everybody twice."""

    LOG = "log"
    BEACON = "beacon"
    SEARCH = "search"


class PageClicks(Record, frozen=True):
    """A page's record (P3). Times are in milliseconds, `spans` in whole seconds.

    `visits` are all views; `visitors` counts each visitor once a day, which is what ranking uses. `unended` views were
    the last of their session, so nobody knows how long they took; `spans` are the known times, how often each, from
    which the median comes. `sets` are the sets of actions (as bits) of one visitor on one day, how many had each.
    """

    url: str
    visits: int = 0
    visitors: int = 0
    duration: int = 0
    unended: int = 0
    spans: dict[int, int] = field(default_factory=dict)
    length: int = 0
    ascii_sum: int = 0
    downloads: int = 0
    created: float = 0.0
    last_access: float = 0.0
    actions: dict[int, int] = field(default_factory=dict)
    sets: dict[int, int] = field(default_factory=dict)
    ratings: int = 0
    rating_sum: int = 0
    referrers: dict[str, int] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The page's key: its URL in base64."""
        return base64.b64encode(self.url.encode()).decode()

    def median(self) -> float | None:
        """The median of the known times in milliseconds; None where none is known."""
        return median_span(self.spans)

    def estimated(self, site_median: float = 0.0) -> float:
        """The time that its unended views are taken to have lasted: the page's median each, or else the site's."""
        own = self.median()
        return self.unended * (site_median if own is None else own)

    def log_rank(self, site_median: float = 0.0) -> float:
        """LR: the total duration of all visits in milliseconds, estimated where nobody saw the end (C8)."""
        return self.duration + self.estimated(site_median)

    def joined(self, later: PageClicks) -> PageClicks:
        """Both together; of what describes the document, the later word counts."""
        return PageClicks(
            self.url,
            self.visits + later.visits,
            self.visitors + later.visitors,
            self.duration + later.duration,
            self.unended + later.unended,
            added(self.spans, later.spans),
            later.length or self.length,
            later.ascii_sum or self.ascii_sum,
            later.downloads if later.ascii_sum else self.downloads,
            min(self.created or later.created, later.created or self.created),
            max(self.last_access, later.last_access),
            added(self.actions, later.actions),
            added(self.sets, later.sets),
            self.ratings + later.ratings,
            self.rating_sum + later.rating_sum,
            most_frequent(added(self.referrers, later.referrers), MOST_REFERRERS),
        )


class WatchedSite(Record, frozen=True):
    """A site whose visitors are counted: its key for the beacon, and the origins that events may come from."""

    name: str
    key: str
    origins: tuple[str, ...] = ()
    created: float = 0.0


class ClickEvent(Record, frozen=True):
    """What one visitor did on one page since the last event of the same view.

    `view` names the view of the page, `number` counts its events from 0: a number that came before is a replay.
    `day` is the UTC day (since 1970) that `visitor` is a hash of; `query` is what the visitor had searched for.
    """

    site: str
    url: str
    at: float
    day: int
    visitor: bytes
    view: bytes
    number: int
    source: Source = Source.BEACON
    active: int = 0
    dwell: int = 0
    length: int = 0
    ascii_sum: int = 0
    downloads: int = 0
    actions: dict[int, int] = field(default_factory=dict)
    rating: int = 0
    referrer: str = ""
    query: str = ""


class Behaviour(Record, frozen=True):
    """What one visitor did on one page on one day (M12)."""

    day: int
    site: str
    url: str
    visitor: bytes
    query: str = ""
    visits: int = 0
    active: int = 0
    dwell: int = 0
    actions: dict[int, int] = field(default_factory=dict)
    rating: int = 0
    at: float = 0.0

    @property
    def bits(self) -> int:
        """The set of actions as bits."""
        return bits_of(self.actions)


class ShownResult(Record, frozen=True):
    """How often a page was shown for a query at each place (first place first), and how often it was chosen there.

    `enough` and `not_enough` are the answers to "was this enough?" while it was ranked first (M14).
    """

    query: str
    url: str
    shown: tuple[int, ...] = ()
    chosen: tuple[int, ...] = ()
    enough: int = 0
    not_enough: int = 0


def bits_of(actions: Iterable[int]) -> int:
    """A set of actions as bits: action 1 is the lowest."""
    found = 0
    for action in actions:
        found |= 1 << (action - 1)
    return found


def actions_of(bits: int) -> tuple[Action, ...]:
    """The actions that bits stand for."""
    return tuple(action for action in Action if bits >> (action - 1) & 1)


def added(first: Mapping[Counted, int], second: Mapping[Counted, int]) -> dict[Counted, int]:
    """Two counts added up, without what came to nothing."""
    found = dict(first)
    for key, number in second.items():
        found[key] = found.get(key, 0) + number
    return {key: number for key, number in found.items() if number}


def most_frequent(counts: Mapping[str, int], most: int) -> dict[str, int]:
    """The largest counts; equals in the order of their names."""
    if len(counts) <= most:
        return dict(counts)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most])


def median_span(spans: Mapping[int, int]) -> float | None:
    """The median of times in whole seconds, in milliseconds; None of none."""
    total = sum(spans.values())
    if total <= 0:
        return None
    seen, low, middle = 0, 0, (total - 1) // 2
    ordered = sorted(spans.items())
    for place, (seconds, number) in enumerate(ordered):
        seen += number
        if seen > middle:
            low = seconds
            high = seconds if seen > total // 2 else ordered[place + 1][0]
            return 1000.0 * (low + high) / 2
    return None


def visitor_id(key: bytes, address: bytes, agent: bytes) -> bytes:
    """The name of a visitor on one day: a hash of address and browser with the key of that day."""
    found = _begun(key).copy()
    found.update(address + b"\0" + agent)
    return found.digest()


@lru_cache(maxsize=3)
def _begun(key: bytes) -> blake2b:
    """A hash that knows its key: taking it in is half of the work."""
    return blake2b(digest_size=16, key=key)


def day_of(at: float) -> int:
    """The UTC day of a time, counted from 1970."""
    return int(at // DAY)
