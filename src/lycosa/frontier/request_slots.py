"""Whose turn it is to send a request: sites within the ceilings and the addresses that they share.

A site that finds all connections to its address in use is parked until one comes
free. Requests beside the queues, for the robots.txt of a site that is opened or for
wherever it redirects, take turns with all others: ceilings, addresses and the pauses
of their sites count for them, too. Last of all the other agents are asked, with whom sites
and addresses may be shared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from heapq import heappop, heappush

from lycosa.frontier.politeness import Key, Manners, Phase, Site
from lycosa.frontier.rate_limiter import Throttle
from lycosa.frontier.shared_turns import TAKEN, SharedTurns
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

    def __init__(
        self, queues: Queues, calendar: Calendar, manners: Manners, throttle: Throttle, shared: SharedTurns
    ) -> None:
        self._queues, self._calendar, self._throttle, self._shared = queues, calendar, throttle, shared
        self.change(manners)
        self._addresses: dict[str, Address] = {}
        self._beside: dict[str, float] = {}

    def change(self, manners: Manners) -> None:
        """Use other rules from now on."""
        self._manners = manners
        self._per_address = manners.rules.connections(self._shared.agents)

    # -- sites in the queues --------------------------------------------------------------------

    def take(self, site: Site, now: float) -> bool:
        """Whether the site's own ceiling and its address allow a request; if so, a connection is in use now."""
        address = self._at(site.address)
        wait = max(self._throttle.site_wait(site.number, now), address.next_at - now)
        if wait > 0:
            site.next_at = now + wait
            self._calendar.place(site, now)
            return False
        if address.in_flight >= self._per_address:
            heappush(address.parked, (site.best, site.number, site))
            site.phase = Phase.PAUSED
            return False
        rules, pause = self._manners.rules, self._manners.pause(site, 0.0)
        others = self._shared.take(site.name, site.address, pause, rules, now)
        if others is not TAKEN:
            address.next_at, site.next_at = now + others.address, now + max(others)
            self._calendar.place(site, now)
            return False
        self._use(address, now)
        return True

    def opened(self, site: Site, now: float) -> None:
        """What a site asks for is known now: it holds for the other agents, too."""
        self._shared.leave_alone(site.name, site.next_at, now)

    def end(self, site: Site, now: float) -> None:
        """A site's connection comes free, and its pause begins."""
        self._end(site, site.next_at, now)

    def give_back(self, site: Site, now: float) -> None:
        """The same where nobody knows how far its request came."""
        self._end(site, max(site.next_at, now + self._manners.pause(site, 0.0)), now)

    def _end(self, site: Site, until: float, now: float) -> None:
        self._shared.end(site.name, until)
        self._at(site.address).in_flight -= 1
        self.pass_on(site.address, now)

    def pass_on(self, name: str, now: float) -> None:
        """A connection may be free: let the most promising of the sites that are parked for it take its turn.

        A site that must be opened anew first, or has nothing left, passes it on.
        """
        address = self._addresses.get(name)
        while address and address.parked and address.in_flight < self._per_address:
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
        address.next_at = now + self._manners.rules.address_delay

    # -- requests beside them -------------------------------------------------------------------

    def ask(self, url: str, name: str, now: float) -> float:
        """Take a turn for a URL at an address: 0 if it is taken, else the seconds to wait before asking again."""
        site, address = self._queues.names.get(site_of(url)), self._at(name)
        wait = max(self._throttle.wait(now), address.next_at - now, self._pause(url, site, now))
        if wait > 0:
            return min(wait, LOOK_AGAIN) if math.isinf(wait) else wait
        if address.in_flight >= self._per_address:
            return LOOK_AGAIN
        rules = self._manners.rules
        others = self._shared.take(site_of(url), name, self._least_pause(site), rules, now)
        if others is not TAKEN:
            address.next_at = now + others.address
            return max(others)
        self._use(address, now)
        self._throttle.asked(site.number if site else 0)
        self._remember(site_of(url), math.inf, now)
        return 0.0

    def answered(self, url: str, name: str, received: int, now: float) -> None:
        """A request beside the queues is over: the pause of its site begins."""
        site = self._queues.names.get(site_of(url))
        pause = self._least_pause(site)
        self._remember(site_of(url), now + pause, now)
        self._shared.end(site_of(url), now + pause)
        self._throttle.received(site.number if site else 0, received)
        self._at(name).in_flight -= 1
        self.pass_on(name, now)
        if site is not None and site.phase in (Phase.CLOSED, Phase.PAUSED, Phase.READY):
            site.next_at = max(site.next_at, now + pause)
            self._calendar.place(site, now)

    def _least_pause(self, site: Site | None) -> float:
        """How long a site is left alone after a request beside the queues; it may be one that nothing is known of."""
        return self._manners.pause(site, 0.0) if site else float(self._manners.rules.delay)

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
