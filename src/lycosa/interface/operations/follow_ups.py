"""Calls about follow-ups: the results were not enough, look for more pages built like them (M14)."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.reading_apart import LONG, read_apart
from lycosa.follow_up import requests as following
from lycosa.follow_up.requests import MOST_PAGES, MOST_RESULTS, PAGES, FollowUp
from lycosa.interface.operations.calls import Call, Office, call
from lycosa.interface.operations.crawls import Address, Named
from lycosa.interface.shared.errors import NotThere
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.server_paths import without_paths
from lycosa.interface.shared.tokens import Role
from lycosa.search.query import LONGEST


class NotEnough(Message, frozen=True, forbid_unknown_fields=True):
    """The query whose results were not enough, and those results, the best first."""

    query: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST)]
    results: Annotated[tuple[Address, ...], msgspec.Meta(min_length=1, max_length=MOST_RESULTS)]
    pages: Annotated[int, msgspec.Meta(ge=1, le=MOST_PAGES)] = PAGES


class SampleMessage(Message, frozen=True):
    """A result whose structure is looked for; `pages` of the collection share its template."""

    url: str
    pages: int


class FoundPage(Message, frozen=True):
    """A page built like a sample."""

    url: str
    likeness: float
    title: str = ""


class FollowUpState(Message, frozen=True):
    """How a follow-up stands. `similar` pages were there already, `found` ones are new."""

    number: int
    query: str
    asked_at: float
    state: str
    pages: int
    samples: tuple[SampleMessage, ...]
    looked: int = 0
    kept: int = 0
    found: tuple[FoundPage, ...] = ()
    similar: tuple[FoundPage, ...] = ()
    trouble: str = ""


class FollowUpNamed(Named, frozen=True):
    """Which follow-up of which crawl."""

    number: Annotated[int, msgspec.Meta(ge=1, le=2**31)]


@call("GET", "/crawls/{name}/follow-ups", Role.READ)
def list_follow_ups(office: Office, asked: Named) -> list[FollowUpState]:
    """All follow-ups of a crawl, the latest last."""
    folder = office.library.crawl(asked.name)
    return [state_of(folder, each) for each in following.all_of(folder)]


@call("GET", "/crawls/{name}/follow-ups/{number}", Role.READ)
def get_follow_up(office: Office, asked: FollowUpNamed) -> FollowUpState:
    """How a follow-up stands, and what it found so far."""
    folder = office.library.crawl(asked.name)
    return state_of(folder, _found(folder, asked.number))


@call("POST", "/crawls/{name}/follow-ups", Role.OPERATE, status=201)
def start_follow_up(office: Office, asked: Named, body: NotEnough) -> FollowUpState:
    """Look for more pages built like these results, rare structures first.

    Pages of the collection that are built so are in the answer; the crawl's own agents look for more meanwhile.
    """
    folder = office.library.crawl(asked.name)
    follow_up, similar = _asked(folder, body)
    office.launcher.follow(folder, follow_up.number)
    told = state_of(folder, following.find(folder, follow_up.number))
    return msgspec.structs.replace(told, similar=similar)


@read_apart(LONG)
def _asked(folder: CrawlFolder, body: NotEnough) -> tuple[FollowUp, tuple[FoundPage, ...]]:
    """The follow-up that was asked for, and the pages of the collection that are built so."""
    follow_up = following.ask(folder, body.query, body.results, body.pages)
    similar = following.similar_pages(folder, following.samples_of(folder, follow_up), body.results)
    return follow_up, tuple(FoundPage(each.url, each.likeness, each.title) for each in similar)


@read_apart(LONG)
def state_of(folder: CrawlFolder, follow_up: FollowUp) -> FollowUpState:
    """A follow-up as it is told."""
    progress = following.progress(folder, follow_up)
    return FollowUpState(
        follow_up.number,
        follow_up.query,
        follow_up.asked_at,
        progress.state,
        follow_up.pages,
        tuple(SampleMessage(each.url, each.pages) for each in follow_up.samples),
        progress.looked,
        progress.kept,
        tuple(FoundPage(each.url, each.likeness, each.title) for each in progress.pages),
        trouble=without_paths(follow_up.trouble),
    )


def _found(folder: CrawlFolder, number: int) -> FollowUp:
    for each in following.all_of(folder):
        if each.number == number:
            return each
    raise NotThere(f"crawl {folder.name!r} has no follow-up {number}")


CALLS: list[Call] = [list_follow_ups, get_follow_up, start_follow_up]
