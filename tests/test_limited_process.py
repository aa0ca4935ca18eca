"""A function in a process with limits: it may return, fail, loop, fill memory or crash; the caller learns which."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from collections.abc import Callable
from itertools import repeat

import pytest

from lycosa.limited_process import LimitedProcess

MEMORY = 64 * 1024**2


def loop() -> None:
    while True:
        pass


def fill_memory() -> None:
    bytearray(2 * MEMORY)


def fail() -> None:
    raise ValueError("the caller meets it, too")


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


@pytest.mark.parametrize(
    ("work", "why"),
    [
        (lambda: None, ""),
        (fail, ""),
        (lambda: bytearray(MEMORY // 2), ""),
        (fill_memory, "64 MiB of memory"),
        (crash, "SIGSEGV"),
        (loop, "more than 1 s of processor time"),
        (lambda: deque(repeat(0), maxlen=0), "more than 1 s of processor time"),
    ],
)
def test_what_happened_is_told(work: Callable[[], object], why: str) -> None:
    found = LimitedProcess(work, 0.5, MEMORY).wait()
    assert why in found if why else found == ""


def test_the_loop_goes_on_meanwhile_and_whoever_waits_no_more_ends_it() -> None:
    async def crawl() -> None:
        process = LimitedProcess(loop, 60.0, MEMORY)
        waiting = asyncio.create_task(process.ended())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        with pytest.raises(ChildProcessError):
            os.waitpid(process.pid, os.WNOHANG)

    asyncio.run(crawl())
