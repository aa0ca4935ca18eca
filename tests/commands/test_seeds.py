"""`lycosa seeds` as a person types it, over our own indexes and our own server; second-level seeds (C5)."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import EntryPoint
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.configuration.settings import ConfigurationError, build
from lycosa.cooperation.partition import share_of_agents, site_hash
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.interface.cli import parser
from lycosa.plugins import registry as plugins
from lycosa.preparation.seeds import page_texts, second_level_seeds
from lycosa.records import Page
from lycosa.search.index import Document, IndexWriter
from lycosa.urls import normalise

ENGINES = {"searxng": "lycosa.preparation.searxng:searxng", "index": "lycosa.preparation.own_index:own_index"}


@pytest.fixture(autouse=True)
def engines_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engines at their plug point, whatever is installed."""
    registered = plugins._registered
    ours = {name: EntryPoint(name, target, "lycosa.seed_engines") for name, target in ENGINES.items()}
    monkeypatch.setattr(plugins, "_registered", lambda point: ours if point == "seed_engines" else registered(point))


def spider(number: int, host: str = "spiders.example") -> Page:
    text = f"The wolf spider number {number} hunts by sight; wolf spiders dig a burrow."
    return Page(f"https://{host}/{number}", f"Wolf spider <{number}>", text=text, language="en")


def a_crawl(home: Path, name: str, pages: list[Page] | None) -> CrawlFolder:
    """A crawl with these pages in its index; without pages it has none yet."""
    folder = CrawlFolder(home / "crawls" / name)
    folder.create(build({"name": name}))
    if pages is not None:
        writer = IndexWriter(folder.index, 15_000_000)
        for page in pages:
            writer.add(Document(page, at=1.7e9))
        writer.commit({0: len(pages)})
        writer.close()
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three crawls that share one page, two of which share another."""
    home = tmp_path_factory.mktemp("home")
    a_crawl(home, "one", [spider(1), spider(2), spider(3)])
    a_crawl(home, "two", [spider(2), spider(3), spider(4)])
    a_crawl(home, "three", [spider(3), spider(5)])
    a_crawl(home, "young", None)
    return home


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def plain(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found

    def urls(self, key: str = "seeds") -> list[str]:
        return [each["url"] for each in self.plain[key]]


class Typed:
    """Types `lycosa seeds …`."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._home, self._capsys = home, capsys

    def __call__(self, *arguments: str) -> Said:
        told = parser(["seeds"]).parse_args(["seeds", *arguments, "--home", str(self._home)])
        return Said(told.run(told), *self._capsys.readouterr())


@pytest.fixture
def typed(home: Path, capsys: pytest.CaptureFixture[str]) -> Typed:
    return Typed(home, capsys)


@pytest.fixture
def typed_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Typed:
    return Typed(tmp_path, capsys)


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[str]:
    """The address of `lycosa serve` over these crawls."""
    order = [sys.executable, "-m", "lycosa.interface.cli", "--home", str(home), "serve", "--port", "0"]
    process = subprocess.Popen(order, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1].rstrip("/")
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=15)


# -- meta-search --------------------------------------------------------------------------------


def test_all_own_indexes_are_asked_where_none_is_named(typed: Typed) -> None:
    said = typed("wolf", "spiders", "--json")
    assert said.code == 0
    assert said.urls() == ["https://spiders.example/3"]
    assert said.urls("second_choice") == ["https://spiders.example/2"]
    assert said.plain["others"] == 3
    assert [each["name"] for each in said.plain["engines"]] == ["index:one", "index:three", "index:two"]
    assert said.plain["seeds"][0]["why"].startswith("returned by all 3 engines, best rank")
    assert said.plain["seeds"][0]["title"] == "Wolf spider <3>"
    assert "wolf spiders dig" in said.plain["seeds"][0]["content"]


def test_in_words(typed: Typed) -> None:
    said = typed("wolf spiders")
    assert "1 seeds for 'wolf spiders'" in said.out
    assert "https://spiders.example/3  (returned by all 3 engines" in said.out
    assert "1 as second choice" in said.out
    assert "3 more were returned by one engine only" in said.out


def test_a_single_engine_says_that_all_its_results_are_seeds(typed: Typed) -> None:
    said = typed("wolf spiders", "--engine", "index:one", "--json")
    assert len(said.urls()) == 3
    assert "only index:one answered" in said.plain["notes"][0]
    assert len(typed("wolf spiders", "--engine", "index:one", "--number", "2", "--json").urls()) == 2


