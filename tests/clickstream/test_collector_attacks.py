"""Floods, forgeries and garbage: refused by name, within bounds, and everybody else is served (faults 44 and 46)."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from own_collector import AGENT, BEGUN, PAGE, SITE, Client, an_event, collecting, post, request

from lycosa.click_records import ClickEvent, WatchedSite
from lycosa.clickstream.collector.http_requests import read_head
from lycosa.clickstream.collector.request_handler import Received, Reception
from lycosa.configuration.sections import Collector as Settings
from lycosa.configuration.sections import Seconds
from lycosa.storage.day_keys import DayKeys

PROXIED = Settings(trusted_proxies=("127.0.0.1",))


async def visits(running: Any) -> int:
    page = running.store.page(SITE.name, PAGE)
    return 0 if page is None else page.visits


# -- floods -------------------------------------------------------------------------------------


def test_a_flood_from_one_client_is_limited_and_others_are_served(tmp_path: Path) -> None:
    async def flood(client: Client, number: int, sent: list[int]) -> None:
        for place in range(number):
            wire = post(an_event(i=f"{place:016x}"), {"X-Forwarded-For": "192.0.2.66"})
            sent.append((await client.send(wire)).status)

    async def play() -> None:
        async with collecting(tmp_path, settings=PROXIED) as running:
            sent: list[int] = []
            clients = [await running.client() for _ in range(10)]
            flooding = [asyncio.create_task(flood(client, 1000, sent)) for client in clients]
            friend, slowest = await running.client(), 0.0
            for number in range(20):
                began = time.monotonic()
                wire = post(an_event(i=f"ff{number:014x}"), {"X-Forwarded-For": f"198.51.100.{number}"})
                assert (await friend.send(wire)).status == 204
                slowest = max(slowest, time.monotonic() - began)
            await asyncio.gather(*flooding)
            for client in (*clients, friend):
                client.close()
            limited = sent.count(429)
            assert set(sent) == {204, 429}
            assert limited >= 9000
            assert slowest < 2.0
            found = await running.refusals("", {"too-many": limited})
            assert found == {"too-many": limited}

    asyncio.run(play())


def test_a_client_over_its_limit_is_told_when_to_come_back(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path, settings=Settings(events_per_minute=30)) as running:
            assert (await running.send(post([an_event(i=f"{n:016x}") for n in range(20)]))).status == 204
            answered = await running.send(post([an_event(i=f"f{n:015x}") for n in range(20)]))
            assert (answered.status, answered.body) == (429, b"too-many\n")
            assert 1 <= int(answered.headers["retry-after"]) <= 60
            assert await visits(running) == 20

    asyncio.run(play())


def test_a_flood_of_garbage_does_not_write_each_time(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path, settings=Settings(events_per_minute=10**6)) as running:
            client = await running.client()
            before, began = running.store.stamp(), time.monotonic()
            for _ in range(2000):
                assert (await client.send(post(b"garbage"))).status == 400
            client.close()
            seconds = time.monotonic() - began
            assert await running.refusals("", {"malformed": 2000}) == {"malformed": 2000}
            assert running.store.stamp() - before <= 4 * (seconds + 1) + 4

    asyncio.run(play())


def test_all_together_are_limited_too(tmp_path: Path) -> None:
    async def play() -> None:
        limited = Settings(trusted_proxies=("127.0.0.1",), events_per_second=20)
        async with collecting(tmp_path, settings=limited, steady=lambda: 1000.0) as running:
            client = await running.client()
            statuses = [
                (await client.send(post(an_event(i=f"{n:016x}"), {"X-Forwarded-For": f"198.51.100.{n}"}))).status
                for n in range(30)
            ]
            client.close()
            assert statuses == [204] * 20 + [503] * 10
            assert await running.refusals("", {"overloaded": 10}) == {"overloaded": 10}

    asyncio.run(play())


# -- bounds -------------------------------------------------------------------------------------


def test_a_large_body_is_refused_before_it_is_read(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path) as running:
            client = await running.client()
            answered = await client.send(post(b"", {"Content-Length": "1048576"}))
            assert (answered.status, answered.body) == (413, b"too-large\n")
            assert await client.reader.read() == b"", "the connection ends"
            client.close()
            sending = await running.client()
            sending.writer.write(post(b"x" * 1_048_576))
            assert (await sending.read()).status == 413
            sending.close()
            assert await running.refusals("", {"too-large": 2}) == {"too-large": 2}

    asyncio.run(play())


def test_an_endless_head_is_refused(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path) as running:
            client = await running.client()
            assert (await client.send(b"GET / HTTP/1.1\r\nX: " + b"y" * 10_000)).status == 431
            client.close()

    asyncio.run(play())


def test_who_is_too_slow_loses_the_connection(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path, settings=Settings(request_within=Seconds(0.3))) as running:
            head, body, idle = [await running.client() for _ in range(3)]
            head.writer.write(b"POST /collect HTTP/1.1\r\nHost: a\r\n")
            body.writer.write(post(an_event())[:-5])
            assert (await asyncio.wait_for(head.read(), 5)).status == 408
            assert (await asyncio.wait_for(body.read(), 5)).status == 408
            assert await asyncio.wait_for(idle.reader.read(), 5) == b""
            for client in (head, body, idle):
                client.close()
            assert await running.refusals("", {"malformed": 2}) == {"malformed": 2}

    asyncio.run(play())


def test_a_proxy_may_keep_idle_connections(tmp_path: Path) -> None:
    async def play() -> None:
        patient = Settings(request_within=Seconds(0.1), trusted_proxies=("127.0.0.1",))
        async with collecting(tmp_path, settings=patient) as running:
            proxy, slow = await running.client(), await running.client()
            assert (await proxy.send(post(an_event()))).status == 204
            assert (await asyncio.wait_for(slow.send(b"POST /"), 5)).status == 408
            assert (await proxy.send(post(an_event(n=1)))).status == 204
            for client in (proxy, slow):
                client.close()

    asyncio.run(play())


def test_drops_of_bytes_do_not_buy_time(tmp_path: Path) -> None:
    async def drip(client: Client) -> None:
        for byte in post(an_event()):
            client.writer.write(bytes([byte]))
            await asyncio.sleep(0.05)

    async def play() -> None:
        async with collecting(tmp_path, settings=Settings(request_within=Seconds(0.3))) as running:
            client = await running.client()
            dripping = asyncio.create_task(drip(client))
            assert (await asyncio.wait_for(client.read(), 5)).status == 408
            dripping.cancel()
            client.close()

    asyncio.run(play())


def test_connections_are_bounded_and_idle_ones_make_room(tmp_path: Path) -> None:
    async def play() -> None:
        bounded = Settings(connections=20, trusted_proxies=("127.0.0.1",))
        async with collecting(tmp_path, settings=bounded) as running:
            clients = []
            for number in range(60):
                clients.append(await running.client())
                assert (await clients[-1].send(post(an_event(i=f"{number:016x}")))).status == 204
                assert len(running.collector.connections) <= 20
            for client in clients:
                client.close()

    asyncio.run(play())


def test_one_address_cannot_take_all_places(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path, settings=Settings(connections=100)) as running:
            clients = [await running.client() for _ in range(50)]
            answers = await asyncio.gather(
                *(client.send(request("GET", "/health")) for client in clients), return_exceptions=True
            )
            assert sum(not isinstance(answer, BaseException) for answer in answers) == 10
            for client in clients:
                client.close()
            assert await running.refusals("", {"overloaded": 40}) == {"overloaded": 40}

    asyncio.run(play())


def test_who_does_not_read_gets_no_more_and_loses_the_connection(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path, settings=Settings(request_within=Seconds(0.5))) as running:
            deaf = socket.socket()
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.setblocking(False)
            loop, wire = asyncio.get_running_loop(), request("GET", "/beacon.js") * 100
            await loop.sock_connect(deaf, ("127.0.0.1", running.port))

            async def push() -> None:
                while True:
                    await loop.sock_sendall(deaf, wire)

            with pytest.raises(ConnectionError):
                await asyncio.wait_for(push(), 20)
            deaf.close()
            assert len(running.collector.connections) == 0

    asyncio.run(play())


# -- forgeries ----------------------------------------------------------------------------------


def test_a_spoofed_forwarding_header_makes_nobody_new(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path, settings=Settings(events_per_minute=10)) as running:
            statuses = [
                (await running.send(post(an_event(i=f"{n:016x}"), {"X-Forwarded-For": f"198.51.100.{n}"}))).status
                for n in range(30)
            ]
            assert statuses == [204] * 10 + [429] * 20
            page = running.store.page(SITE.name, PAGE)
            assert page is not None
            assert page.visitors == 1

    asyncio.run(play())


def test_behind_a_proxy_only_what_the_proxy_saw_counts(tmp_path: Path) -> None:
    async def play() -> None:
        async with collecting(tmp_path, settings=PROXIED) as running:
            for number in range(5):
                headers = {"X-Forwarded-For": f"198.51.100.{number}, 192.0.2.1"}
                await running.send(post(an_event(i=f"{number:016x}"), headers))
            page = running.store.page(SITE.name, PAGE)
            assert page is not None
            assert (page.visits, page.visitors) == (5, 1)

    asyncio.run(play())


@pytest.mark.parametrize(
    "wire",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        post(an_event()).replace(b"Content-Length", b"Transfer-Encoding: chunked\r\nContent-Length"),
        post(an_event()).replace(b"Content-Length: ", b"Content-Length: 0x"),
        post(an_event(), {"Origin": "https://example.org\r\n X: y"}),
    ],
    ids=repr,
)
def test_what_is_no_request_is_refused_and_the_connection_ends(tmp_path: Path, wire: bytes) -> None:
    async def play() -> None:
        async with collecting(tmp_path, settings=Settings(request_within=Seconds(0.3))) as running:
            client = await running.client()
            answered = await asyncio.wait_for(client.send(wire), 5)
            assert answered.status in (400, 408, 411)
            assert await asyncio.wait_for(client.reader.read(), 5) == b""
            client.close()
            assert (await running.send(request("GET", "/health"))).status == 200
            assert await visits(running) == 0

    asyncio.run(play())


@given(
    st.lists(
        st.binary(max_size=80)
        | st.just(post(an_event()))
        | st.builds(lambda cut: post(an_event())[:cut], st.integers(0, 600))
        | st.builds(lambda body: post(body), st.binary(max_size=60)),
        max_size=6,
    )
)
@settings(max_examples=60)
def test_any_bytes_on_a_connection_never_bring_a_500_or_an_end(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]
) -> None:
    async def play() -> None:
        limits = Settings(request_within=Seconds(0.01))
        async with collecting(tmp_path_factory.mktemp("clicks"), settings=limits) as running:
            client = await running.client()
            client.writer.write(b"".join(pieces))
            client.writer.write_eof()
            answered = await asyncio.wait_for(client.reader.read(), 5)
            assert b"HTTP/1.1 5" not in answered
            client.close()
            assert (await running.send(request("GET", "/health"))).status == 200

    asyncio.run(play())


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=200), st.binary(max_size=60))
def test_any_pixel_ends_in_a_visit_or_in_a_named_refusal(reception: Reception, query: str, page: bytes) -> None:
    shown = page.translate(None, bytes(range(32)) + b"\x7f")
    head = read_head(request("GET", f"/pixel.gif?{query}&{'a&' * 500}").rstrip() + b"\r\nReferer: " + shown)
    assert not isinstance(head, int)
    found = reception.pixel(head, "192.0.2.1", BEGUN, 1.0)
    assert [(site, reason.value, times) for site, reason, times in found.refused] == [("", "unknown-key", 1)]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from([PAGE, SITE.key]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("vkinurtadlsoe1x"), inner, max_size=13),
    max_leaves=40,
)


@pytest.fixture(scope="module")
def reception(tmp_path_factory: pytest.TempPathFactory) -> Reception:
    made = Reception(Settings(events_per_minute=10**9, events_per_second=10**9), DayKeys(tmp_path_factory.mktemp("k")))
    made.watch([SITE])
    return made


@given(JSON | st.dictionaries(st.sampled_from("iunrtadlsoe"), JSON).map(lambda changes: an_event() | changes))
def test_any_json_ends_in_events_of_the_site_or_in_named_refusals(reception: Reception, value: Any) -> None:
    body = json.dumps(value).encode()
    head = read_head(post(body).partition(b"\r\n\r\n")[0])
    assert not isinstance(head, int)
    found = reception.post(head, body, "192.0.2.1", BEGUN, 1.0)
    assert isinstance(found, Received)
    assert found.events or found.refused
    assert all(isinstance(event, ClickEvent) and event.url.startswith("http") for event in found.events)
    assert all(reason and times >= 1 for _, reason, times in found.refused)


# -- private by design --------------------------------------------------------------------------


def test_no_address_and_no_browser_is_on_disk(tmp_path: Path) -> None:
    addresses = ["198.51.100.77", "2001:db8:77::abcd"]

    async def play() -> None:
        async with collecting(tmp_path, settings=PROXIED) as running:
            for number, address in enumerate(addresses):
                headers = {"X-Forwarded-For": address, "User-Agent": AGENT, "Cookie": "id=a-cookie-of-theirs"}
                assert (await running.send(post(an_event(i=f"{number:016x}"), headers))).status == 204
                assert (await running.send(post(b"garbage", headers))).status == 400
            assert await running.refusals("", {"malformed": 2}) == {"malformed": 2}

    asyncio.run(play())
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert PAGE.encode() in kept
    for address in addresses:
        parsed = ipaddress.ip_address(address)
        for form in {address, parsed.exploded, parsed.compressed, address.upper()}:
            assert form.encode() not in kept
            assert form.encode("utf-16-le") not in kept
        assert parsed.packed not in kept
        assert parsed.packed[::-1] not in kept
    for word in (AGENT, "Mozilla", "Firefox", "rv:130", "a-cookie-of-theirs", "127.0.0.1"):
        assert word.encode() not in kept


def test_the_key_of_one_site_opens_no_other(tmp_path: Path) -> None:
    async def play() -> None:
        other = WatchedSite("other.example", "another-key", created=1.0)
        async with collecting(tmp_path, sites=(SITE, other)) as running:
            wrong = await running.send(post(an_event(k="another-key"), {"Origin": "https://other.example"}))
            assert (wrong.status, wrong.body) == (403, b"foreign-site\n")
            wrong = await running.send(post(an_event(k="another-key")))
            assert (wrong.status, wrong.body) == (403, b"wrong-origin\n")
            assert "access-control-allow-origin" not in wrong.headers

    asyncio.run(play())
