"""What is known of a crawl's pages besides their words, at hand for search: importance, page weight, choices.

It comes from the crawl's own click store (results that people chose) and, where the crawl
names a clickstream, from the home's (visits and actions). All of it is read at times into
a compact table, beside the searches, which never wait for it; a store that cannot be read
leaves the words to decide.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import lmdb
import msgspec
import numpy as np
import numpy.typing as npt

from lycosa.click_records import PageClicks, added
from lycosa.clickstream.behaviour import most_asked, page_weight
from lycosa.configuration.sections import Clicks, Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.plugins.plug_points import NOTHING, Signal
from lycosa.records import Record
from lycosa.scoring.importance import scaled, value_score
from lycosa.search.click_model import Choice, chosen_results
from lycosa.search.ranking import Order, find_ranking, page_key
from lycosa.storage.click_store import ClickStore
from lycosa.storage.shown_results import plain_query

REST = 2.0
"""Seconds between two readings of the stores at least, and `PATIENCE` times as long as the last one took."""
PATIENCE = 20.0
FIRST_WAIT = 0.2
"""So long the first search waits for the first reading."""
ENOUGH_VISITORS = 10.0
"""A page weight counts half where so many visitors' actions are known."""
NO_CHOICE = Choice(0, 0.0, 0.0)

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]


class Weight(Record, frozen=True):
    """A page's weight (M13), of how many visitors, and what it counts for (0 to 1)."""

    value: float
    visitors: int
    part: float


class PageTable:
    """Figures of pages in columns, ordered by the pages' keys: some thirty bytes a page.

    A row is a page's key, its value (P5 without BM25), its visitors, its weight, and of how many visitors that is.
    """

    def __init__(self, rows: Iterable[tuple[int, float, int, float, int]] = ()) -> None:
        ordered = sorted({row[0]: row for row in rows}.values())
        keys, values, visitors, weights, acted = zip(*ordered, strict=True) if ordered else ((),) * 5
        middle = _median(values)
        self.middle_weight = _median(weights)
        parts = [weighed(*each, self.middle_weight).part for each in zip(weights, acted, strict=True)]
        self._keys: Integers = np.array(keys, np.int64)
        self._visitors: Integers = np.array(visitors, np.int64)
        self._importance: Floats = np.array([scaled(value, middle) for value in values], np.float32)
        self._weights: Floats = np.array(weights, np.float32)
        self._parts: Floats = np.array(parts, np.float32)

    def __len__(self) -> int:
        return len(self._keys)

    def of(self, pages: Sequence[int]) -> list[Signal]:
        """What is known of each page, whatever the query."""
        found = [NOTHING] * len(pages)
        if not len(self._keys) or not found:
            return found
        wanted = np.asarray(pages, np.int64)
        places = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        there = np.flatnonzero(self._keys[places] == wanted)
        columns = (self._importance, self._parts, self._visitors, self._weights)
        rows = zip(there.tolist(), *(column[places[there]].tolist() for column in columns), strict=True)
        for place, importance, part, visitors, weight in rows:
            found[place] = Signal(importance, part, 0.0, visitors, weight)
        return found


def weighed(value: float, visitors: int, middle: float) -> Weight:
    """A page weight with what it counts for: little where few visitors were seen."""
    return Weight(value, visitors, scaled(value, middle) * visitors / (visitors + ENOUGH_VISITORS))


def _median(values: Iterable[float]) -> float:
    present = [value for value in values if value > 0.0]
    return float(np.median(present)) if present else 0.0


@dataclass(frozen=True, slots=True)
class Known:
    """All that was known at one time."""

    table: PageTable
    weights: dict[str, dict[int, Weight]] = field(default_factory=dict)
    chosen: dict[str, dict[int, Choice]] = field(default_factory=dict)

    def of(self, pages: Sequence[int], query: str) -> list[Signal]:
        """Of each page."""
        asked = plain_query(query)
        weights, chosen = self.weights.get(asked, {}), self.chosen.get(asked, {})
        found = self.table.of(pages)
        if not weights and not chosen:
            return found
        return [
            _for_query(signal, weights.get(page), chosen.get(page)) for page, signal in zip(pages, found, strict=True)
        ]


def _for_query(signal: Signal, weight: Weight | None, choice: Choice | None) -> Signal:
    """A page's signal where something is known of it for just this query."""
    if weight is None and choice is None:
        return signal
    told = choice or NO_CHOICE
    own = weight or Weight(signal.weight, 0, signal.behaviour)
    return Signal(
        signal.importance,
        own.part,
        told.value,
        signal.visitors,
        own.value,
        weight is not None,
        told.chosen,
        told.expected,
    )


