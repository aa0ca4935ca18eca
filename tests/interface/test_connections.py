"""The server goes on answering while clients say nothing, or too little at a time, and while descriptors run out."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from own_server import SERVE

from lycosa.interface.server import connections
from lycosa.interface.server.app import _listen
from lycosa.interface.server.connections import OutOfDescriptors

SMALL = "from lycosa.interface.server import connections\nconnections.MOST = {most}\nconnections.HEAD_WITHIN = 0.5\n"
SMALL += "connections.BODY_WITHIN = 0.5\n"
FEW = "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))\n"
Address = tuple[str, int]


@contextmanager
def a_server(home: Path, before: str) -> Iterator[tuple[Address, subprocess.Popen[str]]]:
    """A server in a process of its own with other limits."""
    process = subprocess.Popen(
        [sys.executable, "-c", before + SERVE, str(home), "127.0.0.1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    try:
        place = urlsplit(process.stdout.readline().strip())
        assert place.hostname
        assert place.port
        yield (place.hostname, place.port), process
    finally:
        process.terminate()
        process.communicate(timeout=15)


def healthy(address: Address) -> float:
    """How long `/health` takes to answer."""
    began = time.monotonic()
    with closing(HTTPConnection(*address, timeout=20)) as client:
        client.request("GET", "/health")
        assert client.getresponse().status == 200
    return time.monotonic() - began


def was_ended(client: socket.socket) -> bool:
    """Whether the server ends a connection; it waits for that."""
    try:
        return client.recv(1000) == b""
    except ConnectionResetError:
        return True


def test_clients_that_say_nothing_make_room(tmp_path: Path) -> None:
    with a_server(tmp_path, SMALL.format(most=20)) as (address, _), ExitStack() as opened:
        silent = [opened.enter_context(socket.create_connection(address)) for _ in range(60)]
        for client in silent[::2]:
            client.sendall(b"GET /health HTTP/1.1\r\nHost: local")
        assert max(healthy(address) for _ in range(10)) < 5
        for client in silent:
            client.settimeout(20)
            assert was_ended(client)


def test_clients_that_send_half_of_a_request_make_room(tmp_path: Path) -> None:
    few = SMALL.format(most=20).replace("BODY_WITHIN = 0.5", "BODY_WITHIN = 600")
    half = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nto"
    with a_server(tmp_path, few) as (address, _), ExitStack() as opened:
        senders = [opened.enter_context(socket.create_connection(address)) for _ in range(20)]
        for client in senders:
            client.sendall(half)
        healthy(address)
        for _ in range(5):
            healthy(address)
        senders[0].settimeout(20)
        assert was_ended(senders[0])


@pytest.mark.parametrize(
    "begin",
    [b"", b"GET / HTTP/1.1\r\n", b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\ntoken="],
    ids=["silent", "head", "body"],
)
def test_a_request_that_does_not_arrive_is_given_up(tmp_path: Path, begin: bytes) -> None:
    with a_server(tmp_path, SMALL.format(most=20)) as (address, _), socket.create_connection(address) as client:
        client.settimeout(20)
        client.sendall(begin)
        assert was_ended(client)
        healthy(address)


def test_running_out_of_descriptors_fills_no_log(tmp_path: Path) -> None:
    with a_server(tmp_path, FEW) as (address, process), ExitStack() as opened:
        for _ in range(100):
            opened.enter_context(socket.create_connection(address))
        healthy(address)
        opened.close()
        healthy(address)
        process.terminate()
        _, written = process.communicate(timeout=15)
    assert len(written.splitlines()) < 5, written[:2000]


def test_it_is_said_once_that_no_descriptors_are_left(caplog: pytest.LogCaptureFixture) -> None:
    loop, tell = asyncio.new_event_loop(), OutOfDescriptors()
    with closing(loop), caplog.at_level(logging.ERROR):
        for _ in range(1000):
            tell(loop, {"message": "accept", "exception": OSError(errno.EMFILE, "Too many open files")})
        assert [record.name for record in caplog.records] == ["lycosa.server"]
        tell(loop, {"message": "something else", "exception": OSError(errno.EIO, "Input/output error")})
    assert [record.name for record in caplog.records] == ["lycosa.server", "asyncio"]


def test_answers_do_not_wait_for_acknowledgements() -> None:
    """asyncio turns that off only where a socket names its protocol."""
    with _listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP


def test_there_are_more_descriptors_than_places() -> None:
    assert 8 <= connections.places() <= connections.MOST
