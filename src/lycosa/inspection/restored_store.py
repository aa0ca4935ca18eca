"""The store of an agent made anew, when it is damaged: from its archive, and from what was rolled into Parquet.

Rows of the catalogue that were rolled are kept; of every other response in the archive a row is made as if it came
now. What URLs are known, and which of them wait, follows from the rows and the links in them. The damaged store is
kept beside the new one. Visits that brought no response, what was refused and what strategies learned are lost.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path
from typing import TypeVar

import msgspec

from lycosa.configuration.sections import Configuration
from lycosa.crawl_folder.counts import Counts
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stores import damaged_agents
from lycosa.crawl_folder.topic import topic_of
from lycosa.crawling.assembly import build_frontier
from lycosa.crawling.sitemap_reading import sitemap_visit
from lycosa.crawling.visit_rows import visit_row
from lycosa.fetching.exchange import Transferred
from lycosa.fetching.response_outcome import Judge
from lycosa.pages.document import read_page
from lycosa.plugins import registry
from lycosa.queue_records import Changes, SiteRecord, State, UrlRecord, url_key
from lycosa.records import SITEMAP, Fetched, Link, Response, Score, Visit
from lycosa.scoring.strategy import Strategy, strategy_of
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.archive import ArchiveDamaged, Place, read
from lycosa.storage.archive_scan import go_on_after, places
from lycosa.storage.catalogue import VisitRow
from lycosa.urls import fingerprint, site_of

T = TypeVar("T")
AT_ONCE = 500
LOST = "visits that brought no answer, what was refused, letters not yet read, and what the strategy had learned"
FOUND_AGAIN = "found again when the store was made anew"


def restore(folder: CrawlFolder, number: int, now: float) -> str:
    """Make the store of an agent anew; returns a sentence about what is in it and what is lost."""
    own = folder.agent(number)
    fresh = own / "store.restored"
    shutil.rmtree(fresh, ignore_errors=True)
    (fresh / "catalogue").mkdir(parents=True)
    for path in (own / "store" / "catalogue").glob("*.parquet"):
        os.link(path, fresh / "catalogue" / path.name)
    with AgentStore(fresh) as store:
        told = _Restoring(folder, number, store, now).all()
    (fresh / "ready").touch()
    kept = _free_name(own)
    (own / "store").replace(kept)
    fresh.replace(own / "store")
    return f"the store of agent {number} was made anew: {told}; lost are {LOST}; the damaged one is kept as {kept.name}"


def _free_name(own: Path) -> Path:
    return next(path for each in range(1, 10_000) if not (path := own / f"store.damaged-{each}").exists())


@dataclass(slots=True)
class _Restoring:
    """The steps for one agent."""

    folder: CrawlFolder
    number: int
    store: AgentStore
    now: float
    counts: Counts = field(default_factory=Counts)
    waiting: int = 0

    def all(self) -> str:
        """Fill the new store; returns what is in it."""
        configuration = self.folder.configuration()
        rolled = catalogue.rolled(self.store.folder)
        position = go_on_after(self.folder.archive, f"agent-{self.number}")
        marks = {"rolled": str(rolled).encode(), **self._letters(configuration.agents)}
        self.store.commit(Batch(Changes(), position=position, marks=marks))
        read_again = self._rows(configuration)
        known = self._urls()
        self._links(configuration)
        marks = {"counts": msgspec.msgpack.encode(self.counts)}
        self.store.commit(Batch(Changes(), marks=marks))
        return (
            f"{rolled} visits from the catalogue, {read_again} from the archive, {known} URLs, {self.waiting} waiting"
        )

    def _letters(self, agents: int) -> dict[str, bytes]:
        """Letters are numbered on from what others have read, or they would take new ones for old."""
        marks = {}
        damaged = damaged_agents(self.folder)
        for other, path in enumerate(self.folder.agents(agents)):
            if other not in (self.number, *damaged) and (path / "store" / "ready").exists():
                with AgentStore(path / "store", readonly=True) as store:
                    marks[f"sent.{other}"] = str(store.number(f"received.{self.number}")).encode()
        return marks

    def _rows(self, configuration: Configuration) -> int:
        """Rows of the responses that no rolled row is about."""
        known = {(row.file, row.offset) for _, row in catalogue.history(self.store, columns=("url", "file", "offset"))}
        strategy = strategy_of(configuration, topic_of(configuration, self.folder.path))
        missing = (place for place in places(self.folder.archive, f"agent-{self.number}")
                   if (place.file, place.offset) not in known)  # fmt: skip
        made = 0
        for some in _some(self._visits(missing, configuration, strategy), AT_ONCE):
            digests: dict[bytes, str] = {}
            rows = [self._row(visit, place, digests) for visit, place in some]
            self.store.commit(Batch(Changes(), rows=rows, digests=digests))
            made += len(rows)
        return made

    def _visits(
        self, found: Iterator[Place], configuration: Configuration, strategy: Strategy
    ) -> Iterator[tuple[Visit, Place]]:
        judge, most = Judge(configuration.fetching), configuration.fetching.most_links
        for place in found:
            try:
                _, response = read(self.folder.archive, place)
            except (ArchiveDamaged, ValueError, KeyError, IndexError):
                continue  # the check after this one names it
            rel = SITEMAP if _SITEMAP.search(response.raw[:1000]) else ""
            outcome = judge.outcome(Link(response.url, rel=rel), _transferred(response), conditional=True)
            if not isinstance(outcome, Fetched):
                yield Visit(outcome.link, outcome, at=response.began), place
                continue
            if rel:
                yield sitemap_visit(outcome.link, outcome, configuration.sitemaps, response.began), place
                continue
            page = read_page(outcome, most, configuration.reads_structure)
            strategy.prepare([page])
            relevance, priorities = strategy.judge(page)
            classes = strategy.classes(page)
            yield Visit(outcome.link, outcome, page, relevance, priorities, response.began, classes), place

    def _row(self, visit: Visit, place: Place, digests: dict[bytes, str]) -> VisitRow:
        page, first = visit.page, None
        if page is not None and page.text:
            first = digests.get(page.digest) or self.store.first_with(page.digest)
            digests.setdefault(page.digest, page.url)
        other = first if first is not None and first != visit.link.url else ""
        return visit_row(visit, place, agent=self.number, attempts=1, duplicate_of=other, importance=None, aside=False,
                         claimed=None)  # fmt: skip

    def _urls(self) -> int:
        """Every URL that was visited, as its last visit left it, and the sites and counts that follow."""
        last: dict[str, VisitRow] = {}
        for _, row in catalogue.history(self.store):
            if row.outcome in _STATES or row.url not in last:
                last[row.url] = row
        numbered = sorted((site_of(url), url) for url in last)
        by_site = [(site, [url for _, url in group]) for site, group in groupby(numbered, key=lambda each: each[0])]
        number, threshold = 0, self.folder.configuration().topic.threshold
        for site_number, (site, urls) in enumerate(by_site, 1):
            changes = Changes()
            for url in urls:
                number += 1
                changes.urls[url_key(site_number, fingerprint(url))] = _record(last[url], number)
                self._count(last[url], threshold)
            done = sum(last[url].outcome == "fetched" for url in urls)
            failed = sum(last[url].outcome == "failed" for url in urls)
            changes.sites[site_number] = SiteRecord(site_number, site, fetched=done, failed=failed)
            self.store.commit(Batch(changes, digests=self._digests(last[url] for url in urls)))
        return number

    def _digests(self, rows: Iterator[VisitRow]) -> dict[bytes, str]:
        return {bytes.fromhex(row.digest): row.url for row in rows if row.digest and not row.duplicate_of}

    def _count(self, row: VisitRow, threshold: float) -> None:
        if row.outcome == "fetched":
            self.counts.fetched += 1
            self.counts.bytes += row.size
            self.counts.relevance += row.relevance or 0.0
            self.counts.relevant += (row.relevance or 0.0) >= threshold and not row.aside
            self.counts.duplicates += bool(row.duplicate_of)
        elif row.outcome == "failed":
            self.counts.failed[row.why] = self.counts.failed.get(row.why, 0) + 1

    def _links(self, configuration: Configuration) -> None:
        """Let in what the pages link to, as far as this agent owns it; seeds come in when the crawl is resumed."""
        owner = registry.find("assigners", configuration.partition)(configuration.agents)
        frontier = build_frontier(configuration, self.store, self.now)
        for some in _some(catalogue.link_rows(self.store), 20 * AT_ONCE):
            mine = [row for row in some if owner(row["url"]) == self.number]
            links = [Link(row["url"], parent=row["parent"], anchor=row["anchor"], depth=1) for row in mine]
            scores = [Score(row["score"], FOUND_AGAIN) for row in mine]
            self.waiting += frontier.add(links, scores, self.now)
            self.store.commit(Batch(frontier.drain()))


_SITEMAP = re.compile(rb"<(urlset|sitemapindex)[\s>]")
_STATES = {"fetched": State.DONE, "redirected": State.DONE, "failed": State.FAILED, "refused": State.REFUSED}


def _record(row: VisitRow, number: int) -> UrlRecord:
    return UrlRecord(
        row.url, _STATES.get(row.outcome, State.DONE), enqueued_at=row.at, parent=row.parent, depth=row.depth,
        attempts=row.attempts, why=row.why, at=row.at, number=number,
    )  # fmt: skip


def _transferred(response: Response) -> Transferred:
    fields = {name.lower(): value for name, value in reversed(response.headers)}
    return Transferred(
        response.status, response.headers, fields, response.raw, response.began, 0.0, response.address,
        truncated=False, fault=None,
    )  # fmt: skip


def _some(items: Iterable[T], most: int) -> Iterator[list[T]]:
    """Some at a time."""
    left = iter(items)
    while some := list(islice(left, most)):
        yield some
