"""How the pages of a T-Graph are gathered: examples that link to each other, or parents of targets, level by level.

Which pages become which nodes is decided in `link_graph`; here they are had: read from
files, from the archive of a crawl, or fetched politely. Everything is bounded: pages
of a level, fetches and time. What could not be had is told, and the rest is used.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote, urljoin

import msgspec

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError
from lycosa.crawl_folder.t_graph_files import MOST_NODES, GraphFile
from lycosa.link_graph.t_graph.builder import LEVELS, TreasureBuilder
from lycosa.link_graph.t_graph.graph import Node
from lycosa.link_graph.t_graph.watchdog import MOST_LEARNT
from lycosa.preparation.backlinks import Backlinks
from lycosa.preparation.page_fetching import NotHad, PageVisitor, page_of_file
from lycosa.records import Page, Record
from lycosa.urls import normalise

NOWHERE = "http://example.invalid/"
"""Where files lie that do not say where they are from."""
_REMEDY = "name pages that lead there (--page), or somebody who knows some (--backlinks CRAWL|ENGINE)"


class Wanted(Record, frozen=True):
    """What a T-Graph is to be built of: names of targets and of other pages are URLs or files."""

    targets: tuple[str, ...]
    pages: tuple[str, ...] = ()
    levels: int = LEVELS
    base: str = ""


class Bounds(Record, frozen=True):
    """How much may be done for it: parents of each level, fetches, seconds."""

    per_level: int = 50
    fetches: int = 300
    within: float = 600.0


class Built(Record, frozen=True):
    """A T-Graph, what it took, which targets nothing was found to lead to, and what a person should know."""

    graph: GraphFile
    fetched: int
    unreached: tuple[str, ...]
    notes: tuple[str, ...]


async def build_treasure(
    wanted: Wanted, sources: Sequence[Backlinks], configuration: Configuration, bounds: Bounds
) -> Built:
    """Gather the pages and build; a T-Graph without nodes is refused with what to do."""
    named = addresses_of(wanted)
    async with PageVisitor(configuration) as visitor:
        gathering = _Gathering(wanted, sources, visitor, bounds)
        await gathering.named(named)
        await gathering.climb()
    return gathering.built()


def addresses_of(wanted: Wanted) -> dict[str, str]:
    """The URL of every page that is named; what cannot be one is refused."""
    if not wanted.targets:
        raise ConfigurationError("no targets; name at least one page that should be found: --target URL|FILE")
    return {name: _address(name, wanted) for name in (*wanted.targets, *wanted.pages)}


def _address(name: str, wanted: Wanted) -> str:
    """Where a page is from: a file's address is by `base`, or as it says itself."""
    if "://" in name:
        url = normalise(name)
        if url is None:
            raise ConfigurationError(f"{name!r} is no http(s) URL; name a page as http://…, or a file")
        return url
    path = Path(name)
    if not path.is_file():
        raise ConfigurationError(f"{name}: no such file; give a file or an http(s) URL")
    folders = [str(Path(each).resolve().parent) for each in (*wanted.targets, *wanted.pages) if "://" not in each]
    place = path.resolve().relative_to(os.path.commonpath(folders)).as_posix()
    said = "" if wanted.base else page_of_file(path, NOWHERE).canonical
    url = normalise(said) if said else normalise(urljoin(wanted.base or NOWHERE, quote(place)))
    if url is None:
        raise ConfigurationError(f"--base {wanted.base!r} is no http(s) URL; write it like https://example.org/birds/")
    return url


