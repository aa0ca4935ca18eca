"""Step 6: the only place where a crawl writes.

`commit` takes what visits found, in batches: responses go to the archive and are
synced; then one transaction of the agent's store holds the states of URLs, the
journal rows, new links, letters to other agents and how far the archive counts.
Killed at any moment, the crawl goes on from its last batch.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Protocol

import msgspec

from lycosa.click_records import PageClicks
from lycosa.configuration.sections import Configuration
from lycosa.cooperation.mailbox import Courier
from lycosa.crawl_folder.counts import kept_counts
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stages import Stages
from lycosa.crawling import site_priorities as site_places
from lycosa.crawling import url_rewriting as spellings
from lycosa.crawling.canonical_links import CanonicalLinks
from lycosa.crawling.dark_pages import DarkPages
from lycosa.crawling.frontier_updates import Intake
from lycosa.crawling.lastmod_claims import SitemapClaims
from lycosa.crawling.readmission import SecondThoughts
from lycosa.crawling.site_priorities import SitePlaces
from lycosa.crawling.sitemap_reading import FIRST, sitemap_links
from lycosa.crawling.url_rewriting import Spellings
from lycosa.crawling.visit_rows import judged_row, new_response, visit_row
from lycosa.duplicates.canonical_links import HAS_IT_NOT, Verdict
from lycosa.frontier.frontier import Frontier
from lycosa.plugins.plug_points import Assigner
from lycosa.records import SiteOpened, Visit
from lycosa.scoring.strategy import Strategy
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.archive import Archive, Place
from lycosa.storage.catalogue import VisitRow

UNBELIEVED = "the page that it names as canonical says something else now"


class PagesAgain(Protocol):
    """The pages of a round of looking again, in a frontier of their own, and what their sites claim of them."""

    frontier: Frontier
    claimed: dict[str, float]

    def compared(self, visit: Visit) -> Visit:
        """The visit in the light of what is known of the page."""

    def settle(self, visits: Sequence[Visit], now: float) -> None:
        """What became of the pages of a batch."""

    def class_figures(self) -> tuple[dict[str, int], dict[str, int]]:
        """How many pages each change class has, and how many of them are due."""

    def next_due(self, configuration: Configuration) -> float | None:
        """When the first page is due to be looked at again."""


class Crawl:
    """One agent's share of a crawl: its frontier, its store, its archive, and the commit that joins them."""

    def __init__(
        self,
        number: int,
        configuration: Configuration,
        frontier: Frontier,
        store: AgentStore,
        archive: Archive,
        strategy: Strategy,
        owner: Assigner,
        courier: Courier,
    ) -> None:
        self.number, self.configuration = number, configuration
        self.frontier, self.store, self.archive = frontier, store, archive
        self._strategy, self._courier = strategy, courier
        self._told = b""
        self.counts = kept_counts(store.mark("counts"))
        self.stages = Stages(self.counts.stages)
        frontier.recall_refusals(self.counts.refused)
        self._before = msgspec.structs.replace(self.counts)
        self._spellings = Spellings(configuration.urls, store.mark(spellings.MARK))
        frontier.change_spelling(self._spellings.other_form)
        self._claims, self._places = SitemapClaims(), SitePlaces(store.mark(site_places.MARK))
        self._intake = Intake(number, configuration, frontier, strategy, owner, self.counts, self._spellings)
        archived = CrawlFolder(store.folder.parents[2]).archive
        self.second_thoughts = SecondThoughts(store, frontier, configuration)
        self._canonical = CanonicalLinks(store, frontier, self.counts, archived)
        self.dark = DarkPages(number, owner, store, configuration.topic.threshold)
        self.hear_statistics(recall=True)

    def change(self, configuration: Configuration) -> None:
        """Work by other settings from now on."""
        self.configuration = self._intake.configuration = configuration
        self.dark.threshold = configuration.topic.threshold
        self._spellings.change(configuration.urls)
        self.second_thoughts.change(configuration)
        if not configuration.sitemaps.order_sites:
            self.frontier.order_sites({})
            self._places = SitePlaces(self.store.mark(site_places.MARK))
        self._strategy.adjust(configuration)

    # -- in -------------------------------------------------------------------------------------

    def inject(self, urls: Iterable[str], now: float, orders: int | None = None) -> None:
        """Add the seeds that this agent owns. Known ones change nothing."""
        with self.stages.timed("inject"):
            self._intake.inject(urls, now, asked_for=orders is not None)
            marks = {} if orders is None else {"orders": str(orders).encode()}
            self.store.commit(Batch(self.frontier.drain(), marks=marks))

    def watch(self, pages: Sequence[PageClicks], now: float) -> None:
        """People did this with pages: judge waiting links by it, and consider those that nobody links to."""
        with self.stages.timed("update", 0):
            self._strategy.watch(pages)
            self.frontier.revise(self._strategy.revised(), now)
            if self.configuration.clicks.dark_pages:
                self.dark.consider(pages)

    def admit_dark(self, now: float) -> None:
        """Let some dark pages in."""
        with self.stages.timed("inject", 0):
            marks = self.dark.let_in(self._intake.admit_unlinked(self.dark.next(), now))
            self.store.commit(Batch(self.frontier.drain(), marks=marks))
            self.counts.dark = self.dark.counts()

    def begin_site(self, opened: SiteOpened, now: float) -> None:
        """A site is open: its sitemaps come first."""
        self._intake.begin(sitemap_links(opened, self.configuration.sitemaps), FIRST, now)

    # -- the commit -----------------------------------------------------------------------------

    def commit(self, visits: Sequence[Visit], now: float, again: PagesAgain | None = None) -> None:
        """Make a batch of visits durable, and let their links in; with `again`, of pages that were looked at again."""
        if again is not None:
            visits = [again.compared(visit) for visit in visits]
        else:
            visits = [self._claims.compared(visit, self.store.first_with) for visit in visits]
        with self.stages.timed("archive", len(visits)):
            places = self._archive(visits)
        with self.stages.timed("update", len(visits)):
            digests: dict[bytes, str] = {}
            self._canonical.begin()
            rows = [self._row(visit, place, digests, again) for visit, place in zip(visits, places, strict=True)]
            self._spellings.learn(visits, rows)
            judged = self._canonical.judged
            rows += [judged_row(each, now, self.number) for each in judged]
            self.dark.note(visits, self._strategy.aside_below)
            unbelieved = [each.url for each in judged if each.anew]
            mail = self._intake.take_in(visits, now, None if again else self._claims.renewal, again=again is not None)
            if again is not None:
                again.settle(visits, now)
                self.counts.classes, self.counts.due = again.class_figures()
            else:
                self._claims.judge(visits)
            self.frontier.revisit(unbelieved, UNBELIEVED, now, anew=True)
        with self.stages.timed("exchange"):
            received, delivered = self._receive(now)
        self._count()
        with self.stages.timed("update", 0):
            learned = {**self._new_statistics(), **self._spellings.kept(now), **self._order_sites(visits, now, again)}
            learned |= self._canonical.kept(now) | self.second_thoughts.go_on(now)
            marks = {"counts": msgspec.msgpack.encode(self.counts), **learned}
            position = self.archive.position
            counted = self.frontier.rules_counted()
            changes = self.frontier.drain()
            self.store.commit(Batch(changes, rows, digests, mail, received, delivered, position, marks, counted))

    def _count(self) -> None:
        """Take over what others count for this run alone."""
        counts, before, seen = self.counts, self._before, self.frontier.seen
        counts.refused = dict(self.frontier.refusals)
        counts.stages = self.stages.kept()
        counts.dark = self.dark.counts()
        counts.known_links = before.known_links + self.frontier.known_links
        counts.seen_hits = before.seen_hits + seen.hits
        counts.seen_misses = before.seen_misses + seen.misses
        counts.said_newer = before.said_newer + self._claims.taken

    def _order_sites(self, visits: Sequence[Visit], now: float, again: PagesAgain | None) -> dict[str, bytes]:
        """Let sites come in the order of what their sitemaps bring; returns what is to be kept of it.

        Where there is nothing else to be done, there is always time for it.
        """
        if again is not None or not self.configuration.sitemaps.order_sites:
            return {}
        begin = perf_counter()
        self._places.note(visits)
        places = self._places.anew(now if visits else math.inf)
        if places is None:
            return {}
        self.frontier.order_sites(places)
        self._places.rest(now, perf_counter() - begin)
        return self._places.kept()

    def _new_statistics(self) -> dict[str, bytes]:
        """The strategy's counts, where they differ from those that are kept already: a T-Graph may be large."""
        if not self._strategy.shares:
            return {}
        told = self._strategy.statistics()
        if told == self._told:
            return {}
        self._told = told
        return {"statistics": told}

    def _archive(self, visits: Sequence[Visit]) -> list[Place | None]:
        responses = [new_response(visit) for visit in visits]
        stored = iter(self.archive.append([response for response in responses if response is not None]))
        return [None if response is None else next(stored) for response in responses]

    def _row(self, visit: Visit, place: Place | None, digests: dict[bytes, str], again: PagesAgain | None) -> VisitRow:
        aside = visit.relevance is not None and visit.relevance.value < self._strategy.aside_below
        url = visit.link.url
        claimed = self._claims.of(url) if again is None else again.claimed.get(url)
        if again is not None or claimed is not None:
            self.counts.note_again(visit)
        else:
            self.counts.note(visit, self.configuration.topic.threshold, aside)
        record = self.frontier.known(visit.link)
        given_up = record is not None and record.attempts > self.configuration.politeness.retries
        verdict = self._canonical.judge(visit, place, given_up)
        duplicate_of = self._duplicate_of(visit, digests, verdict)
        if verdict is Verdict.BELIEVED and visit.page is not None:
            self.counts.duplicates += not duplicate_of
            duplicate_of = visit.page.canonical
        return visit_row(
            visit,
            place,
            agent=self.number,
            attempts=record.attempts if record else 0,
            duplicate_of=duplicate_of,
            importance=self._importance(visit),
            aside=aside,
            claimed=claimed,
            canonical=verdict,
        )

    def _importance(self, visit: Visit) -> float | None:
        """What the strategy thinks of the page itself, now that it is there."""
        if visit.page is None or visit.relevance is None:
            return None
        return self._strategy.importance(visit.page, visit.relevance).value

    def _duplicate_of(self, visit: Visit, digests: dict[bytes, str], canonical: Verdict | None) -> str:
        """The URL that has the same text, unless it is known to have it no more, or names this one in its place.

        A page that must not be indexed is nobody's original: a copy with `noindex` would hide the page it was made of.
        """
        page = visit.page
        if page is None or not page.text or page.placeholder or page.noindex:
            return ""
        first = digests.get(page.digest) or self.store.first_with(page.digest) or self._elsewhere(page.digest)
        lost_it = canonical in HAS_IT_NOT and first == page.canonical
        if first is None or lost_it or self._canonical.claims(first, page.url):
            digests[page.digest] = page.url
            return ""
        if first == page.url:
            return ""
        self.counts.duplicates += 1
        return first

    def _elsewhere(self, digest: bytes) -> str | None:
        """The URL under which another agent has this content."""
        return next((url for peer in self._courier.peers().values() if (url := peer.first_with(digest))), None)

    # -- letters --------------------------------------------------------------------------------

    def _receive(self, now: float) -> tuple[dict[int, int], dict[int, int]]:
        """Read what other agents found for this one, and see what they have read."""
        received: dict[int, int] = {}
        delivered: dict[int, int] = {}
        for sender, peer in self._courier.peers().items():
            peer.refresh()
            for number, letters in peer.mail_for(self.number, self.store.number(f"received.{sender}")):
                self._intake.hear(letters, now)
                self.dark.linked(link.url for link, _ in letters)
                received[sender] = number
            delivered[sender] = peer.number(f"received.{self.number}")
        return received, delivered

    def mail_waits(self) -> bool:
        """Whether another agent has letters for this one, or has not read all of its."""
        for sender, peer in self._courier.peers().items():
            peer.refresh()
            if peer.number(f"sent.{self.number}") > self.store.number(f"received.{sender}"):
                return True
            if self.store.number(f"sent.{sender}") > peer.number(f"received.{self.number}"):
                return True
        return False

    def hear_statistics(self, *, recall: bool = False) -> None:
        """Take the other agents' statistics into the scores, so that two agents score one page alike."""
        others = [peer.mark("statistics") for peer in self._courier.peers().values()]
        own = self.store.mark("statistics") if recall else None
        self._strategy.recall(own, [each for each in others if each is not None])

    def close(self) -> None:
        """Close files."""
        self._courier.close()
        self.archive.close()
        self.store.close()
