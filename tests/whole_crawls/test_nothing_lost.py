"""Killed at any moment, a crawl loses nothing, stores nothing twice and hurries nobody."""

from __future__ import annotations

import asyncio
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from audit import audit, configured, log_tail
from dying_process import STEPS
from supervised_crawl import SupervisedCrawl
from watched_process import SUPERVISOR

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.lab.web_server import serve_in_process
from lycosa.supervision.supervisor import COMMAND, Fleet

BOX = "box:11?hosts=6&pages=150&topics=3&size=2KiB&links=8&unlinked=0&errors=0.05&duplicates=0.05"
SMALL_BOX = BOX.replace("pages=150", "pages=60")
KILLS = 36
MOST_ROUNDS = 12
VICTIMS = ("agent-0", "agent-1", "indexer") * 2 + (SUPERVISOR,)


def folder_for(path: Path, port: int, agents: int, box: str = BOX) -> tuple[CrawlFolder, SimulatedWeb, list[str]]:
    web = SimulatedWeb.of(f"{box}&port={port}")
    seeds = web.roots()[:2]
    folder = CrawlFolder(path / "crawls" / "audited")
    folder.create(configured(port, seeds, agents=agents))
    return folder, web, seeds


def victims(moments: random.Random) -> Iterator[str]:
    """Who is to die next: by chance, but everybody in turn."""
    for _ in range(KILLS):
        yield from moments.sample(VICTIMS, len(VICTIMS))


def crawl_and_kill(folder: CrawlFolder, moments: random.Random, killed: Counter[str]) -> None:
    """Kill processes of a crawl at random moments, until it is done or enough of them are dead."""
    doomed = victims(moments)
    with SupervisedCrawl(folder) as crawl:
        while killed.total() < KILLS and crawl.runs_for(moments.uniform(0.05, 0.7)):
            who = next(doomed)
            killed[who] += crawl.kill(who)
        assert crawl.ends(), log_tail(folder)


def test_killed_at_many_random_moments(tmp_path: Path) -> None:
    """Crawls are repeated until agents, indexer and supervisor were killed often enough; each ends in a clean audit."""
    killed: Counter[str] = Counter()
    for number in range(MOST_ROUNDS):
        with serve_in_process(BOX) as served:
            folder, web, seeds = folder_for(tmp_path / str(number), served.port, agents=2)
            crawl_and_kill(folder, random.Random(number), killed)
            assert audit(folder, web, seeds, served.requests()) > 100, log_tail(folder)
        if killed.total() >= KILLS:
            break
    assert killed.total() >= KILLS
    assert min(killed[who] for who in VICTIMS) >= 3, killed


@pytest.mark.parametrize("step", sorted(STEPS))
def test_killed_at_each_named_step(step: str, tmp_path: Path) -> None:
    marker = tmp_path / "died"
    command = (sys.executable, str(Path(__file__).with_name("dying_process.py")), step, str(marker))
    with serve_in_process(SMALL_BOX) as served:
        folder, web, seeds = folder_for(tmp_path, served.port, agents=2, box=SMALL_BOX)
        status = asyncio.run(Fleet(folder, lambda status: None, command, backoff=0.01).run())
        assert status.state == "finished"
        assert marker.exists(), f"the process never reached {step}"
        assert audit(folder, web, seeds, served.requests()) > 40, log_tail(folder)


def test_a_stopped_crawl_goes_on_by_itself(tmp_path: Path) -> None:
    with serve_in_process(BOX) as served:
        folder, web, seeds = folder_for(tmp_path, served.port, agents=2)
        folder.save(configured(served.port, seeds, agents=2, pages=40))
        status = asyncio.run(Fleet(folder, lambda status: None, COMMAND).run())
        assert 38 <= status.sums["fetched"] <= 42
        folder.save(configured(served.port, seeds, agents=2))
        asyncio.run(Fleet(folder, lambda status: None, COMMAND).run())
        assert audit(folder, web, seeds, served.requests()) > 100
