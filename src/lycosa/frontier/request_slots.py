"""Whose turn it is to send a request: sites within the ceilings and the addresses that they share.

A site that finds all connections to its address in use is parked until one comes
free. Requests beside the queues, for the robots.txt of a site that is opened or for
wherever it redirects, take turns with all others: ceilings, addresses and the pauses
of their sites count for them, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from heapq import heappop, heappush

from lycosa.frontier.politeness import Key, Manners, Phase, Site
from lycosa.frontier.rate_limiter import Throttle
from lycosa.frontier.site_queues import Queues
from lycosa.frontier.site_scheduler import Calendar
from lycosa.urls import site_of

LOOK_AGAIN = 0.05
"""Seconds after which to ask again where nobody knows when a connection comes free."""
MOST_BESIDE = 10_000


@dataclass(slots=True)
class Address:
    """An address that several sites may share."""

    in_flight: int = 0
    next_at: float = 0.0
    parked: list[tuple[Key, int, Site]] = field(default_factory=list)


class Turns:
    """Who may ask: sites that share an address share its connections and its pauses."""

    def __init__(self, queues: Queues, calendar: Calendar, manners: Manners, throttle: Throttle) -> None:
        self._queues, self._calendar, self.manners, self._throttle = queues, calendar, manners, throttle
        self._addresses: dict[str, Address] = {}
        self._beside: dict[str, float] = {}

    # -- sites in the queues --------------------------------------------------------------------

    def take(self, site: Site, now: float) -> bool:
        """Whether the site's own ceiling and its address allow a request; if so, a connection is in use now."""
        address = self._at(site.address)
        wait = max(self._throttle.site_wait(site.number, now), address.next_at - now)
        if wait > 0:
            site.next_at = now + wait
            self._calendar.place(site, now)
            return False
        if address.in_flight >= self.manners.rules.per_address:
            heappush(address.parked, (site.best, site.number, site))
            site.phase = Phase.PAUSED
            return False
        self._use(address, now)
        return True

    def end(self, site: Site, now: float) -> None:
        """A site's connection comes free."""
        self._at(site.address).in_flight -= 1
        self.pass_on(site.address, now)

    def pass_on(self, name: str, now: float) -> None:
        """A connection may be free: let the most promising of the sites that are parked for it take its turn.

        A site that must be opened anew first, or has nothing left, passes it on.
        """
        address = self._addresses.get(name)
        while address and address.parked and address.in_flight < self.manners.rules.per_address:
            parked = heappop(address.parked)[2]
            if parked.phase is Phase.PAUSED:
                self._calendar.place(parked, now)
                if parked.phase in (Phase.READY, Phase.PAUSED):
                    return

    def _at(self, name: str) -> Address:
        address = self._addresses.get(name)
        if address is None:
            address = self._addresses[name] = Address()
        return address

    def _use(self, address: Address, now: float) -> None:
        address.in_flight += 1
        address.next_at = now + self.manners.rules.address_delay

    # -- requests beside them -------------------------------------------------------------------

    def ask(self, url: str, name: str, now: float) -> float:
        """Take a turn for a URL at an address: 0 if it is taken, else the seconds to wait before asking again."""
        site, address = self._queues.names.get(site_of(url)), self._at(name)
        wait = max(self._throttle.wait(now), address.next_at - now, self._pause(url, site, now))
        if wait > 0:
            return min(wait, LOOK_AGAIN) if math.isinf(wait) else wait
        if address.in_flight >= self.manners.rules.per_address:
            return LOOK_AGAIN
        self._use(address, now)
        self._throttle.asked(site.number if site else 0)
        self._remember(site_of(url), math.inf, now)
        return 0.0

    def answered(self, url: str, name: str, received: int, now: float) -> None:
        """A request beside the queues is over: the pause of its site begins."""
        site = self._queues.names.get(site_of(url))
        pause = self.manners.pause(site, 0.0) if site else float(self.manners.rules.delay)
        self._remember(site_of(url), now + pause, now)
        self._throttle.received(site.number if site else 0, received)
        self._at(name).in_flight -= 1
        self.pass_on(name, now)
        if site is not None and site.phase in (Phase.CLOSED, Phase.PAUSED, Phase.READY):
            site.next_at = max(site.next_at, now + pause)
            self._calendar.place(site, now)

    def _pause(self, url: str, site: Site | None, now: float) -> float:
        """How long a site must still be left alone by requests beside the queues."""
        beside = self._beside.get(site_of(url), 0.0) - now
        if site is None or site.phase is Phase.OPENING:
            return beside
        return max(beside, math.inf if site.phase is Phase.BUSY else site.next_at - now)

    def _remember(self, site: str, until: float, now: float) -> None:
        if len(self._beside) >= MOST_BESIDE:
            self._beside = {each: at for each, at in self._beside.items() if at > now}
        self._beside[site] = until