class _Gathering:
    """The pages of one T-Graph while they are gathered."""

    def __init__(self, wanted: Wanted, sources: Sequence[Backlinks], visitor: PageVisitor, bounds: Bounds) -> None:
        self._wanted, self._sources, self._visitor, self._bounds = wanted, sources, visitor, bounds
        self._builder = TreasureBuilder(wanted.levels)
        self._until = asyncio.get_running_loop().time() + bounds.within
        self._aliases: dict[str, set[str]] = {}
        self._had: set[str] = set()
        self._reached: set[str] = set()
        self._fetched = 0
        self._notes: dict[str, None] = {}
        self._lost: Counter[str] = Counter()

    def _note(self, sentence: str) -> None:
        self._notes[sentence] = None

    # -- the pages that were named --------------------------------------------------------------

    async def named(self, addresses: Mapping[str, str]) -> None:
        """Take up targets and other pages."""
        files = {url: page_of_file(Path(name), url) for name, url in addresses.items() if "://" not in name}
        came = files | await self._pages([url for url in addresses.values() if url not in files])
        for url in (addresses[name] for name in self._wanted.targets):
            self._aim(url, came[url])
        for url in dict.fromkeys(addresses.values()):
            page, target = came[url], url in self._aliases
            if isinstance(page, NotHad):
                self._note(f"{url} {page.why}; {'only its address is known' if target else 'it is left out'}")
            else:
                self._add(page, target=target)
                if not target and not page.links:
                    self._note(f"{url} has no links; it leads nowhere")

    def _aim(self, url: str, page: Page | NotHad) -> None:
        """A target may be known by the address that was typed and by the one that it leads to."""
        self._aliases[url] = {url} if isinstance(page, NotHad) else {url, page.url}
        for name in self._aliases[url]:
            self._builder.aim_at(name)

    def _add(self, page: Page, *, target: bool = False) -> None:
        self._builder.add(page, target=target)
        self._had.add(page.url)
        leads_to = {link.url for link in page.links if link.url != page.url}
        self._reached |= leads_to.intersection(self._builder.targets)

    # -- parents --------------------------------------------------------------------------------

    async def climb(self) -> None:
        """Ask for parents, level by level, as long as there are any and the bounds allow it."""
        for level in range(self._wanted.levels if self._sources else 0):
            children = self._builder.frontier(level)[: self._bounds.per_level]
            parents = await self._parents(children)
            if not parents or self._late():
                break
            for url, page in (await self._pages(parents)).items():
                self._had.add(url)
                if isinstance(page, NotHad):
                    self._lost[page.why] += 1
                else:
                    self._add(page)
        for why, number in self._lost.most_common():
            self._note(f"{number} parents are left out: {why}")
        if self._late():
            self._note(f"stopped after {self._bounds.within:g} s; --within allows more")

    async def _parents(self, children: Sequence[str]) -> list[str]:
        found: dict[str, None] = {}
        for source in self._sources if children else ():
            told = await source.parents(children, self._bounds.per_level, self._until)
            found |= dict.fromkeys(url for url in told if url not in self._had)
            if source.trouble:
                self._note(source.trouble)
        return list(found)[: self._bounds.per_level]

    # -- getting pages --------------------------------------------------------------------------

    def _left(self) -> float:
        return self._until - asyncio.get_running_loop().time()

    def _late(self) -> bool:
        return self._left() <= 0

    async def _pages(self, urls: Sequence[str]) -> dict[str, Page | NotHad]:
        """Pages that a source has itself, and those that can be fetched within the bounds."""
        found: dict[str, Page | NotHad] = {}
        for url in urls:
            page = next((page for source in self._sources if (page := source.page(url)) is not None), None)
            if page is not None:
                found[url] = page
        missing = list(dict.fromkeys(url for url in urls if url not in found))
        asked = missing[: max(0, self._bounds.fetches - self._fetched)]
        self._fetched += len(asked)
        if len(asked) < len(missing):
            self._note(f"stopped after {self._bounds.fetches} fetches; --fetches allows more")
        came = await self._visitor.pages(asked, max(0.0, self._left()))
        return found | came | dict.fromkeys(missing[len(asked) :], NotHad("not fetched any more"))

    # -- what came of it ------------------------------------------------------------------------

    def built(self) -> Built:
        """The T-Graph of what was gathered."""
        far = self._builder.distances()
        nodes = [_trimmed(node, far) for node in self._builder.nodes() if any(map(str.strip, node.passage.parts))]
        if not nodes:
            why = f"no page has a paragraph or list with links to a target; {_REMEDY}"
            raise CrawlError("; ".join((why, *self._notes)))
        if not any(node.distance for node in nodes):
            self._note(f"nothing is known of the way to the targets, only how they link to others; {_REMEDY}")
        if len(nodes) > MOST_LEARNT:
            self._note(f"{len(nodes)} nodes; a crawl whose watchdog is on keeps the {MOST_LEARNT} with the most say")
        nodes = sorted(nodes, key=lambda node: node.distance)[:MOST_NODES]
        unreached = tuple(url for url, names in self._aliases.items() if not names & self._reached)
        graph = GraphFile(tuple(self._builder.targets), tuple(nodes))
        return Built(graph, self._fetched, unreached, tuple(self._notes))


def _trimmed(node: Node, far: Mapping[str, int]) -> Node:
    """A node with those of its links that are known to lead to a target."""
    return msgspec.structs.replace(node, leads_to=tuple(url for url in node.leads_to if url in far))
