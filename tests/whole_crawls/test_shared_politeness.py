"""Politeness that holds over several agents, as the server sees it: pauses of sites and of addresses, connections.

All sites lie at one address. Where it allows fewer connections than there are agents, one
that is killed in the middle of a request must not keep its turn.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
import whole_crawl
from audit import configured
from counting_server import Asked, CountingServer
from tiny_web import page
from watched_process import kill

from lycosa.configuration.sections import Politeness
from lycosa.configuration.settings import build
from lycosa.cooperation.partition import url_hash
from lycosa.crawl_folder.folder import CrawlFolder, Wish, own
from lycosa.crawling.agent import Agent
from lycosa.crawling.assembly import build_agent, throttle_of, turns_of
from lycosa.freshness.revisit_round import build_round
from lycosa.frontier.shared_turns import TAKEN
from lycosa.supervision.control_channel import Desk

AGENTS = 4
DELAY, CRAWL_DELAY = 0.15, 0.3
LATE = 0.1
"""Seconds by which the pause after a killed agent's request may seem shorter: it began with its turn."""
LATENCY = 0.12


class Web:
    """Sites of so many pages each; the first one asks for a Crawl-delay. It is over when all pages were asked for."""

    def __init__(self, sites: int, pages: int) -> None:
        self.hosts = [f"s{number}.localhost" for number in range(sites)]
        self.paths = ["/", *(f"/{number}" for number in range(1, pages))]
        self.left = {(host, path) for host in self.hosts for path in self.paths}
        self.over, self.port = asyncio.Event(), 0

    def answer(self, host: str, path: str) -> bytes | None:
        if path == "/robots.txt":
            return f"User-agent: *\nCrawl-delay: {CRAWL_DELAY}\n".encode() if host == self.hosts[0] else b""
        self.left.discard((host, path))
        if not self.left:
            self.over.set()
        return page(f"birds of {host}{path}", self.paths).encode()


class DeadlyWeb(Web):
    """The agent that asks for a certain page is killed while it waits for the answer."""

    def __init__(self, sites: int, pages: int, pids: Path) -> None:
        super().__init__(sites, pages)
        self._pids, self.dead, self.died = pids, -1, 0.0

    def owner(self, host: str, path: str) -> int:
        return url_hash(AGENTS)(f"http://{host}:{self.port}{path}")

    def answer(self, host: str, path: str) -> bytes | None:
        if self.dead < 0 and path == "/1":
            self.dead, self.died = self.owner(host, path), time.monotonic()
            assert kill(self._pids / f"agent-{self.dead}")
            self.left = {asked for asked in self.left if self.owner(*asked) != self.dead}
            return None
        return super().answer(host, path)


def folder_for(path: Path, seeds: list[str], port: int, **changes: object) -> CrawlFolder:
    folder = CrawlFolder(path / "crawls" / "audited")
    folder.create(configured(port, seeds, **{"index": {"enabled": False}, "sitemaps": {"guess": False}, **changes}))
    return folder


async def crawl(path: Path, web: Web, partition: str, per_address: int, address_delay: float) -> CountingServer:
    """Crawl with several agents until everything was asked for; returns the server with what it wrote down."""
    politeness = {
        "delay": f"{DELAY * 1000:.0f}ms",
        "address_delay": f"{address_delay * 1000:.0f}ms",
        "per_address": per_address,
        "adaptive": 0.0,
    }
    async with CountingServer(web.answer, LATENCY) as server:
        web.port = server.port
        seeds = [f"http://{host}:{server.port}{path}" for host in web.hosts for path in web.paths]
        folder = folder_for(path, seeds, server.port, agents=AGENTS, partition=partition, politeness=politeness)
        script = str(Path(__file__).with_name("forked_agents.py"))
        agents = await asyncio.create_subprocess_exec(
            sys.executable, script, str(path / "pids"), str(folder.path), stdin=asyncio.subprocess.PIPE
        )
        await asyncio.wait_for(web.over.wait(), 30)
        folder.want(Wish.STOP)
        assert await asyncio.wait_for(agents.wait(), 30) == 0
    return server


