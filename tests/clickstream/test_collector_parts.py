"""The parts of the collector by themselves: allowances, visitors, proxies, requests, and one write for many."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.click_records import DAY, ClickEvent, WatchedSite, day_of
from lycosa.clickstream.collector.group_commit import GroupCommit
from lycosa.clickstream.collector.http_requests import Request, read_head
from lycosa.clickstream.collector.trusted_proxies import TrustedProxies, client_of
from lycosa.clickstream.rate_limits import Rates
from lycosa.clickstream.visitors import NOBODY, ViewTimes, Visitors
from lycosa.configuration.settings import ConfigurationError
from lycosa.storage.day_keys import DayKeys

MIDNIGHT = 20_000 * DAY


# -- allowances ---------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.floats(0, 20), st.integers(1, 20)), max_size=200))
def test_no_client_gets_more_than_its_allowance_and_what_grew_meanwhile(sent: list[tuple[float, int]]) -> None:
    rates, now, taken = Rates(60, 10**6), 1000.0, 0
    for pause, number in sent:
        now += pause
        taken += number if not rates.wait("client", number, now) else 0
        assert taken <= 60 + (now - 1000.0) + 1e-6


def test_who_waits_as_told_is_served_again() -> None:
    rates = Rates(60, 10**6)
    assert rates.wait("client", 60, 0.0) == 0
    wait = rates.wait("client", 5, 0.0)
    assert wait == pytest.approx(5.0)
    assert rates.wait("client", 5, wait + 0.001) == 0
    assert rates.wait("another", 60, 0.0) == 0


def test_all_together_have_an_allowance_too() -> None:
    rates = Rates(60, 100)
    assert [rates.wait_of_all(50, 0.0) for _ in range(2)] == [0, 0]
    assert rates.wait_of_all(50, 0.0) == pytest.approx(0.5)
    assert rates.wait_of_all(50, 0.51) == 0


def test_the_table_of_clients_does_not_grow_and_forgets_the_quiet_ones_first() -> None:
    rates = Rates(1, 10**9, most_clients=100)
    rates.wait("loud", 1, 0.0)
    for number in range(10_000):
        rates.wait(f"client {number}", 1, 1.0)
        assert rates.wait("loud", 1, 1.0) > 0
        assert len(rates) <= 100


# -- visitors -----------------------------------------------------------------------------------


def test_a_visitor_has_one_name_a_day_and_another_the_next(tmp_path: Path) -> None:
    visitors = Visitors(DayKeys(tmp_path))
    day, name = visitors.name("192.0.2.1", b"Firefox", MIDNIGHT + 100)
    assert (day, len(name)) == (20_000, 16)
    assert visitors.name("192.0.2.1", b"Firefox", MIDNIGHT + 50_000) == (day, name)
    assert visitors.name("192.0.2.2", b"Firefox", MIDNIGHT + 100)[1] != name
    assert visitors.name("192.0.2.1", b"Chrome", MIDNIGHT + 100)[1] != name
    later = visitors.name("192.0.2.1", b"Firefox", MIDNIGHT + DAY + 100)
    assert (later[0], later[1] != name) == (20_001, True)


def test_a_visitor_over_midnight_keeps_the_first_name_while_active(tmp_path: Path) -> None:
    visitors = Visitors(DayKeys(tmp_path))
    first = visitors.name("192.0.2.1", b"Firefox", MIDNIGHT - 600)
    assert first[0] == 19_999
    for minutes in (15, 40, 69):
        assert visitors.name("192.0.2.1", b"Firefox", MIDNIGHT + 60 * minutes) == first
    assert visitors.name("192.0.2.9", b"Firefox", MIDNIGHT + 60)[0] == 20_000
    after_a_pause = visitors.name("192.0.2.1", b"Firefox", MIDNIGHT + 60 * 100)
    assert after_a_pause[0] == 20_000
    assert visitors.name("192.0.2.1", b"Firefox", MIDNIGHT + 60 * 101) == after_a_pause


def test_nobody_is_carried_past_noon_or_beyond_the_bound(tmp_path: Path) -> None:
    visitors = Visitors(DayKeys(tmp_path), most=10)
    for number in range(50):
        visitors.name(f"192.0.2.{number}", b"Firefox", MIDNIGHT - 60)
    carried = [visitors.name(f"192.0.2.{number}", b"Firefox", MIDNIGHT + 60)[0] for number in range(50)]
    assert carried == [20_000] * 40 + [19_999] * 10
    days = [visitors.name("192.0.2.49", b"Firefox", MIDNIGHT + 60 * minutes)[0] for minutes in range(1, 800, 20)]
    assert days == sorted(days)
    assert days[-1] == 20_000


def test_without_a_key_a_visitor_is_nobody(tmp_path: Path) -> None:
    keys = DayKeys(tmp_path)
    visitors = Visitors(keys)
    assert visitors.name("192.0.2.1", b"Firefox", MIDNIGHT)[1] != NOBODY
    keys.destroy(20_001 * 86_400.0)
    visitors.forget_keys()
    assert visitors.name("192.0.2.1", b"Firefox", MIDNIGHT)[1] == NOBODY


@given(st.permutations(range(6)), st.lists(st.floats(0, 1e5), min_size=6, max_size=6))
def test_a_view_never_takes_more_time_than_has_passed(order: list[int], claims: list[float]) -> None:
    views, total = ViewTimes(), 0.0
    latest = max(60.0 * number for number in range(6))
    for number in order:
        at = 1000.0 + 60.0 * number
        seconds = min(claims[number], views.left("view", at, 500.0))
        views.claim("view", at, seconds)
        total += seconds
    assert total <= 500.0 + latest + 1.0


def test_honest_events_count_in_full_in_any_order() -> None:
    views = ViewTimes()
    for number in (0, 2, 1, 3):
        at = 1000.0 + 60 * number
        assert views.left("view", at, 86_400.0) >= 60
        views.claim("view", at, 60)


# -- proxies ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("203.0.113.7", "", "203.0.113.7"),
        ("203.0.113.7", "198.51.100.1", "203.0.113.7"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "1.1.1.1, 198.51.100.1, 10.9.9.9", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
        ("10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"),
        ("10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "1.1.1.1, not an address", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.2, 10.0.0.3", "10.0.0.2"),
        ("10.0.0.1", ",".join(["6.6.6.6"] * 1000 + ["198.51.100.1"]), "198.51.100.1"),
    ],
)
def test_only_a_trusted_proxy_says_who_the_client_is(peer: str, forwarded: str, client: str) -> None:
    assert TrustedProxies(["10.0.0.0/8"]).client(peer, forwarded) == client


def test_without_trusted_proxies_forwarding_headers_say_nothing() -> None:
    assert TrustedProxies().client("127.0.0.1", "198.51.100.1") == "127.0.0.1"


def test_a_wrong_network_is_refused_at_the_door() -> None:
    with pytest.raises(ConfigurationError, match="trusted_proxies"):
        TrustedProxies(["nginx"])


def test_an_ipv6_network_has_one_allowance() -> None:
    assert client_of("2001:db8::1") == client_of("2001:db8::ffff:1") != client_of("2001:db8:0:1::1")
    assert client_of("192.0.2.1") != client_of("192.0.2.2")


# -- requests -----------------------------------------------------------------------------------

GOOD = b"POST /collect?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\nX-Forwarded-For: 1.1.1.1"
GOOD += b"\r\nx-forwarded-for: 2.2.2.2 "


def test_a_request_is_read() -> None:
    found = read_head(GOOD)
    assert isinstance(found, Request)
    assert (found.method, found.path, found.query, found.length, found.keep) == (b"POST", b"/collect", b"x=1", 12, True)
    assert found.header(b"x-forwarded-for") == "1.1.1.1, 2.2.2.2"


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"", 400),
        (b"GET /", 400),
        (b"GET / HTTP/2.0\r\nHost: a", 400),
        (b"GET http://a/ HTTP/1.1\r\nHost: a", 400),
        (b"get / HTTP/1.1\r\nHost: a", 400),
        (b"GET / HTTP/1.1", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\n folded", 400),
        (b"GET / HTTP/1.1\r\nHost : a", 400),
        (b"GET / HTTP/1.1\r\nHost: a\nX: b", 400),
        (b"GET / HTTP/1.1\r\nHost: a\x00", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\n: b", 400),
        (b"POST / HTTP/1.1\r\nHost: a", 411),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked", 411),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked", 411),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1_0", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + b"9" * 30, 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nOrigin: https://a\r\nOrigin: https://b", 400),
        (b"GET / HTTP/1.1\r\nHost: a" + b"".join(b"\r\nX%d: y" % i for i in range(100)), 431),
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(head: bytes, status: int) -> None:
    assert read_head(head) == status


@given(st.binary(max_size=200) | st.binary(max_size=100).map(lambda tail: GOOD + b"\r\n" + tail))
def test_any_bytes_are_a_request_or_a_refusal(head: bytes) -> None:
    found = read_head(head)
    assert found in (400, 411, 431) or isinstance(found, Request)


# -- one write for many -------------------------------------------------------------------------


class SlowStore:
    """Notes what it is given; the first write ends when it is told."""

    def __init__(self) -> None:
        self.writes: list[tuple[int, dict[tuple[str, str], int]]] = []
        self.fails = False

    def add_events(self, events: Sequence[ClickEvent], refusals: Mapping[tuple[str, str], int] | None = None) -> int:
        if self.fails:
            raise OSError("the disk is full")
        self.writes.append((len(events), dict(refusals or {})))
        return 0

    def sites(self) -> list[WatchedSite]:
        return []

    def forget(self, before: int) -> int:
        return 0


EVENT = ClickEvent("example.org", "https://example.org/", 1.0, day_of(1.0), bytes(16), bytes(8), 0)


def test_what_comes_during_a_write_goes_into_the_next_one_together() -> None:
    async def play() -> list[int]:
        store, told = SlowStore(), []
        commit = GroupCommit(store)
        running = asyncio.create_task(commit.run())
        commit.add([EVENT], lambda kept: told.append(kept))
        await asyncio.sleep(0)
        for _ in range(50):
            commit.refuse("", "malformed")
            commit.add([EVENT, EVENT], lambda kept: told.append(kept))
        assert told == []
        commit.end()
        await running
        assert told == [True] * 51
        assert sum(refusals.get(("", "malformed"), 0) for _, refusals in store.writes) == 50
        return [events for events, _ in store.writes]

    writes = asyncio.run(play())
    assert sum(writes) == 101
    assert len(writes) <= 2


def test_nothing_is_acknowledged_that_the_disk_did_not_take() -> None:
    async def play() -> None:
        store, told = SlowStore(), []
        store.fails = True
        commit = GroupCommit(store)
        running = asyncio.create_task(commit.run())
        failed, kept = asyncio.Event(), asyncio.Event()
        commit.refuse("", "malformed", 7)
        commit.add([EVENT], lambda done: (told.append(done), failed.set()))
        await failed.wait()
        assert (told, commit.trouble) == ([False], "the disk is full")
        store.fails = False
        commit.add([EVENT], lambda done: (told.append(done), kept.set()))
        await kept.wait()
        assert (told, commit.trouble) == ([False, True], "")
        commit.end()
        await running
        assert store.writes == [(1, {("", "malformed"): 7})], "refusals wait for a disk that takes them"

    asyncio.run(play())


def test_only_so_many_events_wait_for_the_disk() -> None:
    async def play() -> None:
        commit = GroupCommit(SlowStore(), most=10)
        assert commit.add([EVENT] * 10, lambda kept: None)
        assert not commit.add([EVENT], lambda kept: None)

    asyncio.run(play())
