"""Measures one crawl from inside the crawler's process, start-up of the interpreter excluded.

Imported by the rivals' scripts, each in its own environment: standard library only.
"""

from __future__ import annotations

import json
import resource
import time


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
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
        print(json.dumps(figures), flush=True)
