"""Progress of long work: one line that is written over on a terminal, a line now and then elsewhere; how it ended."""

from __future__ import annotations

import time
from typing import TextIO

from lycosa.crawl_folder.status import FINISHED, Status
from lycosa.interface.shared import wording

PLAIN_EVERY = 5.0


class ProgressLine:
    """Tells how a crawl is doing."""

    def __init__(self, stream: TextIO, *, quiet: bool = False, before: int = 0) -> None:
        """`before` is how many pages there were when the work began."""
        self._stream, self._quiet, self._before = stream, quiet, before
        self._began = time.monotonic()
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

    def finish(self, status: Status, *, has_topic: bool = True) -> None:
        """Say how it ended, and leave the line."""
        self.leave(ending_of(status, time.monotonic() - self._began, self._before, has_topic=has_topic))

    def leave(self, last: str = "") -> None:
        """Put something last in the place of the line."""
        if not self._quiet and (last or self._live):
            self._stream.write(("\r\x1b[K" if self._live else "") + (f"{last}\n" if last else ""))
            self._stream.flush()


def line_of(status: Status) -> str:
    """A crawl in one line."""
    sums = status.sums
    budget = f"/{status.budget}" if status.budget else ""
    parts = [
        f"{status.name} {status.state}",
        f"{sums['fetched']}{budget} pages",
        *([] if status.over else [f"{status.pages_per_second:.0f}/s"]),
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


def ending_of(status: Status, seconds: float, before: int = 0, *, has_topic: bool = True) -> str:
    """How a crawl ended, and what to do next; there were so many pages `before` this run."""
    sums, name = status.sums, status.name
    fetched, new = sums["fetched"], sums["fetched"] - before
    pages = wording.counted(fetched, "page")
    pages += f", {wording.number(new)} of them" if before else ""
    told = [f"{pages} in {wording.span(seconds)}"]
    if fetched and has_topic:
        told.append(f"{status.harvest:.0%} on topic")
    told.append(f"{wording.counted(sums['waiting'], 'link')} left")
    onward = f"Go on with it: lycosa resume {name}"
    if status.budget and before == fetched >= status.budget:
        onward = f"For more pages: lycosa set {name} pages={2 * status.budget}, then lycosa resume {name}"
    elif status.state == FINISHED and status.indexed:
        onward = f"Search it: lycosa search {name} WORDS"
    elif status.state == FINISHED:
        onward = f"Look at it: lycosa report {name}"
    return f"{name} {status.state}: {', '.join(told)}. {onward}"
