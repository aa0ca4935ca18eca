"""Runs a function in a forked process with limits on processor time and memory, which the kernel enforces.

So the limits hold inside C code too, where no thread and no signal handler of Python would get its turn.
"""

from __future__ import annotations

import asyncio
import gc
import math
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

_FIRST_OWN_FILE = 3
_OUT_OF_MEMORY = 12
PATIENCE = 10
"""A process that gets little of the processor, or none, may exist for so many times its processor time."""


class LimitedProcess:
    """A function at work in a process of its own. Its effects are lost; what is learnt is whether it returns."""

    def __init__(self, work: Callable[[], object], seconds: float, memory: int) -> None:
        self._seconds, self._memory = max(1, math.ceil(seconds)), memory
        self._end, open_while_it_lives = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _run(work, open_while_it_lives, self._seconds, memory)
        os.close(open_while_it_lives)

    def wait(self) -> str:
        """Wait for its end: '' where the function returned or raised an error, else why it did not."""
        _, status = os.waitpid(self.pid, 0)
        os.close(self._end)
        code = os.waitstatus_to_exitcode(status)
        if code == -signal.SIGXCPU:
            return f"it takes more than {self._seconds} s of processor time"
        if code == -signal.SIGALRM:
            return f"it takes more than {PATIENCE * self._seconds} s"
        if code == _OUT_OF_MEMORY:
            return f"it takes more than {self._memory >> 20} MiB of memory"
        return f"it kills its process ({signal.Signals(-code).name})" if code < 0 else ""

    async def ended(self) -> str:
        """The same, while the loop goes on; the process is killed if nobody waits any more."""
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._end, over.set)
        try:
            await over.wait()
        finally:
            loop.remove_reader(self._end)
            if not over.is_set():
                os.kill(self.pid, signal.SIGKILL)
            why = self.wait()
        return why


def _run(work: Callable[[], object], open_while_it_lives: int, seconds: int, memory: int) -> NoReturn:
    """What the forked process does: it must never return to its parent's code."""
    code = 0
    try:
        _let_go(open_while_it_lives)
        _limit(seconds, memory)
        gc.disable()
        work()
    except MemoryError:
        code = _OUT_OF_MEMORY
    except BaseException:  # noqa: BLE001 - the parent meets the same error when it does the work itself
        code = 0
    finally:
        os._exit(code)


def _let_go(kept: int) -> None:
    """Give up the parent's files and signals: its locks end with it, and its loop hears nothing of ours."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)
    os.closerange(_FIRST_OWN_FILE, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))


def _limit(seconds: int, memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _lower(resource.RLIMIT_CPU, seconds)
    statm = Path("/proc/self/statm")
    if statm.exists():  # what the parent has mapped, its stores above all, is not counted against the function
        mapped = int(statm.read_text("ascii").split()[0]) * resource.getpagesize()
        _lower(resource.RLIMIT_AS, mapped + memory)
    signal.alarm(PATIENCE * seconds)


def _lower(limit: int, value: int) -> None:
    _, hard = resource.getrlimit(limit)
    resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))
