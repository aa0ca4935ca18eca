"""Filters, orders, corrections and suggestions of the search page, as a browser without scripts asks for them."""

from __future__ import annotations

import random
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from searched_crawl import a_searched_crawl
from small_crawl import a_crawl
from starlette.datastructures import QueryParams
from starlette.testclient import TestClient

from lycosa.crawl_folder.folder import own
from lycosa.interface.operations.search_feedback import Asker, SearchNotes
from lycosa.interface.server.app import web_app
from lycosa.interface.views.search.class_names import TopicNames
from lycosa.interface.views.search.request import Question
from lycosa.interface.views.search.results import unanswered
from lycosa.interface.views.search.suggested_queries import FEWEST_VISITORS, FrequentQueries


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    home = tmp_path_factory.mktemp("home")
    a_searched_crawl(home)
    return TestClient(web_app(home, ["testserver"]))


def results(text: str) -> list[str]:
    return [unescape(each) for each in re.findall(r'<h2 dir="auto"><a href="([^"]*)"', text)]


def total(text: str) -> int:
    found = re.search(r'role="status">([\d,]+) pages? in', text)
    return int(found[1]) if found else 0


def ask(client: TestClient, **asked: Any) -> str:
    return client.get("/search", params={"crawl": "spiders", "q": "leaves"} | asked).text


@pytest.mark.parametrize(
    ("asked", "number"),
    [
        ({}, 19),
        ({"site": "spiders.example"}, 7),
        ({"site": ["spiders.example", "bees.example"]}, 11),
        ({"topic": "595"}, 14),
        ({"topic": "63"}, 4),
        ({"lang": "de"}, 4),
        ({"language": "de-CH"}, 4),
        ({"language": "all"}, 19),
        ({"after": "2020-01-01"}, 9),
        ({"before": "2011-01-01"}, 1),
        ({"after": "2012-01-01", "before": "2014-01-01"}, 2),
        ({"time": "day"}, 0),
        ({"time": "century", "after": "soon", "sort": "worst", "page": "-1", "lang": "%%"}, 19),
        ({"q": "leaves after:2020 site:bees.example"}, 4),
    ],
)
def test_filters_narrow_the_results(client: TestClient, asked: dict[str, Any], number: int) -> None:
    assert total(ask(client, **asked)) == number


def test_the_form_has_counts_and_keeps_what_was_chosen(client: TestClient) -> None:
    text = ask(client, site="bees.example", sort="newest")
    form = text[text.index('<form class="filters"') : text.index('<div class="answers">')]
    plain = " ".join(re.sub(r"<[^>]+>", " ", form).split())
    assert "bees.example 4" in plain
    assert "spiders.example 7" in plain
    assert "638 Bees and silkworms 4" in plain
    assert "595" not in plain
    assert re.search(r'value="bees.example" checked', form)
    assert '<option value="newest" selected>' in form
    assert form.count("<label") == form.count("<input") + form.count("<select") - form.count('type="hidden"')


def test_what_was_typed_as_a_filter_is_chosen_in_the_form(client: TestClient) -> None:
    text = ask(client, q="leaves site:bees.example after:2020 lang:de")
    form = text[text.index('<form class="filters"') : text.index('<div class="answers">')]
    assert 'name="q" value="leaves"' in form
    assert re.search(r'value="bees.example" checked', form)
    assert re.search(r'value="de" checked', form)
    assert 'name="after" value="2020-01-01"' in form


def test_each_filter_can_be_removed(client: TestClient) -> None:
    text = ask(client, q="leaves lang:de", site="bees.example", topic="638", time="year", before="2031-01-01")
    chips = re.findall(r'<a href="([^"]*)" title="Without this filter">.*?<bdi>(.*?)</bdi>', text)
    told = [name for _, name in chips]
    expected = [
        "Language: de",
        "Site: bees.example",
        "Topic: 638 Bees and silkworms",
        "Past year",
        "Before: 2031-01-01",
    ]
    assert told == expected
    for address, name in chips:
        again = client.get(unescape(address)).text
        left = re.findall(r'title="Without this filter">.*?<bdi>(.*?)</bdi>', again)
        assert left == [each for each in expected if each != name]
    bare = re.search(r'<a href="([^"]*)">Remove all filters', text)
    assert bare
    assert total(client.get(unescape(bare[1])).text) == 19


def test_newest_first_and_closest_to_the_topic_first(client: TestClient) -> None:
    newest = results(ask(client, q="wolf", sort="newest")) + results(ask(client, q="wolf", sort="newest", page="2"))
    assert [int(url.rpartition("/")[2]) for url in newest] == list(range(13, -1, -1))
    assert results(ask(client, q="wolf", sort="relevance"))[0].endswith("/13")
    assert "sort=newest" in unescape(ask(client, q="wolf", sort="newest")[-3000:])
    assert "newest first: when the page was written" in ask(client, q="wolf", sort="newest")


