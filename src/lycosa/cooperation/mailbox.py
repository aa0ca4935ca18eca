"""How agents hear of each other: durable letters, read in place.

Links for another agent are written into the sender's own store, in the batch in
which they were found. The receiver reads them there and notes how far it has
read in the batch in which it adds them; the sender drops what was read. No
message can be lost, doubled or waited for, whoever dies when.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from lycosa.records import Link, Score
from lycosa.storage.agent_store import AgentStore


class Peer(Protocol):
    """What an agent reads of another agent's store."""

    def refresh(self) -> None:
        """See what has been committed by now."""

    def mail_for(self, agent: int, after: int, most: int = 50) -> list[tuple[int, list[tuple[Link, Score]]]]:
        """Letters to an agent that it has not read yet."""

    def number(self, name: str) -> int:
        """A small fact that is a number."""

    def mark(self, name: str) -> bytes | None:
        """A small fact."""

    def first_with(self, digest: bytes) -> str | None:
        """The URL under which content of this digest was first stored."""


class Courier(Protocol):
    """Carries letters between agents."""

    def peers(self) -> dict[int, Peer]:
        """The other agents that can be heard now."""

    def close(self) -> None:
        """Let go of the other agents' stores."""


class LonelyCourier:
    """The courier of an agent that is alone."""

    def peers(self) -> dict[int, Peer]:
        """Nobody."""
        return {}

    def close(self) -> None:
        """Nothing to let go of."""


class MemoryCourier:
    """Agents in one process hand each other their stores."""

    def __init__(self, own: int, stores: Sequence[AgentStore]) -> None:
        self._peers: dict[int, Peer] = {number: store for number, store in enumerate(stores) if number != own}

    def peers(self) -> dict[int, Peer]:
        """All other agents."""
        return self._peers

    def close(self) -> None:
        """The stores belong to others."""


class ProcessCourier:
    """Agents in several processes of one machine open each other's stores for reading."""

    def __init__(self, own: int, folders: Sequence[Path]) -> None:
        self._folders = {number: folder for number, folder in enumerate(folders) if number != own}
        self._open: dict[int, AgentStore] = {}

    def peers(self) -> dict[int, Peer]:
        """The agents whose stores exist by now."""
        for number, folder in self._folders.items():
            if number not in self._open and (folder / "ready").exists():
                self._open[number] = AgentStore(folder, readonly=True)
        return dict(self._open)

    def close(self) -> None:
        """Close the stores."""
        while self._open:
            self._open.popitem()[1].close()