def is_polite(server: CountingServer, hosts: Sequence[str], address_delay: float, died: float = 0.0) -> None:
    """No pause was cut short, of any site or of their address."""
    for name in hosts:
        asked = [request for request in server.asked if request.host == name]
        known = next(place for place, request in enumerate(asked) if request.path != "/robots.txt")
        for place, (before, after) in enumerate(pairwise(asked)):
            pause = CRAWL_DELAY if name == hosts[0] and place >= known else DELAY
            late = LATE if before.at <= died <= after.at else 0.005
            assert after.at - before.at >= pause - late, (before, after)
    for seconds in (0.5, 1.0, 1.5, 2.0):
        assert most_within(server.asked, seconds) <= seconds / address_delay + 1 + AGENTS


def most_within(asked: Sequence[Asked], seconds: float) -> int:
    """How many requests came in the busiest stretch of so many seconds."""
    times = [request.at for request in asked]
    return max(sum(begin <= at < begin + seconds for at in times) for begin in times)


def test_pages_of_a_site_are_shared_out_and_a_killed_agent_keeps_no_turn(tmp_path: Path) -> None:
    web = DeadlyWeb(3, 6, tmp_path / "pids")
    server = asyncio.run(crawl(tmp_path, web, "url-hash", per_address=2, address_delay=0.05))
    is_polite(server, web.hosts, 0.05, web.died)
    assert server.most_open <= 2
    after = {web.owner(host, path) for at, host, path in server.asked if at > web.died}
    assert {agent % 2 for agent in after} == {0, 1}, "those that share the dead agent's connection go on"


def test_sites_of_several_agents_share_their_address(tmp_path: Path) -> None:
    web = Web(12, 2)
    server = asyncio.run(crawl(tmp_path, web, "site-hash", per_address=AGENTS, address_delay=0.1))
    is_polite(server, web.hosts, 0.1)
    assert server.most_open <= AGENTS


def test_connections_that_one_agent_keeps_open_count_too(tmp_path: Path) -> None:
    async def scene() -> int:
        web = Web(6, 2)
        async with CountingServer(web.answer) as server:
            politeness = {"delay": "0s", "address_delay": "0s", "per_address": 2, "adaptive": 0.0, "robots": False}
            seeds = [f"http://{host}:{server.port}/" for host in web.hosts]
            folder = folder_for(tmp_path, seeds, server.port, politeness=politeness, patience="100ms")
            await asyncio.to_thread(whole_crawl.crawl, folder)
            assert len(server.asked) == 12
            return server.most_open

    assert asyncio.run(scene()) == 2


@pytest.mark.parametrize("begin", [build_agent, build_round])
def test_crawling_and_looking_again_share_their_turns(tmp_path: Path, begin: Callable[..., Agent]) -> None:
    folder = folder_for(tmp_path, [], 80, agents=2)
    other = turns_of(folder, 1, 2)
    with own(folder.agent_lock(1), "it"):
        assert other.take("http://a.org", "192.0.2.1", 0.0, Politeness(), 1000.0) is TAKEN
        agent = begin(folder, 0, Desk(folder, 0), lambda: 1000.0)
        try:
            assert agent.frontier.ask("http://a.org/robots.txt", "192.0.2.2", 1001.0) > 0
            other.end("http://a.org", 1002.0)
            assert agent.frontier.ask("http://a.org/robots.txt", "192.0.2.2", 1003.0) == 0
        finally:
            agent.crawl.close()


@pytest.mark.parametrize(("changes", "rate"), [({}, 4), ({"partition": "url-hash"}, 1), ({"mode": "cross-over"}, 1)])
def test_the_ceiling_of_a_site_is_divided_where_it_has_several_owners(changes: dict[str, str], rate: int) -> None:
    throttle = throttle_of(build({"agents": 4, "ceilings": {"site_requests_per_second": 4}, **changes}))
    assert throttle.site_wait(1, 0.0) == 0
    for _ in range(rate):
        throttle.asked(1)
    assert throttle.site_wait(1, 0.0) == pytest.approx(1 / rate)
