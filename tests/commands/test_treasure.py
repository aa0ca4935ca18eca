"""`lycosa treasure` as a person types it: built from a crawl, used by another, looked at, drawn and taken back."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
from real_crawl import Lycosa, runner

from lycosa.crawl_folder.t_graph_files import GraphFile, read_graph, write_graph
from lycosa.interface.cli import main
from lycosa.interface.views.t_graph_picture import MOST_PER_LEVEL, treasure_picture
from lycosa.link_graph.t_graph.graph import Node
from lycosa.link_graph.t_graph.passages import Passage

pytestmark = pytest.mark.xdist_group("treasure")

BOX = "box:7?hosts=6&pages=160&topics=3&size=3KiB&links=10"
SEED = "http://birds-1.localhost:8080/"
FETCHING = ("--set", "fetching.fetcher=simulated", "--set", f"fetching.web={BOX}", "--set", "politeness.delay=0s")
CRAWLING = (
    *FETCHING, "--set", "politeness.address_delay=0s", "--set", "patience=1s", "--set", "index.enabled=false",
    "--topic", "birds feather wing nest plumage", "--seed", SEED,
)  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"


class Made(NamedTuple):
    home: Path
    graph: Path
    target: str
    said: dict[str, Any]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A crawl whose links were rolled, a T-Graph built from it, and two agents that crawl with that."""
    home = tmp_path_factory.mktemp("home")
    run, graph = runner(home), home / "birds.json"
    run(
        "crawl",
        *CRAWLING,
        "--name",
        "first",
        "--strategy",
        "best-first",
        "--pages",
        "80",
        "--set",
        "storage.journal_rows=5",
    )
    pages = home / "pages.jsonl"
    run("export", "first", "--to", "jsonl", "--table", "pages", "--output", str(pages))
    rows = [json.loads(line) for line in pages.read_text("utf-8").splitlines()]
    target = max((row for row in rows if row["depth"] >= 2), key=lambda row: row["relevance"])["url"]
    order = ("treasure", "build", str(graph), "--target", target, "--backlinks", "first", "--per-level", "8")
    said = json.loads(run(*order, *FETCHING, "--json").stdout)
    wanted = ("--strategy", "treasure", "--set", f"treasure.graph={graph}", "--set", "treasure.look_every=10")
    run("crawl", *CRAWLING, "--name", "second", *wanted, "--agents", "2", "--pages", "100")
    return Made(home, graph, target, said)


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def plain(self) -> Any:
        return json.loads(self.out)


Typed = Callable[..., Said]


