"""Our own indexes as engines for seeds (N1): what one crawl has found can be where another begins."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from html import unescape
from pathlib import Path

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import EngineFailed, Found, SeedEngine
from lycosa.reading_processes import ReadingDied, apart
from lycosa.search.index import Hit, IndexReader
from lycosa.search.query import understand
from lycosa.search.schema import IndexDamaged

_MARK = re.compile(r"</?b>")


def own_index(_configuration: Configuration, where: str) -> SeedEngine:
    """The engine over an index; `where` is the index's folder inside its crawl."""
    return OwnEngine(Path(where))


class OwnEngine:
    """Searches the index of a crawl on this machine. It need not be there before the first question."""

    def __init__(self, folder: Path) -> None:
        self.name = f"index:{folder.parent.name}"
        self._folder = folder

    async def search(self, query: str, number: int) -> Sequence[Found]:
        """The best pages of the index, beside the loop, so that other engines are not kept waiting."""
        return await asyncio.to_thread(self._search, query, number)

    def _search(self, query: str, number: int) -> list[Found]:
        try:
            found = _searched(self._folder, query, number)
        except (IndexDamaged, ReadingDied) as error:
            raise EngineFailed(
                f"{self.name}: its index cannot be read ({error}); resume the crawl, or leave it out"
            ) from error
        return [self._found(hit) for hit in found]

    def _found(self, hit: Hit) -> Found:
        return Found(hit.url, hit.title, unescape(_MARK.sub("", hit.snippet)), self.name, hit.score)


@apart(lambda index: index.parent)
def _searched(index: Path, query: str, number: int) -> tuple[Hit, ...]:
    """The best pages of an index, which is read where its damage harms nobody."""
    return IndexReader(index).search(understand(query), number).hits
