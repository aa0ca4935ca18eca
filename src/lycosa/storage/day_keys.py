"""The key of each day, by which visitors are named; without it nobody can tell who they were.

A key is made when it is first needed and lies in a file of its own. Before it is destroyed
its day is put on the list of closed days, so that no second key is ever made for the same
day: what comes later has no visitor. A day may also be closed without ever having had a
key on disk. Stores of earlier versions have an empty file for each closed day instead;
these still count.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lycosa.click_records import DAY
from lycosa.configuration.settings import ConfigurationError
from lycosa.durable import replace_file

LENGTH = 32
CLOSED = "closed"
"""The file that lists closed days, one number a line."""


class DayKeys:
    """Keys by UTC day, below a click store's folder. Several processes may use them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "keys"
        self._folder.mkdir(parents=True, exist_ok=True)

    def key(self, day: int) -> bytes | None:
        """The key of a day, made on first use; None once the day is closed."""
        path = self._folder / str(day)
        if not path.exists() and day not in self._listed():
            self._make(path)
        return self.kept_key(day)

    def kept_key(self, day: int) -> bytes | None:
        """The key of a day if it is on disk and the day is not closed; none is made."""
        if day in self._listed():
            return None
        try:
            found = (self._folder / str(day)).read_bytes()
        except FileNotFoundError:
            return None
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
        return sorted(day for day, size in self._sizes() if size == LENGTH)

    def closed(self) -> set[int]:
        """The days for which no key will be made again."""
        return self._listed() | {day for day, size in self._sizes() if size == 0}

    def close(self, days: Iterable[int]) -> None:
        """Put days on the list of closed ones, in one write; their keys, if any, are still to be destroyed."""
        with self._alone():
            listed = self._listed()
            closed = listed.union(days)
            if len(closed) > len(listed):
                replace_file(self._folder / CLOSED, "".join(f"{day}\n" for day in sorted(closed)))

    def destroy(self, before: float, passed: Iterable[int] = ()) -> list[int]:
        """Destroy the keys of all days that ended before a time, and close these days and those that have `passed`.

        Returns the days whose keys were there.
        """
        over = [day for day in self.days() if (day + 1) * DAY <= before]
        self.close((*over, *passed))
        for day in over:
            self._erase(self._folder / str(day))
        return over

    def _erase(self, path: Path) -> None:
        """Overwrite a key before its file is removed; another process may be quicker."""
        try:
            descriptor = os.open(path, os.O_WRONLY)
        except FileNotFoundError:
            return
        try:
            os.write(descriptor, bytes(LENGTH))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        path.unlink(missing_ok=True)

    def _sizes(self) -> Iterator[tuple[int, int]]:
        """The key files: the day of each and its length."""
        with os.scandir(self._folder) as files:
            for file in files:
                if file.name.lstrip("-").isdigit():
                    yield int(file.name), file.stat().st_size

    def _listed(self) -> set[int]:
        path = self._folder / CLOSED
        try:
            return set(map(int, path.read_text("ascii").split()))
        except FileNotFoundError:
            return set()
        except ValueError as error:
            raise ConfigurationError(
                f"{path}: this list of closed days is damaged; restore it from a backup, or remove it: "
                "then a day that is imported again may count its visitors twice"
            ) from error

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One process at a time changes the list."""
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)
