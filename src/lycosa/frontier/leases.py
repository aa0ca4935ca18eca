"""Links that were taken and are not settled yet: leased, so that one whose visit is lost waits again."""

from __future__ import annotations

import msgspec

from lycosa.frontier.frontier_store import Shelf
from lycosa.frontier.site_queues import Queues
from lycosa.queue_records import State, UrlRecord
from lycosa.records import Link

_replace = msgspec.structs.replace


class Leases:
    """The leases of one agent, among the changes of its queues."""

    def __init__(self, queues: Queues, shelf: Shelf) -> None:
        self._queues, self._shelf = queues, shelf

    def restore(self) -> None:
        """Let links wait again that were taken by a process that ended before it settled them."""
        queues = self._queues
        for key, _ in self._shelf.leases():
            record = self._shelf.url(key)
            if record is not None:
                queues.enter(queues.site_of(key), key, _replace(record, state=State.WAITING))
            queues.changes.unleased.add(key)

    def begin(self, key: bytes, queued: bytes, record: UrlRecord, now: float) -> None:
        """A link was taken from its queue."""
        changes = self._queues.changes
        changes.leased[key] = queued
        changes.urls[key] = _replace(record, state=State.LEASED, attempts=record.attempts + 1, at=now)

    def end(self, link: Link) -> tuple[bytes, UrlRecord]:
        """A link is leased no longer: its key and what is known of it."""
        key = self._queues.key(link.url)
        record = None if key is None else self._queues.known(key)
        if key is None or record is None:
            raise ValueError(f"{link.url} was never leased")
        changes = self._queues.changes
        if changes.leased.pop(key, None) is None:
            changes.unleased.add(key)
        return key, record
