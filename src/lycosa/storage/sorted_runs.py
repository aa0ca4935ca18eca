"""Sorted runs: files of short rows of one length, written once, and merged into longer ones.

They hold what has grown too large for a tree, in which each new entry would cost a
page of the file. A run is at least half as long as all that are newer together, so
there are few of them however many rows there are, and a row is written again only
when what it lies among has become three times as much. Rows are sorted as their bytes
are, and mapped into memory: looking one up takes no memory of one's own.

Which runs there are stands in the store, in the caller's transaction: a file that no
transaction names, be it left by a crash, is nobody's.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import xxhash
from numpy.typing import NDArray

from lycosa.durable import sync, write_all
from lycosa.user_error import Mendable

TABLES = 1
AT_ONCE = 1 << 16
"""Rows of a run that are merged at a time: what the processor's cache holds."""
_LAST = b"last"
"""Where the store keeps the number of the newest run ever written."""
_NAMED = struct.Struct(">QQ")
"""What the store keeps of a run: how many rows it has, and a digest of them."""

Rows: TypeAlias = NDArray[np.bytes_]
"""Rows as an array of texts of bytes: they compare as bytes do, but must be read by `row`."""
Marks: TypeAlias = NDArray[np.bool_]
"""Which of some rows count."""


class RunLost(Mendable):
    """A file that the store names is not there, or not whole."""


class SortedRuns:
    """The runs of one set of rows, as the store named them when they were last looked at, oldest first."""

    def __init__(self, env: Any, folder: Path, name: str, width: int, *, owner: bool) -> None:
        self._table = env.open_db(f"runs-{name}".encode(), create=owner)
        self._folder, self._name, self._width, self._owner = folder, name, width, owner
        self._runs: dict[int, Rows] = {}
        self._lost: RunLost | None = None

    def __iter__(self) -> Iterator[tuple[int, Rows]]:
        """Numbers and rows, oldest first. Raises RunLost where one is not to be had."""
        if self._lost is not None:
            raise RunLost(
                f"the way to known URLs is damaged ({self._lost}); `lycosa check NAME --repair` builds it again"
            ) from self._lost
        return iter(self._runs.items())

    # -- which there are ------------------------------------------------------------------------

    def look(self, txn: Any) -> bool:
        """See which runs there are now; whether all of them are to be had.

        Who owns them takes away the files of those that are no more.
        """
        named = self._named(txn)
        for number in self._runs.keys() - named.keys():
            del self._runs[number]
            if self._owner:
                _take_away(self._path(number))
        self._lost = None
        for number in sorted(named.keys() - self._runs.keys()):
            try:
                self._runs[number] = _mapped(self._path(number), self._width, named[number][0])
            except RunLost as error:
                self._lost = error
        return self._lost is None

    def _named(self, txn: Any) -> dict[int, tuple[int, int]]:
        """Lengths and digests of the runs that the store names."""
        cursor = txn.cursor(self._table)
        return {_number(key): _NAMED.unpack(value) for key, value in cursor if key != _LAST}

    def sweep(self, txn: Any) -> None:
        """Take away files that the store does not name: a crash left them."""
        named = {self._path(number) for number in self._named(txn)}
        for path in self._folder.glob(f"{self._name}-*.run"):
            if path not in named:
                _take_away(path)

    def damaged(self, txn: Any) -> Iterator[tuple[str, str]]:
        """The files that are not as they were written, and why."""
        for number, (length, digest) in self._named(txn).items():
            path, rows = self._path(number), self._runs.get(number)
            try:
                rows = _mapped(path, self._width, length) if rows is None else rows
            except RunLost as error:
                yield path.name, str(error)
                continue
            found = xxhash.xxh3_64()
            for at in range(0, length, AT_ONCE):
                found.update(rows[at : at + AT_ONCE].tobytes())
            if found.intdigest() != digest:
                yield path.name, "its bytes are not those that were written"

    # -- writing --------------------------------------------------------------------------------

    def replace(self, txn: Any, runs: Iterable[int], rows: Iterable[Rows]) -> None:
        """Name one new run in place of others; it counts once the transaction does."""
        number = _number(txn.get(_LAST, b"", db=self._table)) + 1
        length, digest = self._write(self._path(number), rows)
        for old in runs:
            txn.delete(_key(old), db=self._table)
        if length:
            txn.put(_key(number), _NAMED.pack(length, digest), db=self._table)
        else:
            _take_away(self._path(number))
        txn.put(_LAST, _key(number), db=self._table)

    def clear(self, txn: Any) -> None:
        """Name no run any more."""
        for number in self._named(txn):
            txn.delete(_key(number), db=self._table)

    def _write(self, path: Path, rows: Iterable[Rows]) -> tuple[int, int]:
        """Write rows into a file that lasts; returns how many, and their digest.

        A file that could not be written whole is taken away.
        """
        length, digest = 0, xxhash.xxh3_64()
        try:
            with path.open("wb", buffering=0) as file:
                for some in rows:
                    data = some.tobytes()
                    digest.update(data)
                    write_all(file, data)
                    length += len(some)
                os.fsync(file.fileno())
            sync(self._folder)
        except OSError:
            _take_away(path)
            raise
        return length, digest.intdigest()

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._name}-{number:06}.run"


def due(lengths: Sequence[int], new: int) -> int:
    """How many of the newest runs, whose lengths are given oldest first, are to be merged with so many new rows."""
    number, total = 0, new
    for place, length in enumerate(reversed(lengths), 1):
        if 2 * length < total:
            number = place
        total += length
    return number


def merged(sources: Sequence[tuple[Rows, Marks]]) -> Iterator[Rows]:
    """The marked rows of sorted sources in order, some at a time."""
    borders = np.sort(np.concatenate([rows[AT_ONCE::AT_ONCE] for rows, _ in sources]))
    cuts = [[0, *rows.searchsorted(borders).tolist(), len(rows)] for rows, _ in sources]
    for place in range(len(borders) + 1):
        here = [slice(cut[place], cut[place + 1]) for cut in cuts]
        some = np.concatenate([rows[part][marks[part]] for (rows, marks), part in zip(sources, here, strict=True)])
        some.sort(kind="stable")
        yield some


def as_rows(data: Any, width: int) -> Rows:
    """Bytes as rows of a length."""
    return np.frombuffer(data, f"S{width}")


def row(rows: Rows, place: int) -> bytes:
    """One row, with the zeros at its end."""
    return rows[place : place + 1].tobytes()


def below(rows: Rows, beginning: bytes) -> int:
    """How many rows come before those with a beginning."""
    return int(rows.searchsorted(np.array(beginning, rows.dtype)))


def common(one: Rows, other: Rows) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The places of rows that stand in both of two, neither of them empty: in the one, and in the other."""
    if len(one) > len(other):
        in_other, in_one = common(other, one)
        return in_one, in_other
    places = np.minimum(other.searchsorted(one), len(other) - 1)
    here = np.flatnonzero(other[places] == one)
    return here, places[here]


def _take_away(path: Path) -> None:
    """Remove a file that nobody needs; one that cannot be removed now is swept away at a later start."""
    with suppress(OSError):
        path.unlink()


def _mapped(path: Path, width: int, length: int) -> Rows:
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size != length * width:
                raise RunLost(f"{path.name} has {size} bytes instead of {length * width}")
            return as_rows(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ), width)
    except FileNotFoundError as error:
        raise RunLost(f"{path.name} is missing") from error


def _key(number: int) -> bytes:
    return number.to_bytes(8, "big")


def _number(key: bytes) -> int:
    return int.from_bytes(key, "big")
