"""Reading a crawl where its damage harms nobody: in a process that may die, and with a sentence for whoever asked."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import lmdb
import msgspec

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.reading_processes import PATIENCE, Broken, ReadingDied, ReadingSlow, apart

_OF_THE_MACHINE = (lmdb.LockError, lmdb.ReadersFullError, lmdb.DiskError, lmdb.MapFullError)
DAMAGE = (ReadingDied, Broken, lmdb.Error, msgspec.DecodeError, struct.error, zlib.error, LookupError, ValueError,
          OverflowError, EOFError, AssertionError)  # fmt: skip
"""What reading a file raises whose bytes are not those that were written."""
LONG = 600.0
"""Seconds that somebody may read who reads all of a crawl."""
P = ParamSpec("P")
T = TypeVar("T")


class CrawlDamaged(CrawlError):
    """Files of a crawl are not as they were written, and cannot be read."""


class NoMemory(CrawlError):
    """A crawl cannot be read in the memory that there is."""


@contextmanager
def damage_named(name: str) -> Iterator[None]:
    """What goes wrong in reading a crawl because of damage, or for want of memory, is told by a sentence."""
    try:
        yield
    except (MemoryError, lmdb.MemoryError) as error:
        raise NoMemory(
            f"there is too little memory to read {name!r}; end other programs, or give this one more "
            "(`ulimit -v` must be unlimited: stores are mapped)"
        ) from error
    except _OF_THE_MACHINE:
        raise
    except ReadingSlow as error:
        raise CrawlDamaged(
            f"{name!r} cannot be read: {error}. It may be large, or damaged: run `lycosa check {name}`"
        ) from error
    except DAMAGE as error:
        raise CrawlDamaged(f"{name!r} is damaged: run `lycosa check {name}`") from error


def read_apart(patience: float = PATIENCE) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Have a function about a crawl, its first argument, run in the process that reads it, where there is one."""

    def marked(function: Callable[P, T]) -> Callable[P, T]:
        reading = apart(_path_of, patience)(function)

        @wraps(function)
        def named(*args: P.args, **more: P.kwargs) -> T:
            with damage_named(_path_of(args[0]).name):
                return reading(*args, **more)

        return named

    return marked


def _path_of(folder: object) -> Path:
    assert isinstance(folder, CrawlFolder)
    return folder.path
