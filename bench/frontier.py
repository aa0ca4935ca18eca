"""`frontier`: millions of URLs in one agent: rate of adding and taking with a sync per batch, memory, restart.

LYCOSA_BENCH_URLS sets the largest size (default ten million). Each size runs in a
process of its own, small ones several times, in turns, since a short run says little;
the middle one counts. The cost per operation from the smallest to the largest is drawn
into bench/results/frontier.svg.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from bench.cores import client_core, pinned
from bench.rows import RESULTS, Row, less_is_better, more_is_better
from lycosa.configuration.sections import Configuration, FrontierSection, Politeness, Seconds
from lycosa.crawling.assembly import build_frontier
from lycosa.interface.shared.charts import Axis, Series, line_chart
from lycosa.records import Fetched, Link, Response, Score, SiteOpened
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.supervision.control_channel import collect_rarely

SITES = 2000
BATCH = 50_000
TAKEN = 100_000
MOST_ROUNDS = 5
CONFIGURATION = Configuration(
    politeness=Politeness(delay=Seconds(0), address_delay=Seconds(0), per_address=10**9, adaptive=0.0),
    frontier=FrontierSection(),
)


def run() -> list[Row]:
    """All rows of the bench."""
    largest = int(os.environ.get("LYCOSA_BENCH_URLS", "10000000"))
    sizes = [size for size in (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000) if size <= largest] or [largest]
    found = _rounds(sizes)
    _draw(found)
    most, least = found[sizes[-1]], found[sizes[0]]
    of = f"at {sizes[-1]:,} URLs"
    bar = {"other_name": "bar", "note": "bar >= 1"}
    return [
        more_is_better("frontier", f"links added {of}", most["added"], 50_000, unit="links/s", **bar),
        more_is_better("frontier", f"links taken {of}", most["taken"], 20_000, unit="links/s", **bar),
        less_is_better("frontier", f"anonymous memory {of}", most["anonymous_mb"], 1000, unit="MB", **bar),
        less_is_better("frontier", f"restart {of}", most["restart"], 5, unit="s", **bar),
        more_is_better(
            "frontier", "adding, largest to smallest", most["added"], least["added"],
            other_name=f"at {sizes[0]:,} URLs", unit="links/s", note="flat is 1",
        ),
        more_is_better(
            "frontier", "taking, largest to smallest", most["taken"], least["taken"],
            other_name=f"at {sizes[0]:,} URLs", unit="links/s", note="flat is 1",
        ),
        less_is_better(
            "frontier", "CPU per link added, largest to smallest", most["adding_cpu"], least["adding_cpu"],
            other_name=f"at {sizes[0]:,} URLs", unit="µs", note="flat is 1",
        ),
        less_is_better(
            "frontier", "CPU per link taken, largest to smallest", most["taking_cpu"], least["taking_cpu"],
            other_name=f"at {sizes[0]:,} URLs", unit="µs", note="flat is 1",
        ),
        Row("frontier", f"disk {of}", most["bytes_per_url"], None, "", None, "bytes/URL"),
    ]  # fmt: skip


def _rounds(sizes: list[int]) -> dict[int, dict[str, float]]:
    """What each size costs: the middle of as many rounds as the largest size has URLs for, at most five."""
    rounds: dict[int, list[dict[str, float]]] = {size: [] for size in sizes}
    for number in range(MOST_ROUNDS):
        for size in sizes:
            if (number + 1) * size <= sizes[-1]:
                rounds[size].append(_measured(size))
    return {size: {what: median(each[what] for each in of) for what in of[0]} for size, of in rounds.items()}


def _measured(size: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as path:
        filled, taken = (_in_own_process(part, size, path) for part in ("fill", "take"))
        most = max(filled["anonymous_mb"], taken["anonymous_mb"])
        per_url = sum(file.stat().st_size for file in (Path(path) / "store").iterdir()) / size
    return {**filled, **taken, "anonymous_mb": most, "bytes_per_url": per_url}


def _in_own_process(part: str, size: int, path: str) -> dict[str, float]:
    order = [sys.executable, "-m", "bench.frontier", part, str(size), path]
    done = subprocess.run(pinned(order, client_core()), capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _draw(found: dict[int, dict[str, float]]) -> None:
    lines = [
        Series(f"{what}, µs each", tuple((size / 1e6, 1e6 / figures[what]) for size, figures in found.items()))
        for what in ("added", "taken")
    ]
    chart = line_chart(lines, "Cost of a link by size of the frontier", Axis("million URLs"), Axis("µs"))
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    (RESULTS.parent / "frontier.svg").write_text(chart)


def _anonymous_mb() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon"))


def fill(size: int, path: Path) -> dict[str, float]:
    """Add so many URLs, a synced commit per batch; what counts is the second half."""
    with AgentStore(path / "store") as store:
        frontier = build_frontier(CONFIGURATION, store, 0.0)
        scores = [Score(value / 100) for value in range(100)]
        tail_began, busy = time.perf_counter(), time.process_time()
        tail = size // 2
        for begin in range(0, size, BATCH):
            if begin <= tail < begin + BATCH:
                tail_began, busy = time.perf_counter(), time.process_time()
                tail = begin
            numbers = range(begin, min(begin + BATCH, size))
            links = [Link(f"http://site-{n % SITES}.org/section-{n % 97}/page-{n}.html", depth=3) for n in numbers]
            added = frontier.add(links, [scores[(n * 7919) % 100] for n in numbers], float(begin))
            if added != len(links):
                raise RuntimeError(f"{len(links) - added} links were not added")
            store.commit(Batch(frontier.drain()))
        seconds, busy = time.perf_counter() - tail_began, time.process_time() - busy
    cpu = 1e6 * busy / (size - tail)
    return {"added": (size - tail) / seconds, "adding_cpu": cpu, "anonymous_mb": _anonymous_mb()}


def take(size: int, path: Path) -> dict[str, float]:
    """Start again on the filled store, then take and settle links, a synced commit per batch."""
    began = time.perf_counter()
    with AgentStore(path / "store") as store:
        frontier = build_frontier(CONFIGURATION, store, 1e9)
        restart = time.perf_counter() - began
        while (site := frontier.site_to_open(1e9)) is not None:
            frontier.opened(SiteOpened(site, "192.0.2.1", until=2e9, requested=False), 1e9)
        wanted, taken = min(TAKEN, size), 0
        began, busy = time.perf_counter(), time.process_time()
        while taken < wanted:
            link = frontier.next(1e9)
            if link is None:
                raise RuntimeError(f"dry after {taken} links")
            outcome = Fetched(link, Response(link.url, 200))
            frontier.finished(link, outcome, 0.0, 1e9)
            frontier.settle(link, outcome, 1e9)
            taken += 1
            if taken % 1000 == 0:
                store.commit(Batch(frontier.drain()))
        seconds, busy = time.perf_counter() - began, time.process_time() - busy
    cpu = 1e6 * busy / taken
    return {"taken": taken / seconds, "taking_cpu": cpu, "restart": restart, "anonymous_mb": _anonymous_mb()}


if __name__ == "__main__":
    collect_rarely()
    part, size, path = sys.argv[1:]
    print(json.dumps({"fill": fill, "take": take}[part](int(size), Path(path))))
