"""The public side of the clickstream (P2): serves the beacon, takes its events, and says no to all else by a name.

`Reception` decides what becomes of a request, `Connections` talks to clients and
`GroupCommit` to the disk; here they come together, with the work that time asks for. An
event is acknowledged when it is on disk. Nothing is logged, and nothing that is kept
names a person.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from socket import socket

from lycosa.click_records import day_of
from lycosa.clickstream.collector import responses as answers
from lycosa.clickstream.collector.connections import Connections, Reply
from lycosa.clickstream.collector.events import Refusal
from lycosa.clickstream.collector.group_commit import EventStore, GroupCommit
from lycosa.clickstream.collector.http_requests import Answer, Request
from lycosa.clickstream.collector.request_handler import Received, Reception
from lycosa.clickstream.visitors import KeysOfDays, is_robot
from lycosa.configuration.sections import Collector as Settings

TICK = 0.25
"""Seconds between two looks at slow connections, refusals and the list of sites."""
TIDIED_EVERY = 3600.0
ENDS_WITHIN = 5.0


class Collector:
    """Answers requests until it is told to end. `failures` are what the store raises when the disk is full."""

    def __init__(
        self,
        store: EventStore,
        keys: KeysOfDays,
        script: bytes,
        settings: Settings,
        *,
        failures: tuple[type[Exception], ...] = (OSError,),
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
        robot: Callable[[bytes], bool] = is_robot,
    ) -> None:
        self._store, self._keys, self._settings = store, keys, settings
        self._clock, self._steady, self._failures = clock, steady, failures
        self._script = answers.Script(script)
        self._tidied = float("-inf")
        self.reception = Reception(settings, keys, robot)
        self.commit = GroupCommit(store, settings.batch_seconds, failures)
        self.connections = Connections(
            self.respond,
            lambda reason: self.commit.refuse("", reason),
            most=settings.connections,
            largest_body=settings.largest_request,
            trusts=self.reception.proxies.trusts,
        )

    # -- a request ------------------------------------------------------------------------------

    def respond(self, request: Request, body: bytes, peer: str, reply: Reply) -> None:
        """Answer a request: at once, or when its events are on disk."""
        if request.path == b"/collect":
            if request.method == b"POST":
                now, steady = self._clock(), self._steady()
                received = self.reception.post(request, body, peer, now, steady)
                self._settle(received, answers.taken(received.origin), reply)
            elif request.method == b"OPTIONS":
                reply(answers.preflight(self.reception.readable_by(request.header(b"origin"))))
            else:
                reply(answers.not_allowed("POST, OPTIONS"))
        elif request.path in (b"/pixel.gif", b"/beacon.js", b"/health"):
            if request.method in (b"GET", b"HEAD"):
                self._respond_to_get(request, peer, reply)
            else:
                reply(answers.not_allowed("GET, HEAD"))
        else:
            reply(answers.NOT_FOUND)

    def _respond_to_get(self, request: Request, peer: str, reply: Reply) -> None:
        if request.path == b"/beacon.js":
            reply(self._script.answer(request))
        elif request.path == b"/health":
            reply(answers.health(self.commit.trouble))
        elif request.method == b"HEAD":
            reply(answers.pixel())
        else:
            self._settle(self.reception.pixel(request, peer, self._clock(), self._steady()), answers.pixel(), reply)

    def _settle(self, received: Received, thanks: Answer, reply: Reply) -> None:
        """Have a request's events written and its refusals counted, and answer it."""
        for site, reason, times in received.refused:
            self.commit.refuse(site, reason, times)
        if not received.events:
            found = answers.refusal(received.refused[0][1], received.origin, received.wait)
            reply(thanks if found.status == 204 else found)
            return

        def done(kept: bool) -> None:
            reply(thanks if kept else self._overloaded(received))

        if not self.commit.add(received.events, done):
            reply(self._overloaded(received))

    def _overloaded(self, received: Received) -> Answer:
        self.commit.refuse(received.events[0].site, Refusal.OVERLOADED, len(received.events))
        return answers.refusal(Refusal.OVERLOADED, received.origin)

    # -- what time asks for ---------------------------------------------------------------------

    async def look_around(self) -> None:
        """See which sites are watched now, and destroy what has been kept long enough."""
        self.reception.watch(await self.commit.ask(self._store.sites))
        now = self._clock()
        if now - self._tidied < TIDIED_EVERY:
            return
        self._tidied = now
        await self.commit.ask(self._keys.destroy, now - self._settings.keys_kept)
        self.reception.visitors.forget_keys()
        with suppress(*self._failures):
            await self.commit.ask(self._store.forget, day_of(now - self._settings.kept))

    async def _keep_looking_around(self) -> None:
        while True:
            await asyncio.sleep(2 * TICK)
            await self.look_around()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            self.connections.sweep(self._settings.request_within)
            self.commit.flush()

    # -- from beginning to end ------------------------------------------------------------------

    async def serve(self, listening: socket, ending: asyncio.Event, ready: Callable[[], None] = lambda: None) -> None:
        """Answer on a listening socket until `ending` is set and all that was taken is on disk and acknowledged."""
        await self.look_around()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(self.connections.connection, sock=listening, backlog=1024)
        writing = asyncio.create_task(self.commit.run())
        lasting: list[Coroutine[None, None, object]] = [self._sweep(), self._keep_looking_around(), ending.wait()]
        chores = [asyncio.create_task(each) for each in lasting]
        ready()
        try:
            await asyncio.wait([writing, *chores], return_when=asyncio.FIRST_COMPLETED)
        finally:
            server.close()
            await self._end(writing, chores)

    async def _end(self, writing: asyncio.Task[None], chores: Sequence[asyncio.Task[object]]) -> None:
        """Answer what was asked, write what is left; whatever broke is raised."""
        for chore in chores:
            chore.cancel()
        broken = [each for each in await asyncio.gather(*chores, return_exceptions=True) if isinstance(each, Exception)]
        self.connections.end()
        self.commit.end()
        try:
            await writing
            with suppress(TimeoutError):
                await asyncio.wait_for(self.connections.gone.wait(), ENDS_WITHIN)
        finally:
            self.connections.abort()
        if broken:
            raise broken[0]
