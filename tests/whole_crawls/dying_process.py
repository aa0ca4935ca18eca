"""A process of a crawl that dies (SIGKILL, once) at a named step. Arguments: STEP MARKER, then the usual ones."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from lycosa.crawling import agent as agent_module
from lycosa.crawling.commit import Crawl
from lycosa.crawling.frontier_updates import Intake
from lycosa.fetching.http_fetcher import HttpFetcher
from lycosa.frontier.frontier import Frontier
from lycosa.indexing.duplicate_index import SimilarPages
from lycosa.indexing.template_index import Structures
from lycosa.search.index import IndexWriter
from lycosa.storage import archive, catalogue, sorted_runs
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import Archive
from lycosa.storage.sorted_runs import SortedRuns
from lycosa.supervision import processes


class Step(NamedTuple):
    """A moment of the commit, or of what follows it: before or after a call, or half-way through a write."""

    owner: Any
    name: str
    moment: str
    call: int = 3
    """Which call of the process it is."""


STEPS = {
    "lease": Step(Frontier, "next", "after"),
    "fetch": Step(HttpFetcher, "fetch", "before"),
    "parse": Step(agent_module, "read_page", "before"),
    "archive-begin": Step(Archive, "append", "before"),
    "archive-torn": Step(archive, "write_all", "torn"),
    "archive-unsynced": Step(archive, "write_all", "after"),
    "archive-synced": Step(Archive, "append", "after"),
    "archive-file-full": Step(archive, "begin_file", "before", 2),
    "archive-file-empty": Step(archive, "_warcinfo", "before", 2),
    "archive-file-unnamed": Step(archive, "sync", "before", 2),
    "archive-file-begun": Step(archive, "begin_file", "after", 2),
    "links-in": Step(Intake, "_let_in", "after"),
    "letters-read": Step(Crawl, "_receive", "after"),
    "store-begin": Step(AgentStore, "commit", "before"),
    "store-inside": Step(AgentStore, "_write_rows", "after"),
    "store-committed": Step(AgentStore, "commit", "after"),
    "run-begin": Step(SortedRuns, "_write", "before", 5),
    "run-torn": Step(sorted_runs, "write_all", "torn", 5),
    "run-unsynced": Step(sorted_runs, "sync", "before", 5),
    "run-unnamed": Step(SortedRuns, "replace", "after", 5),
    "run-left-over": Step(sorted_runs, "_take_away", "before", 1),
    "rolling": Step(catalogue, "roll", "before", 1),
    "segment-unnamed": Step(catalogue, "sync", "before", 1),
    "segment-half": Step(catalogue, "_write_segment", "after", 1),
    "segment-written": Step(AgentStore, "drop_rows", "before", 1),
    "segment-dropped": Step(AgentStore, "drop_rows", "after", 1),
    "index-begin": Step(IndexWriter, "commit", "before", 1),
    "index-committed": Step(IndexWriter, "_note", "before", 1),
    "index-marked": Step(IndexWriter, "_note", "after", 1),
    "structures-saved": Step(Structures, "save", "after", 1),
    "groups-saved": Step(SimilarPages, "save", "after", 1),
}


def die(marker: Path) -> None:
    marker.touch()
    os.kill(os.getpid(), signal.SIGKILL)


def armed(step: Step, marker: Path, original: Callable[..., Any]) -> Callable[..., Any]:
    calls = 0

    def dying(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls < step.call:
            return original(*arguments, **named)
        if step.moment == "torn":
            file, data = arguments
            file.write(data[: len(data) // 2])
        elif step.moment == "after":
            original(*arguments, **named)
        die(marker)
        raise AssertionError("still alive")

    return dying


if __name__ == "__main__":
    step, marker = STEPS[sys.argv[1]], Path(sys.argv[2])
    if not marker.exists():
        setattr(step.owner, step.name, armed(step, marker, getattr(step.owner, step.name)))
    sys.exit(processes.main(sys.argv[3:]))
