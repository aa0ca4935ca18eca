"""`python -m bench.ours SEED FOLDER [KEY=VALUE...]`: one of our agents, all switched on, timed as the rivals are.

Politeness is off as for all others; the frontier is durable, the archive
compressed, the catalogue written, pages parsed with boundaries, scored and
checked for duplicates. Imports are over when the clock starts, as theirs are.
Prints pages, seconds, CPU seconds, peak memory and where the time went, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

from bench.rivals.stopwatch import peak_mb
from lycosa.configuration import settings
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawling.assembly import build_agent
from lycosa.plugins import registry
from lycosa.storage import catalogue
from lycosa.supervision.control_channel import Desk, collect_rarely

CONFIGURATION = {
    "name": "bench",
    "patience": "1s",
    "strategy": "best-first",
    "topic": {"words": "science history music nature energy river mountain engine"},
    "politeness": {"delay": "0s", "address_delay": "0s", "per_address": 1000, "adaptive": 0.0, "robots": False},
    "traps": {"urls_per_pattern": 10_000_000},
    "fetching": {"allow_addresses": ["127.0.0.0/8"], "connections": 100, "contact": "https://localhost/bench"},
    "index": {"enabled": False},
    "sitemaps": {"read": False},
}


def folder_for(path: Path, seeds: list[str], overrides: list[str]) -> CrawlFolder:
    """A crawl's folder set up for the bench."""
    folder = CrawlFolder(path / "crawls" / "bench")
    folder.create(settings.build({**CONFIGURATION, "seeds": seeds}, overrides, origin="bench"))
    return folder


async def crawl(folder: CrawlFolder) -> dict[str, object]:
    """Crawl until nothing is left."""
    strategy = folder.configuration().strategy
    for point, name in (("fetchers", "http"), ("page_scorers", "okapi"), ("link_scorers", strategy)):
        registry.find(point, name)
    catalogue.arrow()
    began, used = time.perf_counter(), time.process_time()
    collect_rarely()
    agent = build_agent(folder, 0, Desk(folder, 0, alone=True), time.time)
    collect_rarely()
    await agent.run()
    seconds, cpu = time.perf_counter() - began, time.process_time() - used
    found = {
        "pages": agent.crawl.counts.fetched,
        "seconds": seconds,
        "cpu_seconds": cpu,
        "peak_mb": peak_mb(),
        "stages": {name: stage.cpu for name, stage in agent.stages.kept().items() if name != "fetch"},
    }
    agent.crawl.close()
    return found


def main() -> None:
    seed, path, *overrides = sys.argv[1:]
    print(json.dumps(asyncio.run(crawl(folder_for(Path(path), [seed], overrides)))))


if __name__ == "__main__":
    main()
