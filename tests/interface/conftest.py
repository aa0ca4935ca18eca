"""A real server over small crawls, and a real browser to look at it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from own_server import served
from playwright.sync_api import Browser, Page, sync_playwright
from reader_tabs import ReadingRoom, reading_room
from small_crawl import a_crawl, a_full_crawl
from starlette.testclient import TestClient

from lycosa import reading_processes
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.interface.operations import crawl_control as controls
from lycosa.interface.server.app import web_app
from real_browser import ARGUMENTS, browser_path


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a whole crawl, and one that has only just been made."""
    path = tmp_path_factory.mktemp("home")
    a_full_crawl(path)
    a_crawl(path, "young")
    return path


@pytest.fixture(scope="session")
def client(home: Path) -> TestClient:
    """Asks for pages over `home` without a network."""
    return TestClient(web_app(home, ["testserver"]))


@pytest.fixture(scope="session")
def server(home: Path) -> Iterator[str]:
    """The address of a server over `home`."""
    with served(home) as (address, _):
        yield address


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have stores read in this process, so that a test can change how; otherwise other processes read them."""
    monkeypatch.setattr(reading_processes, "_processes", None)
    monkeypatch.setattr(reading_processes, "begin", lambda modules: None)


@pytest.fixture
def crawls(tmp_path: Path) -> Iterator[Path]:
    """A home whose crawls are all ended with the test."""
    yield tmp_path
    deadline = time.monotonic() + 60
    for folder in CrawlFolder.all(tmp_path):
        while controls.stop(folder) and time.monotonic() < deadline:
            time.sleep(0.05)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium. Its own event loop keeps running, so it must not outlive the module that asked for it."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=browser_path(), args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def complaints() -> list[str]:
    """What pages complained about on their consoles."""
    return []


@pytest.fixture
def tab(browser: Browser, server: str, complaints: list[str]) -> Iterator[Page]:
    """A fresh page of the browser, wide, that notes complaints."""
    context = browser.new_context(base_url=server, viewport={"width": 1280, "height": 800})
    context.set_default_timeout(10_000)
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()


@pytest.fixture(scope="module")
def whole_room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReadingRoom]:
    """A server with stored pages, and a browser to read them."""
    with reading_room(tmp_path_factory.mktemp("reads")) as room:
        yield room


@pytest.fixture
def room(whole_room: ReadingRoom) -> Iterator[ReadingRoom]:
    """The same, with nobody in it at the beginning of a test."""
    yield whole_room
    whole_room.empty()
