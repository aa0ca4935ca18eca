"""Which address a request is from: the peer's, unless the peer is a proxy that we were told to trust.

Anybody can send a forwarding header. Only what a trusted proxy added to it counts, which
is its right end: from there the first address that is no trusted proxy is the client's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from lycosa.configuration.settings import ConfigurationError

MOST_REMEMBERED = 16_384
MOST_FORWARDED = 32
"""Addresses of a forwarding header that are looked at."""


class TrustedProxies:
    """The networks whose word on a client's address is taken."""

    def __init__(self, networks: Sequence[str] = ()) -> None:
        try:
            self._networks = [ip_network(network, strict=False) for network in networks]
        except ValueError as error:
            raise ConfigurationError(
                f'trusted_proxies: {error}; name addresses or networks, such as "127.0.0.1" or "10.0.0.0/8"'
            ) from None
        self._is_trusted = lru_cache(maxsize=MOST_REMEMBERED)(self._looked_up)

    def trusts(self, address: str) -> bool:
        """Whether an address is a trusted proxy's."""
        return bool(self._networks) and self._is_trusted(address)

    def client(self, peer: str, forwarded: str) -> str:
        """The client's address, from the peer's and what X-Forwarded-For says."""
        found = peer
        for part in reversed(forwarded.rsplit(",", MOST_FORWARDED)[-MOST_FORWARDED:]):
            if not self.trusts(found):
                return found
            named = plain_address(part)
            if named is None:
                return found
            found = named
        return found

    def _looked_up(self, address: str) -> bool:
        parsed = _parsed(address)
        return parsed is not None and any(parsed in network for network in self._networks)


@lru_cache(maxsize=MOST_REMEMBERED)
def plain_address(text: str) -> str | None:
    """An address in its one spelling, without a port; None where it is none."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    found = _parsed(text)
    return None if found is None else str(found)


@lru_cache(maxsize=MOST_REMEMBERED)
def client_of(address: str) -> str:
    """Who has one allowance: an address, or the network that an IPv6 connection usually has for itself."""
    found = _parsed(address)
    return str(ip_network((found, 64), strict=False)) if isinstance(found, IPv6Address) else address


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found
