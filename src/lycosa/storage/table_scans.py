"""Walks through a table of sorted keys: everything below a prefix, read or removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def below(txn: Any, table: Any, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The entries whose keys begin with a prefix, in order."""
    cursor = txn.cursor(table)
    if cursor.set_range(prefix) if prefix else cursor.first():
        for key, data in cursor:
            if not key.startswith(prefix):
                return
            yield key, data


def remove(txn: Any, table: Any, chosen: Callable[[bytes, bytes], bool], prefix: bytes = b"") -> int:
    """Remove those entries below a prefix that are chosen. Returns how many."""
    gone = [key for key, data in below(txn, table, prefix) if chosen(key, data)]
    for key in gone:
        txn.delete(key, db=table)
    return len(gone)


def remove_before(txn: Any, table: Any, end: bytes, most: int) -> int:
    """Remove entries whose keys come before one, at most so many. Returns how many."""
    cursor, gone = txn.cursor(table), 0
    while gone < most and cursor.first() and cursor.key() < end:
        cursor.delete()
        gone += 1
    return gone
