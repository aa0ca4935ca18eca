"""The way of a page. READ THIS FIRST.

An agent takes the best link from its frontier (1) and fetches it (2). Visits go on in
batches: pages are read (3), they are scored (4), and their links (5): that is
`understand`, which changes nothing. Then the batch is committed (6), and the links let
in (7): that is `Crawl.commit`. `run` keeps many visits under way, opens sites ahead of
need (name resolved, robots.txt read) and obeys what people wish in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import accumulate
from time import perf_counter
from typing import Any, Protocol

from lycosa.configuration.sections import Configuration
from lycosa.cooperation.page_budget import Budget
from lycosa.crawl_folder.folder import Wish
from lycosa.crawl_folder.reading_slot import OF_AGENT
from lycosa.crawl_folder.suspect_pages import SuspectPages
from lycosa.crawling.commit import Crawl, PagesAgain
from lycosa.crawling.reading_alone import checked
from lycosa.crawling.site_opening import Openings
from lycosa.crawling.sitemap_reading import sitemap_visit
from lycosa.crawling.visit_rows import response_of
from lycosa.pages.document import read_page
from lycosa.plugins.plug_points import Adjustable, Fetcher, Known, Turns
from lycosa.records import SITEMAP, Failed, Fetched, Link, Page, Redirected, SiteOpened, SiteShut, Visit
from lycosa.scoring.strategy import Strategy

LONGEST_WAIT = 0.25
GRACE = 15.0
HEARD_AT_LEAST, KEPT_SOON = 1.0, 0.1
"""Seconds after which there is a commit, whatever happened, and where something must not be forgotten."""


class Superior(Protocol):
    """Whoever tells an agent what people wish, and hears how it fares."""

    def look(self, agent: Agent, now: float) -> Wish:
        """Called a few times a second; may change the agent's settings."""


