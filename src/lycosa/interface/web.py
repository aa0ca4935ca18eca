"""The pages in the browser: which there are, who may ask for them, and the server that answers.

For now it answers this machine only. Names are checked against rebinding, foreign
content cannot run (a strict content security policy on top of escaping), and
nothing here changes a crawl; what people choose among results is noted beside it.
"""

from __future__ import annotations

import errno
import ipaddress
import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

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

from lycosa.agents.folder import CrawlError
from lycosa.interface.crawl_pages import crawl_page, crawls_page, events, health, status_json
from lycosa.interface.library import Library, UnknownCrawl, UnreadableCrawl
from lycosa.interface.rendering import page
from lycosa.interface.search_clicks import SearchNotes, chosen
from lycosa.interface.search_pages import opensearch, search_page

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
ENDS_WITHIN = 3
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


def web_app(home: Path, extra_hosts: Sequence[str] = ()) -> Starlette:
    """The pages over all crawls below `home`. `extra_hosts` may be asked for besides the names of this machine."""
    app = Starlette(
        routes=[
            Route("/", crawls_page),
            Route("/search", search_page),
            Route("/clicks/chosen", chosen, methods=["POST"]),
            Route("/crawl/{name}", crawl_page),
            Route("/crawl/{name}/events", events),
            Route("/crawl/{name}/status.json", status_json),
            Route("/opensearch.xml", opensearch),
            Route("/health", health),
            Mount("/static", StaticFiles(packages=[("lycosa.interface", "static")])),
        ],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(TrustedHostMiddleware, allowed_hosts=[*LOOPBACK, *extra_hosts], www_redirect=False),
        ],
        exception_handlers={
            HTTPException: _http_error,
            UnknownCrawl: _unknown_crawl,
            UnreadableCrawl: _unreadable_crawl,
            Exception: _internal_error,
        },
    )
    app.state.library, app.state.streams, app.state.ending = Library(home), 0, False
    app.state.notes = SearchNotes()
    return app


class SecurityHeaders:
    """Puts the security headers on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add to the answer's head."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(SECURITY)
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        await self._app(scope, receive, send_with_headers)


# -- what goes wrong ----------------------------------------------------------------------------


def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _trouble(request, error.status_code, _SENTENCES.get(error.status_code, error.detail))


def _unknown_crawl(request: Request, error: Exception) -> Response:
    return _trouble(request, 404, str(error))


def _unreadable_crawl(request: Request, error: Exception) -> Response:
    return _trouble(request, 500, str(error))


def _internal_error(request: Request, error: Exception) -> Response:
    """The last resort, outside all middleware: it brings its own headers."""
    answer = _trouble(request, 500, _SENTENCES[500])
    answer.headers.update(SECURITY)
    return answer


def _trouble(request: Request, status: int, sentence: str) -> Response:
    if request.url.path.endswith((".json", "/events")) or request.query_params.get("format") == "json":
        return JSONResponse({"error": sentence}, status)
    library: Library = request.app.state.library
    return page("trouble.html", status, sentence=sentence, code=status, crawls=library.names())


# -- the server ---------------------------------------------------------------------------------


class _Server(uvicorn.Server):
    """Says when it is ready, and ends pages that follow a crawl before it waits for them."""

    def __init__(self, config: uvicorn.Config, app: Starlette, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._app, self._ready = app, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    def handle_exit(self, sig: int, frame: Any) -> None:
        self._app.state.ending = True
        super().handle_exit(sig, frame)


def serve(home: Path, host: str, port: int, on_ready: Callable[[str], None]) -> None:
    """Answer until interrupted. `on_ready` is told the address; port 0 lets the system choose one."""
    with _listen(host, port) as listening:
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listening.getsockname()[1]}/"
        app = web_app(home, [shown])
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
        config = uvicorn.Config(
            app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=ENDS_WITHIN
        )
        with suppress(KeyboardInterrupt):
            _Server(config, app, lambda: on_ready(address)).run([listening])


def _listen(host: str, port: int) -> socket.socket:
    if not _is_loopback(host):
        raise CrawlError(
            f"lycosa serves this machine only and does not listen on {host!r}; use 127.0.0.1, ::1 or localhost"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()
    except (OSError, OverflowError) as error:
        listening.close()
        raise CrawlError(_why_not(error, host, port)) from None
    return listening


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _why_not(error: OSError | OverflowError, host: str, port: int) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use; choose another one, or 0 for any that is free"
    if isinstance(error, OSError) and error.errno == errno.EACCES:
        return f"port {port} on {host} is not allowed; choose one above 1023, or 0 for any that is free"
    return f"cannot listen on port {port} of {host}: {error}"
