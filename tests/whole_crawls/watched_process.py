"""A process of a crawl that says who it is while it lives. Arguments: PIDS, then the usual ones or `supervisor FOLDER`.

A file of PIDS named after the process holds its number, and is locked as long as it lives: so nobody
is mistaken for it who has its number later.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import sys
from pathlib import Path

SUPERVISOR = "supervisor"


def living(path: Path) -> int | None:
    """The number of the process that a file is about, if it lives."""
    if not path.exists():
        return None
    with path.open("r", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            told = file.read()
            return int(told) if told.endswith("\n") else None
        return None


def kill(path: Path) -> bool:
    """Kill the process that a file is about; whether it lived."""
    number = living(path)
    if number is not None:
        os.kill(number, signal.SIGKILL)
    return number is not None


def wait_until_gone(path: Path) -> None:
    """Wait for the end of a process."""
    if path.exists():
        with path.open("r", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH)


def main(pids: Path, arguments: list[str]) -> int:
    kind, folder, *number = arguments
    pids.mkdir(exist_ok=True)
    with (pids / "-".join([kind, *number])).open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        if kind == SUPERVISOR:
            from lycosa.crawl_folder.folder import CrawlFolder
            from lycosa.supervision.supervisor import Fleet

            command = (sys.executable, sys.argv[0], str(pids))
            asyncio.run(Fleet(CrawlFolder(Path(folder)), lambda status: None, command, backoff=0.01).run())
            return 0
        from lycosa.supervision import processes

        return processes.main(arguments)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
