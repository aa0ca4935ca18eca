"""From a person in a real Chromium to the page's record: the real script, the real collector, the real store."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from beacon_reader import LONG, Reader, chromium, reading
from collector_process import collector_process
from listening_server import KEY, Site, listening_site
from own_collector import AGENT
from playwright.sync_api import Browser

from lycosa.click_records import Action, PageClicks, Source, WatchedSite
from lycosa.storage.click_store import ClickStore
from real_browser import until_scrolled

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(120)]
HOST = "127.0.0.1"
ROBOT = "Mozilla/5.0 (compatible; ExampleBot/2.1; +https://bot.example/)"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium that has a person's name from the start: what is sent on leaving a page has no other."""
    with chromium(AGENT) as made:
        yield made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ClickStore]:
    """The store that the collector writes, as another process reads it."""
    with ClickStore(tmp_path / "clicks") as made:
        made.put_site(WatchedSite(HOST, KEY, created=1.0))
        yield made


@pytest.fixture
def site(tmp_path: Path, store: ClickStore) -> Iterator[Site]:
    """A site whose pages carry the beacon of a real collector."""
    with listening_site() as made, collector_process(tmp_path) as (port, _):
        made.listening = f"http://{HOST}:{port}"
        yield made


def record(store: ClickStore, url: str, wanted: Callable[[PageClicks], bool], within: float) -> PageClicks:
    """A page's record as soon as it is as wanted, or as it is when the time is over."""
    end = time.monotonic() + within
    while True:
        found = store.page(HOST, url) or PageClicks(url)
        if wanted(found) or time.monotonic() > end:
            return found
        time.sleep(0.01)


def turn_the_wheel(reader: Reader) -> None:
    reader.tab.mouse.move(300, 300)
    reader.tab.mouse.wheel(0, 200)
    until_scrolled(reader.tab, 200)


def test_who_scrolls_copies_prints_and_leaves_is_on_record_within_a_second(reader: Reader, store: ClickStore) -> None:
    url = reader.site.page("/page", LONG + "<a href=/a.zip>all</a>")
    reader.tab.goto(url)
    visited = record(store, url, lambda page: page.visits > 0, 10.0)
    assert (visited.visits, visited.visitors, visited.actions) == (1, 1, {Action.DIRECT: 1})
    turn_the_wheel(reader)
    reader.tab.evaluate("getSelection().selectAllChildren(document.querySelector('p'))")
    reader.tab.keyboard.press("Control+c")
    reader.tab.evaluate("print()")
    text = reader.tab.evaluate("document.body.innerText")
    done = {Action.DIRECT: 1, Action.SCROLL: 1, Action.COPY: 1, Action.PRINT: 1}
    reader.tab.goto(reader.site.plain("/elsewhere", "<!doctype html><title>elsewhere</title>"))
    found = record(store, url, lambda page: page.actions == done, 1.0)
    assert found.actions == done
    assert (found.visits, found.visitors, found.downloads) == (1, 1, 1)
    assert (found.length, found.ascii_sum) == (len(text), sum(map(ord, text)))
    assert 0 < found.duration < 60_000
    (row,) = store.behaviours(HOST)
    assert (row.url, row.actions, row.visits) == (url, done, 1)
    assert 0 < row.active <= row.dwell
    assert [page.url for page in store.pages(HOST, Source.BEACON)] == [url]
    assert store.refusals() == {}


def test_a_robot_s_browser_is_not_counted(browser: Browser, site: Site, store: ClickStore) -> None:
    with reading(browser, site, user_agent=ROBOT) as reader:
        with reader.tab.expect_response(lambda answer: answer.url.endswith("/collect")) as answer:
            reader.tab.goto(site.page("/page", LONG))
        assert answer.value.status == 204
        end = time.monotonic() + 1.0
        while not store.refusals(HOST) and time.monotonic() < end:
            time.sleep(0.01)
        assert (store.refusals(HOST), list(store.pages(HOST))) == ({"robot": 1}, [])


def test_with_global_privacy_control_nothing_is_sent(reader: Reader, store: ClickStore) -> None:
    reader.context.add_init_script(
        "Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', {get: () => true})"
    )
    reader.context.set_extra_http_headers({"Sec-GPC": "1"})
    asked: list[str] = []
    reader.tab.on("request", lambda request: asked.append(request.url))
    url = reader.site.page("/page", LONG)
    reader.tab.goto(url)
    turn_the_wheel(reader)
    reader.tab.goto(reader.site.plain("/elsewhere", "<!doctype html><title>elsewhere</title>"))
    reader.tab.wait_for_load_state()
    assert f"{reader.site.listening}/beacon.js" in asked
    assert f"{reader.site.listening}/collect" not in asked
    assert (list(store.pages(HOST)), store.refusals()) == ([], {})


def test_without_scripts_the_pixel_counts_the_visit(browser: Browser, site: Site, store: ClickStore) -> None:
    with reading(browser, site, java_script_enabled=False) as reader:
        url = site.page("/page", LONG)
        reader.tab.goto(url)
        found = record(store, url, lambda page: page.visits > 0, 10.0)
    assert (found.visits, found.duration, found.actions) == (1, 0, {})
