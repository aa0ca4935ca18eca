"""The API: it does what its description says, for well-meant and for odd requests."""

from __future__ import annotations

from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import checks
from small_crawl import a_crawl, a_full_crawl
from starlette.testclient import TestClient

from lycosa.interface.api.all_calls import CALLS
from lycosa.interface.api.http import LARGEST_BODY, ROOT
from lycosa.interface.api.openapi import description
from lycosa.interface.server.app import web_app
from lycosa.interface.shared.tokens import Role, TokenFile

STARTING = [
    "start_crawl", "resume_crawl", "revisit_crawl", "delete_crawl", "map_pages", "add_examples", "find_proposals",
]  # fmt: skip
"""Calls that start processes, delete crawls or fetch pages are tried by hand, not at random."""


@pytest.fixture(scope="module")
def api_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("api")
    a_full_crawl(path)
    a_crawl(path, "young")
    return path


@pytest.fixture(scope="module")
def api(api_home: Path) -> TestClient:
    client = TestClient(web_app(api_home, ["testserver"]), raise_server_exceptions=False)
    client.headers["Authorization"] = f"Bearer {TokenFile(api_home).add('tests', Role.ADMIN)}"
    return client


schema = schemathesis.openapi.from_dict(description(CALLS, "http://testserver"))
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]


@schema.exclude(operation_id=STARTING).parametrize()
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_random_requests_get_what_the_description_says(case: schemathesis.Case, api: TestClient) -> None:
    case.call_and_validate(base_url="http://testserver", app=api.app, headers=dict(api.headers), checks=CHECKS)


def test_every_call_is_described(api: TestClient) -> None:
    told = api.get(f"{ROOT}/openapi.json").json()
    for call in CALLS:
        operation = told["paths"][ROOT + call.path][call.method.lower()]
        assert operation["summary"], call.name
        assert operation["x-role"] == call.role.told
    assert len({call.name for call in CALLS}) == len(CALLS)
    assert not [name for name in told["components"]["schemas"] if "." in name], "two messages share a name"


