"""Sorted sets of short entries, one per site, that stay quick to fill however large they grow.

Links found on one page belong anywhere in such a set, so in a single large tree
each of them would cost a page of the file. Therefore there are two trees: a young
one, small enough that a batch fills its pages well, takes everything new; and at
each commit as many entries as came in move on into the old one, site after site,
where they lie close together. What is taken out is only noted as gone at first,
since it costs the pages of its tree; a site's notes are acted on together. All
trees change in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from heapq import merge
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, TypeAlias

MOST_YOUNG = 400_000
"""Entries in the young tree. Best is about the root of (entries in all × entries in a batch)."""

MOST_GONE = 64
"""Entries of a site that may be gone but still in a tree."""

TREES = 3

Place: TypeAlias = tuple[int, bytes, bytes]
"""Where a reader of all entries is: the tree, and the next site and entry."""
BEGINNING: Place = (0, b"", b"")

_SITE = itemgetter(0)


class SiteSets:
    """A sorted set of entries of one size for each site; a site is four bytes."""

    def __init__(self, env: Any, name: str, *, create: bool) -> None:
        self._young, self._old, self._gone = (
            env.open_db(f"{kind}-{name}".encode(), create=create, dupsort=True, dupfixed=True)
            for kind in ("young", "old", "gone")
        )
        self._trees = (self._young, self._old)
        self._next = (b"", b"")

    # -- reading --------------------------------------------------------------------------------

    def entries(self, txn: Any, site: bytes) -> Iterator[bytes]:
        """A site's entries in order."""
        gone = set(_of_site(txn, self._gone, site))
        return (entry for entry in merge(*(_of_site(txn, tree, site) for tree in self._trees)) if entry not in gone)

    def first(self, txn: Any, site: bytes, number: int, without: Set[bytes]) -> list[bytes]:
        """A site's first entries, put behind the site, but not those in `without`."""
        gone = set(_of_site(txn, self._gone, site))
        found: list[bytes] = []
        for tree in self._trees:
            keys = (site + entry for entry in _of_site(txn, tree, site) if entry not in gone)
            found += islice((key for key in keys if key not in without) if without else keys, number)
        return sorted(found)[:number]

    def one_beginning_with(self, txn: Any, key: bytes) -> bytes | None:
        """As `beginning_with`, for one key."""
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

        Keys in sorted order are found fastest. Entries taken out may still be found.
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

    def read_on(self, txn: Any, place: Place, most: int) -> tuple[list[bytes], Place | None]:
        """Up to so many entries of any site from a place on, and the place behind them; None behind all.

        Who goes on so from transaction to transaction misses nothing that was there from the beginning: the young
        tree comes first, and what moves on in the meantime goes where is still to be read.
        """
        number, site, entry = place
        cursor = txn.cursor(self._trees[number])
        pairs = list(islice(cursor.iternext(), most + 1)) if _go_to(cursor, site, entry) else []
        if len(pairs) > most:
            behind: Place | None = (number, *pairs.pop())
        else:
            behind = (number + 1, b"", b"") if number + 1 < len(self._trees) else None
        return [entry for _, entry in pairs], behind

    # -- writing --------------------------------------------------------------------------------

    def add(self, txn: Any, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        """Put (site, entry) pairs in that are not in yet, sorted."""
        if pairs:
            gone = txn.cursor(self._gone)
            for site, group in groupby(pairs, key=_SITE):
                if gone.set_key(site):
                    self._come_back(txn, site, [entry for _, entry in group])
            txn.cursor(self._young).putmulti(pairs)

    def _come_back(self, txn: Any, site: bytes, entries: Iterable[bytes]) -> None:
        for entry in entries:
            if txn.delete(site, entry, db=self._gone):
                self._remove(txn, site, entry)

    def discard(self, txn: Any, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        """Take (site, entry) pairs out, sorted."""
        if pairs:
            gone = txn.cursor(self._gone)
            gone.putmulti(pairs)
            for site, _ in groupby(pairs, key=_SITE):
                if gone.set_key(site) and gone.count() > MOST_GONE:
                    self._clear(txn, site)

    def _clear(self, txn: Any, site: bytes) -> None:
        for entry in list(_of_site(txn, self._gone, site)):
            self._remove(txn, site, entry)
        txn.delete(site, db=self._gone)

    def _remove(self, txn: Any, site: bytes, entry: bytes) -> None:
        if not txn.delete(site, entry, db=self._young):
            txn.delete(site, entry, db=self._old)

    def move_on(self, txn: Any) -> None:
        """Let what is too much for the young tree move into the old one, going on where the last move ended."""
        surplus = int(txn.stat(self._young)["entries"]) - MOST_YOUNG
        if surplus <= 0:
            return
        cursor = txn.cursor(self._young)
        if not (_go_to(cursor, *self._next) or cursor.first()):
            return
        moving = list(islice(cursor.iternext(), surplus + 1))
        self._next = moving.pop() if len(moving) > surplus else (b"", b"")
        txn.cursor(self._old).putmulti(moving)
        in_part = (moving[0][0], self._next[0])
        for site, pairs in groupby(moving, key=_SITE):
            if site not in in_part:
                txn.delete(site, db=self._young)
                continue
            for _, entry in pairs:
                txn.delete(site, entry, db=self._young)


def _of_site(txn: Any, tree: Any, site: bytes) -> Iterator[bytes]:
    cursor = txn.cursor(tree)
    entries: Iterator[bytes] = cursor.iternext_dup() if cursor.set_key(site) else iter(())
    return entries


def _go_to(cursor: Any, site: bytes, entry: bytes) -> bool:
    """Put a cursor to the first entry that is not before this one of a site; of no site, to the very first."""
    if not site:
        return bool(cursor.first())
    return bool(cursor.set_range_dup(site, entry) or cursor.set_range(_after(site)))


def _after(site: bytes) -> bytes:
    return (int.from_bytes(site, "big") + 1).to_bytes(5, "big")[1:]
