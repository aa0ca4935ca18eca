"""Logs: lines a second against GoAccess and a bare regular expression, and memory that stays the same.

Everything runs on one core, one after another, on the same lines: those of the real log in the data folder, each
written for many addresses, or lines made up where it is absent. GoAccess is compared with the whole command, on that
log and on generated ones (`bench/log_formats.py`).
"""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from bench.cores import client_core, pinned
from bench.log_formats import against_goaccess
from bench.rows import Row, less_is_better, more_is_better

BENCH = "logs"
DATA = Path(os.environ.get("LYCOSA_DATA", Path.home() / ".cache" / "lycosa-data"))
REAL = DATA / "weblogs" / "combined_10k.log.gz"
COPIES = 100
ROUNDS = 6
LARGEST = 500 << 20
_DATE = re.compile(rb"\[\d\d/\w{3}/\d{4}")
_LINE = re.compile(r'(\S+) (\S+) (\S+) \[([^\]]+)\] "([^"]*)" (\d{3}) (\S+) "([^"]*)" "([^"]*)"')


def run() -> list[Row]:
    """Import, GoAccess and the regular expression on the same log; memory at one and four times its lines."""
    with tempfile.TemporaryDirectory() as folder:
        log, young = Path(folder) / "access.log", Path(folder) / "young.log"
        lines = write_log(log, COPIES)
        write_log(young, COPIES, young=True)
        os.sched_setaffinity(0, {client_core()})
        ours, of_today, fields, matched = fastest_in_turn(
            lambda: imported(log)[0],
            lambda: imported(young)[0],
            partial(bare_regex, log, True),
            partial(bare_regex, log, False),
        )
        taken, only = "a regular expression, fields taken", "a regular expression, matched only"
        found = [
            more_is_better(BENCH, what, lines / mine, lines / theirs, unit="lines/s", other_name=name, note=note)
            for what, mine, theirs, name, note in (
                ("lines a second", ours, matched, only, "CPU time of one core; bar > 1"),
                ("lines a second", ours, fields, taken, "CPU time of one core"),
                ("lines a second, log that ends today", of_today, matched, only, "CPU time; its visitors are named"),
                ("lines a second, log that ends today", of_today, fields, taken, "CPU time; its visitors are named"),
            )
        ]
        found += against_goaccess(log, lines, Path(folder))
        return found + _memory(Path(folder))


def _memory(folder: Path) -> list[Row]:
    peaks = []
    for copies in (COPIES // 4, COPIES):
        log = folder / f"{copies}.log"
        write_log(log, copies)
        peaks.append(imported(log)[1])
        log.unlink()
    return [
        less_is_better(
            BENCH, "memory at 4 times the lines", peaks[1] / 2**20, peaks[0] / 2**20, other_name="at the lines",
            unit="MiB", note="bar >= 0.77: flat",
        ),
        less_is_better(
            BENCH, "peak memory of an import", peaks[1] / 2**20, LARGEST / 2**20, other_name="bar", unit="MiB",
            note="bar >= 1",
        ),
    ]  # fmt: skip


def fastest_in_turn(*measured: Callable[[], float]) -> list[float]:
    """The least seconds of each over several rounds: what it takes when nobody disturbs it.

    They take turns, so that a machine that is slow for a while is slow for all of them.
    """
    return [min(each) for each in zip(*([one() for one in measured] for _ in range(ROUNDS)), strict=True)]


def write_log(path: Path, copies: int, *, young: bool = False) -> int:
    """A log with each line of the real one for many addresses, in the order of time. Returns its lines.

    A young one ends today.
    """
    text = gzip.decompress(REAL.read_bytes()) if REAL.exists() else _made_up()
    text = _ending_today(text) if young else text
    source = [line.split(b".", 2)[2] for line in text.splitlines(keepends=True)]
    with path.open("wb") as out:
        for line in source:
            out.write(b"".join(b"10.%d.%b" % (copy, line) for copy in range(copies)))
    return copies * len(source)


def _ending_today(text: bytes) -> bytes:
    days = list(dict.fromkeys(_DATE.findall(text)))
    now = datetime.now(UTC)
    dates = {day: now - timedelta(days=ago) for ago, day in enumerate(reversed(days))}
    return _DATE.sub(lambda found: dates[found[0]].strftime("[%d/%b/%Y").encode(), text)


def _made_up() -> bytes:
    agents = (b"Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0", b"Googlebot/2.1")
    lines = [
        b'10.0.%d.%d - - [17/May/2015:%02d:05:%02d +0000] "GET /page/%d%b HTTP/1.1" 200 5120 "-" "%b"\n'
        % (
            place % 200,
            place % 7,
            place // 420,
            place % 60,
            place % 300,
            (b"", b".css")[place % 2],
            agents[place % 5 == 0],
        )
        for place in range(10_000)
    ]
    return b"".join(lines)


_IMPORT = """
import sys, time
from pathlib import Path
from bench.rivals.stopwatch import peak_mb
from lycosa.clickstream.server_logs.log_files import log_files
from lycosa.clickstream.server_logs.log_import import LogImport
from lycosa.clickstream.server_logs.page_urls import LogSite
from lycosa.interface.commands.clicks.log_import import steady_memory
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys
steady_memory()
with ClickStore(Path(sys.argv[2])) as store:
    keys, began = DayKeys(Path(sys.argv[2])), time.process_time()
    LogImport(LogSite("semicomplete.com"), store, keys, now=time.time()).run(log_files([sys.argv[1]]))
    took = time.process_time() - began
print(took, peak_mb() * 1024**2)
"""


def imported(log: Path) -> tuple[float, float]:
    """CPU seconds and peak bytes of an import into a new store, in a process of its own."""
    with tempfile.TemporaryDirectory() as store:
        command = [sys.executable, "-c", _IMPORT, str(log), store]
        told = subprocess.run(pinned(command, client_core()), check=True, capture_output=True, text=True).stdout.split()
    return float(told[0]), float(told[1])


def bare_regex(log: Path, fields: bool) -> float:
    """CPU seconds of a loop that matches every line, may take its fields, and does nothing else."""
    began, match = time.process_time(), _LINE.match
    with log.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            found = match(line)
            if fields and found is not None:
                found.groups()
    return time.process_time() - began
