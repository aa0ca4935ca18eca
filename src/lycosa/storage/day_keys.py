"""The key of each day, by which visitors are named; without it nobody can tell who they were.

A key is made when it is first needed and lies in a file of its own. Destroying it
overwrites the file and leaves it empty, so that no second key is ever made for the
same day: what comes later has no visitor.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from lycosa.click_records import DAY

LENGTH = 32


class DayKeys:
    """Keys by UTC day, below a click store's folder. Several processes may use them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "keys"
        self._folder.mkdir(parents=True, exist_ok=True)

    def key(self, day: int) -> bytes | None:
        """The key of a day, made on first use; None once it was destroyed."""
        path = self._folder / str(day)
        try:
            found = path.read_bytes()
        except FileNotFoundError:
            self._make(path)
            found = path.read_bytes()
        return found if len(found) == LENGTH else None

    def _make(self, path: Path) -> None:
        """Write a new key beside its place, then put it there, unless another process was quicker."""
        partial = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(descriptor, secrets.token_bytes(LENGTH))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        try:
            os.link(partial, path)
        except FileExistsError:
            return
        finally:
            partial.unlink()

    def days(self) -> list[int]:
        """The days whose keys are there."""
        files = (path for path in self._folder.iterdir() if path.name.lstrip("-").isdigit())
        return sorted(int(path.name) for path in files if path.stat().st_size == LENGTH)

    def destroy(self, before: float) -> list[int]:
        """Destroy the keys of all days that ended before a time. Returns those days."""
        over = [day for day in self.days() if (day + 1) * DAY <= before]
        for day in over:
            self.destroy_day(day)
        return over

    def destroy_day(self, day: int) -> None:
        """Destroy a day's key for good."""
        path = self._folder / str(day)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, bytes(LENGTH))
            os.fsync(descriptor)
            os.ftruncate(descriptor, 0)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
