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
    """The key of each UTC day."""

    def key(self, day: int) -> bytes | None:
        """The key of a day, made on first use; None once it was destroyed."""
        ...

    def destroy(self, before: float) -> list[int]:
        """Destroy the keys of all days that ended before a time."""
        ...