class Agent:
    """Owns its sites completely and works through their links."""

    def __init__(
        self,
        crawl: Crawl,
        fetcher: Fetcher,
        strategy: Strategy,
        budget: Budget,
        superior: Superior,
        clock: Callable[[], float],
        again: PagesAgain | None = None,
    ) -> None:
        self.crawl, self.budget, self.clock = crawl, budget, clock
        self.frontier, self.stages = again.frontier if again else crawl.frontier, crawl.stages
        self._again = again
        self._fetcher, self._strategy = fetcher, strategy
        self._superior = superior
        self._suspects = SuspectPages(crawl.store.folder.parent / OF_AGENT)
        self._visits: list[Visit] = []
        self._bytes, self._oldest = 0, 0.0
        self._under_way: dict[int, tuple[asyncio.Task[None], Link]] = {}
        self._sent = 0
        self._openings = Openings(self.frontier, self._open, clock, self._site_opened, self._break)
        self._event, self._stop_now = asyncio.Event(), asyncio.Event()
        self._looked, self._wish = float("-inf"), Wish.RUN
        self._heard = 0.0
        self._starved = self._was_idle = False
        self._broken: BaseException | None = None

    @property
    def stopping(self) -> bool:
        """Whether the agent ends without waiting for the visits under way."""
        return self._stop_now.is_set()

    def stop(self) -> None:
        """End now: visits under way are given back."""
        self._stop_now.set()
        self._event.set()

    @property
    def due(self) -> float | None:
        """When the next page is due to be looked at again, as far as a round can tell."""
        return None if self._again is None else self._again.next_due(self.crawl.configuration)

    def adjust_fetcher(self, configuration: Configuration) -> None:
        """Let the fetcher go on with changed settings, if it can."""
        if isinstance(self._fetcher, Adjustable):
            self._fetcher.adjust(configuration)

    # -- understanding --------------------------------------------------------------------------

    def understand(self, visits: Sequence[Visit]) -> list[Visit]:
        """Steps 3 to 5, for a batch at once, which is a good deal cheaper than page by page. Changes nothing."""
        self._suspects.begin([visit.link.url for visit in visits])
        with self.stages.timed("parse", 0):
            visits = [self._safely(self._read, visit) for visit in visits]
        pages = [visit.page for visit in visits if visit.page is not None and visit.link.rel != SITEMAP]
        self.stages.note("parse", 0.0, len(pages))
        with self.stages.timed("score", len(pages)):
            if pages:
                self._suspects.together()
                self._prepare(pages)
            visits = [self._safely(self._judged, visit) for visit in visits]
        self._suspects.together()
        return visits

    def _prepare(self, pages: Sequence[Page]) -> None:
        try:
            self._strategy.prepare(pages)
        except Exception:  # noqa: BLE001 - counted; a page that is to blame fails by itself when it is judged
            self._count_failure("batch-not-prepared")

    def _count_failure(self, why: str) -> None:
        """Count something that failed and was no visit."""
        failed = self.crawl.counts.failed
        failed[why] = failed.get(why, 0) + 1

    def _safely(self, step: Callable[[Visit], Visit], visit: Visit) -> Visit:
        if isinstance(visit.outcome, Fetched):
            self._suspects.page(visit.link.url)
        try:
            return step(visit)
        except Exception as error:  # noqa: BLE001 - one page must not stop a crawl: it is recorded with its error
            if visit.link.rel != SITEMAP:
                self.budget.give_back()
            return Visit(visit.link, _our_fault(visit.link, error), at=visit.at)

    def _read(self, visit: Visit) -> Visit:
        link, outcome = visit.link, visit.outcome
        if isinstance(outcome, Redirected) and self.crawl.frontier.leads_back(link.url, outcome.target):
            looped = Failed(link, "redirect-loop", f"back by way of {outcome.target}", response=outcome.response)
            return Visit(link, looped, at=visit.at)
        if not isinstance(outcome, Fetched):
            return visit
        configuration = self.crawl.configuration
        drop_tracking = configuration.urls.drop_tracking
        if link.rel == SITEMAP:
            return sitemap_visit(link, outcome, configuration.sitemaps, visit.at, drop_tracking=drop_tracking)
        most, structured = configuration.fetching.most_links, configuration.reads_structure
        return Visit(link, outcome, read_page(outcome, most, structured, drop_tracking=drop_tracking), at=visit.at)

    def _judged(self, visit: Visit) -> Visit:
        page = visit.page
        if page is None or visit.link.rel == SITEMAP:
            return visit
        relevance, priorities = self._strategy.judge(page)
        return Visit(visit.link, visit.outcome, page, relevance, priorities, visit.at, self._strategy.classes(page))

    def _try(self, visit: Visit) -> None:
        """Steps 3 to 5 for one page, in a process that may die of it."""
        read = self._read(visit)
        if read.page is not None and read.link.rel != SITEMAP:
            self._strategy.prepare([read.page])
            self._judged(read)

    # -- the loop -------------------------------------------------------------------------------

    async def run(self) -> None:
        """Work until told to stop (or, alone, until there is nothing left to do)."""
        try:
            while not self.stopping:
                now = self.clock()
                self._listen(now)
                if self._wish is Wish.STOP:
                    break
                self._openings.held = self._wish is not Wish.RUN
                if self._wish is Wish.RUN:
                    self._openings.begin(now)
                    self._send_out(now)
                self._commit_if_due(now)
                self._raise_broken()
                if not self._has_become_idle():
                    await self._something_happens(now)
        finally:
            await self._wind_up()
        self._raise_broken()

    def _has_become_idle(self) -> bool:
        """Whether the last page has just been done: the superior hears of it at once."""
        before, self._was_idle = self._was_idle, self.idle
        if self._was_idle and not before:
            self._looked = float("-inf")
            return True
        return False

    def _listen(self, now: float) -> None:
        if now - self._looked >= LONGEST_WAIT:
            self._looked = now
            self._wish = self._superior.look(self, now)

    async def _open(self, site: str, now: float, turns: Turns) -> SiteOpened | SiteShut:
        return await self._fetcher.open(site, now, turns)

    def _site_opened(self, answer: SiteOpened | SiteShut) -> None:
        now = self.clock()
        if isinstance(answer, SiteShut):
            self._count_failure(answer.why)
        self.frontier.opened(answer, now)
        if isinstance(answer, SiteOpened):
            self.crawl.begin_site(answer, now)
            if answer.crawl_delay:  # it is kept soon: whoever follows should we be killed must know of it
                self._heard = min(self._heard, now - HEARD_AT_LEAST + KEPT_SOON)
        self._event.set()

    def _break(self, error: Exception) -> None:
        self._broken = error
        self._event.set()

    def _send_out(self, now: float) -> None:
        """Steps 1 and 2: as many links as there are free connections."""
        free = self.crawl.configuration.fetching.connections - len(self._under_way)
        sent, begin = 0, perf_counter()
        self._starved = not self._under_way
        granted = self.budget.take(free) if free > 0 else 0
        while sent < granted:
            link = self.frontier.next(now)
            if link is None:
                break
            self._starved = False
            self._sent += 1
            self._under_way[self._sent] = asyncio.create_task(self._visit_and_note(link, self._sent)), link
            sent += 1
        if sent < granted:
            self.budget.give_back(granted - sent)
        spent = perf_counter() - begin
        self.stages.note("generate", spent, sent, spent)  # it waits for nothing, and this is asked far too often

    async def _visit_and_note(self, link: Link, number: int) -> None:
        try:
            outcome = await self._fetcher.fetch(link, self._known(link))
            if isinstance(outcome, Fetched):
                visit, limits = Visit(link, outcome, at=self.clock()), self.crawl.configuration.reading
                outcome = await checked(outcome, self._suspects, limits, lambda: self._try(visit))
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - one page must not stop a crawl: it is recorded with its error
            outcome = _our_fault(link, error)
        self._under_way.pop(number)
        self._note(Visit(link, outcome, at=self.clock()))

    def _known(self, link: Link) -> Known | None:
        """What to ask conditionally with; a sitemap is always read whole, for what it says of others."""
        record = self.crawl.frontier.known(link)
        if record is None or link.rel == SITEMAP or not (record.etag or record.last_modified):
            return None
        return Known(record.etag, record.last_modified)

    def _note(self, visit: Visit) -> None:
        outcome, response = visit.outcome, response_of(visit)
        self.frontier.finished(visit.link, outcome, response.seconds if response else 0.0, self.clock())
        self.stages.note("fetch", response.seconds if response else 0.0)
        if not isinstance(outcome, Fetched) or visit.link.rel == SITEMAP:
            self.budget.give_back()
        if not self._visits:
            self._oldest = visit.at
        self._visits.append(visit)
        self._bytes += _size(visit)
        self._event.set()

    # -- committing -----------------------------------------------------------------------------

    def _commit_if_due(self, now: float) -> None:
        storage = self.crawl.configuration.storage
        full = len(self._visits) >= storage.batch_visits or self._bytes >= storage.batch_bytes
        old = bool(self._visits) and now - self._oldest >= storage.batch_seconds
        if full or old or (self._visits and self._starved) or now - self._heard >= HEARD_AT_LEAST:
            self._commit(now)

    def _commit(self, now: float) -> None:
        visits = self._batch()
        self._heard = now
        try:
            self.crawl.commit(self.understand(visits), now, self._again)
            self._suspects.done()
        except BaseException as error:
            self._broken = error  # what is in memory no longer matches the store: nothing may be written after this
            raise

    def _batch(self) -> list[Visit]:
        """The visits to be committed now: all, unless their pages are so large that others would wait for long.

        A suspect makes a batch alone, so that whatever it does is done to no other page.
        """
        visits, self._visits = self._visits, []
        most = self.crawl.configuration.storage.batch_bytes
        number = len(visits)
        if self._bytes > most:
            number = 1 + sum(size < most for size in accumulate(map(_size, visits[:-1])))
        suspect = next((place for place, visit in enumerate(visits) if visit.link.url in self._suspects), number)
        number = min(number, max(1, suspect))
        if number < len(visits):
            visits, self._visits = visits[:number], visits[number:]
            self._event.set()
        self._bytes = sum(map(_size, self._visits))
        return visits

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do now and nothing will come by waiting a reasonable time."""
        if self._visits or self._under_way or self._openings or self.frontier.has_closed_sites:
            return False
        if self.crawl.mail_waits() or self.crawl.second_thoughts.look:
            return False
        if self.budget.spent:
            return True
        now, patience = self.clock(), self.crawl.configuration.patience
        wait = self.frontier.wait(now)
        return (wait is None or wait > patience) and not self.frontier.postponed_until(now + patience)

    async def _something_happens(self, now: float) -> None:
        """Sleep until a visit ends, a site's pause is over, or it is time to look around."""
        wait = self.frontier.wait(now)
        timeout = LONGEST_WAIT if wait is None else min(max(wait, 0.0005), LONGEST_WAIT)
        if len(self._under_way) >= self.crawl.configuration.fetching.connections or self.budget.spent:
            timeout = LONGEST_WAIT
        if not self._event.is_set():
            handle = asyncio.get_running_loop().call_later(timeout, self._event.set)
            await self._event.wait()
            handle.cancel()
        else:
            await asyncio.sleep(0)
        self._event.clear()

    async def _wind_up(self) -> None:
        """Let visits under way come home for a while, commit them, and give the rest back."""
        await self._openings.cancel()
        await self._come_home()
        left = list(self._under_way.values())
        for task, _ in left:
            task.cancel()
        await asyncio.gather(*(task for task, _ in left), return_exceptions=True)
        now = self.clock()
        for _, link in left:
            self.budget.give_back()
            self.frontier.give_back(link, now)
        if self._broken is None:
            self._commit(now)
            while self._visits:
                self._commit(now)
        await self._fetcher.close()
        self._suspects.close()

    async def _come_home(self) -> None:
        """Wait for the visits under way, unless there is no time for it."""
        if self._under_way and not self.stopping:
            home = asyncio.wait([task for task, _ in self._under_way.values()], timeout=GRACE)
            tasks = [asyncio.ensure_future(home), asyncio.ensure_future(self._stop_now.wait())]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()

    def _raise_broken(self) -> None:
        if self._broken is not None:
            raise self._broken

    def queues(self) -> dict[str, int]:
        """What waits for each stage of the cycle; those that follow parsing have no queue of their own."""
        return {
            "inject": self.crawl.dark.waiting,
            "generate": self.crawl.frontier.waiting,
            "fetch": len(self._under_way),
            "parse": len(self._visits),
        }

    def progress(self) -> dict[str, Any]:
        """How the agent fares, for status files."""
        counts = self.crawl.counts
        return {
            "agent": self.crawl.number,
            "fetched": counts.fetched,
            "relevant": counts.relevant,
            "waiting": self.crawl.frontier.waiting,
            "in_flight": len(self._under_way),
            "uncommitted": len(self._visits),
            "later": self.crawl.store.count("later"),
        }


def _size(visit: Visit) -> int:
    """How many bytes of a page are to be read."""
    response = response_of(visit)
    return len(response.body) if response else 0


def _our_fault(link: Link, error: Exception) -> Failed:
    """What becomes of a page on which something of ours broke."""
    return Failed(link, "internal-error", f"{type(error).__name__}: {error}"[:300])
