"""Which results a search showed at which place, and which of them people chose.

One visitor counts once per query, page and day. What was not shown at a place cannot
be chosen there. Queries nobody asked for a while are forgotten with the rest.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import xxhash

from lycosa.click_records import ShownResult
from lycosa.storage.table_scans import below, remove, remove_before

TABLES = ("shown", "queries", "choices")
MOST_PLACES = 20
"""Results further down are shown so rarely that nothing can be learned there."""
LONGEST_QUERY = 200
URL_HASH = 16
"""The length of a URL's part in a key."""
_DAY = struct.Struct(">i")
_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(tuple[int, ShownResult]).decode
_unpack_query = msgspec.msgpack.Decoder(tuple[int, str, int]).decode


def url_hash(url: str) -> bytes:
    """A URL's part in a key."""
    return xxhash.xxh3_128_digest(url.encode("utf-8", "surrogatepass"))


def plain_query(query: str) -> str:
    """A query as it is counted: case and spaces do not matter."""
    return " ".join(query.lower().split())[:LONGEST_QUERY]


def query_key(query: str) -> bytes:
    """A query's part in a key."""
    return xxhash.xxh3_64_digest(plain_query(query).encode("utf-8", "surrogatepass"))


class ShownResults:
    """Counts by query, page and place; all in the caller's transaction."""

    def __init__(self, tables: dict[str, Any]) -> None:
        self._shown, self._queries, self._choices = (tables[name] for name in TABLES)

    def show(self, txn: Any, query: str, urls: Sequence[str], first_place: int, day: int) -> None:
        """Results were shown."""
        query = plain_query(query)
        data = txn.get(query_key(query), db=self._queries)
        asked = _unpack_query(data)[2] if data else 0
        if first_place == 1:
            txn.put(query_key(query), _pack((day, query, asked + 1)), db=self._queries)
        for place, url in enumerate(urls, first_place):
            if place <= MOST_PLACES:
                known = self._result(txn, query, url)
                self._put(txn, day, msgspec.structs.replace(known, shown=_one_more(known.shown, place)))

    def choose(self, txn: Any, query: str, url: str, place: int, visitor: bytes, day: int) -> bool:
        """A visitor chose a result; False where that does not count (again)."""
        query = plain_query(query)
        known = self._result(txn, query, url)
        chosen = known.chosen[place - 1] if 0 < place <= len(known.chosen) else 0
        if not 0 < place <= len(known.shown) or chosen >= known.shown[place - 1]:
            return False
        key = _DAY.pack(day) + visitor + query_key(query) + url_hash(url)
        if not txn.put(key, b"", db=self._choices, overwrite=False):
            return False
        self._put(txn, day, msgspec.structs.replace(known, chosen=_one_more(known.chosen, place)))
        return True

    def answer(self, txn: Any, query: str, first: str, enough: bool, visitor: bytes, day: int) -> bool:
        """A visitor said whether results were enough; kept with the first one, once a visitor, query and day."""
        query = plain_query(query)
        known = self._result(txn, query, first)
        if not known.shown or not known.shown[0]:
            return False
        key = _DAY.pack(day) + visitor + query_key(query)
        if not txn.put(key, b"", db=self._choices, overwrite=False):
            return False
        answers = {"enough": known.enough + 1} if enough else {"not_enough": known.not_enough + 1}
        self._put(txn, day, msgspec.structs.replace(known, **answers))
        return True

    def _result(self, txn: Any, query: str, url: str) -> ShownResult:
        data = txn.get(query_key(query) + url_hash(url), db=self._shown)
        return ShownResult(query, url) if data is None else _unpack(data)[1]

    def _put(self, txn: Any, day: int, result: ShownResult) -> None:
        txn.put(query_key(result.query) + url_hash(result.url), _pack((day, result)), db=self._shown)

    def of(self, txn: Any, query: str | None) -> Iterator[ShownResult]:
        """What was shown for a query, or for all."""
        prefix = b"" if query is None else query_key(query)
        return (_unpack(data)[1] for _, data in below(txn, self._shown, prefix))

    def asked(self, txn: Any) -> dict[str, int]:
        """How often each query was asked."""
        found = (_unpack_query(data) for _, data in below(txn, self._queries, b""))
        return {query: times for _, query, times in found}

    def forget(self, txn: Any, before: int, most: int) -> int:
        """Remove choices of days before one, at most so many. Returns how many."""
        return remove_before(txn, self._choices, _DAY.pack(before), most)

    def forget_unasked(self, txn: Any, before: int) -> int:
        """Remove queries that nobody asked since a day, with their results. Returns how many entries."""
        gone = remove(txn, self._shown, lambda _, data: _unpack(data)[0] < before)
        return gone + remove(txn, self._queries, lambda _, data: _unpack_query(data)[0] < before)


def _one_more(counts: tuple[int, ...], place: int) -> tuple[int, ...]:
    padded = [*counts, *[0] * (place - len(counts))]
    padded[place - 1] += 1
    return tuple(padded)
