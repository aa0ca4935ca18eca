"""Many exchanges at once: libcurl's multi interface driven by the running event loop.

Ready sockets are served in batches, requests made in the same turn of the loop
are started together, and a timer is set only when libcurl wants to be called
earlier than already agreed: the loop's own overhead is most of what Python
costs here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pycurl

from lycosa.fetching.exchange import Exchange, Fault, Limits, Plan, Request, Transferred, fault_of
from lycosa.fetching.sockets import READ, WRITE, sockets

_WATCHED = {pycurl.POLL_IN: READ, pycurl.POLL_OUT: WRITE, pycurl.POLL_INOUT: READ | WRITE}


class Transfers:
    """Requests in flight. Belongs to the event loop it was made in."""

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self.limits = limits
        self._first_byte_within = limits.first_byte_within
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._idle: list[Exchange] = []
        self._running: dict[Exchange, tuple[float, float]] = {}
        self._sockets = sockets()
        self._starting = False
        self._closed = self._retired = False
        self._due: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._sweeper: asyncio.TimerHandle | None = None
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._on_watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer_wish)
        self._multi.setopt(pycurl.M_MAXCONNECTS, 2 * limits.connections)
        self._multi.setopt(pycurl.M_MAX_HOST_CONNECTIONS, limits.per_address)  # by port; idle ones count, too
        self._loop.add_reader(self._sockets.fileno(), self._on_ready)

    async def get(self, request: Request, plan: Plan) -> Transferred:
        """Make one request. What goes wrong is a fault of the result; nothing is raised but cancellation."""
        exchange = self._idle.pop() if self._idle else Exchange(self.limits)
        done: asyncio.Future[Transferred] = self._loop.create_future()
        exchange.begin(request, plan, done)
        self._running[exchange] = self._clock(), self._loop.time()
        self._multi.add_handle(exchange.curl)
        if not self._starting:
            self._starting = True
            self._loop.call_soon(self._start)
        if self._sweeper is None:
            self._sweep()
        try:
            return await done
        except asyncio.CancelledError:
            if exchange.done is done and exchange in self._running:
                self._end(exchange, Fault("cancelled"))
            raise

    def _start(self) -> None:
        """One call starts all requests made in this turn of the loop."""
        self._starting = False
        if not self._closed:
            self._act(pycurl.SOCKET_TIMEOUT, 0)

    def retire(self) -> None:
        """Close as soon as the last request in flight is over."""
        self._retired = True
        self._close_if_retired()

    def _close_if_retired(self) -> None:
        if self._retired and not self._running and not self._closed:
            self.close()

    def close(self) -> None:
        """End all exchanges and connections."""
        self._closed = True
        for exchange in list(self._running):
            self._end(exchange, Fault("closed", again=True))
        for timer in (self._timer, self._sweeper):
            if timer is not None:
                timer.cancel()
        self._loop.remove_reader(self._sockets.fileno())
        self._multi.close()
        self._sockets.close()
        for exchange in self._idle:
            exchange.curl.close()
        self._idle.clear()

    def _on_watch(self, what: int, descriptor: int, _multi: Any, _data: Any) -> None:
        self._sockets.watch(descriptor, _WATCHED.get(what, 0))

    def _on_timer_wish(self, milliseconds: int) -> None:
        self._due = None if milliseconds < 0 else self._loop.time() + milliseconds / 1000

    def _on_ready(self) -> None:
        for descriptor, events in self._sockets.ready():
            self._multi.socket_action(descriptor, events)
        self._settle()

    def _on_timer(self) -> None:
        """An early call is put off, not passed on: libcurl would not repeat a wish that it has not changed."""
        self._timer = None
        if self._due is not None and self._due <= self._loop.time() + 0.0005:
            self._due = None
            self._act(pycurl.SOCKET_TIMEOUT, 0)
        else:
            self._set_timer()

    def _act(self, descriptor: int, events: int) -> None:
        self._multi.socket_action(descriptor, events)
        self._settle()

    def _settle(self) -> None:
        """After every step of libcurl: hand out what is finished, and arrange the next call."""
        queued = 1
        while queued:
            queued, finished, failed = self._multi.info_read()
            for curl in finished:
                self._end(curl.exchange, None)
            for curl, code, message in failed:
                self._end(curl.exchange, fault_of(code, message))
        self._set_timer()

    def _set_timer(self) -> None:
        if self._due is None or (self._timer is not None and self._timer.when() <= self._due):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._due, self._on_timer)

    def _end(self, exchange: Exchange, fault: Fault | None) -> None:
        began, started = self._running.pop(exchange)
        self._multi.remove_handle(exchange.curl)
        transferred = exchange.finish(began, self._loop.time() - started, fault)
        self._idle.append(exchange)
        if not exchange.done.done():
            exchange.done.set_result(transferred)
        if self._retired:
            self._loop.call_soon(self._close_if_retired)  # libcurl may still be at work on this one

    def _sweep(self) -> None:
        """End the exchanges that have no headers yet and should; libcurl has no deadline for this."""
        self._sweeper = None
        latest = self._loop.time() - self._first_byte_within
        for exchange, (_, started) in list(self._running.items()):
            if started > latest:
                break
            if not exchange.has_answer():
                self._end(exchange, Fault("timeout", f"no answer within {self._first_byte_within:g} s", again=True))
        if self._running:
            self._sweeper = self._loop.call_later(min(1.0, self._first_byte_within / 4), self._sweep)
