"""Where a URL stands now: what its state means, what comes next, and what keeps it waiting.

All of it is as the owning agent last committed it; whether the crawl runs, its settings
and its budget are as they are at this moment.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import NamedTuple

from lycosa.configuration.sections import Configuration
from lycosa.crawl_folder.counts import kept_counts
from lycosa.crawl_folder.folder import CrawlFolder, Wish
from lycosa.crawl_folder.stores import reading
from lycosa.crawling.visit_rows import KEPT
from lycosa.frontier.admission import pattern_rule
from lycosa.queue_records import State, UrlRecord, queue_key
from lycosa.records import REJECTED, Record
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.catalogue import VisitRow
from lycosa.urls import site_of

FAILED = "failed"
"""The outcome of a visit that may be tried again."""


class Event(Record, frozen=True):
    """A decision about a URL."""

    at: float | None
    what: str


class Owner(NamedTuple):
    """The agent that owns a URL, and the crawl it works in."""

    agent: int
    store: AgentStore
    folder: CrawlFolder
    configuration: Configuration


def standing(owner: Owner, record: UrlRecord, visits: Sequence[VisitRow]) -> tuple[str, list[Event]]:
    """What the URL's state means, and what comes next."""
    last = next((row for row in reversed(visits) if row.outcome != KEPT), None)
    match record.state:
        case State.DONE:
            return _done(last), []
        case State.REFUSED:
            told = f"refused: {record.why}"
            return told, [] if last is not None and last.outcome == "refused" else [Event(record.at, told)]
        case State.FAILED:
            return f"failed: {record.why}, given up after {counted(record.attempts, 'attempt')}", []
        case State.LATER:
            coming = [_next_attempt(owner, record), *_kept_waiting(owner, record)]
            return "failed, and to be tried again", sorted(coming, key=_by_time)
        case State.LEASED if owner.folder.running():
            return "being fetched", [Event(record.at, "taken from the queue")]
        case State.LEASED:
            taken = Event(record.at, "taken from the queue, but the crawl ended before it came: it will wait again")
            return "waiting", [taken, *_kept_waiting(owner, record)]
        case State.WAITING:
            refusal = pattern_rule(owner.configuration)(record.link())
            again = " to be tried again" if last is not None and last.outcome == FAILED else ""
            verdict = f"waiting{again}" if refusal is None else f"waiting, but to be refused: {refusal}"
            return verdict, [*_kept_waiting(owner, record), _place(owner, record)]


def _by_time(event: Event) -> float:
    return math.inf if event.at is None else event.at


def counted(number: int, noun: str) -> str:
    """So many of something."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _done(last: VisitRow | None) -> str:
    if last is None:
        return "fetched"
    if last.duplicate_of:
        return f"fetched; a duplicate of {last.duplicate_of}"
    if last.placeholder:
        return f"fetched, but without content ({last.placeholder})"
    return "fetched; kept aside, for it is not built like the sample pages" if last.aside else last.outcome


def _next_attempt(owner: Owner, record: UrlRecord) -> Event:
    attempts = owner.configuration.politeness.retries + 1
    which = f"attempt {record.attempts + 1} of {attempts}"
    return Event(record.at, f"{which} not before then; the last one failed: {record.detail}")


def _place(owner: Owner, record: UrlRecord) -> Event:
    """How many links come first: of its site, and on how many sites of the agent that owns it."""
    key, own = owner.store.key_of(record.url), site_of(record.url)
    ahead = owner.store.place_in_queue(queue_key(key, record.order, record.number)) if key else 0
    others = sum(site.waiting > 0 and site.site != own for site in owner.store.sites())
    before = f"{counted(ahead, 'link')} of its site {'is' if ahead == 1 else 'are'} ahead of it"
    if owner.configuration.agents > 1:
        sites = counted(others, "other site")
        return Event(None, f"{before}; agent {owner.agent}, which owns its site, has {sites} with links waiting")
    return Event(None, f"{before}; {counted(others, 'other site')} {'has' if others == 1 else 'have'} links waiting")


def _kept_waiting(owner: Owner, record: UrlRecord) -> list[Event]:
    """Everything that stands between a link and its turn, apart from better links."""
    told = [*_state(owner.folder), *_budget(owner), *_refusals(owner, record)]
    return [*_rest(owner, site_of(record.url)), *(Event(None, each) for each in told)]


def _state(folder: CrawlFolder) -> list[str]:
    goes_on = f"`lycosa resume {folder.name}` lets it go on"
    if not folder.running():
        return [f"the crawl does not run; {goes_on}"]
    return {Wish.RUN: [], Wish.PAUSE: [f"the crawl is paused; {goes_on}"], Wish.STOP: ["the crawl is stopping"]}[
        folder.wish()
    ]


def _budget(owner: Owner) -> list[str]:
    pages = owner.configuration.pages
    if not pages:
        return []
    with reading(owner.folder) as stores:
        fetched = sum(kept_counts(store.mark("counts")).fetched for store in stores)
    if fetched < pages:
        return []
    return [f"the budget is spent ({fetched} of {pages} pages); `lycosa set {owner.folder.name} pages=N` gives more"]


def _refusals(owner: Owner, record: UrlRecord) -> list[str]:
    """What will be done with the link instead of fetching it."""
    told = []
    if refusal := pattern_rule(owner.configuration)(record.link()):
        told.append(f"when its turn comes it will be refused: {refusal}")
    if record.priority <= REJECTED:
        told.append("it will not be fetched unless it is judged better")
    return told


def _rest(owner: Owner, name: str) -> list[Event]:
    """Until when a link's whole site has to wait, and why."""
    own = next((site for site in owner.store.sites() if site.site == name), None)
    if own is None:
        return []
    why = [own.why] if own.why else []
    asked_for = f"Crawl-delay: its robots.txt asks for {own.delay:g} s between two requests"
    if own.delay > owner.configuration.politeness.delay:
        why.append(asked_for)
    if why and own.next_at > time.time():
        return [Event(own.next_at, f"not before then: its site rests ({'; '.join(why)})")]
    return [Event(None, asked_for)] if asked_for in why else []
