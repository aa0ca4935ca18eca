"""The reader over HTTP: what it shows of stored pages, and what it says where there is none."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from httpx import Response
from reader_crawl import EVIL, HUNT, SITE, WOLF, a_crawl_to_read
from small_crawl import SPIDERS, a_crawl, index
from starlette.testclient import TestClient

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.interface.api.http import ROOT
from lycosa.interface.server.app import SECURITY, web_app
from lycosa.interface.web.reader_policies import FRAMING, ORIGINAL
from lycosa.records import Page

VIEWS = ["reading", "original", "versions", "links", "structure", "scores"]
POLICY = "Content-Security-Policy"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> CrawlFolder:
    home = tmp_path_factory.mktemp("reader")
    a_crawl(home, "young")
    return a_crawl_to_read(home)


@pytest.fixture(scope="module")
def client(folder: CrawlFolder) -> TestClient:
    return TestClient(web_app(folder.path.parent.parent, ["testserver"]))


def read(client: TestClient, url: str = WOLF, path: str = "/read", **more: Any) -> Response:
    return client.get(path, params={"crawl": "reads", "url": url, **more})


def plain(text: str) -> str:
    """The words of a page, without its markup."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text[text.find("<main") :])).split())


def attributes(text: str) -> list[tuple[str, str, str]]:
    """Every attribute of some HTML, as a parser sees it: tag, name, value."""
    found: list[tuple[str, str, str]] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.extend((tag, name, value or "") for name, value in attrs)

    Tags().feed(text)
    return found


# -- views --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("url", [WOLF, EVIL, f"{SITE}/plain", f"{SITE}/leaflet.pdf", f"{SITE}/empty"])
def test_every_view_of_every_page_is_shown_and_small(client: TestClient, url: str, view: str) -> None:
    answer = read(client, url, view=view, q="spiders")
    assert answer.status_code == 200
    assert len(answer.content) < 100_000
    assert answer.text.count("<h1") == 1
    assert answer.text.count('aria-current="page"') == 1
    assert "This cannot be shown" not in answer.text


def test_the_head_says_what_it_is(client: TestClient) -> None:
    text = read(client).text
    assert '<h1 dir="auto">The wolf spider</h1>' in text
    assert f'<a href="{WOLF}" rel="noopener noreferrer nofollow" target="_blank">' in text
    for told in ("fetched", "14 Nov 2023", "status 200", "text/html", "version 2 of 2"):
        assert told in text


def test_the_reading_view_has_paragraphs_headings_and_links(client: TestClient) -> None:
    text = read(client).text
    assert '<h2 dir="auto">Wolf spiders</h2>' in text
    assert '<h3 dir="auto">Where it lives</h3>' in text
    assert '<p dir="auto">The wolf spider hunts by sight. It has eight eyes and good ones.</p>' in text
    assert '<li dir="auto">in meadows</li>' in text
    assert "Eyes · 8" in text
    assert ">one\n  two</pre>" in text
    assert '<blockquote dir="auto"><p>It carries its young.</p></blockquote>' in text
    assert (
        f'<a href="/read?crawl=reads&amp;url={HUNT.replace(":", "%3A").replace("/", "%2F")}">hunting grounds</a>'
        in text
    )
    assert "Home</a></li>" not in text, "navigation is left out"


def test_query_words_are_marked_in_all_their_forms(client: TestClient) -> None:
    text = read(client, q="hunting").text
    assert "<mark>hunts</mark> by sight" in text
    assert "<mark>hunting</mark> grounds" in text
    assert "<mark>" not in read(client).text


def test_what_is_looked_for_is_found_and_counted(client: TestClient) -> None:
    text = read(client, find="EIGHT eyes").text
    assert '<mark class="sought" id="found-1">eight eyes</mark>' in text
    assert "Found 1 time." in text
    assert "Not found." in read(client, find="<script>").text


