"""Servers on loopback, one small function per misbehaviour: each is told the request and writes what it likes."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from socket import SO_LINGER, SOL_SOCKET
from typing import TypeAlias

Misbehaviour: TypeAlias = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]

PAGE = b"<html><title>A page</title><p>Some words.</p></html>"
ROUNDS = 100_000
"""An endless answer stops here, so that a test of it ends even where the client fails to."""


@contextlib.asynccontextmanager
async def serving(misbehave: Misbehaviour, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server that answers every request with that misbehaviour; gives its port."""
    open_connections: set[asyncio.StreamWriter] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_connections.add(writer)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            for _ in range(ROUNDS):
                request = await reader.readuntil(b"\r\n\r\n")
                await misbehave(request, writer)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for writer in open_connections:
            writer.close()


def path_of(request: bytes) -> str:
    """The path a request asks for."""
    return request.split(b" ", 2)[1].decode()


def answer(
    body: bytes = PAGE, status: str = "200 OK", kind: str = "text/html", headers: Iterable[str] = ()
) -> Misbehaviour:
    """No misbehaviour at all: one honest answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    if kind:
        lines.append(f"Content-Type: {kind}")
    return raw("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)


def raw(sent: bytes, close: bool = False) -> Misbehaviour:
    """Exactly these bytes, and then perhaps the end of the connection."""

    async def misbehave(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        await writer.drain()
        if close:
            writer.close()
            raise ConnectionResetError

    return misbehave


def by_path(**answers: Misbehaviour) -> Misbehaviour:
    """One behaviour per path (`robots` is /robots.txt, `a__b` is /a/b); 404 elsewhere."""
    known = {"/robots.txt" if name == "robots" else f"/{name.replace('__', '/')}": to for name, to in answers.items()}

    async def misbehave(request: bytes, writer: asyncio.StreamWriter) -> None:
        await known.get(path_of(request), answer(b"no", "404 Not Found"))(request, writer)

    return misbehave


def redirect(location: str, status: str = "302 Found", body: bytes = b"", headers: Iterable[str] = ()) -> Misbehaviour:
    """A redirect."""
    return answer(body, status, headers=(f"Location: {location}", *headers))


def dripping(begin: bytes, drop: bytes, every: float = 0.05) -> Misbehaviour:
    """Faults 1 and 2: a beginning, and then a drop from time to time, for ever."""

    async def misbehave(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(begin)
        for _ in range(ROUNDS):
            writer.write(drop)
            await writer.drain()
            await asyncio.sleep(every)

    return misbehave


def pouring(begin: bytes, pour: bytes) -> Misbehaviour:
    """Faults 3 to 5 and 7: a beginning, and then as much as the client will take."""

    async def misbehave(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(begin)
        for _ in range(ROUNDS):
            writer.write(pour)
            await writer.drain()

    return misbehave


async def silence(_request: bytes, _writer: asyncio.StreamWriter) -> None:
    """Fault 6: the connection is accepted, and nothing ever comes."""
    await asyncio.sleep(3600)


def reset(begin: bytes) -> Misbehaviour:
    """Fault 6: some bytes, and then the connection is torn down."""

    async def misbehave(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(begin)
        await writer.drain()
        await asyncio.sleep(0.02)
        sock = writer.get_extra_info("socket")
        sock.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        raise ConnectionResetError

    return misbehave


def gzip_bomb(size: int) -> bytes:
    """Zeros, packed about a thousand to one."""
    return gzip.compress(bytes(size))
