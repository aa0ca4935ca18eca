"""An agent that works on a follow-up: the crawl's own links, in another order, for a while (M11).

Where links of which kind led to pages like the samples is learnt from what the crawl has
fetched so far; links of the samples' sites come first, then those of all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from lycosa.cooperation.mailbox import Courier
from lycosa.cooperation.page_budget import Budget
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawling.agent import Agent, Superior
from lycosa.crawling.assembly import parts
from lycosa.crawling.commit import Crawl
from lycosa.crawling.saved_priorities import reorder
from lycosa.crawling.visit_replay import earlier_visits, teach
from lycosa.follow_up.requests import FollowUp, follow_up_folder, matching_pages, settings_of
from lycosa.queue_records import State
from lycosa.records import Link, Score, Visit
from lycosa.scoring.strategy import Strategy
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.urls import site_of

MOST_OF_OWN_SITE, MOST_OF_OTHERS, MOST_LINKS = 20_000, 1_000, 100_000
"""Waiting links that are judged: of each site of the samples, of each other site, of all together."""
_LIKE, _UNLIKE = Score(1.0, "built like a sample"), Score(0.0, "built otherwise")


def build_follow_up(
    folder: CrawlFolder,
    number: int,
    superior: Superior,
    clock: Callable[[], float],
    follow_up: FollowUp,
    courier: Courier | None = None,
) -> Agent:
    """An agent that looks for pages built like a follow-up's samples."""
    settings = settings_of(folder.configuration(), follow_up)
    crawl, fetcher, strategy = parts(folder, number, clock, courier, settings)
    teach(strategy, _seen_anew(crawl.store, matching_pages(folder, follow_up)))
    reorder(folder, crawl, _judged(crawl, strategy, follow_up), clock())
    fetched = _fetched_since(crawl.store, follow_up.rows_before.get(number, 0))
    budget = Budget(follow_up.pages, number, fetched, follow_up_folder(folder, follow_up.number) / "budget")
    return Agent(crawl, fetcher, strategy, budget, superior, clock)


def _seen_anew(store: AgentStore, matching: set[str]) -> Iterator[Visit]:
    """What was fetched before, judged by structure alone."""
    for visit in earlier_visits(store):
        yield msgspec.structs.replace(visit, relevance=_LIKE if visit.link.url in matching else _UNLIKE)


def _judged(crawl: Crawl, strategy: Strategy, follow_up: FollowUp) -> list[tuple[str, Score]]:
    links = list(_waiting(crawl, {site_of(sample.url) for sample in follow_up.samples}))
    return [(link.url, score) for link, score in zip(links, strategy.estimates(links), strict=True)]


def _waiting(crawl: Crawl, own_sites: set[str]) -> Iterator[Link]:
    """The links that wait, those of some sites first."""
    left = MOST_LINKS
    for site in sorted(crawl.frontier.sites(), key=lambda each: each.name not in own_sites):
        most = MOST_OF_OWN_SITE if site.name in own_sites else MOST_OF_OTHERS
        for queued in crawl.store.best(site.number, min(most, left), set()):
            record = crawl.store.queued(queued)
            if record is not None and record.state is State.WAITING:
                left -= 1
                yield record.link()
        if left <= 0:
            return


def _fetched_since(store: AgentStore, row: int) -> int:
    return sum(
        each.outcome == "fetched" for _, each in catalogue.history(store, row, ("url", "at", "agent", "outcome"))
    )
