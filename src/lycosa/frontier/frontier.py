"""Which link next: best first across the sites that may be visited now.

Each site has its own queue, ordered by `priority − rate·enqueued_at`: ageing
raises all waiting links alike, so that number never changes by itself and no
waiting link is ever touched. The best few links of a site are in memory, the
rest on the shelf. A site moves between phases: idle, closed (its robots.txt is
not read yet), opening, paused (by politeness), ready, busy. The frontier decides
and remembers; it neither fetches, nor waits, nor writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import heapify, heappop, heappush, nsmallest

import msgspec

from lycosa.configuration import FrontierSection
from lycosa.frontier.admission import Admission, Rule
from lycosa.frontier.ceilings import DAY, Throttle
from lycosa.frontier.politeness import Address, Manners, Phase, Site
from lycosa.frontier.seen_urls import SETTLED, SeenUrls
from lycosa.frontier.shelf import Shelf
from lycosa.records import (
    Failed,
    Fetched,
    Link,
    Outcome,
    Redirected,
    Refused,
    Score,
    SiteOpened,
    SiteShut,
    Unchanged,
)
from lycosa.urls import fingerprint, site_of
from lycosa.waiting import (
    Changes,
    SiteRecord,
    State,
    UrlRecord,
    due_key,
    key_in_queue,
    order_in_queue,
    queue_key,
    url_key,
)

HEADS_IN_MEMORY = 500_000
MOST_ANCHORS = 8
LONGEST_ANCHOR = 120
PICKINESS = 0.5
"""With a budget, a link is held back while one twice as good is to come free within the horizon (seconds)."""
HORIZON = 30.0
SMALLEST_GAIN = 0.005
"""A waiting link moves up only for a gain that matters: re-ordering costs two writes."""


class Frontier:
    """The waiting links of one agent."""

    def __init__(
        self,
        shelf: Shelf,
        admission: Admission,
        manners: Manners,
        throttle: Throttle,
        settings: FrontierSection,
        now: float = 0.0,
    ) -> None:
        self._shelf, self._admission, self._manners, self._throttle = shelf, admission, manners, throttle
        self._settings = settings
        self._rate = settings.ageing_per_day / DAY
        self._seen = SeenUrls(settings.cached_urls)
        self._numbers: dict[str, int] = {}
        self._sites: dict[int, Site] = {}
        self._ready: list[tuple[float, int]] = []
        self._closed: list[tuple[float, int]] = []
        self._timeline: list[tuple[float, int]] = []
        self._soon: list[tuple[float, int]] = []
        self._held = False
        self.picky = False
        self._addresses: dict[str, Address] = {}
        self._changes = Changes()
        self._dirty: set[int] = set()
        self._recheck: tuple[float, Rule] | None = None
        self._refusals_kept = 0
        self.refusals: Counter[str] = Counter()
        self.waiting = 0
        self.in_flight = 0
        self._share_memory()
        self._restore(now)

    def _restore(self, now: float) -> None:
        """Take up what the shelf holds. Nobody knows how recently a site was asked, so each gets a full pause."""
        for record in self._shelf.sites():
            site = Site(record.number, record.site, crawl_delay=record.delay)
            site.waiting, site.fetched, site.failed = record.waiting, record.fetched, record.failed
            if record.fetched or record.failed:
                site.next_at = now + self._manners.pause(site, 0.0)
            self._numbers[site.name], self._sites[site.number] = site.number, site
            self.waiting += site.waiting
        self._share_memory()
        for key, queued in self._shelf.leases():
            record_of_url = self._shelf.url(key)
            if record_of_url is not None:
                self._requeue(key, record_of_url, queued)
            self._changes.unleased.add(key)
        for site in self._sites.values():
            if site.waiting:
                self._refill(site)
                self._schedule(site, now)

    def _requeue(self, key: bytes, record: UrlRecord, queued: bytes) -> None:
        self._changes.urls[key] = msgspec.structs.replace(record, state=State.WAITING)
        self._changes.queue(queued)
        site = self._sites[int.from_bytes(key[:4], "big")]
        site.waiting += 1
        self.waiting += 1
        self._dirty.add(site.number)

    # -- taking links ---------------------------------------------------------------------------

    def next(self, now: float) -> Link | None:
        """The best link that may be fetched now, or None. It is leased until it is settled."""
        self._wake(now)
        self._held = False
        if self._throttle.wait(now) > 0:
            return None
        while self._ready:
            negative, number = self._ready[0]
            site = self._sites[number]
            if site.phase is not Phase.READY or -negative != site.best:
                heappop(self._ready)
                continue
            if self.picky and self._better_soon(site, now):
                self._held = True
                return None
            heappop(self._ready)
            if site.opened_until <= now:
                self._schedule(site, now)
            elif self._may_be_asked(site, now):
                link = self._take(site, now)
                if link is not None:
                    return link
        return None

    def _better_soon(self, site: Site, now: float) -> bool:
        """Whether a site that must pause for a moment has something far better than this one.

        With a budget of pages, taking whatever may be taken now would spend it on
        links nobody hoped for, while the promising sites wait out their delays.
        """
        while self._soon:
            negative, number = self._soon[0]
            other = self._sites[number]
            waits = other.phase is Phase.BUSY or (other.phase is Phase.PAUSED and other.next_at - now <= HORIZON)
            if waits and -negative == other.best:
                aged = self._rate * now
                return site.best + aged < PICKINESS * (other.best + aged)
            heappop(self._soon)
        return False

    def _may_be_asked(self, site: Site, now: float) -> bool:
        """Whether the site's own ceiling and the address it shares with others allow a request."""
        wait = self._throttle.site_wait(site.number, now)
        address = self._addresses.setdefault(site.address, Address())
        wait = max(wait, address.next_at - now)
        if wait > 0:
            site.next_at = now + wait
            self._schedule(site, now)
            return False
        if address.in_flight >= self._manners.rules.per_address:
            site.phase = Phase.PAUSED
            address.parked.append(site)
            return False
        address.in_flight += 1
        address.next_at = now + self._manners.rules.address_delay
        return True

    def _take(self, site: Site, now: float) -> Link | None:
        while site.heads or self._refill(site):
            negative, key = heappop(site.heads)
            record = self._known(key)
            if record is None or record.state is not State.WAITING or record.order != -negative:
                continue
            site.waiting -= 1
            self.waiting -= 1
            self._dirty.add(site.number)
            queued = queue_key(key, record.order)
            self._changes.unqueue(queued)
            if self._recheck and record.enqueued_at <= self._recheck[0]:
                why = self._recheck[1](record.link())
                if why:
                    self._refuse(key, record, why, now)
                    continue
            self._changes.leased[key] = queued
            self._changes.unleased.discard(key)
            self._changes.urls[key] = msgspec.structs.replace(
                record, state=State.LEASED, attempts=record.attempts + 1, at=now
            )
            self._seen.put(record.url, SETTLED)
            self._throttle.asked(site.number)
            site.phase = Phase.BUSY
            if site.heads or self._refill(site):
                heappush(self._soon, (-site.best, site.number))
            self.in_flight += 1
            return record.link()
        self._leave_address(site, now)
        site.phase = Phase.IDLE
        return None

    def _wake(self, now: float) -> None:
        while self._timeline and self._timeline[0][0] <= now:
            at, number = heappop(self._timeline)
            site = self._sites[number]
            if site.phase is Phase.PAUSED and site.next_at == at:
                self._schedule(site, now)

    def wait(self, now: float) -> float | None:
        """Seconds until another link may come free by time alone; None if only an event can change that."""
        if self._ready and not self._held:
            return max(self._throttle.wait(now), 0.0)
        return max(0.0, self._timeline[0][0] - now) if self._timeline else None

    def known(self, link: Link) -> UrlRecord | None:
        """What is known of a link's URL."""
        key = self._key(link.url)
        return None if key is None else self._known(key)

    def _known(self, key: bytes) -> UrlRecord | None:
        return self._changes.urls.get(key) or self._changes.refused.get(key) or self._shelf.url(key)

    def _key(self, url: str) -> bytes | None:
        number = self._numbers.get(site_of(url))
        return None if number is None else url_key(number, fingerprint(url))

    # -- sites ----------------------------------------------------------------------------------

    def site_to_open(self, now: float) -> str | None:
        """The most promising site whose name and robots.txt are not known yet."""
        self._wake(now)
        while self._closed:
            negative, number = heappop(self._closed)
            site = self._sites[number]
            if site.phase is Phase.CLOSED and -negative == site.best:
                site.phase = Phase.OPENING
                return site.name
        return None

    @property
    def has_closed_sites(self) -> bool:
        """Whether some site still waits to be opened."""
        return bool(self._closed)

    def opened(self, answer: SiteOpened | SiteShut, now: float) -> None:
        """A site's name was resolved and its robots.txt read, or not."""
        site = self._sites[self._numbers[answer.site]]
        self._manners.opened(site, answer, now)
        self._schedule(site, now)

    def _schedule(self, site: Site, now: float) -> None:
        """Put a site into the phase that its state asks for."""
        if not site.heads and not self._refill(site):
            site.phase = Phase.IDLE
        elif site.next_at > now:
            site.phase = Phase.PAUSED
            heappush(self._timeline, (site.next_at, site.number))
            heappush(self._soon, (-site.best, site.number))
        elif site.opened_until <= now:
            site.phase = Phase.CLOSED
            heappush(self._closed, (-site.best, site.number))
        else:
            site.phase = Phase.READY
            heappush(self._ready, (-site.best, site.number))

    def _refill(self, site: Site) -> bool:
        """Fetch a site's best waiting links from the shelf."""
        if not site.waiting:
            return False
        number = self._most_heads
        changes, prefix = self._changes, site.number.to_bytes(4, "big")
        found = self._shelf.best(site.number, number + 1, changes.unqueued)
        if changes.queued:
            found = sorted({*found, *(key for key in changes.queued if key[:4] == prefix)})[: number + 1]
        site.floor = order_in_queue(found.pop()) if len(found) > number else float("-inf")
        site.heads = [(-order_in_queue(queued), key_in_queue(queued)) for queued in found]
        heapify(site.heads)
        return bool(site.heads)

    def _share_memory(self) -> None:
        """The more sites there are, the fewer links of each are in memory."""
        self._most_heads = max(4, min(self._settings.heads_per_site, HEADS_IN_MEMORY // max(1, len(self._sites))))

    def sites(self) -> Sequence[Site]:
        """All sites, for reports."""
        return list(self._sites.values())

    def site(self, name: str) -> Site | None:
        """One site, for reports."""
        number = self._numbers.get(name)
        return None if number is None else self._sites[number]

    # -- finishing links ------------------------------------------------------------------------

    def finished(self, link: Link, outcome: Outcome, seconds: float, now: float) -> None:
        """A request is over: let politeness know at once, so that the pause begins now."""
        site = self._sites[self._numbers[site_of(link.url)]]
        self.in_flight -= 1
        self._manners.finished(site, outcome, seconds, now)
        response = None if isinstance(outcome, Refused) else outcome.response
        if response is not None:
            site.bytes += len(response.raw)
            self._throttle.received(site.number, len(response.raw))
        self._leave_address(site, now)
        self._dirty.add(site.number)
        self._schedule(site, now)

    def _leave_address(self, site: Site, now: float) -> None:
        address = self._addresses.get(site.address)
        if address is None:
            return
        address.in_flight -= 1
        if address.parked:
            self._schedule(address.parked.pop(), now)

    def settle(self, link: Link, outcome: Outcome, now: float) -> None:
        """What became of a leased link."""
        key = self._key(link.url)
        record = None if key is None else self._known(key)
        if key is None or record is None:
            raise ValueError(f"{link.url} was never leased")
        self._changes.leased.pop(key, None)
        self._changes.unleased.add(key)
        self._changes.urls[key] = self._settled(key, record, outcome, now)

    def _settled(self, key: bytes, record: UrlRecord, outcome: Outcome, now: float) -> UrlRecord:
        match outcome:
            case Fetched(response=response) | Unchanged(response=response):
                return msgspec.structs.replace(
                    record,
                    state=State.DONE,
                    at=now,
                    etag=response.header("etag")[:200],
                    last_modified=response.header("last-modified")[:60],
                )
            case Redirected(target=target):
                return msgspec.structs.replace(record, state=State.DONE, at=now, detail=f"redirected to {target}")
            case Refused(why=why, detail=detail):
                self.refusals[why] += 1
                return msgspec.structs.replace(record, state=State.REFUSED, at=now, why=why, detail=detail)
            case Failed(why=why, detail=detail, again=again):
                if again and record.attempts <= self._manners.rules.retries:
                    at = self._manners.retry_at(record.attempts, outcome, now)
                    self._changes.postponed.add(due_key(at, key))
                    return msgspec.structs.replace(record, state=State.LATER, at=at, detail=f"{why} {detail}".strip())
                return msgspec.structs.replace(record, state=State.FAILED, at=now, why=why, detail=detail)

    def give_back(self, link: Link, now: float) -> None:
        """Return a leased link unvisited, as when the crawl stops."""
        key = self._key(link.url)
        queued = None if key is None else self._changes.leased.pop(key, None)
        record = None if key is None else self._known(key)
        if key is None or record is None:
            raise ValueError(f"{link.url} was never leased")
        self._changes.unleased.add(key)
        again = msgspec.structs.replace(record, attempts=max(0, record.attempts - 1))
        self._requeue(key, again, queued or queue_key(key, record.order))
        site = self._sites[int.from_bytes(key[:4], "big")]
        self.in_flight -= 1
        self._leave_address(site, now)
        heappush(site.heads, (-record.order, key))
        self._schedule(site, now)

    def wake_postponed(self, now: float, most: int = 1000) -> None:
        """Let links whose retry is due wait in their queues again."""
        for due in self._shelf.due(now, most):
            if due in self._changes.unpostponed:
                continue
            self._changes.unpostponed.add(due)
            key = due[8:]
            record = self._known(key)
            if record is not None and record.state is State.LATER:
                self._enqueue(key, record, record.priority, now, now)

    # -- adding links ---------------------------------------------------------------------------

    def add(self, links: Sequence[Link], scores: Sequence[Score], now: float) -> int:
        """Let links in: new ones through admission, waiting ones with a better priority. Returns how many are new."""
        numbers, seen, new = self._numbers, self._seen.get, 0
        unsure: list[tuple[bytes | None, Link, Score]] = []
        for link, score in zip(links, scores, strict=True):
            cached = seen(link.url)
            if cached is None or cached + SMALLEST_GAIN < score.value:
                number = numbers.get(site_of(link.url))
                key = None if number is None else url_key(number, fingerprint(link.url))
                unsure.append((key, link, score))
        on_shelf = self._shelf.known([key for key, _, _ in unsure if key is not None])
        for key, link, score in unsure:
            key = key or self._key(link.url)
            record = None
            if key is not None:
                record = self._changes.urls.get(key) or self._changes.refused.get(key) or on_shelf.get(key)
            if key is None or record is None:
                new += self._admit(link, score, now, key)
            else:
                self._raise(key, record, link, score, now)
        return new

    def _admit(self, link: Link, score: Score, now: float, key: bytes | None) -> bool:
        why = self._admission.refusal(link)
        if why is not None and self._refusals_kept >= self._settings.refusals_kept:
            self.refusals[_reason(why)] += 1
            return False
        if key is None:
            key = url_key(self._new_site(site_of(link.url)).number, fingerprint(link.url))
        value = score.value
        anchors = (link.anchor[:LONGEST_ANCHOR],) if link.anchor else ()
        order = value - self._rate * now
        record = UrlRecord(
            link.url, State.WAITING, value, now, order, link.parent, link.depth, link.redirects, 0, anchors, score.why
        )
        if why is not None:
            self._refuse(key, record, why, now)
            return False
        self._queue(key, record, now)
        return True

    def _new_site(self, name: str) -> Site:
        number = self._numbers[name] = len(self._numbers) + 1
        site = self._sites[number] = Site(number, name)
        self._dirty.add(number)
        self._share_memory()
        return site

    def _refuse(self, key: bytes, record: UrlRecord, why: str, now: float) -> None:
        self.refusals[_reason(why)] += 1
        self._refusals_kept += 1
        self._changes.urls.pop(key, None)
        self._changes.refused[key] = msgspec.structs.replace(record, state=State.REFUSED, why=why, at=now)
        self._seen.put(record.url, SETTLED)

    def _raise(self, key: bytes, record: UrlRecord, link: Link, score: Score, now: float) -> None:
        """A known URL was found again: a better judgement counts, with its old place in time."""
        if record.state is not State.WAITING or score.value < record.priority + SMALLEST_GAIN:
            self._seen.put(record.url, record.priority if record.state is State.WAITING else SETTLED)
            return
        self._changes.unqueue(queue_key(key, record.order))
        anchor = link.anchor[:LONGEST_ANCHOR]
        anchors = record.anchors
        if anchor and anchor not in anchors and len(anchors) < MOST_ANCHORS:
            anchors = (*anchors, anchor)
        site = self._sites[int.from_bytes(key[:4], "big")]
        site.waiting -= 1
        self.waiting -= 1
        better = msgspec.structs.replace(
            record, parent=link.parent, depth=min(record.depth, link.depth), why=score.why, anchors=anchors
        )
        self._enqueue(key, better, score.value, record.enqueued_at, now)

    def _enqueue(self, key: bytes, record: UrlRecord, priority: float, enqueued_at: float, now: float) -> None:
        """Let a known link wait with another priority or from another time on."""
        order = priority - self._rate * enqueued_at
        waiting = msgspec.structs.replace(
            record, state=State.WAITING, priority=priority, enqueued_at=enqueued_at, order=order
        )
        self._queue(key, waiting, now)

    def _queue(self, key: bytes, record: UrlRecord, now: float) -> None:
        site, order = self._sites[int.from_bytes(key[:4], "big")], record.order
        self._changes.urls[key] = record
        self._changes.queue(queue_key(key, order))
        self._seen.put(record.url, record.priority)
        site.waiting += 1
        self.waiting += 1
        self._dirty.add(site.number)
        if order > site.floor:
            self._push(site, order, key, now)

    def _push(self, site: Site, order: float, key: bytes, now: float) -> None:
        better = order > site.best
        heappush(site.heads, (-order, key))
        if len(site.heads) > 2 * self._most_heads:
            site.heads = nsmallest(self._most_heads, site.heads)
            site.floor = -site.heads[-1][0]
        if site.phase is Phase.IDLE or (better and site.phase in (Phase.READY, Phase.CLOSED)):
            self._schedule(site, now)

    # -- changes --------------------------------------------------------------------------------

    def change_rules(self, admission: Admission, recheck: Rule, now: float) -> None:
        """Use other admission rules from now on; links that wait already are checked again when their turn comes."""
        self._admission, self._recheck = admission, (now, recheck)

    def change_manners(self, manners: Manners) -> None:
        """Use other rules of politeness from now on."""
        self._manners = manners

    @property
    def throttle(self) -> Throttle:
        """The ceilings, to be changed while running."""
        return self._throttle

    def drain(self) -> Changes:
        """What must be written; the frontier begins a new, empty set of changes."""
        changes, self._changes = self._changes, Changes()
        for number in self._dirty:
            site = self._sites[number]
            changes.sites[number] = SiteRecord(
                number, site.name, site.waiting, site.crawl_delay, site.fetched, site.failed
            )
        self._dirty.clear()
        return changes


def _reason(why: str) -> str:
    """The counted name of a refusal: what stands before the colon."""
    return why.partition(":")[0]
