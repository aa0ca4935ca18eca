"""Which core does what, so that a crawler never pays for the server it crawls."""

from __future__ import annotations

import os
import shutil


def client_core() -> int:
    """The core every crawler runs on."""
    return min(os.sched_getaffinity(0))


def server_core() -> int:
    """The core the loopback web runs on: another than the crawler's wherever there is one."""
    return max(os.sched_getaffinity(0))


def pinned(command: list[str], core: int) -> list[str]:
    """The command bound to one core, and to the life of whoever starts it."""
    mortal = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
    return [*mortal, "taskset", "-c", str(core), *command]