def test_a_wrong_method_is_told_which_are_allowed(api: TestClient) -> None:
    answer = api.put(f"{ROOT}/crawls")
    assert answer.status_code == 405
    assert set(answer.headers["allow"].split(", ")) >= {"GET", "POST"}


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"{", 400),
        (b"\xff", 400),
        (b"[]", 422),
        (b'{"settings": []}', 422),
        (b'{"settings": ["pages=1"], "more": 1}', 422),
        (b'{"settings": ["no.such.thing=1"]}', 422),
        (b'{"settings": ["pages=many"]}', 422),
        (b" " * (LARGEST_BODY + 1), 413),
    ],
)
def test_bad_bodies_are_refused_with_a_sentence(api: TestClient, sent: bytes, status: int) -> None:
    answer = api.patch(f"{ROOT}/crawls/young/settings", content=sent, headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    assert answer.json()["error"]


@pytest.mark.parametrize(
    "setting", ["strategy=nosuch", 'scope.rules=["nosuch"]', "topic.words=the", 'seeds=["ftp://x"]']
)
def test_settings_that_no_crawl_could_go_by_are_refused_whole(api: TestClient, setting: str) -> None:
    before = api.get(f"{ROOT}/crawls/young/settings").json()
    answer = api.patch(f"{ROOT}/crawls/young/settings", json={"settings": ["pages=77", setting]})
    assert answer.status_code in (409, 422)
    assert answer.json()["error"]
    assert api.get(f"{ROOT}/crawls/young/settings").json() == before


def test_what_is_no_json_is_refused(api: TestClient) -> None:
    answer = api.patch(f"{ROOT}/crawls/young/settings", content=b"settings=1")
    assert answer.status_code == 415


def test_unknown_parameters_are_refused_rather_than_overlooked(api: TestClient) -> None:
    answer = api.get(f"{ROOT}/crawls/young/why", params={"url": "https://a.example/", "uri": "x"})
    assert answer.status_code == 422
    assert "uri" in answer.json()["error"]


def test_a_crawl_is_prepared_steered_and_deleted(api: TestClient, api_home: Path) -> None:
    new = {"name": "made", "topic": "wolf spiders", "seeds": ["https://spiders.example/"], "run": False, "pages": 5}
    missing = api.post(f"{ROOT}/crawls", json=new)
    assert missing.status_code == 409
    assert "contact" in missing.json()["error"]
    made = api.post(f"{ROOT}/crawls", json=new | {"contact": "https://me.example/bot"})
    assert made.status_code == 201
    assert made.json()["state"] == "stopped"
    assert api.post(f"{ROOT}/crawls", json=new).status_code == 409
    blocked = api.post(f"{ROOT}/crawls/made/patterns", json={"kind": "block", "pattern": "bad.example"}).json()
    assert blocked["settings"]["scope"]["block"] == ["bad.example"]
    assert api.post(f"{ROOT}/crawls/made/seeds", json={"urls": ["b.example", "https://c.example/"]}).json() == {
        "added": 2
    }
    assert api.post(f"{ROOT}/crawls/made/seeds", json={"urls": ["http://"]}).status_code == 409
    assert api.post(f"{ROOT}/crawls/made/pause").status_code == 409
    assert api.post(f"{ROOT}/crawls/made/stop").json()["state"] == "stopped"
    assert api.delete(f"{ROOT}/crawls/made").status_code == 204
    assert not (api_home / "crawls" / "made").exists()


def test_a_crawl_for_an_unknown_path_is_refused_with_topics_like_it(api: TestClient) -> None:
    new = {"name": "made", "topic": "subject.Science.Birds", "seeds": ["https://a.example/"], "run": False}
    answer = api.post(f"{ROOT}/crawls", json=new | {"contact": "https://me.example/bot"})
    assert answer.status_code == 422
    assert "did you mean 'Life sciences and nature.Birds'?" in answer.json()["error"]


@pytest.mark.parametrize("name", ["../evil", "a/b", "..", ".hidden", "", "x" * 65])
def test_names_of_new_crawls_cannot_leave_their_folder(api: TestClient, api_home: Path, name: str) -> None:
    answer = api.post(f"{ROOT}/crawls", json={"name": name, "seeds": ["https://a.example/"], "run": False})
    assert answer.status_code == 422
    assert {each.name for each in (api_home / "crawls").iterdir()} <= {"full", "young", "spiders", "made"}


@pytest.mark.parametrize("example", ["/etc/passwd", "file:///etc/passwd"])
def test_the_server_reads_no_files_for_strangers(api: TestClient, example: str) -> None:
    answer = api.post(f"{ROOT}/crawls", json={"name": "leak", "examples": [example], "seeds": ["https://a.example/"]})
    assert answer.status_code in (409, 422)
    assert "root:" not in answer.text


@pytest.mark.parametrize(
    "setting",
    ["fetching.web=dir:/etc", "fetching.fetcher=recorded", 'topic.examples=["/etc/passwd"]', "clicks.source=/"],
)
def test_settings_that_name_files_are_not_made_over_the_network(api: TestClient, setting: str) -> None:
    new = {"name": "leak", "topic": "x", "seeds": ["https://a.example/"], "run": False, "settings": [setting]}
    for answer in (
        api.post(f"{ROOT}/crawls", json=new),
        api.patch(f"{ROOT}/crawls/young/settings", json={"settings": [setting]}),
    ):
        assert answer.status_code == 409
        assert "names files on the server" in answer.json()["error"]


def test_search_tells_results_their_scores_and_what_they_have_in_common(api: TestClient) -> None:
    found = api.get(f"{ROOT}/crawls/spiders/search", params={"q": "wolf spider number"}).json()
    assert (found["total"], len(found["results"])) == (23, 10)
    first = found["results"][0]
    assert first["site"] == "spiders.example"
    assert first["why"]["value"] == pytest.approx(first["score"], rel=1e-4)
    assert found["sites"] == [{"value": "spiders.example", "pages": 23}]
    later = api.get(f"{ROOT}/crawls/spiders/search", params={"q": "wolf spider number", "page": 3}).json()
    assert len(later["results"]) == 3
    assert api.get(f"{ROOT}/crawls/young/search", params={"q": "wolf"}).status_code == 404
    assert api.get(f"{ROOT}/crawls/spiders/suggestions", params={"q": "wol"}).json()["suggestions"]
