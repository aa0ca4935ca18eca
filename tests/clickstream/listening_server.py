"""A site with the beacon and, on another origin, one that listens to it: what a browser sent can be awaited."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Event, Thread
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from lycosa.clickstream.beacon.script import beacon_script, snippet

KEY = "site-key"
PATIENCE = 15.0
PIXEL = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\0\0\0!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"


@dataclass(frozen=True, slots=True)
class Heard:
    """One request that reached the listening origin."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: str = ""

    @property
    def event(self) -> dict[str, Any]:
        """The event in its body."""
        found = json.loads(self.body)
        assert isinstance(found, dict)
        return found


@dataclass(slots=True)
class Listener:
    """Keeps what was sent, in order, and wakes whoever waits for it."""

    heard: list[Heard] = field(default_factory=list)
    news: Condition = field(default_factory=Condition)

    def note(self, heard: Heard) -> None:
        """Keep one request."""
        with self.news:
            self.heard.append(heard)
            self.news.notify_all()

    def forget(self) -> None:
        """Begin anew."""
        with self.news:
            self.heard.clear()

    def posts(self) -> list[Heard]:
        """What was posted until now."""
        with self.news:
            return [heard for heard in self.heard if heard.method == "POST"]

    def events(self, path: str = "") -> list[dict[str, Any]]:
        """The events until now, of all pages or of the one at that path."""
        found = [heard.event for heard in self.posts() if heard.body.startswith('{"v"')]
        return [event for event in found if not path or urlsplit(event["u"]).path == path]

    def request(self, wanted: Callable[[Heard], bool]) -> Heard:
        """The first request like that, as soon as it is there."""
        return self._awaited(lambda: next((heard for heard in self.heard if wanted(heard)), None), "such request")

    def event(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first event like that, as soon as it is there."""
        return self._awaited(lambda: next((event for event in self.events() if wanted(event)), None), "such event")

    def _awaited(self, find: Callable[[], Any], what: str) -> Any:
        end = monotonic() + PATIENCE
        with self.news:
            while (found := find()) is None:
                left = end - monotonic()
                assert left > 0, f"no {what} in {PATIENCE} s; heard {[(h.method, h.path, h.body) for h in self.heard]}"
                self.news.wait(left)
            return found


@dataclass(slots=True)
class Site:
    """A site's pages by their path: HTML, and headers of their own.

    What was asked for is in `visits`, what the other origin got in `listener`; `/gate` answers once `gate` is set.
    """

    listener: Listener = field(default_factory=Listener)
    visits: Listener = field(default_factory=Listener)
    gate: Event = field(default_factory=Event)
    address: str = ""
    listening: str = ""
    pages: dict[str, tuple[str, Mapping[str, str]]] = field(default_factory=dict)

    def page(self, path: str, body: str = "", headers: Mapping[str, str] | None = None, *, head: str = "") -> str:
        """Put a page with the beacon; gives its address."""
        pasted = snippet(self.listening, KEY)
        html = f"<!doctype html><meta charset=utf-8><title>{path}</title>{head}<body>{body}{pasted}"
        return self.plain(path, html, headers)

    def plain(self, path: str, html: str, headers: Mapping[str, str] | None = None) -> str:
        """Put a page just as it is; gives its address."""
        self.pages[path] = (html, headers or {})
        return self.address + path


@contextmanager
def listening_site() -> Iterator[Site]:
    """Both origins on loopback."""
    site = Site()
    with _served(_pages_of(site)) as site.address, _served(_ears_of(site.listener)) as site.listening:
        yield site


@contextmanager
def _served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Quiet(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def request_heard(self, body: str = "") -> Heard:
        """The request that is being answered."""
        return Heard(self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, body)

    def answer(self, status: int, kind: str, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """A whole answer."""
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _pages_of(site: Site) -> type[BaseHTTPRequestHandler]:
    class Pages(_Quiet):
        def do_GET(self) -> None:
            site.visits.note(self.request_heard())
            if self.path == "/gate":
                site.gate.wait(4 * PATIENCE)
            html, headers = site.pages.get(urlsplit(self.path).path, ("nothing here", {}))
            self.answer(200, "text/html; charset=utf-8", html.encode(), headers)

    return Pages


def _ears_of(listener: Listener) -> type[BaseHTTPRequestHandler]:
    class Ears(_Quiet):
        def do_GET(self) -> None:
            listener.note(self.request_heard())
            if urlsplit(self.path).path == "/beacon.js":
                self.answer(200, "text/javascript; charset=utf-8", beacon_script(), {"Cache-Control": "max-age=600"})
            else:
                self.answer(200, "image/gif", PIXEL)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self.answer(204, "text/plain", b"")
            listener.note(self.request_heard(body))

    return Ears
