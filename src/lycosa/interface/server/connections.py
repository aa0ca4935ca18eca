"""The connections of the server: bounded in number, and in how long a request may take to arrive.

All are on one address mostly, as they come from this machine, so nobody can be told by their address alone: when all
places are taken, the client whose request has been arriving for longest makes room for the next one.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import resource
import time
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 512
SPARE = 128
"""Descriptors that are left to everything else."""
SHARE_OF_ONE = 8
"""One address elsewhere may have one of so many places."""
HEAD_WITHIN, BODY_WITHIN, ANSWER_WITHIN = 10.0, 30.0, 60.0
"""Seconds for the head of a request, for all of it, and for which a client may leave an answer unread."""
TOLD_EVERY = 60.0
LOOPBACK = ("127.0.0.1", "::1")
"""This machine, or a proxy on it, which speaks for many."""
_OUT_OF_DESCRIPTORS = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_log = logging.getLogger("lycosa.server")


def places() -> int:
    """How many connections there may be at once, with as many descriptors as this process may have."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4 * MOST if hard == resource.RLIM_INFINITY else min(hard, 4 * MOST)
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(8, min(MOST, (wanted - SPARE) // 2))


class Connections:
    """All open connections of a server."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._open: dict[LimitedConnection, None] = {}

    def connection(self, **more: Any) -> LimitedConnection:
        """A connection for the next client."""
        return LimitedConnection(self, **more)

    def admit(self, connection: LimitedConnection) -> bool:
        """Whether there is a place, if need be that of the client whose request has been arriving for longest."""
        peer = connection.peer
        of_peer = sum(each.peer == peer for each in self._open) if peer not in LOOPBACK else 0
        if of_peer >= self.most // SHARE_OF_ONE:
            return False
        if len(self._open) >= self.most:
            unfinished = (other for other in self._open if other.awaits_head or other.sends_body)
            waiting = min(unfinished, key=lambda other: other.since, default=None)
            if waiting is None:
                return False
            self.leave(waiting)
            waiting.abort()
        self._open[connection] = None
        return True

    def leave(self, connection: LimitedConnection) -> None:
        """A connection is gone."""
        self._open.pop(connection, None)

    def sweep(self, now: float) -> None:
        """End connections whose requests take too long to arrive, or that do not read their answers."""
        for connection in [each for each in self._open if each.is_late(now)]:
            connection.abort()


class LimitedConnection(H11Protocol):
    """One client's connection."""

    def __init__(self, connections: Connections, **more: Any) -> None:
        super().__init__(**more)
        self._connections = connections
        self.peer = ""
        self.since, self._stuck_since = 0.0, 0.0
        self._began = False

    @property
    def awaits_head(self) -> bool:
        """Whether nobody knows yet what the client wants."""
        return self.conn.their_state is h11.IDLE

    @property
    def sends_body(self) -> bool:
        """Whether the client has yet to send the rest of its request."""
        return self.conn.their_state is h11.SEND_BODY

    def is_late(self, now: float) -> bool:
        """Whether the client has had its time."""
        if self._stuck_since:
            return now > self._stuck_since + ANSWER_WITHIN
        if self.awaits_head:
            return now > self.since + HEAD_WITHIN
        return self.sends_body and now > self.since + BODY_WITHIN

    def abort(self) -> None:
        """End the connection now."""
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has come."""
        super().connection_made(transport)
        self.peer = self.client[0] if self.client else ""
        self.since = self.loop.time()
        if not self._connections.admit(self):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._connections.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes have come; the time of a request begins with its first one."""
        if self.awaits_head and not self._began:
            self._began, self.since = True, self.loop.time()
        super().data_received(data)

    def on_response_complete(self) -> None:
        """The next request may come."""
        self._began, self.since = False, self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The client does not read its answer."""
        self._stuck_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """The client reads again."""
        self._stuck_since = 0.0
        super().resume_writing()


class OutOfDescriptors:
    """Says now and then that there are no descriptors left; the event loop would say so for each client that waits."""

    def __init__(self) -> None:
        self._told = float("-inf")

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What the event loop calls when nobody else takes an error."""
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in _OUT_OF_DESCRIPTORS):
            loop.default_exception_handler(context)
        elif time.monotonic() - self._told >= TOLD_EVERY:
            self._told = time.monotonic()
            _log.error("no descriptors are left, so clients have to wait; raise `ulimit -n` (%s)", error.strerror)
