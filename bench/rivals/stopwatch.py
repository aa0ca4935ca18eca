"""Measures one crawl from inside the crawler's process, start-up of the interpreter excluded.

Imported by the rivals' scripts, each in its own environment: standard library only.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path


def peak_mb() -> float:
    """The most memory that this process has had. What getrusage tells begins with the memory of whoever started it."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


class Stopwatch:
    """Started when the crawl starts; the report is one line of JSON on standard output."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._cpu_began = time.process_time()

    def report(self, pages: int) -> None:
        figures = {
            "pages": pages,
            "seconds": time.perf_counter() - self._began,
            "cpu_seconds": time.process_time() - self._cpu_began,
            "peak_mb": peak_mb(),
        }
        print(json.dumps(figures), flush=True)
