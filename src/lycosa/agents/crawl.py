"""Step 6: the only place where a crawl writes.

`commit` takes what visits found, in batches: responses go to the archive and are
synced; then one transaction of the agent's store holds the states of URLs, the
journal rows, new links, letters to other agents and how far the archive counts.
Killed at any moment, the crawl goes on from its last batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from lycosa.agents.counts import Counts
from lycosa.agents.courier import Courier
from lycosa.agents.dark_pages import DarkPages
from lycosa.agents.intake import Intake
from lycosa.agents.partition import Assigner
from lycosa.agents.sitemap_reading import FIRST, sitemap_links
from lycosa.agents.stages import Stages
from lycosa.clicks import PageClicks
from lycosa.configuration import Configuration
from lycosa.frontier.frontier import Frontier
from lycosa.records import SITEMAP, Failed, Redirected, Refused, Response, SiteOpened, Unchanged, Visit
from lycosa.scoring.strategy import Strategy
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.archive import Archive, Place
from lycosa.storage.catalogue import LinkColumns, VisitRow

NOT_MODIFIED = 304


class PagesAgain(Protocol):
    """The pages of a round of looking again, in a frontier of their own, and what their sites claim of them."""

    frontier: Frontier
    claimed: dict[str, float]

    def compared(self, visit: Visit) -> Visit:
        """The visit in the light of what is known of the page."""

    def settle(self, visits: Sequence[Visit], now: float) -> None:
        """What became of the pages of a batch."""

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
        self.stages = Stages()
        kept = store.mark("counts")
        self.counts = msgspec.msgpack.decode(kept, type=Counts) if kept else Counts()
        self._intake = Intake(number, configuration, frontier, strategy, owner, self.counts)
        self.dark = DarkPages(number, owner, store, configuration.topic.threshold)
        self.hear_statistics(recall=True)

    def change(self, configuration: Configuration) -> None:
        """Work by other settings from now on."""
        self.configuration = self._intake.configuration = configuration
        self.dark.threshold = configuration.topic.threshold
        self._strategy.adjust(configuration)

    # -- in -------------------------------------------------------------------------------------

    def inject(self, urls: Iterable[str], now: float, orders: int | None = None) -> None:
        """Add the seeds that this agent owns. Known ones change nothing."""
        with self.stages.timed("inject"):
            self._intake.inject(urls, now)
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
        with self.stages.timed("archive", len(visits)):
            places = self._archive(visits)
        with self.stages.timed("update", len(visits)):
            digests: dict[bytes, str] = {}
            rows = [self._row(visit, place, digests, again) for visit, place in zip(visits, places, strict=True)]
            self.dark.note(visits, self._strategy.aside_below)
            mail = self._intake.take_in(visits, now, again=again is not None)
            if again is not None:
                again.settle(visits, now)
        with self.stages.timed("exchange"):
            received, delivered = self._receive(now)
        self.counts.refused = dict(self.frontier.refusals)
        self.counts.dark = self.dark.counts()
        with self.stages.timed("update", 0):
            marks = {"counts": msgspec.msgpack.encode(self.counts), **self._new_statistics()}
            position = self.archive.position
            self.store.commit(Batch(self.frontier.drain(), rows, digests, mail, received, delivered, position, marks))

    def _new_statistics(self) -> dict[str, bytes]:
        """The strategy's counts, where they differ from those that are kept already: a T-Graph may be large."""
        told = self._strategy.statistics()
        if told == self._told:
            return {}
        self._told = told
        return {"statistics": told}

    def _archive(self, visits: Sequence[Visit]) -> list[Place | None]:
        responses = [_new_response(visit) for visit in visits]
        stored = iter(self.archive.append([response for response in responses if response is not None]))
        return [None if response is None else next(stored) for response in responses]

    def _row(
        self, visit: Visit, place: Place | None, digests: dict[bytes, str], again: PagesAgain | None = None
    ) -> VisitRow:
        aside = visit.relevance is not None and visit.relevance.value < self._strategy.aside_below
        if again is None:
            self.counts.note(visit, self.configuration.topic.threshold, aside)
        else:
            self.counts.note_again(visit)
        response, page, outcome = _response(visit), visit.page, visit.outcome
        record = self.frontier.known(visit.link)
        why = outcome.why if isinstance(outcome, Refused | Failed) else ""
        duplicate_of = self._duplicate_of(visit, digests)
        return VisitRow(
            url=visit.link.url,
            at=visit.at,
            agent=self.number,
            outcome=SITEMAP if page and visit.link.rel == SITEMAP else type(outcome).__name__.lower(),
            why=why,
            detail=outcome.detail if isinstance(outcome, Refused | Failed) else "",
            status=response.status if response else 0,
            mime=response.header("content-type")[:100] if response else "",
            charset=page.charset if page else "",
            language=page.language if page else "",
            title=page.title[:300] if page else "",
            length=len(response.body) if response else 0,
            seconds=response.seconds if response else 0.0,
            address=response.address if response else "",
            digest=page.digest.hex() if page else "",
            duplicate_of=duplicate_of,
            target=outcome.target if isinstance(outcome, Redirected) else "",
            relevance=visit.relevance.value if visit.relevance else None,
            relevance_why=visit.relevance.why if visit.relevance else "",
            importance=self._importance(visit),
            noindex=page.noindex if page else False,
            depth=visit.link.depth,
            parent=visit.link.parent,
            attempts=record.attempts if record else 0,
            file=place.file if place else "",
            offset=place.offset if place else 0,
            size=place.length if place else 0,
            links_dropped=page.links_dropped if page else 0,
            links=LinkColumns() if visit.link.rel == SITEMAP else _columns(visit),
            classes=" ".join(visit.classes),
            aside=aside,
            claimed=again.claimed.get(visit.link.url) if again is not None else None,
        )

    def _importance(self, visit: Visit) -> float | None:
        """What the strategy thinks of the page itself, now that it is there."""
        if visit.page is None or visit.relevance is None:
            return None
        return self._strategy.importance(visit.page, visit.relevance).value

    def _duplicate_of(self, visit: Visit, digests: dict[bytes, str]) -> str:
        page = visit.page
        if page is None or not page.text:
            return ""
        first = digests.get(page.digest) or self.store.first_with(page.digest) or self._elsewhere(page.digest)
        if first is None:
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


def _response(visit: Visit) -> Response | None:
    return None if isinstance(visit.outcome, Refused) else visit.outcome.response


def _new_response(visit: Visit) -> Response | None:
    """The response to be archived: none where the page came whole and was the one we have."""
    same = isinstance(visit.outcome, Unchanged) and visit.outcome.response.status != NOT_MODIFIED
    return None if same else _response(visit)


def _columns(visit: Visit) -> LinkColumns:
    links = visit.page.links if visit.page else ()
    return LinkColumns(
        tuple([link.url for link in links]),
        tuple([link.anchor for link in links]),
        tuple([score.value for score in visit.priorities]),
        tuple([link.tag_path for link in links]),
    )
