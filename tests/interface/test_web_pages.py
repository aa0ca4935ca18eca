"""The pages as a browser without JavaScript gets them."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from small_crawl import a_crawl, a_full_crawl, report
from starlette.testclient import TestClient

from lycosa.crawl_folder.folder import own
from lycosa.interface.server.app import web_app
from lycosa.interface.web.crawl_panels import COLUMNS

HEAVIEST = 150_000
PAGES = [
    "/",
    "/search",
    "/search?crawl=spiders&q=wolf",
    "/search?crawl=spiders&q=tarantula",
    "/search?crawl=spiders&q=zebra",
    "/search?crawl=young&q=x",
    "/crawl/spiders",
    "/crawl/spiders/settings",
    "/crawl/spiders/why?url=https://site0.example/0",
    "/crawl/spiders/logs",
    "/crawl/young",
    "/crawl/nowhere",
    "/crawls/new",
    "/nowhere",
]


class Inline(HTMLParser):
    """Finds what a strict policy would block."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if tag == "style" or (tag == "script" and "src" not in names):
            self.found.append(tag)
        self.found += [name for name in names if name == "style" or name.startswith("on")]


# -- every page ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [*PAGES, "/health", "/static/lycosa.css", "/crawl/spiders/status.json"])
def test_every_answer_has_the_security_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_light_and_need_nothing_from_elsewhere(client: TestClient, path: str) -> None:
    text = client.get(path).text
    loaded = re.findall(r'<(?:link rel="(?:stylesheet|icon)"|script)[^>]*(?:href|src)="([^"]+)"', text)
    assert {"/static/lycosa.css", "/static/lycosa.js", "/static/mark.svg"} <= set(loaded)
    assert all(part.startswith("/static/") for part in loaded)
    assert len(text.encode()) + sum(len(client.get(part).content) for part in loaded) < HEAVIEST


@pytest.mark.parametrize("path", PAGES)
def test_pages_have_landmarks_and_no_inline_script_or_style(client: TestClient, path: str) -> None:
    text = client.get(path).text
    for landmark in ('<html lang="en">', "<header", "<nav", "<main", "<footer", "<h1"):
        assert text.count(landmark) >= 1, landmark
    assert Inline(text).found == []
    for field in re.findall(r'<(?:input type="search"|select) id="(\w+)"', text):
        assert f'for="{field}"' in text


@pytest.mark.parametrize("host", ["localhost", "localhost:80", "127.0.0.1:8000", "[::1]:8000", "[::1]"])
def test_the_names_of_this_machine_are_answered(home: Path, host: str) -> None:
    assert TestClient(web_app(home)).get("/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "testserver", "192.0.2.1", ""]
)
def test_other_names_are_not(home: Path, host: str) -> None:
    answer = TestClient(web_app(home)).get("/search?crawl=spiders&q=wolf", headers={"host": host})
    assert answer.status_code == 400
    assert "wolf" not in answer.text
    assert "content-security-policy" in answer.headers


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_pages_can_only_be_read(client: TestClient, method: str) -> None:
    assert client.request(method, "/crawl/spiders").status_code == 405


def test_trouble_inside_is_told_without_its_details(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("lycosa.interface.views.open_crawls.Library.shelves", broken)
    answer = TestClient(web_app(home), base_url="http://localhost", raise_server_exceptions=False).get("/")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "Something went wrong" in answer.text
    assert "content-security-policy" in answer.headers


# -- the list of crawls -------------------------------------------------------------------------


def test_the_list_shows_each_crawl_with_its_figures(client: TestClient) -> None:
    text = client.get("/").text
    assert 'href="/crawl/spiders"' in text
    assert 'href="/crawl/young"' in text
    assert text.count('<span class="state stopped">') == 2
    assert "<dt>Pages</dt><dd>31</dd>" in text
    assert "<dt>Harvest</dt><dd>55%</dd>" in text


def test_the_only_crawl_with_an_index_has_a_search_box(client: TestClient) -> None:
    text = client.get("/").text
    assert '<input type="hidden" name="crawl" value="spiders">' in text
    assert "<select" not in text


def test_an_empty_home_says_how_to_begin(tmp_path: Path) -> None:
    client = TestClient(web_app(tmp_path / "none"), base_url="http://localhost")
    assert "lycosa crawl" in client.get("/").text
    assert "nothing to search" in client.get("/search?q=x").text


def test_a_crawl_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path) -> None:
    a_crawl(tmp_path, "good")
    (a_crawl(tmp_path, "bad").path / "crawl.toml").write_text("name = 3\n")
    client = TestClient(web_app(tmp_path), base_url="http://localhost")
    answer = client.get("/")
    assert answer.status_code == 200
    assert "cannot be read" in answer.text
    assert 'href="/crawl/good"' in answer.text
    assert client.get("/crawl/bad").status_code == 503
    read = client.get("/read?crawl=bad&url=https://a.example/")
    assert read.status_code in (422, 503)
    assert "crawl.toml" in read.text
    assert "cannot be read" in client.get("/crawl/bad/status.json").json()["error"]


