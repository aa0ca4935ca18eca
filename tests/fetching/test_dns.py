"""Names: what is known without asking, and a small DNS server on loopback for the rest."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset
import pytest

from lycosa.configuration import sections
from lycosa.configuration.sections import Seconds
from lycosa.configuration.settings import ConfigurationError
from lycosa.fetching.dns import NEGATIVE_KEPT, NameFailure, Names, Resolved

RECORDS = {
    ("four.test.", "A"): (300, "93.184.216.34"),
    ("six.test.", "AAAA"): (300, "2606:4700::1111"),
    ("short.test.", "A"): (1, "93.184.216.34"),
    ("long.test.", "A"): (10_000_000, "93.184.216.34"),
}


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class DnsServer(asyncio.DatagramProtocol):
    """Answers from a table, fails on `broken`, is silent on `slow`, and counts what it is asked."""

    def __init__(self) -> None:
        self.records = dict(RECORDS)
        self.asked: Counter[str] = Counter()

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:  # type: ignore[override]
        self.transport = transport

    def datagram_received(self, data: bytes, sender: tuple[str, int]) -> None:
        query = dns.message.from_wire(data)
        name, kind = query.question[0].name.to_text(), dns.rdatatype.to_text(query.question[0].rdtype)
        self.asked[f"{name} {kind}"] += 1
        if name.startswith("slow"):
            return
        reply = dns.message.make_response(query)
        reply.flags |= dns.flags.RA
        if name.startswith("broken"):
            reply.set_rcode(dns.rcode.SERVFAIL)
        elif (name, kind) in self.records:
            ttl, address = self.records[name, kind]
            reply.answer.append(dns.rrset.from_text(name, ttl, "IN", kind, *address.split()))
        elif not any(known == name for known, _ in self.records):
            reply.set_rcode(dns.rcode.NXDOMAIN)
        self.transport.sendto(reply.to_wire(), sender)


@contextlib.asynccontextmanager
async def asking(clock: Clock, within: float = 2.0) -> AsyncIterator[tuple[Names, DnsServer]]:
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(DnsServer, ("127.0.0.1", 0))
    port = transport.get_extra_info("sockname")[1]
    told = sections.Names(
        nameservers=(f"127.0.0.1:{port}",),
        within=Seconds(within),
        kept_at_least=Seconds(60),
        kept_at_most=Seconds(3600),
    )
    names = Names(told, clock)
    try:
        yield names, server
    finally:
        await names.close()
        transport.close()


def test_addresses_are_kept_for_their_time_to_live() -> None:
    async def scene() -> None:
        clock = Clock()
        async with asking(clock) as (names, server):
            assert await names.resolve("four.test") == Resolved(("93.184.216.34",), 1300.0)
            server.records["four.test.", "A"] = (300, "1.1.1.1")
            clock.now = 1299.0
            assert await names.resolve("four.test") == Resolved(("93.184.216.34",), 1300.0)
            assert server.asked["four.test. A"] == 1
            clock.now = 1300.0
            assert await names.resolve("four.test") == Resolved(("1.1.1.1",), 1600.0)

    asyncio.run(scene())


@pytest.mark.parametrize(("name", "kept"), [("short.test", 60.0), ("long.test", 3600.0)])
def test_odd_times_to_live_are_clipped(name: str, kept: float) -> None:
    async def scene() -> None:
        async with asking(Clock()) as (names, _):
            resolved = await names.resolve(name)
            assert isinstance(resolved, Resolved)
            assert resolved.until == 1000.0 + kept

    asyncio.run(scene())


def test_ipv6_is_asked_for_only_where_there_is_no_ipv4() -> None:
    async def scene() -> None:
        async with asking(Clock()) as (names, server):
            assert await names.resolve("six.test") == Resolved(("2606:4700::1111",), 1300.0)
            await names.resolve("four.test")
            assert server.asked["six.test. AAAA"] == 1
            assert server.asked["four.test. AAAA"] == 0

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("name", "why"),
    [("missing.test", "dns-not-found"), ("broken.test", "dns-failed"), ("slow.test", "dns-timeout"),
     (f"{'x' * 64}.test", "dns-not-found"), ("a..b", "dns-not-found")],
)  # fmt: skip
def test_names_that_fail_are_named_and_kept_shortly(name: str, why: str) -> None:
    async def scene() -> None:
        clock = Clock()
        async with asking(clock, within=0.2) as (names, server):
            failure = await names.resolve(name)
            assert isinstance(failure, NameFailure)
            assert failure.why == why
            assert failure.until == 1000.0 + NEGATIVE_KEPT
            before = sum(server.asked.values())
            assert await names.resolve(name) == failure
            assert sum(server.asked.values()) == before

    asyncio.run(scene())


def test_a_name_that_failed_is_asked_for_again_later() -> None:
    async def scene() -> None:
        clock = Clock()
        async with asking(clock) as (names, server):
            assert isinstance(await names.resolve("new.test"), NameFailure)
            server.records["new.test.", "A"] = (300, "93.184.216.34")
            clock.now += NEGATIVE_KEPT
            assert isinstance(await names.resolve("new.test"), Resolved)

    asyncio.run(scene())


def test_questions_for_one_name_at_one_time_are_one_question() -> None:
    async def scene() -> None:
        async with asking(Clock()) as (names, server):
            answers = await asyncio.gather(*(names.resolve("four.test") for _ in range(20)))
            assert len(set(answers)) == 1
            assert server.asked["four.test. A"] == 1

    asyncio.run(scene())


def test_one_cancelled_question_does_not_cancel_the_others() -> None:
    async def scene() -> None:
        async with asking(Clock()) as (names, _):
            first = asyncio.create_task(names.resolve("four.test"))
            second = asyncio.create_task(names.resolve("four.test"))
            await asyncio.sleep(0)
            first.cancel()
            assert isinstance(await second, Resolved)

    asyncio.run(scene())


def resolve(host: str, hosts: dict[str, str] | None = None, hosts_file: Path = Path("/nonexistent")) -> tuple[str, ...]:
    names = Names(sections.Names(hosts=hosts or {}), Clock(), hosts_file)
    resolved = asyncio.run(names.resolve(host))
    assert isinstance(resolved, Resolved)
    return resolved.addresses


@pytest.mark.parametrize(
    ("host", "addresses"),
    [
        ("exact.example", ("127.0.0.9",)),
        ("EXACT.example.", ("127.0.0.9",)),
        ("a.wild.example", ("127.0.0.8",)),
        ("deep.a.wild.example", ("127.0.0.8",)),
        ("own.wild.example", ("127.0.0.7",)),
        ("two.example", ("127.0.0.1", "::1")),
        ("localhost", ("127.0.0.1", "::1")),
        ("a.localhost.", ("127.0.0.1", "::1")),
        ("93.184.216.34", ("93.184.216.34",)),
        ("[2606:4700:0::1111]", ("2606:4700::1111",)),
    ],
)
def test_some_names_are_known_without_asking(host: str, addresses: tuple[str, ...]) -> None:
    told = {
        "exact.example": "127.0.0.9",
        "*.wild.example": "127.0.0.8",
        "own.wild.example": "127.0.0.7",
        "two.example": "127.0.0.1, ::1",
    }
    assert resolve(host, told) == addresses


def test_the_hosts_file_is_read(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_bytes(b"# a comment\n::5 box\n10.0.0.5\tBox other # more\nnonsense name\n\xff\n")
    assert resolve("box", hosts_file=hosts) == ("10.0.0.5", "::5")
    assert resolve("other", hosts_file=hosts) == ("10.0.0.5",)


@pytest.mark.parametrize("hosts", [{"a": "b"}, {"a": ""}, {"a.*.b": "127.0.0.1"}])
def test_wrong_hosts_are_refused_at_the_door(hosts: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=r"names\.hosts"):
        Names(sections.Names(hosts=hosts), Clock())


@pytest.mark.parametrize("server", ["dns.example", "127.0.0.1:0", "127.0.0.1:x", "[::1]:70000", ""])
def test_wrong_nameservers_are_refused_at_the_door(server: str) -> None:
    with pytest.raises(ConfigurationError, match=r"names\.nameservers"):
        Names(sections.Names(nameservers=(server,)), Clock())


@pytest.mark.parametrize("server", ["127.0.0.1", "127.0.0.1:5353", "::1", "[::1]", "[::1]:5353"])
def test_nameservers_may_have_a_port(server: str) -> None:
    Names(sections.Names(nameservers=(server,)), Clock())
