"""Who links here: links sorted by where they lead, and those found since the sorting.

Sorting ten million links takes half a second, so it is done rarely: links that
came later hang in chains, one chain per page they lead to. A link that its page
no longer has is recognised by its age, since a page's links are always written
behind each other at the end of the store.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lycosa.link_graph.growing_arrays import Growing
from lycosa.link_graph.page_numbers import Numbers

FEWEST_LATE = 65_536
LATE_SHARE = 8
"""The sorted part is made anew once the late links are more than an eighth of all."""
_END = 0
"""Late links are counted from 1."""


class Parents:
    """The parents of every page. `starts` tells where each page's current links begin in the store."""

    def __init__(self, sources: Numbers, targets: Numbers, pages: int, stored: int) -> None:
        self._stored = stored
        packed = targets.astype(np.uint64)
        packed <<= np.uint64(32)
        packed |= sources.view(np.uint32)
        packed.sort()
        self._sources: Numbers = packed.astype(np.uint32).view(np.int32)
        self._ends = np.cumsum(np.bincount(targets, minlength=pages))
        self._newest = Growing(np.int32)
        self._older = Growing(np.int32)
        self._late_sources = Growing(np.int32)

    @property
    def is_outgrown(self) -> bool:
        return len(self._older) > max(FEWEST_LATE, len(self._sources) // LATE_SHARE)

    @property
    def bytes_used(self) -> int:
        late = self._newest.nbytes + self._older.nbytes + self._late_sources.nbytes
        return self._sources.nbytes + self._ends.nbytes + late

    def add(self, source: int, targets: NDArray[np.intp], pages: int) -> None:
        """Links that were just written at the end of the store. No target occurs twice."""
        self._newest.lengthen(pages)
        newest = self._newest.room
        first = len(self._older) + 1
        self._older.extend(newest[targets])
        newest[targets] = np.arange(first, first + len(targets))
        self._late_sources.extend_with(source, len(targets))

    def of(self, page: int, starts: NDArray[np.int64]) -> Numbers:
        """All pages that link here now."""
        if page < len(self._ends):
            early = self._sources[self._ends[page - 1] if page else 0 : self._ends[page]]
            early = early[starts[early] < self._stored]
        else:
            early = self._sources[:0]
        late = self._chain(page, starts)
        return np.concatenate((early, np.array(late, np.int32))) if late else early.copy()

    def _chain(self, page: int, starts: NDArray[np.int64]) -> list[int]:
        late: list[int] = []
        if page >= len(self._newest):
            return late
        older, sources = self._older.room, self._late_sources.room
        link = int(self._newest.room[page])
        while link != _END:
            source = int(sources[link - 1])
            if starts[source] < self._stored + link:
                late.append(source)
            link = int(older[link - 1])
        return late
