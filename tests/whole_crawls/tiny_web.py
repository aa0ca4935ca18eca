"""A web that is a function of the URL, and crawls of it within the test: for sites that the simulated web has not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from time import time as now

from lycosa.configuration.settings import build
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.crawling.assembly import build_agent
from lycosa.plugins.plug_points import AT_ONCE, Known, Turns
from lycosa.records import Failed, Fetched, Link, Outcome, Response, SiteOpened
from lycosa.storage import catalogue
from lycosa.storage.catalogue import VisitRow
from lycosa.supervision.control_channel import Desk

Answer = Callable[[str], "str | None"]


def page(text: str, links: list[str]) -> str:
    """A page that says something of its own."""
    listed = "".join(f'<li><a href="{link}">see {place}</a></li>' for place, link in enumerate(links))
    words = " ".join(f"{text} word{place}" for place in range(40))
    return f"<html><head><title>{text}</title></head><body><main><p>{words}.</p></main><ul>{listed}</ul></body></html>"


class TinyWeb:
    """Answers by URL; None means that there is no such page."""

    def __init__(self, answer: Answer, sitemaps: dict[str, tuple[str, ...]] | None = None) -> None:
        self._answer, self._sitemaps = answer, sitemaps or {}
        self.asked: list[str] = []

    async def open(self, site: str, now: float, turns: Turns = AT_ONCE) -> SiteOpened:
        sitemaps = self._sitemaps.get(site, ())
        return SiteOpened(site, "192.0.2.1", until=now + 1e9, requested=False, sitemaps=sitemaps)

    async def fetch(self, link: Link, known: Known | None = None) -> Outcome:
        self.asked.append(link.url)
        text = self._answer(link.url)
        if text is None:
            return Failed(link, "http-404", response=Response(link.url, 404))
        kind = "text/xml" if text.startswith("<urlset") else "text/html; charset=utf-8"
        body = text.encode()
        return Fetched(link, Response(link.url, 200, (("Content-Type", kind),), body, body))

    async def close(self) -> None:
        """Nothing is open."""


def crawl_folder(home: Path, seeds: list[str], **changes: object) -> CrawlFolder:
    """A crawl of a tiny web that has not begun."""
    folder = CrawlFolder(home / "crawls" / "tiny")
    told = {
        "name": "tiny",
        "seeds": seeds,
        "patience": "100ms",
        "strategy": "best-first",
        "topic": {"words": "birds feather wing nest", "page_classes": False},
        "politeness": {"delay": 0, "address_delay": 0, "adaptive": 0.0},
        "sitemaps": {"guess": False},
        "storage": {"batch_visits": 4},
        "fetching": {"connections": 4},
    }
    folder.create(build({**told, **changes}))
    return folder


def run(folder: CrawlFolder, web: TinyWeb, more: list[str] | None = None, time: Callable[[], float] = now) -> list[str]:
    """Crawl until nothing is left to do; `more` are URLs that a person adds. Returns what was asked for."""
    agent = build_agent(folder, 0, Desk(folder, 0, alone=True), time)
    agent._fetcher = web
    web.asked.clear()
    if more:
        agent.crawl.inject(more, time())
    try:
        asyncio.run(agent.run())
    finally:
        agent.crawl.close()
    return list(web.asked)


def rows(folder: CrawlFolder, outcome: str = "fetched") -> list[VisitRow]:
    """The catalogue's rows of one outcome."""
    with reading(folder) as (store,):
        return [row for _, row in catalogue.history(store) if row.outcome == outcome]
