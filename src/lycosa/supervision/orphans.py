"""Processes of an earlier run whose supervisor was killed.

They end by themselves as soon as they hear of it. One that is stuck with a page never does, and
nobody could take up its part of the crawl; so whoever takes up the crawl ends it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from lycosa.crawl_folder.folder import owned_by_somebody
from lycosa.crawl_folder.reading_slot import reading_at
from lycosa.supervision.progress_watch import ProgressWatch

LOOK_EVERY = 0.1
LONGEST_WAIT = 60.0


async def end_orphan(crawl: Path, lock: Path, slot: Path, limit: float) -> None:
    """Wait until nobody owns a part of a crawl any more, and end its owner if that gets no further with a page."""
    watch, begin = ProgressWatch(slot), time.monotonic()
    while owned_by_somebody(lock) and (now := time.monotonic()) - begin < LONGEST_WAIT:
        process = reading_at(slot).process
        if watch.stuck(process, now, limit) and _works_on(crawl, process):
            os.kill(process, signal.SIGKILL)
        await asyncio.sleep(LOOK_EVERY)


def _works_on(crawl: Path, process: int) -> bool:
    """Whether a process was begun for a crawl: its number alone may be that of any other by now."""
    with suppress(OSError):
        return os.fsencode(crawl) in Path(f"/proc/{process}/cmdline").read_bytes()
    return False
