"""Pages that follow a crawl: one stream of server-sent events each, and no asking again and again.

`/crawl/NAME/events` tells every second how the crawl stands: its state, the status for
programs, the parts of its page and the lines of its charts. `/crawls/events` does the same
for the list, `/crawl/NAME/logs/events` for a log. A stream ends with the event `end`, which
says why: the crawl has ended, was deleted, or cannot be read.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.interface.shared.access import Access, Refusal
from lycosa.interface.shared.rendering import rendered
from lycosa.interface.shared.server_paths import sentence_of
from lycosa.interface.shared.tokens import Role
from lycosa.interface.views.open_crawls import Library
from lycosa.interface.views.process_logs import log_part, log_process
from lycosa.interface.views.queue_history import Pulses
from lycosa.interface.web.crawl_panels import console_parts, console_values

EVENT_EVERY = 1.0
MOST_EVENTS = 3600
MOST_STREAMS = 32
SIGNED_OUT = "The token you signed in with is no longer known here."
_LOOKS_PER_EVENT = 10
Look = Callable[[], tuple[bool, dict[str, Any] | None]]
"""Says whether there is more to come, and what is new, if anything is."""


async def crawl_events(request: Request) -> Response:
    """`/crawl/NAME/events`: how a crawl stands."""
    state = request.app.state
    folder = await run_in_threadpool(state.library.crawl, request.path_params["name"])
    return _streamed(request, CrawlFollower(state.library, state.pulses, folder).look)


async def list_events(request: Request) -> Response:
    """`/crawls/events`: how all crawls stand, while any runs."""
    library: Library = request.app.state.library

    def look() -> tuple[bool, dict[str, Any]]:
        shelves = library.shelves()
        states = {each.name: each.status.state for each in shelves if each.status}
        going = any(not each.status.over for each in shelves if each.status)
        return going, {"states": states, "parts": {"shelves": rendered("part_shelves.html", shelves=shelves)}}

    return _streamed(request, look)


async def log_events(request: Request) -> Response:
    """`/crawl/NAME/logs/events?process=P&after=N`: the lines of a log as they are written."""
    folder = await run_in_threadpool(request.app.state.library.crawl, request.path_params["name"])
    after = request.headers.get("last-event-id") or request.query_params.get("after", "")
    place = int(after) if after.isascii() and after.isdigit() and len(after) < 16 else -1
    process = log_process(request.query_params.get("process"))
    return _streamed(request, LogFollower(folder, process, place).look)


class CrawlFollower:
    """Looks at a crawl again and again; what is long and did not change is told once."""

    def __init__(self, library: Library, pulses: Pulses, folder: CrawlFolder) -> None:
        self._library, self._pulses, self._folder = library, pulses, folder
        self._told: dict[str, Any] = {}

    def look(self) -> tuple[bool, dict[str, Any]]:
        """How the crawl stands now."""
        check_there(self._folder)
        values = console_values(self._library, self._pulses, self._folder)
        status = values["status"]
        plots = {
            "speed": values["speeds"],
            "harvest": values["overview"].curve,
            "queues": [moment.plain() for moment in values["moments"]],
        }
        fresh = {name: points for name, points in plots.items() if self._told.get(name) != points}
        self._told |= fresh
        event = {"state": status.state, "status": status.plain(), "parts": console_parts(values), "plots": fresh}
        return not status.over, event


class LogFollower:
    """Reads on in a log."""

    def __init__(self, folder: CrawlFolder, process: str, place: int) -> None:
        self._folder, self._process, self._place = folder, process, place

    def look(self) -> tuple[bool, dict[str, Any] | None]:
        """The lines that are new."""
        check_there(self._folder)
        going = self._folder.running()
        part = log_part(self._folder, self._process, self._place)
        self._place = part.next
        if not part.lines:
            return going, None
        return True, {"lines": part.lines, "id": part.next}


def check_there(folder: CrawlFolder) -> None:
    """A crawl may be deleted while somebody looks at it."""
    if not folder.exists:
        raise CrawlError(f"The crawl “{folder.name}” was deleted.")


def _streamed(request: Request, look: Look) -> Response:
    if request.app.state.streams >= MOST_STREAMS:
        return PlainTextResponse("too many pages follow crawls at once; close one", 503)
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    return StreamingResponse(_stream(request, look), media_type="text/event-stream")


def _may_look(request: Request) -> bool:
    """Whether whoever opened the stream may still look: a token may be removed meanwhile."""
    access: Access = request.app.state.office.access
    try:
        return access.visitor(request).role >= Role.READ
    except Refusal:
        return False


async def _stream(request: Request, look: Look) -> AsyncIterator[str]:
    state = request.app.state
    state.streams += 1
    try:
        for _ in range(MOST_EVENTS):
            if not _may_look(request):
                yield f"event: end\ndata: {json.dumps({'trouble': SIGNED_OUT, 'status': 401})}\n\n"
                return
            try:
                going, written = await run_in_threadpool(lambda: _written(*look()))
            except (CrawlError, ConfigurationError, OSError) as error:
                yield f"event: end\ndata: {json.dumps({'trouble': sentence_of(error)})}\n\n"
                return
            yield written
            if not going:
                yield "event: end\ndata: {}\n\n"
                return
            if await _ended_meanwhile(state):
                return
    finally:
        state.streams -= 1


def _written(going: bool, event: dict[str, Any] | None) -> tuple[bool, str]:
    """Whether there is more to come, and an event as it is sent; a comment keeps a quiet stream alive."""
    if event is None:
        return going, ": nothing new\n\n"
    number = f"id: {event['id']}\n" if "id" in event else ""
    return going, f"{number}data: {json.dumps(event)}\n\n"


async def _ended_meanwhile(state: Any) -> bool:
    """Wait until the next event is due; whether the server is about to end."""
    for _ in range(_LOOKS_PER_EVENT):
        if state.ending:
            return True
        await asyncio.sleep(EVENT_EVERY / _LOOKS_PER_EVENT)
    return bool(state.ending)
