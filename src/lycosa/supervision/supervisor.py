"""Several agents on one machine: started, watched, restarted when they die, ended together.

The fleet decides nothing about pages: agents own their sites and talk to each
other by letters. It only keeps the processes alive, notices when all of them have
nothing left to do, and passes on that people want to stop.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, Wish
from lycosa.crawl_folder.reading_slot import OF_AGENT, OF_INDEXER, reading_at
from lycosa.crawl_folder.status import Status, crawl_status
from lycosa.crawl_folder.suspect_pages import MOST_DEATHS
from lycosa.supervision.orphans import end_orphan
from lycosa.supervision.processes import EXIT_MENDABLE
from lycosa.supervision.progress_watch import BUSY, ProgressWatch
from lycosa.user_error import Mendable

COMMAND = (sys.executable, "-m", "lycosa.supervision.processes")
LOOK_EVERY = 0.3
MOST_RESTARTS = 50
SHORT_LIFE, MOST_SHORT_LIVES = 5.0, 3
"""A process that dies so soon (in seconds) so often in a row will not come to life by trying again."""
OF_BAD_CODE = (signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)
"""What ends a process whose native code was led astray; a full disk or a damaged store ends it by SIGBUS."""
LONGEST_BACKOFF = 10.0
ENDS_WITHIN = 60.0
STOPS_WITHIN = 3.0
"""How long a process that is to stop, because somebody pressed Ctrl-C, may get no further with a page."""
AT_ONCE = 2.0
"""How long processes have to give back what is under way, when somebody pressed Ctrl-C twice."""


@dataclass(slots=True)
class Child:
    """A process of the crawl."""

    name: str
    arguments: list[str]
    log: Path
    lock: Path
    slot: Path
    watch: ProgressWatch
    process: asyncio.subprocess.Process | None = None
    restarts: int = 0
    stuck: int = 0
    """How often it got no further with a page, or crashed over one, which is no reason to give up."""
    deaths: Counter[int] = field(default_factory=Counter)
    """How often it crashed over a page, by the hash of the page's name."""
    short_lives: int = 0
    began: float = 0.0
    finishing: bool = False
    ended: bool = False
    trouble: str = ""
    task: asyncio.Task[None] | None = field(default=None, repr=False)


