"""A web behind a real socket: any web with a `respond`, for all its host names, on loopback.

The server reads the Host header to know which host is meant, keeps connections open, answers in
order, and writes down every request, so that tests can audit a crawler's manners. It serves
crawlers under test, hostile ones among them: whatever a client sends ends in an answer or a
closed connection. Its time stands still unless it is given a clock or told to advance, so that
a crawl can be repeated.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol, Self, TextIO

from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.records import Response

LARGEST_REQUEST = 64 * 1024
_REASONS = {status.value: status.phrase for status in HTTPStatus}
_BODILESS = (204, 304)


class Web(Protocol):
    """Whatever answers requests."""

    def respond(self, url: str, now: float = ..., attempt: int = ..., headers: Mapping[str, str] = ...) -> Response:
        """The answer to a GET of `url`."""
        ...


class Request(NamedTuple):
    """A request as it is written down: when it was answered by the machine's steady clock, and how."""

    at: float
    host: str
    path: str
    status: int


class WebServer:
    """Serves a web while its `async with` block runs. `port` 0 lets the system choose one.

    `latency` seconds pass before every answer; `cached` pages are kept as rendered until time advances;
    `log` is a file to which requests are appended, and `remember` says whether to keep them in memory too.
    """

    def __init__(
        self,
        web: Web,
        port: int = 0,
        *,
        latency: float = 0.0,
        cached: int = 0,
        log: Path | None = None,
        remember: bool = True,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.web = web
        self.port = port
        self.latency = latency
        self.log: list[Request] = []
        self._remember = remember
        self._log_path = log
        self._log_file: TextIO | None = None
        self._clock = clock
        self._still = web.begins if isinstance(web, SimulatedWeb) else 0.0
        self._advanced = 0.0
        self._cached = cached
        self._cache: dict[bytes, tuple[int, bytes]] = {}
        self._attempts: dict[str, int] = {}
        self._connections: set[Connection] = set()

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: Connection(self), "127.0.0.1", self.port, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        if isinstance(self.web, SimulatedWeb):
            self.web = self.web.at_port(self.port)
        if self._log_path is not None:
            self._log_file = self._log_path.open("a", buffering=1, encoding="utf-8")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for connection in list(self._connections):
            connection.close()
        await self._server.wait_closed()
        if self._log_file is not None:
            self._log_file.close()

    @property
    def now(self) -> float:
        """The time in the web."""
        return (self._clock() if self._clock else self._still) + self._advanced

    def advance(self, seconds: float) -> None:
        """Let time pass in the web."""
        self._advanced += seconds
        self._cache.clear()

    def answer(self, method: bytes, target: bytes, fields: Mapping[str, str]) -> bytes:
        """The bytes that answer a request; they are also written down."""
        host = fields.get("host", "").lower()
        key = host.encode("latin-1") + target
        conditional = "if-none-match" in fields or "if-modified-since" in fields
        status, wire = self._cache.get(key, (0, b"")) if not conditional else (0, b"")
        path = target.decode("latin-1")
        if not status:
            status, wire = self._rendered(f"http://{host}{path}", fields)
            if self._cached and not conditional and status == 200 and len(self._cache) < self._cached:
                self._cache[key] = status, wire
        self._write_down(host, path, status)
        return wire if method == b"GET" else wire[: wire.index(b"\r\n\r\n") + 4]

    def _rendered(self, url: str, fields: Mapping[str, str]) -> tuple[int, bytes]:
        attempt = self._attempts.get(url, 0) + 1
        response = self.web.respond(url, self.now, attempt, fields)
        if response.status >= 500:
            self._attempts[url] = attempt
        return response.status, wire_form(response)

    def _write_down(self, host: str, path: str, status: int) -> None:
        request = Request(time.monotonic(), host, path, status)
        if self._remember:
            self.log.append(request)
        if self._log_file is not None:
            self._log_file.write(f"{request.at:.6f} {host or '-'} {status} {path}\n")

    def opened(self, connection: Connection) -> None:
        """A client has connected."""
        self._connections.add(connection)

    def closed(self, connection: Connection) -> None:
        """A client has gone."""
        self._connections.discard(connection)


class Connection(asyncio.Protocol):
    """One client's connection: requests are answered one after another, in their order."""

    def __init__(self, server: WebServer) -> None:
        self._server = server
        self._buffer = b""
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Join the server's connections."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave; an answer that was still waiting is not sent."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._server.closed(self)

    def data_received(self, data: bytes) -> None:
        """Answer every request that is complete; give up on clients that never come to the point."""
        self._buffer = self._buffer + data if self._buffer else data
        self._answer_complete()
        if len(self._buffer) > LARGEST_REQUEST:
            self._refuse(431)

    def close(self) -> None:
        """End the connection."""
        self._transport.abort()

    def _answer_complete(self) -> None:
        while self._waiting is None and not self._transport.is_closing():
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head, self._buffer = self._buffer[:end], self._buffer[end + 4 :]
            self._take(head)

    def _take(self, head: bytes) -> None:
        request = parse_request(head)
        if isinstance(request, int):
            self._refuse(request)
            return
        method, target, fields, stay = request
        wire = self._server.answer(method, target, fields)
        if self._server.latency:
            loop = asyncio.get_running_loop()
            self._waiting = loop.call_later(self._server.latency, self._send_late, wire, stay)
        else:
            self._send(wire, stay)

    def _send_late(self, wire: bytes, stay: bool) -> None:
        self._waiting = None
        self._send(wire, stay)
        self._answer_complete()

    def _send(self, wire: bytes, stay: bool) -> None:
        self._transport.write(wire)
        if not stay:
            self._transport.close()

    def _refuse(self, status: int) -> None:
        self._buffer = b""
        self._send(wire_form(Response("", status, (("Connection", "close"),))), stay=False)


def parse_request(head: bytes) -> tuple[bytes, bytes, dict[str, str], bool] | int:
    """Method, target, headers (names in lower case) and whether the connection stays; or the status of a refusal."""
    lines = head.lstrip(b"\r\n").split(b"\r\n")
    parts = lines[0].split(b" ")
    if len(parts) != 3 or not parts[2].startswith(b"HTTP/1.") or not parts[1].startswith(b"/"):
        return 400
    method, target, version = parts
    if method not in (b"GET", b"HEAD"):
        return 405
    fields: dict[str, str] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        if not colon or not name or name != name.strip():
            return 400
        fields[name.decode("latin-1").lower()] = value.decode("latin-1").strip()
    if fields.get("content-length", "0") != "0" or "transfer-encoding" in fields:
        return 413
    if "host" not in fields and version != b"HTTP/1.0":
        return 400
    wish = fields.get("connection", "").lower()
    return method, target, fields, "keep-alive" in wish if version == b"HTTP/1.0" else "close" not in wish


def wire_form(response: Response) -> bytes:
    """A response as it goes over the wire."""
    lines = [f"HTTP/1.1 {response.status} {_REASONS.get(response.status, 'Unknown')}"]
    lines += [f"{name}: {value}" for name, value in response.headers]
    body = b"" if response.status in _BODILESS else response.raw or response.body
    if response.status not in _BODILESS:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


class ServedWeb:
    """A web served by another process, for as long as the `with` block runs."""

    def __init__(self, process: subprocess.Popen[str], port: int, log: Path) -> None:
        self.port = port
        self._process = process
        self._log = log

    def requests(self) -> list[Request]:
        """All requests that were answered so far."""
        lines = self._log.read_text("utf-8").splitlines()
        parts = [line.split(" ", 3) for line in lines]
        return [Request(float(at), host, path, int(status)) for at, host, status, path in parts]

    def advance(self, seconds: float) -> None:
        """Let time pass in the web."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"advance {seconds}\n")
        self._process.stdin.flush()
        self._process.stdout.readline()


@contextmanager
def serve_in_process(box: str, port: int = 0, *, latency: float = 0.0, cached: int = 0) -> Iterator[ServedWeb]:
    """A simulated web served by a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "requests.log"
        order = [sys.executable, "-m", __name__, box, f"--port={port}", f"--latency={latency}", f"--cached={cached}"]
        with subprocess.Popen(
            [*order, f"--log={log}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            first = process.stdout.readline().strip()
            try:
                if not first.isdigit():
                    raise RuntimeError(f"the web {box} could not be served")
                yield ServedWeb(process, int(first), log)
            finally:
                process.stdin.close()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()


async def _serve(told: argparse.Namespace) -> None:
    web = SimulatedWeb.of(told.box, begins=time.time())
    log = Path(told.log) if told.log else None
    async with WebServer(web, told.port, latency=told.latency, cached=told.cached, log=log, remember=False) as server:
        orders = _orders(asyncio.get_running_loop())
        print(server.port, flush=True)
        if sys.stdin.isatty():
            print(f"{told.box} is served on this port of 127.0.0.1; Ctrl-C ends it", file=sys.stderr)
        while order := await orders.get():
            word, _, amount = order.partition(" ")
            if word == "advance":
                server.advance(float(amount))
                print("advanced", flush=True)


def _orders(loop: asyncio.AbstractEventLoop) -> asyncio.Queue[str]:
    """Lines of standard input as they come, and '' when it closes.

    At a terminal Ctrl-C closes it; else that is ignored, since whoever started the process closes its input.
    """
    orders: asyncio.Queue[str] = asyncio.Queue()

    def read() -> None:
        for line in chain(iter(sys.stdin.readline, ""), ("",)):
            loop.call_soon_threadsafe(orders.put_nowait, line)

    if sys.stdin.isatty():
        loop.add_signal_handler(signal.SIGINT, orders.put_nowait, "")
    threading.Thread(target=read, daemon=True).start()
    return orders


def main() -> None:
    """Serve a simulated web until standard input closes."""
    parser = argparse.ArgumentParser(prog="python -m lycosa.lab.web_server", description=main.__doc__)
    parser.add_argument("box", help="the web, such as 'box:7?hosts=20&pages=2000'")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before every answer")
    parser.add_argument("--cached", type=int, default=0, help="pages kept as rendered")
    parser.add_argument("--log", default="", help="a file to append requests to")
    told = parser.parse_args()
    if not sys.stdin.isatty():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(_serve(told))


if __name__ == "__main__":
    main()
