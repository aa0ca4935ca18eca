"""What a reading process dies of is told to whoever asked for it, and to nobody else."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lycosa import reading_processes as module
from lycosa.reading_processes import Broken, ReadingDied, ReadingProcesses, ReadingSlow
from lycosa.urls import normalise
from lycosa.user_error import Mendable

ONE, OTHER = Path("one"), Path("other")


@pytest.fixture(scope="module")
def started() -> Iterator[ReadingProcesses]:
    processes = ReadingProcesses(["lycosa.urls"], most=2)
    yield processes
    processes.close()


@pytest.fixture
def processes(started: ReadingProcesses) -> ReadingProcesses:
    """The same processes for all tests, which have forgotten what they died of."""
    started._died.clear()
    return started


def test_a_call_returns_or_raises_what_the_function_does(processes: ReadingProcesses) -> None:
    assert processes.call(ONE, normalise, "HTTP://A.example/x#y") == "http://a.example/x"
    with pytest.raises(ZeroDivisionError):
        processes.call(ONE, divmod, 1, 0)
    with pytest.raises(Broken, match="SystemExit"):
        processes.call(ONE, os.sys.exit, 3)  # type: ignore[attr-defined]
    assert issubclass(ReadingDied, Mendable)


def test_a_place_keeps_its_process_and_shares_it_with_no_other(processes: ReadingProcesses) -> None:
    first = processes.call(ONE, os.getpid)
    assert processes.call(ONE, os.getpid) == first
    assert len({first, processes.call(OTHER, os.getpid), os.getpid()}) == 3


def test_who_has_not_been_asked_longest_ends_for_a_new_one(processes: ReadingProcesses) -> None:
    first = processes.call(ONE, os.getpid)
    for name in "abc":
        processes.call(Path(name), os.getpid)
    assert len(processes._readers) == 2
    assert processes.call(ONE, os.getpid) != first


def test_a_death_is_told_and_the_place_is_read_on(processes: ReadingProcesses) -> None:
    before = processes.call(ONE, os.getpid)
    with pytest.raises(ReadingDied):
        processes.call(ONE, os.abort)
    assert processes.call(ONE, os.getpid) != before


def test_a_death_interrupts_no_other_call(processes: ReadingProcesses) -> None:
    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(processes.call, ONE, time.sleep, 0.3)
        dying = pool.submit(processes.call, ONE, os.abort)
        assert slow.result() is None
        with pytest.raises(ReadingDied):
            dying.result()


def test_what_died_rests(processes: ReadingProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    forked: list[bool] = []
    fork = ReadingProcesses._forked
    monkeypatch.setattr(ReadingProcesses, "_forked", lambda self: (forked.append(True), fork(self))[1])
    for _ in range(5):
        with pytest.raises(ReadingDied):
            processes.call(Path("dies"), os.abort)
    assert len(forked) == 2, "once with others, once alone"
    monkeypatch.setattr(module, "REST", 0.0)
    with pytest.raises(ReadingDied):
        processes.call(Path("dies"), os.abort)
    assert len(forked) == 4


def test_time_is_bounded(processes: ReadingProcesses) -> None:
    with pytest.raises(ReadingSlow, match=r"longer than 0\.2 s"):
        processes.call(ONE, time.sleep, 600, patience=0.2)
    assert processes.call(ONE, os.getpid)


def test_memory_is_bounded(processes: ReadingProcesses) -> None:
    with pytest.raises(MemoryError):
        processes.call(ONE, bytearray, 1 << 40)
    assert processes.call(ONE, os.getpid)


def test_processes_start_again_where_their_parent_was_ended(processes: ReadingProcesses) -> None:
    processes.call(ONE, os.getpid)
    parent = processes._parent
    assert parent is not None
    parent.kill()
    parent.wait()
    assert processes.call(Path("new"), os.getpid)


def test_none_is_left_when_they_are_closed() -> None:
    processes = ReadingProcesses()
    pid, parent = processes.call(ONE, os.getpid), processes._parent
    processes.close()
    assert parent is not None
    assert parent.returncode == 0
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("the reading process goes on")
