"""`agents`: two agents against one over the same in-process web: CPU per page and pages per second on two cores.

The best of some crawls of each, in turns: the machine is not the same from one minute to the next.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.ours import CONFIGURATION
from bench.rows import Row, less_is_better, more_is_better
from lycosa.configuration import settings
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.inspection.report import crawl_report
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.supervision.supervisor import Fleet

ROUNDS = 3
BOX = "box:3?hosts=200&pages=20000&topics=6&size=20KiB&links=60&unlinked=0&errors=0&duplicates=0"


def run() -> list[Row]:
    """Both rows."""
    rounds = [(measured(1), measured(2)) for _ in range(ROUNDS)]
    alone, together = (_best(each) for each in zip(*rounds, strict=True))
    shares = ", ".join(f"{share:.0f}" for share in together["shares"])
    return [
        less_is_better(
            "agents", "CPU a page, two agents", together["cpu"], alone["cpu"],
            other_name="one agent", unit="µs", note=f"bar >= 0.9; the best of {ROUNDS} each; pages: {shares}",
        ),
        more_is_better(
            "agents", "pages/s, two agents", together["rate"], 1.6 * alone["rate"],
            other_name="bar", unit="pages/s", note=f"bar >= 1: 1.6 times one agent's {alone['rate']:.0f}/s",
        ),
    ]  # fmt: skip


def _best(crawls: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The least CPU and the highest rate of several crawls."""
    return {
        "cpu": min(each["cpu"] for each in crawls),
        "rate": max(each["rate"] for each in crawls),
        "shares": crawls[-1]["shares"],
    }


def measured(agents: int) -> dict[str, Any]:
    """One whole crawl of the web by so many agents."""
    with tempfile.TemporaryDirectory() as path:
        folder = CrawlFolder(Path(path) / "crawls" / "bench")
        fetching = {**CONFIGURATION["fetching"], "fetcher": "simulated", "web": BOX}  # type: ignore[dict-item]
        seeds = SimulatedWeb.of(BOX).roots()
        told = {**CONFIGURATION, "agents": agents, "seeds": seeds, "fetching": fetching}
        folder.create(settings.build(told, origin="bench"))
        status = asyncio.run(Fleet(folder, lambda status: None).run())
        report = crawl_report(folder)
    pages = status.sums["fetched"]
    cpu = sum(agent["cpu_seconds"] for agent in status.agents)
    print(json.dumps({"agents": agents, "pages": pages, "cpu": cpu, "seconds": report.seconds}))
    return {
        "cpu": 1e6 * cpu / pages,
        "rate": pages / report.seconds,
        "shares": [agent["fetched"] for agent in status.agents],
    }
