"""Setting up a crawl: which topics something is about, where to begin, and what is said when it cannot start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_crawl import SPIDERS, a_crawl, index
from starlette.testclient import TestClient

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.interface.operations.crawl_control import Launcher
from lycosa.interface.server.app import web_app
from lycosa.interface.shared.tokens import Role, TokenFile
from lycosa.lab.web_server import ServedWeb, serve_in_process
from lycosa.preparation.taxonomy_files import OwnTaxonomy

BOX = "box:11?hosts=2&pages=20&topics=2&size=3KiB&links=6&unlinked=0&errors=0"
BIRDS = "Birds have feathers and wings; they build nests and lay eggs. Owls, eagles and sparrows are birds."


@pytest.fixture(scope="module")
def web() -> Iterator[ServedWeb]:
    with serve_in_process(BOX) as served:
        yield served


@pytest.fixture
def operator(tmp_path: Path) -> TestClient:
    client = TestClient(web_app(tmp_path), base_url="http://localhost")
    client.headers["Authorization"] = f"Bearer {TokenFile(tmp_path).add('me', Role.OPERATE)}"
    return client


def error_of(client: TestClient, status: int, **body: object) -> str:
    answer = client.post("/api/v1/crawls", json={"name": "new", "topic": "birds nests", "run": False, **body})
    assert answer.status_code == status, answer.text
    told: str = answer.json()["error"]
    return told


# -- topics -------------------------------------------------------------------------------------


def test_texts_are_mapped_for_everybody_who_may_look(client: TestClient) -> None:
    answer = client.post("/api/v1/topics/map", json={"texts": [BIRDS]})
    assert answer.status_code == 200
    best, *others = answer.json()["topics"]
    assert best["path"] == "Life sciences and nature.Birds"
    assert best["best"]
    assert {"birds", "feathers"} & {term["term"] for term in best["terms"]}
    assert not any(other["best"] for other in others)


def test_where_no_topic_fits_it_says_why(client: TestClient) -> None:
    told = client.post("/api/v1/topics/map", json={"texts": ["qzxv wrtpl kkjh"]}).json()
    assert told["why"].startswith("none fits")
    assert not any(topic["best"] for topic in told["topics"])


@pytest.mark.parametrize("body", [{"texts": []}, {"texts": ["x" * 200_001]}, {"texts": ["x"] * 51}, {"urls": ["x"]}])
def test_what_is_mapped_is_bounded(client: TestClient, body: dict[str, object]) -> None:
    assert client.post("/api/v1/topics/map", json=body).status_code == 422


def test_the_pages_of_a_topic_of_ones_own_are_suggested(operator: TestClient, tmp_path: Path) -> None:
    OwnTaxonomy(tmp_path).change(lambda tree: tree.with_page("birds", "https://birds.example/"), "a page")
    best = operator.post("/api/v1/topics/map", json={"texts": [BIRDS]}).json()["topics"][0]
    assert best["pages"] == ["https://birds.example/"]
    assert 'data-pages="https://birds.example/"' in operator.get("/crawls/new").text


def test_pages_are_fetched_only_for_those_who_may_operate(client: TestClient) -> None:
    answer = client.post("/api/v1/topics/map/pages", json={"urls": ["http://127.0.0.1:9/"]})
    assert answer.status_code == 401


def test_pages_are_fetched_and_mapped(operator: TestClient, web: ServedWeb) -> None:
    root = f"http://127.0.0.1:{web.port}/"
    settings = [f'fetching.allow_addresses=["127.0.0.0/8:{web.port}"]', "politeness.delay=1ms"]
    told = operator.post("/api/v1/topics/map/pages", json={"urls": [root], "texts": [BIRDS], "settings": settings})
    assert told.status_code == 200, told.text
    assert told.json()["topics"]
    lost = operator.post("/api/v1/topics/map/pages", json={"urls": [root]}).json()
    (missed,) = lost["missed"]
    assert missed["url"] == root
    assert lost["why"] == "none of the pages could be read"


# -- where to begin -----------------------------------------------------------------------------


def test_without_engines_there_is_a_note_instead_of_seeds(operator: TestClient) -> None:
    told = operator.post("/api/v1/seeds/find", json={"query": "spiders"}).json()
    assert told["seeds"] == []
    assert "No search engine is known" in told["note"]


def test_crawls_with_an_index_suggest_seeds(operator: TestClient, tmp_path: Path) -> None:
    index(a_crawl(tmp_path, "known"), SPIDERS)
    told = operator.post("/api/v1/seeds/find", json={"query": "wolf spider"}).json()
    assert told["seeds"][0]["url"].startswith("https://spiders.example/species/")
    assert told["seeds"][0]["title"].startswith("Wolf spider number")


# -- starting -----------------------------------------------------------------------------------


ALLOWED = 'fetching.allow_addresses=["127.0.0.1:9"]'


def test_example_texts_become_the_topic(operator: TestClient, tmp_path: Path) -> None:
    body = {
        "name": "new",
        "texts": [BIRDS, "A second text about owls."],
        "seeds": ["http://127.0.0.1:9/"],
        "settings": [ALLOWED],
    }
    answer = operator.post("/api/v1/crawls", json={**body, "run": False})
    assert answer.status_code == 201, answer.text
    folder = CrawlFolder(tmp_path / "crawls" / "new")
    assert folder.configuration().topic.examples == ("examples/1.txt", "examples/2.txt")
    assert BIRDS in (folder.path / "examples" / "1.txt").read_text("utf-8")


def test_what_is_wrong_is_said_so_that_it_can_be_put_beside_its_field(operator: TestClient, tmp_path: Path) -> None:
    here = ["http://127.0.0.1:9/"]
    assert "needs a contact" in error_of(operator, 409, seeds=["https://public.example/"])
    assert "no seeds" in error_of(operator, 422)
    assert "is no http(s) URL" in error_of(operator, 422, seeds=["ftp://x.example/"])
    assert "no seed is let in" in error_of(operator, 422, seeds=here, settings=['scope.block=["127.0.0.1"]'])
    assert "unknown key 'politeness.dlay'" in error_of(operator, 422, seeds=here, settings=["politeness.dlay=1s"])
    assert "no strategy named" in error_of(operator, 422, seeds=here, strategy="nosuch")
    assert "`$.name`" in error_of(operator, 422, seeds=here, name="a b")
    a_crawl(tmp_path, "taken")
    assert "there is a crawl named 'taken' already" in error_of(operator, 409, seeds=here, name="taken")
    assert [folder.name for folder in CrawlFolder.all(tmp_path)] == ["taken"]


def test_a_start_that_fails_leaves_the_name_free(
    operator: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: Launcher, folder: CrawlFolder, command: str = "resume") -> None:
        assert folder.exists
        raise CrawlError("the disk is full")

    monkeypatch.setattr(Launcher, "launch", fails)
    assert error_of(operator, 409, seeds=["http://127.0.0.1:9/"], settings=[ALLOWED], run=True) == "the disk is full"
    assert CrawlFolder.all(tmp_path) == []


def test_the_overview_has_curve_sites_and_examples(client: TestClient) -> None:
    told = client.get("/api/v1/crawls/spiders/overview").json()
    assert told["whole"]
    assert told["growth"][-1]["pages"] == 31
    assert told["growth"][-1]["relevant"] == 17
    assert {site["site"] for site in told["sites"]} == {"https://site0.example", "https://site1.example"}
    assert "https://site0.example/17" in told["examples"]["timeout"]
    assert client.get("/api/v1/crawls/nowhere/overview").status_code == 404


def test_the_form_knows_names_topics_and_whether_a_contact_is_needed(operator: TestClient, tmp_path: Path) -> None:
    a_crawl(tmp_path, "taken")
    text = operator.get("/crawls/new").text
    assert 'data-taken="taken"' in text
    assert "&emsp;Birds</option>" in text
    assert '<div class="rows" data-contact>' in text
    (tmp_path / "contact.txt").write_text("me@example.org\n")
    assert "data-contact hidden>" in operator.get("/crawls/new").text


def test_a_topic_tree_that_cannot_be_read_does_not_stop_the_form(operator: TestClient, tmp_path: Path) -> None:
    (tmp_path / "taxonomy").mkdir()
    (tmp_path / "taxonomy" / "topics.toml").write_text("no toml [")
    text = operator.get("/crawls/new").text
    assert "The topic tree cannot be read" in text
    assert 'value="tree"' not in text
