"""A round of looking again: the sites' sitemaps first, then the pages that may have changed (M8).

A round has a frontier of its own, in memory, so that the crawl's queue, its order and its
budget of pages stay as they are; what it finds is committed like everything else. Killed
at any moment it is simply begun again: pages that were looked at since say so themselves,
by the catalogue's rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random

import msgspec

from lycosa.configuration.sections import Configuration
from lycosa.cooperation.mailbox import Courier
from lycosa.cooperation.page_budget import Budget
from lycosa.crawl_folder.costly_pages import costly_pages
from lycosa.crawl_folder.folder import CrawlFolder, Wish
from lycosa.crawling.agent import Agent, Superior
from lycosa.crawling.assembly import parts, throttle_of, turns_of
from lycosa.crawling.visit_replay import remind
from lycosa.freshness.change_classes import PageClasses, SaidClasses
from lycosa.freshness.change_history import COLUMNS, Look, Looks
from lycosa.freshness.revisit_policy import RevisitPlan
from lycosa.freshness.revisit_queues import ClassQueues
from lycosa.frontier.admission import Admission, blocked_rule, pattern_rule
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.frontier_store import MemoryShelf
from lycosa.frontier.politeness import Manners
from lycosa.frontier.shared_turns import SharedTurns
from lycosa.queue_records import Changes, SitemapLink, SiteRecord, State
from lycosa.records import GONE, SITEMAP, Failed, Fetched, Link, Score, Unchanged, Visit
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.urls import site_of

_replace = msgspec.structs.replace
FIRST = Score(2.0, "a sitemap, to see what changed")
LOOKS_A_SAMPLE = 20
"""One page that is called unchanged may be looked at for so many others of a round."""
ROUNDS_A_SITE = 4
"""Every site's silence is checked in one of so many rounds of everything, however few other looks there are."""


class LookingAgain:
    """The pages of one round: what was known of them, what their sites claim, and where they wait."""

    def __init__(
        self,
        configuration: Configuration,
        looks: Looks,
        now: float,
        sites: Iterable[SiteRecord] = (),
        shared: SharedTurns | None = None,
    ) -> None:
        """`sites` are those that the crawl knows: what they asked for holds here, too, and each gets a full pause."""
        self._shelf = MemoryShelf()
        self._shelf.apply(Changes(sites={site.number: _replace(site, waiting=0) for site in sites}))
        self.frontier = Frontier(
            self._shelf,
            Admission([("patterns", pattern_rule(configuration))], blocked_rule(configuration)),
            Manners(configuration.politeness),
            throttle_of(configuration),
            configuration.frontier,
            now,
            shared,
        )
        self.looks = looks
        self.claimed: dict[str, float] = {}
        self._sampled: set[str] = set()
        self._classes: PageClasses | None = None

    def add(self, urls: Iterable[str], why: str, now: float) -> int:
        """Let pages wait to be looked at, those that matter most first."""
        links, scores = [], []
        for url in urls:
            links.append(Link(url))
            scores.append(Score(self.looks.pages[url].weight, why))
        return self.frontier.add(links, scores, now)

    def add_sample(self, most: int, chance: Random, now: float) -> int:
        """Let some pages wait too that their sites call unchanged."""
        drawn = self.looks.sample(self.claimed, most, chance)
        self._sampled.update(drawn)
        return self.add(drawn, "its site calls it unchanged: a sample", now)

    def add_unheard(self, now: float) -> int:
        """Let the other pages wait of sites whose sample showed that they keep silent about changes."""
        silent = {site for site in map(site_of, self._sampled) if not self.looks.believes(site)}
        self._sampled -= {url for url in self._sampled if site_of(url) in silent}
        unheard = [url for url in self.looks.worth_a_look(self.claimed) if site_of(url) in silent]
        return self.add(unheard, "its site keeps silent about changes", now)

    def compared(self, visit: Visit) -> Visit:
        """The visit of a page whose text is what it was counts as one that found nothing new."""
        if visit.link.rel == SITEMAP:
            if visit.page is not None:
                self._hear(visit.page.links)
            return visit
        look = self.looks.pages.get(visit.link.url)
        if look is None or visit.page is None or not isinstance(visit.outcome, Fetched):
            return visit
        if visit.page.digest.hex() != look.digest:
            return visit
        return Visit(visit.link, Unchanged(visit.link, visit.outcome.response), at=visit.at)

    def _hear(self, links: Iterable[Link]) -> None:
        """Remember what a sitemap says of its pages."""
        for link in links:
            if link.lastmod is not None:
                self.claimed[link.url] = link.lastmod
            if isinstance(link, SitemapLink) and link.changes:
                self.looks.frequencies[link.url] = link.changes

    def settle(self, visits: Iterable[Visit], now: float) -> None:
        """What became of the pages of a batch."""
        for visit in visits:
            self.frontier.settle(visit.link, visit.outcome, now)
            self._note(visit)
        self.frontier.wake_postponed(now)
        self._shelf.apply(self.frontier.drain())

    def _note(self, visit: Visit) -> None:
        """Remember the look, for whoever asks when the next one is due."""
        url, outcome = visit.link.url, visit.outcome
        look = self.looks.pages.get(url)
        if look is None:
            return
        if isinstance(outcome, Fetched | Unchanged):
            changed = isinstance(outcome, Fetched)
            if url in self._sampled:
                self.looks.judge(url, self.claimed[url], changed, visit.at)
            digest = visit.page.digest.hex() if visit.page is not None else look.digest
            self.looks.pages[url] = Look(look.history.looked(visit.at, changed, self.looks.prior), digest, look.weight)
            if self._classes is not None:
                self._classes.put(url)
        elif isinstance(outcome, Failed) and outcome.why in GONE and self._classes is not None:
            self._classes.queues.drop(url)

    # -- classes --------------------------------------------------------------------------------

    def classes(self, configuration: Configuration) -> PageClasses:
        """The pages in the queues of their change classes, from when this is asked first: when sitemaps are read."""
        if self._classes is None:
            self._classes = page_classes(configuration, self.looks)
        return self._classes

    def due_pages(self, configuration: Configuration, now: float) -> Iterator[str]:
        """Pages that are due and may have changed, and those said to have changed; the others are put off."""
        classes, looks = self.classes(configuration), self.looks
        due = classes.queues.take(now)
        for url in due:
            if looks.may_have_changed(url, self.claimed):
                yield url
            else:
                classes.put_off(url, now + configuration.revisit.rounds_apart)
        taken = set(due)
        for url in self.claimed:
            if url in looks.pages and url not in taken and looks.said_to_have_changed(url, self.claimed):
                yield url

    def class_figures(self) -> tuple[dict[str, int], dict[str, int]]:
        """How many pages each change class has, and how many of them are due."""
        queues = self._classes.queues if self._classes is not None else ClassQueues()
        return queues.pages(), queues.due()

    def next_due(self, configuration: Configuration) -> float | None:
        """When the next page is due to be looked at again; None without pages."""
        return self.classes(configuration).queues.next_due()


