"""The console of a crawl as a browser without JavaScript gets it, and the streams that pages follow."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_crawl import a_crawl, a_full_crawl, keep, report
from starlette.testclient import TestClient

from lycosa.configuration import settings
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, own
from lycosa.crawl_folder.status import crawl_status
from lycosa.interface.operations import crawl_control as controls
from lycosa.interface.server.app import web_app
from lycosa.interface.shared.tokens import Role, TokenFile
from lycosa.interface.views import crawl_statistics as ledger
from lycosa.interface.views import settings as setting_words
from lycosa.interface.views.crawl_statistics import Ledger
from lycosa.interface.views.open_crawls import Library
from lycosa.interface.views.process_logs import log_process
from lycosa.interface.views.queue_history import MOST_MOMENTS, Moment, Pulse, Pulses
from lycosa.interface.web.crawl_panels import pace, sparkline
from lycosa.interface.web.live_updates import CrawlFollower, LogFollower

ATTACK = "<img src=x onerror=alert(1)><script>alert(1)</script>"


def client_of(home: Path, role: Role | None = None) -> TestClient:
    client = TestClient(web_app(home), base_url="http://localhost")
    if role is not None:
        client.headers["Authorization"] = f"Bearer {TokenFile(home).add(role.told, role)}"
    return client


def log(folder: CrawlFolder, process: str, text: str) -> None:
    path = folder.path / "logs" / f"{process}.log"
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


# -- who sees which controls --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "there"),
    [(None, []), (Role.READ, []), (Role.OPERATE, ["resume", "revisit"]), (Role.ADMIN, ["resume", "revisit", "delete"])],
)
def test_controls_are_shown_to_those_for_whom_they_work(tmp_path: Path, role: Role | None, there: list[str]) -> None:
    a_full_crawl(tmp_path)
    text = client_of(tmp_path, role).get("/crawl/spiders").text
    shown = re.findall(r'<button[^>]*data-act="(\w+)"(?![^>]* hidden)[^>]*>', text)
    assert shown == there
    assert ("Sign in to change things" in text) == (not there)


@pytest.mark.parametrize(
    ("path", "form"), [("/crawl/spiders/settings", "data-settings"), ("/crawls/new", "data-set-up")]
)
def test_forms_that_change_things_are_for_those_who_may(tmp_path: Path, path: str, form: str) -> None:
    a_full_crawl(tmp_path)
    assert form in client_of(tmp_path, Role.OPERATE).get(path).text
    text = client_of(tmp_path).get(path).text
    assert form not in text
    assert f'href="/sign-in?to={path}"' in text


# -- the console --------------------------------------------------------------------------------


def test_the_console_shows_every_part_with_charts_drawn_by_the_server(client: TestClient) -> None:
    text = client.get("/crawl/spiders").text
    assert re.findall(r"<h2[^>]*>([^<]+)</h2>", text) == [
        "Figures", "Speed", "Harvest", "Busiest sites", "Agents", "Queues", "Stages", "Failed and refused",
        "Disk and memory",
    ]  # fmt: skip
    assert text.count('<svg class="chart"') == 2
    assert '<th scope="row">parse</th><td>6</td><td>31</td><td>15.0/s</td><td>77 ms</td><td>2.4 s</td>' in text
    assert 'href="/crawl/spiders/why?url=https%3A//site0.example/17"' in text
    assert "Sites: 14 open." in text


def test_the_console_says_when_a_crawl_goes_on_with_its_earlier_settings(tmp_path: Path) -> None:
    folder = a_full_crawl(tmp_path)
    report(folder, 0, 5, 2, settings_trouble="strategy: there is no <b>such</b> one")
    with folder.owned():
        text = client_of(tmp_path).get("/crawl/spiders").text
    assert "goes on with its earlier settings: strategy: there is no &lt;b&gt;such&lt;/b&gt; one" in text


def test_foreign_words_in_reasons_sites_and_logs_are_text(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, "odd")
    keep(folder, 0, [0.9, None])
    report(folder, 0, 5, 1, failed={ATTACK: 3}, refused={ATTACK: 1}, site_phases={ATTACK: 1}, state=ATTACK)
    log(folder, "crawl", f"{ATTACK}\n\x1b[31mred\u202e\n")
    client = client_of(tmp_path, Role.ADMIN)
    pages = ["/crawl/odd", "/crawl/odd/logs", f"/crawl/odd/why?url={ATTACK}", f"/crawl/odd/logs?process={ATTACK}"]
    for path in pages:
        text = client.get(path).text
        assert "<img src=x" not in text
        assert "<script>" not in text
    assert "&lt;img src=x" in client.get("/crawl/odd").text
    shown = client.get("/crawl/odd/logs").text
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_the_list_has_a_picture_of_how_a_crawl_grew(client: TestClient) -> None:
    assert 'src="/crawl/spiders/sparkline.svg?1"' in client.get("/").text
    answer = client.get("/crawl/spiders/sparkline.svg")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert answer.text.count("<path") == 2


def test_a_picture_of_nothing_is_a_line() -> None:
    assert sparkline([]).count("H120") == 2


GROWTH = st.lists(st.tuples(st.floats(0, 100), st.integers(1, 9)), max_size=40)


@given(GROWTH)
def test_the_speeds_add_up_to_the_pages_that_came(steps: list[tuple[float, int]]) -> None:
    growth, at, pages = [], 1000.0, 0
    for seconds, more in steps:
        at, pages = at + seconds, pages + more
        growth.append((at, pages, 0))
    speeds = pace(growth)
    if len(growth) < 2 or growth[-1][0] - growth[0][0] < 1.0:
        assert speeds == ()
        return
    width = (growth[-1][0] - growth[0][0]) / len(speeds)
    assert sum(speed for _, speed in speeds) * width == pytest.approx(
        growth[-1][1] - growth[0][1], abs=0.001 * width * len(speeds)
    )
    assert all(earlier < later for (earlier, _), (later, _) in pairwise(speeds))


def test_a_crawl_of_two_seconds_has_a_curve_too() -> None:
    speeds = pace([(1000.0 + step / 100, step + 1, 0) for step in range(200)])
    assert len(speeds) == 10
    assert {round(speed) for _, speed in speeds} == {100}


def test_the_speed_is_that_since_the_crawl_last_stood_still() -> None:
    yesterday = [(float(second), second + 1, 0) for second in range(100)]
    today = [(86400.0 + second, 101 + 2 * second, 0) for second in range(10)]
    speeds = pace([*yesterday, *today])
    assert speeds[0][0] > 86400
    assert {speed for _, speed in speeds} == {2.0}


@given(st.lists(st.floats(0.0, 50.0), max_size=100))
def test_a_pulse_keeps_moments_apart_and_in_order(seconds: list[float]) -> None:
    pulse, at = Pulse(), 0.0
    for step in seconds:
        at += step
        pulse.note(Moment(at, 1, 2, 3))
    found = pulse.moments()
    assert bool(found) == bool(seconds)
    assert all(later.at - earlier.at > 0.8 for earlier, later in pairwise(found))


@pytest.mark.parametrize("seconds", [1, 240, 241, 242, 5000, 20_001])
def test_a_long_pulse_is_thinned_from_its_beginning_to_now(seconds: int) -> None:
    pulse = Pulse()
    for second in range(seconds):
        pulse.note(Moment(float(second), second, 0, 0))
    found = pulse.moments()
    assert min(seconds, MOST_MOMENTS / 2) <= len(found) <= MOST_MOMENTS
    assert found[0].at == 0
    assert found[-1].at >= seconds * 0.98 - 1


def test_queues_are_remembered_while_a_crawl_runs(tmp_path: Path) -> None:
    folder = a_full_crawl(tmp_path)
    pulses = Pulses()
    assert pulses.note(crawl_status(folder)) == ()
    with own(folder.path / "lock", "the crawl"):
        (moment,) = pulses.note(crawl_status(folder))
    assert (moment.waiting, moment.in_flight, moment.later) == (2468, 6, 4)


# -- streams ------------------------------------------------------------------------------------


def test_lines_that_did_not_change_are_sent_once(tmp_path: Path) -> None:
    folder = a_full_crawl(tmp_path)
    follower = CrawlFollower(Library(tmp_path), Pulses(), folder)
    with own(folder.path / "lock", "the crawl"):
        going, first = follower.look()
        _, second = follower.look()
    assert going
    assert set(first["plots"]) == {"speed", "harvest", "queues"}
    assert second["plots"] == {}


def test_a_crawl_that_is_deleted_while_it_is_shown_is_told(tmp_path: Path) -> None:
    folder = a_full_crawl(tmp_path)
    follower = CrawlFollower(Library(tmp_path), Pulses(), folder)
    assert follower.look()[1]["state"] == "stopped"
    controls.remove(folder)
    with pytest.raises(CrawlError, match=r"^The crawl “spiders” was deleted\.$"):
        follower.look()
    with pytest.raises(CrawlError, match="was deleted"):
        LogFollower(folder, "crawl", -1).look()


def test_a_stream_of_a_crawl_that_cannot_be_read_ends_with_the_reason(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, "bad")
    (folder.path / "crawl.toml").write_text("name = 3\n")
    kind, data, _, rest = client_of(tmp_path).get("/crawl/bad/events").text.split("\n")
    assert (kind, rest) == ("event: end", "")
    assert "The crawl “bad” cannot be read" in json.loads(data.removeprefix("data: "))["trouble"]


def test_the_list_is_followed_while_a_crawl_runs(tmp_path: Path) -> None:
    folder = a_full_crawl(tmp_path)
    client = client_of(tmp_path)
    assert "data-events" not in client.get("/").text
    first, last, _ = client.get("/crawls/events").text.split("\n\n")
    assert json.loads(first.removeprefix("data: "))["states"] == {"spiders": "stopped"}
    assert last.startswith("event: end")
    with own(folder.path / "lock", "the crawl"):
        assert 'data-events="/crawls/events"' in client.get("/").text


# -- why ----------------------------------------------------------------------------------------


def test_why_explains_a_page_without_javascript(client: TestClient) -> None:
    assert "<form" in client.get("/crawl/spiders/why").text
    text = client.get("/crawl/spiders/why", params={"url": "https://nowhere.example/page"}).text
    assert "never seen: it is no seed, and no page fetched so far links to it" in text
    assert 'value="https://nowhere.example/page"' in text


@pytest.mark.parametrize(
    ("name", "url", "told"),
    [("spiders", "mailto:x@y.example://", "is no http(s) URL"), ("young", "https://a.example/", "has not started yet")],
)
def test_why_says_beside_the_field_what_is_wrong(client: TestClient, name: str, url: str, told: str) -> None:
    answer = client.get(f"/crawl/{name}/why", params={"url": url})
    assert answer.status_code == 422
    assert f'role="alert">{told}' in answer.text or told in answer.text
    assert 'aria-describedby="url-trouble"' in answer.text


def test_why_is_answered_while_the_journals_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two readers of one store in one process would disturb each other."""
    monkeypatch.setattr(ledger, "LOOK_EVERY", 0.0)
    folder = a_full_crawl(tmp_path)
    client = client_of(tmp_path)
    asked = {"url": "https://site0.example/0"}
    paths = ["/crawl/spiders/why", "/api/v1/crawls/spiders/why"] * 15
    with ThreadPoolExecutor(4) as several:
        looks = [several.submit(Ledger(folder).look) for _ in range(60)]
        answers = list(several.map(lambda path: client.get(path, params=asked).status_code, paths))
    assert set(answers) == {200}
    assert {look.result().trouble for look in looks} == {""}


