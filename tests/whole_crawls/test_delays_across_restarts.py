"""No site is asked sooner than its delay, also by the process that follows a killed one: by the server's own log.

The delays are longer than it takes to begin anew, so a process that forgot them would be seen.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from audit import configured
from tiny_web import page
from watched_process import kill

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.lab.web_server import Request, WebServer
from lycosa.records import Response
from lycosa.supervision.supervisor import Fleet

DELAY, CRAWL_DELAY = 1.2, 2.2
PLAIN, ASKING = "plain.localhost", "asking.localhost"
ROBOTS = "/robots.txt"
PATHS = ("/", "/1")


class DeadlyWeb:
    """Two sites, one of which asks for a Crawl-delay; the agent dies when it asks for some things the first time."""

    def __init__(self, pids: Path, deadly: set[tuple[str, str]]) -> None:
        self._pids, self.deadly = pids, deadly

    def respond(
        self, url: str, now: float = 0.0, attempt: int = 1, headers: Mapping[str, str] | None = None
    ) -> Response:
        host, _, rest = url.removeprefix("http://").partition("/")
        asked = (host.partition(":")[0], f"/{rest}")
        if asked in self.deadly and kill(self._pids / "agent-0"):
            self.deadly.remove(asked)
        if asked[1] == ROBOTS:
            wish = f"Crawl-delay: {CRAWL_DELAY}\n" if asked[0] == ASKING else "Disallow: /private/\n"
            return Response(url, 200, (("Content-Type", "text/plain"),), f"User-agent: *\n{wish}".encode())
        if asked[1] not in PATHS:
            return Response(url, 404)
        return Response(url, 200, (("Content-Type", "text/html"),), page(f"birds of {url}", list(PATHS)).encode())


async def crawl(path: Path, deadly: set[tuple[str, str]]) -> list[Request]:
    """Crawl both sites; returns what the server wrote down."""
    pids = path / "pids"
    pids.mkdir()
    command = (sys.executable, str(Path(__file__).with_name("watched_process.py")), str(pids))
    async with WebServer(DeadlyWeb(pids, deadly)) as server:
        seeds = [f"http://{host}:{server.port}/" for host in (PLAIN, ASKING)]
        politeness = {"delay": f"{DELAY * 1000:.0f}ms", "address_delay": "0s", "adaptive": 0.0}
        folder = CrawlFolder(path / "crawls" / "audited")
        told = {"politeness": politeness, "sitemaps": {"guess": False}, "index": {"enabled": False}}
        folder.create(configured(server.port, seeds, **told))
        status = await Fleet(folder, lambda status: None, command, backoff=0.01).run()
    assert status.sums["fetched"] == 2 * len(PATHS)
    return server.log


def needed(before: Request, after: Request) -> float:
    """The pause between two requests. A Crawl-delay holds once it is known, not while robots.txt is asked for anew."""
    asking = before.host.startswith(ASKING) and not before.path == after.path == ROBOTS
    return CRAWL_DELAY if asking else DELAY


def test_a_process_that_follows_a_killed_one_keeps_the_delays_of_sites(tmp_path: Path) -> None:
    """Killed while robots.txt was asked for, and while a page of a site with a Crawl-delay was."""
    deadly = {(PLAIN, ROBOTS), (ASKING, "/")}
    requests = asyncio.run(crawl(tmp_path, deadly))
    assert not deadly, "nobody died there"
    for host in (PLAIN, ASKING):
        asked = [each for each in requests if each.host.startswith(host)]
        assert {each.path for each in asked} >= {ROBOTS, *PATHS}
        assert [each.path for each in asked].count(ROBOTS) >= 2, "another process reads robots.txt itself"
        for before, after in pairwise(asked):
            assert after.at - before.at >= 0.99 * needed(before, after), (before, after)
