"""Click stores that stay open between two looks, in processes that may die of what is damaged.

Opening a store takes the writer's lock for every table.

LMDB has its tables opened in a transaction that writes, and whoever waits for that lets
no other thread go on. So a store is opened once and kept, a few of them at most; one
whose folder was removed meanwhile is opened anew.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from lycosa.crawl_folder.folder import CrawlError
from lycosa.crawl_folder.reading_apart import DAMAGE, LONG
from lycosa.reading_processes import apart
from lycosa.storage.click_store import ClickStore

MOST_OPEN = 16
P = ParamSpec("P")
T = TypeVar("T")


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
    def of(self, folder: Path, *, make: bool = False) -> Iterator[ClickStore]:
        """The store in a folder, which is made where there is none and `make` says so."""
        with self._one_by_one:
            kept = self._taken(folder, make)
            kept.users += 1
        try:
            yield kept.store
        finally:
            with self._one_by_one:
                kept.users -= 1

    def _taken(self, folder: Path, make: bool) -> _Kept:
        kept, file = self._kept.get(folder), _number(folder)
        if kept is not None and kept.file != file and not kept.users:
            self._kept.pop(folder).store.close()
            kept = None
        if kept is None:
            kept = self._kept[folder] = _Kept(ClickStore(folder, readonly=not make), _number(folder))
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


class ClicksDamaged(CrawlError):
    """A click store is not as it was written."""


def in_store(folder: Path, act: Callable[Concatenate[ClickStore, P], T], *args: P.args, **named: P.kwargs) -> T:
    """What a function of a module does with the click store in a folder."""
    found: T = _damage_named(folder, act, args, named, make=False)
    return found


def in_new_store(folder: Path, act: Callable[Concatenate[ClickStore, P], T], *args: P.args, **named: P.kwargs) -> T:
    """The same, where the store may have to be made."""
    found: T = _damage_named(folder, act, args, named, make=True)
    return found


def _damage_named(
    folder: Path, act: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any], *, make: bool
) -> Any:
    try:
        return _in_store(folder, act, args, named, make)
    except DAMAGE as error:
        whose = "all watched sites" if (folder.parent / "crawls").is_dir() else f"the crawl {folder.parent.name!r}"
        raise ClicksDamaged(
            f"what visitors of {whose} did cannot be read: its store is damaged; "
            "move its folder “clicks” away, or put a copy in its place"
        ) from error


@apart(lambda folder: folder, LONG)
def _in_store(folder: Path, act: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any], make: bool) -> Any:
    with open_stores.of(folder, make=make) as store:
        return act(store, *args, **named)