# -- the page of a crawl ------------------------------------------------------------------------


def test_the_page_of_a_crawl_shows_how_it_stands(client: TestClient) -> None:
    text = client.get("/crawl/spiders").text
    for shown in ("<small>of 100</small>", "55%", "2,468", "9.5 MiB", "http-404", "robots", "https://site1.example"):
        assert shown in text, shown
    assert text.count('<th scope="row">fetch</th>') == 1
    assert "After 31 pages, 55% of them are relevant." in text
    assert "data-events" not in text
    assert "http-equiv" not in text


def test_a_running_crawl_is_followed_with_and_without_javascript(tmp_path: Path) -> None:
    folder = a_full_crawl(tmp_path)
    client = TestClient(web_app(tmp_path), base_url="http://localhost")
    with own(folder.path / "lock", "the crawl"):
        text = client.get("/crawl/spiders").text
    assert 'data-events="/crawl/spiders/events"' in text
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in text
    assert "<dt>Speed</dt><dd>25.0/s</dd>" in text
    assert "<dt>Time left</dt><dd>2.8 s</dd>" in text


def test_the_status_is_there_for_programs(client: TestClient) -> None:
    status = client.get("/crawl/spiders/status.json").json()
    assert (status["state"], status["fetched"], status["relevant"]) == ("stopped", 31, 17)
    assert status["harvest"] == pytest.approx(17 / 31)
    assert len(status["agents"]) == 2


def test_events_of_a_stopped_crawl_are_one_and_the_end(client: TestClient) -> None:
    answer = client.get("/crawl/spiders/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    first, last, rest = answer.text.split("\n\n")
    told = json.loads(first.removeprefix("data: "))
    assert told["status"] == client.get("/crawl/spiders/status.json").json() | {
        "disk_free": told["status"]["disk_free"]
    }
    assert set(told["parts"]) == {name for column in COLUMNS for name in column}
    assert [point[0] for point in told["plots"]["harvest"]] == list(range(1, 32))
    assert last == "event: end\ndata: {}"
    assert rest == ""


def test_too_many_followers_are_turned_away(home: Path) -> None:
    app = web_app(home)
    app.state.streams = 32
    assert TestClient(app, base_url="http://localhost").get("/crawl/spiders/events").status_code == 503


def test_odd_words_in_a_status_are_shown_as_text(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, "odd")
    report(folder, 0, 5, 1, failed={"<script>alert(1)</script>": 1})
    text = TestClient(web_app(tmp_path), base_url="http://localhost").get("/crawl/odd").text
    assert "&lt;script&gt;alert(1)" in text
    assert "<script>" not in text


@pytest.mark.parametrize(
    "path",
    [
        "/crawl/nowhere",
        "/crawl/%2e%2e",
        "/crawl/%2e%2e%2fcrawls%2fspiders",
        "/crawl/spiders%00",
        "/search?crawl=../spiders&q=wolf",
    ],
)
def test_an_unknown_crawl_is_told_with_those_there_are(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert '<a href="/crawl/spiders">spiders</a>' in answer.text


@pytest.mark.parametrize(
    "path", ["/crawl/nowhere/status.json", "/crawl/nowhere/events", "/search?crawl=nowhere&format=json"]
)
def test_programs_hear_of_an_unknown_crawl_in_json(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "nowhere" in answer.json()["error"]


def test_health(client: TestClient) -> None:
    assert client.get("/health").json() == {"status": "ok"}
