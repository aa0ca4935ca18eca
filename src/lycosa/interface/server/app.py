"""The pages in the browser: which there are, who may ask for them, and the server that answers.

It answers this machine, and others only where tokens say who may ask. Names are checked
against rebinding, foreign content cannot run (a strict content security policy on top of
escaping), and whatever changes something is a call of the API.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lycosa import reading_processes
from lycosa.crawl_folder.folder import CrawlError
from lycosa.interface.api.all_calls import CALLS
from lycosa.interface.api.follow_up_feedback import chosen, enough_note, follow_up_events
from lycosa.interface.api.http import ROOT, routes
from lycosa.interface.api.openapi import description
from lycosa.interface.api.reader_feedback import ReaderNotes, note_behaviour, note_rating
from lycosa.interface.api.search_json import opensearch, search_json, suggest
from lycosa.interface.operations.calls import Office
from lycosa.interface.operations.crawl_control import Launcher
from lycosa.interface.operations.search_feedback import SearchNotes
from lycosa.interface.server.connections import Connections, OutOfDescriptors, places
from lycosa.interface.server.crawl_routes import CRAWL_ROUTES
from lycosa.interface.server.sign_in import Doorkeeper, is_loopback, sign_in, sign_in_page, sign_out
from lycosa.interface.shared.access import Access
from lycosa.interface.shared.errors import FORESEEN, problem
from lycosa.interface.shared.rendering import page
from lycosa.interface.shared.tokens import TokenFile
from lycosa.interface.views.open_crawls import Library
from lycosa.interface.views.queue_history import Pulses
from lycosa.interface.web.click_pages import CLICK_ROUTES
from lycosa.interface.web.error_pages import as_sentence
from lycosa.interface.web.reader_pages import favourites_page, read_original, read_page, save_page
from lycosa.interface.web.search_pages import search_page
from lycosa.interface.web.topic_pages import TOPIC_ROUTES

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
ENDS_WITHIN = 3
TICKS_BETWEEN_SWEEPS = 5
"""The server looks around ten times a second."""
READING = ("lycosa.interface.api.all_calls", "lycosa.interface.web.reader_pages", "lycosa.interface.web.search_pages")
"""What a process that reads crawls has imported when it begins."""
SECURITY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_SENTENCES = {
    404: "There is no such page.",
    405: "This page can only be read.",
    500: "Something went wrong here; the server's log has the details.",
}


def web_app(home: Path, extra_hosts: Sequence[str] = (), *, open_reading: bool = True) -> Starlette:
    """The pages over all crawls below `home`. `extra_hosts` may be asked for besides the names of this machine.

    Without `open_reading` a token is needed for everything.
    """
    reading_processes.begin(READING)
    access = Access(home, open_reading=open_reading)
    app = Starlette(
        routes=[
            *routes(CALLS),
            Route(f"{ROOT}/openapi.json", openapi_json),
            Route("/sign-in", sign_in_page),
            Route("/sign-in", sign_in, methods=["POST"]),
            Route("/sign-out", sign_out, methods=["POST"]),
            *CRAWL_ROUTES,
            *TOPIC_ROUTES,
            *CLICK_ROUTES,
            Route("/search", search),
            Route("/suggest", suggest),
            Route("/notes/chosen", chosen, methods=["POST"]),
            Route("/notes/enough", enough_note, methods=["POST"]),
            Route("/crawl/{name}/follow-ups/{number:int}/events", follow_up_events),
            Route("/opensearch.xml", opensearch),
            Route("/read", read_page),
            Route("/read/original", read_original),
            Route("/read/save", save_page),
            Route("/read/favourites", favourites_page),
            Route("/notes/behaviour", note_behaviour, methods=["POST"]),
            Route("/notes/rating", note_rating, methods=["POST"]),
            Mount("/static", StaticFiles(packages=[("lycosa.interface", "static")])),
        ],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(TrustedHostMiddleware, allowed_hosts=[*LOOPBACK, *extra_hosts], www_redirect=False),
            Middleware(Doorkeeper, access=access),
        ],
        exception_handlers={
            HTTPException: _http_error,
            **dict.fromkeys(FORESEEN, _foreseen),
            Exception: _internal_error,
        },
    )
    office = Office(home, Library(home), access, SearchNotes(), Launcher(home))
    app.state.office, app.state.library, app.state.notes = office, office.library, office.notes
    app.state.reader_notes = ReaderNotes()
    app.state.streams, app.state.ending, app.state.pulses = 0, False, Pulses()
    return app


def search(request: Request) -> Response:
    """`/search`: the page, or what programs ask for with `format=json`."""
    return search_json(request) if request.query_params.get("format") == "json" else search_page(request)


def openapi_json(request: Request) -> Response:
    """`/api/v1/openapi.json`: what the API can do."""
    return JSONResponse(description(CALLS, str(request.base_url).rstrip("/")))


class SecurityHeaders:
    """Puts the security headers on every answer; one that brings a policy of its own keeps it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add to the answer's head."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        await self._app(scope, receive, send_with_headers)


