"""Requests for pages as columns, on their way from the lines of logs to sessions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lycosa.click_records import DAY
from lycosa.clickstream.server_logs.parsing.byte_slices import Places, Words
from lycosa.clickstream.server_logs.parsing.columns import LineBlock


@dataclass(slots=True)
class Requests:
    """Requests for pages, in the order of the log. `visitor` and `agent` are hashes of this import alone, `time` is the
    log's time; `block` and `row` say where the line is, `blocks` holds them."""

    visitor: Words
    agent: Words
    page: Places
    referrer: Places
    at: Places
    time: Places
    block: Places
    row: Places
    blocks: list[LineBlock]

    @property
    def day(self) -> Places:
        """The UTC day of each request."""
        return self.at // (DAY * 1000)

    def part(self, chosen: slice) -> Requests:
        """Some of them."""
        return Requests(**{name: getattr(self, name)[chosen] for name in _COLUMNS}, blocks=self.blocks)

    @classmethod
    def merged(cls, parts: list[Requests]) -> Requests:
        """Those of several logs by the log's time; at equal times in the order of the parts."""
        order = np.argsort(np.concatenate([part.time for part in parts]), kind="stable")
        offsets = np.cumsum([0, *(len(part.blocks) for part in parts)])
        columns = {name: np.concatenate([getattr(part, name) for part in parts])[order] for name in _COLUMNS}
        shifts = np.concatenate([np.full(len(part.at), offset) for part, offset in zip(parts, offsets, strict=False)])
        columns["block"] = columns["block"] + shifts[order]
        return cls(**columns, blocks=[block for part in parts for block in part.blocks])


_COLUMNS = ("visitor", "agent", "page", "referrer", "at", "time", "block", "row")
