"""The address guard: 24 ways around it, and its allow-list."""

from __future__ import annotations

import asyncio
import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa import urls
from lycosa.configuration import sections
from lycosa.configuration.settings import ConfigurationError
from lycosa.fetching.address_guard import AddressGuard
from lycosa.fetching.connection_target import Barred, Gate, Passage, Pinned
from lycosa.fetching.dns import Names

HOSTS = {"public.example": "10.1.2.3", "dual.example": "192.168.1.1 93.184.216.34"}


def passage(url: str, allow: tuple[str, ...] = ()) -> Passage:
    normal = urls.normalise(url)
    assert normal is not None
    names = Names(sections.Names(hosts=HOSTS), lambda: 0.0)
    return asyncio.run(Gate(names, AddressGuard(allow)).passage(urls.site_of(normal)))


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "0.0.0.0",
        "localhost",
        "localhost.",
        "deep.localhost",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::7f00:1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::7f00:1]",
        "[2002:7f00:1::]",
        "[2001:0:808:808::80ff:fffe]",
        "[fe80::1]",
        "[fc00::1]",
        "10.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "user@127.0.0.1",
        "user:secret@127.0.0.1",
        "１２７.０.０.１",
        "public.example",
    ],
)
def test_ways_around_the_guard_are_shut(host: str) -> None:
    barred = passage(f"http://{host}/")
    assert isinstance(barred, Barred)
    assert barred.why == "address-refused"
    assert barred.detail


@pytest.mark.parametrize(
    "address",
    [
        "192.0.2.1", "198.51.100.7", "203.0.113.9", "198.18.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1",
        "255.255.255.255", "192.0.0.8", "172.31.255.255", "2001:db8::1", "3fff::1", "ff02::1", "fec0::1",
        "2001:2::1", "2001:20::1", "4000::1", "64:ff9b::a00:1", "2002:a00:1::1", "nonsense", "", "fe80::1%eth0",
        "2001:0:a00:1::f7f7:f7f7",
    ],
)  # fmt: skip
def test_everything_that_is_not_global_unicast_is_refused(address: str) -> None:
    assert AddressGuard(()).check(address, 80)


@pytest.mark.parametrize(
    "address",
    ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "2002:808:808::1", "::ffff:8.8.8.8"],
)
def test_global_addresses_are_fine(address: str) -> None:
    assert AddressGuard(()).check(address, 443) is None


@given(st.ip_addresses(v=4))
def test_no_private_ipv4_address_passes_in_any_disguise(address: ipaddress.IPv4Address) -> None:
    guard = AddressGuard(())
    refused = guard.check(str(address), 80) is not None
    if not address.is_global or address.is_multicast:
        assert refused
    for disguise in (0xFFFF << 32, 0x64FF9B << 96, 0):
        inside = str(ipaddress.IPv6Address(disguise | int(address)))
        assert (guard.check(inside, 80) is not None) == refused


@given(st.ip_addresses(v=6))
def test_no_private_ipv6_address_passes(address: ipaddress.IPv6Address) -> None:
    if not address.is_global or address.is_multicast:
        tunnel = address in ipaddress.IPv6Network("2002::/16") or address in ipaddress.IPv6Network("2001::/32")
        translated = address in ipaddress.IPv6Network("64:ff9b::/96") or address.ipv4_mapped is not None
        compatible = address in ipaddress.IPv6Network("::/96")
        assert tunnel or translated or compatible or AddressGuard(()).check(str(address), 80)


def test_the_first_address_that_passes_is_taken() -> None:
    assert passage("http://dual.example/") == Pinned("93.184.216.34")


@pytest.mark.parametrize(
    ("entry", "address", "port", "allowed"),
    [
        ("127.0.0.0/8:8000-9000", "127.0.0.1", 8000, True),
        ("127.0.0.0/8:8000-9000", "127.9.9.9", 9000, True),
        ("127.0.0.0/8:8000-9000", "127.0.0.1", 9001, False),
        ("127.0.0.0/8:8000-9000", "127.0.0.1", 7999, False),
        ("127.0.0.1:8080", "127.0.0.1", 8080, True),
        ("127.0.0.1:8080", "127.0.0.2", 8080, False),
        ("[::1]:9000", "::1", 9000, True),
        ("[::1]:9000", "::1", 9001, False),
        ("::1", "::1", 80, True),
        ("fc00::/7", "fd12::1", 80, True),
        ("[fc00::/7]:80", "fd12::1", 80, True),
        ("10.0.0.0/8", "10.2.3.4", 1, True),
        ("10.0.0.0/8", "::ffff:10.2.3.4", 1, False),
    ],
)
def test_the_allow_list_names_networks_and_ports(entry: str, address: str, port: int, allowed: bool) -> None:
    assert (AddressGuard([entry]).check(address, port) is None) is allowed


@pytest.mark.parametrize(
    "entry",
    ["", "localhost", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:9000-8000", "127.0.0.1:0", "127.0.0.1:70000",
     "127.0.0.1/8", "[::1", "[::1]:x", "10.0.0.0/40", "*"],
)  # fmt: skip
def test_nonsense_in_the_allow_list_is_refused_at_the_door(entry: str) -> None:
    with pytest.raises(ConfigurationError, match="allow_addresses"):
        AddressGuard([entry])