class Fleet:
    """The processes of one crawl."""

    def __init__(
        self,
        folder: CrawlFolder,
        progress: Callable[[Status], None],
        command: Sequence[str] = COMMAND,
        backoff: float = 0.2,
        task: str = "agent",
        about: Sequence[str] = (),
    ) -> None:
        """`task` is what each agent does, `about` what else it is told."""
        self._folder, self._progress, self._command, self._backoff = folder, progress, command, backoff
        self._configuration = folder.configuration()
        self._agents = [
            self._child(f"agent {number}", task, number, about) for number in range(self._configuration.agents)
        ]
        self._indexer = self._child("indexer", "indexer") if self._configuration.index.enabled else None
        self._idle_since: float | None = None
        self._interrupts = 0
        self._began = 0.0
        self.ran_out = False
        """Whether the crawl ended by itself: nothing was to be done within its patience."""

    def _child(self, name: str, kind: str, number: int | None = None, about: Sequence[str] = ()) -> Child:
        arguments = [kind, str(self._folder.path), *([] if number is None else [str(number)]), *about]
        log = self._folder.path / "logs" / f"{name.replace(' ', '-')}.log"
        own = self._folder.path if number is None else self._folder.agent(number)
        lock, slot = ("index.lock", OF_INDEXER) if number is None else ("lock", OF_AGENT)
        return Child(name, arguments, log, own / lock, own / slot, ProgressWatch(own / slot))

    @property
    def _children(self) -> list[Child]:
        return [*self._agents, *([self._indexer] if self._indexer else [])]

    async def run(self) -> Status:
        """Run the crawl until it is done or stopped. Returns how it stands then."""
        self._began = time.time()
        with self._folder.owned():
            (self._folder.path / "logs").mkdir(exist_ok=True)
            self._listen_for_interrupts()
            await self._end_orphans()
            for child in self._children:
                child.task = asyncio.create_task(self._keep_alive(child))
            watching = asyncio.create_task(self._watch_progress())
            try:
                await self._watch()
            finally:
                await self._end()
                watching.cancel()
        for child in self._children:
            if child.trouble:
                raise CrawlError(f"{child.name}: {child.trouble}")
        return self._status()

    async def _end_orphans(self) -> None:
        limit = min(self._configuration.reading.within, STOPS_WITHIN)
        path = self._folder.path
        await asyncio.gather(*(end_orphan(path, child.lock, child.slot, limit) for child in self._children))

    def _listen_for_interrupts(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.interrupt)

    def interrupt(self) -> None:
        """Ctrl-C: once stops cleanly, twice stops now."""
        self._interrupts += 1
        if self._interrupts == 1:
            print("\nStopping after the pages under way; press Ctrl-C again to stop at once.", file=sys.stderr)
            self._wish_to_stop()
        else:
            self._signal(self._agents, signal.SIGTERM)
            if self._indexer is not None:
                self._signal([self._indexer], signal.SIGKILL)  # it goes on from its last mark next time
            asyncio.get_running_loop().call_later(AT_ONCE, self._kill, self._agents)

    @property
    def interrupted(self) -> bool:
        """Whether a person pressed Ctrl-C."""
        return self._interrupts > 0

    def _wish_to_stop(self) -> None:
        """Let the agents stop; on a disk where not even that can be written down, tell them directly."""
        try:
            self._folder.want(Wish.STOP)
        except OSError:
            self._signal(self._agents, signal.SIGTERM)

    def _kill(self, children: list[Child]) -> None:
        """End processes for good, whatever they are doing: the next run goes on from their last commit."""
        for child in children:
            child.ended = True
        self._signal(children, signal.SIGKILL)

    def _signal(self, children: list[Child], number: int) -> None:
        for child in children:
            if child.process is not None and child.process.returncode is None:
                child.process.send_signal(number)

    async def _keep_alive(self, child: Child) -> None:
        """Run a process, and again whenever it dies."""
        while not child.ended:
            with child.log.open("ab") as log:
                child.process = await asyncio.create_subprocess_exec(
                    *self._command,
                    *child.arguments,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            if child.finishing:
                _let_finish(child)
            child.began, stuck = time.monotonic(), child.stuck
            code = await child.process.wait()
            child.stuck += _crashed_over_page(child, code, child.process.pid)
            short = code != -signal.SIGKILL and child.stuck == stuck and time.monotonic() - child.began < SHORT_LIFE
            child.short_lives = child.short_lives + 1 if short else 0
            told = self._interrupts > 1 and code in (-signal.SIGTERM, -signal.SIGKILL)
            if code == 0 or told or child.ended:
                child.ended = True
            elif child.stuck > stuck:
                continue
            elif code == EXIT_MENDABLE or child.restarts >= MOST_RESTARTS or child.short_lives >= MOST_SHORT_LIVES:
                child.ended, child.trouble = True, _last_words(child.log)
            else:
                child.restarts += 1
                await asyncio.sleep(min(LONGEST_BACKOFF, self._backoff * 2 ** min(child.restarts - 1, 6)))

    async def _watch_progress(self) -> None:
        """End processes that get no further with a page; they go on without it."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            for child in self._children:
                if child.process is not None and child.process.returncode is None:
                    self._end_if_stuck(child, child.process.pid)

    def _end_if_stuck(self, child: Child, pid: int) -> None:
        """After Ctrl-C nobody waits for a page for long, whatever its process is waiting for."""
        within = self._configuration.reading.within
        limit, busy = (min(within, STOPS_WITHIN), 0.0) if self.interrupted else (within, BUSY)
        pages = child.watch.stuck(pid, time.monotonic(), limit, busy)
        if pages:
            child.stuck += 1
            child.ended = self.interrupted
            with suppress(OSError), child.log.open("a", encoding="utf-8") as log:
                others = f" and {len(pages) - 1} other pages" if len(pages) > 1 else ""
                log.write(f"ended: no progress for {limit:g} s with {pages[0]}{others}\n")
            self._signal([child], signal.SIGKILL)

    async def _watch(self) -> None:
        """Look at the agents until they have ended or have nothing left to do."""
        while not all(child.ended for child in self._agents):
            status = self._status()
            self._progress(status)
            self.ran_out = self.ran_out or self._nothing_left(status)
            if self.ran_out or any(child.trouble for child in self._agents):
                self._wish_to_stop()
            running = [child.task for child in self._agents if child.task and not child.task.done()]
            await asyncio.wait(running, timeout=LOOK_EVERY, return_when=asyncio.FIRST_COMPLETED)

    def _status(self) -> Status:
        """How the crawl stands; by the settings before, where somebody has made them unreadable meanwhile."""
        began = self._configuration
        with suppress(Mendable):
            now = self._folder.configuration()
            self._configuration = msgspec.structs.replace(now, agents=began.agents, partition=began.partition)
        restarts = sum(child.restarts + child.stuck for child in self._agents)
        return crawl_status(self._folder, restarts, self._configuration)

    def _nothing_left(self, status: Status) -> bool:
        """Whether all agents were idle at two looks, each with news from all of them."""
        fresh = [each for each in status.agents if each["at"] > (self._idle_since or self._began)]
        if not status.agents or not all(each["idle"] for each in status.agents):
            self._idle_since = None
            return False
        if len(fresh) < len(self._agents):
            return False
        if self._idle_since is None:
            self._idle_since = time.time()
            return False
        return True

    async def _end(self) -> None:
        """Let the agents end, then the indexer finish what they left."""
        self._wish_to_stop()
        await self._ended(self._agents)
        if self._indexer is not None:
            _let_finish(self._indexer)
            await self._ended([self._indexer])

    async def _ended(self, children: list[Child]) -> None:
        """Wait until processes have ended, for so long a life of each: one that was stuck has to go on after it."""
        late = {child.task for child in children if child.task is not None}
        begin = time.monotonic()
        while late:
            since = begin if self.interrupted else max(begin, *(child.began for child in children))
            left = since + ENDS_WITHIN - time.monotonic()
            if left <= 0:
                self._kill(children)
            _, late = await asyncio.wait(late, timeout=max(left, LOOK_EVERY))


def _crashed_over_page(child: Child, code: int, pid: int) -> bool:
    """Whether this death brings a page nearer to being refused; no page is read after its third."""
    state = reading_at(child.slot)
    if -code not in OF_BAD_CODE or state.process != pid:  # a process that died early left another's slot behind
        return False
    suspects = [hash(name) for name in state.suspects]
    child.deaths.update(suspects)
    return any(child.deaths[suspect] <= MOST_DEATHS for suspect in suspects)


def _let_finish(child: Child) -> None:
    """Have a process end after its work, however young it is: unlike a signal, a closed input is never missed."""
    child.finishing = True
    if child.process is not None and child.process.stdin is not None:
        child.process.stdin.close()


def _last_words(log: Path) -> str:
    lines = log.read_text("utf-8", "replace").strip().splitlines()
    if lines:
        return lines[-1]
    free = shutil.disk_usage(log.parent).free
    return f"it died without a word; the crawl cannot be written if the disk is full ({free} bytes are free)"
