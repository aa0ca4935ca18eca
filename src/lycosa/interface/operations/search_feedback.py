"""Notes of what a crawl's search showed and what people chose of it, for its ranking.

Search comes first: notes are made after the page was sent, and where that fails there is
just no note. Robots and people who do not want to be watched leave none. A visitor is a
hash with the key of the day; addresses and browsers are not kept, and one visitor counts
once per query, page and day, whatever is sent.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import lmdb
import msgspec
from starlette.requests import Request

from lycosa.click_records import day_of, visitor_id
from lycosa.clickstream.rate_limits import Rates
from lycosa.clickstream.visitors import is_robot
from lycosa.configuration.sections import Collector
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.interface.shared.open_click_stores import ClicksDamaged, in_new_store
from lycosa.interface.views.search.suggested_queries import FrequentQueries
from lycosa.records import Record
from lycosa.search.query import LONGEST
from lycosa.storage.agent_store import StoreFull
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys
from lycosa.storage.shown_results import MOST_PLACES, plain_query

LARGEST = 8 * 1024
PER_MINUTE, PER_SECOND = 60, 100
"""So many notes of one client, and of all together."""
MOST_REMEMBERED = 50_000
_log = logging.getLogger("lycosa.search")


class Chosen(msgspec.Struct, forbid_unknown_fields=True):
    """What the search page sends when somebody chooses a result."""

    crawl: Annotated[str, msgspec.Meta(max_length=64)]
    query: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST)]
    url: Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
    place: Annotated[int, msgspec.Meta(ge=1, le=MOST_PLACES)]


class Asker(Record, frozen=True):
    """Who asks, for as long as a request is looked at; `watched` is whether anything may be noted of it."""

    address: str
    agent: bytes
    watched: bool

    @classmethod
    def of(cls, request: Request) -> Asker:
        """Who sent a request."""
        headers = request.headers
        agent = headers.get("user-agent", "").encode("latin-1", "replace")
        objects = headers.get("dnt") == "1" or headers.get("sec-gpc") == "1"
        ahead = "prefetch" in headers.get("sec-purpose", headers.get("purpose", ""))
        address = request.client.host if request.client else ""
        return cls(address, agent, not (objects or ahead or is_robot(agent)))


class SearchNotes:
    """Writes notes into the click stores of crawls, at most so many, and none twice."""

    def __init__(self, clock: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._steady = clock, steady
        self._queries: dict[Path, FrequentQueries] = {}
        self._tidied: dict[Path, int] = {}
        self._seen: OrderedDict[tuple[bytes, str, int, int], None] = OrderedDict()
        self._showing, self._choosing = Rates(PER_MINUTE, PER_SECOND), Rates(PER_MINUTE, PER_SECOND)
        self._one_by_one = threading.Lock()

    def show(self, folder: CrawlFolder, asker: Asker, query: str, urls: Sequence[str], first_place: int) -> None:
        """Note that results were shown, from a place on. It never raises: search does not depend on it."""
        if not asker.watched or not urls or first_place > MOST_PLACES or not plain_query(query):
            return
        try:
            with self._one_by_one:
                if self._waits(self._showing, asker):
                    return
                day, visitor = self._visitor(folder, asker)
                page = (visitor, plain_query(query), first_place, hash(tuple(urls)))
                if not visitor or page in self._seen:
                    return
                self._remember(page)
                in_new_store(folder.path / "clicks", ClickStore.add_shown, query, urls, first_place, day=day)
                self._frequent(folder).asked(query, visitor, day)
        except (lmdb.Error, OSError, StoreFull, ClicksDamaged) as error:
            _log.warning("what the search of %s showed could not be noted: %s", folder.name, error)

    def queries(self, folder: CrawlFolder) -> list[str]:
        """What so many visitors asked a crawl that it may be told to others."""
        return self._frequent(folder).most_frequent()

    def _frequent(self, folder: CrawlFolder) -> FrequentQueries:
        known = self._queries.get(folder.path)
        return known or self._queries.setdefault(folder.path, FrequentQueries(folder.path / "clicks"))

    def choose(self, folder: CrawlFolder, asker: Asker, chosen: Chosen) -> float:
        """Note that a result was chosen, if that counts. Returns how many seconds to wait where there are too many."""
        return self._note(
            folder,
            asker,
            lambda visitor, day: (ClickStore.add_chosen, chosen.query, chosen.url, chosen.place, visitor, day),
        )

    def answer(self, folder: CrawlFolder, asker: Asker, query: str, first: str, enough: bool) -> float:
        """Note whether results were enough. Returns how many seconds to wait where there are too many answers."""
        return self._note(
            folder, asker, lambda visitor, day: (ClickStore.add_answer, query, first, enough, visitor, day)
        )

    def _note(self, folder: CrawlFolder, asker: Asker, note: Callable[[bytes, int], tuple[Any, ...]]) -> float:
        """Write what somebody said who may be watched; seconds to wait where there is too much of it."""
        if not asker.watched:
            return 0.0
        try:
            with self._one_by_one:
                wait = self._waits(self._choosing, asker)
                if wait:
                    return wait
                day, visitor = self._visitor(folder, asker)
                if visitor:
                    in_new_store(folder.path / "clicks", *note(visitor, day))
        except (lmdb.Error, OSError, StoreFull, ClicksDamaged) as error:
            _log.warning("what was said of the search of %s could not be noted: %s", folder.name, error)
        return 0.0

    def _waits(self, rates: Rates, asker: Asker) -> float:
        now = self._steady()
        return rates.wait(asker.address, 1, now) or rates.wait_of_all(1, now)

    def _visitor(self, folder: CrawlFolder, asker: Asker) -> tuple[int, bytes]:
        """The day, and who it is on that day; nobody once the key is gone."""
        now = self._clock()
        day = day_of(now)
        keys = DayKeys(folder.path / "clicks")
        if self._tidied.get(folder.path) != day:
            self._tidied[folder.path] = day
            keys.destroy(now - Collector().keys_kept)
            in_new_store(folder.path / "clicks", ClickStore.forget, day - int(Collector().kept // 86400))
        key = keys.key(day)
        return day, visitor_id(key, asker.address.encode(), asker.agent) if key else b""

    def _remember(self, page: tuple[bytes, str, int, int]) -> None:
        self._seen[page] = None
        if len(self._seen) > MOST_REMEMBERED:
            self._seen.popitem(last=False)
