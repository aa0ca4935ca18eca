"""Killed at any moment, a crawl loses nothing, stores nothing twice and hurries nobody."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import sys
from pathlib import Path

import pytest
from audit import audit, configured, log_tail
from dying_process import STEPS

from lycosa.agents.fleet import COMMAND, Fleet
from lycosa.agents.folder import CrawlFolder
from lycosa.fetching.simulated_web import SimulatedWeb
from lycosa.fetching.web_server import serve_in_process

BOX = "box:11?hosts=6&pages=150&topics=3&size=2KiB&links=8&unlinked=0&errors=0.05&duplicates=0.05"
KILLS = 32
INDEX_STEPS = {"index-begin", "index-committed"}


def folder_for(path: Path, port: int, agents: int) -> tuple[CrawlFolder, SimulatedWeb, list[str]]:
    web = SimulatedWeb.of(f"{BOX}&port={port}")
    seeds = web.roots()[:2]
    folder = CrawlFolder(path / "crawls" / "audited")
    folder.create(configured(port, seeds, agents=agents))
    return folder, web, seeds


async def kill_at_random(folder: CrawlFolder, moments: random.Random, killed: list[int]) -> None:
    """Kill a random agent every now and then."""
    while len(killed) < KILLS:
        await asyncio.sleep(moments.uniform(0.05, 0.9))
        for status in folder.statuses(2):
            if moments.random() < 0.6 and status["pid"] not in killed:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(status["pid"], signal.SIGKILL)
                    killed.append(status["pid"])


async def crawl_and_kill(folder: CrawlFolder, seed: int) -> list[int]:
    killed: list[int] = []
    fleet = Fleet(folder, lambda status: None, backoff=0.01)
    killer = asyncio.create_task(kill_at_random(folder, random.Random(seed), killed))
    status = await fleet.run()
    killer.cancel()
    assert status.state == "stopped"
    return killed


def test_killed_at_many_random_moments(tmp_path: Path) -> None:
    """Crawls are repeated until agents were killed often enough; each ends in a clean audit."""
    kills = rounds = 0
    while kills < KILLS and rounds < 12:
        rounds += 1
        with serve_in_process(BOX) as served:
            folder, web, seeds = folder_for(tmp_path / str(rounds), served.port, agents=2)
            kills += len(asyncio.run(crawl_and_kill(folder, rounds)))
            assert audit(folder, web, seeds, served.requests()) > 100, log_tail(folder)
    assert kills >= KILLS


@pytest.mark.parametrize("step", sorted(STEPS))
def test_killed_at_each_named_step(step: str, tmp_path: Path) -> None:
    marker = tmp_path / "died"
    command = (sys.executable, str(Path(__file__).with_name("dying_process.py")), step, "3", str(marker))
    if step in INDEX_STEPS | {"segment-written", "segment-dropped", "rolling"}:
        command = (*command[:3], "1", command[4])
    with serve_in_process(BOX) as served:
        folder, web, seeds = folder_for(tmp_path, served.port, agents=1)
        status = asyncio.run(Fleet(folder, lambda status: None, command, backoff=0.01).run())
        assert status.state == "stopped"
        assert marker.exists(), f"the process never reached {step}"
        assert audit(folder, web, seeds, served.requests()) > 100, log_tail(folder)


def test_a_stopped_crawl_goes_on_by_itself(tmp_path: Path) -> None:
    with serve_in_process(BOX) as served:
        folder, web, seeds = folder_for(tmp_path, served.port, agents=2)
        folder.save(configured(served.port, seeds, agents=2, pages=40))
        status = asyncio.run(Fleet(folder, lambda status: None, COMMAND).run())
        assert 38 <= status.sums["fetched"] <= 42
        folder.save(configured(served.port, seeds, agents=2))
        asyncio.run(Fleet(folder, lambda status: None, COMMAND).run())
        assert audit(folder, web, seeds, served.requests()) > 100
