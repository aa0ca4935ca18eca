"""Who links to a page? Asked level by level when a T-Graph is built backwards from its targets (T5).

Two sources answer: a crawl of before, whose catalogue has the links and whose archive
has the pages, and search engines that understand `link:URL`. Both may be wrong or
late; what they name counts only where the page, once read, has the link.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Protocol

from lycosa.configuration.sections import Configuration
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.stored_pages import page_at
from lycosa.crawl_folder.stores import reading
from lycosa.fetching.content_coding import BadCoding, TooLarge
from lycosa.plugins import registry
from lycosa.plugins.plug_points import SeedEngine
from lycosa.preparation.seed_engines import engines
from lycosa.preparation.seed_search import LONGEST_QUERY
from lycosa.preparation.seeds import find_seeds
from lycosa.records import Page
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import ArchiveDamaged, Place

ROWS_BETWEEN_LOOKS = 1_000
FEWEST_ASKED = 5


class Backlinks(Protocol):
    """Somebody who knows parents of pages."""

    name: str
    trouble: str

    async def parents(self, urls: Sequence[str], number: int, until: float) -> list[str]:
        """Pages that may link to these, at most so many, fairly shared among them; by then, in the loop's time."""

    def page(self, url: str) -> Page | None:
        """A page that this source has itself."""


def backlink_sources(named: Sequence[str], base: Path, configuration: Configuration) -> list[Backlinks]:
    """The sources that people name: a crawl that has begun by its name, an engine as KIND:WHERE."""
    found: list[Backlinks] = []
    for name in named:
        kind, colon, where = name.partition(":")
        if colon and kind != "index":
            found += [EngineBacklinks(each, configuration) for each in engines([name], base, configuration)]
        else:
            folder = CrawlFolder.find(base, where if colon else name)
            with reading(folder):
                found.append(CrawlBacklinks(folder))
    return found


class CrawlBacklinks:
    """A crawl that was made before, or that is running."""

    def __init__(self, folder: CrawlFolder) -> None:
        self.name, self.trouble = f"crawl {folder.name}", ""
        self._folder, configuration = folder, folder.configuration()
        self._owner = registry.find("assigners", configuration.partition)(configuration.agents)

    async def parents(self, urls: Sequence[str], number: int, until: float) -> list[str]:
        """Who links there, by the table `links`."""
        loop = asyncio.get_running_loop()
        with reading(self._folder) as stores:
            return fairly(_linking(stores, urls, number, lambda: loop.time() >= until), number)

    def page(self, url: str) -> Page | None:
        """The page as the crawl last fetched it, from its archive."""
        path = self._folder.agent(self._owner(url)) / "store"
        if not (path / "ready").exists():
            return None
        with AgentStore(path, readonly=True) as store:
            places = [
                Place(row.file, row.offset, row.size)
                for _, row in catalogue.about(store, url)
                if row.outcome == "fetched" and row.file
            ]
        try:
            return page_at(self._folder.archive, places[-1]) if places else None
        except (ArchiveDamaged, BadCoding, TooLarge) as error:
            self.trouble = f"{self.name}: {url} cannot be read from its archive ({error})"
            return None


def _linking(stores: Sequence[AgentStore], urls: Sequence[str], most: int, late: Callable[[], bool]) -> list[list[str]]:
    """The parents of each URL, at most so many."""
    found: dict[str, dict[str, None]] = {url: {} for url in urls}
    for place, row in enumerate(catalogue.table(stores, "links")):
        parents = found.get(row["url"])
        if parents is not None and len(parents) < most and row["parent"] != row["url"]:
            parents[row["parent"]] = None
        if place % ROWS_BETWEEN_LOOKS == 0 and late():
            break
    return [list(parents) for parents in found.values()]


class EngineBacklinks:
    """A search engine that is asked `link:URL`. One that fails is not asked again."""

    def __init__(self, engine: SeedEngine, configuration: Configuration) -> None:
        self.name, self.trouble = engine.name, ""
        self._engine, self._configuration = engine, configuration

    async def parents(self, urls: Sequence[str], number: int, until: float) -> list[str]:
        """What the engine returns for each URL, one question after the other."""
        found: list[list[str]] = []
        loop, each = asyncio.get_running_loop(), max(FEWEST_ASKED, number // max(1, len(urls)))
        for question in [f"link:{url}" for url in urls]:
            if self.trouble or loop.time() >= until:
                break
            if len(question) > LONGEST_QUERY:
                continue
            try:
                answer = await find_seeds(question, [self._engine], each, self._configuration)
            except CrawlError as error:
                self.trouble = str(error)
                break
            found.append([proposal.url for proposal in answer.ranked()])
        return fairly(found, number)

    def page(self, _url: str) -> Page | None:
        """An engine has addresses only."""
        return None


def fairly(lists: Sequence[Sequence[str]], number: int) -> list[str]:
    """The first of each list, then the second of each, and so on, each once and at most so many."""
    mixed = chain.from_iterable(zip_longest(*lists))
    return list(dict.fromkeys(url for url in mixed if url is not None))[:number]