def test_our_own_server_feeds_another_instance(typed: Typed, server: str) -> None:
    one = typed("wolf spiders", "--engine", f"searxng:{server}/?crawl=one", "--json")
    assert sorted(one.urls()) == [f"https://spiders.example/{number}" for number in (1, 2, 3)]
    assert all("wolf spider" in each["content"] for each in one.plain["seeds"])
    both = typed("wolf spiders", "--engine", f"searxng:{server}/search?crawl=two", "--engine", "index:three", "--json")
    assert both.urls() == ["https://spiders.example/3"]


def test_a_server_of_ours_that_is_not_told_which_crawl_says_so(typed: Typed, server: str) -> None:
    with pytest.raises(CrawlError, match=r"lycosa: no crawl chosen.*\?crawl=NAME"):
        typed("wolf spiders", "--engine", f"searxng:{server}")
    with pytest.raises(CrawlError, match=r"no search there \(404\)"):
        typed("wolf spiders", "--engine", f"searxng:{server}/?crawl=unknown")


def test_an_engine_that_fails_is_a_warning_and_the_others_count(typed: Typed) -> None:
    asked = ["--engine", "index:one", "--engine", "index:young", "--engine", "index:two"]
    said = typed("wolf spiders", *asked, "--json")
    assert said.code == 0
    assert sorted(said.urls()) == ["https://spiders.example/2", "https://spiders.example/3"]
    assert said.plain["failed"][0]["name"] == "index:young"
    assert "warning: index:young: its index cannot be read" in said.err


def test_all_engines_failing_is_an_error(typed: Typed) -> None:
    with pytest.raises(CrawlError, match="no search engine answered: index:young"):
        typed("wolf spiders", "--engine", "index:young")


def test_engines_that_agree_on_nothing_leave_advice_and_an_exit_code(typed: Typed) -> None:
    said = typed("number 1", "--engine", "index:one", "--engine", "index:three", "--number", "1", "--json")
    assert said.code == 1
    assert "agree on nothing" in said.plain["notes"][0]
    silent = typed("xyzzy", "--json")
    assert silent.code == 1
    assert "index:one, index:three, index:two found nothing" in silent.plain["notes"][0]