def test_results_have_topic_date_and_a_stored_copy(client: TestClient) -> None:
    text = ask(client, q="wolf number 13")
    assert 'title="Only results of this topic"><bdi>Insects, spiders and crustaceans</bdi>' in text
    assert '<span class="unseen">Written</span> <time datetime="2023-05-17' in text
    address = "/read?crawl=spiders&amp;url=https%3A%2F%2Farachnids.example%2F13&amp;q=wolf+number+13"
    assert f'href="{address}">Read the stored copy' in text


def test_another_spelling_is_offered_and_finds_something(client: TestClient) -> None:
    text = ask(client, q="wolf spidr", lang="en")
    found = re.search(r'Did you mean <a href="([^"]*)"><bdi>(.*?)</bdi>', text)
    assert found
    assert found[2] == "wolf spider"
    assert total(client.get(unescape(found[1])).text) == 14
    assert "Did you mean" not in ask(client, q="wolf spider")


def test_nothing_found_leads_on(client: TestClient) -> None:
    text = ask(client, q="zebrafish", lang="en")
    assert "with these filters" in text
    assert "Search without filters" in text
    assert 'href="/crawl/spiders"' in text


@pytest.mark.parametrize(
    ("typed", "suggested"),
    [("wolf sp", "wolf spider"), ("hon", "honey bees"), ("spid", "spider"), ("", None), ("zzz", None)],
)
def test_suggestions_are_those_of_opensearch(client: TestClient, typed: str, suggested: str | None) -> None:
    answer = client.get("/suggest", params={"crawl": "spiders", "q": typed})
    assert answer.headers["content-type"] == "application/x-suggestions+json"
    about, found = answer.json()
    assert about == typed
    assert suggested in found if suggested else found == []


def test_suggestions_for_no_crawl_are_refused(client: TestClient) -> None:
    assert client.get("/suggest?crawl=nowhere&q=a").status_code == 404


def test_hostile_titles_topics_and_languages_are_text(client: TestClient) -> None:
    for asked in (
        {"q": "tarantula"},
        {"q": "leaves", "topic": "<b>", "site": '"><script>', "lang": "en"},
        {"q": "tarantulla"},
    ):
        text = ask(client, **asked)
        assert "<script>" not in text
        assert "<img" not in text
        assert "<i>" not in text
        assert "onclick=&#34;x" in text or "<b onclick" not in text
    assert client.get("/suggest?crawl=spiders&q=taran").json()[1][:2] == ["tarantella", "tarantula"]


def test_json_has_corrections_and_honours_the_parameters_of_searxng(client: TestClient) -> None:
    asked = {"crawl": "spiders", "format": "json"}
    found = client.get("/search", params=asked | {"q": "spidr"}).json()
    assert found["corrections"] == ["spider"]
    found = client.get("/search", params=asked | {"q": "leaves", "language": "de", "pageno": "1"}).json()
    assert found["number_of_results"] == 4
    found = client.get("/search", params=asked | {"q": "leaves", "time_range": "day"}).json()
    assert found["number_of_results"] == 0
    found = client.get("/search", params=asked | {"q": "leaves", "pageno": "2"}).json()
    assert [result["positions"] for result in found["results"]] == [[place] for place in range(11, 20)]


def test_a_damaged_index_is_told_with_a_way_on(tmp_path: Path) -> None:
    folder = a_searched_crawl(tmp_path)
    (folder.index / "meta.json").write_text("{", "utf-8")
    client = TestClient(web_app(tmp_path), base_url="http://localhost")
    answer = client.get("/search?crawl=spiders&q=leaves")
    assert answer.status_code == 503
    assert "is damaged" in answer.text
    assert "lycosa resume spiders" in answer.text
    as_json = client.get("/search?crawl=spiders&q=leaves&format=json")
    assert (as_json.status_code, as_json.json()["unresponsive_engines"]) == (503, [["lycosa", "damaged"]])
    assert client.get("/suggest?crawl=spiders&q=le").json() == ["le", []]


def test_damage_anywhere_in_the_index_is_told_not_a_crash(tmp_path: Path) -> None:
    told = set()
    for place, kind in enumerate(("store", "idx", "fast", "term", "pos")):
        folder = a_searched_crawl(tmp_path / kind)
        for file in folder.index.glob(f"*.{kind}"):
            data = bytearray(file.read_bytes())
            noise = random.Random(place)
            for _ in range(30):
                data[noise.randrange(len(data) - 120)] = noise.randrange(256)
            file.unlink()
            file.write_bytes(data)
        client = TestClient(web_app(tmp_path / kind), base_url="http://localhost")
        for query in ("leaves", '"wolf spider"', "wolf spidr lang:en"):
            told.add(client.get("/search", params={"crawl": "spiders", "q": query}).status_code)
        assert client.get("/suggest?crawl=spiders&q=wo").status_code == 200
    assert 503 in told
    assert told <= {200, 503}