def test_older_versions_can_be_read(client: TestClient) -> None:
    text = read(client, at=1).text
    assert "eight eyes." in text
    assert "good ones" not in text
    assert "older version" in text
    assert "at=1" in re.findall(r'href="(/read\?[^"]*view=original)"', text)[0]


def test_versions_are_listed_and_compared(client: TestClient) -> None:
    text = read(client, view="versions").text
    words = plain(text)
    assert "gone: The wolf spider hunts by sight" not in words
    assert "gone: It has eight eyes." in words
    assert "new: It has eight eyes and good ones." in words
    assert text.count("<tr><th") == 4, "a head and three visits"
    assert "unchanged" in words
    assert "fetched, changed" in words
    assert "There is one version" in read(client, HUNT, view="versions").text


def test_links_tell_what_became_of_them(client: TestClient) -> None:
    text = read(client, view="links").text
    rows = [plain("<main" + row) for row in text.split("<tr>")[2:]]
    told = {row.partition(" https://")[0]: row for row in rows}
    assert told["hunting grounds"].endswith("0.500 fetched")
    assert told["More"].endswith("0.500 waits")
    assert "not followed" in told["Another site"]
    assert re.search(r'<a href="/read\?[^"]*hunt" title="Read the stored copy"><bdi>hunting grounds', text)
    assert not re.search(r'<a href="/read\?[^"]*"[^>]*><bdi>(More|Another site)', text)
    assert "First found on" in text
    assert "about &lt;wolves&gt;" in text


def test_structure_tells_which_pages_are_built_alike(client: TestClient) -> None:
    text = read(client, view="structure").text
    assert "main(h1 p(b) h3 ul(li li(a))" in text
    words = plain(text)
    assert "Pages of its template 2 of" in words
    assert f"{HUNT} 1.000" in words
    assert "no structure" in read(client, f"{SITE}/plain", view="structure").text


def test_scores_say_why(client: TestClient) -> None:
    words = plain(read(client, view="scores").text)
    assert "Relevance 0.750" in words
    assert "spiders are its topic" in words
    assert "Importance 0.500" in words
    assert "Classes 595" in words
    assert "let in with priority 0.250" in words
    assert "relevance 0.750" in words
    assert "Nothing is known yet of what people did with it" in words


def test_scores_tell_the_place_for_a_query(tmp_path: Path) -> None:
    folder = a_crawl_to_read(tmp_path)
    index(folder, [Page(WOLF, "The wolf spider", text="The wolf spider hunts"), *SPIDERS[:3]])
    client = TestClient(web_app(tmp_path, ["testserver"]))
    words = plain(read(client, view="scores", q="wolf spider hunts").text)
    assert re.search(r"It stands at place [1-4] of the results", words)
    assert "not among the first" in plain(read(client, view="scores", q="tarantula").text)


def test_text_in_the_wrong_charset_is_read_all_the_same(client: TestClient) -> None:
    text = read(client, f"{SITE}/umlaut").text
    assert "Die Käfer über dem Moor" in text
    assert "charset windows-1252" in text


def test_a_huge_page_is_shown_in_parts_and_not_whole(client: TestClient) -> None:
    first = read(client, f"{SITE}/huge")
    assert len(first.content) < 150_000
    assert "only its beginning is shown" in first.text
    assert "Part 1 of" in first.text
    second = read(client, f"{SITE}/huge", part=2)
    assert "Part 2 of" in second.text
    assert "Previous" in second.text
    assert read(client, f"{SITE}/huge", part="99999999").status_code == 200
    whole = read(client, f"{SITE}/huge", "/read/save")
    assert len(whole.content) > 10_000_000


def test_pages_that_want_no_index_are_shown_and_say_so(client: TestClient) -> None:
    text = read(client, f"{SITE}/noindex").text
    assert "Not for the index." in text
    assert "asks not to be indexed" in text


