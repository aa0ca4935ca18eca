"""A process of a crawl that dies (SIGKILL, once) at a named step. Arguments: STEP COUNT MARKER, then the usual ones."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lycosa.agents import agent as agent_module
from lycosa.agents import processes
from lycosa.agents.intake import Intake
from lycosa.fetching.http_fetcher import HttpFetcher
from lycosa.frontier.frontier import Frontier
from lycosa.search.index import IndexWriter
from lycosa.storage import archive, catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import Archive

STEPS: dict[str, tuple[Any, str, str]] = {
    "lease": (Frontier, "next", "after"),
    "fetch": (HttpFetcher, "fetch", "before"),
    "parse": (agent_module, "read_page", "before"),
    "archive-begin": (Archive, "append", "before"),
    "archive-torn": (archive, "_write_all", "torn"),
    "archive-written": (Archive, "append", "after"),
    "links-in": (Intake, "_let_in", "after"),
    "store-begin": (AgentStore, "commit", "before"),
    "store-inside": (AgentStore, "_write_rows", "after"),
    "store-committed": (AgentStore, "commit", "after"),
    "segment-written": (AgentStore, "drop_rows", "before"),
    "segment-dropped": (AgentStore, "drop_rows", "after"),
    "rolling": (catalogue, "roll", "before"),
    "index-begin": (IndexWriter, "commit", "before"),
    "index-committed": (IndexWriter, "commit", "after"),
}


def die(marker: Path) -> None:
    marker.touch()
    os.kill(os.getpid(), signal.SIGKILL)


def armed(step: str, count: int, marker: Path, original: Callable[..., Any]) -> Callable[..., Any]:
    _, _, moment = STEPS[step]
    calls = 0

    def dying(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls < count:
            return original(*arguments, **named)
        if moment == "torn":
            file, data = arguments
            file.write(data[: len(data) // 2])
        elif moment == "after":
            original(*arguments, **named)
        die(marker)
        raise AssertionError("still alive")

    return dying


if __name__ == "__main__":
    step, count, marker = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    if not marker.exists():
        owner, name, _ = STEPS[step]
        setattr(owner, name, armed(step, count, marker, getattr(owner, name)))
    sys.exit(processes.main(sys.argv[4:]))
