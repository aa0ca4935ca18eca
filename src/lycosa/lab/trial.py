"""One crawl in the lab: the way of a page through the real frontier and the real scorers.

The fetcher is swapped for pages that were read before, the clock for a count of
pages, the store for memory; admission, order, scoring, learning and revising are
those of a crawl. One page at a time, so that every decision knows all before it.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence

import msgspec

from lycosa.configuration import settings
from lycosa.configuration.sections import Configuration
from lycosa.crawl_folder.counts import Counts
from lycosa.crawling.frontier_updates import Intake
from lycosa.frontier.admission import admission
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.frontier_store import MemoryShelf
from lycosa.frontier.politeness import Manners
from lycosa.frontier.rate_limiter import Throttle
from lycosa.lab.oracle import OracleLinkScorer, Unjudged
from lycosa.lab.webs import LabWeb
from lycosa.plugins import registry
from lycosa.plugins.plug_points import Topic
from lycosa.records import Failed, Fetched, Link, Outcome, Page, Record, Response, SiteOpened, Visit
from lycosa.scoring.strategy import Strategy, strategy_of

ORACLE = "oracle"
PATIENCE = 20
"""Decisions per page of the budget; a web of dead links ends then."""


class TrialResult(Record, frozen=True):
    """What one crawl fetched, in order, what it cost, and how relevant the crawl found each page."""

    order: tuple[str, ...]
    seconds: float
    decisions: int
    memory: int
    relevances: tuple[float, ...] = ()


def lab_configuration(strategy: str, overrides: Sequence[str] = ()) -> Configuration:
    """The settings of a crawl without a network: nobody to be polite to, one page at a time."""
    raw = {
        "name": "lab",
        "strategy": "best-first" if strategy == ORACLE else strategy,
        "fetching": {"connections": 1},
        "politeness": {"delay": 0, "address_delay": 0, "adaptive": 0.0},
        "traps": {"urls_per_pattern": 1_000_000, "hosts_per_domain": 1_000_000},
    }
    return settings.build(raw, overrides, origin="lab")


def strategies() -> list[str]:
    """The strategies that can be compared."""
    return sorted([*registry.names("link_scorers"), ORACLE])


def watches(strategy: str) -> bool:
    """Whether a strategy counts what people do; one that only the lab knows does not."""
    known = strategy in registry.names("link_scorers")
    return known and strategy_of(lab_configuration(strategy), Topic("anything")).watches


def run_trial(
    web: LabWeb,
    strategy: str,
    topic: Topic,
    seeds: Sequence[str],
    pages: int,
    relevant: frozenset[str],
    seed: int = 0,
    overrides: Sequence[str] = (),
) -> TrialResult:
    """Crawl a web from some seeds until so many pages are fetched."""
    configuration = lab_configuration(
        strategy, (f"random_seed={seed}", f"relevance.scorer={_page_scorer(strategy, topic)}", *overrides)
    )
    if strategy == ORACLE:
        judge = Strategy(Unjudged(), OracleLinkScorer(web, relevant))
    else:
        judge = strategy_of(configuration, topic)
    if judge.watches:
        judge.watch(web.visitors)
    begin = time.process_time()
    trial = _Trial(web, configuration, judge)
    trial.intake.inject(seeds, 0.0)
    trial.settle()
    while len(trial.order) < pages and trial.decisions < pages * PATIENCE and trial.step():
        pass
    spent = time.process_time() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return TrialResult(tuple(trial.order), spent, trial.decisions, memory, tuple(trial.relevances))


def _page_scorer(strategy: str, topic: Topic) -> str:
    """The page scorer that a crawl for this topic would have."""
    if strategy == "structure" and topic.structures:
        return "structure"
    return "cosine" if topic.examples else "okapi"


class _Trial:
    def __init__(self, web: LabWeb, configuration: Configuration, judge: Strategy) -> None:
        self._web, self._judge = web, judge
        self._shelf = MemoryShelf()
        throttle = Throttle(configuration.ceilings)
        manners = Manners(configuration.politeness)
        self._frontier = Frontier(self._shelf, admission(configuration), manners, throttle, configuration.frontier)
        self.intake = Intake(0, configuration, self._frontier, judge, lambda url: 0, Counts())
        self.order: list[str] = []
        self.relevances: list[float] = []
        self.decisions = 0

    def step(self) -> bool:
        """Fetch the next page; False when nothing is left to fetch."""
        now = float(self.decisions)
        link = self._next(now)
        if link is None:
            return False
        self.decisions += 1
        page = self._web.page(link.url)
        visit = self._visit(link, page, now)
        self._frontier.finished(link, visit.outcome, 0.0, now)
        if visit.relevance is not None:
            self.order.append(link.url)
            self.relevances.append(visit.relevance.value)
        self.intake.take_in([visit], now)
        self.settle()
        return True

    def _next(self, now: float) -> Link | None:
        while (site := self._frontier.site_to_open(now)) is not None:
            self._frontier.opened(SiteOpened(site, site, None, float("inf")), now)
        return self._frontier.next(now)

    def _visit(self, link: Link, page: Page | None, now: float) -> Visit:
        if page is None:
            return Visit(link, Failed(link, "http-404"), at=now)
        page = _at_depth(page, link.depth + 1)
        outcome: Outcome = Fetched(link, Response(link.url, 200))
        relevance, priorities = self._judge.judge(page)
        return Visit(link, outcome, page, relevance, priorities, now)

    def settle(self) -> None:
        """Let what was decided take effect."""
        self._shelf.apply(self._frontier.drain())


def _at_depth(page: Page, depth: int) -> Page:
    """A page that was read once, as it is when met so many links from a seed."""
    if not page.links or page.links[0].depth == depth:
        return page
    replace = msgspec.structs.replace
    return replace(page, links=tuple([replace(link, depth=depth) for link in page.links]))
