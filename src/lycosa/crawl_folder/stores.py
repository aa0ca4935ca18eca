"""Reading a crawl's agents together, whether they run or not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
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
