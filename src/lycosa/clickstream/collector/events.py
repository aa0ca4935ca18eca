"""What the beacon sends, judged: a request's body becomes events, or a refusal with a name.

Everything here is claimed by strangers. Nothing is believed beyond what could be true:
a page must belong to the key's site, times must be near now, and every number has a
cap. Nothing here asks a clock or a disk.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from lycosa.click_records import DAY, Action, ClickEvent, WatchedSite
from lycosa.urls import host_of, normalise, site_of

MOST_EVENTS = 20
"""Events in one request."""
OLDEST = 3600.0
"""Seconds after which an event is too old: far below a day, since the store knows replays of two days."""
LONGEST_URL = 2048
MOST_OF_AN_ACTION = 1000
MOST_CHARACTERS = 50_000_000
MOST_DOWNLOADS = 1000
_LARGEST_CODE = 0x10FFFF


class Refusal(StrEnum):
    """Why something was not counted."""

    MALFORMED = "malformed"
    TOO_LARGE = "too-large"
    TOO_MANY = "too-many"
    UNKNOWN_KEY = "unknown-key"
    FOREIGN_SITE = "foreign-site"
    WRONG_ORIGIN = "wrong-origin"
    BAD_URL = "bad-url"
    BAD_TIME = "bad-time"
    ROBOT = "robot"
    REPLAY = "replay"
    OPTED_OUT = "opted-out"
    OVERLOADED = "overloaded"


_Amount = Annotated[float, Meta(ge=0)]
_Number = Annotated[int, Meta(ge=0)]


class SentEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """An event as it comes over the wire, its form checked and nothing else."""

    v: Literal[1]
    k: Annotated[str, Meta(min_length=1, max_length=128)]
    i: Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]
    n: Annotated[int, Meta(ge=0, lt=100_000)]
    u: str
    t: _Amount
    r: str | UnsetType = UNSET
    a: _Amount | UnsetType = UNSET
    d: _Amount | UnsetType = UNSET
    l: _Number | UnsetType = UNSET  # noqa: E741 - the name on the wire
    s: _Number | UnsetType = UNSET
    o: _Number | UnsetType = UNSET
    e: dict[Annotated[int, Meta(ge=1, le=len(Action))], _Number] | UnsetType = UNSET

    @property
    def keys(self) -> int:
        """How many names of fields and of actions were sent."""
        lacking = (self.r is UNSET) + (self.a is UNSET) + (self.d is UNSET) + (self.l is UNSET)
        lacking += (self.s is UNSET) + (self.o is UNSET) + (self.e is UNSET)
        return 13 - lacking + (len(self.e) if self.e else 0)


_decode = msgspec.json.Decoder(
    SentEvent | Annotated[list[SentEvent], Meta(min_length=1, max_length=MOST_EVENTS)]
).decode
_NAME = re.compile(rb'"[ \t\r\n]*:')
"""The end of an object's name, or of a string inside of a string: those quotes follow a backslash."""


def sent_events(body: bytes) -> list[SentEvent] | Refusal:
    """The events in a request's body, all of one key.

    A name that comes twice is refused, since readers disagree which of them counts.
    """
    try:
        found = _decode(body)
    except ValueError:
        return Refusal.MALFORMED
    events = found if isinstance(found, list) else [found]
    if any(event.k != events[0].k for event in events):
        return Refusal.MALFORMED
    if _names(body) != sum([event.keys for event in events]):
        return Refusal.MALFORMED
    return events


def _names(body: bytes) -> int:
    """How many names the objects of a body have; a value that begins with a colon counts too, and none should."""
    plain = body.replace(b'\\"', b"") if b'\\"' in body else body
    if any(space in plain for space in (b" :", b"\t:", b"\r:", b"\n:")):
        return len(_NAME.findall(plain))
    return plain.count(b'":')


def seconds_of(sent: SentEvent) -> float:
    """When an event happened, by the visitor's clock."""
    return sent.t / 1000


def page_of(site: WatchedSite, url: str) -> str | Refusal:
    """The normal form of a page's URL, if it is a page of the site."""
    normal = normalise(url) if len(url) <= LONGEST_URL else None
    if normal is None or len(normal) > LONGEST_URL:
        return Refusal.BAD_URL
    return normal if belongs(site, site_of(normal)) else Refusal.FOREIGN_SITE


def belongs(site: WatchedSite, origin: str) -> bool:
    """Whether an origin in normal form is the site's: its name, a name below it, or one that is listed."""
    host = host_of(origin)
    return host == site.name or host.endswith("." + site.name) or origin in site.origins


def may_send(site: WatchedSite, origin: str) -> bool:
    """Whether a browser that names this origin may send events of the site; `null` only where it is listed."""
    if origin in site.origins:
        return True
    normal = normalise(origin + "/")
    return normal is not None and normal == site_of(normal) + "/" and belongs(site, site_of(normal))


def is_timely(at: float, now: float, skew: float) -> bool:
    """Whether something can have happened at that time: not in the future, and not long ago."""
    return now - OLDEST <= at <= now + skew


def referrer_of(sent: SentEvent) -> str:
    """Where the visitor came from, without the query, which may hold more than the site needs to know."""
    if not sent.r or len(sent.r) > LONGEST_URL:
        return ""
    return (normalise(sent.r.partition("?")[0]) or "")[:LONGEST_URL]


def longest_view(site: WatchedSite, at: float) -> float:
    """Seconds that a view of which nothing is known can have lasted by a time: nobody was counted before the key."""
    return min(max(at - site.created, 0.0), float(DAY))


def event_of(
    sent: SentEvent, page: tuple[str, str], visitor: tuple[int, bytes], longest: float, now: float
) -> ClickEvent:
    """An event of a visitor (of a day) on a page (of a site), every number capped; it can tell of `longest` seconds."""
    dwell = int(min(sent.d or 0.0, 1000 * longest))
    length = min(sent.l or 0, MOST_CHARACTERS)
    return ClickEvent(
        *page,
        min(seconds_of(sent), now),
        *visitor,
        bytes.fromhex(sent.i),
        sent.n,
        active=int(min(sent.a or 0.0, dwell)),
        dwell=dwell,
        length=length,
        ascii_sum=min(sent.s or 0, length * _LARGEST_CODE),
        downloads=min(sent.o or 0, MOST_DOWNLOADS),
        actions={action: min(times, MOST_OF_AN_ACTION) for action, times in (sent.e or {}).items() if times},
        referrer=referrer_of(sent) if sent.n == 0 else "",
    )
