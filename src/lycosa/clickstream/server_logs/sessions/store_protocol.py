"""What the import of logs needs of a store and of the keys of days; both are handed in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from lycosa.click_records import PageClicks, Source


class LogStore(Protocol):
    """Keeps what was counted."""

    def add_pages(
        self,
        site: str,
        source: Source,
        pages: Iterable[PageClicks],
        *,
        marks: Mapping[str, bytes | None] | None = None,
        refusals: Mapping[str, int] | None = None,
    ) -> None:
        """Add to the totals of pages, and put named values with them, in one synced transaction."""
        ...

    def mark(self, name: str) -> bytes | None:
        """A named value."""
        ...

    def marks(self, prefix: str) -> Iterator[tuple[str, bytes]]:
        """The named values whose names begin so."""
        ...


class VisitorKeys(Protocol):
    """The key of each UTC day, and which days are closed."""

    def key(self, day: int) -> bytes | None:
        """The key of a day, made on first use; None once the day is closed."""
        ...

    def kept_key(self, day: int) -> bytes | None:
        """The key of a day if it is on disk; none is made."""
        ...

    def days(self) -> list[int]:
        """The days whose keys are on disk."""
        ...

    def closed(self) -> set[int]:
        """The days for which no key will be made again."""
        ...

    def close(self, days: Iterable[int]) -> None:
        """Make sure that no key is ever made for these days."""
        ...

    def destroy(self, before: float, passed: Iterable[int] = ()) -> list[int]:
        """Destroy the keys of all days that ended before a time, and close these days and those that have `passed`."""
        ...
