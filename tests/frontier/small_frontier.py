"""A frontier in memory and the few moves that its tests make with it."""

from __future__ import annotations

from lycosa.configuration.sections import Ceilings, FrontierSection, Politeness, Seconds
from lycosa.frontier.admission import Admission
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.frontier_store import MemoryShelf
from lycosa.frontier.politeness import Manners
from lycosa.frontier.rate_limiter import Throttle
from lycosa.records import Fetched, Link, Response, Score, SiteOpened

RUDE = Politeness(delay=Seconds(0), address_delay=Seconds(0), per_address=1000, retry_after=Seconds(10), retries=2)
POLITE = Politeness(delay=Seconds(1), address_delay=Seconds(0), per_address=1000, adaptive=0)


def a_frontier(
    politeness: Politeness = RUDE,
    shelf: MemoryShelf | None = None,
    heads: int = 4,
    ceilings: Ceilings | None = None,
    ageing: float = 0.0,
    now: float = 0.0,
    cached: int = 1000,
) -> Frontier:
    return Frontier(
        shelf or MemoryShelf(),
        Admission([]),
        Manners(politeness),
        Throttle(ceilings or Ceilings()),
        FrontierSection(heads_per_site=heads, ageing_per_day=ageing, cached_urls=cached),
        now,
    )


def add(frontier: Frontier, *listed: tuple[str, float], now: float = 0.0) -> int:
    return frontier.add([Link(url) for url, _ in listed], [Score(priority) for _, priority in listed], now)


def open_all(frontier: Frontier, now: float = 0.0) -> None:
    while (site := frontier.site_to_open(now)) is not None:
        frontier.opened(SiteOpened(site, "192.0.2.1", until=now + 1e6, requested=False), now)


def fetched(link: Link) -> Fetched:
    return Fetched(link, Response(link.url, 200))


def take(frontier: Frontier, now: float = 0.0) -> str | None:
    open_all(frontier, now)
    link = frontier.next(now)
    if link is None:
        return None
    frontier.finished(link, fetched(link), 0.0, now)
    frontier.settle(link, fetched(link), now)
    return link.url
