"""Many requests, one sync: what arrives while the disk is busy goes together into the next write.

The store is only ever used in one thread, so the thread that answers never waits for a
disk. Whoever added events is told when they are on disk, and never before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from lycosa.click_records import ClickEvent, WatchedSite

MOST_WAITING = 20_000
"""Events that may wait for the disk."""
Found = TypeVar("Found")


class EventStore(Protocol):
    """What keeps events."""

    def add_events(self, events: Sequence[ClickEvent], refusals: Mapping[tuple[str, str], int] = ...) -> int:
        """Count events and refusals in one synced write; returns how many events were replays."""
        ...

    def sites(self) -> list[WatchedSite]:
        """All sites."""
        ...

    def forget(self, before: int) -> int:
        """Remove what visitors did on days before one."""
        ...


class GroupCommit:
    """Writes events in groups, which begin at least `apart` seconds after each other.

    `failures` are what a full disk raises: those events are not acknowledged.
    """

    def __init__(
        self,
        store: EventStore,
        apart: float = 0.0,
        failures: tuple[type[Exception], ...] = (OSError,),
        most: int = MOST_WAITING,
    ) -> None:
        self._store, self._apart, self._failures, self._most = store, apart, failures, most
        self._thread = ThreadPoolExecutor(1, "click-store")
        self._events: list[ClickEvent] = []
        self._waiting: list[Callable[[bool], None]] = []
        self._refusals: dict[tuple[str, str], int] = {}
        self._under_way = 0
        self._wanted = asyncio.Event()
        self._ending = False
        self.trouble = ""

    @property
    def waiting(self) -> int:
        """Events that are not on disk yet."""
        return len(self._events) + self._under_way

    def add(self, events: Sequence[ClickEvent], done: Callable[[bool], None]) -> bool:
        """Have events written; `done` is told whether they are on disk. False where too many wait already."""
        if self._ending or self.waiting + len(events) > self._most:
            return False
        self._events += events
        self._waiting.append(done)
        self._wanted.set()
        return True

    def refuse(self, site: str, reason: str, times: int = 1) -> None:
        """Count a refusal; it is written with the next group, or when somebody calls `flush`."""
        key = (site, reason)
        self._refusals[key] = self._refusals.get(key, 0) + times

    def flush(self) -> None:
        """Have refusals written, even if no event comes."""
        if self._refusals:
            self._wanted.set()

    async def ask(self, question: Callable[..., Found], *details: object) -> Found:
        """The answer of a function that uses the store, in the store's thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, question, *details)

    async def run(self) -> None:
        """Write until `end` was called and all is written."""
        try:
            await self._write_until_end()
        finally:
            await asyncio.to_thread(self._thread.shutdown)

    async def _write_until_end(self) -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time() - self._apart
        while not self._ending:
            await self._wanted.wait()
            early = self._apart - (loop.time() - begun)
            if early > 0 and not self._ending:
                await asyncio.sleep(early)
            begun = loop.time()
            self._wanted.clear()
            await self._write()
        await self._write()

    def end(self) -> None:
        """Write what is waiting, then end."""
        self._ending = True
        self._wanted.set()

    async def _write(self) -> None:
        if not self._events and not self._refusals:
            return
        events, self._events = self._events, []
        waiting, self._waiting = self._waiting, []
        refusals, self._refusals = self._refusals, {}
        self._under_way = len(events)
        try:
            await self.ask(self._store.add_events, events, refusals)
            self.trouble = ""
        except self._failures as error:
            self.trouble = str(error)
            for (site, reason), times in refusals.items():
                self.refuse(site, reason, times)
        finally:
            self._under_way = 0
        for done in waiting:
            done(not self.trouble)