def test_engines_of_the_file_come_before_own_indexes(typed_elsewhere: Typed, tmp_path: Path) -> None:
    for name in ("one", "two"):
        a_crawl(tmp_path, name, [spider(1)])
    (tmp_path / "engines.txt").write_text("# mine\n\n  index:two \n", "utf-8")
    assert [each["name"] for each in typed_elsewhere("wolf", "--json").plain["engines"]] == ["index:two"]
    (tmp_path / "engines.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match=r"engines\.txt: cannot be read"):
        typed_elsewhere("wolf")


def test_without_any_engine_the_error_says_how_to_name_one(typed_elsewhere: Typed, tmp_path: Path) -> None:
    a_crawl(tmp_path, "young", None)
    with pytest.raises(ConfigurationError, match=r"--engine searxng:http.*engines\.txt"):
        typed_elsewhere("wolf spiders")


@pytest.mark.parametrize(
    ("engine", "error", "says"),
    [
        ("searxng", ConfigurationError, "write searxng:http://"),
        ("index:", ConfigurationError, "index:NAME"),
        ("http://127.0.0.1:8080", ConfigurationError, "write searxng:http://127.0.0.1:8080"),
        ("searxgn:http://127.0.0.1:8080", plugins.UnknownPlugin, "did you mean 'searxng'"),
        ("index:four", CrawlError, "no crawl named 'four'"),
        ("searxng:nonsense", ConfigurationError, "no http"),
    ],
)
def test_a_wrong_engine_is_refused_at_the_door(typed: Typed, engine: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        typed("wolf spiders", "--engine", engine)


@pytest.mark.parametrize("number", ["0", "-1", "101"])
def test_a_number_out_of_range_is_refused(typed: Typed, number: str) -> None:
    with pytest.raises(ConfigurationError, match="use 1 to 100"):
        typed("wolf spiders", "--number", number)


def test_foreign_text_cannot_command_the_terminal(typed_elsewhere: Typed, tmp_path: Path) -> None:
    a_crawl(tmp_path, "evil", [Page("https://evil.example/", "\x1b[2Jspider\x07", text="spider")])
    assert "\x1b" not in typed_elsewhere("spider").out


# -- the weight table ---------------------------------------------------------------------------


def test_the_first_results_make_a_weight_table(typed: Typed) -> None:
    table = {each["term"]: each["weight"] for each in typed("wolf spiders", "--table", "--json").plain["table"]}
    assert table["wolf"] == table["spider"] == 1.0
    assert 0 < table["burrow"] < 1
    assert len(table) <= 10
    assert "weight table" in typed("wolf spiders", "--table").out
    assert "table" not in typed("wolf spiders", "--json").plain


class SmallSite(BaseHTTPRequestHandler):
    """Two pages and a redirect; robots.txt forbids one more."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        pages = {
            "/robots.txt": "User-agent: *\nDisallow: /private",
            "/page": "<title>Spiders</title><p>tarantula tarantula tarantula tarantula tarantula</p>",
            "/private": "<p>secretive secretive secretive secretive secretive secretive</p>",
        }
        self.send_response(302 if self.path == "/moved" else 200 if self.path in pages else 404)
        if self.path == "/moved":
            self.send_header("Location", "/page")
        kind = "text/plain" if self.path == "/robots.txt" else "text/html"
        body = pages.get(self.path, "").encode()
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Tests are quiet."""


@pytest.fixture
def small_site() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    listener = ThreadingHTTPServer(("127.0.0.1", 0), type("Site", (SmallSite,), {"asked": asked}))
    thread = Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{listener.server_port}", asked
    listener.shutdown()
    listener.server_close()
    thread.join()


def test_pages_can_make_the_table_instead_of_snippets(
    typed_elsewhere: Typed, tmp_path: Path, small_site: tuple[str, list[str]]
) -> None:
    site, asked = small_site
    urls = [f"{site}{path}" for path in ("/page", "/private", "/gone")]
    a_crawl(tmp_path, "one", [Page(url, "A spider", text="spider spider") for url in urls])
    allowed = ["--set", 'fetching.allow_addresses=["127.0.0.0/8"]', "--set", "politeness.delay=1ms"]
    said = typed_elsewhere("spider", "--fetch", "--json", *allowed)
    table = [each["term"] for each in said.plain["table"]]
    assert "tarantula" in table
    assert "secret" not in table
    assert "/private" not in asked
    assert "2 of 3 pages could not be fetched" in said.err
    assert "tarantula" not in typed_elsewhere("spider", "--table", "--json").out


def test_pages_are_fetched_over_redirects_one_at_a_time_with_a_pause(small_site: tuple[str, list[str]]) -> None:
    site, asked = small_site
    told = build({"fetching": {"allow_addresses": ["127.0.0.1"]}, "politeness": {"delay": "50ms"}})

    async def scene() -> tuple[dict[str, str], float]:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        return await page_texts([f"{site}/moved", f"{site}/page", f"{site}/gone"], told), loop.time() - begun

    texts, seconds = asyncio.run(scene())
    assert set(texts) == {f"{site}/moved", f"{site}/page"}
    assert "tarantula" in texts[f"{site}/moved"]
    assert asked.count("/robots.txt") == 1
    assert len(asked) == 5
    assert seconds >= 4 * 0.05


def test_pages_of_the_public_web_need_a_contact(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO())
    with pytest.raises(CrawlError, match="needs a contact"):
        typed("wolf spiders", "--fetch")


# -- second-level seeds -------------------------------------------------------------------------


def test_second_level_seeds_are_the_users_then_the_topics_each_once() -> None:
    brought = ["https://b.example/#top", "HTTPS://A.example:443/x/..", "pasted text", "https://b.example/"]
    exemplary = ["https://a.example/", "https://c.example/?utm_source=x", "mailto:a@b.example"]
    expected = ("https://b.example/", "https://a.example/", "https://c.example/")
    assert second_level_seeds(brought, exemplary) == expected


urls = st.from_regex(r"https?://[a-e]\.(example|test)/[xy]?", fullmatch=True)


@given(st.lists(urls), st.lists(urls))
def test_second_level_seeds_lose_nothing_and_change_nothing_when_done_twice(brought: list[str], own: list[str]) -> None:
    joined = second_level_seeds(brought, own)
    assert set(joined) == {normalise(url) for url in (*brought, *own)}
    assert len(set(joined)) == len(joined)
    assert second_level_seeds(joined, own) == joined


@given(st.lists(urls), st.integers(1, 5))
def test_every_seed_is_in_the_share_of_its_owner(seeds: list[str], agents: int) -> None:
    assigner = site_hash(agents)
    shares = share_of_agents(seeds, assigner, agents)
    assert list(shares) == list(range(agents))
    kept = second_level_seeds(seeds, ())
    assert all(shares[agent] == sum(assigner(url) == agent for url in kept) for agent in shares)
