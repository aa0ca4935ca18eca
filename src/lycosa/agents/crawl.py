"""Steps 6 and 7: the only place where a crawl writes.

`commit` takes what visits found, in batches: responses go to the archive and are
synced; then one transaction of the agent's store holds the states of URLs, the
journal rows, new links, letters to other agents and how far the archive counts.
Killed at any moment, the crawl goes on from its last batch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from lycosa.agents.courier import Courier
from lycosa.agents.partition import Assigner
from lycosa.agents.stages import Stages
from lycosa.configuration import Configuration
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.seen_urls import SeenUrls
from lycosa.records import Failed, Fetched, Link, Redirected, Refused, Response, Score, Visit
from lycosa.scoring.scorer import PageScorer
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.archive import Archive, Place
from lycosa.storage.catalogue import LinkColumns, VisitRow
from lycosa.urls import normalise

SEED = Score(1.0, "a seed")
CROSS_OVER = 10.0
"""Foreign links in cross-over mode wait behind all own links."""
SENT_REMEMBERED = 200_000


class Counts(msgspec.Struct):
    """What an agent has done so far, kept with its store."""

    fetched: int = 0
    relevant: int = 0
    duplicates: int = 0
    bytes: int = 0
    relevance: float = 0.0
    links: int = 0
    new_links: int = 0
    sent: int = 0
    received: int = 0
    failed: dict[str, int] = {}
    refused: dict[str, int] = {}


class Crawl:
    """One agent's share of a crawl: its frontier, its store, its archive, and the commit that joins them."""

    def __init__(
        self,
        number: int,
        configuration: Configuration,
        frontier: Frontier,
        store: AgentStore,
        archive: Archive,
        scorer: PageScorer,
        owner: Assigner,
        courier: Courier,
    ) -> None:
        self.number, self.configuration = number, configuration
        self.frontier, self.store, self.archive = frontier, store, archive
        self._scorer, self._owner, self._courier = scorer, owner, courier
        self._sent = SeenUrls(SENT_REMEMBERED)
        self.stages = Stages()
        kept = store.mark("counts")
        self.counts = msgspec.msgpack.decode(kept, type=Counts) if kept else Counts()
        self.hear_statistics(recall=True)

    # -- in -------------------------------------------------------------------------------------

    def inject(self, urls: Iterable[str], now: float, orders: int | None = None) -> None:
        """Add the seeds that this agent owns. Known ones change nothing."""
        with self.stages.timed("inject"):
            links = [Link(url) for url in map(normalise, urls) if url is not None and self._owner(url) == self.number]
            self.counts.new_links += self.frontier.add(links, [SEED] * len(links), now)
            marks = {} if orders is None else {"orders": str(orders).encode()}
            self.store.commit(Batch(self.frontier.drain(), marks=marks))

    # -- the commit -----------------------------------------------------------------------------

    def commit(self, visits: Sequence[Visit], now: float) -> None:
        """Make a batch of visits durable, and let their links in."""
        with self.stages.timed("archive", len(visits)):
            places = self._archive(visits)
        with self.stages.timed("update", len(visits)):
            digests: dict[bytes, str] = {}
            rows = [self._row(visit, place, digests) for visit, place in zip(visits, places, strict=True)]
            for visit in visits:
                self.frontier.settle(visit.link, visit.outcome, now)
            mail = self._let_in(visits, now)
            self.frontier.wake_postponed(now)
            self._scorer.learn(visits)
        with self.stages.timed("exchange"):
            received, delivered = self._receive(now)
        self.counts.refused = dict(self.frontier.refusals)
        with self.stages.timed("update", 0):
            marks = {"counts": msgspec.msgpack.encode(self.counts), "statistics": self._scorer.statistics()}
            position = self.archive.position
            self.store.commit(Batch(self.frontier.drain(), rows, digests, mail, received, delivered, position, marks))

    def _archive(self, visits: Sequence[Visit]) -> list[Place | None]:
        responses = [_response(visit) for visit in visits]
        stored = iter(self.archive.append([response for response in responses if response is not None]))
        return [None if response is None else next(stored) for response in responses]

    def _row(self, visit: Visit, place: Place | None, digests: dict[bytes, str]) -> VisitRow:
        self._count(visit)
        response, page, outcome = _response(visit), visit.page, visit.outcome
        record = self.frontier.known(visit.link)
        why = outcome.why if isinstance(outcome, Refused | Failed) else ""
        duplicate_of = self._duplicate_of(visit, digests)
        return VisitRow(
            url=visit.link.url,
            at=visit.at,
            agent=self.number,
            outcome=type(outcome).__name__.lower(),
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
            importance=visit.relevance.value if visit.relevance else None,
            noindex=page.noindex if page else False,
            depth=visit.link.depth,
            parent=visit.link.parent,
            attempts=record.attempts if record else 0,
            file=place.file if place else "",
            offset=place.offset if place else 0,
            size=place.length if place else 0,
            links_dropped=page.links_dropped if page else 0,
            links=_columns(visit),
        )

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

    def _count(self, visit: Visit) -> None:
        counts, outcome = self.counts, visit.outcome
        if isinstance(outcome, Fetched):
            counts.fetched += 1
            counts.bytes += len(outcome.response.raw)
            relevance = visit.relevance.value if visit.relevance else 0.0
            counts.relevance += relevance
            counts.relevant += relevance >= self.configuration.topic.threshold
        elif isinstance(outcome, Failed):
            counts.failed[outcome.why] = counts.failed.get(outcome.why, 0) + 1

    # -- links ----------------------------------------------------------------------------------

    def _let_in(self, visits: Sequence[Visit], now: float) -> dict[int, list[tuple[Link, Score]]]:
        """Step 7: own links in through admission, foreign links out to their owner."""
        own_links: list[Link] = []
        own_scores: list[Score] = []
        mail: dict[int, list[tuple[Link, Score]]] = {}
        alone = self.configuration.agents == 1
        for visit in visits:
            links, scores = self._followed(visit)
            self.counts.links += len(links)
            if alone:
                own_links += links
                own_scores += scores
                continue
            for link, score in zip(links, scores, strict=True):
                owner = self._owner(link.url)
                if owner == self.number:
                    own_links.append(link)
                    own_scores.append(score)
                else:
                    self._foreign(link, score, owner, mail, own_links, own_scores)
        self.counts.new_links += self.frontier.add(own_links, own_scores, now)
        return mail

    def _followed(self, visit: Visit) -> tuple[Sequence[Link], Sequence[Score]]:
        """The links of a visit that may be followed."""
        outcome, page = visit.outcome, visit.page
        if isinstance(outcome, Redirected):
            record = self.frontier.known(visit.link)
            link = msgspec.structs.replace(visit.link, url=outcome.target, redirects=visit.link.redirects + 1)
            return [link], [Score(record.priority if record else 0.5, f"redirected from {visit.link.url}")]
        if page is None or (page.nofollow and not self.configuration.scope.follow_nofollow):
            return (), ()
        if self.configuration.scope.follow_nofollow or not any(link.rel for link in page.links):
            return page.links, visit.priorities
        kept = [place for place, link in enumerate(page.links) if "nofollow" not in link.rel]
        return [page.links[place] for place in kept], [visit.priorities[place] for place in kept]

    def _foreign(
        self,
        link: Link,
        score: Score,
        owner: int,
        mail: dict[int, list[tuple[Link, Score]]],
        own_links: list[Link],
        own_scores: list[Score],
    ) -> None:
        if self.configuration.mode == "firewall":
            self.frontier.refusals["foreign"] += 1
        elif self.configuration.mode == "cross-over":
            own_links.append(link)
            own_scores.append(Score(score.value - CROSS_OVER, score.why))
        else:
            known = self._sent.get(link.url)
            if known is None or known < score.value:
                self._sent.put(link.url, score.value)
                self.counts.sent += 1
                brief = Link(link.url, link.parent, link.anchor, depth=link.depth, redirects=link.redirects)
                mail.setdefault(owner, []).append((brief, score))

    def _receive(self, now: float) -> tuple[dict[int, int], dict[int, int]]:
        """Read what other agents found for this one, and see what they have read."""
        received: dict[int, int] = {}
        delivered: dict[int, int] = {}
        for sender, peer in self._courier.peers().items():
            peer.refresh()
            for number, letters in peer.mail_for(self.number, self.store.number(f"received.{sender}")):
                links, scores = [link for link, _ in letters], [score for _, score in letters]
                self.counts.new_links += self.frontier.add(links, scores, now)
                self.counts.received += len(links)
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
        self._scorer.recall(own, [each for each in others if each is not None])

    def close(self) -> None:
        """Close files."""
        self._courier.close()
        self.archive.close()
        self.store.close()


def _response(visit: Visit) -> Response | None:
    return None if isinstance(visit.outcome, Refused) else visit.outcome.response


def _columns(visit: Visit) -> LinkColumns:
    links = visit.page.links if visit.page else ()
    return LinkColumns(
        tuple([link.url for link in links]),
        tuple([link.anchor for link in links]),
        tuple([score.value for score in visit.priorities]),
        tuple([link.tag_path for link in links]),
    )


def total(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    """Counts by name added up."""
    summed: Counter[str] = Counter()
    for each in counts:
        summed.update(each)
    return dict(summed)
