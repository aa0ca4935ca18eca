"""The queries of a crawl that may be suggested to others: those that five visitors asked on one day, and no others.

Who asked is known by the visitor's hash of the day only, and only in memory; a query
is written down once enough have asked it. What nobody asked for a while is forgotten.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from pathlib import Path

import msgspec

from lycosa.storage.shown_results import plain_query

FEWEST_VISITORS = 5
MOST_WAITING = 20_000
"""Queries of the day that have not been asked by enough visitors yet."""
MOST_KEPT = 2_000
KEPT_DAYS = 90
LONGEST = 80
FILE = "frequent-queries.json"
_log = logging.getLogger("lycosa.search")


class Frequent(msgspec.Struct):
    """On which day enough visitors asked a query last, and on how many days they did."""

    day: int
    days: int = 1


class FrequentQueries:
    """Counts the visitors of queries; `folder` is where a crawl keeps what people do.

    Others may ask for the most frequent ones meanwhile: what is kept is exchanged as a whole.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._day = -1
        self._waiting: OrderedDict[str, set[bytes]] = OrderedDict()
        self._kept = self._read()

    def asked(self, query: str, visitor: bytes, day: int) -> None:
        """A visitor asked a query that found something."""
        query = plain_query(query)
        if not query or len(query) > LONGEST:
            return
        if day != self._day:
            self._day = day
            self._waiting.clear()
        visitors = self._waiting.setdefault(query, set())
        self._waiting.move_to_end(query)
        if len(self._waiting) > MOST_WAITING:
            self._waiting.popitem(last=False)
        if len(visitors) < FEWEST_VISITORS and visitor not in visitors:
            visitors.add(visitor)
            if len(visitors) == FEWEST_VISITORS:
                self._keep(query, day)

    def most_frequent(self) -> list[str]:
        """The queries that may be suggested, those of most days first."""
        found = sorted(self._kept.items(), key=lambda each: (-each[1].days, -each[1].day, each[0]))
        return [query for query, _ in found]

    def _keep(self, query: str, day: int) -> None:
        before = self._kept.get(query)
        days = 1 if before is None else before.days + (before.day != day)
        recent = {each: told for each, told in self._kept.items() if told.day > day - KEPT_DAYS}
        recent[query] = Frequent(day, days)
        latest = sorted(recent.items(), key=lambda each: (each[1].day, each[1].days))[-MOST_KEPT:]
        self._kept = dict(latest)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        partial = self._path.with_suffix(".partial")
        partial.write_bytes(msgspec.json.encode(self._kept))
        partial.replace(self._path)

    def _read(self) -> dict[str, Frequent]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, Frequent])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError) as error:
            _log.warning("the frequent queries in %s cannot be read and are forgotten: %s", self._path, error)
            return {}
