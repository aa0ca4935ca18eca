"""Notes of what people do with stored pages: what is kept, of whom nothing is, and who may not say anything."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from reader_crawl import SITE, WOLF, a_crawl_to_read
from starlette.testclient import TestClient

from lycosa.click_records import DAY, Action, Behaviour, Source
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.inspection.user_stats import user_stats
from lycosa.interface.api.reader_feedback import LARGEST, PER_MINUTE, Behaved, Rated, ReaderNotes, document_of
from lycosa.interface.cli import main
from lycosa.interface.operations.search_feedback import Asker
from lycosa.interface.server.app import web_app
from lycosa.interface.shared.access import Refusal
from lycosa.records import Link, Page
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys

PERSON = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
VIEW = "00112233445566aa"
ASKER = Asker("192.0.2.77", PERSON.encode(), watched=True)


@pytest.fixture
def folder(tmp_path: Path) -> CrawlFolder:
    return a_crawl_to_read(tmp_path)


@pytest.fixture
def client(folder: CrawlFolder) -> TestClient:
    client = TestClient(web_app(folder.path.parent.parent), base_url="http://localhost", headers={"User-Agent": PERSON})
    text = client.get("/read", params={"crawl": "reads", "url": WOLF}).text
    found = re.search(r'<meta name="page-key" content="(\w+)">', text)
    assert found
    client.headers.update({"X-Lycosa-Key": found[1], "Sec-Fetch-Site": "same-origin"})
    return client


def tell(client: TestClient, path: str = "/notes/behaviour", headers: dict[str, str] | None = None, **more: Any) -> int:
    said = {"crawl": "reads", "url": WOLF, "view": VIEW, "number": 0} | more
    return client.post(path, json=said, headers=headers).status_code


def rows(folder: CrawlFolder) -> list[Behaviour]:
    if not (folder.path / "clicks" / "data.mdb").exists():
        return []
    with ClickStore(folder.path / "clicks", readonly=True) as store:
        return list(store.behaviours())


def test_what_somebody_did_is_on_record_at_once(client: TestClient, folder: CrawlFolder) -> None:
    assert tell(client, active=1000, dwell=2000, actions={"1": 3, "9": 1}, query="Wolf  Spider") == 204
    assert tell(client, number=1, active=500, dwell=700, actions={"1": 1, "2": 1}, query="Wolf  Spider") == 204
    assert tell(client, "/notes/rating", number=2, rating=4) == 204
    (row,) = rows(folder)
    assert (row.url, row.site, row.visits, row.active, row.dwell) == (WOLF, "spiders.example", 1, 1500, 2700)
    assert row.actions == {Action.SCROLL: 4, Action.COPY: 1, Action.PRINT: 1}
    assert row.rating == 4
    with ClickStore(folder.path / "clicks", readonly=True) as store:
        (page,) = store.pages("spiders.example", Source.SEARCH)
        assert store.query_sets("wolf spider") == {WOLF: {row.bits: 1}}
        stats = user_stats(store)
    assert (page.visits, page.visitors, page.ratings, page.rating_sum, page.downloads) == (1, 1, 1, 4, 1)
    assert page.length > 1000
    assert page.ascii_sum > 50 * page.length
    assert [each.clicks.url for each in stats.pages] == [WOLF]
    assert stats.pages[0].rating == 4.0


def test_the_command_tells_it(client: TestClient, folder: CrawlFolder, capsys: pytest.CaptureFixture[str]) -> None:
    tell(client, actions={"8": 1})
    home = str(folder.path.parent.parent)
    assert main(["clicks", "behaviour", "--crawl", "reads", "--url", WOLF, "--json", "--home", home]) == 0
    (page,) = json.loads(capsys.readouterr().out)["pages"]
    assert page["actions"] == {"favourite": {"times": 1, "visitors": 1, "at_least": False}}
    words = client.get("/read", params={"crawl": "reads", "url": WOLF, "view": "scores"}).text
    assert "readers of this crawl" in words
    assert "favourite 1" in words


def test_the_same_note_counts_once(client: TestClient, folder: CrawlFolder) -> None:
    for _ in range(3):
        assert tell(client, actions={"1": 1}) == 204
    (row,) = rows(folder)
    assert row.actions == {Action.SCROLL: 1}
    assert row.visits == 1


def test_times_are_believed_as_far_as_they_can_be_true(client: TestClient, folder: CrawlFolder) -> None:
    tell(client, active=9e9, dwell=9e9)
    tell(client, number=1, active=9e9, dwell=9e9, actions={"1": 10**9})
    (row,) = rows(folder)
    assert 60_000 <= row.dwell < 70_000
    assert row.active <= row.dwell
    assert row.actions == {Action.SCROLL: 1000}


@pytest.mark.parametrize(
    "headers",
    [
        {"DNT": "1"},
        {"Sec-GPC": "1"},
        {"User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"},
        {"User-Agent": "curl/8.5.0"},
        {"Sec-Purpose": "prefetch"},
    ],
)
def test_of_robots_and_of_those_who_object_nothing_is_kept(
    client: TestClient, folder: CrawlFolder, headers: dict[str, str]
) -> None:
    assert tell(client, headers=headers, actions={"1": 1}) == 204
    assert tell(client, "/notes/rating", headers=headers, number=1, rating=5) == 204
    assert rows(folder) == []


@pytest.mark.parametrize(
    "headers", [{"X-Lycosa-Key": "0" * 64}, {"X-Lycosa-Key": ""}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_only_our_own_pages_may_tell(client: TestClient, folder: CrawlFolder, headers: dict[str, str]) -> None:
    assert tell(client, headers=headers) == tell(client, "/notes/rating", headers=headers, number=1, rating=1) == 403
    assert rows(folder) == []


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"actions": {"0": 1}}, 400),
        ({"actions": {"16": 1}}, 400),
        ({"actions": {"scroll": 1}}, 400),
        ({"actions": {"1": 0}}, 400),
        ({"actions": {"1": -5}}, 400),
        ({"dwell": -1}, 400),
        ({"dwell": "much"}, 400),
        ({"view": "zz"}, 400),
        ({"view": VIEW + "\n"}, 400),
        ({"number": -1}, 400),
        ({"number": 10**9}, 400),
        ({"rating": 5}, 400),
        ({"evil": 1}, 400),
        ({"query": "x" * 501}, 400),
        ({"crawl": "nobody"}, 404),
        ({"crawl": "../../etc"}, 404),
        ({"url": f"{SITE}/nothing"}, 404),
        ({"url": f"{SITE}/unfetched"}, 404),
        ({"url": "javascript:x"}, 404),
    ],
)
def test_what_cannot_be_is_refused(client: TestClient, folder: CrawlFolder, more: dict[str, Any], status: int) -> None:
    assert tell(client, **more) == status
    assert rows(folder) == []


@pytest.mark.parametrize("more", [{"rating": 0}, {"rating": 6}, {"rating": 2.5}, {}, {"rating": 3, "number": 0}])
def test_ratings_are_one_to_five_stars_after_the_beginning(
    client: TestClient, folder: CrawlFolder, more: dict[str, Any]
) -> None:
    assert tell(client, "/notes/rating", **({"number": 1} | more)) == 400
    assert rows(folder) == []


def test_bodies_are_small_json(client: TestClient) -> None:
    json_kind = {"Content-Type": "application/json"}
    assert client.post("/notes/behaviour", content=b"{", headers=json_kind).status_code == 400
    assert client.post("/notes/behaviour", content=b"\xff", headers=json_kind).status_code == 400
    assert client.post("/notes/behaviour", content=b" " * (LARGEST + 1), headers=json_kind).status_code == 413
    assert client.post("/notes/behaviour", content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415
    assert client.get("/notes/behaviour").status_code == 405


def test_floods_are_stopped(client: TestClient, folder: CrawlFolder) -> None:
    client.app.state.reader_notes = ReaderNotes(steady=lambda: 1000.0)  # type: ignore[attr-defined]
    said = {tell(client, headers={"DNT": "1"}) for _ in range(PER_MINUTE)}
    assert said == {204}
    answer = client.post("/notes/behaviour", json={"crawl": "reads", "url": WOLF, "view": VIEW, "number": 0})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0
    assert answer.json()["error"]
    assert rows(folder) == []


def test_no_address_is_kept_and_keys_are_destroyed_in_time(folder: CrawlFolder) -> None:
    now = [1_790_000_000.0]
    notes = ReaderNotes(clock=lambda: now[0])
    for number in range(3):
        notes.take(folder, ASKER, Behaved(crawl="reads", url=WOLF, view=VIEW, number=number, actions={1: 1}))
        now[0] += 2 * DAY
    found = rows(folder)
    assert len({row.visitor for row in found}) == 3, "the name of a visitor lives for a day"
    assert len(DayKeys(folder.path / "clicks").days()) == 2
    kept = b"".join(path.read_bytes() for path in (folder.path / "clicks").rglob("*") if path.is_file())
    assert b"192.0.2.77" not in kept
    assert b"Mozilla" not in kept


def test_the_last_rating_of_a_visitor_counts(folder: CrawlFolder) -> None:
    notes = ReaderNotes()
    for number, stars in enumerate((5, 2), 1):
        notes.take(folder, ASKER, Rated(crawl="reads", url=WOLF, view=VIEW, number=number, rating=stars))
    with ClickStore(folder.path / "clicks", readonly=True) as store:
        page = store.page("spiders.example", WOLF)
    assert page is not None
    assert (page.ratings, page.rating_sum, page.visits) == (1, 2, 0)


def test_a_full_disk_is_told(folder: CrawlFolder) -> None:
    (folder.path / "clicks").write_bytes(b"in the way")
    with pytest.raises(Refusal, match="could not be kept"):
        ReaderNotes().take(folder, ASKER, Behaved(crawl="reads", url=WOLF, view=VIEW, number=0))


def test_a_document_is_measured_as_browsers_do() -> None:
    found = document_of(Page(WOLF, text="aé😀", links=(Link(f"{SITE}/a.PDF?x=1"), Link(f"{SITE}/b.html?c=d.zip"))))
    assert (found.length, found.ascii_sum, found.downloads) == (4, 97 + 233 + 0xD83D + 0xDE00, 1)
