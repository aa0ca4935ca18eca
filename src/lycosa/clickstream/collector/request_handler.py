"""What becomes of a request: its events, or the reason why they do not count.

The decision uses what the request says, the list of sites, and small bounded memories
of who sent how much; the clocks are handed in, and nothing here waits or writes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple
from urllib.parse import parse_qs

from lycosa.click_records import ClickEvent, WatchedSite
from lycosa.clickstream.collector.events import (
    Refusal,
    SentEvent,
    event_of,
    is_timely,
    longest_view,
    may_send,
    page_of,
    seconds_of,
    sent_events,
)
from lycosa.clickstream.collector.http_requests import Request
from lycosa.clickstream.collector.trusted_proxies import TrustedProxies, client_of
from lycosa.clickstream.rate_limits import Rates
from lycosa.clickstream.visitors import KeysOfDays, ViewTimes, Visitors, is_robot
from lycosa.configuration.sections import Collector as Settings


class Received(NamedTuple):
    """Events to be counted, and what was refused: site, reason and how often.

    `origin` may read the answer. Where there is no event, the first refusal is the answer; `wait` goes with it.
    """

    events: Sequence[ClickEvent]
    refused: Sequence[tuple[str, Refusal, int]] = ()
    origin: str = ""
    wait: float = 0.0


class Sender(NamedTuple):
    """Who sent a request, for as long as it is looked at."""

    address: str
    agent: bytes
    origin: str
    opted_out: bool


class Reception:
    """Judges requests. Times are `now` by the wall clock and `steady` by one that never goes back."""

    def __init__(self, settings: Settings, keys: KeysOfDays, robot: Callable[[bytes], bool] = is_robot) -> None:
        self._skew = float(settings.clock_skew)
        self.proxies = TrustedProxies(settings.trusted_proxies)
        self.rates = Rates(settings.events_per_minute, settings.events_per_second)
        self.visitors, self._views = Visitors(keys), ViewTimes()
        self._robot = robot
        self._sites: dict[str, WatchedSite] = {}

    def watch(self, sites: Iterable[WatchedSite]) -> None:
        """From now on these sites are known, and no others."""
        self._sites = {site.key: site for site in sites if site.key}

    def readable_by(self, origin: str) -> str:
        """The origin, if any site is to be read from there; else ''."""
        return origin if origin and any(may_send(site, origin) for site in self._sites.values()) else ""

    def post(self, request: Request, body: bytes, peer: str, now: float, steady: float) -> Received:
        """What the beacon sent."""
        sender = self._sender(request, peer)
        full = self._too_much(sender, 1, steady)
        if full is not None:
            return full
        found = sent_events(body)
        if isinstance(found, Refusal):
            return Received((), [("", found, 1)])
        return self._judged(found, sender, now, steady)

    def pixel(self, request: Request, peer: str, now: float, steady: float) -> Received:
        """A visit that the pixel saw: of the page that shows it, and nothing more is known."""
        sender = self._sender(request, peer)
        full = self._too_much(sender, 1, steady)
        if full is not None:
            return full
        keys = parse_qs(request.query.decode("latin-1")).get("k", [""])
        page = request.header(b"referer")
        return self._judged([SentEvent(1, keys[0], os.urandom(8).hex(), 0, page, 1000 * now)], sender, now, steady)

    def _sender(self, request: Request, peer: str) -> Sender:
        address = self.proxies.client(peer, request.header(b"x-forwarded-for"))
        headers = request.headers
        opted_out = headers.get(b"dnt") == b"1" or headers.get(b"sec-gpc") == b"1"
        return Sender(address, headers.get(b"user-agent", b""), request.header(b"origin"), opted_out)

    def _too_much(self, sender: Sender, events: int, steady: float) -> Received | None:
        wait = self.rates.wait(client_of(sender.address), events, steady)
        if wait:
            return Received((), [("", Refusal.TOO_MANY, events)], wait=wait)
        wait = self.rates.wait_of_all(events, steady)
        return Received((), [("", Refusal.OVERLOADED, events)], wait=wait) if wait else None

    def _judged(self, sent: Sequence[SentEvent], sender: Sender, now: float, steady: float) -> Received:
        site = self._sites.get(sent[0].k)
        if site is None:
            return Received((), [("", Refusal.UNKNOWN_KEY, len(sent))])
        readable = bool(sender.origin) and may_send(site, sender.origin)
        reason = self._objection(sender, readable)
        if reason is not None:
            return Received((), [(site.name, reason, len(sent))], sender.origin if readable else "")
        full = self._too_much(sender, len(sent) - 1, steady) if len(sent) > 1 else None
        if full is not None:
            return full._replace(refused=[(site.name, full.refused[0][1], len(sent))], origin=sender.origin)
        try:
            visitor = self.visitors.name(sender.address, sender.agent, now)
        except OSError:
            return Received((), [(site.name, Refusal.OVERLOADED, len(sent))], sender.origin)
        judged = [self._event(each, site, visitor, now) for each in sent]
        events = [each for each in judged if isinstance(each, ClickEvent)]
        return Received(events, [(site.name, each, 1) for each in judged if isinstance(each, Refusal)], sender.origin)

    def _objection(self, sender: Sender, readable: bool) -> Refusal | None:
        if sender.opted_out:
            return Refusal.OPTED_OUT
        if sender.origin and not readable:
            return Refusal.WRONG_ORIGIN
        return Refusal.ROBOT if self._robot(sender.agent) else None

    def _event(
        self, sent: SentEvent, site: WatchedSite, visitor: tuple[int, bytes], now: float
    ) -> ClickEvent | Refusal:
        url = page_of(site, sent.u)
        if isinstance(url, Refusal):
            return url
        at = seconds_of(sent)
        if not is_timely(at, now, self._skew):
            return Refusal.BAD_TIME
        view = site.name + sent.i
        longest = self._views.left(view, at, longest_view(site, at))
        event = event_of(sent, (site.name, url), visitor, longest, now)
        self._views.claim(view, at, event.dwell / 1000)
        return event
