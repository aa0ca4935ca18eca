"""Calls that look into a crawl: how it grew, its sites, why (not) a page, what its processes wrote."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lycosa.inspection.explanation import explain
from lycosa.interface.operations.calls import Call, Office, call
from lycosa.interface.operations.crawls import Address, Named
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.tokens import Role
from lycosa.interface.views.process_logs import LogPart, log_part


class Growth(Message, frozen=True):
    """How many pages there were at a time (seconds since 1970), and how many of them were relevant."""

    at: float
    pages: int
    relevant: int


class SiteState(Message, frozen=True):
    """A site: what waits, what came, what failed, and the pause between two requests in seconds."""

    site: str
    waiting: int
    fetched: int
    failed: int
    delay: float


class CrawlOverview(Message, frozen=True):
    """A crawl's journals in brief.

    `whole` says whether all of them have been read by now; ask again where it is false. `examples` are some of the
    latest addresses that failed, by reason.
    """

    growth: tuple[Growth, ...]
    sites: tuple[SiteState, ...]
    whole: bool
    trouble: str
    examples: dict[str, tuple[str, ...]]


@call("GET", "/crawls/{name}/overview", Role.READ)
def get_overview(office: Office, asked: Named) -> CrawlOverview:
    """The harvest curve of a crawl and its busiest sites.

    A page that follows a crawl gets the same and more as server-sent events from `/crawl/{name}/events`.
    """
    found = office.library.overview(office.library.crawl(asked.name))
    sites = (SiteState(each.site, each.waiting, each.fetched, each.failed, each.delay) for each in found.sites)
    grown = tuple(Growth(*each) for each in found.growth)
    return CrawlOverview(grown, tuple(sites), found.whole, found.trouble, found.examples)


class AboutUrl(Named, frozen=True):
    """Which page of which crawl."""

    url: Address


class Decision(Message, frozen=True):
    """One decision about a page; `at` in seconds since 1970, where it is known."""

    at: float | None
    what: str


class Why(Message, frozen=True):
    """Why a page was (not) crawled, and why now."""

    url: str
    verdict: str
    events: tuple[Decision, ...]


@call("GET", "/crawls/{name}/why", Role.READ)
def explain_url(office: Office, asked: AboutUrl) -> Why:
    """Why a page was (not) crawled, and why now: every decision about it."""
    folder = office.library.crawl(asked.name)
    found = explain(folder, asked.url)
    return Why(found.url, found.verdict, tuple(Decision(event.at, event.what) for event in found.events))


class LogAsked(Named, frozen=True):
    """Which log, and from where on."""

    process: Annotated[str, msgspec.Meta(pattern=r"^(crawl|indexer|agent-[0-9]{1,3})$")] = "crawl"
    after: Annotated[int, msgspec.Meta(ge=-1)] = -1


@call("GET", "/crawls/{name}/log", Role.READ)
def read_log(office: Office, asked: LogAsked) -> LogPart:
    """Lines of a process's log after a place in it; the last ones where no place (-1) is told."""
    return log_part(office.library.crawl(asked.name), asked.process, asked.after)


CALLS: list[Call] = [get_overview, explain_url, read_log]
