"""People who read stored pages in a real Chromium, and what is on record of them."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from own_server import served
from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright
from reader_crawl import WOLF, a_crawl_to_read

from lycosa.click_records import Action, Behaviour, PageClicks
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.storage.click_store import ClickStore
from real_browser import ARGUMENTS, browser_path

PERSON = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
SAY_YES = "if (!localStorage.getItem('lycosa-notes')) localStorage.setItem('lycosa-notes', 'yes')"
DESK = (1280, 800)
SIZES = [pytest.param((390, 844), id="phone"), pytest.param(DESK, id="desk")]


@dataclass(slots=True)
class Reader:
    """Somebody with a tab, what the tab asked for and complained about, and what is on record."""

    context: BrowserContext
    tab: Page
    folder: CrawlFolder
    asked: list[str] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    said: list[dict[str, Any]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def opens(self, url: str = WOLF, **more: Any) -> None:
        """Open a stored page."""
        self.tab.goto(self.place(url, **more))

    def place(self, url: str, **more: Any) -> str:
        """Where a stored page is read."""
        return "/read?" + urlencode({"crawl": self.folder.name, "url": url, **more})

    def notes(self) -> list[str]:
        """What was sent of what was done."""
        return [path for path in self.asked if path.startswith("/notes/")]

    def rows(self, url: str = WOLF) -> list[Behaviour]:
        """What is on record of a page."""
        if not (self.folder.path / "clicks" / "data.mdb").exists():
            return []
        with ClickStore(self.folder.path / "clicks", readonly=True) as store:
            return [row for row in store.behaviours() if row.url == url]

    def record(self, url: str = WOLF) -> PageClicks | None:
        """The page's record."""
        with ClickStore(self.folder.path / "clicks", readonly=True) as store:
            return store.page("spiders.example", url)

    def did(self, actions: dict[Action, int], url: str = WOLF, within: float = 5.0) -> Behaviour:
        """Wait until exactly these actions are on record."""
        wanted = {int(action): times for action, times in actions.items()}
        until = time.monotonic() + within
        while True:
            rows = self.rows(url)
            if len(rows) == 1 and rows[0].actions == wanted:
                return rows[0]
            assert time.monotonic() < until, f"{[row.actions for row in rows]} are on record, not {wanted}"
            self.tab.wait_for_timeout(50)


def note(reader: Reader, request: Request, address: str) -> None:
    """Note what a tab asks for: of our server only the path, and what it was told of what somebody did."""
    ours = request.url.startswith(address)
    reader.asked.append(urlsplit(request.url).path if ours else request.url)
    if ours and "/notes/" in request.url:
        reader.said.append(request.post_data_json or {})


def stopped(request: Request) -> bool:
    """Whether the browser itself did not let a request go: by policy or origin, not for want of an answer."""
    return not (request.failure or "").startswith("net::")


def no_strangers(reader: Reader) -> None:
    """Nothing was asked of anybody else; what the browser's policy stopped was never sent."""
    assert reader.asked
    assert {each for each in reader.asked if not each.startswith(("/read", "/static/", "/notes/"))} <= set(
        reader.stopped
    )


@dataclass(slots=True)
class ReadingRoom:
    """A server over a crawl to read, and a browser that makes readers."""

    folder: CrawlFolder
    address: str
    browser: Browser
    contexts: list[BrowserContext] = field(default_factory=list)
    copies: int = 0

    def reader(self, size: tuple[int, int] = DESK, *, yes: bool = False, **how: Any) -> Reader:
        """Somebody with a fresh browser; with `yes` they allowed notes before."""
        width, height = size
        settings: dict[str, Any] = {"viewport": {"width": width, "height": height}, **how}
        context = self.browser.new_context(base_url=self.address, **settings)
        context.set_default_timeout(10_000)
        self.contexts.append(context)
        if yes:
            context.add_init_script(SAY_YES)
        reader = Reader(context, context.new_page(), self._copy())
        context.on("request", lambda request: note(reader, request, self.address))
        context.on("requestfailed", lambda each: reader.stopped.append(each.url) if stopped(each) else None)
        reader.tab.on("console", lambda said: reader.complaints.append(said.text) if said.type == "error" else None)
        reader.tab.on("pageerror", lambda error: reader.complaints.append(str(error)))
        return reader

    def empty(self) -> None:
        """All readers leave."""
        for context in self.contexts:
            context.close()
        self.contexts.clear()

    def _copy(self) -> CrawlFolder:
        """A crawl of one's own: what a reader sends while leaving is no other one's."""
        self.copies += 1
        place = self.folder.path.with_name(f"reads-{self.copies}")
        shutil.copytree(self.folder.path, place)
        return CrawlFolder(place)


@contextmanager
def reading_room(home: Path) -> Iterator[ReadingRoom]:
    """A room whose browser calls itself a person's all the time, also in what it sends while a page goes away."""
    folder = a_crawl_to_read(home)
    arguments = [*ARGUMENTS, f"--user-agent={PERSON}"]
    with served(home) as (address, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=arguments)
        yield ReadingRoom(folder, address, browser)
        browser.close()