# -- what goes wrong ----------------------------------------------------------------------------


def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    answer = _trouble(request, error.status_code, _SENTENCES.get(error.status_code, error.detail))
    answer.headers.update(error.headers or {})
    return answer


def _foreseen(request: Request, error: Exception) -> Response:
    """What a person can mend says so itself."""
    return _trouble(request, problem(error).status_code, as_sentence(error))


def _internal_error(request: Request, error: Exception) -> Response:
    """The last resort, outside all middleware: it brings its own headers."""
    answer = _trouble(request, 500, _SENTENCES[500])
    answer.headers.update(SECURITY)
    return answer


def _trouble(request: Request, status: int, sentence: str) -> Response:
    path = request.url.path
    for_programs = path.startswith(f"{ROOT}/") or path.endswith((".json", "/events"))
    if for_programs or request.query_params.get("format") == "json":
        return JSONResponse({"error": sentence}, status)
    library: Library = request.app.state.library
    return page(request, "trouble.html", status, sentence=sentence, code=status, crawls=library.names())


# -- the server ---------------------------------------------------------------------------------


class _Server(uvicorn.Server):
    """Says when it is ready, and ends pages that follow a crawl before it waits for them."""

    def __init__(
        self, config: uvicorn.Config, app: Starlette, connections: Connections, ready: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._app, self._connections, self._ready = app, connections, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(OutOfDescriptors())
        await super().startup(sockets)
        self._ready()

    async def on_tick(self, counter: int) -> bool:
        if counter % TICKS_BETWEEN_SWEEPS == 0:
            self._connections.sweep(asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: Any) -> None:
        self._app.state.ending = True
        super().handle_exit(sig, frame)


def serve(home: Path, host: str, port: int, on_ready: Callable[[str, str], None]) -> None:
    """Answer until interrupted. Port 0 lets the system choose one.

    `on_ready` is told the address, and the one that signs a browser in.
    """
    at_home = is_loopback(host)
    if not at_home and not TokenFile(home).all():
        raise CrawlError(
            f"listening on {host!r} lets others in, so they need a token, and there is none yet; "
            "make one with `lycosa tokens add NAME --role read`, or listen on 127.0.0.1"
        )
    with _listen(host, port) as listening:
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listening.getsockname()[1]}/"
        app = web_app(home, [shown if at_home else "*"], open_reading=at_home)
        key = app.state.office.access.console_key()
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
        connections = Connections(places())
        config = uvicorn.Config(
            app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=ENDS_WITHIN,
            http=cast("type[asyncio.Protocol]", connections.connection), backlog=connections.most,
        )  # fmt: skip
        reading_processes.begin(READING).start()
        with suppress(KeyboardInterrupt):
            _Server(config, app, connections, lambda: on_ready(address, f"{address}sign-in?key={key}")).run([listening])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, or answers wait for each other
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()
    except (OSError, OverflowError) as error:
        listening.close()
        raise CrawlError(_why_not(error, host, port)) from None
    return listening


def _why_not(error: OSError | OverflowError, host: str, port: int) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use; choose another one, or 0 for any that is free"
    if isinstance(error, OSError) and error.errno == errno.EACCES:
        return f"port {port} on {host} is not allowed; choose one above 1023, or 0 for any that is free"
    return f"cannot listen on port {port} of {host}: {error}"
