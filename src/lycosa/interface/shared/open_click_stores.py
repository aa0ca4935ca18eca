"""Click stores that stay open between two looks: opening one takes the writer's lock for every table.

LMDB has its tables opened in a transaction that writes, and whoever waits for that lets
no other thread go on. So a store is opened once and kept, a few of them at most; one
whose folder was removed meanwhile is opened anew.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lycosa.storage.click_store import ClickStore

MOST_OPEN = 16


@dataclass(slots=True)
class _Kept:
    store: ClickStore
    file: int
    users: int = 0


class OpenStores:
    """The open click stores of this process, for whoever looks or forgets."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Path, _Kept] = OrderedDict()
        self._one_by_one = threading.Lock()

    @contextmanager
    def of(self, folder: Path) -> Iterator[ClickStore]:
        """The store in a folder, where there is one."""
        with self._one_by_one:
            kept = self._taken(folder)
            kept.users += 1
        try:
            yield kept.store
        finally:
            with self._one_by_one:
                kept.users -= 1

    def _taken(self, folder: Path) -> _Kept:
        kept, file = self._kept.get(folder), _number(folder)
        if kept is not None and kept.file != file and not kept.users:
            self._kept.pop(folder).store.close()
            kept = None
        if kept is None:
            kept = self._kept[folder] = _Kept(ClickStore(folder, readonly=True), file)
        self._kept.move_to_end(folder)
        for other in [each for each, held in self._kept.items() if not held.users and each != folder]:
            if len(self._kept) > MOST_OPEN:
                self._kept.pop(other).store.close()
        return kept


def _number(folder: Path) -> int:
    """What tells the file of a store from another one in its place."""
    try:
        return (folder / "data.mdb").stat().st_ino
    except FileNotFoundError:
        return 0


open_stores = OpenStores()