def test_an_index_that_is_being_built_is_told(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, "young")
    client = TestClient(web_app(tmp_path), base_url="http://localhost")
    with own(folder.path / "lock", "the crawl"):
        assert "it is being built" in client.get("/search?crawl=young&q=a").text
    assert "lycosa resume young" in client.get("/search?crawl=young&q=a").text


def test_a_locked_index_is_told() -> None:
    answer = unanswered("a", PermissionError(13, "Permission denied"), there=True, running=False)
    assert (answer.trouble, "try again" in answer.todo) == ("locked", True)


# -- what others asked --------------------------------------------------------------------------


def test_only_what_five_visitors_asked_on_one_day_is_told(tmp_path: Path) -> None:
    queries = FrequentQueries(tmp_path)
    for visitor in range(FEWEST_VISITORS - 1):
        queries.asked("Private  matter", bytes([visitor]), 1)
        queries.asked("private matter", bytes([visitor]), 1)
    queries.asked("private matter", b"later", 2)
    assert queries.most_frequent() == []
    assert not list(tmp_path.iterdir())
    for visitor in range(FEWEST_VISITORS):
        queries.asked("Wolf  Spider", bytes([visitor]), 2)
    assert queries.most_frequent() == FrequentQueries(tmp_path).most_frequent() == ["wolf spider"]


def test_frequent_queries_are_forgotten(tmp_path: Path) -> None:
    queries = FrequentQueries(tmp_path)
    for day, query in ((1, "old"), (200, "new")):
        for visitor in range(FEWEST_VISITORS):
            queries.asked(query, bytes([visitor]), day)
    assert queries.most_frequent() == ["new"]


def test_a_file_that_cannot_be_read_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "frequent-queries.json").write_text("[", "utf-8")
    assert FrequentQueries(tmp_path).most_frequent() == []


def test_queries_of_several_visitors_are_suggested(tmp_path: Path) -> None:
    folder = a_searched_crawl(tmp_path)
    app = web_app(tmp_path)
    notes: SearchNotes = app.state.notes
    client = TestClient(app, base_url="http://localhost")
    for number in range(FEWEST_VISITORS):
        assert "leaves of oak" not in client.get("/suggest?crawl=spiders&q=leav").json()[1]
        notes.show(folder, Asker(f"10.0.0.{number}", b"Firefox", True), "leaves of oak", ["https://a.example/"], 1)
    assert client.get("/suggest?crawl=spiders&q=leav").json()[1][0] == "leaves of oak"


def test_what_was_filtered_or_sorted_is_not_noted(tmp_path: Path) -> None:
    folder = a_searched_crawl(tmp_path)
    client = TestClient(
        web_app(tmp_path), base_url="http://localhost", headers={"user-agent": "Mozilla/5.0 Firefox/130.0"}
    )
    for more in ("&sort=newest", "&lang=en", ""):
        assert not (folder.path / "clicks").exists()
        client.get(f"/search?crawl=spiders&q=leaves{more}")
    assert (folder.path / "clicks").exists()


# -- questions ----------------------------------------------------------------------------------

PARAMETERS = st.lists(
    st.tuples(
        st.sampled_from(["q", "site", "topic", "lang", "language", "time", "after", "before", "sort", "page", "crawl"]),
        st.text(max_size=20) | st.sampled_from(["week", "newest", "2024-05-01", "en", "site:a lang:de x after:2020"]),
    ),
    max_size=12,
)


@given(PARAMETERS)
def test_an_address_asks_the_same_question_again(asked: list[tuple[str, str]]) -> None:
    question = Question.of(QueryParams(asked))
    again = Question.of(QueryParams(question.address().partition("?")[2]))
    assert again == question
    assert len(question.chips()) <= 100
    plain = question.plain()
    assert plain.wanted(0.0).words == question.wanted(0.0).words


def test_topics_are_called_by_their_class_or_the_one_above() -> None:
    names = TopicNames(["595\tInsects and spiders\tinsect\n# no\tclass\n59\tAnimals"])
    assert [names.named(each) for each in ("595", "5954", "598", "7", "birds")] == [
        "595 Insects and spiders", "595.4 Insects and spiders", "598 Animals", "7", "birds",
    ]  # fmt: skip
