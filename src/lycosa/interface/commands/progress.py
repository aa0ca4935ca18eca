"""Progress of long work: one line that is written over on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from typing import TextIO

from lycosa.crawl_folder.status import Status
from lycosa.interface.shared import wording

PLAIN_EVERY = 5.0


class ProgressLine:
    """Tells how a crawl is doing."""

    def __init__(self, stream: TextIO, *, quiet: bool = False) -> None:
        self._stream, self._quiet = stream, quiet
        self._written = float("-inf")
        self._live = stream.isatty()

    def show(self, status: Status) -> None:
        """Show a state, if it is time to."""
        now = time.monotonic()
        if self._quiet or now - self._written < (0.3 if self._live else PLAIN_EVERY):
            return
        self._written = now
        if self._live:
            self._stream.write("\r\x1b[K" + line_of(status))
        else:
            self._stream.write(line_of(status) + "\n")
        self._stream.flush()

    def finish(self, status: Status) -> None:
        """Show the last state and leave the line."""
        if not self._quiet:
            self._stream.write(("\r\x1b[K" if self._live else "") + line_of(status) + "\n")
            self._stream.flush()


def line_of(status: Status) -> str:
    """A crawl in one line."""
    sums = status.sums
    budget = f"/{status.budget}" if status.budget else ""
    parts = [
        f"{status.name} {status.state}",
        f"{sums['fetched']}{budget} pages",
        f"{status.pages_per_second:.0f}/s",
        f"harvest {status.harvest:.0%}",
        f"queue {sums['waiting']}",
        f"{sums['sites']} sites",
    ]
    failures = sum(status.failed.values())
    if failures:
        parts.append(f"{failures} failed")
    if status.seconds_left is not None:
        parts.append(f"ETA {wording.span(status.seconds_left)}")
    if status.restarts:
        parts.append(f"{status.restarts} restarts")
    return " · ".join(parts)
