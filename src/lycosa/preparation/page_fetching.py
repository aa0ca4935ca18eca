"""Fetches a few pages outside of a crawl: examples, results of search engines, pages for a T-Graph.

A crawl's manners hold here too: robots.txt and the address guard by the fetcher, each
site opened once, one request to it at a time and a pause between two. Nothing is
stored, and a page that cannot be had is an answer with a reason, not an error.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from time import time
from types import TracebackType
from typing import Self

from lycosa.configuration.sections import Configuration
from lycosa.crawl_folder.input_files import LARGEST_FILE, bytes_of_file
from lycosa.pages.document import read_page
from lycosa.plugins import registry
from lycosa.plugins.plug_points import Fetcher
from lycosa.records import Fetched, Link, Outcome, Page, Record, Redirected, Response, SiteOpened, SiteShut
from lycosa.urls import normalise, site_of

MOST_HOPS = 5


class NotHad(Record, frozen=True):
    """A page that could not be had; `why` goes on with its name, such as "could not be fetched (http-404)"."""

    why: str


LATE = NotHad("did not come in time")


class PageVisitor:
    """Visits pages by a configuration's ways of fetching; to be used as `async with`."""

    def __init__(self, configuration: Configuration, structure: bool = False) -> None:
        self._structure = structure
        self._fetcher: Fetcher = registry.find("fetchers", configuration.fetching.fetcher)(configuration, time)
        self._delay, self._longest = configuration.politeness.delay, configuration.politeness.longest_crawl_delay
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._opened: dict[str, SiteOpened | SiteShut] = {}
        self._free_at: dict[str, float] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._fetcher.close()

    async def pages(self, urls: Iterable[str], within: float) -> dict[str, Page | NotHad]:
        """These pages, sites beside each other; those that do not come in so many seconds are late."""
        tasks = {url: asyncio.create_task(self.page(url)) for url in urls}
        try:
            if tasks:
                await asyncio.wait(tasks.values(), timeout=within)
            return {url: task.result() if task.done() else LATE for url, task in tasks.items()}
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)

    async def page(self, name: str) -> Page | NotHad:
        """One page, over redirects, or why it could not be had."""
        url = normalise(name)
        for _ in range(MOST_HOPS):
            if url is None:
                break
            outcome = await self._fetch(url)
            if isinstance(outcome, Redirected):
                url = outcome.target
            elif isinstance(outcome, Fetched):
                return read_page(outcome, structure=self._structure)
            elif isinstance(outcome, SiteShut):
                return NotHad(f"its site cannot be visited ({outcome.why} {outcome.detail})")
            else:
                return NotHad(f"could not be fetched ({getattr(outcome, 'why', 'unchanged')})")
        return NotHad("leads nowhere")

    async def _fetch(self, url: str) -> Outcome | SiteShut:
        site, loop = site_of(url), asyncio.get_running_loop()
        async with self._turns[site]:
            opened = self._opened.get(site) or await self._open(site)
            if isinstance(opened, SiteShut):
                return opened
            await asyncio.sleep(max(0.0, self._free_at[site] - loop.time()))
            outcome = await self._fetcher.fetch(Link(url))
            self._free_at[site] = loop.time() + self._pause(opened)
            return outcome

    async def _open(self, site: str) -> SiteOpened | SiteShut:
        opened = self._opened[site] = await self._fetcher.open(site, time())
        if isinstance(opened, SiteOpened):
            self._free_at[site] = asyncio.get_running_loop().time() + (self._pause(opened) if opened.requested else 0.0)
        return opened

    def _pause(self, opened: SiteOpened) -> float:
        return max(self._delay, min(opened.crawl_delay or 0.0, self._longest))


def page_of_file(path: Path, url: str) -> Page:
    """A page that lies in a file, read as if it had come from a URL."""
    kind = "text/html" if path.suffix.lower() in (".htm", ".html", ".xhtml") else "text/plain"
    body = bytes_of_file(path, LARGEST_FILE, "give an HTML or text file of one page, or an http(s) URL")
    return read_page(Fetched(Link(url), Response(url, 200, (("Content-Type", kind),), body, body)))
