"""The processes of a crawl: `python -m lycosa.supervision.processes KIND FOLDER [NUMBER [ID]]`.

A process ends when it is told to (by wish, or SIGTERM for at once), when it is
done, or when its parent is gone: standard input closes with the parent, however
that died. Each agent's folder is owned by one process at a time.
"""

from __future__ import annotations

import asyncio
import math
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import time

from lycosa.crawl_folder.folder import CrawlFolder, Wish, own, said_of
from lycosa.crawl_folder.status import FINISHED, STOPPED
from lycosa.crawling.agent import Agent
from lycosa.crawling.assembly import build_agent
from lycosa.crawling.saved_priorities import put_back
from lycosa.follow_up.agent import build_follow_up
from lycosa.follow_up.requests import find, settings_of
from lycosa.freshness.revisit_round import build_round
from lycosa.inspection.repository_check import keep_check
from lycosa.supervision.control_channel import Desk, collect_rarely
from lycosa.user_error import Mendable

LOOK_EVERY = 0.5
EXIT_MENDABLE = 3
"""The exit code for trouble that restarting would not mend."""


async def run_agent(folder: CrawlFolder, number: int, *, revisit: bool = False, follow_up: int | None = None) -> None:
    """Run one agent until it is told to stop, or for one round of looking again, or for a follow-up."""
    collect_rarely()
    shift = Shift(folder, number)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, shift.stop)
    _when_orphaned(loop, shift.stop)
    if revisit:
        await shift.look_again(everything=True)
    elif follow_up is not None:
        await shift.follow_up(follow_up)
    elif folder.configuration().revisit.continuous:
        await shift.keep_fresh()
    else:
        await shift.work(Desk(folder, number))


class Shift:
    """What one process does: it works through links, looks again at pages, or both in turn for ever."""

    def __init__(self, folder: CrawlFolder, number: int) -> None:
        self._folder, self._number = folder, number
        self._agent: Agent | None = None
        self._endless = self._own_links = False
        self._stopped = asyncio.Event()

    def stop(self) -> None:
        """End after what is under way."""
        self._stopped.set()
        if self._agent is not None:
            self._agent.stop()

    async def work(self, desk: Desk) -> None:
        """Work through the links until told to stop."""
        self._own_links = True
        await self._run(build_agent(self._folder, self._number, desk, time), desk)

    async def look_again(self, *, everything: bool) -> float | None:
        """Look at pages again, once. Returns when the next one is due."""
        desk = Desk(self._folder, self._number, restless=True)
        agent = build_round(self._folder, self._number, desk, time, everything=everything)
        await self._run(agent, desk)
        return agent.due

    async def follow_up(self, asked: int) -> None:
        """Look for pages built like those that were not enough, then let the crawl's links wait as before."""
        wanted = find(self._folder, asked)
        desk = Desk(
            self._folder,
            self._number,
            alone=True,
            restless=True,
            settings=lambda: settings_of(self._folder.configuration(), wanted),
        )
        agent = build_follow_up(self._folder, self._number, desk, time, wanted)
        await self._run(agent, desk, lambda: put_back(self._folder, agent.crawl, time()))

    async def keep_fresh(self) -> None:
        """Work through what is new, look at what is due, and wait for the next time."""
        checked, self._endless = time(), True
        while not self._ended():
            await self.work(Desk(self._folder, self._number, alone=True, restless=True))
            due = None if self._ended() else await self.look_again(everything=False)
            settings = self._folder.configuration().revisit
            if self._number == 0 and time() - checked >= settings.check_every and not self._ended():
                checked = time()
                keep_check(self._folder)
            await self._wait(min(due or math.inf, time() + settings.rounds_apart))

    async def _run(self, agent: Agent, desk: Desk, afterwards: Callable[[], object] = lambda: None) -> None:
        before = (said_of(self._folder.agent(self._number) / "status.json") or {}).get("state")
        self._agent = agent
        if self._stopped.is_set():
            agent.stop()
        collect_rarely()
        try:
            await agent.run()
            afterwards()
            over = not self._endless or self._ended()
            desk.say(agent, time(), self._state_after(agent, before) if over else "run", over)
        finally:
            self._agent = None
            agent.crawl.close()

    def _state_after(self, agent: Agent, before: object) -> str:
        """Whether the crawl's own links are done; a round or a follow-up leaves that as it was."""
        if self._endless:
            return STOPPED
        finished = (agent.idle or agent.budget.spent) if self._own_links else before == FINISHED
        return FINISHED if finished else STOPPED

    def _ended(self) -> bool:
        return self._stopped.is_set() or self._folder.wish() is Wish.STOP

    async def _wait(self, until: float) -> None:
        """Wait for a time, for people's wish to stop, or for URLs that they add."""
        orders = self._folder.path / "orders.jsonl"
        before = orders.stat().st_size if orders.exists() else 0
        while time() < until and not self._ended():
            if orders.exists() and orders.stat().st_size != before:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), LOOK_EVERY)


def _when_orphaned(loop: asyncio.AbstractEventLoop, then: Callable[[], None]) -> None:
    """Act when the parent is gone: its end of our standard input closes."""

    def look() -> None:
        if not os.read(sys.stdin.fileno(), 1):
            loop.remove_reader(sys.stdin.fileno())
            then()

    loop.add_reader(sys.stdin.fileno(), look)


def main(arguments: list[str]) -> int:
    """Run the process that the arguments name."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kind, folder = arguments[0], CrawlFolder(Path(arguments[1]))
    try:
        if kind == "indexer":
            from lycosa.indexing.index_process import run_indexer

            with own(folder.path / "index.lock", f"the index of {folder.name}"):
                asyncio.run(run_indexer(folder, _when_orphaned))
        else:
            number = int(arguments[2])
            with own(folder.agent_lock(number), f"agent {number} of {folder.name}"):
                follow_up = int(arguments[3]) if kind == "follow-up" else None
                asyncio.run(run_agent(folder, number, revisit=kind == "revisit", follow_up=follow_up))
    except Mendable as error:
        print(error, file=sys.stderr)
        return EXIT_MENDABLE
    except OSError as error:
        print(f"the crawl cannot be written: {error}", file=sys.stderr)
        return EXIT_MENDABLE
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
