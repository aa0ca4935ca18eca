"""The open LMDB environments of this process: LMDB wants each folder opened once, but many threads may ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import lmdb

MAP_SIZE = 1 << 40
MOST_READERS = 512
_open: dict[str, tuple[Any, dict[str, Any], int]] = {}
_one_by_one = Lock()
opening = Lock()
"""Held while tables are opened, which LMDB wants done by one thread at a time."""


def take(folder: Path, most: int, names: Sequence[str] = (), *, readonly: bool = False) -> tuple[Any, dict[str, Any]]:
    """The environment of a folder, which may have at `most` so many tables, and those of them that are named.

    Who only reads may share what somebody writes. Named tables are opened once: that is a transaction, for which one
    thread would wait for ever while another one writes.
    """
    with _one_by_one:
        name = str(folder.resolve())
        if name not in _open:
            env = lmdb.open(name, map_size=MAP_SIZE, max_dbs=most, max_readers=MOST_READERS, readonly=readonly)
            env.reader_check()
            tables = {table: env.open_db(table.encode(), create=not readonly) for table in names}
            _open[name] = (env, tables, 0)
        env, tables, users = _open[name]
        if not readonly and env.flags()["readonly"]:
            raise lmdb.Error(f"{folder} is being read by this process, which cannot write to it at the same time")
        _open[name] = (env, tables, users + 1)
        return env, tables


def give_back(folder: Path) -> None:
    """Close the environment when its last user is gone."""
    with _one_by_one:
        name = str(folder.resolve())
        env, tables, users = _open[name]
        if users > 1:
            _open[name] = (env, tables, users - 1)
        else:
            del _open[name]
            env.close()
