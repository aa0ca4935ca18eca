"""A web behind a socket: keep-alive, hosts by name, a log for audits, and no client can bring it down."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import pytest

from lycosa import urls
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.lab.web_server import LARGEST_REQUEST, Request, WebServer, serve_in_process
from lycosa.records import Response

SMALL = "box:3?hosts=8&pages=80&topics=4&changed=0.5"
WITHIN = 20.0
P = ParamSpec("P")


def in_loop(test: Callable[P, Coroutine[None, None, None]]) -> Callable[P, None]:
    """Run a test that awaits."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


class Client:
    """A plain HTTP/1.1 client on one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def of(cls, port: int) -> Client:
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def get(self, url: str, headers: Mapping[str, str] | None = None, method: str = "GET") -> Response:
        host = urls.site_of(url).removeprefix("http://")
        lines = [f"{method} {urls.path_of(url)} HTTP/1.1", f"Host: {host}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self.writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        return await self.answer(url, bodiless=method == "HEAD")

    async def answer(self, url: str = "", *, bodiless: bool = False) -> Response:
        head = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), WITHIN)
        first, *lines = head.decode("latin-1").strip().split("\r\n")
        headers = tuple((name, value.strip()) for name, _, value in (line.partition(":") for line in lines))
        found = Response(url, int(first.split()[1]), headers)
        size = 0 if bodiless else int(found.header("content-length") or 0)
        return Response(url, found.status, headers, await self.reader.readexactly(size))

    async def rest(self) -> bytes:
        return await asyncio.wait_for(self.reader.read(), WITHIN)

    def close(self) -> None:
        self.writer.close()


@in_loop
async def test_one_connection_serves_all_hosts_by_name() -> None:
    async with WebServer(SimulatedWeb.of(SMALL)) as server:
        web = SimulatedWeb.of(SMALL).at_port(server.port)
        client = await Client.of(server.port)
        for url in web.page_urls():
            answer = await client.get(url)
            assert (answer.status, answer.body) == (200, web.respond(url).body)
            assert answer.header("etag") == web.respond(url).header("etag")
        missing = await client.get(f"http://nobody.localhost:{server.port}/")
        assert missing.status == 404
        client.close()
        expected = [Request(0, urls.site_of(url)[7:], urls.path_of(url), 200) for url in web.page_urls()]
        assert [one._replace(at=0) for one in server.log[:-1]] == expected
        moments = [one.at for one in server.log]
        assert moments == sorted(moments)


@in_loop
async def test_requests_sent_at_once_are_answered_in_order() -> None:
    for latency in (0.0, 0.01):
        async with WebServer(SimulatedWeb.of(SMALL), latency=latency) as server:
            assert isinstance(server.web, SimulatedWeb)
            pages = server.web.page_urls()[:5]
            client = await Client.of(server.port)
            for url in pages:
                host = urls.site_of(url)[7:]
                client.writer.write(f"GET {urls.path_of(url)} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            bodies = [(await client.answer()).body for _ in pages]
            assert bodies == [server.web.respond(url).body for url in pages]
            client.close()


@in_loop
async def test_a_slow_answer_holds_the_next_request_up() -> None:
    async with WebServer(SimulatedWeb.of(SMALL), latency=0.3) as server:
        client = await Client.of(server.port)
        client.writer.write(f"GET / HTTP/1.1\r\nHost: birds-1.localhost:{server.port}\r\n\r\n".encode() * 3)
        await client.answer()
        assert len(server.log) == 2
        client.close()


@in_loop
async def test_a_request_may_arrive_byte_by_byte() -> None:
    async with WebServer(SimulatedWeb.of(SMALL)) as server:
        client = await Client.of(server.port)
        for byte in f"GET /robots.txt HTTP/1.1\r\nHost: birds-1.localhost:{server.port}\r\n\r\n".encode():
            client.writer.write(bytes([byte]))
            await client.writer.drain()
        assert (await client.answer()).status == 200
        client.close()


@in_loop
async def test_head_and_conditional_requests() -> None:
    async with WebServer(SimulatedWeb.of(SMALL), cached=100) as server:
        assert isinstance(server.web, SimulatedWeb)
        url = server.web.roots()[0]
        client = await Client.of(server.port)
        first = await client.get(url)
        head = await client.get(url, method="HEAD")
        assert head.header("content-length") == first.header("content-length")
        again = await client.get(url, {"If-None-Match": first.header("etag")})
        assert (again.status, again.body) == (304, b"")
        assert (await client.get(url)).body == first.body
        client.close()


@in_loop
async def test_time_stands_still_until_it_advances() -> None:
    async with WebServer(SimulatedWeb.of(SMALL, begins=1e9), cached=100) as server:
        web = server.web
        assert isinstance(web, SimulatedWeb)
        assert server.now == 1e9
        later = 1e9 + 30 * 86400.0
        url = next(one for one in web.page_urls() if web.version_of(one, later))
        client = await Client.of(server.port)
        first = await client.get(url)
        assert (await client.get(url)).body == first.body
        server.advance(30 * 86400.0)
        assert (await client.get(url)).body == web.respond(url, later).body != first.body
        client.close()


@in_loop
async def test_flaky_pages_answer_at_the_second_attempt() -> None:
    async with WebServer(SimulatedWeb.of("box:1?hosts=10&pages=500&errors=0.1")) as server:
        assert isinstance(server.web, SimulatedWeb)
        web = server.web
        flaky = next(url for url in web.error_urls() if web.truth(url).kind == "flaky")
        client = await Client.of(server.port)
        assert [(await client.get(flaky)).status for _ in range(3)] == [500, 200, 200]
        client.close()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", b"400"),
        (b"GET /\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", b"405"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", b"413"),
        (b"GET / HTTP/1.1\r\nHost: \xff\xfe\r\nConnection: close\r\n\r\n", b"404"),
        (b"GET /\xff\x00 HTTP/1.0\r\nHost: birds-1.localhost\r\n\r\n", b"404"),
        (b"A" * (LARGEST_REQUEST + 1), b"431"),
    ],
)
@in_loop
async def test_garbage_is_refused_and_the_server_lives_on(sent: bytes, status: bytes) -> None:
    async with WebServer(SimulatedWeb.of(SMALL)) as server:
        client = await Client.of(server.port)
        client.writer.write(sent)
        assert (await client.rest()).split(b" ")[1] == status
        client.close()
        assert isinstance(server.web, SimulatedWeb)
        good = await Client.of(server.port)
        assert (await good.get(server.web.roots()[0])).status == 200
        good.close()


@in_loop
async def test_clients_that_vanish_do_no_harm() -> None:
    async with WebServer(SimulatedWeb.of(SMALL), latency=0.05) as server:
        assert isinstance(server.web, SimulatedWeb)
        for _ in range(20):
            client = await Client.of(server.port)
            client.writer.write(f"GET / HTTP/1.1\r\nHost: birds-1.localhost:{server.port}\r\n\r\n".encode())
            await client.writer.drain()
            client.writer.transport.abort()
        good = await Client.of(server.port)
        assert (await good.get(server.web.roots()[0])).status == 200
        good.close()


@in_loop
async def test_any_web_can_be_served_and_logged_to_a_file(tmp_path: Path) -> None:
    class Hello:
        def respond(
            self, url: str, now: float = 0.0, attempt: int = 1, headers: Mapping[str, str] | None = None
        ) -> Response:
            return Response(url, 200, (("Content-Type", "text/plain"),), url.encode())

    log = tmp_path / "requests.log"
    async with WebServer(Hello(), log=log) as server:
        client = await Client.of(server.port)
        assert (await client.get("http://any.example/a%20b?c=d")).body == b"http://any.example/a%20b?c=d"
        client.close()
        assert [line.split(" ")[1:] for line in log.read_text().splitlines()] == [["any.example", "200", "/a%20b?c=d"]]


def get(port: int, url: str) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=WITHIN) as connection:
        host = urls.site_of(url)[7:]
        connection.sendall(f"GET {urls.path_of(url)} HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_a_web_in_its_own_process() -> None:
    with serve_in_process(SMALL, cached=10) as served:
        web = SimulatedWeb.of(SMALL).at_port(served.port)
        url = next(one for one in web.page_urls() if web.version_of(one, 30 * 86400.0))
        first = get(served.port, url)
        assert first.endswith(web.respond(url).body)
        served.advance(30 * 86400.0)
        assert get(served.port, url).endswith(web.respond(url, 30 * 86400.0).body)
        assert [one[1:] for one in served.requests()] == [(urls.site_of(url)[7:], urls.path_of(url), 200)] * 2
    with pytest.raises(OSError):
        get(served.port, url)


def test_the_process_ends_with_its_starter() -> None:
    order = [sys.executable, "-m", "lycosa.lab.web_server", SMALL]
    with subprocess.Popen(order, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline().strip().isdigit()
        process.stdin.close()
        assert process.wait(WITHIN) == 0


def test_an_impossible_web_is_not_served() -> None:
    with pytest.raises(RuntimeError, match="box:1"), serve_in_process("box:1?nonsense=1"):
        raise AssertionError("should not be reached")