class Round:
    """The superior of an agent on a round: has it read sitemaps, then look at pages, then stop.

    With `everything` all pages are looked at that may have changed; else those that are due or said to have changed.
    A small sample of those that sites call unchanged is looked at besides; where that shows that a site keeps silent
    about changes, a round of everything goes on with all other pages of the site.
    """

    def __init__(self, superior: Superior, again: LookingAgain, *, everything: bool) -> None:
        self._superior, self._again, self._everything = superior, again, everything
        self._chosen = False

    def look(self, agent: Agent, now: float) -> Wish:
        """What people wish, until there is nothing left to look at."""
        wish = self._superior.look(agent, now)
        if wish is not Wish.RUN or not agent.idle:
            return wish
        if self._chosen:
            return wish if self._everything and self._again.add_unheard(now) else Wish.STOP
        self._chosen = True
        self._choose(agent.crawl.configuration, now)
        return wish

    def _choose(self, configuration: Configuration, now: float) -> None:
        again, looks = self._again, self._again.looks
        chosen = dict.fromkeys(again.due_pages(configuration, now))
        if self._everything:
            chosen |= dict.fromkeys(looks.worth_a_look(again.claimed))
        again.add(chosen, "it may have changed", now)
        sites = len({site_of(url) for url in again.claimed}) if self._everything else 0
        chance = Random(configuration.random_seed + sum(look.history.looks for look in looks.pages.values()))
        again.add_sample(max(1, len(chosen) // LOOKS_A_SAMPLE, -(-sites // ROUNDS_A_SITE)), chance, now)


def revisit_plan(configuration: Configuration, looks: Looks, said: SaidClasses | None = None) -> RevisitPlan:
    """When to look at each page, under the budget of looks."""
    told, said = configuration.revisit, said or SaidClasses(looks)
    chance = Random(configuration.random_seed)
    plan = RevisitPlan(told.looks_per_day / 86400.0, chance, looks.prior, told.soonest, told.latest)
    for url, look in looks.pages.items():
        plan.note(url, look.history, look.weight, said.rate(url))
    plan.reckon()
    return plan


def page_classes(configuration: Configuration, looks: Looks) -> PageClasses:
    """The pages by change class, each with when to look at it."""
    said = SaidClasses(looks)
    return PageClasses(looks, revisit_plan(configuration, looks, said), said)


def looks_of(store: AgentStore) -> Looks:
    """What an agent's catalogue says about its pages; pages that went away are no more looked at."""
    looks = Looks.of(row for _, row in catalogue.history(store, columns=COLUMNS))
    for record in store.urls():
        if record.state is not State.DONE:
            looks.pages.pop(record.url, None)
        elif record.changes:
            looks.frequencies[record.url] = record.changes
    for page in costly_pages(store.folder.parents[2]).values():
        looks.pages.pop(page.url, None)
    return looks


def begin_round(
    configuration: Configuration, store: AgentStore, now: float, shared: SharedTurns | None = None
) -> LookingAgain:
    """A round that begins with all sitemaps that the agent knows."""
    again = LookingAgain(configuration, looks_of(store), now, store.sites(), shared)
    if configuration.sitemaps.read:
        known = [record for record in store.urls() if record.rel == SITEMAP and record.state is State.DONE]
        links = [Link(record.url, parent=record.parent, rel=SITEMAP, depth=record.depth) for record in known]
        again.frontier.add(links, [FIRST] * len(links), now)
    return again


def build_round(
    folder: CrawlFolder,
    number: int,
    superior: Superior,
    clock: Callable[[], float],
    courier: Courier | None = None,
    *,
    everything: bool = True,
) -> Agent:
    """An agent that looks once more at its pages that may have changed, or at those of them that are due."""
    crawl, fetcher, strategy = parts(folder, number, clock, courier)
    remind(strategy, crawl.store)
    shared = turns_of(folder, number, crawl.configuration.agents)
    again = begin_round(crawl.configuration, crawl.store, clock(), shared)
    return Agent(crawl, fetcher, strategy, Budget(0), Round(superior, again, everything=everything), clock, again)
