"""Do traps starve honest sites? `python -m bench.traps [SHARE]` crawls the trap webs, SHARE (1.0) of the honest pages.

One agent, delays 0. A crawl ends when the honest sites are complete and, beside repeating traps, nothing is left.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from lycosa.configuration.settings import build
from lycosa.crawl_folder.folder import CrawlFolder, Wish
from lycosa.crawling.agent import Agent
from lycosa.crawling.assembly import build_agent
from lycosa.lab.trap_web import REPEATING, WRITING, TrapWeb, large_site, uuid_site
from lycosa.supervision.control_channel import Desk

MOST_TIMES = 6
"""A crawl that has fetched so many times the honest pages without completing them is ended."""


class _UntilDone(Desk):
    """Ends a crawl beside writing traps once the honest sites are complete: it would not end by itself."""

    web: TrapWeb
    most: int
    endless: bool

    def look(self, agent: Agent, now: float) -> Wish:
        """Whether to go on."""
        wish = super().look(agent, now)
        over = (self.endless and self.web.is_done) or sum(self.web.fetched.values()) > self.most
        return Wish.STOP if over else wish


def crawl(web: TrapWeb, topic: str, *, endless: bool) -> tuple[float, dict[str, int], Counter[str]]:
    """CPU seconds of a crawl, links left waiting by site, and refusals."""
    with tempfile.TemporaryDirectory() as home:
        folder = CrawlFolder(Path(home) / "crawls" / "traps")
        folder.create(build({
            "name": "traps", "seeds": web.seeds(), "patience": "1s",
            "strategy": "best-first" if topic else "breadth-first",
            "topic": {"words": topic, "page_classes": False}, "sitemaps": {"guess": False},
            "politeness": {"delay": 0, "address_delay": 0, "adaptive": 0.0, "per_address": 100},
        }))  # fmt: skip
        desk = _UntilDone(folder, 0, alone=True)
        desk.web, desk.endless = web, endless
        desk.most = MOST_TIMES * sum(site.pages for site in web.honest.values())
        agent = build_agent(folder, 0, desk, time.time)
        agent._fetcher = web  # no settings name this web
        began = time.process_time()
        try:
            asyncio.run(agent.run())
            waiting = {site.name: site.waiting for site in agent.frontier.sites()}
            return time.process_time() - began, waiting, Counter(agent.frontier.refusals)
        finally:
            agent.crawl.close()


def main(share: float) -> None:
    """Crawl with a topic and without, with no traps, the repeating ones, and those that write."""
    for topic in ("herons and otters", ""):
        alone = 0.0
        for name, traps in (("no traps", {}), ("repeating", REPEATING), ("writing", WRITING)):
            web = TrapWeb((large_site(int(50_000 * share)), uuid_site(int(5000 * share))), traps)
            seconds, waiting, refusals = crawl(web, topic, endless=name == "writing")
            alone = alone or seconds
            print(f"{'topic' if topic else 'no topic'}, {name}: {seconds:.1f} s CPU, {seconds / alone:.2f} times; "
                  f"complete {web.done}; {dict(refusals)}", flush=True)  # fmt: skip
            for site, pages in web.fetched.items():
                print(f"  {site}: {pages} pages, {waiting.get(site, 0)} links wait")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
