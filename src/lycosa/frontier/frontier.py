"""Which link next: best first across the sites that may be visited now.

The frontier lets links in, hands the best one out, and takes note of what became
of it. The queues know the order within a site, the calendar whose turn it is,
politeness and ceilings when it may be; here they meet. The frontier decides and
remembers; it neither fetches, nor waits, nor writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from lycosa.configuration.sections import FrontierSection
from lycosa.frontier.admission import Admission
from lycosa.frontier.enqueuer import Entrance, Offer, OtherForm, Renewal
from lycosa.frontier.frontier_store import Shelf
from lycosa.frontier.leases import Leases
from lycosa.frontier.politeness import Manners, Phase, Site
from lycosa.frontier.rate_limiter import DAY, Throttle
from lycosa.frontier.request_outcome import REDIRECTED, settled
from lycosa.frontier.request_slots import Turns
from lycosa.frontier.seen_urls import SETTLED, SeenUrls
from lycosa.frontier.shared_turns import NobodyElse, SharedTurns
from lycosa.frontier.site_queues import Queues
from lycosa.frontier.site_scheduler import Calendar
from lycosa.plugins.plug_points import AdmissionRule
from lycosa.queue_records import Changes, State, UrlRecord, due_key
from lycosa.records import GONE, Failed, Fetched, Link, Outcome, Refused, Score, SiteOpened, SiteShut, Unchanged, Visit
from lycosa.urls import site_of

LONGEST_LOOP = 20
HELD_FOR = 8
"""Requests after which sites that wait for others are looked at again."""
PATIENCE = 0.25
"""A site that waits for others goes once none of them is ready and none was asked for so many seconds."""

_replace = msgspec.structs.replace


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
        shared: SharedTurns | None = None,
    ) -> None:
        self._shelf, self._manners, self._throttle = shelf, manners, throttle
        self._queues = Queues(shelf, settings)
        self._calendar = Calendar(self._queues, settings.ageing_per_day / DAY)
        self._entrance = Entrance(shelf, self._queues, self._calendar, admission, settings)
        self._leases = Leases(self._queues, shelf)
        self._turns = Turns(self._queues, self._calendar, manners, throttle, shared or NobodyElse())
        self._held = False
        self._requests = self._held_until = 0
        self._held_back: list[Site] = []
        self._others_at = now
        self._held_till: float | None = None
        self._recheck: tuple[float, AdmissionRule] | None = None
        self.in_flight = 0
        self._restore(now)

    def _restore(self, now: float) -> None:
        """Take up what the shelf holds."""
        self._leases.restore()
        for site in self._queues.sites.values():
            self._manners.take_up(site, now)
            self._calendar.place(site, now)

    # -- taking links ---------------------------------------------------------------------------

    def next(self, now: float) -> Link | None:
        """The best link that may be fetched now, or None. It is leased until it is settled."""
        self._calendar.wake(now)
        self._held, self._held_till = False, None
        if self._throttle.wait(now) > 0:
            return None
        if self._held_back and self._requests >= self._held_until:
            self._let_go(now)
        link = self._next(now)
        if link is not None:
            self._others_at = now
        elif self._held_back and not self._held:
            link = self._next_held_back(now)
        return link

    def _next_held_back(self, now: float) -> Link | None:
        """A link of a site that waits for others, if none of these is likely to be ready in a moment."""
        if self.in_flight and 0 <= now - self._others_at < PATIENCE:
            self._held, self._held_till = True, self._others_at + PATIENCE
            return None
        link = None
        while link is None and self._held_back:
            site = self._held_back.pop(0)
            link = self._of(site, now) if site.phase is Phase.READY else None
        return link

    def _hold_back(self, site: Site) -> None:
        """Keep a site out of the order until others have had so many requests, or have no links."""
        if not self._held_back:
            self._held_until = self._requests + HELD_FOR
        if site not in self._held_back:
            self._held_back.append(site)

    def _let_go(self, now: float) -> None:
        held_back, self._held_back = self._held_back, []
        for site in held_back:
            if site.phase is Phase.READY:
                self._calendar.place(site, now)

    def _of(self, site: Site, now: float) -> Link | None:
        """The best link of a site, if there is a turn for it."""
        return self._take(site, now) if self._turns.take(site, now) else None

    def _next(self, now: float) -> Link | None:
        """The best link of a site that does not have to wait for others."""
        calendar = self._calendar
        while (site := calendar.best_ready()) is not None:
            if calendar.picky and calendar.better_soon(site, now):
                self._held = True
                return None
            calendar.take_ready()
            if site.opened_until <= now:
                calendar.place(site, now)
            elif self._entrance.admission.holds_back(site.name, self._requests):
                self._hold_back(site)
            elif (link := self._of(site, now)) is not None:
                return link
        return None

    def _take(self, site: Site, now: float) -> Link | None:
        spent = self._entrance.admission.spent
        while (taken := self._queues.take(site)) is not None:
            key, queued, record = taken
            link = record.link()
            why = self._recheck[1](link) if self._recheck and record.enqueued_at <= self._recheck[0] else None
            if why := why or self._entrance.known_otherwise(record) or spent(link):
                self._entrance.refuse(key, record, why, now)
                continue
            self._leases.begin(key, queued, record, now)
            self.seen.put(record.url, SETTLED)
            self._throttle.asked(site.number)
            self._calendar.busy(site)
            self.in_flight += 1
            self._requests += 1
            return link
        self._turns.end(site, now)
        site.phase = Phase.IDLE
        return None

    def wait(self, now: float) -> float | None:
        """Seconds until another link may come free by time alone; None if only an event can change that."""
        if self._calendar.has_ready and not self._held:
            return max(self._throttle.wait(now), 0.0)
        wakes = [at for at in (self._calendar.next_wake(), self._held_till) if at is not None]
        return max(0.0, min(wakes) - now) if wakes else None

    def known(self, link: Link) -> UrlRecord | None:
        """What is known of a link's URL."""
        key = self._queues.key(link.url)
        return None if key is None else self._queues.known(key)

    def leads_back(self, url: str, target: str) -> bool:
        """Whether redirects lead from a redirect's target back to its URL, as far as they are known here."""
        for _ in range(LONGEST_LOOP):
            record = self.known(Link(target))
            if record is None or not record.detail.startswith(REDIRECTED):
                return False
            target = record.detail.removeprefix(REDIRECTED)
            if target == url:
                return True
        return False

    @property
    def refusals(self) -> Counter[str]:
        """How many links were refused, by reason."""
        return self._entrance.refusals

    def recall_refusals(self, counts: Mapping[str, int]) -> None:
        """Go on counting them from what an earlier run counted."""
        self._entrance.recall_refusals(counts)

    @property
    def known_links(self) -> int:
        """How many links led to URLs that were known already."""
        return self._entrance.known_links

    @property
    def seen(self) -> SeenUrls:
        """The memory of URLs in front of the shelf."""
        return self._entrance.seen

    @property
    def waiting(self) -> int:
        """How many links wait."""
        return self._queues.waiting

    @property
    def picky(self) -> bool:
        """Whether a poor link is held back while a far better one is to come free soon."""
        return self._calendar.picky

    @picky.setter
    def picky(self, value: bool) -> None:
        self._calendar.picky = value

    # -- sites ----------------------------------------------------------------------------------

    def site_to_open(self, now: float) -> str | None:
        """The most promising site whose name and robots.txt are not known yet."""
        self._calendar.wake(now)
        site = self._calendar.take_closed()
        return None if site is None else site.name

    @property
    def has_closed_sites(self) -> bool:
        """Whether some site still waits to be opened."""
        return self._calendar.has_closed

    def opened(self, answer: SiteOpened | SiteShut, now: float) -> None:
        """A site's name was resolved and its robots.txt read, or not."""
        site = self._queues.names[answer.site]
        left = site.address
        self._manners.opened(site, answer, now)
        if isinstance(answer, SiteOpened):
            self._turns.opened(site, now)
        self._queues.touch(site)
        self._calendar.place(site, now)
        self._turns.pass_on(left, now)

    def ask(self, url: str, address: str, now: float) -> float:
        """Take the turn of a request that opening a site takes: 0 if it is taken, else seconds to wait."""
        return self._turns.ask(url, address, now)

    def answered(self, url: str, address: str, received: int, now: float) -> None:
        """A request whose turn was taken so is over."""
        self._turns.answered(url, address, received, now)

    def blocked(self, url: str) -> str | None:
        """Why a URL must not be asked for on any account, not even for a robots.txt; or None."""
        return self._entrance.admission.blocked(Link(url))

    def reopen(self, whys: tuple[str, ...], now: float) -> None:
        """Let sites be opened now that rest for such reasons."""
        for site in self._queues.sites.values():
            if site.why.startswith(whys):
                site.why, site.next_at = "", now
                self._queues.touch(site)
                if site.phase in (Phase.PAUSED, Phase.IDLE):
                    self._calendar.place(site, now)

    def order_sites(self, places: Mapping[str, int]) -> None:
        """Of sites with equally good links take the one with the lowest place first (M2)."""
        self._calendar.order_sites(places)

    def sites(self) -> Sequence[Site]:
        """All sites, for reports."""
        return list(self._queues.sites.values())

    def site(self, name: str) -> Site | None:
        """One site, for reports."""
        return self._queues.names.get(name)

    # -- finishing links ------------------------------------------------------------------------

    def finished(self, link: Link, outcome: Outcome, seconds: float, now: float) -> None:
        """A request is over: let politeness know at once, so that the pause begins now."""
        site = self._queues.names[site_of(link.url)]
        self.in_flight -= 1
        self._manners.finished(site, outcome, seconds, now)
        response = outcome.response
        if response is not None:
            site.bytes += len(response.raw)
            self._throttle.received(site.number, len(response.raw))
        self._turns.end(site, now)
        self._queues.touch(site)
        self._calendar.place(site, now)

    def settle(self, link: Link, outcome: Outcome, now: float) -> None:
        """What became of a leased link."""
        key, record = self._leases.end(link)
        self._queues.changes.urls[key] = self._settled(key, record, outcome, now)

    def _settled(self, key: bytes, record: UrlRecord, outcome: Outcome, now: float) -> UrlRecord:
        retry_at = None
        if isinstance(outcome, Refused):
            self.refusals[outcome.why] += 1
        elif isinstance(outcome, Failed) and outcome.again and record.attempts <= self._manners.rules.retries:
            retry_at = self._manners.retry_at(record.attempts, outcome, now)
            self._queues.changes.postponed.add(due_key(retry_at, key))
        return settled(record, outcome, now, retry_at)

    def looked(self, link: Link, outcome: Outcome, now: float) -> None:
        """A page was looked at again, outside of the queues: note what its server said of it."""
        key = self._queues.key(link.url)
        record = None if key is None else self._queues.known(key)
        gone = isinstance(outcome, Failed) and outcome.why in GONE
        if key is not None and record is not None and (gone or isinstance(outcome, Fetched | Unchanged)):
            self._queues.changes.urls[key] = self._settled(key, record, outcome, now)

    def postponed_until(self, time: float) -> bool:
        """Whether a postponed link comes due by then."""
        return bool(self._shelf.due(time, 1))

    def give_back(self, link: Link, now: float) -> None:
        """Return a leased link unvisited, as when the crawl stops."""
        key, record = self._leases.end(link)
        site = self._queues.site_of(key)
        again = _replace(record, state=State.WAITING, attempts=max(0, record.attempts - 1))
        self._queues.enter(site, key, again)
        self.seen.put(record.url, record.priority)
        self.in_flight -= 1
        self._turns.give_back(site, now)
        self._calendar.place(site, now)

    def wake_postponed(self, now: float, most: int = 1000) -> None:
        """Let links whose retry is due wait in their queues again."""
        changes = self._queues.changes
        for due in self._shelf.due(now, most):
            if due in changes.unpostponed:
                continue
            changes.unpostponed.add(due)
            key = due[8:]
            record = self._queues.known(key)
            if record is not None and record.state is State.LATER:
                self._entrance.again(key, record, now)

    # -- adding links ---------------------------------------------------------------------------

    def add(self, links: Sequence[Link], scores: Sequence[Score], now: float, renewal: Renewal | None = None) -> int:
        """Let links in: new ones through admission, waiting ones with a better priority. Returns how many are new.

        A page that was fetched waits once more where a sitemap says that it changed since and `renewal` agrees.
        """
        return self._entrance.add([Offer(links, scores)], now, renewal)

    def add_all(self, offers: Sequence[Offer], now: float, renewal: Renewal | None = None) -> int:
        """The same for the links of many pages."""
        return self._entrance.add(offers, now, renewal)

    def revise(self, judgements: Iterable[tuple[str, Score]], now: float) -> int:
        """Give waiting links the priorities that a strategy holds now, up or down. Returns how many changed.

        URLs are in normal form. A link keeps its place in time; links that do not
        wait are left alone, and of two judgements of one URL the last counts.
        """
        return self._entrance.revise(judgements, now)

    def reconsider(self, urls: Iterable[str], now: float, *, seeds: bool = False) -> int:
        """Let links wait that were refused and would not be any more, or not as `seeds`. Returns how many do."""
        return self._entrance.reconsider(urls, now, seeds=seeds)

    def revisit(self, urls: Iterable[str], why: str, now: float, *, anew: bool = False) -> int:
        """Let pages that were fetched before, or could not be, wait once more. Returns how many do.

        `anew` asks for them as if there were no copy, not only for what is newer.
        """
        return self._entrance.revisit(urls, why, now, anew=anew)

    # -- changes --------------------------------------------------------------------------------

    def change_rules(self, admission: Admission, recheck: AdmissionRule, now: float) -> None:
        """Use other admission rules from now on; links that wait already are checked again when their turn comes."""
        admission.take_over(self._entrance.admission)
        self._entrance.admission = admission
        self.recheck(recheck, now)

    def recheck(self, rule: AdmissionRule, now: float) -> None:
        """Ask a rule about links that wait already when their turn comes: it may have changed since they came in."""
        self._recheck = now, rule

    def recall_rules(self, kept: Mapping[str, Mapping[bytes, int]]) -> None:
        """Let admission rules go on with what they had counted before a restart."""
        self._entrance.admission.recall(kept, [site.name for site in self._queues.sites.values() if site.let_in])

    def rules_counted(self) -> dict[str, Mapping[bytes, int]]:
        """What admission rules counted that is to be kept, since this was asked last."""
        return self._entrance.admission.news()

    def learn(self, visits: Sequence[Visit]) -> None:
        """Pages came, whose links are not let in yet: judge their sites by them."""
        seen = self._entrance.seen
        self._entrance.admission.learn(visits, lambda url: seen.peek(url) is not None)

    def change_spelling(self, other_form: OtherForm) -> None:
        """Write URLs by what is learned of their sites; links that wait already are checked when their turn comes."""
        self._entrance.other_form = other_form

    def change_manners(self, manners: Manners) -> None:
        """Use other rules of politeness from now on."""
        self._manners = manners
        self._turns.change(manners)

    @property
    def throttle(self) -> Throttle:
        """The ceilings, to be changed while running."""
        return self._throttle

    def drain(self) -> Changes:
        """What must be written; the frontier begins a new, empty set of changes."""
        return self._queues.drain()
