"""What the pages show of a crawl's journals: how it grew, the busiest sites, and examples of what failed.

Journals grow to millions of rows, so a ledger reads only what is new, for a short
while at each look, and remembers sums that never grow. A store is open only while
it is read: an idle reader would hold old pages of the store alive, and one process
may not open the same store twice.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.reading_apart import read_apart
from lycosa.interface.shared.server_paths import sentence_of
from lycosa.queue_records import SiteRecord
from lycosa.records import Record
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.catalogue import MissingExtra

MOST_POINTS = 300
MOST_SITES_SHOWN = 20
MOST_SITES_READ = 200_000
LOOK_EVERY = 2.0
LOOK_FOR = 0.15
MOST_REASONS, MOST_EXAMPLES = 100, 5
_COLUMNS = ("url", "at", "outcome", "why", "relevance", "aside")


class Overview(Record, frozen=True):
    """A crawl's journals in brief; `whole` says whether all rows are in it.

    `growth` is (when, pages, relevant pages) at some moments, `examples` the latest URLs that failed, by reason.
    """

    growth: tuple[tuple[float, int, int], ...] = ()
    sites: tuple[SiteRecord, ...] = ()
    whole: bool = True
    trouble: str = ""
    examples: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)

    @property
    def curve(self) -> tuple[tuple[float, float], ...]:
        """The harvest curve: the share of relevant pages after so many pages."""
        return tuple((float(pages), relevant / pages) for _, pages, relevant in self.growth)


class Tally:
    """One agent's pages so far, as (at, pages, relevant) at a few hundred moments, however many pages there are."""

    def __init__(self) -> None:
        self.row = self.pages = self.relevant = 0
        self._stride, self._at = 1, 0.0
        self._steps: list[tuple[float, int, int]] = []
        self.examples: dict[str, deque[str]] = {}

    def take(self, at: float, relevant: bool) -> None:
        """Count a page; when there are too many steps, every second one is forgotten."""
        self.pages += 1
        self.relevant += relevant
        self._at = at
        if self.pages % self._stride == 0:
            self._steps.append((at, self.pages, self.relevant))
            if len(self._steps) > 2 * MOST_POINTS:
                self._stride *= 2
                self._steps = [step for step in self._steps if step[1] % self._stride == 0]

    def miss(self, why: str, url: str) -> None:
        """Remember a URL that could not be had, a few for each reason."""
        if why in self.examples or len(self.examples) < MOST_REASONS:
            self.examples.setdefault(why, deque(maxlen=MOST_EXAMPLES)).append(url)

    def steps(self) -> list[tuple[float, int, int]]:
        """The moments, the latest one always among them."""
        last = (self._at, self.pages, self.relevant)
        return self._steps if not self.pages or self._steps[-1:] == [last] else [*self._steps, last]


def growth(tallies: Sequence[Tally], most: int = MOST_POINTS) -> tuple[tuple[float, int, int], ...]:
    """When all agents together had how many pages and relevant ones, at no more than so many moments."""
    events = sorted((*step, agent) for agent, tally in enumerate(tallies) for step in tally.steps())
    pages, relevant = [0] * len(tallies), [0] * len(tallies)
    points = []
    for at, fetched, good, agent in events:
        pages[agent], relevant[agent] = fetched, good
        points.append((at, sum(pages), sum(relevant)))
    if len(points) <= most:
        return tuple(points)
    return tuple(points[round(place * (len(points) - 1) / (most - 1))] for place in range(most))


class Ledger:
    """Reads the journals of one crawl a little further at every look."""

    def __init__(self, folder: CrawlFolder) -> None:
        self._folder = folder
        self._reading = threading.Lock()
        self._looked = float("-inf")
        self._subject: tuple[object, ...] = ()
        self._tallies: list[Tally] = []
        self._overview = Overview(whole=False)

    def look(self) -> Overview:
        """What is known by now; whoever comes while another reads, or soon after, gets what was known last."""
        if self._reading.acquire(blocking=False):
            try:
                if time.monotonic() - self._looked >= (LOOK_EVERY if self._overview.whole else 0.0):
                    self._overview = self._read()
                    self._looked = time.monotonic()
            finally:
                self._reading.release()
        return self._overview

    def _read(self) -> Overview:
        configuration = self._folder.configuration()
        stores = [path / "store" for path in self._folder.agents(configuration.agents)]
        self._begin_anew_unless((configuration.topic.threshold, *map(_identity, stores)))
        until = time.monotonic() + LOOK_FOR
        sites: list[SiteRecord] = []
        whole, trouble = True, ""
        for path, tally in zip(stores, self._tallies, strict=True):
            if not (path / "ready").exists():
                continue
            try:
                with AgentStore(path, readonly=True) as store:
                    whole &= _take_rows(store, tally, configuration.topic.threshold, until)
                    sites += _busiest(islice((site for site in store.sites() if site.let_in), MOST_SITES_READ))
            except MissingExtra as error:
                trouble = sentence_of(error)
        least = float(configuration.politeness.delay)
        shown = tuple(msgspec.structs.replace(each, delay=max(each.delay, least)) for each in _busiest(sites))
        return Overview(growth(self._tallies), shown, whole, trouble, _examples(self._tallies))

    def _begin_anew_unless(self, subject: tuple[object, ...]) -> None:
        """Forget everything when the threshold changed, or another crawl lies in the folder now."""
        if subject != self._subject:
            self._subject = subject
            self._tallies = [Tally() for _ in subject[1:]]


_ledgers: dict[Path, Ledger] = {}


@read_apart()
def overview_of(folder: CrawlFolder) -> Overview:
    """The journals of a crawl in brief, as far as they have been read."""
    return _ledgers.setdefault(folder.path, Ledger(folder)).look()


def _identity(store: Path) -> int:
    try:
        return (store / "data.mdb").stat().st_ino
    except FileNotFoundError:
        return 0


def _take_rows(store: AgentStore, tally: Tally, threshold: float, until: float) -> bool:
    """Count new rows until there are none left (True) or the time is up (False)."""
    for number, row in catalogue.history(store, tally.row, _COLUMNS):
        if row.outcome == "fetched":
            tally.take(row.at, (row.relevance or 0.0) >= threshold and not row.aside)
        elif row.why:
            tally.miss(row.why, row.url)
        tally.row = number
        if number % 256 == 0 and time.monotonic() > until:
            return False
    return True


def _examples(tallies: Sequence[Tally]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for tally in tallies:
        for why, urls in tally.examples.items():
            found.setdefault(why, []).extend(reversed(urls))
    return {why: tuple(dict.fromkeys(urls))[:MOST_EXAMPLES] for why, urls in found.items()}


def _busiest(sites: Iterable[SiteRecord]) -> list[SiteRecord]:
    return heapq.nlargest(MOST_SITES_SHOWN, sites, key=lambda site: (site.fetched, site.waiting))
