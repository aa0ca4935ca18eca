"""The rows of visitors by their hashes, put in, found and dropped many at once.

Every ending of a hash has one place in a table. Whoever finds it taken by somebody
else is kept beside the table, one by one; the table grows, so these are few.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lycosa.clickstream.server_logs.parsing.byte_slices import Places, Words

NO_ROW = -1
_ROOM = 1 << 13
_SPARSE = 4
"""Places in the table for each visitor, at least."""


class VisitorRows:
    """Rows by hash."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        self._begin(_ROOM)

    def _begin(self, room: int) -> None:
        self._hashes: Words = np.zeros(room, np.uint64)
        self._rows: NDArray[np.int32] = np.full(room, NO_ROW, np.int32)
        self._is_crowded: NDArray[np.bool_] = np.zeros(room, bool)
        self._beside: dict[int, int] = {}
        self._length = 0

    def _places(self, hashes: Words) -> Places:
        return (hashes & np.uint64(len(self._rows) - 1)).view(np.int64)

    def find(self, hashes: Words) -> Places:
        """The row of each visitor, or NO_ROW."""
        places = self._places(hashes)
        found = self._rows.take(places).astype(np.int64)
        found[self._hashes.take(places) != hashes] = NO_ROW
        if self._beside:
            doubtful = np.flatnonzero(self._is_crowded.take(places) & (found == NO_ROW))
            found[doubtful] = [self._beside.get(visitor, NO_ROW) for visitor in hashes[doubtful].tolist()]
        return found

    def put(self, hashes: Words, rows: Places) -> None:
        """Rows of visitors who are not here yet."""
        if _SPARSE * (self._length + len(hashes)) > len(self._rows):
            hashes, rows = self._grow(hashes, rows)
        self._length += len(hashes)
        places = self._places(hashes)
        free = np.flatnonzero(self._rows.take(places) == NO_ROW)
        self._hashes[places[free]], self._rows[places[free]] = hashes[free], rows[free]
        late = np.flatnonzero(self._rows.take(places) != rows)
        self._is_crowded[places[late]] = True
        self._beside.update(zip(hashes[late].tolist(), rows[late].tolist(), strict=True))

    def _grow(self, hashes: Words, rows: Places) -> tuple[Words, Places]:
        """A larger, empty table; returns all that is to be in it."""
        here = self._rows != NO_ROW
        hashes = np.concatenate((hashes, self._hashes[here], np.fromiter(self._beside, np.uint64)))
        rows = np.concatenate((rows, self._rows[here], np.fromiter(self._beside.values(), np.int64)))
        room = len(self._rows)
        while _SPARSE * len(hashes) > room:
            room *= 2
        self._begin(room)
        return hashes, rows

    def drop(self, hashes: Words) -> None:
        """Forget visitors; whoever is not here is no mistake."""
        places = self._places(hashes)
        here = (self._hashes.take(places) == hashes) & (self._rows.take(places) != NO_ROW)
        self._hashes[places[here]], self._rows[places[here]] = 0, NO_ROW
        self._length -= int(np.count_nonzero(here))
        if self._beside:
            before = len(self._beside)
            for visitor in hashes[~here].tolist():
                self._beside.pop(visitor, None)
            self._length -= before - len(self._beside)
            self._is_crowded[:] = False
            self._is_crowded[self._places(np.fromiter(self._beside, np.uint64, len(self._beside)))] = True
