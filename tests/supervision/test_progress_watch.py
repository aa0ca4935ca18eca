"""Who is stuck, seen from outside: a busy process with the same page; not one that waits, sleeps or gets on."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lycosa.crawl_folder.folder import owned_by_somebody
from lycosa.supervision.orphans import end_orphan
from lycosa.supervision.progress_watch import ProgressWatch, processor_time

LOOP, WAIT = "while True: pass", "import sys; sys.stdin.read()"
READER = """
import fcntl
import sys
from pathlib import Path
from lycosa.crawl_folder.reading_slot import ReadingSlot
slot = ReadingSlot(Path(sys.argv[1]))
lock = Path(sys.argv[1]).with_suffix(".lock").open("a")
fcntl.flock(lock, fcntl.LOCK_EX)
slot.begin(["http://a.example/", "http://b.example/"])
slot.page("http://b.example/")
print("reading", flush=True)
"""
LIMIT = 0.2


class Other:
    """A process that says what it reads, and then does something."""

    def __init__(self, slot: Path, does: str) -> None:
        order = [sys.executable, "-c", READER + does, str(slot)]
        self.process = subprocess.Popen(order, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "reading\n"
        self.pid = self.process.pid

    def uses(self, seconds: float) -> None:
        """Wait until it has used the processor for so long."""
        begin = processor_time(self.pid) or 0.0
        while (processor_time(self.pid) or 0.0) < begin + seconds:
            os.sched_yield()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


@pytest.fixture
def slot(tmp_path: Path) -> Path:
    return tmp_path / "reading"


@pytest.fixture
def busy(slot: Path) -> Iterator[Other]:
    other = Other(slot, LOOP)
    yield other
    other.end()


@pytest.fixture
def waiting(slot: Path) -> Iterator[Other]:
    other = Other(slot, WAIT)
    yield other
    other.end()


def test_a_busy_process_with_the_same_page_is_stuck_after_the_limit(slot: Path, busy: Other) -> None:
    watch = ProgressWatch(slot)
    assert watch.stuck(busy.pid, 0.0, LIMIT) == ()
    busy.uses(LIMIT)
    assert watch.stuck(busy.pid, 0.9 * LIMIT, LIMIT) == ()
    assert watch.stuck(busy.pid, 1.1 * LIMIT, LIMIT) == ("http://b.example/",)


def test_a_process_that_waits_is_not_stuck_however_long(slot: Path, waiting: Other) -> None:
    watch = ProgressWatch(slot)
    assert watch.stuck(waiting.pid, 0.0, LIMIT) == ()
    assert watch.stuck(waiting.pid, 1e6, LIMIT) == ()


def test_a_process_that_was_suspended_is_not_stuck(slot: Path, busy: Other) -> None:
    os.kill(busy.pid, signal.SIGSTOP)
    os.waitpid(busy.pid, os.WUNTRACED)
    watch = ProgressWatch(slot)
    assert watch.stuck(busy.pid, 0.0, LIMIT) == ()
    assert watch.stuck(busy.pid, 1e6, LIMIT) == ()


def test_what_a_dead_process_left_is_not_held_against_its_successor(slot: Path, waiting: Other, tmp_path: Path) -> None:
    successor = Other(tmp_path / "another", LOOP)
    try:
        watch = ProgressWatch(slot)
        assert watch.stuck(successor.pid, 0.0, LIMIT) == ()
        successor.uses(LIMIT)
        assert watch.stuck(successor.pid, 1e6, LIMIT) == ()
    finally:
        successor.end()


def test_a_process_without_a_slot_is_not_stuck(tmp_path: Path, busy: Other) -> None:
    watch = ProgressWatch(tmp_path / "none")
    busy.uses(LIMIT)
    assert watch.stuck(busy.pid, 0.0, LIMIT) == watch.stuck(busy.pid, 1e6, LIMIT) == ()


def test_a_stuck_process_of_an_earlier_run_is_ended(slot: Path, busy: Other) -> None:
    lock = slot.with_suffix(".lock")
    asyncio.run(end_orphan(slot.parent, lock, slot, LIMIT))
    assert busy.process.wait(10) == -signal.SIGKILL
    assert not owned_by_somebody(lock)


def test_a_process_of_an_earlier_run_that_is_about_to_end_is_waited_for(slot: Path, waiting: Other) -> None:
    async def take_up() -> None:
        ending = asyncio.create_task(end_orphan(slot.parent, slot.with_suffix(".lock"), slot, LIMIT))
        await asyncio.sleep(0)
        assert not ending.done()
        assert waiting.process.stdin is not None
        waiting.process.stdin.close()
        await ending

    asyncio.run(take_up())
    assert waiting.process.wait(10) == 0
