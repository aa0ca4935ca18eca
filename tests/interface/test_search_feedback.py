"""Results that were shown and chosen: what is noted, of whom nothing is, and who may not say anything."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lmdb
import pytest
from own_server import served
from playwright.sync_api import Browser, expect
from small_crawl import SPIDERS, a_crawl, index
from starlette.testclient import TestClient

from lycosa import reading_processes
from lycosa.click_records import DAY, ShownResult, day_of
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.interface.api.follow_up_feedback import LARGEST
from lycosa.interface.operations.search_feedback import PER_MINUTE, Asker, Chosen, SearchNotes
from lycosa.interface.server.app import READING, SECURITY, web_app
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys

PERSON = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
OURS = {"Sec-Fetch-Site": "same-origin"}
NOBODY = Asker("127.0.0.1", PERSON.encode(), watched=False)


@pytest.fixture
def folder(tmp_path: Path) -> CrawlFolder:
    made = a_crawl(tmp_path, "spiders")
    index(made, SPIDERS)
    return made


@pytest.fixture
def client(folder: CrawlFolder) -> TestClient:
    app = web_app(folder.path.parent.parent)
    made = TestClient(app, base_url="http://localhost", headers={"User-Agent": PERSON})
    made.headers["X-Lycosa-Key"] = re.findall(r'name="page-key" content="(\w+)"', made.get("/").text)[0]
    return made


def noted(folder: CrawlFolder, query: str = "leaves") -> list[ShownResult]:
    if not (folder.path / "clicks" / "data.mdb").exists():
        return []
    with ClickStore(folder.path / "clicks", readonly=True) as store:
        return store.shown(query)


def chosen(folder: CrawlFolder, query: str = "leaves") -> dict[str, tuple[int, ...]]:
    return {each.url: each.chosen for each in noted(folder, query) if any(each.chosen)}


def links(text: str) -> list[str]:
    return re.findall(r'<h2 dir="auto"><a href="([^"]*)"', text)


def search(client: TestClient, **more: Any) -> list[str]:
    params = {"crawl": "spiders", "q": "leaves"} | more.pop("params", {})
    return links(client.get("/search", params=params, **more).text)


def choose(client: TestClient, url: str, place: int, headers: dict[str, str] = OURS, **more: Any) -> int:
    told = {"crawl": "spiders", "query": "leaves", "url": url, "place": place} | more
    return client.post("/notes/chosen", json=told, headers=headers).status_code


# -- what is noted ------------------------------------------------------------------------------------


def test_what_was_shown_is_noted_with_its_place(client: TestClient, folder: CrawlFolder) -> None:
    first, second = search(client), search(client, params={"page": "2"})
    shown = {each.url: each.shown for each in noted(folder)}
    assert shown == {url: (*[0] * place, 1) for place, url in enumerate([*first, *second])}
    assert search(client, params={"page": "3"})
    assert len(noted(folder)) == 20, "nothing can be learned of the third page"


def test_the_same_person_sees_the_same_page_once_a_day(client: TestClient, folder: CrawlFolder) -> None:
    for _ in range(5):
        search(client)
    search(client, headers={"User-Agent": PERSON.replace("140", "141")})
    assert {sum(each.shown) for each in noted(folder)} == {2}


def test_a_choice_is_noted_once_a_day(client: TestClient, folder: CrawlFolder) -> None:
    url = search(client)[3]
    search(client, headers={"User-Agent": PERSON.replace("140", "141")})
    assert [choose(client, url, 4) for _ in range(3)] == [204] * 3
    assert chosen(folder) == {url: (0, 0, 0, 1)}


def test_what_was_not_shown_there_cannot_be_chosen_there(client: TestClient, folder: CrawlFolder) -> None:
    first, second, *_ = search(client)
    assert choose(client, first, 2) == choose(client, "https://else.example/", 1) == 204
    assert choose(client, second, 2, query="other words") == 204
    assert chosen(folder) == chosen(folder, "other words") == {}


def test_a_chosen_result_rises(client: TestClient, folder: CrawlFolder) -> None:
    with ClickStore(folder.path / "clicks") as store:
        before = search(client)
        for place in range(4):
            store.add_chosen("leaves", before[place], place + 1, b"e" * 16, 0)
        for visitor in range(30):
            store.add_shown("leaves", [before[9]], 10, day=0)
            store.add_chosen("leaves", before[9], 10, visitor.to_bytes(16, "big"), 0)
        reading_processes.begin(READING).close()
        app = web_app(folder.path.parent.parent)
        again = TestClient(app, base_url="http://localhost", headers={"User-Agent": PERSON})
        assert search(again)[0] == before[9]
        text = again.get("/search?crawl=spiders&q=leaves").text
    assert "<summary>Why here?</summary>" in text
    assert "chosen 30 times for this query" in text


def test_no_address_and_no_browser_is_kept_and_keys_are_destroyed_in_time(folder: CrawlFolder) -> None:
    now = [1_790_000_000.0]
    notes = SearchNotes(clock=lambda: now[0])
    asker = Asker("192.0.2.77", PERSON.encode(), watched=True)
    notes.show(folder, asker, "leaves", ["https://a.example/"], 1)
    notes.choose(folder, asker, Chosen("spiders", "leaves", "https://a.example/", 1))
    assert chosen(folder)
    kept = b"".join(path.read_bytes() for path in (folder.path / "clicks").rglob("*") if path.is_file())
    assert b"192.0.2.77" not in kept
    assert b"Firefox" not in kept
    assert DayKeys(folder.path / "clicks").days() == [day_of(now[0])]
    now[0] += 4 * DAY
    notes.show(folder, asker, "leaves", ["https://a.example/"], 1)
    assert DayKeys(folder.path / "clicks").days() == [day_of(now[0])]


# -- of whom nothing is noted -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"DNT": "1"},
        {"Sec-GPC": "1"},
        {"User-Agent": "Mozilla/5.0 (compatible; examplebot/2.1)"},
        {"User-Agent": ""},
        {"Sec-Purpose": "prefetch;prerender"},
    ],
)
def test_who_objects_and_who_is_no_person_leaves_no_note(
    client: TestClient, folder: CrawlFolder, headers: dict[str, str]
) -> None:
    urls = search(client, headers=headers)
    assert len(urls) == 10
    assert noted(folder) == []
    search(client)
    assert choose(client, urls[0], 1, OURS | headers) == 204
    assert chosen(folder) == {}


def test_programs_that_read_json_leave_no_note(client: TestClient, folder: CrawlFolder) -> None:
    client.get("/search?crawl=spiders&q=leaves&format=json")
    assert noted(folder) == []


@pytest.mark.usefixtures("read_here")
@pytest.mark.parametrize("error", [lmdb.Error("broken"), OSError("full")])
def test_search_does_not_depend_on_notes(client: TestClient, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(ClickStore, "add_shown", fail)
    monkeypatch.setattr(ClickStore, "add_chosen", fail)
    urls = search(client)
    assert len(urls) == 10
    assert choose(client, urls[0], 1) == 204


# -- who may not say anything -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Lycosa-Key": ""},
        {"X-Lycosa-Key": "0" * 64},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_other_sites_cannot_choose_for_people(client: TestClient, folder: CrawlFolder, headers: dict[str, str]) -> None:
    url = search(client)[0]
    assert choose(client, url, 1, headers) == 403
    assert chosen(folder) == {}


def test_a_browser_without_fetch_metadata_is_known_by_the_key_of_the_page(
    client: TestClient, folder: CrawlFolder
) -> None:
    url = search(client)[0]
    assert choose(client, url, 1, {}) == 204
    assert chosen(folder) == {url: (1,)}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 422),
        (b"\xff\xfe", 400),
        (b"{" * 5000, 400),
        (json.dumps({"crawl": "spiders", "query": "leaves", "url": "https://a.example/", "place": 0}).encode(), 422),
        (
            json.dumps({"crawl": "spiders", "query": "leaves", "url": "https://a.example/", "place": 10**30}).encode(),
            422,
        ),
        (json.dumps({"crawl": "spiders", "query": "x" * 501, "url": "https://a.example/", "place": 1}).encode(), 422),
        (json.dumps({"crawl": "spiders", "query": "x", "url": "u", "place": 1, "visitor": "me"}).encode(), 422),
        (json.dumps({"crawl": "../spiders", "query": "x", "url": "u", "place": 1}).encode(), 404),
        (b"x" * (LARGEST + 1), 413),
    ],
)
def test_garbage_is_refused(client: TestClient, body: bytes, status: int) -> None:
    answer = client.post("/notes/chosen", content=body, headers={**OURS, "Content-Type": "application/json"})
    assert answer.status_code == status
    assert answer.headers["content-security-policy"] == SECURITY["Content-Security-Policy"]


def test_a_form_of_another_site_is_refused_by_its_type(client: TestClient) -> None:
    assert (
        client.post("/notes/chosen", content=b"{}", headers={**OURS, "Content-Type": "text/plain"}).status_code == 415
    )
    assert client.get("/notes/chosen", headers=OURS).status_code == 405


def test_too_many_choices_must_wait(client: TestClient) -> None:
    url = search(client)[0]
    answers = [choose(client, url, 1) for _ in range(PER_MINUTE + 5)]
    assert answers[:PER_MINUTE] == [204] * PER_MINUTE
    assert answers[-1] == 429


def test_too_many_searches_are_answered_and_not_noted(folder: CrawlFolder) -> None:
    notes = SearchNotes(steady=lambda: 0.0)
    person = Asker("127.0.0.1", PERSON.encode(), watched=True)
    for number in range(PER_MINUTE + 40):
        notes.show(folder, person, f"query {number}", ["https://a.example/"], 1)
    with ClickStore(folder.path / "clicks") as store:
        assert len(store.queries()) == PER_MINUTE
    notes.show(folder, NOBODY, "one more", ["https://a.example/"], 1)


# -- in a browser -------------------------------------------------------------------------------------


@pytest.fixture
def address(folder: CrawlFolder) -> Iterator[str]:
    with served(folder.path.parent.parent) as (found, _):
        yield found


def until_chosen(folder: CrawlFolder, within: float = 20.0) -> dict[str, tuple[int, ...]]:
    """What was chosen, as soon as the server has written it: the page that sent it is gone and hears no answer."""
    end = time.monotonic() + within
    while not (found := chosen(folder)) and time.monotonic() < end:
        time.sleep(0.02)
    return found


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("button", ["left", "middle"])
def test_a_click_in_a_browser_is_noted(browser: Browser, folder: CrawlFolder, address: str, button: Any) -> None:
    context = browser.new_context(base_url=address, user_agent=PERSON)
    context.route("https://spiders.example/**", lambda route: route.fulfill(body="a spider"))
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto("/search?crawl=spiders&q=leaves")
    links = page.locator("ol.results h2 a")
    url = links.nth(2).get_attribute("href")
    links.nth(2).click(button=button)
    assert until_chosen(folder) == {url: (0, 0, 1)}
    assert complaints == []
    context.close()


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("objection", ["globalPrivacyControl", "doNotTrack"])
def test_a_browser_whose_user_objects_sends_nothing(
    browser: Browser, folder: CrawlFolder, address: str, objection: str
) -> None:
    context = browser.new_context(base_url=address, user_agent=PERSON)
    context.add_init_script(f"Object.defineProperty(Navigator.prototype, '{objection}', {{get: () => '1'}})")
    context.route("https://spiders.example/**", lambda route: route.fulfill(body="a spider"))
    page = context.new_page()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.goto("/search?crawl=spiders&q=leaves")
    page.locator("ol.results h2 a").first.click()
    page.wait_for_url("https://spiders.example/**")
    assert [url for url in sent if "clicks" in url] == []
    assert chosen(folder) == {}
    context.close()


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_why_a_result_is_here_can_be_opened(browser: Browser, address: str) -> None:
    context = browser.new_context(base_url=address, java_script_enabled=False, user_agent=PERSON)
    page = context.new_page()
    page.goto("/search?crawl=spiders&q=leaves")
    told = page.locator("ol.results > li").first.locator("details")
    expect(told.get_by_text("how well the words match")).to_be_hidden()
    told.get_by_text("Why here?").click()
    expect(told.get_by_text("how well the words match")).to_be_visible()
    context.close()
