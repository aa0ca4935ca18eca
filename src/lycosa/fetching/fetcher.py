"""What the crawler asks of whoever gets pages for it: the network, a recording or a simulation.

A *site* is an origin such as `http://a.localhost:8080`. The crawler opens a site
before it fetches from it, and keeps the politeness delay between any two requests
to a site itself; so `fetch` makes at most one request, and never one for robots.txt.
Opening may take several, of which each waits for its turn.
"""

from __future__ import annotations

from typing import Protocol

from lycosa.records import Link, Outcome, Record, SiteOpened, SiteShut


class Known(Record, frozen=True):
    """What a conditional request needs: the validators of the copy we have."""

    etag: str = ""
    last_modified: str = ""


class Turns(Protocol):
    """Whoever says when a request may be made that opening a site takes; asked before each of them."""

    async def take(self, url: str, address: str) -> str | None:
        """Wait until the URL may be asked for at this address; or say why it must not be asked for at all."""
        ...

    def end(self, url: str, address: str, received: int) -> None:
        """A request whose turn was taken is over; so many bytes came."""
        ...


class AtOnce:
    """It is always one's turn: for whoever opens one site and keeps the pauses otherwise."""

    async def take(self, url: str, address: str) -> str | None:
        """Nobody need wait."""
        return None

    def end(self, url: str, address: str, received: int) -> None:
        """Nobody waits for it."""


AT_ONCE = AtOnce()


class Fetcher(Protocol):
    """Gets pages, one request per call; the web's misbehaviour comes back as an outcome, never as an exception."""

    async def open(self, site: str, now: float, turns: Turns = AT_ONCE) -> SiteOpened | SiteShut:
        """Resolve the site's name and read its robots.txt, ahead of need."""
        ...

    async def fetch(self, link: Link, known: Known | None = None) -> Outcome:
        """Get one page; redirects are reported, not followed."""
        ...

    async def close(self) -> None:
        """Let go of all connections; requests in flight fail."""
        ...
