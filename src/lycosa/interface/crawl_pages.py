"""The list of crawls, and the page of one crawl, which follows it while it runs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from lycosa.agents.folder import CrawlError, CrawlFolder
from lycosa.agents.status import Status
from lycosa.interface.charts import Axis, Series, line_chart
from lycosa.interface.ledger import Overview
from lycosa.interface.library import Library
from lycosa.interface.rendering import page, rendered
from lycosa.interface.wording import number, share

EVENT_EVERY = 1.0
MOST_EVENTS = 3600
MOST_STREAMS = 32
_LOOKS_PER_EVENT = 10
_COLUMNS = (("figures",), ("harvest", "agents", "sites"), ("stages", "troubles"))


def crawls_page(request: Request) -> Response:
    """`/`: every crawl, and a search box."""
    library: Library = request.app.state.library
    shelves = library.shelves()
    choices = [shelved.name for shelved in shelves if shelved.searchable]
    return page("crawls.html", shelves=shelves, choices=choices, typed="", chosen=choices[0] if choices else "")


def crawl_page(request: Request) -> Response:
    """`/crawl/NAME`: how a crawl stands."""
    library: Library = request.app.state.library
    folder = library.crawl(request.path_params["name"])
    searchable = folder.name in library.searchable()
    values = _values(library, folder)
    choices = [folder.name] if searchable else []
    return page("crawl.html", columns=_COLUMNS, choices=choices, chosen=folder.name, typed="", **values)


def status_json(request: Request) -> Response:
    """`/crawl/NAME/status.json`: the same for programs."""
    library: Library = request.app.state.library
    return JSONResponse(library.status(library.crawl(request.path_params["name"])).plain())


def health(request: Request) -> Response:
    """`/health`: whether the server answers."""
    return JSONResponse({"status": "ok"})


async def events(request: Request) -> Response:
    """`/crawl/NAME/events`: how the crawl stands, every second while it runs, as server-sent events."""
    state = request.app.state
    folder = await run_in_threadpool(state.library.crawl, request.path_params["name"])
    if state.streams >= MOST_STREAMS:
        return PlainTextResponse("too many pages follow crawls at once; close one", 503)
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    return StreamingResponse(_stream(state, folder), media_type="text/event-stream")


async def _stream(state: Any, folder: CrawlFolder) -> AsyncIterator[str]:
    state.streams += 1
    try:
        for _ in range(MOST_EVENTS):
            try:
                going, data = await run_in_threadpool(_event, state.library, folder)
            except CrawlError as error:
                yield f"event: end\ndata: {json.dumps({'trouble': str(error)})}\n\n"
                return
            yield f"data: {data}\n\n"
            if not going:
                yield 'event: end\ndata: {"state": "stopped"}\n\n'
                return
            if await _ended_meanwhile(state):
                return
    finally:
        state.streams -= 1


async def _ended_meanwhile(state: Any) -> bool:
    """Wait until the next event is due; whether the server is about to end."""
    for _ in range(_LOOKS_PER_EVENT):
        if state.ending:
            return True
        await asyncio.sleep(EVENT_EVERY / _LOOKS_PER_EVENT)
    return bool(state.ending)


def _event(library: Library, folder: CrawlFolder) -> tuple[bool, str]:
    values = _values(library, folder)
    status: Status = values["status"]
    parts = {name: rendered(f"part_{name}.html", **values) for column in _COLUMNS for name in column}
    going = status.state != "stopped"
    return going, json.dumps({"state": status.state, "status": status.plain(), "parts": parts})


def _values(library: Library, folder: CrawlFolder) -> dict[str, Any]:
    status = library.status(folder)
    overview = library.overview(folder)
    spent = sum(stage["seconds"] for stage in status.stages.values())
    return {
        "status": status,
        "overview": overview,
        "curve": harvest_chart(overview),
        "stages_total": spent,
        "failed": _ranked(status.failed),
        "refused": _ranked(status.refused),
    }


def harvest_chart(overview: Overview) -> str:
    """The harvest curve, drawn."""
    summary = "No page has been fetched yet."
    if overview.curve:
        pages, harvest = overview.curve[-1]
        summary = f"After {number(pages)} pages, {share(harvest)} of them are relevant."
    series = [Series("harvest", overview.curve)]
    up = Axis("share of relevant pages", 1.0, percent=True)
    return line_chart(series, "Harvest curve", Axis("pages fetched"), up, summary)


def _ranked(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))
