"""What can take long runs in threads: while one request is answered, the server goes on answering others."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from reader_crawl import WOLF, a_crawl_to_read
from starlette.testclient import TestClient

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.interface.server.app import web_app

READ = {"crawl": "reads", "url": WOLF}
NOTES: list[tuple[str, dict[str, Any]]] = [
    ("/notes/behaviour", READ | {"view": "00112233445566aa", "number": 0}),
    ("/notes/chosen", {"crawl": "reads", "query": "wolf", "url": WOLF, "place": 1}),
    ("/notes/enough", {"crawl": "reads", "query": "wolf", "results": [WOLF], "enough": True}),
]


def is_on_the_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


@pytest.fixture
def asked_on_loop(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the loop waited, for each time that crawls were looked up, which every answer about one begins with."""
    asked: list[bool] = []
    look_up = CrawlFolder.all

    def noting(home: Path) -> list[CrawlFolder]:
        asked.append(is_on_the_event_loop())
        return look_up(home)

    monkeypatch.setattr(CrawlFolder, "all", noting)
    return asked


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    home = a_crawl_to_read(tmp_path_factory.mktemp("home")).path.parent.parent
    client = TestClient(web_app(home), base_url="http://localhost")
    key = re.search(r'<meta name="page-key" content="(\w+)">', client.get("/read", params=READ).text)
    assert key
    client.headers.update(
        {"X-Lycosa-Key": key[1], "Sec-Fetch-Site": "same-origin", "User-Agent": "Mozilla/5.0 Firefox"}
    )
    return client


@pytest.mark.parametrize("view", ["reading", "original", "versions", "links", "structure", "scores"])
def test_a_stored_page_is_read_beside_the_loop(client: TestClient, asked_on_loop: list[bool], view: str) -> None:
    assert client.get("/read", params=READ | {"view": view}).status_code == 200
    assert asked_on_loop
    assert not any(asked_on_loop)


@pytest.mark.parametrize(
    "path", ["/", "/crawl/reads", "/crawl/reads/why", "/search?crawl=reads&q=wolf", "/api/v1/crawls"]
)
def test_pages_and_calls_are_answered_beside_the_loop(client: TestClient, asked_on_loop: list[bool], path: str) -> None:
    client.get(path)
    assert asked_on_loop
    assert not any(asked_on_loop)


@pytest.mark.parametrize(("path", "note"), NOTES)
def test_notes_are_taken_beside_the_loop(
    client: TestClient, asked_on_loop: list[bool], path: str, note: dict[str, Any]
) -> None:
    assert client.post(path, json=note).status_code in (200, 204)
    assert asked_on_loop
    assert not any(asked_on_loop)
