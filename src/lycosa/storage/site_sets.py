"""Sorted sets of short entries, one per site, that stay quick to fill however large they grow.

Links found on one page belong anywhere in such a set, so in a single large tree
each of them would cost a page of the file. Therefore there are two trees: a young
one, small enough that a batch fills its pages well, takes everything new; and at
each commit as many entries as came in move on into the old one, site after site,
where they lie close together. Both change in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from heapq import merge
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

MOST_YOUNG = 400_000
"""Entries in the young tree. Best is about the root of (entries in all × entries in a batch)."""

TREES = 2


class SiteSets:
    """A sorted set of entries of one size for each site; a site is four bytes."""

    def __init__(self, env: Any, name: str, *, create: bool) -> None:
        self._young, self._old = (
            env.open_db(f"{age}-{name}".encode(), create=create, dupsort=True, dupfixed=True)
            for age in ("young", "old")
        )
        self._trees = (self._young, self._old)
        self._next = (b"", b"")

    def entries(self, txn: Any, site: bytes) -> Iterator[bytes]:
        """A site's entries in order."""
        return merge(*(_of_site(txn, tree, site) for tree in self._trees))

    def first(self, txn: Any, site: bytes, number: int, without: Set[bytes]) -> list[bytes]:
        """A site's first entries, put behind the site, but not those in `without`."""
        found: list[bytes] = []
        for tree in self._trees:
            keys = (site + entry for entry in _of_site(txn, tree, site))
            found += islice((key for key in keys if key not in without) if without else keys, number)
        return sorted(found)[:number]

    def one_beginning_with(self, txn: Any, key: bytes) -> bytes | None:
        """The entry that begins with the rest of this key (a site, then the beginning)."""
        site, beginning = key[:4], key[4:]
        for tree in self._trees:
            cursor = txn.cursor(tree)
            if cursor.set_range_dup(site, beginning):
                entry: bytes = cursor.value()
                if entry.startswith(beginning):
                    return entry
        return None

    def beginning_with(self, txn: Any, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The entries that begin with the rest of these keys (a site, then the beginning), by key.

        Keys in sorted order are found fastest.
        """
        found: dict[bytes, bytes] = {}
        for tree in self._trees:
            missing: list[bytes] = []
            cursor = txn.cursor(tree)
            seek, entry_here = cursor.set_range_dup, cursor.value
            for key in keys:
                beginning = key[4:]
                if seek(key[:4], beginning) and (entry := entry_here()).startswith(beginning):
                    found[key] = entry
                else:
                    missing.append(key)
            keys = missing
        return found

    def add(self, txn: Any, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        """Put (site, entry) pairs in that are not in yet; sorted pairs are put fastest."""
        if pairs:
            txn.cursor(self._young).putmulti(pairs)

    def discard(self, txn: Any, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        """Take (site, entry) pairs out, where they are in."""
        for site, entry in pairs:
            txn.delete(site, entry, db=self._young) or txn.delete(site, entry, db=self._old)

    def move_on(self, txn: Any) -> None:
        """Let what is too much for the young tree move into the old one, going on where the last move ended."""
        surplus = int(txn.stat(self._young)["entries"]) - MOST_YOUNG
        if surplus <= 0:
            return
        cursor = txn.cursor(self._young)
        if not self._at_next(cursor):
            return
        moving = list(islice(cursor.iternext(), surplus + 1))
        self._next = moving.pop() if len(moving) > surplus else (b"", b"")
        txn.cursor(self._old).putmulti(moving)
        in_part = (moving[0][0], self._next[0])
        for site, pairs in groupby(moving, key=itemgetter(0)):
            if site not in in_part:
                txn.delete(site, db=self._young)
                continue
            for _, entry in pairs:
                txn.delete(site, entry, db=self._young)

    def _at_next(self, cursor: Any) -> bool:
        """Put a cursor of the young tree where the last move ended, or, beyond its end, to its beginning."""
        site, entry = self._next
        onwards = site and (cursor.set_range_dup(site, entry) or cursor.set_range(_after(site)))
        return bool(onwards or cursor.first())


def _of_site(txn: Any, tree: Any, site: bytes) -> Iterator[bytes]:
    cursor = txn.cursor(tree)
    entries: Iterator[bytes] = cursor.iternext_dup() if cursor.set_key(site) else iter(())
    return entries


def _after(site: bytes) -> bytes:
    return (int.from_bytes(site, "big") + 1).to_bytes(5, "big")[1:]
