"""Reading a crawl's agents together, whether they run or not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import lmdb

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.reading_apart import DAMAGE, LONG, damage_named
from lycosa.reading_processes import ReadingDied, ReadingProcesses
from lycosa.storage.agent_store import AgentStore


@contextmanager
def reading(folder: CrawlFolder) -> Iterator[list[AgentStore]]:
    """The stores of all agents of a crawl, open for reading."""
    with ExitStack() as stack:
        stores = [
            stack.enter_context(AgentStore(path / "store", readonly=True))
            for path in folder.agents(folder.configuration().agents)
            if (path / "store" / "ready").exists()
        ]
        if not stores:
            raise CrawlError(f"crawl {folder.name!r} has fetched nothing yet; start it with `lycosa resume`")
        yield stores


def damaged_agents(folder: CrawlFolder) -> dict[int, str]:
    """The agents whose stores cannot be read from end to end, and why: it is tried in processes that may die of it."""
    found = {}
    with closing(ReadingProcesses()) as processes:
        for number, path in enumerate(folder.agents(folder.configuration().agents)):
            store = path / "store"
            if not (store / "ready").exists():
                continue
            try:
                processes.call(store, read_through, store, patience=LONG)
            except lmdb.MemoryError:
                with damage_named(folder.name):
                    raise
            except ReadingDied as error:
                found[number] = str(error)
            except DAMAGE as error:
                found[number] = f"{type(error).__name__}: {error}".replace(f"{store}: ", "").strip().splitlines()[-1]
    return found


def read_through(store: Path) -> None:
    """Read everything that a store holds."""
    with AgentStore(store, readonly=True) as opened:
        opened.read_all()
