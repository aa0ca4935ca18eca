""" "Was this enough?": the answer is noted, pages built alike are shown at once, and a follow-up is followed (M14)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.reading_apart import LONG, read_apart
from lycosa.follow_up import requests as following
from lycosa.follow_up.requests import MOST_RESULTS
from lycosa.interface.api.http import sent
from lycosa.interface.operations.calls import Office
from lycosa.interface.operations.crawls import Address, CrawlName
from lycosa.interface.operations.follow_ups import FollowUpState, FoundPage, SampleMessage, state_of
from lycosa.interface.operations.search_feedback import Asker, Chosen
from lycosa.interface.shared.access import Refusal
from lycosa.interface.shared.errors import FORESEEN, JSON, problem
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.server_paths import sentence_of
from lycosa.interface.shared.tokens import Role
from lycosa.search.query import LONGEST

LARGEST = 8 * 1024
LARGEST_ANSWER = 128 * 1024
EVERY = 1.0
MOST_EVENTS = 7200


class Answer(Message, frozen=True, forbid_unknown_fields=True):
    """Whether the results of a query were enough, and which they were, the best first."""

    crawl: CrawlName
    query: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST)]
    results: Annotated[tuple[Address, ...], msgspec.Meta(min_length=1, max_length=MOST_RESULTS)]
    enough: bool


class MoreLike(Message, frozen=True):
    """What there is already, when results were not enough: by which structures, which pages, and who may do more."""

    samples: tuple[SampleMessage, ...] = ()
    similar: tuple[FoundPage, ...] = ()
    may_follow: bool = False


async def chosen(request: Request) -> Response:
    """`POST /notes/chosen`: the search page says which result was chosen."""
    office: Office = request.app.state.office
    try:
        office.access.check_key(request, request.state.visitor)
        said = await sent(request, Chosen, LARGEST)
        folder = await run_in_threadpool(office.library.crawl, said.crawl)
        wait = await run_in_threadpool(office.notes.choose, folder, Asker.of(request), said)
        _refuse_too_many(wait)
    except FORESEEN as error:
        return problem(error)
    return Response(status_code=204)


def _refuse_too_many(wait: float) -> None:
    if wait:
        raise Refusal(
            429, f"These are too many notes; wait {int(wait) + 1} seconds.", {"Retry-After": str(int(wait) + 1)}
        )


async def enough_note(request: Request) -> Response:
    """`POST /notes/enough`: the search page says whether its results were enough."""
    office: Office = request.app.state.office
    try:
        office.access.check_key(request, request.state.visitor)
        said = await sent(request, Answer, LARGEST_ANSWER)
        folder = await run_in_threadpool(office.library.crawl, said.crawl)
        asker = Asker.of(request)
        wait = await run_in_threadpool(office.notes.answer, folder, asker, said.query, said.results[0], said.enough)
        _refuse_too_many(wait)
        may_follow = request.state.visitor.role >= Role.OPERATE
        told = MoreLike() if said.enough else await run_in_threadpool(_more_like, folder, said.results, may_follow)
    except FORESEEN as error:
        return problem(error)
    return Response(msgspec.json.encode(told), media_type=JSON)


@read_apart(LONG)
def _more_like(folder: CrawlFolder, results: tuple[str, ...], may_follow: bool) -> MoreLike:
    found = following.rarest(folder, results)
    similar = following.similar_pages(folder, [skeleton for _, skeleton in found], results)
    return MoreLike(
        tuple(SampleMessage(sample.url, sample.pages) for sample, _ in found),
        tuple(FoundPage(each.url, each.likeness, each.title) for each in similar),
        may_follow and bool(found),
    )


async def follow_up_events(request: Request) -> Response:
    """`/crawl/NAME/follow-ups/NUMBER/events`: how a follow-up fares, every second until it is over."""
    office: Office = request.app.state.office
    folder = await run_in_threadpool(office.library.crawl, request.path_params["name"])
    number = int(request.path_params["number"])
    return StreamingResponse(_stream(request, folder, number), media_type="text/event-stream")


async def _stream(request: Request, folder: CrawlFolder, number: int) -> AsyncIterator[bytes]:
    told = b""
    for _ in range(MOST_EVENTS):
        try:
            state = await run_in_threadpool(_state, folder, number)
        except CrawlError as error:
            yield b"event: end\ndata: " + msgspec.json.encode({"trouble": sentence_of(error)}) + b"\n\n"
            return
        data = msgspec.json.encode(state)
        if data != told:
            told = data
            yield b"data: " + data + b"\n\n"
        if state.state not in ("asked", "running"):
            yield b"event: end\ndata: " + data + b"\n\n"
            return
        if request.app.state.ending or await request.is_disconnected():
            return
        await asyncio.sleep(EVERY)


def _state(folder: CrawlFolder, number: int) -> FollowUpState:
    return state_of(folder, following.find(folder, number))
