"""The cycle of a crawl as counted stages (P7): inject, generate, fetch, parse, update, index.

Each stage knows how often it ran and how much time it took, so that status and
report can say where a crawl spends itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

STAGES = ("inject", "generate", "fetch", "parse", "score", "archive", "update", "exchange")


@dataclass(slots=True)
class Stage:
    """One stage's count and time."""

    count: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Stages:
    """All stages of one agent."""

    by_name: dict[str, Stage] = field(default_factory=lambda: {name: Stage() for name in STAGES})

    @contextmanager
    def timed(self, name: str, count: int = 1) -> Iterator[None]:
        """Count what happens inside as work of a stage."""
        begin = perf_counter()
        try:
            yield
        finally:
            self.note(name, perf_counter() - begin, count)

    def note(self, name: str, seconds: float, count: int = 1) -> None:
        """Work of a stage, measured elsewhere."""
        stage = self.by_name[name]
        stage.seconds += seconds
        stage.count += count

    def plain(self) -> dict[str, dict[str, float]]:
        """For status files."""
        return {name: {"count": stage.count, "seconds": stage.seconds} for name, stage in self.by_name.items()}