class PageSignals:
    """The signals of a crawl's pages, read anew when the stores have changed.

    `beside` reads in a thread, so that nobody waits; else `look` returns when it has read. `rest` are the seconds
    between two readings at least.
    """

    def __init__(self, folder: CrawlFolder, *, beside: bool = False, rest: float = REST) -> None:
        self._folder, self._beside, self._rest = folder, beside, rest
        self._known = Known(PageTable())
        self._stamps: tuple[tuple[str, int], ...] | None = None
        self._next = 0.0
        self._reading = threading.Lock()

    def of(self, pages: Sequence[int], query: str) -> Sequence[Signal]:
        """What is known of each page for a query."""
        return self._known.of(pages, query)

    def look(self, settings: Clicks) -> None:
        """Read what changed, if it is time to."""
        if time.monotonic() < self._next or not self._reading.acquire(blocking=False):
            return
        if not self._beside:
            self._read(settings)
            return
        reader = threading.Thread(target=self._read, args=(settings,), name="page-signals", daemon=True)
        first = self._stamps is None
        reader.start()
        if first:
            reader.join(FIRST_WAIT)

    def _read(self, settings: Clicks) -> None:
        """Read the stores; what cannot be read says nothing. The lock is held."""
        began = time.monotonic()
        try:
            with ExitStack() as opened:
                stores = [opened.enter_context(store) for store in self._stores(settings)]
                stamps = tuple((str(store.folder), store.stamp()) for store in stores)
                if stamps != self._stamps:
                    self._known = known_of(stores, settings)
                    self._stamps = stamps
        except (lmdb.Error, OSError, ConfigurationError, msgspec.DecodeError):
            self._known, self._stamps = Known(PageTable()), ()
        finally:
            ended = time.monotonic()
            self._next = ended + max(self._rest, PATIENCE * (ended - began) if self._beside else 0.0)
            self._reading.release()

    def _stores(self, settings: Clicks) -> Iterator[ClickStore]:
        folders = [self._folder.path / "clicks"]
        if settings.source:
            folders.append(self._folder.path.parent.parent / "clicks")
        for folder in folders:
            if (folder / "data.mdb").exists():
                yield ClickStore(folder, readonly=True)


def known_of(stores: Sequence[ClickStore], settings: Clicks) -> Known:
    """All that some click stores know of pages."""
    table = PageTable(_row(page, settings) for store in stores for page in store.pages())
    chosen: dict[str, dict[int, Choice]] = {}
    asked: dict[str, int] = {}
    for store in stores:
        asked = added(asked, store.queries())
        for query, found in chosen_results(store.all_shown()).items():
            chosen.setdefault(query, {}).update(found)
    return Known(table, _query_weights(stores, most_asked(asked), settings, table.middle_weight), chosen)


def _row(page: PageClicks, settings: Clicks) -> tuple[int, float, int, float, int]:
    """A page in the table: importance by visitors, of whom each counts once a day, time and text; and its weight."""
    spent = page.length if settings.spent == "length" else page.log_rank()
    value = value_score(page.visitors, 0.0, spent, page.ascii_sum, page.downloads).value
    weight = page_weight(page.sets, settings.least_support, settings.least_confidence) if page.sets else None
    return page_key(page.url), value, page.visitors, weight.value if weight else 0.0, weight.visitors if weight else 0


def _query_weights(
    stores: Sequence[ClickStore], queries: Iterable[str], settings: Clicks, middle: float
) -> dict[str, dict[int, Weight]]:
    """The weights of pages for the most frequent queries."""
    found: dict[str, dict[int, Weight]] = {}
    for query in queries:
        sets: dict[str, Mapping[int, int]] = {}
        for store in stores:
            for url, own in store.query_sets(query).items():
                sets[url] = added(sets.get(url, {}), own)
        weights = {
            url: page_weight(own, settings.least_support, settings.least_confidence) for url, own in sets.items()
        }
        usual = middle or _median(weight.value for weight in weights.values())
        if weights:
            found[query] = {page_key(url): weighed(each.value, each.visitors, usual) for url, each in weights.items()}
    return found


class ResultOrders:
    """How the results of a crawl are put in order, by its settings as they are now."""

    def __init__(self, folder: CrawlFolder, *, beside: bool = False, rest: float = REST) -> None:
        self._path, self._folder = folder.path / "crawl.toml", folder
        self._signals = PageSignals(folder, beside=beside, rest=rest)
        self._settings: tuple[int, Configuration] = (0, Configuration())

    def of(self, query: str) -> Order:
        """The order for a query."""
        configuration = self._configuration()
        self._signals.look(configuration.clicks)
        ranking = find_ranking(configuration, configuration.ranking.name)
        return Order(ranking, self._signals, query, time.time(), configuration.ranking.depth)

    def _configuration(self) -> Configuration:
        """The crawl's settings, read anew when they have changed."""
        stamp = self._path.stat().st_mtime_ns
        if stamp != self._settings[0]:
            self._settings = (stamp, self._folder.configuration())
        return self._settings[1]
