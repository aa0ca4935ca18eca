"""A round of looking again: the sites' sitemaps first, then the pages that may have changed (M8).

A round has a frontier of its own, in memory, so that the crawl's queue, its order and its
budget of pages stay as they are; what it finds is committed like everything else. Killed
at any moment it is simply begun again: pages that were looked at since say so themselves,
by the catalogue's rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from lycosa.agents.agent import Agent, Superior
from lycosa.agents.folder import Wish
from lycosa.agents.looks import COLUMNS, Look, Looks
from lycosa.configuration import Configuration
from lycosa.frontier.admission import Admission
from lycosa.frontier.ceilings import Throttle
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.politeness import Manners
from lycosa.frontier.revisit import RevisitPlan
from lycosa.frontier.shelf import MemoryShelf
from lycosa.records import SITEMAP, Fetched, Link, Score, Unchanged, Visit
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.waiting import State

FIRST = Score(2.0, "a sitemap, to see what changed")


class LookingAgain:
    """The pages of one round: what was known of them, what their sites claim, and where they wait."""

    def __init__(self, configuration: Configuration, looks: Looks, now: float) -> None:
        self._shelf = MemoryShelf()
        self.frontier = Frontier(
            self._shelf,
            Admission([]),
            Manners(configuration.politeness),
            Throttle(configuration.ceilings, share=configuration.agents),
            configuration.frontier,
            now,
        )
        self.looks = looks
        self.claimed: dict[str, float] = {}

    def add(self, urls: Iterable[str], why: str, now: float) -> int:
        """Let pages wait to be looked at, those that matter most first."""
        links, scores = [], []
        for url in urls:
            links.append(Link(url))
            scores.append(Score(self.looks.pages[url].weight, why))
        return self.frontier.add(links, scores, now)

    def compared(self, visit: Visit) -> Visit:
        """The visit of a page whose text is what it was counts as one that found nothing new."""
        if visit.link.rel == SITEMAP:
            if visit.page is not None:
                times = {link.url: link.lastmod for link in visit.page.links if link.lastmod is not None}
                self.claimed.update(times)
            return visit
        look = self.looks.pages.get(visit.link.url)
        if look is None or visit.page is None or not isinstance(visit.outcome, Fetched):
            return visit
        if visit.page.digest.hex() != look.digest:
            return visit
        return Visit(visit.link, Unchanged(visit.link, visit.outcome.response), at=visit.at)

    def settle(self, visits: Iterable[Visit], now: float) -> None:
        """What became of the pages of a batch."""
        for visit in visits:
            self.frontier.settle(visit.link, visit.outcome, now)
            self._note(visit)
        self.frontier.wake_postponed(now)
        self._shelf.apply(self.frontier.drain())

    def _note(self, visit: Visit) -> None:
        """Remember the look, for whoever asks when the next one is due."""
        look = self.looks.pages.get(visit.link.url)
        if look is None or not isinstance(visit.outcome, Fetched | Unchanged):
            return
        changed = isinstance(visit.outcome, Fetched)
        digest = visit.page.digest.hex() if visit.page is not None else look.digest
        history = look.history.looked(visit.at, changed, self.looks.prior)
        self.looks.pages[visit.link.url] = Look(history, digest, look.weight)

    def next_due(self, configuration: Configuration) -> float | None:
        """When the first page is due to be looked at again; None without pages."""
        plan, pages = revisit_plan(configuration, self.looks), self.looks.pages.values()
        return min((plan.due(look.history, look.weight) for look in pages), default=None)


class Round:
    """The superior of an agent on a round: has it read sitemaps, then look at pages, then stop.

    With `everything` all pages are looked at that may have changed; else those that are due or said to have changed.
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
            return Wish.STOP
        self._chosen = True
        self._choose(agent.crawl.configuration, now)
        return wish

    def _choose(self, configuration: Configuration, now: float) -> None:
        again, looks = self._again, self._again.looks
        chosen = list(looks.worth_a_look(again.claimed))
        if not self._everything:
            plan = revisit_plan(configuration, looks)
            chosen = [
                url
                for url in chosen
                if looks.said_to_have_changed(url, again.claimed)
                or plan.due(looks.pages[url].history, looks.pages[url].weight) <= now
            ]
        again.add(chosen, "it may have changed", now)


def revisit_plan(configuration: Configuration, looks: Looks) -> RevisitPlan:
    """When to look at each page, under the budget of looks."""
    told = configuration.revisit
    chance = Random(configuration.random_seed)
    plan = RevisitPlan(told.looks_per_day / 86400.0, chance, looks.prior, told.soonest, told.latest)
    for url, look in looks.pages.items():
        plan.note(url, look.history, look.weight)
    plan.reckon()
    return plan


def looks_of(store: AgentStore) -> Looks:
    """What an agent's catalogue says about its pages; pages that went away are no more looked at."""
    looks = Looks.of(row for _, row in catalogue.history(store, columns=COLUMNS))
    for record in store.urls():
        if record.state is not State.DONE:
            looks.pages.pop(record.url, None)
    return looks


def begin_round(configuration: Configuration, store: AgentStore, now: float) -> LookingAgain:
    """A round that begins with all sitemaps that the agent knows."""
    again = LookingAgain(configuration, looks_of(store), now)
    if configuration.sitemaps.read:
        known = [record for record in store.urls() if record.rel == SITEMAP and record.state is State.DONE]
        links = [Link(record.url, parent=record.parent, rel=SITEMAP, depth=record.depth) for record in known]
        again.frontier.add(links, [FIRST] * len(links), now)
    return again