# -- logs ---------------------------------------------------------------------------------------


def test_logs_of_all_processes_can_be_read(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, "told")
    log(folder, "crawl", "one\ntwo\n")
    log(folder, "agent-0", "from the agent\n")
    client = client_of(tmp_path)
    text = client.get("/crawl/told/logs").text
    assert "<span>one</span>\n<span>two</span>" in text
    assert 'href="/crawl/told/logs?process=agent-0"' in text
    assert "<span>from the agent</span>" in client.get("/crawl/told/logs?process=agent-0").text


def test_a_log_is_followed_from_where_the_page_ended(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, "told")
    log(folder, "crawl", "one\n")
    follower = LogFollower(folder, "crawl", 4)
    assert follower.look() == (False, None)
    log(folder, "crawl", "two\nhalf")
    assert follower.look() == (True, {"lines": ("two",), "id": 8})
    log(folder, "crawl", " done\n")
    assert follower.look() == (True, {"lines": ("half done",), "id": 18})
    first, last, _ = client_of(tmp_path).get("/crawl/told/logs/events?after=8").text.split("\n\n")[-3:]
    assert first == ": nothing new" or "half done" in first
    assert last.startswith("event: end")


@pytest.mark.parametrize("named", [None, "", "../crawl", "agent-0000", "crawl.log", "x" * 5000, "agent-٣"])
def test_an_odd_name_of_a_process_means_the_crawl(named: str | None) -> None:
    assert log_process(named) == "crawl"


