"""When each site's turn comes: the phases of sites and the order among those that may be visited now.

A site is idle, closed (its robots.txt is not read yet), opening, paused (by
politeness), ready or busy. Each phase that somebody waits for has a heap; an
entry that no longer tells the truth about its site is dropped when it comes up.
Of ready sites whose best links are about equally good the one with the first place
comes first, where sites have places (M2).
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from typing import TypeAlias

from lycosa.frontier.politeness import LAST_PLACE, Phase, Site
from lycosa.frontier.site_queues import Queues
from lycosa.queue_records import order_in_queue, sortable

PICKINESS = 0.5
"""With a budget, a link is held back while one twice as good is to come free within the horizon (seconds)."""
HORIZON = 30.0
SPARE_ENTRIES = 1000
ALIKE = 0.005
"""Links whose orders lie in one step of this width are about equally good."""

_Heap: TypeAlias = list[tuple[bytes, int]]


class Calendar:
    """Which site is next, and when another one will be."""

    def __init__(self, queues: Queues, ageing_rate: float) -> None:
        self._queues, self._rate = queues, ageing_rate
        self._ready: _Heap = []
        self._closed: _Heap = []
        self._soon: _Heap | None = None
        self._timeline: list[tuple[float, int]] = []
        self._has_places = False

    # -- phases ---------------------------------------------------------------------------------

    def place(self, site: Site, now: float) -> None:
        """Put a site into the phase that its state asks for."""
        if not self._queues.has_links(site):
            site.phase = Phase.IDLE
        elif site.next_at > now:
            site.phase = Phase.PAUSED
            heappush(self._timeline, (site.next_at, site.number))
            self._expect(site)
        elif site.opened_until <= now:
            site.phase = Phase.CLOSED
            self._enter(self._closed, site.best, site)
        else:
            site.phase = Phase.READY
            self._enter(self._ready, self._turn(site), site)

    def best_changed(self, site: Site, now: float) -> None:
        """Another link is the best of a site now."""
        if site.phase in (Phase.IDLE, Phase.READY, Phase.CLOSED):
            self.place(site, now)
        elif self._queues.has_links(site):
            self._expect(site)

    def busy(self, site: Site) -> None:
        """A site is being asked."""
        site.phase = Phase.BUSY
        if self._soon is not None and self._queues.has_links(site):
            self._expect(site)

    def wake(self, now: float) -> None:
        """End the pauses that are over."""
        while self._timeline and self._timeline[0][0] <= now:
            at, number = heappop(self._timeline)
            site = self._queues.sites[number]
            if site.phase is Phase.PAUSED and site.next_at == at:
                self.place(site, now)

    def _enter(self, heap: _Heap, turn: bytes, site: Site) -> None:
        heappush(heap, (turn, site.number))
        if len(heap) > SPARE_ENTRIES + 2 * len(self._queues.sites):
            heap[:] = {entry for entry in heap if entry[0].endswith(self._queues.sites[entry[1]].best)}
            heapify(heap)

    # -- places ---------------------------------------------------------------------------------

    def order_sites(self, places: Mapping[str, int]) -> None:
        """Prefer sites in this order where their best links are about equally good."""
        for site in self._queues.sites.values():
            site.place = places.get(site.name, LAST_PLACE)
        self._has_places = bool(places)
        ready = [site for site in self._queues.sites.values() if site.phase is Phase.READY]
        self._ready = [(self._turn(site), site.number) for site in ready]
        heapify(self._ready)

    def _turn(self, site: Site) -> bytes:
        """What sorts a ready site among the others; it ends with the best of the site."""
        if not self._has_places:
            return site.best
        step = order_in_queue(site.heads[0]) // ALIKE
        return sortable(-step) + site.place.to_bytes(4, "big") + site.best

    # -- turns ----------------------------------------------------------------------------------

    def best_ready(self) -> Site | None:
        """The ready site with the best link; it stays in its place."""
        return self._first(self._ready, Phase.READY)

    def take_ready(self) -> None:
        """Take the best ready site out."""
        heappop(self._ready)

    def take_closed(self) -> Site | None:
        """The most promising closed site; it is opening now."""
        site = self._first(self._closed, Phase.CLOSED)
        if site is not None:
            heappop(self._closed)
            site.phase = Phase.OPENING
        return site

    def _first(self, heap: _Heap, phase: Phase) -> Site | None:
        while heap:
            turn, number = heap[0]
            site = self._queues.sites[number]
            if site.phase is phase and turn.endswith(site.best):
                return site
            heappop(heap)
        return None

    @property
    def has_closed(self) -> bool:
        """Whether some site still waits to be opened."""
        return self._first(self._closed, Phase.CLOSED) is not None

    @property
    def has_ready(self) -> bool:
        """Whether some site may be asked now."""
        return bool(self._ready)

    def next_wake(self) -> float | None:
        """When the next pause is over."""
        return self._timeline[0][0] if self._timeline else None

    # -- pickiness ------------------------------------------------------------------------------

    @property
    def picky(self) -> bool:
        """Whether better links that are to come free soon are waited for."""
        return self._soon is not None

    @picky.setter
    def picky(self, value: bool) -> None:
        if value == self.picky:
            return
        self._soon = [] if value else None
        for site in self._queues.sites.values() if value else ():
            if site.phase in (Phase.PAUSED, Phase.BUSY) and self._queues.has_links(site):
                self._expect(site)

    def _expect(self, site: Site) -> None:
        if self._soon is not None:
            self._enter(self._soon, site.best, site)

    def better_soon(self, site: Site, now: float) -> bool:
        """Whether a site that must pause for a moment has something far better than this one.

        With a budget of pages, taking whatever may be taken now would spend it on
        links nobody hoped for, while the promising sites wait out their delays.
        """
        while self._soon:
            best, number = self._soon[0]
            other = self._queues.sites[number]
            waits = other.phase is Phase.BUSY or (other.phase is Phase.PAUSED and other.next_at - now <= HORIZON)
            if waits and other.best == best:
                aged = self._rate * now
                own, others = (order_in_queue(each.heads[0]) + aged for each in (site, other))
                return own < PICKINESS * others and others > 0
            heappop(self._soon)
        return False
