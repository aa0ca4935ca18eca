"""Sorted sets of short entries, one per site, that stay quick to fill however large they grow.

Links found on one page belong anywhere in such a set, so in a single large tree
each of them would cost a page of the file. Therefore a young tree, small enough
that a batch fills its pages well, takes everything new; when it is full, all of it
is written as a sorted run, merged with those that are not much longer. What is taken
out is only noted as gone at first; a site's notes are acted on together: entries in
the young tree are removed, and of a run's entries those at the site's beginning are
passed over from then on. What is gone from amid a run is noted elsewhere, until all
before it is gone or the run is merged. All of it changes in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from heapq import merge
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from lycosa.storage import sorted_runs
from lycosa.storage.sorted_runs import Marks, Rows, SortedRuns, as_rows, below, common, due, merged, row

MOST_YOUNG = 400_000
"""Entries that the young tree is let grow to, unless something else is asked for."""

MOST_GONE = 64
"""Entries of a site that may be gone and not acted on."""

LOOKED_AT = 64
"""Entries of a run that are looked at together."""

GONE_SHARE = 4
"""When this fraction of all entries is gone, all runs are merged."""

TABLES = 4 + sorted_runs.TABLES
SITE_BYTES = 4

_SITE = itemgetter(0)


class SiteSets:
    """A sorted set of entries of one size for each site; a site is four bytes."""

    def __init__(
        self, env: Any, folder: Path, name: str, size: int, *, owner: bool, most_young: int = MOST_YOUNG
    ) -> None:
        self._young, self._gone, self._amid = (
            env.open_db(f"{kind}-{name}".encode(), create=owner, dupsort=True, dupfixed=True)
            for kind in ("young", "gone", "amid")
        )
        self._passed = env.open_db(f"passed-{name}".encode(), create=owner)
        """How many rows of a run, by its number and a site, come before the first that is not passed over."""
        self._most_young, self._size, self._width = most_young, size, SITE_BYTES + size
        self._runs = SortedRuns(env, folder, name, self._width, owner=owner)
        self.look, self.sweep, self.damaged = self._runs.look, self._runs.sweep, self._runs.damaged

    # -- reading --------------------------------------------------------------------------------

    def entries(self, txn: Any, site: bytes) -> Iterator[bytes]:
        """A site's entries in order."""
        is_gone = self._notes(txn, site)
        in_runs = (self._in_run(rows, self._begin(txn, number, rows, site), site) for number, rows in self._runs)
        return (entry for entry in merge(_of_site(txn, self._young, site), *in_runs) if not is_gone(entry))

    def _in_run(self, rows: Rows, at: int, site: bytes) -> Iterator[bytes]:
        """A site's entries in a run from a place on."""
        while len(part := _of(rows[at : at + LOOKED_AT], site)):
            yield from (key[SITE_BYTES:] for key in _split(part, self._width))
            at += len(part)

    def first(self, txn: Any, site: bytes, number: int, without: Set[bytes]) -> list[bytes]:
        """A site's first entries, put behind the site, but not those in `without`."""
        is_gone = self._notes(txn, site)
        begins = [(rows, self._begin(txn, run, rows, site)) for run, rows in self._runs]
        most = number + MOST_GONE
        while True:
            young = [site + entry for entry in islice(_of_site(txn, self._young, site), most)]
            parts = [as_rows(b"".join(young), self._width)] if young else []
            parts += [part for rows, at in begins if len(part := _of(rows[at : at + most], site))]
            if not parts:
                return []
            cut_off = [row(part, most - 1) for part in parts if len(part) == most]
            candidates = np.concatenate(parts)
            candidates.sort(kind="stable")
            keys = _split(candidates, self._width)
            if cut_off:
                keys = keys[: keys.index(min(cut_off)) + 1]
            kept = (key for key in keys if key not in without and not is_gone(key[SITE_BYTES:]))
            found = list(islice(kept, number))
            if len(found) == number or not cut_off:
                return found
            most *= 4

    def one_beginning_with(self, txn: Any, key: bytes) -> bytes | None:
        """As `beginning_with`, for one key."""
        return self.beginning_with(txn, [key]).get(key)

    def beginning_with(self, txn: Any, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The entries that begin with the rest of these keys (a site, then the beginning), by key.

        Keys, of one length, are found fastest in sorted order. Entries taken out may still be found.
        """
        found: dict[bytes, bytes] = {}
        missing: list[bytes] = []
        cursor = txn.cursor(self._young)
        seek, entry_here = cursor.set_range_dup, cursor.value
        for key in keys:
            beginning = key[SITE_BYTES:]
            if seek(key[:SITE_BYTES], beginning) and (entry := entry_here()).startswith(beginning):
                found[key] = entry
            else:
                missing.append(key)
        for _, rows in self._runs:
            if missing:
                missing = self._look_in(rows, missing, found)
        return found

    def _look_in(self, rows: Rows, keys: list[bytes], found: dict[bytes, bytes]) -> list[bytes]:
        """Look for keys in a run; returns those that are not there."""
        places = np.minimum(rows.searchsorted(np.array(keys, rows.dtype)), len(rows) - 1)
        missing = []
        for key, here in zip(keys, _split(rows[places], self._width), strict=True):
            if here.startswith(key):
                found[key] = here[SITE_BYTES:]
            else:
                missing.append(key)
        return missing

    def all_rows(self, txn: Any) -> Iterator[Rows]:
        """All entries behind their sites, some at a time, in no order; those taken out may be among them."""
        yield self._all_of(txn, self._young)
        for _, rows in self._runs:
            yield from (rows[at : at + sorted_runs.AT_ONCE] for at in range(0, len(rows), sorted_runs.AT_ONCE))

    def _notes(self, txn: Any, site: bytes) -> Callable[[bytes], bool]:
        """Whether an entry of a site is noted as gone."""
        fresh, amid = set(_of_site(txn, self._gone, site)), txn.cursor(self._amid)
        if not amid.set_key(site):
            return fresh.__contains__
        return lambda entry: entry in fresh or bool(amid.set_key_dup(site, entry))

    def _begin(self, txn: Any, number: int, rows: Rows, site: bytes) -> int:
        """Where a site's rows begin in a run, without those that are passed over."""
        passed = txn.get(_passed_key(number, site), db=self._passed)
        return below(rows, site) if passed is None else int.from_bytes(passed, "big")

    def _all_of(self, txn: Any, tree: Any) -> Rows:
        """All entries of a tree behind their sites, in order."""
        cursor = txn.cursor(tree)
        sites = list(cursor.iternext_nodup(values=False)) if cursor.first() else []
        return as_rows(cursor.getmulti(sites, dupdata=True, dupfixed_bytes=self._size, keyfixed=True), self._width)

    # -- writing --------------------------------------------------------------------------------

    def add(self, txn: Any, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        """Put (site, entry) pairs in that are not in yet, sorted."""
        if pairs:
            there: set[tuple[bytes, bytes]] = set()
            noted = [tree for tree in (self._gone, self._amid) if txn.stat(tree)["entries"]]
            for site, group in groupby(pairs, key=_SITE) if noted else ():
                if any(txn.cursor(tree).set_key(site) for tree in noted):
                    there.update(pair for pair in group if self._unnote(txn, pair) and self._lies(txn, *pair))
            txn.cursor(self._young).putmulti([pair for pair in pairs if pair not in there] if there else pairs)

    def _unnote(self, txn: Any, pair: tuple[bytes, bytes]) -> bool:
        """Take back the notes of an entry; whether there were any."""
        fresh, amid = (txn.delete(*pair, db=tree) for tree in (self._gone, self._amid))
        return bool(fresh or amid)

    def _lies(self, txn: Any, site: bytes, entry: bytes) -> bool:
        """Whether an entry that is noted as gone is still where it was."""
        if txn.cursor(self._young).set_key_dup(site, entry):
            return True
        key = site + entry
        places = ((rows, below(rows, key), self._begin(txn, number, rows, site)) for number, rows in self._runs)
        return any(at >= begin and row(rows, at) == key for rows, at, begin in places)

    def discard(self, txn: Any, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        """Take (site, entry) pairs out, sorted."""
        if pairs:
            gone = txn.cursor(self._gone)
            gone.putmulti(pairs)
            for site, _ in groupby(pairs, key=_SITE):
                if gone.set_key(site) and gone.count() > MOST_GONE:
                    self._clear(txn, site)

    def _clear(self, txn: Any, site: bytes) -> None:
        """Act on a site's notes."""
        noted = list(_of_site(txn, self._gone, site))
        in_runs = {entry for entry in noted if not txn.delete(site, entry, db=self._young)}
        txn.delete(site, db=self._gone)
        if in_runs:
            self._pass_over(txn, site, in_runs)
            txn.cursor(self._amid).putmulti([(site, entry) for entry in sorted(in_runs)])

    def _pass_over(self, txn: Any, site: bytes, gone: set[bytes]) -> None:
        """Pass over what is gone at the beginning of a site's rows, and take it out of what is noted."""
        amid = txn.cursor(self._amid).set_key(site)
        for number, rows in self._runs:
            begin = at = self._begin(txn, number, rows, site)
            for entry in self._in_run(rows, at, site):
                if entry in gone:
                    gone.discard(entry)
                elif not (amid and txn.delete(site, entry, db=self._amid)):
                    break
                at += 1
            if at > begin:
                txn.put(_passed_key(number, site), at.to_bytes(8, "big"), db=self._passed)

    def move_on(self, txn: Any) -> None:
        """Write what the young tree holds as a run when it is full, with the runs that are not much longer."""
        new = int(txn.stat(self._young)["entries"])
        if new <= self._most_young:
            return
        runs = list(self._runs)
        noted = sum(int(txn.stat(tree)["entries"]) for tree in (self._gone, self._amid))
        in_all = new + sum(len(rows) for _, rows in runs)
        number = len(runs) if noted > in_all // GONE_SHARE else due([len(rows) for _, rows in runs], new)
        chosen = runs[len(runs) - number :]
        sources = [(rows, self._not_passed(txn, run, rows)) for run, rows in chosen]
        sources.append((self._all_of(txn, self._young), np.ones(new, np.bool_)))
        for tree in (self._gone, self._amid):
            settled = self._unmark_gone(txn, tree, sources)
            if number == len(runs):
                txn.drop(tree, delete=False)
            else:
                self._forget(txn, tree, settled)
        self._runs.replace(txn, [run for run, _ in chosen], merged(sources))
        txn.drop(self._young, delete=False)
        for run, _ in chosen:
            for key in [key for key, _ in self._passed_in(txn, run)]:
                txn.delete(key, db=self._passed)

    def clear(self, txn: Any) -> None:
        """Take everything out."""
        for tree in (self._young, self._gone, self._amid, self._passed):
            txn.drop(tree, delete=False)
        self._runs.clear(txn)

    def write_run(self, txn: Any, keys: Iterable[bytes]) -> None:
        """Put many entries, behind their sites, in at once that are not in yet."""
        self._runs.replace(txn, (), [as_rows(b"".join(sorted(keys)), self._width)])

    def _not_passed(self, txn: Any, number: int, rows: Rows) -> Marks:
        """The rows of a run that are not passed over."""
        marks = np.ones(len(rows), np.bool_)
        passed = self._passed_in(txn, number)
        begins = rows.searchsorted(np.array([key[8:] for key, _ in passed], rows.dtype))
        for begin, (_, end) in zip(begins.tolist(), passed, strict=True):
            marks[begin:end] = False
        return marks

    def _unmark_gone(self, txn: Any, tree: Any, sources: Sequence[tuple[Rows, Marks]]) -> list[Rows]:
        """Let rows that are noted as gone count no more. Returns the notes of them."""
        notes, settled = self._all_of(txn, tree), []
        for rows, marks in sources if len(notes) else ():
            places, noted = common(rows, notes)
            alive = marks[places]
            marks[places[alive]] = False
            settled.append(notes[noted[alive]])
        return settled

    def _forget(self, txn: Any, tree: Any, notes: Iterable[Rows]) -> None:
        for some in notes:
            for at in range(0, len(some), sorted_runs.AT_ONCE):
                for key in _split(some[at : at + sorted_runs.AT_ONCE], self._width):
                    txn.delete(key[:SITE_BYTES], key[SITE_BYTES:], db=tree)

    def _passed_in(self, txn: Any, number: int) -> list[tuple[bytes, int]]:
        """What is passed over in a run: keys with the place behind, in order of sites."""
        found, cursor = [], txn.cursor(self._passed)
        beginning = _passed_key(number, b"")
        if cursor.set_range(beginning):
            for key, place in cursor:
                if not key.startswith(beginning):
                    break
                found.append((key, int.from_bytes(place, "big")))
        return found


def _of_site(txn: Any, tree: Any, site: bytes) -> Iterator[bytes]:
    cursor = txn.cursor(tree)
    entries: Iterator[bytes] = cursor.iternext_dup() if cursor.set_key(site) else iter(())
    return entries


def _passed_key(number: int, site: bytes) -> bytes:
    return number.to_bytes(8, "big") + site


def _end(rows: Rows, site: bytes) -> int:
    """Where a site's rows end."""
    after = int.from_bytes(site, "big") + 1
    return below(rows, after.to_bytes(SITE_BYTES, "big")) if after < 1 << 8 * SITE_BYTES else len(rows)


def _of(rows: Rows, site: bytes) -> Rows:
    """The rows of a site among some that begin with them."""
    return rows if len(rows) and row(rows, len(rows) - 1).startswith(site) else rows[: _end(rows, site)]


def _split(rows: Rows, width: int) -> list[bytes]:
    data = rows.tobytes()
    return [data[at : at + width] for at in range(0, len(data), width)]
