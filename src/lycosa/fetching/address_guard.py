"""Which addresses a crawler may talk to: globally routable unicast, and what its owner allows by name.

Pages are written by strangers, and a link is enough to make a careless crawler
knock at the router, the metadata service or the database next door. The
decision is pure; that the address checked is the address connected to is the
business of the transfers.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from lycosa.configuration.settings import ConfigurationError

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

_REFUSED = tuple(
    (ipaddress.ip_network(network), reason)
    for network, reason in (
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared by a carrier"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "reserved"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("64:ff9b:1::/48", "local translation"),
        ("2001:2::/48", "benchmarking"),
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "documentation"),
        ("3fff::/20", "documentation"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "private"),
        ("ff00::/8", "multicast"),
    )
)
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
_COMPATIBLE = ipaddress.IPv6Network("::/96")
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
_TUNNELLED = (ipaddress.IPv6Network("2002::/16"), ipaddress.IPv6Network("2001::/32"))
_BRACKETED = re.compile(r"\[([^\]]+)\](?::(.*))?")
_PORTS = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")


class AddressGuard:
    """Says of an address and a port whether we may connect; the allow-list names the exceptions."""

    def __init__(self, allow: Sequence[str]) -> None:
        self._allowed = [_allowance(entry) for entry in allow]

    def check(self, address: str, port: int) -> str | None:
        """None where connecting is fine, else the reason why not."""
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return "not an address"
        if parsed.version == 6 and "%" in address:
            return "link-local"
        if any(parsed in network and port in ports for network, ports in self._allowed):
            return None
        return _reason(parsed)


def _reason(address: Address) -> str | None:
    if isinstance(address, ipaddress.IPv6Address):
        embedded = list(_embedded(address))
        if embedded:
            return next((f"{reason} inside IPv6" for inner in embedded if (reason := _reason(inner))), None)
    for network, reason in _REFUSED:
        if address in network:
            return reason
    return None if address.version == 4 or address in _GLOBAL_UNICAST else "reserved"


def _embedded(address: ipaddress.IPv6Address) -> Iterator[ipaddress.IPv4Address]:
    """The IPv4 addresses that traffic to this address may end up at."""
    if address in _MAPPED or address in _TRANSLATED or (address in _COMPATIBLE and int(address) > 1):
        yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    elif address in _TUNNELLED[0]:
        yield ipaddress.IPv4Address(int(address) >> 80 & 0xFFFFFFFF)
    elif address in _TUNNELLED[1]:
        yield ipaddress.IPv4Address(int(address) >> 64 & 0xFFFFFFFF)
        yield ipaddress.IPv4Address(~int(address) & 0xFFFFFFFF)


def _allowance(entry: str) -> tuple[Network, range]:
    """An entry such as `127.0.0.0/8:8000-9000`, `[::1]:9000` or `10.1.2.3`."""
    text = entry.strip()
    bracketed = _BRACKETED.fullmatch(text)
    if bracketed:
        written, ports = bracketed[1], bracketed[2]
    elif text.count(":") > 1:
        written, ports = text, None
    else:
        written, colon, tail = text.partition(":")
        ports = tail if colon else None
    try:
        return ipaddress.ip_network(written), _port_range(ports)
    except ValueError as error:
        raise ConfigurationError(
            f"fetching.allow_addresses: {entry!r} cannot be used ({error}); "
            "write NETWORK or NETWORK:PORTS, such as 127.0.0.0/8:8000-9000 or [::1]:9000"
        ) from None


def _port_range(ports: str | None) -> range:
    if ports is None:
        return range(1, 65536)
    match = _PORTS.fullmatch(ports)
    if match is None:
        raise ValueError(f"{ports!r} is no port and no range of ports")
    first, last = int(match[1]), int(match[2] or match[1])
    if not 1 <= first <= last <= 65535:
        raise ValueError(f"ports {ports!r} do not lie in order between 1 and 65535")
    return range(first, last + 1)
