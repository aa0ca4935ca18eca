"""The processes of a crawl: `python -m lycosa.agents.processes agent|indexer FOLDER [NUMBER]`.

A process ends when it is told to (by wish, or SIGTERM for at once), when it is
done, or when its parent is gone: standard input closes with the parent, however
that died. Each agent's folder is owned by one process at a time.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from lycosa.agents.assembly import build_agent
from lycosa.agents.desk import Desk, clock, collect_rarely
from lycosa.agents.folder import CrawlError, CrawlFolder, own
from lycosa.storage.agent_store import StoreFull

EXIT_MENDABLE = 3
"""The exit code for trouble that restarting would not mend."""


async def run_agent(folder: CrawlFolder, number: int) -> None:
    """Run one agent until it is told to stop."""
    desk = Desk(folder, number)
    agent = build_agent(folder, number, desk, clock)
    collect_rarely()

    def stop() -> None:
        agent.stopping = True

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop)
    _when_orphaned(loop, stop)
    try:
        await agent.run()
        desk.say(agent, clock(), "stopped", True)
    finally:
        agent.crawl.close()


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
            from lycosa.agents.indexing import run_indexer

            with own(folder.path / "index.lock", f"the index of {folder.name}"):
                asyncio.run(run_indexer(folder, _when_orphaned))
        else:
            number = int(arguments[2])
            with own(folder.agent(number) / "lock", f"agent {number} of {folder.name}"):
                asyncio.run(run_agent(folder, number))
    except (CrawlError, StoreFull) as error:
        print(error, file=sys.stderr)
        return EXIT_MENDABLE
    except OSError as error:
        print(f"the crawl cannot be written: {error}", file=sys.stderr)
        return EXIT_MENDABLE
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