@pytest.fixture
def typed(made: Made, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Types a command in this process, over the crawls that were made."""

    def run(*arguments: str) -> Said:
        return Said(main(["--home", str(made.home), *arguments]), *capsys.readouterr())

    return run


# -- building and looking -----------------------------------------------------------------------


def test_a_graph_is_built_backwards_from_a_crawl_without_fetching(made: Made) -> None:
    assert made.said["fetched"] == 0
    assert made.said["targets"] == [made.target]
    assert made.said["unreached"] == []
    assert {each["level"] for each in made.said["levels"]} >= {0, 1, 2}
    graph = read_graph(made.graph)
    assert len({node.page for node in graph.nodes}) <= 1 + 4 * 8
    assert any(made.target in node.leads_to for node in graph.nodes if node.distance == 1)


def test_a_graph_is_built_of_pages_that_are_fetched(made: Made, typed: Typed, tmp_path: Path) -> None:
    nearest = next(node.page for node in read_graph(made.graph).nodes if node.distance == 1)
    path = tmp_path / "of pages.json"
    said = typed("treasure", "build", str(path), "--target", made.target, "--page", nearest, *FETCHING)
    assert said.code == 0
    assert "2 pages were fetched" in said.out
    assert re.search(r"^  1 +\d+ +1 ", said.out, re.MULTILINE)
    assert {node.page for node in read_graph(path).nodes} == {made.target, nearest}
    lone = typed("treasure", "build", str(path), "--replace", "--target", made.target, *FETCHING)
    assert "never reached, 1 of the targets" in lone.out
    assert "nothing is known of the way" in lone.err


def test_what_an_archive_lost_is_fetched(made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(made.home / "crawls" / "first", tmp_path / "crawls" / "first")
    for path in (tmp_path / "crawls" / "first" / "archive").iterdir():
        path.unlink()
    order = ("treasure", "build", str(tmp_path / "t.json"), "--target", made.target, "--backlinks", "first")
    code = main(["--home", str(tmp_path), *order, "--levels", "1", *FETCHING, "--json"])
    said = Said(code, *capsys.readouterr())
    assert said.code == 0
    assert said.plain["fetched"] >= 2
    assert "cannot be read from its archive" in said.err


def test_a_file_is_shown(made: Made, typed: Typed) -> None:
    said = typed("treasure", "show", str(made.graph))
    assert "0 (targets)" in said.out
    assert made.target in said.out
    plain = typed("treasure", "show", str(made.graph), "--json").plain
    assert plain["nodes"] == sum(level["nodes"] for level in plain["levels"]) == len(read_graph(made.graph).nodes)
    assert {"key", "page", "distance", "weight", "tried", "led", "boundary"} <= set(plain["heaviest"][0])


def test_a_crawl_is_shown_with_what_it_learnt(made: Made, typed: Typed) -> None:
    plain = typed("treasure", "show", "second", "--json").plain
    assert read_graph(made.home / "crawls" / "second" / "treasure.json") == read_graph(made.graph)
    assert {change["kind"] for change in plain["changes"]} >= {"new"}
    assert {change["agent"] for change in plain["changes"]} == {0, 1}
    assert sum(level["tried"] for level in plain["levels"]) > 0
    assert [change["at"] for change in plain["changes"]] == sorted(change["at"] for change in plain["changes"])
    log = typed("treasure", "show", "second", "--log").out
    assert f"{plain['changes'][0]['name']}  {plain['changes'][0]['kind']}" in log
    assert plain["changes"][0]["why"] in log


def test_changes_are_taken_back_the_latest_first(made: Made, typed: Typed) -> None:
    before = [change["name"] for change in typed("treasure", "show", "second", "--json").plain["changes"]]
    assert typed("treasure", "undo", "second", "--json").plain == {"undone": [before[-1]]}
    other = before[0]
    assert f"taken back: {other} (" in typed("treasure", "undo", "second", other).out
    kept = tomllib.loads((made.home / "crawls" / "second" / "crawl.toml").read_text("utf-8"))["treasure"]["undone"]
    assert kept == [before[-1], other]
    after = [change["name"] for change in typed("treasure", "show", "second", "--json").plain["changes"]]
    assert after == [name for name in before if name not in kept]
    again = typed("treasure", "undo", "second", other)
    assert again.code == 2
    assert "was taken back already" in again.err
    assert "no change is named 'nope'" in typed("treasure", "undo", "second", "nope").err


def test_explain_tells_of_the_node_that_had_the_say(made: Made, typed: Typed, tmp_path: Path) -> None:
    typed("export", "second", "--to", "jsonl", "--table", "urls", "--output", str(tmp_path / "urls"))
    rows = [json.loads(line) for line in (tmp_path / "urls").read_text("utf-8").splitlines()]
    held = {node["key"] for node in typed("treasure", "show", "second", "--json").plain["heaviest"]}
    named = [(row["url"], found[1]) for row in rows if (found := re.search(r"T-Graph node (\w{12})", row["why"]))]
    assert named
    url, key = next((pair for pair in named if pair[1] in held), named[0])
    said = typed("explain", "second", url).out
    assert re.search(
        rf"node {key}: a passage of http://\S+, \d downloads? from a target, weight [\d.]+, [\d.]+ of", said
    )
    assert f"node {key}: under " in said
    seed = typed("explain", "second", SEED).out
    assert "T-Graph" not in seed


# -- what a person can mend ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["build", "new.json"], "no targets; name at least one"),
        (["build", "new.json", "--target", "nowhere.html"], "no such file"),
        (["build", "new.json", "--target", "ftp://x/"], "is no http(s) URL"),
        (["build", "new.json", "--target", SEED, "--levels", "0"], "--levels 0 is not possible"),
        (["build", "new.json", "--target", SEED, "--per-level", "0"], "--per-level 0 is not possible"),
        (["build", "new.json", "--target", SEED, "--fetches", "-1"], "--fetches -1 is not possible"),
        (["build", "new.json", "--target", SEED, "--within", "soon"], "is no quantity"),
        (["build", "no/folder/new.json", "--target", SEED], "a folder that is there"),
        (["build", "new.json", "--target", SEED, "--backlinks", "nobody"], "no crawl named 'nobody'"),
        (["build", "new.json", "--target", SEED, "--backlinks", "no:x", "--contact", "a@b.org"], "engine named 'no'"),
        (["build", "new.json", "--topic", "quantum gargling"], "no topic is called 'quantum gargling'"),
        (["build", "new.json", "--target", "https://example.org/"], "needs a contact"),
        (["build", "new.json", "--target", SEED, "--backlinks", "searxng:http://127.0.0.1:9"], "needs a contact"),
        (["build", "new.json", "--target", SEED + "gone", *FETCHING], "no page has a paragraph or list with links"),
        (["show", "nobody"], "no T-Graph file and no crawl; there are these crawls: first, second"),
        (["show", "no/file"], "no such file"),
        (["show", "second", "--svg", "no/folder/t.svg"], "a folder that is there"),
        (["show", "first"], "which has no T-Graph"),
        (["undo", "first"], "which has no T-Graph"),
        (["undo", "nobody"], "no crawl named 'nobody'"),
    ],
)  # fmt: skip
def test_mistakes_are_answered_in_one_sentence(
    typed: Typed, arguments: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", StringIO())
    said = typed("treasure", *arguments)
    assert said.code == 2
    assert sentence in said.err
    assert len(said.err.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_corrected_file_is_not_written_over(made: Made, typed: Typed) -> None:
    before = made.graph.read_bytes()
    said = typed("treasure", "build", str(made.graph), "--target", made.target, *FETCHING)
    assert said.code == 2
    assert "--replace" in said.err
    assert made.graph.read_bytes() == before


@pytest.mark.parametrize(("data", "sentence"), [(None, "no such file"), (b"\x00\x01", "no T-Graph file")])
def test_a_crawl_with_a_wrong_graph_does_not_begin(tmp_path: Path, data: bytes | None, sentence: str) -> None:
    path = tmp_path / "graph.json"
    if data is not None:
        path.write_bytes(data)
    lycosa: Lycosa = runner(tmp_path)
    asked = ("--strategy", "treasure", "--set", f"treasure.graph={path}", "--name", "wrong")
    done = lycosa("crawl", *CRAWLING, *asked, check=False)
    assert done.returncode == 2
    assert f"{path}: {sentence}" in done.stderr
    assert not (tmp_path / "crawls" / "wrong").exists()


def test_a_crawl_without_a_graph_shows_that_it_has_none_yet(typed: Typed, made: Made) -> None:
    runner(made.home)(
        "crawl", *CRAWLING, "--name", "bare", "--strategy", "treasure", "--set", "treasure.watchdog=false",
        "--pages", "5",
    )  # fmt: skip
    assert "without nodes yet" in typed("treasure", "show", "bare").out
    assert "changed nothing yet" in typed("treasure", "show", "bare", "--log").out
    assert "changed nothing that could be taken back" in typed("treasure", "undo", "bare").err


# -- the picture --------------------------------------------------------------------------------


def drawn(svg: str) -> dict[str, int]:
    root = ElementTree.fromstring(svg)
    edges = [path for path in root.iter(f"{SVG}path") if path.get("class") == "edge"]
    return {"groups": len(list(root.iter(f"{SVG}g"))), "edges": len(edges), "width": int(str(root.get("width")))}


def some_nodes(number: int, levels: int = 5) -> list[Node]:
    """Nodes on pages, each of which leads to a page of the level before."""
    return [
        Node(
            f"http://a/{place % levels}/{place}",
            Passage(f"Heading {place}", "", "Main", f"words {place}"),
            (f"http://a/{place % levels - 1}/{place - 1}", "http://a/target"),
            place % levels,
            weight=(place % 4 + 1) / 4,
            tried=float(place % 3),
            led=float(place % 2),
        )
        for place in range(number)
    ]


def test_a_picture_of_a_crawl_is_a_file_of_its_own(typed: Typed, made: Made, tmp_path: Path) -> None:
    path = tmp_path / "t.svg"
    said = typed("treasure", "show", "second", "--svg", str(path))
    assert f"written to {path}" in said.err
    found = drawn(path.read_text("utf-8"))
    assert found["groups"] > 10
    assert found["edges"] > 3
    assert "prefers-color-scheme:dark" in path.read_text("utf-8")


def test_a_small_graph_is_drawn_whole_and_a_large_one_by_its_strongest() -> None:
    small = drawn(treasure_picture(some_nodes(10), ["http://a/target"], "small"))
    assert small["groups"] == 11
    assert small["edges"] >= 10
    svg = treasure_picture(some_nodes(5000), ["http://a/target"], "large")
    assert drawn(svg)["groups"] == 5 * MOST_PER_LEVEL + 1
    assert svg.count("and 960 others") == 5
    assert len(svg) < 250_000
    assert "weight 0.25" not in svg


def test_levels_may_be_skipped() -> None:
    far = Node("http://a/far", Passage("Far"), ("http://a/target",), 3)
    near = Node("http://a/near", Passage("Near"), (), 1)
    assert drawn(treasure_picture([near, far], ["http://a/target"], "skip"))["edges"] == 1


EVIL = "</text><script>alert(1)</script>\x1b[2J\x00\ufffe&amp;"
EVIL_NODE = Node(f'http://a/"{EVIL}', Passage(EVIL, EVIL, EVIL, EVIL), (), 1)


def test_foreign_words_are_only_words_in_a_picture() -> None:
    svg = treasure_picture([EVIL_NODE], [EVIL], EVIL)
    assert "script" not in {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(svg).iter()}


def test_foreign_words_send_no_commands_to_a_terminal(typed: Typed, tmp_path: Path) -> None:
    write_graph(GraphFile((EVIL,), (EVIL_NODE,)), tmp_path / "evil.json")
    said = typed("treasure", "show", str(tmp_path / "evil.json"))
    assert "alert(1)" in said.out
    assert "\x1b" not in said.out


def test_wide_letters_and_no_letters_keep_to_their_column() -> None:
    wide = Node("http://a/1", Passage("鳥" * 50), (), 1)
    svg = treasure_picture([wide, Node("http://a/2", Passage(boundary="x"), (), 2)], [], "wide")
    assert "鳥" * 13 + "…" in svg
    assert "鳥" * 14 not in svg.partition("</title><circle")[2]
    assert drawn(treasure_picture([], [], "nothing"))["groups"] == 0


def test_many_nodes_are_shown_in_time(typed: Typed, tmp_path: Path) -> None:
    write_graph(GraphFile(("http://a/target",), tuple(some_nodes(5000))), tmp_path / "many.json")
    plain = typed("treasure", "show", str(tmp_path / "many.json"), "--svg", str(tmp_path / "many.svg"), "--json").plain
    assert [level["nodes"] for level in plain["levels"]] == [1000] * 5
