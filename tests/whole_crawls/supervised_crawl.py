"""A crawl as a person runs it, whose processes can be killed one by one: agents, indexer, and the supervisor too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from watched_process import SUPERVISOR, kill, wait_until_gone

from lycosa.crawl_folder.folder import CrawlFolder

ENDS_WITHIN = 60.0
MOST_TRIES = 20
IN_USE = "in use by another process"


class SupervisedCrawl:
    """Runs while its `with` block does, unless it has ended by itself."""

    def __init__(self, folder: CrawlFolder) -> None:
        self._folder, self._pids, self._tries = folder, folder.path / "pids", 0

    def __enter__(self) -> Self:
        self._resume()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._supervisor.kill()
        self._supervisor.communicate()
        self._wait_for_orphans()

    def _resume(self) -> None:
        script = Path(__file__).with_name("watched_process.py")
        order = [sys.executable, str(script), str(self._pids), SUPERVISOR, str(self._folder.path)]
        self._supervisor = subprocess.Popen(order, stderr=subprocess.PIPE, text=True)

    def runs_for(self, seconds: float) -> bool:
        """Let so much time pass; whether the crawl runs still.

        A process that had just been begun when its supervisor died may still be about to end: then one asks again.
        """
        if self._supervisor.returncode == 0:
            return False
        try:
            _, told = self._supervisor.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return True
        if self._supervisor.returncode == 0:
            return False
        self._tries += 1
        assert IN_USE in told, told
        assert self._tries < MOST_TRIES, told
        self._wait_for_orphans()
        self._resume()
        return True

    def ends(self) -> bool:
        """Whether the crawl comes to its end when nobody is killed any more."""
        return any(not self.runs_for(ENDS_WITHIN) for _ in range(3))

    def kill(self, who: str) -> bool:
        """Kill a process; whether it lived. After the supervisor's death the crawl is resumed."""
        if who != SUPERVISOR:
            return kill(self._pids / who)
        if self._supervisor.poll() is not None:
            return False
        self._supervisor.kill()
        self._supervisor.communicate()
        self._wait_for_orphans()
        self._resume()
        return True

    def _wait_for_orphans(self) -> None:
        """The agents and the indexer of a dead supervisor end by themselves."""
        for path in self._pids.glob("*"):
            wait_until_gone(path)
