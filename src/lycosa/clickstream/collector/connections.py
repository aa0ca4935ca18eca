"""The connections of the public side: bounded in number, in bytes and in time.

Each reads one request at a time and answers it before it looks at the next. A client
that sends too slowly, too much, or does not read its answers loses its connection; when
all places are taken, idle ones are given up first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeAlias

from lycosa.clickstream.collector.events import Refusal
from lycosa.clickstream.collector.http_requests import END_OF_HEAD, LARGEST_HEAD, Answer, Request, read_head, wire

Reply: TypeAlias = Callable[[Answer], None]
Respond: TypeAlias = Callable[[Request, bytes, str, Reply], None]
SHARE_OF_ONE = 10
"""One address may have one of so many places."""
FEWEST_OF_ONE = 8
PROXY_IDLES = 120.0
"""Seconds for which a trusted proxy may keep an idle connection: longer than it would itself."""
LINGERS = 1.0
"""Seconds for which a refused client may read the reason while it is still sending."""


class Connections:
    """All open connections. `respond` answers a request at once or later, `refuse` counts what never became one."""

    def __init__(
        self,
        respond: Respond,
        refuse: Callable[[Refusal], None],
        *,
        most: int,
        largest_body: int,
        trusts: Callable[[str], bool],
    ) -> None:
        self.respond, self.refuse, self.largest_body = respond, refuse, largest_body
        self._most, self._trusts = most, trusts
        self._most_of_one = max(FEWEST_OF_ONE, most // SHARE_OF_ONE)
        self._of: dict[str, int] = {}
        self._open: dict[Connection, None] = {}
        self.ending = False
        self.gone = asyncio.Event()

    def __len__(self) -> int:
        return len(self._open)

    def connection(self) -> Connection:
        """A connection for the next client."""
        return Connection(self)

    def admit(self, connection: Connection) -> bool:
        """Whether there is a place for a connection."""
        peer = connection.peer
        if self.ending or (self._of.get(peer, 0) >= self._most_of_one and not self._trusts(peer)):
            return False
        if len(self._open) >= self._most and not self._gave_up_an_idle_one():
            return False
        self._open[connection] = None
        self._of[peer] = self._of.get(peer, 0) + 1
        return True

    def leave(self, connection: Connection) -> None:
        """A connection is gone."""
        if connection in self._open:
            del self._open[connection]
            left = self._of[connection.peer] - 1
            if left:
                self._of[connection.peer] = left
            else:
                del self._of[connection.peer]
        if self.ending and not self._open:
            self.gone.set()

    def sweep(self, within: float) -> None:
        """Give up connections that have been about one request, or idle, for longer than allowed."""
        now = asyncio.get_running_loop().time()
        for connection in [each for each in self._open if each.since < now - within]:
            idles = connection.is_idle and self._trusts(connection.peer) and connection.since > now - PROXY_IDLES
            if not idles:
                connection.give_up()

    def end(self) -> None:
        """Take no more requests; connections end when what they asked for is answered."""
        self.ending = True
        for connection in [each for each in self._open if not each.is_answering]:
            connection.close()
        if not self._open:
            self.gone.set()

    def abort(self) -> None:
        """End all connections at once."""
        for connection in list(self._open):
            connection.abort()

    def _gave_up_an_idle_one(self) -> bool:
        idle = min((each for each in self._open if each.is_idle), key=lambda each: each.since, default=None)
        if idle is None:
            return False
        idle.abort()
        self.leave(idle)
        return True


class Connection(asyncio.Protocol):
    """One client's connection."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._buffer = bytearray()
        self._request: Request | None = None
        self._stuck = self._refused = False
        self.is_answering = False
        self.peer = ""
        self.since = 0.0

    @property
    def is_idle(self) -> bool:
        """Whether the client has nothing to ask for now."""
        return not self._refused and not self.is_answering and not self._buffer and self._request is None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has come."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self.peer = str((transport.get_extra_info("peername") or ("",))[0])
        self.since = self._loop.time()
        if not self._connections.admit(self):
            self._connections.refuse(Refusal.OVERLOADED)
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone; what it asked for is counted all the same."""
        self._connections.leave(self)

    def pause_writing(self) -> None:
        """The client does not read its answers: it gets no more until it does."""
        self._stuck = True
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        """The client reads again."""
        self._stuck = False
        self._go_on()

    def data_received(self, data: bytes) -> None:
        """Bytes have come; those of a later request wait, and are not read beyond a request's size."""
        if self._refused:
            return
        if self.is_idle:
            self.since = self._loop.time()
        self._buffer += data
        if self.is_answering or self._stuck:
            if len(self._buffer) > self._connections.largest_body + LARGEST_HEAD:
                self._transport.pause_reading()
            return
        self._read()

    def give_up(self) -> None:
        """The time for a request is over; one that waits for the disk will be answered."""
        if self._refused or self.is_answering:
            return
        if self.is_idle or self._stuck:
            self.abort()
        else:
            self._refuse(408, Refusal.MALFORMED)

    def close(self) -> None:
        """End the connection once what was written is sent."""
        self._transport.close()

    def abort(self) -> None:
        """End the connection now."""
        self._transport.abort()

    def _read(self) -> None:
        """Take the next request, if all of it is here."""
        if self._request is None:
            end = self._buffer.find(END_OF_HEAD, 0, LARGEST_HEAD)
            if end < 0:
                if len(self._buffer) >= LARGEST_HEAD:
                    self._refuse(431, Refusal.TOO_LARGE)
                return
            found = read_head(bytes(self._buffer[:end]))
            if isinstance(found, int):
                self._refuse(found, Refusal.TOO_LARGE if found == 431 else Refusal.MALFORMED)
                return
            if found.length > self._connections.largest_body:
                self._refuse(413, Refusal.TOO_LARGE)
                return
            self._request = found
            del self._buffer[: end + len(END_OF_HEAD)]
        request = self._request
        if len(self._buffer) >= request.length:
            body = bytes(self._buffer[: request.length])
            del self._buffer[: request.length]
            self.is_answering = True
            self._connections.respond(request, body, self.peer, self._answer)

    def _answer(self, answer: Answer) -> None:
        """Send an answer, then look at what came meanwhile."""
        request = self._request
        self.is_answering, self._request = False, None
        if request is None or self._transport.is_closing():
            return
        keep = request.keep and not self._connections.ending
        self._transport.write(wire(answer, keep, request.method != b"HEAD"))
        self.since = self._loop.time()
        if not keep:
            self._transport.close()
        elif self._buffer:
            self._loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        if self.is_answering or self._stuck or self._transport.is_closing():
            return
        if self._buffer:
            self._read()
        if not self.is_answering and not self._stuck:
            self._transport.resume_reading()

    def _refuse(self, status: int, reason: Refusal) -> None:
        """Say why, and end the connection: where its next request would begin is not known."""
        self._connections.refuse(reason)
        self._refused = True
        self._buffer.clear()
        self._request = None
        self._transport.write(wire(Answer(status, f"{reason}\n".encode()), keep=False))
        if self._transport.can_write_eof():
            self._transport.write_eof()
        self._loop.call_later(LINGERS, self._transport.abort)