def test_what_is_no_text_is_offered_as_a_file(client: TestClient) -> None:
    text = read(client, f"{SITE}/leaflet.pdf").text
    assert "application/pdf" in text
    assert "it has no text to read here" in text
    saved = read(client, f"{SITE}/leaflet.pdf", "/read/save")
    assert saved.content == b"%PDF-1.4 \x00\x01 binary"
    assert saved.headers["content-type"] == "application/pdf"


def test_plain_text_is_shown_as_text(client: TestClient) -> None:
    text = read(client, f"{SITE}/plain").text
    assert "Second &lt;b&gt;part&lt;/b&gt; &amp; more" in text


# -- where there is no copy ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "status", "told", "way"),
    [
        (f"{SITE}/nothing", 404, "has never heard of this page", "site%3Aspiders.example"),
        (f"{SITE}/unfetched", 404, "waits to be fetched", "/crawl/reads/why"),
        (f"{SITE}/secret", 404, "does not fetch it (robots)", "/crawl/reads/why"),
        (f"{SITE}/gone", 404, "could not be had (http-404)", "/crawl/reads/why"),
        (
            f"{SITE}/old",
            404,
            "leads on to another one",
            "/read?crawl=reads&amp;url=https%3A%2F%2Fspiders.example%2Fwolf",
        ),
        ("", 422, "no address of a web page", "/search?crawl=reads"),
        ("javascript:alert(1)//x", 422, "no address of a web page", "/search?crawl=reads"),
        ("https://" + "a" * 9000, 422, "no address of a web page", "/search?crawl=reads"),
    ],
)
def test_every_reason_has_its_own_words_and_a_way_on(
    client: TestClient, url: str, status: int, told: str, way: str
) -> None:
    answer = read(client, url)
    assert answer.status_code == status
    assert told in answer.text
    assert way in answer.text
    assert 'href="javascript:' not in answer.text


def test_a_version_that_is_not_there(client: TestClient) -> None:
    answer = read(client, at=7)
    assert answer.status_code == 404
    assert "There is no version 7" in answer.text
    assert "Read the latest version" in answer.text


def test_crawls_that_are_unknown_or_have_nothing_yet(client: TestClient) -> None:
    unknown = client.get("/read", params={"crawl": "nobody", "url": WOLF})
    assert unknown.status_code == 404
    assert "There is no crawl named “nobody”" in unknown.text
    young = client.get("/read", params={"crawl": "young", "url": WOLF})
    assert young.status_code == 404
    assert "Nothing is stored here yet" in young.text
    assert "/crawl/young" in young.text


def test_a_copy_that_vanished_from_the_archive(tmp_path: Path) -> None:
    folder = a_crawl_to_read(tmp_path)
    for file in folder.archive.iterdir():
        file.unlink()
    client = TestClient(web_app(tmp_path, ["testserver"]))
    answer = read(client)
    assert answer.status_code == 410
    assert "cannot be read from the archive" in answer.text
    assert "lycosa check reads" in answer.text
    assert "Read version 1" in answer.text
    assert f'href="{WOLF}"' in answer.text
    assert read(client, path="/read/original").status_code == 410
    assert client.get(f"{ROOT}/crawls/reads/page", params={"url": WOLF}).status_code == 404


# -- foreign content ----------------------------------------------------------------------------------


def test_the_reading_view_escapes_everything(client: TestClient) -> None:
    for view in VIEWS:
        text = read(client, EVIL, view=view, q='"><script>x', find="<img").text
        main = text[text.index("<main") :]
        assert "<script" not in main
        assert "<img" not in main
        assert not any(name.startswith("on") for _, name, _ in attributes(main))
        assert not any(name == "href" and value.startswith("javascript:") for _, name, value in attributes(main))


