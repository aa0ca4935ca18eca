"""From a site to the one address we may connect to: the name resolved, the address checked.

Every request passes here, also each hop of a robots.txt redirect; what comes
out is the very address the transfer is held to.
"""

from __future__ import annotations

from typing import TypeAlias

from lycosa import urls
from lycosa.fetching.address_guard import AddressGuard
from lycosa.fetching.dns import NameFailure, Names
from lycosa.records import Record


class Pinned(Record, frozen=True):
    """The checked address of a site."""

    address: str


class Barred(Record, frozen=True):
    """A site without an address to go to: `address-refused`, or a name that could not be resolved."""

    why: str
    detail: str = ""


Passage: TypeAlias = Pinned | Barred

REMEMBERED = 100_000


class Gate:
    """Resolves and checks; remembers the verdict as long as the name's addresses hold."""

    def __init__(self, names: Names, guard: AddressGuard) -> None:
        self._names = names
        self._guard = guard
        self._verdicts: dict[str, tuple[tuple[str, ...], Passage]] = {}

    def change(self, guard: AddressGuard) -> None:
        """Go by what another guard allows from now on."""
        self._guard = guard
        self._verdicts.clear()

    async def passage(self, site: str) -> Passage:
        """The first address of the site that may be connected to, or why there is none."""
        resolved = await self._names.resolve(urls.host_of(site))
        if isinstance(resolved, NameFailure):
            return Barred(resolved.why, resolved.detail)
        remembered = self._verdicts.get(site)
        if remembered is not None and remembered[0] == resolved.addresses:
            return remembered[1]
        verdict = self._judge(resolved.addresses, port_of(site))
        if len(self._verdicts) >= REMEMBERED:
            del self._verdicts[next(iter(self._verdicts))]
        self._verdicts[site] = resolved.addresses, verdict
        return verdict

    def _judge(self, addresses: tuple[str, ...], port: int) -> Passage:
        reasons: list[str] = []
        for address in addresses:
            reason = self._guard.check(address, port)
            if reason is None:
                return Pinned(address)
            reasons.append(f"{address} is {reason}")
        return Barred("address-refused", "; ".join(reasons)[:200])


def port_of(site: str) -> int:
    """The port of a site, also where its scheme implies it."""
    written = site.rpartition(":")[2]
    if written.isdigit():
        return int(written)
    return 443 if site.startswith("https:") else 80