# -- settings -----------------------------------------------------------------------------------


def keys_of(values: Mapping[str, Any], above: str = "") -> list[str]:
    found = []
    for key, value in values.items():
        found += keys_of(value, f"{above}{key}.") if isinstance(value, Mapping) and not above else [f"{above}{key}"]
    return found


def test_every_setting_is_shown_with_the_documentation_of_its_table(client: TestClient) -> None:
    text = client.get("/crawl/spiders/settings").text
    for key in keys_of(settings.plain(settings.Configuration())):
        assert f"<code>{key}</code>" in text, key
    assert "How fast the whole crawl, and each site in it, may go; 0 means no ceiling." in text
    assert "<strong>100</strong>" in text


def test_every_field_holds_the_value_that_sending_it_would_set() -> None:
    configuration = settings.build({"strategy": "treasure", "politeness": {"delay": "250ms"}, "pages": 12})
    fields = [field for group in setting_words.groups(configuration) for field in group.fields]
    assert {"pages", "politeness.delay", "topic.threshold", "ranking.by_clicks", "treasure.by_words"} <= {
        field.key for field in fields
    }
    for field in fields:
        assert settings.changed(configuration, f"{field.key}={field.value}") == configuration


def test_sentences_about_settings_are_shown_where_they_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setting_words, "sentences", lambda: {"politeness": {"delay": "the pause"}})
    told = {row.key: row.told for table in setting_words.tables(settings.Configuration()) for row in table.settings}
    assert told["politeness.delay"] == "the pause"
    assert told["politeness.rest"] == ""


@pytest.mark.parametrize("tab", ["", "/settings", "/why", "/logs"])
def test_tabs_of_a_crawl_that_cannot_be_read_say_so_and_where_to_go(tmp_path: Path, tab: str) -> None:
    (a_crawl(tmp_path, "bad").path / "crawl.toml").write_text("name = 3\n")
    answer = client_of(tmp_path).get(f"/crawl/bad{tab}")
    assert answer.status_code == 503
    assert "The crawl “bad” cannot be read" in answer.text
    assert "Back to the list of crawls" in answer.text
