"""The queues of an agent's sites: the best few links of each in memory, the rest on the shelf.

A queue is ordered by `priority − rate·enqueued_at`: ageing raises all waiting
links alike, so that number never changes by itself and no waiting link is ever
touched. Queue keys are bytes that sort that way, and nothing is left behind when
a link moves: the first key in memory is always the best link that waits. What
must be written is gathered here until it is drained.
"""

from __future__ import annotations

from bisect import bisect_left, insort

from lycosa.configuration.sections import FrontierSection
from lycosa.frontier.frontier_store import Shelf
from lycosa.frontier.politeness import NO_FLOOR, NOT_LOOKED, Site
from lycosa.queue_records import Changes, SiteRecord, State, UrlRecord, key_in_queue, queue_key
from lycosa.records import REJECTED
from lycosa.urls import fingerprint, site_of

HEADS_IN_MEMORY = 500_000
FEWEST_HEADS = 4
MOST_LOOKED_UP = 10_000
_REJECTED_PLACE = queue_key(bytes(12), REJECTED / 2, 0)[4:12]
"""Where rejected links begin in every queue."""


class Queues:
    """All sites of an agent and what waits on them."""

    def __init__(self, shelf: Shelf, settings: FrontierSection) -> None:
        self._shelf, self._settings = shelf, settings
        self.sites: dict[int, Site] = {}
        self.names: dict[str, Site] = {}
        self.changes = Changes()
        self._looked_up: dict[bytes, UrlRecord | None] = {}
        self._leased: dict[bytes, UrlRecord] = {}
        """What the shelf knows of links that are leased."""
        self._dirty: set[int] = set()
        self.waiting = self._let_in = 0
        self.numbered = shelf.numbered()
        self._take_up()

    def _take_up(self) -> None:
        for record in self._shelf.sites():
            site = Site(record.number, record.site, crawl_delay=record.delay, backoff=record.backoff)
            site.waiting, site.fetched, site.failed = record.waiting, record.fetched, record.failed
            site.next_at, site.why = record.next_at, record.why
            site.let_in = record.let_in
            site.floor = NOT_LOOKED if site.waiting else NO_FLOOR
            self.names[site.name] = self.sites[site.number] = site
            self.waiting += site.waiting
            self._let_in += site.let_in
        self._share_memory()

    def _share_memory(self) -> None:
        """The more sites there are that links were let in of, the fewer links of each are in memory."""
        share = HEADS_IN_MEMORY // max(1, self._let_in)
        self._most_heads = max(FEWEST_HEADS, min(self._settings.heads_per_site, share))

    # -- sites and URLs -------------------------------------------------------------------------

    def new_site(self, name: str) -> Site:
        """Begin a queue for a site never met before."""
        number = len(self.sites) + 1
        site = self.names[name] = self.sites[number] = Site(number, name)
        self._dirty.add(number)
        return site

    def site_of(self, key: bytes) -> Site:
        """The site of a URL's key."""
        return self.sites[int.from_bytes(key[:4], "big")]

    def key(self, url: str) -> bytes | None:
        """The key of a URL, if its site is known."""
        site = self.names.get(site_of(url))
        return None if site is None else site.prefix + fingerprint(url)

    def known(self, key: bytes) -> UrlRecord | None:
        """What is known of a URL. The shelf changes with the next commit only, so it is asked once until then."""
        changes, looked_up = self.changes, self._looked_up
        found = changes.urls.get(key) or changes.refused.get(key) or self._leased.get(key)
        if found is not None:
            return found
        if key not in looked_up:
            if len(looked_up) >= MOST_LOOKED_UP:
                looked_up.clear()
            looked_up[key] = self._shelf.url(key)
        return looked_up[key]

    def touch(self, site: Site) -> None:
        """A site's figures have changed and must be written."""
        self._dirty.add(site.number)

    # -- waiting links --------------------------------------------------------------------------

    def enter(self, site: Site, key: bytes, record: UrlRecord) -> bool:
        """Let a link wait. Says whether it is the best of its site now."""
        queued = queue_key(key, record.order, record.number)
        changes = self.changes
        changes.urls[key] = record
        changes.queue(site.prefix, queued)
        if not site.let_in:
            site.let_in = True
            self._let_in += 1
            self._share_memory()
        if not site.waiting:
            site.floor = NO_FLOOR
        self.waiting += 1
        site.waiting += 1
        self._dirty.add(site.number)
        if queued >= site.floor:
            return False
        heads = site.heads
        insort(heads, queued)
        if len(heads) > 2 * self._most_heads:
            site.floor = heads[self._most_heads]
            del heads[self._most_heads :]
        return heads[0] is queued

    def leave(self, site: Site, key: bytes, record: UrlRecord) -> bool:
        """Let a link wait no longer. Says whether it was the best of its site."""
        queued = queue_key(key, record.order, record.number)
        self._count_out(site, queued)
        heads = site.heads
        place = bisect_left(heads, queued)
        if place == len(heads) or heads[place] != queued:
            return False
        del heads[place]
        return place == 0

    def _count_out(self, site: Site, queued: bytes) -> None:
        self.changes.unqueue(site.prefix, queued)
        self.waiting -= 1
        site.waiting -= 1
        self._dirty.add(site.number)

    def take(self, site: Site) -> tuple[bytes, bytes, UrlRecord] | None:
        """The best waiting link of a site, which waits no longer: its key, its queue key and what is known of it."""
        while self.has_links(site):
            queued = site.heads.pop(0)
            key = key_in_queue(queued)
            record = self.changes.urls.get(key) or self.changes.refused.get(key) or self._shelf.queued(queued)
            if record is not None and record.state is State.WAITING:
                self._count_out(site, queued)
                return key, queued, record
            self.changes.unqueue(site.prefix, queued)
        return None

    def has_links(self, site: Site) -> bool:
        """Whether a site has waiting links that are not rejected; if so, the best of them are in memory now."""
        return (bool(site.heads) or (site.waiting > 0 and self._refill(site))) and site.best < _REJECTED_PLACE

    def _refill(self, site: Site) -> bool:
        """Fetch a site's best waiting links from the shelf."""
        most, changes = self._most_heads, self.changes
        found = self._shelf.best(site.number, most + 1, changes.unqueued)
        if fresh := changes.queued.get(site.prefix):
            found = sorted({*found, *fresh})[: most + 1]
        site.floor = found.pop() if len(found) > most else NO_FLOOR
        site.heads = found
        return bool(found)

    # -- changes --------------------------------------------------------------------------------

    def drain(self) -> Changes:
        """What must be written; a new, empty set of changes begins."""
        changes, self.changes = self.changes, Changes()
        self._looked_up.clear()
        self._remember_leased(changes)
        for number in self._dirty:
            site = self.sites[number]
            rests_until = site.next_at if site.why or site.crawl_delay else 0.0
            changes.sites[number] = SiteRecord(
                number, site.name, site.waiting, site.crawl_delay, site.fetched, site.failed,
                site.backoff, rests_until, site.why,
            )  # fmt: skip
        self._dirty.clear()
        return changes

    def _remember_leased(self, changes: Changes) -> None:
        """Links that are out come back soon: what is known of them then need not be looked for."""
        leased = self._leased
        for key in changes.unleased:
            leased.pop(key, None)
        for key in (*changes.leased, *(leased.keys() & changes.urls.keys())):
            leased[key] = changes.urls[key]
