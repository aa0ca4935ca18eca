"""The cycle of a crawl as counted stages (P7): inject, generate, fetch, parse, score, archive, update, exchange.

Each stage knows how often it ran, how long that took and what it cost the processor,
over all runs of the crawl, so that status and report can say where a crawl spends
itself. The last stage, index, belongs to the indexer's process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter, process_time, thread_time

import msgspec

STAGES = ("inject", "generate", "fetch", "parse", "score", "archive", "update", "exchange")
INDEX = "index"
FETCH = "fetch"


class Stage(msgspec.Struct):
    """What a stage did: how often it ran, and for how many seconds by the clock and on the processor."""

    count: int = 0
    seconds: float = 0.0
    cpu: float = 0.0


class Stages:
    """All stages of one process, going on from what was kept of them.

    Fetches overlap and have no time on the processor of their own: theirs is all that no other stage took.
    """

    def __init__(self, kept: Mapping[str, Stage] | None = None, names: tuple[str, ...] = STAGES) -> None:
        self.by_name = {name: (kept or {}).get(name) or Stage() for name in names}
        self._before = {name: msgspec.structs.replace(stage) for name, stage in self.by_name.items()}
        self._began = process_time()

    @contextmanager
    def timed(self, name: str, count: int = 1) -> Iterator[None]:
        """Count what happens inside as work of a stage."""
        begin, used = perf_counter(), thread_time()
        try:
            yield
        finally:
            self.note(name, perf_counter() - begin, count, thread_time() - used)

    def note(self, name: str, seconds: float, count: int = 1, cpu: float = 0.0) -> None:
        """Work of a stage, measured elsewhere."""
        stage = self.by_name[name]
        stage.seconds += seconds
        stage.count += count
        stage.cpu += cpu

    def kept(self) -> dict[str, Stage]:
        """The stages as they stand, to go on from."""
        if FETCH in self.by_name:
            others = sum(stage.cpu - self._before[name].cpu for name, stage in self.by_name.items() if name != FETCH)
            own = process_time() - self._began - others
            self.by_name[FETCH].cpu = self._before[FETCH].cpu + max(0.0, own)
        return self.by_name

    def plain(self, queues: Mapping[str, int], seconds: float) -> dict[str, dict[str, float]]:
        """For status files: with what waits for each stage, and its rate in so many seconds of this run."""
        return {
            name: {
                "count": stage.count,
                "seconds": stage.seconds,
                "cpu": stage.cpu,
                "queue": queues.get(name, 0),
                "rate": (stage.count - self._before[name].count) / seconds if seconds > 0 else 0.0,
            }
            for name, stage in self.kept().items()
        }
