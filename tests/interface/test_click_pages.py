"""The pages and the calls about what people do: sites, importance, user stats, the beacon, unlinked and refused."""

from __future__ import annotations

import re
import threading
import time
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from clicked_home import ATTACK, HOSTILE, KAKCHO, KEY, LOGGED, WATCHED, a_clicked_home, visited
from hypothesis import given
from hypothesis import strategies as st
from small_crawl import a_full_crawl
from starlette.testclient import TestClient

from lycosa.click_records import PageClicks, Source, day_of
from lycosa.interface.server.app import web_app
from lycosa.interface.shared.open_click_stores import MOST_OPEN, OpenStores
from lycosa.interface.shared.stamped_cache import PATIENCE, Readings
from lycosa.interface.shared.tokens import Role, TokenFile
from lycosa.interface.views import clicks as click_records
from lycosa.interface.views.clicks import DayCount, doings, site_figures
from lycosa.interface.web.click_charts import visits_chart
from lycosa.storage.click_store import ClickStore

API = "/api/v1/clicks"
P1 = f"https://{WATCHED}/p1"


def client_of(home: Path, role: Role | None = None) -> TestClient:
    client = TestClient(web_app(home), base_url="http://localhost")
    if role is not None:
        client.headers["Authorization"] = f"Bearer {TokenFile(home).add(role.told, role)}"
    return client


