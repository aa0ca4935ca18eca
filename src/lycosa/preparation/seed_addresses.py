"""Where a crawl's seeds lie: addresses that may not be fetched from are told before anybody is asked for a page."""

from __future__ import annotations

import asyncio
from time import time

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.fetching.address_guard import AddressGuard
from lycosa.fetching.connection_target import port_of
from lycosa.fetching.dns import Names, Resolved
from lycosa.urls import host_of, normalise, site_of

MOST_SITES = 50
WITHIN = 3.0
"""Seconds in which names must be resolved; what takes longer is found out when the crawl comes to it."""


class PrivateSeed(ConfigurationError):
    """A seed lies where nothing is fetched from unless somebody allows it; `entry` is what to allow."""

    def __init__(self, seed: str, address: str, reason: str, entry: str) -> None:
        self.entry = entry
        super().__init__(
            f"the seed {seed} is at {address} ({reason}); such addresses are fetched from only where you allow it: "
            f'fetching.allow_addresses=["{entry}"]'
        )


def check_addresses(configuration: Configuration) -> None:
    """Refuse seeds at addresses that no page could be fetched from."""
    if configuration.fetching.fetcher != "http":
        return
    guard = AddressGuard(configuration.fetching.allow_addresses)
    sites = {site_of(url): url for seed in reversed(configuration.seeds) if (url := normalise(seed))}
    for site, addresses in asyncio.run(_resolved(list(sites)[:MOST_SITES], configuration)).items():
        refused = [(address, guard.check(address, port_of(site))) for address in addresses]
        if refused and all(reason for _, reason in refused):
            address, reason = refused[0]
            host = f"[{address}]" if ":" in address else address
            raise PrivateSeed(sites[site], address, reason or "", f"{host}:{port_of(site)}")


async def _resolved(sites: list[str], configuration: Configuration) -> dict[str, tuple[str, ...]]:
    """The addresses of sites whose names can be resolved soon."""
    names = Names(configuration.names, time)
    tasks = {site: asyncio.create_task(names.resolve(host_of(site))) for site in sites}
    try:
        if tasks:
            await asyncio.wait(tasks.values(), timeout=WITHIN)
        done = {site: task.result() for site, task in tasks.items() if task.done() and not task.exception()}
        return {site: found.addresses for site, found in done.items() if isinstance(found, Resolved)}
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        await names.close()
