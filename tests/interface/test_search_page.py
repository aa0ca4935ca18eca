"""The search page: what it finds, how it shows it, and what it says when there is nothing."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from small_crawl import GERMAN, SPIDERS, a_crawl, index
from starlette.testclient import TestClient

from lycosa.interface.server.app import web_app
from lycosa.records import Page


def results_of(text: str) -> list[str]:
    return re.findall(r'<h2 dir="auto"><a href="([^"]*)"', text)


def test_several_indexes_can_be_chosen_from(tmp_path: Path) -> None:
    for name in ("ants", "bees"):
        index(a_crawl(tmp_path, name), [Page(f"https://{name}.example/", name, text="insects")])
    client = TestClient(web_app(tmp_path), base_url="http://localhost")
    assert client.get("/").text.count("<option") == 2
    assert results_of(client.get("/search?crawl=bees&q=insects").text) == ["https://bees.example/"]
    assert "Choose the crawl" in client.get("/search?q=insects").text


def test_results_have_title_snippet_site_date_language_relevance_and_score(client: TestClient) -> None:
    text = client.get("/search", params={"crawl": "spiders", "q": '"wolf spider" number 7'}).text
    assert results_of(text)[0] == "https://spiders.example/species/7"
    first = text[text.index('<ol class="results"') : text.index("</li>\n  <li>\n    <h2")]
    assert 'rel="noopener noreferrer nofollow">Wolf spider number 7</a>' in first
    assert "<mark>wolf</mark> <mark>spider</mark>" in first
    assert '<time datetime="2023-11-14T22:13:20+00:00">14 Nov 2023</time>' in first
    assert "<bdi>spiders.example</bdi>" in first
    assert "</span> en</li>" in first
    assert 'aria-label="relevance 83%"' in first
    assert re.search(r"score \d+\.\d\d", first)


def test_the_number_of_results_and_the_time_are_told(client: TestClient) -> None:
    assert re.search(r'role="status">23 pages in [\d.]+ m?s<', client.get("/search?crawl=spiders&q=leaves").text)


def test_paging_shows_every_result_once(client: TestClient) -> None:
    seen: list[str] = []
    address = "/search?crawl=spiders&q=leaves"
    for _ in range(5):
        text = client.get(address).text
        seen += results_of(text)
        later = re.search(r'<a href="([^"]+)" rel="next"', text)
        if later is None:
            break
        address = later[1].replace("&amp;", "&")
    assert sorted(seen) == sorted(page.url for page in SPIDERS)


@pytest.mark.parametrize("number", ["0", "-3", "x", "", "²", "1e9"])
def test_an_odd_page_number_is_the_first_page(client: TestClient, number: str) -> None:
    assert len(results_of(client.get("/search", params={"q": "leaves", "page": number}).text)) == 10


def test_a_page_beyond_the_last_leads_back(client: TestClient) -> None:
    text = client.get("/search?q=leaves&page=99999").text
    assert "only 3 pages" in text
    assert "page=3" in text


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("wolfsspinne lang:de", [GERMAN.url]),
        ("wolfsspinne lang:en", []),
        ("netz site:spinnen.example", [GERMAN.url]),
        ("netz site:spiders.example", []),
        ("wolfsspinne -netz", []),
        ('"jagt ohne"', [GERMAN.url]),
    ],
)
def test_filters_phrases_and_exclusions(client: TestClient, query: str, found: list[str]) -> None:
    answer = client.get("/search", params={"crawl": "spiders", "q": query})
    assert results_of(answer.text) == found
    assert bool(found) != ("matches <q>" in answer.text)


def test_a_phrase_that_no_page_has_is_told_in_page_and_json(client: TestClient) -> None:
    asked = {"crawl": "spiders", "q": '"ohne jagt"'}
    shown, answer = client.get("/search", params=asked).text, client.get("/search", params=asked | {"format": "json"})
    assert results_of(shown) == [each["url"] for each in answer.json()["results"]] == [GERMAN.url]
    assert "No page has “ohne jagt” word for word" in shown
    assert answer.json()["answers"] == ["No page has “ohne jagt” word for word; these are pages with the words."]


def test_the_help_names_the_filters(client: TestClient) -> None:
    text = client.get("/search?crawl=spiders").text
    assert all(part in text for part in ("exact phrase", "-without", "site:example.org", "lang:en"))


@pytest.mark.parametrize("query", ["-wolf", "???", '"', "a" * 5000, "site:", "\x00", "zebra AND", "title:[zz TO zz]"])
def test_odd_queries_are_answered_kindly(client: TestClient, query: str) -> None:
    answer = client.get("/search", params={"crawl": "spiders", "q": query})
    assert answer.status_code == 200
    assert ('class="card empty"' in answer.text) != ('class="results"' in answer.text)


def test_a_query_of_exclusions_is_explained(client: TestClient) -> None:
    assert "add a word to look for" in client.get("/search?crawl=spiders&q=-wolf").text


def test_a_crawl_without_index_leads_on(client: TestClient) -> None:
    text = client.get("/search?crawl=young&q=wolf").text
    assert "has no index yet" in text
    assert 'href="/crawl/young"' in text
    assert "crawl=spiders&amp;q=wolf" in text


def test_hostile_pages_are_shown_as_text(client: TestClient) -> None:
    text = client.get("/search?crawl=spiders&q=tarantula").text
    assert "<img" not in text
    assert "<script>" not in text
    assert 'href="javascript' not in text.lower()
    assert "&lt;img src=x onerror=" in text
    assert "\u202e" not in text
    hrefs = results_of(text)
    assert len(hrefs) == 2
    assert all(address.startswith("https://evil.example/") for address in hrefs)


def test_a_hostile_query_is_shown_as_text(client: TestClient) -> None:
    text = client.get("/search", params={"crawl": "spiders", "q": '"><script>alert(1)</script>'}).text
    assert "<script>" not in text
    assert 'value="&#34;&gt;&lt;script&gt;' in text


def test_new_pages_are_found_without_a_restart_and_a_lost_index_is_no_trouble(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, "grows")
    index(folder, [Page("https://a.example/", "ants", text="ants")])
    client = TestClient(web_app(tmp_path), base_url="http://localhost")
    assert results_of(client.get("/search?q=bees").text) == []
    index(folder, [Page("https://b.example/", "bees", text="bees")])
    assert results_of(client.get("/search?q=bees").text) == ["https://b.example/"]
    for file in folder.index.iterdir():
        file.unlink()
    assert "has no index yet" in client.get("/search?crawl=grows&q=bees").text
    index(folder, [Page("https://c.example/", "bees", text="bees")])
    assert results_of(client.get("/search?q=bees").text) == ["https://c.example/"]


def test_json_has_the_shape_of_searxng(client: TestClient) -> None:
    found = client.get("/search", params={"crawl": "spiders", "q": "wolfsspinne", "format": "json"}).json()
    assert found["query"] == "wolfsspinne"
    assert found["number_of_results"] == 1
    (result,) = found["results"]
    assert {**result, "score": 0.0} == {
        "url": GERMAN.url,
        "title": "Die Wolfsspinne",
        "content": "Die Wolfsspinne jagt ohne Netz",
        "publishedDate": "2023-11-14T22:13:20+00:00",
        "thumbnail": "",
        "img_src": "",
        "priority": "",
        "engine": "lycosa",
        "template": "default.html",
        "parsed_url": ["https", "spinnen.example", "/wolf", "", "", ""],
        "engines": ["lycosa"],
        "positions": [1],
        "score": 0.0,
        "category": "general",
    }
    assert result["score"] > 0
    lists = ("answers", "corrections", "infoboxes", "suggestions", "unresponsive_engines")
    assert {name: found[name] for name in lists} == {name: [] for name in lists}


def test_json_pages_like_html(client: TestClient) -> None:
    found = client.get("/search?crawl=spiders&q=leaves&page=3&format=json").json()
    assert (found["number_of_results"], len(found["results"])) == (23, 3)


def test_json_says_when_there_is_no_index(client: TestClient) -> None:
    found = client.get("/search?crawl=young&q=x&format=json").json()
    assert found["results"] == []
    assert found["unresponsive_engines"] == [["lycosa", "no index"]]


def test_opensearch_describes_the_search(client: TestClient) -> None:
    answer = client.get("/opensearch.xml?crawl=spiders")
    assert answer.headers["content-type"].startswith("application/opensearchdescription+xml")
    described = ElementTree.fromstring(answer.content)
    space = "{http://a9.com/-/spec/opensearch/1.1/}"
    html, plain, suggestions = described.iter(f"{space}Url")
    assert html.get("template") == "http://testserver/search?crawl=spiders&q={searchTerms}"
    assert plain.get("template") == "http://testserver/search?crawl=spiders&q={searchTerms}&format=json"
    assert suggestions.get("type") == "application/x-suggestions+json"
    assert suggestions.get("template") == "http://testserver/suggest?crawl=spiders&q={searchTerms}"
    assert client.get("/opensearch.xml?crawl=nowhere").status_code == 404
