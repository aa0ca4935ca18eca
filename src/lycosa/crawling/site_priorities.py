"""In which order an agent would begin with its sites, by the links that their sitemaps bring (M2).

Every sitemap that is read adds its links, as numbers, to its site; now and then the sites
are put in order by `frontier.site_priority`, and the frontier prefers the earlier one of sites
with equally good links. Numbers are kept in bounded memory: where there are too many, the
oldest sites keep the count of links that they had. The first sites of the order are kept
with the agent, for reports and for the next start.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from lycosa.frontier.site_priority import Numbers, SitePlace, link_numbers, ordered_numbers
from lycosa.records import SITEMAP, Visit
from lycosa.urls import site_of

MARK = "site-order"
MOST_LINKS = 2_000_000
"""Links of sitemaps whose numbers are remembered: 16 MB."""
MOST_SITES = 20_000
ORDERED_EVERY = 100.0
"""Sites are put in order again only after so many times the time that this takes."""

_decode = msgspec.msgpack.Decoder(list[SitePlace]).decode


class SitePlaces:
    """The sites whose sitemaps were read, best first."""

    def __init__(self, kept: bytes | None = None, most_links: int = MOST_LINKS) -> None:
        self._links: dict[str, Numbers] = {}
        self._counted = {place.site: place.new_links for place in places_of(kept)}
        self._most_links, self._remembered = most_links, 0
        self._order_after = float("-inf")
        self._changed = bool(self._counted)
        self.order: list[SitePlace] = []

    def note(self, visits: Sequence[Visit]) -> None:
        """Remember what sitemaps bring."""
        for visit in visits:
            if visit.link.rel == SITEMAP and visit.page is not None:
                pages = [link.url for link in visit.page.links if link.rel != SITEMAP]
                self._add(site_of(visit.link.url), link_numbers(pages))

    def _add(self, site: str, numbers: Numbers) -> None:
        before = self._links.pop(site, None)
        if before is not None:
            self._remembered -= len(before)
            numbers = np.union1d(before, numbers)
        self._counted.pop(site, None)
        self._links[site] = numbers[: self._most_links]
        self._remembered += len(self._links[site])
        self._changed = True
        while self._remembered > self._most_links:
            self._settle(next(iter(self._links)))

    def _settle(self, site: str) -> None:
        """Forget the links of a site, not how many there were."""
        numbers = self._links.pop(site)
        self._remembered -= len(numbers)
        if len(self._counted) < MOST_SITES:
            known = next((place.new_links for place in self.order if place.site == site), len(numbers))
            self._counted[site] = known

    def anew(self, now: float) -> dict[str, int] | None:
        """The places of sites, where they have changed and it is time to find them; None else."""
        if not self._changed or now < self._order_after:
            return None
        counted = [SitePlace(site, number) for site, number in self._counted.items()]
        found = sorted([*ordered_numbers(self._links), *counted], key=lambda each: (-each.new_links, each.site))
        self.order = found[:MOST_SITES]
        self._changed = False
        return {place.site: number for number, place in enumerate(self.order)}

    def rest(self, now: float, seconds: float) -> None:
        """Finding the order, and using it, took so long: it is not done again too soon."""
        self._order_after = now + ORDERED_EVERY * seconds

    def kept(self) -> dict[str, bytes]:
        """The mark to be written with a new order."""
        return {MARK: msgspec.msgpack.encode(self.order)}


def places_of(kept: bytes | None) -> list[SitePlace]:
    """The order that was kept."""
    return _decode(kept) if kept else []
