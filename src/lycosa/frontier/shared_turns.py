"""What the agents of a crawl must agree on before one of them sends a request: whose turn it is.

Sites may have several owners, and addresses may host sites of several agents. The frontier
asks here after its own rules are content; how agents agree is a matter of who hands it in.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from lycosa.configuration.sections import Politeness


class Wait(NamedTuple):
    """The seconds after which it is worth asking again, for the sake of the site and for that of its address."""

    site: float
    address: float


TAKEN = Wait(0.0, 0.0)
"""There is nothing to wait for: the turn is taken."""


class SharedTurns(Protocol):
    """The pauses and connections that the agents of a crawl share."""

    agents: int
    """How many they are; each may use so large a part of the connections to an address."""

    def take(self, site: str, address: str, pause: float, rules: Politeness, now: float) -> Wait:
        """Take the turn of a request: `TAKEN`, or how long to wait.

        The site is in use until `end`, and is left alone for the pause even if the agent dies meanwhile.
        """
        ...

    def end(self, site: str, until: float) -> None:
        """A request whose turn was taken is over; the site is left alone until then."""
        ...

    def leave_alone(self, site: str, until: float, now: float) -> None:
        """Leave a site alone until then at least."""
        ...


class NobodyElse:
    """What an agent shares that works alone: nothing."""

    agents = 1

    def take(self, site: str, address: str, pause: float, rules: Politeness, now: float) -> Wait:
        """It is always its turn."""
        return TAKEN

    def end(self, site: str, until: float) -> None:
        """Nobody waits for it."""

    def leave_alone(self, site: str, until: float, now: float) -> None:
        """Nobody else would ask."""
