"""Runs a rival against a web on the crawlers' core and says what it took.

`python -m bench.rivals.runner [--pages N] [--hosts N] [NAME...]` shows all of
them beside each other, with what the server's log says they fetched.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from bench.big_web import BigWeb, big_web
from bench.cores import client_core, pinned
from bench.rivals.environments import Environment, Missing, prepared

NAMES = (
    "scrapy_linkextractor", "scrapy_tuned", "scrapy_wrung", "scrapy_bare", "scrapy_stripped", "crawlee_python",
    "spider_rs",
)  # fmt: skip
TIME_LIMIT = 900.0


@dataclass(frozen=True, slots=True)
class Run:
    """What one crawl took. The crawl is timed from inside; `process_cpu_seconds` has the start-up too."""

    name: str
    pages: int
    seconds: float
    cpu_seconds: float
    peak_mb: float
    process_cpu_seconds: float

    @property
    def pages_per_second(self) -> float:
        return self.pages / self.seconds

    @property
    def cpu_per_1000(self) -> float:
        return 1000 * self.cpu_seconds / self.pages


def run_rival(name: str, web: BigWeb, page_limit: int = 0, time_limit: float = TIME_LIMIT) -> Run | Missing:
    """One crawl from the web's seed; a page limit of 0 is none."""
    environment = prepared(name)
    if isinstance(environment, Missing):
        return environment
    command = [*environment.command, web.seed, str(page_limit)]
    process = subprocess.Popen(
        pinned(command, client_core()),
        env=_variables(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    return _outcome(name, process, time_limit)


def _variables(environment: Environment) -> dict[str, str]:
    return {**os.environ, **environment.variables}


def _outcome(name: str, process: subprocess.Popen[str], time_limit: float) -> Run | Missing:
    """Wait for the rival with its own resource usage; one that takes too long is ended."""
    assert process.stdout is not None
    overdue = threading.Timer(time_limit, process.kill)
    overdue.start()
    with process.stdout:
        lines = process.stdout.read().splitlines()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    in_time = overdue.is_alive()
    overdue.cancel()
    if not in_time:
        return Missing(name, f"did not end within {time_limit:.0f} s")
    if process.returncode or not lines:
        return Missing(name, f"ended with status {process.returncode} and {len(lines)} lines")
    return Run(name=name, process_cpu_seconds=usage.ru_utime + usage.ru_stime, **json.loads(lines[-1]))


def compared(names: list[str], web: BigWeb) -> Iterator[str]:
    """A line per rival: its figures, and the server's word on what it fetched."""
    for name in names:
        web.fetched()
        outcome = run_rival(name, web)
        if isinstance(outcome, Missing):
            yield f"{name:22} missing: {outcome.reason}"
        else:
            yield f"{name:22} {_figures(outcome)}  {_coverage(web, web.fetched())}"


def _figures(run: Run) -> str:
    return (
        f"{run.pages:7} pages {run.seconds:7.1f} s {run.pages_per_second:7.0f}/s "
        f"{run.cpu_per_1000:6.2f} CPU s/1000 {run.peak_mb:5.0f} MB"
    )


def _coverage(web: BigWeb, fetched: Counter[str]) -> str:
    lacking = len(web.urls - fetched.keys())
    strange = sorted(fetched.keys() - web.urls)
    return f"fetched {fetched.total()}, not fetched {lacking}, others {len(strange)} {strange[:2]}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.rivals.runner", description=__doc__)
    parser.add_argument("--pages", type=int, default=3_000)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("names", nargs="*", default=NAMES, metavar="NAME", help=", ".join(NAMES))
    options = parser.parse_args()
    with big_web(options.pages, options.hosts) as web:
        for line in compared(list(options.names), web):
            print(line, flush=True)


if __name__ == "__main__":
    main()
