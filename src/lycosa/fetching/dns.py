"""Host names become addresses here and nowhere else (M7).

We resolve ourselves, so that the address checked is the address connected to,
and so that a crawl of many sites asks each name once per time to live instead
of once per connection.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import dns.asyncresolver
import dns.exception
import dns.nameserver
import dns.rdatatype
import dns.resolver

from lycosa.configuration import sections
from lycosa.configuration.settings import ConfigurationError
from lycosa.records import Record

CACHED = 100_000
NEGATIVE_KEPT = 60.0
"""Seconds for which a name that could not be resolved is not asked for again."""

_LOOPBACK = ("127.0.0.1", "::1")


class Resolved(Record, frozen=True):
    """A name's addresses, IPv4 first, and until when they hold."""

    addresses: tuple[str, ...]
    until: float


class NameFailure(Record, frozen=True):
    """A name without an address: `dns-not-found`, `dns-timeout` or `dns-failed`."""

    why: str
    detail: str = ""
    until: float = 0.0


Resolution: TypeAlias = Resolved | NameFailure


class Names:
    """Resolves host names: told ones first, then what every host knows, then the DNS."""

    def __init__(self, told: sections.Names, clock: Callable[[], float], hosts_file: Path = Path("/etc/hosts")) -> None:
        self._told = told
        self._clock = clock
        self._hosts_file = hosts_file
        self._exact, self._suffixes = _static(told.hosts)
        self._servers = [_nameserver(written) for written in told.nameservers]
        self._from_file: dict[str, tuple[str, ...]] | None = None
        self._resolver: dns.asyncresolver.Resolver | None = None
        self._cache: dict[str, Resolution] = {}
        self._asking: dict[str, asyncio.Task[Resolution]] = {}

    async def resolve(self, host: str) -> Resolution:
        """The addresses of a host; questions for the same name at the same time are one question."""
        cached = self._cache.get(host)
        if cached is not None and self._clock() < cached.until:
            return cached
        name = host.rstrip(".").lower()
        known = self._without_asking(name)
        if known:
            return self._remember(host, Resolved(known, self._clock() + self._told.kept_at_most))
        asking = self._asking.get(name)
        if asking is None:
            asking = self._asking[name] = asyncio.create_task(self._ask(name))
            asking.add_done_callback(lambda _: self._asking.pop(name, None))
        return self._remember(host, await asyncio.shield(asking))

    async def close(self) -> None:
        """Give up all open questions."""
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    def _remember(self, host: str, resolution: Resolution) -> Resolution:
        self._cache.pop(host, None)
        if len(self._cache) >= CACHED:
            del self._cache[next(iter(self._cache))]
        self._cache[host] = resolution
        return resolution

    def _without_asking(self, name: str) -> tuple[str, ...]:
        if name in self._exact:
            return self._exact[name]
        for suffix, addresses in self._suffixes:
            if name.endswith(suffix):
                return addresses
        literal = _literal(name)
        if literal:
            return (literal,)
        if name == "localhost" or name.endswith(".localhost"):
            return _LOOPBACK
        if self._from_file is None:
            self._from_file = _read_hosts(self._hosts_file)
        return self._from_file.get(name, ())

    async def _ask(self, name: str) -> Resolution:
        """Ask for IPv4 addresses, and only where there are none for IPv6: half the questions, the same choice."""
        until = self._clock() + NEGATIVE_KEPT
        try:
            async with asyncio.timeout(self._told.within):
                return await self._answer(name, "A") or await self._answer(name, "AAAA") or _no_address(until)
        except (dns.resolver.NXDOMAIN, dns.exception.SyntaxError):
            return NameFailure("dns-not-found", "no such name", until)
        except (dns.resolver.LifetimeTimeout, TimeoutError):
            return NameFailure("dns-timeout", f"no answer within {self._told.within:g} s", until)
        except (dns.exception.DNSException, OSError) as error:
            return NameFailure("dns-failed", str(error)[:200], until)

    async def _answer(self, name: str, kind: str) -> Resolved | None:
        answer = await self._asker().resolve(f"{name}.", kind, raise_on_no_answer=False, search=False)
        if answer.rrset is None:
            return None
        kept = min(max(answer.chaining_result.minimum_ttl, self._told.kept_at_least), self._told.kept_at_most)
        return Resolved(tuple(item.address for item in answer.rrset), self._clock() + kept)

    def _asker(self) -> dns.asyncresolver.Resolver:
        if self._resolver is None:
            resolver = dns.asyncresolver.Resolver(configure=not self._servers)
            if self._servers:
                resolver.nameservers = [dns.nameserver.Do53Nameserver(*server) for server in self._servers]
            resolver.lifetime = float(self._told.within)
            self._resolver = resolver
        return self._resolver


def _no_address(until: float) -> NameFailure:
    return NameFailure("dns-not-found", "the name has no address", until)


def _literal(name: str) -> str:
    try:
        return str(ipaddress.ip_address(name.removeprefix("[").removesuffix("]")))
    except ValueError:
        return ""


def _static(hosts: dict[str, str]) -> tuple[dict[str, tuple[str, ...]], list[tuple[str, tuple[str, ...]]]]:
    """Told names by exact spelling, and `*.suffix` ones, the longest suffix first."""
    exact: dict[str, tuple[str, ...]] = {}
    suffixes: list[tuple[str, tuple[str, ...]]] = []
    for pattern, written in hosts.items():
        addresses = tuple(_literal(part) for part in written.replace(",", " ").split())
        name = pattern.rstrip(".").lower()
        if not addresses or not all(addresses) or "*" in name.removeprefix("*."):
            raise ConfigurationError(
                f"names.hosts: {pattern!r} = {written!r} cannot be used; "
                'write a name or *.suffix and an address, such as "*.example" = "127.0.0.1"'
            )
        if name.startswith("*."):
            suffixes.append((name[1:], addresses))
        else:
            exact[name] = addresses
    return exact, sorted(suffixes, key=lambda pair: -len(pair[0]))


def _nameserver(written: str) -> tuple[str, int]:
    """A name server such as `127.0.0.1`, `127.0.0.1:5353` or `[::1]:5353`."""
    address, port = written, "53"
    if written.startswith("[") or written.count(":") == 1:
        address, _, tail = written.rpartition(":") if not written.endswith("]") else (written, "", port)
        port = tail
    literal = _literal(address)
    if not literal or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise ConfigurationError(f"names.nameservers: {written!r} is no ADDRESS or ADDRESS:PORT, such as 127.0.0.1:53")
    return literal, int(port)


def _read_hosts(path: Path) -> dict[str, tuple[str, ...]]:
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for line in lines:
        address, *names = line.partition("#")[0].split() or [""]
        literal = _literal(address)
        for name in names if literal else ():
            found[name.lower()] = (*found.get(name.lower(), ()), literal)
    return {name: tuple(sorted(addresses, key=lambda text: ":" in text)) for name, addresses in found.items()}
