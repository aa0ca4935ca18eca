"""The server: where it listens, what it says when it cannot, how it ends."""

from __future__ import annotations

import http.client
import json
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from own_server import served
from small_crawl import a_crawl, report

from lycosa.crawl_folder.folder import CrawlError, own
from lycosa.interface.server.app import serve
from lycosa.interface.shared.tokens import Role, TokenFile


def answer_of(address: str, path: str, host: str | None = None, token: str = "") -> http.client.HTTPResponse:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    headers = {"Host": host} if host else {}
    connection.request("GET", path, headers=headers | ({"Authorization": f"Bearer {token}"} if token else {}))
    return connection.getresponse()


def events_of(answer: http.client.HTTPResponse) -> Iterator[tuple[str, dict[str, Any]]]:
    """The kind and the data of each event."""
    kind = "message"
    while line := answer.readline():
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name == "event":
            kind = value
        elif name == "data":
            yield kind, json.loads(value)
            kind = "message"


def nobody(*_: str) -> None:
    pytest.fail("it said that it is ready")


def test_a_port_in_use_is_told_in_a_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CrawlError, match=f"^port {port} on 127.0.0.1 is in use; choose another one"):
            serve(tmp_path, "127.0.0.1", port, nobody)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_without_a_token_it_does_not_listen_beyond_this_machine(tmp_path: Path, host: str) -> None:
    with pytest.raises(CrawlError, match=r"lets others in, so they need a token.*lycosa tokens add NAME"):
        serve(tmp_path, host, 0, nobody)


def test_with_a_token_it_listens_elsewhere_and_asks_everybody_for_it(tmp_path: Path) -> None:
    secret = TokenFile(tmp_path).add("reader", Role.READ)
    with served(tmp_path, "0.0.0.0") as (address, _):
        port = urlsplit(address).port
        here = f"http://127.0.0.1:{port}/"
        assert answer_of(here, "/health", "any.example").status == 200
        assert answer_of(here, "/").status == 401
        assert answer_of(here, "/api/v1/crawls").status == 401
        assert answer_of(here, "/api/v1/crawls", token="lyc_wrong").status == 401
        assert answer_of(here, "/api/v1/crawls", token=secret).status == 200


def test_an_impossible_port_is_told(tmp_path: Path) -> None:
    with pytest.raises(CrawlError, match="cannot listen on port 99999"):
        serve(tmp_path, "127.0.0.1", 99999, nobody)


def test_it_answers_by_its_own_name_and_not_by_others(server: str) -> None:
    assert answer_of(server, "/health").status == 200
    assert answer_of(server, "/health", "evil.example").status == 400


def test_another_loopback_address_is_answered(tmp_path: Path) -> None:
    with served(tmp_path, "127.0.0.2") as (address, _):
        assert address.startswith("http://127.0.0.2:")
        assert answer_of(address, "/health").status == 200


def test_events_follow_a_running_crawl_until_it_stops(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, "followed")
    report(folder, 0, 10, 5)
    with served(tmp_path) as (address, _), own(folder.path / "lock", "the crawl") as lock:
        events = events_of(answer_of(address, "/crawl/followed/events"))
        kind, told = next(events)
        assert (kind, told["state"], told["status"]["fetched"]) == ("message", "running", 10)
        report(folder, 0, 20, 5)
        assert next(events)[1]["status"]["fetched"] == 20
        lock.close()
        rest = list(events)
    assert [kind for kind, _ in rest][-1] == "end"
    assert rest[-2][1]["state"] == "stopped"


def test_events_end_for_those_whose_token_was_removed(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, "followed")
    report(folder, 0, 10, 5)
    secret = TokenFile(tmp_path).add("reader", Role.READ)
    with served(tmp_path, "0.0.0.0") as (address, _), own(folder.path / "lock", "the crawl"):
        here = f"http://127.0.0.1:{urlsplit(address).port}/"
        events = events_of(answer_of(here, "/crawl/followed/events", token=secret))
        assert next(events)[0] == "message"
        TokenFile(tmp_path).remove("reader")
        *_, (kind, told) = events
    assert (kind, told["status"]) == ("end", 401)


def test_an_interrupt_ends_it_cleanly_even_while_it_is_followed(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, "followed")
    report(folder, 0, 10, 5)
    with own(folder.path / "lock", "the crawl"), served(tmp_path) as (address, process):
        events = events_of(answer_of(address, "/crawl/followed/events"))
        assert next(events)[0] == "message"
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=10)
    assert (process.returncode, output, errors) == (0, "ended\n", "")