def test_the_policies(client: TestClient) -> None:
    assert read(client).headers[POLICY] == SECURITY[POLICY]
    assert read(client).headers["x-frame-options"] == "DENY"
    framing = read(client, view="original")
    assert framing.headers[POLICY] == FRAMING == SECURITY[POLICY] + "; frame-src 'self'"
    original = read(client, EVIL, "/read/original")
    assert original.headers[POLICY] == ORIGINAL[POLICY]
    assert original.headers["x-frame-options"] == "SAMEORIGIN"
    assert original.headers["cache-control"] == "no-store"
    assert original.headers["content-type"] == "text/html; charset=utf-8"
    assert "set-cookie" not in original.headers
    directives = dict(part.strip().partition(" ")[::2] for part in original.headers[POLICY].split(";"))
    assert directives["sandbox"] == ""
    assert directives["default-src"] == "'none'"
    assert "script-src" not in directives
    assert directives["frame-ancestors"] == "'self'"
    assert re.search(r'<iframe [^>]*sandbox=""', framing.text)


def test_the_original_has_nothing_left_that_acts_or_leads_away(client: TestClient) -> None:
    text = read(client, EVIL, "/read/original").text
    shown = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    assert not re.search(r"<(script|base|link|meta|iframe|object|embed|video|template)\b", shown, re.IGNORECASE)
    found = attributes(shown)
    names = {name for _, name, _ in found}
    assert not {"ping", "action", "formaction", "srcset", "target", "background", "poster", "autofocus"} & names
    assert not any(name.startswith("on") for name in names)
    assert [value[:10] for _, name, value in found if name == "src"] == ["data:image"]
    assert {value for _, name, value in found if name.endswith("href")} == {"#", "#end"}
    assert "color: rgb(1, 2, 3)" in text, "its own style stays"


def test_saved_files_are_attachments_that_can_do_nothing(client: TestClient) -> None:
    stored = read(client, EVIL, "/read/save", **{"as": "stored"})
    assert "sandbox" in stored.headers[POLICY]
    assert "set-cookie" not in stored.headers
    assert stored.headers["content-disposition"].startswith('attachment; filename="Trap-img-src-x')
    assert b"window.attacked" in stored.content
    text = read(client, WOLF, "/read/save", **{"as": "text"})
    assert text.headers["content-disposition"] == 'attachment; filename="The-wolf-spider.txt"'
    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    assert text.text.startswith("Wolf spiders The wolf spider hunts")


# -- for programs -------------------------------------------------------------------------------------


def test_the_api_reads_a_page(client: TestClient) -> None:
    found = client.get(f"{ROOT}/crawls/reads/page", params={"url": "spiders.example/wolf"}).json()
    assert found["url"] == WOLF
    assert found["title"] == "The wolf spider"
    assert "good ones" in found["text"]
    assert [each["number"] for each in found["versions"]] == [1, 2]
    assert found["version"] == 2
    assert {each["url"]: each["state"] for each in found["links"]}[HUNT] == "fetched"
    assert found["scores"]["relevance"] == 0.75
    old = client.get(f"{ROOT}/crawls/reads/page", params={"url": WOLF, "at": 1}).json()
    assert "good ones" not in old["text"]
    missing = client.get(f"{ROOT}/crawls/reads/page", params={"url": f"{SITE}/nothing"})
    assert missing.status_code == 404
    assert "never heard" in missing.json()["error"]


def test_the_api_finds_similar_pages(client: TestClient) -> None:
    found = client.get(f"{ROOT}/crawls/reads/page/similar", params={"url": WOLF}).json()
    assert [each["url"] for each in found["pages"]] == [HUNT]
    assert found["template_pages"] == 2
    text = client.get(f"{ROOT}/crawls/reads/page/similar", params={"url": f"{SITE}/plain"}).json()
    assert text["pages"] == []
    assert text["template"] is None


def test_without_open_reading_nothing_is_read_and_nothing_is_framed(folder: CrawlFolder) -> None:
    client = TestClient(web_app(folder.path.parent.parent, ["testserver"], open_reading=False))
    for path in ("/read", "/read/original", "/read/save", "/read/favourites"):
        assert client.get(path, params={"crawl": "reads", "url": WOLF}, follow_redirects=False).status_code == 401
    assert client.post("/notes/behaviour", json={}).status_code == 401
