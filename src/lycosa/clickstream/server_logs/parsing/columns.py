"""A block of requests as columns: times, states, and where in the bytes each field stands."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lycosa.clickstream.server_logs.parsing.byte_slices import Places

TARGET, REFERRER, AGENT, ADDRESS, HOST, SESSION = range(6)
FIELDS = 6


@dataclass(slots=True)
class LineBlock:
    """The requests of a block. `starts` and `ends` have one column per field (TARGET ...) of places in `data`."""

    data: bytes
    lines: int
    rows: Places
    at: Places
    status: Places
    get: NDArray[np.bool_]
    starts: list[Places]
    ends: list[Places]
    bad: int = 0
    assets: int = 0
    examples: list[tuple[int, bytes]] = field(default_factory=list)

    def text(self, name: int, row: int) -> bytes:
        """A field of a request as it stands in the log."""
        return self.data[self.starts[name].item(row) : self.ends[name].item(row)]

    def only(self, chosen: Places) -> LineBlock:
        """Some of the requests."""
        rows, at, status = (each.take(chosen) for each in (self.rows, self.at, self.status))
        starts, ends = ([each.take(chosen) for each in places] for places in (self.starts, self.ends))
        found = LineBlock(self.data, self.lines, rows, at, status, self.get.take(chosen), starts, ends)
        if self.is_plain:
            found.make_plain()
        return found

    @classmethod
    def none(cls, data: bytes) -> LineBlock:
        """No request."""
        none = np.zeros(0, np.int64)
        return cls(data, 0, none, none, none, none.astype(bool), [none] * FIELDS, [none] * FIELDS)

    @property
    def is_plain(self) -> bool:
        """Whether no line names its host or its session."""
        return self.ends[HOST] is self.starts[HOST]

    def make_plain(self) -> None:
        """Say that no line names its host or its session."""
        for name in (HOST, SESSION):
            self.starts[name] = self.ends[name] = np.zeros_like(self.rows)
