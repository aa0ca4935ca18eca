"""Notices from outside that a process gets no further with the pages that it reads.

A process that is stuck in C code, as in a regular expression, runs no other thread and hears no
signal; only the kernel and other processes can tell.
"""

from __future__ import annotations

import os
from pathlib import Path

from lycosa.crawl_folder.reading_slot import SlotState, reading_at

BUSY = 0.5
"""The share of the processor that a stuck process must have had."""
_TICK = 1 / os.sysconf("SC_CLK_TCK")
_USER, _SYSTEM = 11, 12


class ProgressWatch:
    """What is known of one process's progress, from look to look.

    It is stuck where its slot has said the same of a batch for the whole limit, and the process was
    busy for half of that time. The processor's time is what tells a loop from a wait: a process
    that is suspended, waits for a slow disk, or gets little of a crowded machine has not used it up, and one
    that does is ended as soon as it has. The page is then read alone within a limit of processor time alone, so
    that even a page that a slow machine was blamed for is read in the end.
    """

    def __init__(self, slot: Path) -> None:
        self._slot = slot
        self._state, self._since, self._used = SlotState(), 0.0, 0.0

    def stuck(self, pid: int, now: float, limit: float, busy: float = BUSY) -> tuple[str, ...]:
        """The pages of which one holds the process up; none while it gets on."""
        state, used = reading_at(self._slot), processor_time(pid)
        if used is None or state.process != pid or not state.suspects or state != self._state:
            self._state, self._since, self._used = state, now, used or 0.0  # what a dead process left is not ours
            return ()
        over = now - self._since >= limit and used - self._used >= busy * limit
        return state.suspects if over else ()


def processor_time(pid: int) -> float | None:
    """Seconds of the processor that a process has used; None where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[_USER]) + int(fields[_SYSTEM])) * _TICK
