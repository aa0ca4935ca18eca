"""Sites opened ahead of need: their names resolved and their robots.txt read, each request in its turn.

A site that waits for its turn at a crowded address holds up no other: few sites are
opened at a time, but many may queue for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from lycosa.frontier.frontier import Frontier
from lycosa.plugins.plug_points import Turns
from lycosa.records import SiteOpened, SiteShut

MOST_AT_ONCE = 64
MOST_QUEUEING = 1024
LOOK_AGAIN = 0.25
"""Seconds after which a request that waits for its turn looks whether things have changed."""


class Openings:
    """The sites of one agent that are being opened; for the fetcher, whoever says when a request may be made."""

    def __init__(
        self,
        frontier: Frontier,
        opener: Callable[[str, float, Turns], Awaitable[SiteOpened | SiteShut]],
        clock: Callable[[], float],
        opened: Callable[[SiteOpened | SiteShut], None],
        broken: Callable[[Exception], None],
    ) -> None:
        """`opener` opens a site, `opened` hears of every answer, `broken` of what must not happen."""
        self._frontier, self._opener, self._clock = frontier, opener, clock
        self._opened, self._broken = opened, broken
        self._tasks: set[asyncio.Task[None]] = set()
        self._queueing = 0
        self.held = False
        """While people want the crawl to pause, nobody's turn comes."""

    def __len__(self) -> int:
        return len(self._tasks)

    def begin(self, now: float) -> None:
        """Open the most promising sites, as many as may be opened at once."""
        while len(self._tasks) - self._queueing < MOST_AT_ONCE and len(self._tasks) < MOST_QUEUEING:
            site = self._frontier.site_to_open(now)
            if site is None:
                return
            task = asyncio.create_task(self._open(site))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _open(self, site: str) -> None:
        try:
            self._opened(await self._opener(site, self._clock(), self))
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - told to the agent, which stops with it
            self._broken(error)

    async def take(self, url: str, address: str) -> str | None:
        """Wait until a URL may be asked for at an address; or why it must not be asked for at all."""
        self._queueing += 1
        try:
            while (why := self._frontier.blocked(url)) is None:
                wait = LOOK_AGAIN if self.held else self._frontier.ask(url, address, self._clock())
                if wait <= 0:
                    return None
                await asyncio.sleep(min(wait, LOOK_AGAIN))
            return why
        finally:
            self._queueing -= 1

    def end(self, url: str, address: str, received: int) -> None:
        """A request whose turn was taken is over."""
        self._frontier.answered(url, address, received, self._clock())

    async def cancel(self) -> None:
        """Open nothing more."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
