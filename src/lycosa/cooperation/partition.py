"""Who owns a URL (C6): consistent hashing, so that a new agent takes only its share.

Each agent stands at many points of a ring; a site belongs to the agent whose
point comes next after the site's own. When an agent joins or leaves, only about
1/m of the sites change hands.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache

import xxhash

from lycosa.plugins.plug_points import Assigner
from lycosa.urls import domain_of, normalise, site_of

POINTS = 256


class Ring:
    """A consistent hash of names to agents, with weights for unequal machines."""

    def __init__(self, weights: dict[int, float]) -> None:
        points = sorted(
            (xxhash.xxh3_64_intdigest(f"{agent}/{point}".encode()), agent)
            for agent, weight in weights.items()
            for point in range(max(1, round(POINTS * weight)))
        )
        self._places = [place for place, _ in points]
        self._agents = [agent for _, agent in points]

    def owner(self, name: str) -> int:
        """The agent that owns a name."""
        place = bisect_right(self._places, xxhash.xxh3_64_intdigest(name.encode()))
        return self._agents[place % len(self._agents)]


def site_hash(agents: int) -> Assigner:
    """All pages of a registrable domain go to one agent."""
    ring = Ring(dict.fromkeys(range(agents), 1.0))

    @lru_cache(maxsize=100_000)
    def owner_of_site(site: str) -> int:
        return ring.owner(domain_of(site))

    return lambda url: owner_of_site(site_of(url))


def url_hash(agents: int) -> Assigner:
    """Each page by its own address: a site has several owners, which take turns in asking it."""
    ring = Ring(dict.fromkeys(range(agents), 1.0))
    return ring.owner


def share_of_agents(seeds: Iterable[str], assigner: Assigner, agents: int) -> dict[int, int]:
    """How many of the seeds each agent owns, agents without any included."""
    shares = dict.fromkeys(range(agents), 0)
    for url in {normal for normal in map(normalise, seeds) if normal is not None}:
        shares[assigner(url)] += 1
    return shares