@pytest.fixture(scope="module")
def clicked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which people did things; tests only look at it."""
    return a_clicked_home(tmp_path_factory.mktemp("clicked"))


@pytest.fixture(scope="module")
def reader(clicked: Path) -> TestClient:
    return client_of(clicked)


def site(name: str, **more: Any) -> str:
    return "/clicks/site?" + urlencode({"site": name, **more})


# -- all sites --------------------------------------------------------------------------------------


def test_every_site_of_every_store_is_listed_with_its_sources(reader: TestClient) -> None:
    text = reader.get("/clicks").text
    assert "Watched sites" in text
    assert 'In the crawl <a href="/crawl/spiders">spiders</a>' in text
    assert "wolf spider (1)" in text
    listed = {each["site"]: each for each in reader.get(f"{API}/sites").json()}
    assert listed.keys() == {WATCHED, LOGGED, HOSTILE, "spiders.example"}
    assert listed[LOGGED]["sources"] == {"log": 83}
    assert listed[WATCHED]["sources"] == {"beacon": 19}
    assert listed["spiders.example"]["crawl"] == "spiders"
    assert listed["spiders.example"]["sources"] == {"search": 4}


def test_without_any_store_it_says_how_to_begin(tmp_path: Path) -> None:
    client = client_of(tmp_path)
    text = client.get("/clicks").text
    assert "Nothing was counted yet" in text
    assert "lycosa clicks import" in text
    answer = client.get(site(WATCHED))
    assert answer.status_code == 404
    assert 'href="/clicks"' in answer.text
    assert client.get(f"{API}/top?site=a").status_code == 404
    assert client.get(f"{API}/sites").json() == []


@pytest.mark.parametrize("name", ["none", "é" * 255, "x" * 255])
def test_an_unknown_site_is_told_with_those_there_are(reader: TestClient, name: str) -> None:
    answer = reader.get(site(name))
    assert answer.status_code == 404
    assert WATCHED in answer.text
    assert reader.get(f"{API}/site", params={"site": name}).status_code == 404


# -- one site ---------------------------------------------------------------------------------------


def test_the_importance_list_has_the_values_of_the_paper(reader: TestClient) -> None:
    told = reader.get(f"{API}/top", params={"site": LOGGED}).json()
    first = told["pages"][0]
    assert first["record"]["key"] == "aHR0cDovL2Jsb2cua2FrY2hvLmNvbS8="
    assert (first["record"]["visits"], first["record"]["duration"]) == (73, 753898)
    assert sum(each["iv"] for each in told["pages"]) == pytest.approx(100)
    text = reader.get(site(LOGGED)).text
    assert f"{first['iv']:.3f}" in text
    assert text.count('<svg class="drawing"') == 1
    assert "<style" not in text
    by_visits = reader.get(f"{API}/top", params={"site": LOGGED, "by": "visits", "limit": 1, "offset": 1}).json()
    assert [each["record"]["visits"] for each in by_visits["pages"]] == [10]
    assert by_visits["pages"][0]["rank"] == 2


def test_with_the_texts_of_a_crawl_its_pages_are_in_the_list(reader: TestClient) -> None:
    asked = {"site": "spiders.example", "crawl": "spiders", "content": "spiders"}
    told = reader.get(f"{API}/top", params=asked).json()
    assert told["total"] > 4
    assert any(each["bm25"] > 0 for each in told["pages"])
    broken = reader.get(site(WATCHED, content="young"))
    assert broken.status_code == 200
    assert "has fetched nothing yet" in broken.text
    assert reader.get(f"{API}/top", params={"site": WATCHED, "content": "nope"}).status_code == 404


def test_the_range_cuts_off_older_days(reader: TestClient) -> None:
    week = reader.get(f"{API}/site", params={"site": WATCHED, "days": 7}).json()
    everything = reader.get(f"{API}/site", params={"site": WATCHED}).json()
    assert len(week["days"]) == 7
    assert len(everything["days"]) == 41
    assert sum(day["visits"] for day in week["days"]) == 16
    assert sum(day["visits"] for day in everything["days"]) == 19
    text = reader.get(site(WATCHED, days=7)).text
    assert "16 visitors and pages by day" in text
    assert re.search(r'days=7[^"]*" aria-current="true">7 days</a>', text)
    assert '<svg class="chart"' in text
    assert "imported logs only totals" in reader.get(site(LOGGED)).text


def test_user_stats_have_weights_as_apriori_finds_them(reader: TestClient) -> None:
    pages = reader.get(f"{API}/behaviour", params={"site": WATCHED}).json()["pages"]
    assert [page["weight"] for page in pages] == sorted((page["weight"] for page in pages), reverse=True)
    heaviest = next(page for page in pages if page["url"] == P1)
    assert heaviest["weight"] == pytest.approx(1.75)
    assert "1.750" in reader.get(site(WATCHED)).text
    found = next(each for each in heaviest["actions"] if each["action"] == "find")
    assert found == {"action": "find", "times": 1, "visitors": 1, "at_least": True}
    stats = reader.get("/clicks/stats?" + urlencode({"site": WATCHED})).text
    assert "favourite ≥ 6 by 6" in stats


def test_a_page_has_its_record_actions_and_weights_by_query(reader: TestClient) -> None:
    asked = {"site": "spiders.example", "crawl": "spiders", "url": "https://spiders.example/species/1"}
    told = reader.get(f"{API}/page", params=asked).json()
    assert told["record"]["visits"] == 4
    assert told["active"] == 16_000
    assert told["queries"] == [{"query": "wolf spider", "weight": 2.0, "visitors": 4}]
    text = reader.get("/clicks/page?" + urlencode(asked)).text
    assert '<th scope="row">wolf spider</th><td>2.000</td><td>4</td>' in text
    assert "scroll + favourite: done by 4" in text
    log = reader.get("/clicks/page?" + urlencode({"site": LOGGED, "url": KAKCHO})).text
    assert "aHR0cDovL2Jsb2cua2FrY2hvLmNvbS8=" in log
    assert "5,634,244" in log
    assert reader.get(f"{API}/page", params={"site": LOGGED, "url": "http://x/"}).status_code == 404


def test_refused_events_are_told_by_reason(reader: TestClient) -> None:
    assert reader.get(f"{API}/refused", params={"site": LOGGED}).json() == {"reasons": {"robot": 12}}
    assert reader.get(f"{API}/refused").json() == {"reasons": {"unknown-site": 2}}
    assert '<th scope="row">robot</th><td>12</td>' in reader.get(site(LOGGED)).text


def test_the_snippet_has_the_key_and_the_address_that_was_named(reader: TestClient) -> None:
    text = reader.get(site(WATCHED)).text
    assert f"https://collector.example/beacon.js&#34; data-key=&#34;{KEY}&#34;" in text
    named = reader.get(site(WATCHED, collector="https://count.example/c")).text
    assert "https://count.example/c/beacon.js" in named
    odd = reader.get(site(WATCHED, collector=ATTACK))
    assert odd.status_code == 200
    assert "is no URL" in odd.text
    assert "data-paste" not in reader.get(site(LOGGED)).text


def test_unlinked_pages_are_told_or_why_not(clicked: Path, reader: TestClient) -> None:
    with ClickStore(clicked / "clicks") as store:
        store.add_pages(
            "site0.example", Source.LOG, [PageClicks(f"https://site0.example/{n}", n) for n in range(1, 90)]
        )
    asked = {"crawl": "spiders", "site": "site0.example"}
    told = reader.get(f"{API}/dark", params=asked | {"limit": 5}).json()
    assert told["total"] == 89
    assert [page["visits"] for page in told["pages"]] == [89, 88, 87, 86, 85]
    text = reader.get("/clicks/unlinked?" + urlencode(asked)).text
    assert "Page 1 of 2" in text
    assert "https://site0.example/89" in text
    assert reader.get(f"{API}/dark", params={"crawl": "spiders", "site": WATCHED}).json()["total"] == 0
    young = reader.get("/clicks/unlinked?crawl=young")
    assert young.status_code == 409
    assert "fetched nothing yet" in young.text


def test_the_unlinked_pages_of_a_crawl_are_told_by_what_was_counted_in_it_alone(tmp_path: Path) -> None:
    folder = a_full_crawl(tmp_path)
    with ClickStore(folder.path / "clicks") as store:
        store.add_pages("site0.example", Source.LOG, [PageClicks("https://site0.example/lonely", 7)])
    assert not (tmp_path / "clicks").exists()
    reader = client_of(tmp_path)
    link = f"/clicks/unlinked?crawl={folder.name}"
    assert link in reader.get("/clicks").text
    answer = reader.get(link)
    assert answer.status_code == 200
    assert "https://site0.example/lonely" in answer.text


# -- changing things --------------------------------------------------------------------------------


def test_operators_watch_sites_and_admins_forget_them(tmp_path: Path) -> None:
    operator, admin, reader = client_of(tmp_path, Role.OPERATE), client_of(tmp_path, Role.ADMIN), client_of(tmp_path)
    wanted = {"site": "new.example", "origins": ["https://other.example"], "collector": "https://c.example/"}
    assert reader.post(f"{API}/sites", json=wanted).status_code == 401
    made = operator.post(f"{API}/sites", json=wanted)
    assert made.status_code == 201
    assert made.json()["key"] in made.json()["snippet"]
    again = operator.post(f"{API}/sites", json={"site": "new.example"}).json()
    assert (again["key"], again["origins"]) == (made.json()["key"], ["https://other.example"])
    assert operator.post(f"{API}/sites", json={"site": "not a site/x"}).status_code == 422
    with ClickStore(tmp_path / "clicks") as store:
        store.add_pages("new.example", Source.LOG, [PageClicks("https://new.example/", 5)])
    at = f"{API}/site?site=new.example"
    assert operator.delete(at).status_code == 403
    assert reader.get(at).json()["site"]["visits"] == 5
    assert admin.delete(at).status_code == 204
    assert reader.get(at).json()["site"]["visits"] == 0
    assert reader.get(at).json()["site"]["watched"]
    assert admin.delete(f"{at}&watched=false").status_code == 204
    assert reader.get(at).status_code == 404


def test_admins_forget_old_days_and_totals_stay(tmp_path: Path) -> None:
    with ClickStore(tmp_path / "clicks") as store:
        store.add_events([visited("s", "https://s.example/", n, {1}, n) for n in range(10)])
    client = client_of(tmp_path, Role.ADMIN)
    assert client.delete(f"{API}/days?before=5").json()["records"] > 0
    told = client.get(f"{API}/site?site=s").json()
    assert told["site"]["visits"] == 10
    assert sum(day["visits"] for day in told["days"]) == 5


@pytest.mark.parametrize(("role", "there"), [(None, []), (Role.READ, []), (Role.OPERATE, ["watch"]),
                                            (Role.ADMIN, ["watch", "forget"])])  # fmt: skip
def test_controls_are_shown_to_those_for_whom_they_work(tmp_path: Path, role: Role | None, there: list[str]) -> None:
    with ClickStore(tmp_path / "clicks") as store:
        store.add_pages("s", Source.LOG, [PageClicks("https://s.example/", 5)])
    client = client_of(tmp_path, role)
    text = client.get("/clicks").text + client.get(site("s")).text
    assert [name for name in ("watch", "forget") if f"data-{name}" in text] == there


# -- foreign words ----------------------------------------------------------------------------------


def test_foreign_words_in_sites_pages_and_reasons_are_text(clicked: Path, reader: TestClient) -> None:
    page = f"https://{WATCHED}/?q={ATTACK}"
    paths = ["/clicks", site(HOSTILE), site(WATCHED), site(WATCHED, by=ATTACK, content=ATTACK, days=ATTACK),
             "/clicks/pages?" + urlencode({"site": HOSTILE}), "/clicks/stats?" + urlencode({"site": WATCHED}),
             "/clicks/page?" + urlencode({"site": WATCHED, "url": page}), site(ATTACK),
             "/clicks/unlinked?" + urlencode({"crawl": ATTACK})]  # fmt: skip
    for path in paths:
        text = reader.get(path).text
        assert "<img src=x" not in text
        assert "<script>window" not in text
        assert 'href="javascript' not in text
    assert "too-long &lt;img src=x" in reader.get(site(WATCHED)).text


# -- bounds -----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("read_here")
def test_of_a_large_site_the_most_visited_pages_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(click_records, "MOST_PAGES", 100)
    monkeypatch.setattr(click_records._read_site, "__defaults__", (100,))
    with ClickStore(tmp_path / "clicks") as store:
        store.add_pages("big", Source.LOG, [PageClicks(f"https://big.example/{n}", n) for n in range(5000)])
        figures = site_figures(store, "big")
    assert (figures.pages, len(figures.most_visited)) == (5000, 100)
    client = client_of(tmp_path)
    answer = client.get(site("big"))
    assert len(answer.content) < 150_000
    assert "Of 5,000 pages the 100 most visited are in the list." in answer.text
    assert "https://big.example/4999" in answer.text
    assert len(client.get("/clicks/pages?site=big&page=2").content) < 150_000
    assert client.get(f"{API}/pages?site=big&limit=501").status_code == 422


def test_rows_of_visitors_that_are_read_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(click_records, "MOST_ROWS", 20)
    with ClickStore(tmp_path / "clicks") as store:
        store.add_events([visited("s", "https://s.example/", n, {1}) for n in range(50)])
        found = doings(store, "s")
    assert (found.rows, found.cut, len(found.latest)) == (20, True, 20)
    assert [row.at for row in found.latest] == sorted((row.at for row in found.latest), reverse=True)


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=30))
def test_a_reading_rests_as_long_as_it_is_told_and_is_never_older_than_that(steps: list[tuple[int, bool]]) -> None:
    now, reads, stamp = [0.0], count(), 0
    readings = Readings(lambda: now[0])

    def read() -> int:
        next(reads)
        now[0] += 0.1
        return stamp

    until = -1.0
    for wait, changes in steps:
        now[0] += wait
        stamp += changes
        asked = now[0]
        found = readings.get("key", stamp, read)
        if now[0] > asked:
            until = now[0] + PATIENCE * 0.1
        assert found == stamp or asked < until + 1e-9


def test_many_who_ask_at_once_wait_for_one_reading() -> None:
    readings, reads = Readings(), []

    def read() -> int:
        reads.append(1)
        time.sleep(0.05)
        return 7

    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(readings.get("key", 1, read))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (found, len(reads)) == ([7] * 8, 1)


def test_many_may_look_while_somebody_counts(clicked: Path, reader: TestClient) -> None:
    troubles: list[int] = []

    def look() -> None:
        for _ in range(5):
            answer = reader.get(site(WATCHED))
            if answer.status_code != 200:
                troubles.append(answer.status_code)

    threads = [threading.Thread(target=look) for _ in range(6)]
    for thread in threads:
        thread.start()
    with ClickStore(clicked / "clicks") as store:
        for number in range(20):
            store.add_events([visited("busy", "https://busy.example/", number, {1})])
    for thread in threads:
        thread.join()
    assert troubles == []


@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)), max_size=20))
def test_a_chart_says_in_words_what_it_shows(counts: list[tuple[int, int]]) -> None:
    days = [DayCount(20_000 + place, *each) for place, each in enumerate(counts)]
    drawn = visits_chart(days)
    assert "<title>Visits over time</title>" in drawn
    assert (f"{sum(visits for visits, _ in counts):,} visits in" in drawn) == bool(counts)


def test_days_end_today(tmp_path: Path) -> None:
    with ClickStore(tmp_path / "clicks") as store:
        store.add_events([visited("s", "https://s.example/", 1, {1}, 2)])
        days = doings(store, "s").days
    assert [each.visits for each in days] == [1, 0, 0]
    assert days[-1].day == day_of(time.time())


def test_a_store_that_was_removed_is_opened_anew_and_few_stay_open(tmp_path: Path) -> None:
    stores = OpenStores()

    def counted(name: str, visits: int) -> Path:
        with ClickStore(tmp_path / name) as store:
            store.add_pages("s", Source.LOG, [PageClicks("https://s.example/", visits)])
        return tmp_path / name

    def visits(folder: Path) -> list[int]:
        with stores.of(folder) as store:
            return [page.visits for page in store.pages("s")]

    first = counted("first", 1)
    assert visits(first) == [1]
    first.rename(tmp_path / "gone")
    assert visits(counted("second", 2).rename(first)) == [2]
    assert [visits(counted(f"store{n}", n)) for n in range(MOST_OPEN + 4)] == [[n] for n in range(MOST_OPEN + 4)]
    assert len(stores._kept) == MOST_OPEN
    for kept in stores._kept.values():
        assert kept.users == 0
        kept.store.close()
