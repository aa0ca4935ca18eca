"""A server on loopback that writes down every request as it comes, and how many connections are open at most."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple, Self

Answer = Callable[[str, str], "bytes | None"]
"""Given host and path, the body of an HTML page (or of a robots.txt); None where nothing is ever answered."""


class Asked(NamedTuple):
    """A request, by the machine's steady clock."""

    at: float
    host: str
    path: str


class CountingServer:
    """Serves while its `async with` block runs; every answer takes `latency` seconds."""

    def __init__(self, answer: Answer, latency: float = 0.0) -> None:
        self.answer, self.latency = answer, latency
        self.asked: list[Asked] = []
        self.most_open = 0
        self.port = 0
        self._open: set[asyncio.Transport] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.get_running_loop().create_server(lambda: _Connection(self), "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._server.close()
        for transport in list(self._open):
            transport.abort()

    def opened(self, transport: asyncio.Transport) -> None:
        """A client connects; those that have closed, though nobody has noticed yet, count no more."""
        self._open.add(transport)
        self.most_open = max(self.most_open, sum(map(_is_open, self._open)))

    def closed(self, transport: asyncio.Transport) -> None:
        """A client has gone."""
        self._open.discard(transport)


def _is_open(transport: asyncio.Transport) -> bool:
    if transport.is_closing():
        return False
    with transport.get_extra_info("socket").dup() as end:
        try:
            return bool(end.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        except BlockingIOError:
            return True
        except ConnectionError:
            return False


class _Connection(asyncio.Protocol):
    def __init__(self, server: CountingServer) -> None:
        self._server, self._head = server, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.opened(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.closed(self._transport)

    def data_received(self, data: bytes) -> None:
        self._head += data
        while b"\r\n\r\n" in self._head:
            head, _, self._head = self._head.partition(b"\r\n\r\n")
            first, *lines = head.decode().split("\r\n")
            host = next(line[5:].strip() for line in lines if line.lower().startswith("host:"))
            asked = Asked(time.monotonic(), host.partition(":")[0], first.split()[1])
            self._server.asked.append(asked)
            body = self._server.answer(asked.host, asked.path)
            if body is not None:
                kind = "text/plain" if asked.path.endswith(".txt") else "text/html"
                answer_head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
                asyncio.get_running_loop().call_later(self._server.latency, self._transport.write, answer_head + body)
