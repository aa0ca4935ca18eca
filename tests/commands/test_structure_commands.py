"""`lycosa structure` and `lycosa crawl --example-structure`, as a person types them."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from real_crawl import Lycosa, quick, runner

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.interface.views.skeleton_text import one_line
from lycosa.interface.views.structure_comparison import tag_paths
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.preparation.structure_samples import MOST_SAMPLES
from lycosa.search.index import IndexReader
from lycosa.urls import site_of

pytestmark = pytest.mark.xdist_group("structure")

BOX = "box:7?hosts=6&pages=240&topics=3&size=2KiB&links=10&kinds=4&errors=0.02&duplicates=0.05"
SEED = "http://birds-1.localhost:8080/"
WEB = ("--set", "fetching.fetcher=simulated", "--set", f"fetching.web={BOX}")
QUICK = quick(BOX, "index.commit_every=200ms")
A = "<html><head><title>a</title></head><body><div><p>1<p>2</div><div><ul><li>3<li>4</ul></div></body></html>"
B = "<html><head><title>b</title></head><body><div><p>1</div><div><ul><li>2<li>3<li>4</ul></div></body></html>"
TABLE = "<title>c</title><table><tr><td>1<td>2<tr><td>3<td>4</table><form><input><button>x</button></form>"


@pytest.fixture
def lycosa(tmp_path: Path) -> Lycosa:
    return runner(tmp_path / "home")


@pytest.fixture(scope="module")
def web() -> SimulatedWeb:
    return SimulatedWeb.of(BOX)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Lycosa:
    """A crawl without an index: the structures are taken in when somebody asks for them."""
    run = runner(tmp_path_factory.mktemp("home"))
    asked = ("--name", "kinds", "--topic", "birds", "--seed", SEED, "--pages", "80", "--set", "index.enabled=false")
    run("crawl", *QUICK, *asked)
    return run


def saved(tmp_path: Path, name: str, html: str | bytes) -> str:
    path = tmp_path / name
    path.write_bytes(html if isinstance(html, bytes) else html.encode())
    return str(path)


# -- compare ----------------------------------------------------------------------------------------


def test_two_files_are_compared_by_tree_matching(lycosa: Lycosa, tmp_path: Path) -> None:
    names = saved(tmp_path, "a.html", A), saved(tmp_path, "b", B)
    found = json.loads(lycosa("structure", "compare", *names, "--json").stdout)
    assert (found["a"]["elements"], found["b"]["elements"], found["matching"]) == (11, 11, 10)
    assert found["similarity"] == pytest.approx(10 / 11)
    assert found["verdict"] == "same template"
    printed = lycosa("structure", "compare", *names).stdout
    assert "similarity 0.909 by tree matching: same template" in printed
    assert "only in" not in printed


def test_a_comparison_says_what_only_one_page_has(lycosa: Lycosa, tmp_path: Path) -> None:
    names = saved(tmp_path, "a.html", A), saved(tmp_path, "c.html", TABLE)
    found = json.loads(lycosa("structure", "compare", *names, "--json").stdout)
    assert (found["verdict"], found["likeness_verdict"]) == ("different", "different")
    assert found["only_a"] == [{"path": "html/body/div", "elements": 2}]
    assert [each["path"] for each in found["only_b"]] == ["html/body/form", "html/body/table"]
    assert "2 × html/body/div" in lycosa("structure", "compare", *names).stdout


def test_urls_are_fetched_to_be_compared(lycosa: Lycosa, web: SimulatedWeb, tmp_path: Path) -> None:
    page = saved(tmp_path, "root.html", web.respond(SEED).body)
    found = json.loads(lycosa("structure", "compare", SEED, page, *WEB, "--json").stdout)
    assert found["similarity"] == 1.0
    assert found["likeness"] == 1.0


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("just words, no markup at all", "no structure to go by"),
        (b"", "is no HTML page"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(300), "is no HTML page"),
        ("<html><body>" + "<div>" * 100_000 + "x", "no structure to go by"),
        (None, "is a folder"),
    ],
)
def test_a_page_without_structure_is_one_sentence(
    body: str | bytes | None, sentence: str, lycosa: Lycosa, tmp_path: Path
) -> None:
    bad = str(tmp_path) if body is None else saved(tmp_path, "bad.html", body)
    good = saved(tmp_path, "good.html", A)
    for order in (["structure", "compare", good, bad], ["crawl", "--example-structure", bad, "--seed", SEED, *QUICK]):
        done = lycosa(*order, check=False)
        assert done.returncode == 2, done
        assert sentence in done.stderr
        assert bad in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "home" / "crawls").exists()


def test_a_page_with_a_bomb_in_it_still_has_its_own_structure(lycosa: Lycosa, tmp_path: Path) -> None:
    bomb = saved(tmp_path, "bomb.html", A.replace("</body>", "<div>" * 100_000))
    found = json.loads(lycosa("structure", "compare", bomb, saved(tmp_path, "a.html", A), "--json").stdout)
    assert found["b"]["elements"] == 11
    assert found["a"]["elements"] < 20_000


# -- like and templates ---------------------------------------------------------------------------


def test_pages_like_one_come_best_first_with_the_size_of_their_template(crawled: Lycosa) -> None:
    found = json.loads(crawled("structure", "like", "kinds", SEED, "--limit", "5", "--json").stdout)
    results = found["results"]
    assert 1 <= len(results) <= 5
    assert SEED not in [each["url"] for each in results]
    assert [each["likeness"] for each in results] == sorted((each["likeness"] for each in results), reverse=True)
    assert results[0]["template_pages"] == found["template_pages"] > 1
    printed = crawled("structure", "like", "kinds", SEED).stdout
    assert f"{SEED}: {found['template_pages']} pages of its template" in printed
    assert results[0]["url"] in printed


def test_a_file_and_a_page_elsewhere_are_looked_up_too(crawled: Lycosa, web: SimulatedWeb, tmp_path: Path) -> None:
    page = saved(tmp_path, "root.html", web.respond(SEED).body)
    found = json.loads(crawled("structure", "like", "kinds", page, "--json").stdout)
    assert (found["results"][0]["url"], found["results"][0]["likeness"]) == (SEED, 1.0)
    rows = json.loads(crawled("structure", "templates", "kinds", "--json", "--limit", "1000").stdout)
    known = {url for cluster in rows["clusters"] for url in cluster["examples"]}
    other = next(url for url in web.page_urls() if url not in known and web.kind_of(url) == web.kind_of(SEED))
    assert json.loads(crawled("structure", "like", "kinds", other, "--json").stdout)["results"]
    nothing = crawled("structure", "like", "kinds", saved(tmp_path, "c.html", TABLE), check=False)
    assert nothing.returncode == 1
    assert "no page is built like it" in nothing.stdout


def test_templates_follow_the_kinds_of_pages(crawled: Lycosa, web: SimulatedWeb) -> None:
    found = json.loads(crawled("structure", "templates", "kinds", "--json", "--limit", "1000").stdout)
    clusters = found["clusters"]
    assert found["pages"] == sum(each["pages"] for each in clusters) > 60
    assert found["templates"] == len(clusters) > 4
    assert [each["pages"] for each in clusters] == sorted((each["pages"] for each in clusters), reverse=True)
    mixed = Counter(len({web.kind_of(url) for url in each["examples"]}) for each in clusters)
    assert mixed[1] >= 0.9 * len(clusters)
    printed = crawled("structure", "templates", "kinds", "--limit", "2").stdout
    assert f"{len(clusters)} templates" in printed
    assert f"and {len(clusters) - 2} more" in printed
    assert all(each["sketch"] in printed for each in clusters[:2])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["structure", "like", "nobody", SEED], "no crawl named 'nobody'"),
        (["structure", "templates", "nobody"], "no crawl named 'nobody'"),
        (
            ["structure", "like", "kinds", "http://nowhere.localhost:8080/"],
            "no page of crawl 'kinds', and it cannot be",
        ),
        (["structure", "like", "kinds", "nothing.html"], "no such file"),
        (["structure", "like", "kinds", "ftp://x/y"], "cannot be fetched now"),
        (["structure", "like", "kinds", SEED, "--limit", "0"], "--limit 0 is not possible"),
        (["structure", "compare", "https://example.org/", "https://example.org/"], "needs a contact"),
        (["crawl", "--strategy", "structure", "--name", "x", "--seed", SEED], "--example-structure"),
        (
            [
                "crawl",
                "--example-structure",
                "nothing.html",
                "--name",
                "x",
                "--seed",
                SEED,
                "--allow-address",
                "127.0.0.1:8080",
            ],
            "no such file",
        ),
    ],
)
def test_mistakes_about_structure_are_answered_in_one_sentence(
    arguments: list[str], sentence: str, crawled: Lycosa
) -> None:
    done = crawled(*arguments, check=False)
    assert done.returncode == 2, done
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_page_in_one_line() -> None:
    skeleton = Skeleton.written("html(head(title) body(header(nav(a a)) main(h1 p p p(a)) footer))")
    assert one_line(skeleton) == "header(nav(a×2)) main(h1 p×2 p(a)) footer"
    assert one_line(skeleton, 30) == "header main footer"
    wide = Skeleton.written(f"html(head body({'div p ' * 200}))")
    assert len(one_line(wide, 50)) == 50
    assert one_line(Skeleton.written("html(head body)")) == ""
    assert tag_paths(skeleton)["html/body/main/p"] == 3


# -- crawling by structure --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def by_structure(tmp_path_factory: pytest.TempPathFactory, web: SimulatedWeb) -> tuple[Lycosa, Path, str]:
    """A crawl for pages that are built like one, which is given by nothing but its URL."""
    home = tmp_path_factory.mktemp("home")
    sample = next(url for url in web.page_urls() if url.startswith(SEED) and web.kind_of(url) == "entry")
    runner(home)("crawl", *QUICK, "--name", "entries", "--example-structure", sample, "--pages", "80", "--agents", "2")
    return runner(home), home, sample


def pages(run: Lycosa, tmp_path: Path) -> list[dict[str, Any]]:
    path = tmp_path / "pages.jsonl"
    run("export", "entries", "--to", "jsonl", "--table", "pages", "--output", str(path))
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_sample_alone_chooses_strategy_seed_and_samples(by_structure: tuple[Lycosa, Path, str]) -> None:
    _, home, sample = by_structure
    folder = CrawlFolder(home / "crawls" / "entries")
    configuration = folder.configuration()
    assert (configuration.strategy, configuration.page_scorer) == ("structure", "structure")
    assert configuration.seeds == (sample,)
    assert configuration.structure.samples == ("structures/1.bin",)
    assert Skeleton.from_bytes((folder.path / "structures" / "1.bin").read_bytes()).size > 10


def test_only_pages_built_like_the_sample_can_be_searched(
    by_structure: tuple[Lycosa, Path, str], web: SimulatedWeb, tmp_path: Path
) -> None:
    run, home, sample = by_structure
    rows = pages(run, tmp_path)
    searchable = IndexReader(home / "crawls" / "entries" / "index").urls()
    assert searchable == {row["url"] for row in rows if not (row["aside"] or row["duplicate_of"])}
    aside = {row["url"] for row in rows if row["aside"]}
    assert sample in searchable
    assert aside
    kinds, own = web.kind_labels(), site_of(sample)
    assert sum(kinds.get(url) == "entry" for url in searchable) >= 0.8 * len(searchable)
    of_its_site = [url for url in (*searchable, *aside) if site_of(url) == own and kinds.get(url) == "entry"]
    assert sum(url in aside for url in of_its_site) <= 0.2 * len(of_its_site), "entries of other sites look otherwise"
    assert all(row["file"] and row["size"] for row in rows), "what is aside is in the archive too"


def test_what_is_aside_is_counted_and_explained(by_structure: tuple[Lycosa, Path, str], tmp_path: Path) -> None:
    run, _, _ = by_structure
    aside = [row["url"] for row in pages(run, tmp_path) if row["aside"]]
    status = json.loads(run("status", "entries", "--json").stdout)
    assert status["aside"] == len(aside)
    assert status["relevant"] <= status["fetched"] - len(aside)
    assert status["indexed"]["aside"] <= len(aside)
    for command in ("status", "report"):
        assert re.search(rf"{len(aside)} pages kept aside", run(command, "entries").stdout)
    explained = json.loads(run("explain", "entries", aside[0], "--json").stdout)
    assert explained["verdict"].startswith("fetched; kept aside")
    told = " | ".join(event["what"] for event in explained["events"])
    assert "not in the index: its structure is not that of the crawl's sample pages" in told
    assert "relevance" in told


def test_pages_aside_are_found_by_structure(by_structure: tuple[Lycosa, Path, str], tmp_path: Path) -> None:
    run, home, _ = by_structure
    assert (home / "crawls" / "entries" / "index" / "structures.bin").exists(), "the indexer wrote it"
    aside = next(row["url"] for row in pages(run, tmp_path) if row["aside"])
    found = json.loads(run("structure", "templates", "entries", "--json", "--limit", "1000").stdout)
    kept = [row for row in pages(run, tmp_path) if not row["duplicate_of"] and not row["placeholder"]]
    assert found["pages"] == len(kept)
    assert json.loads(run("structure", "like", "entries", aside, "--json").stdout)["template_pages"] >= 1


def test_many_samples_are_taken_equal_ones_once_and_too_many_refused(lycosa: Lycosa, tmp_path: Path) -> None:
    shapes = [f"<title>t</title><div>{'<ul><li>x</ul>' * number}</div><p>y" for number in range(1, 16)]
    names = [saved(tmp_path, f"{place}.html", shape) for place, shape in enumerate(shapes * 2)]
    asked = [part for name in names for part in ("--example-structure", name)]
    lycosa("crawl", *QUICK, "--name", "many", "--seed", SEED, "--pages", "5", *asked)
    samples = CrawlFolder(tmp_path / "home" / "crawls" / "many").configuration().structure.samples
    assert samples == tuple(f"structures/{number}.bin" for number in range(1, 16))
    asked = ["--example-structure", names[0]] * (MOST_SAMPLES + 1)
    refused = lycosa("crawl", *QUICK, "--name", "too-many", "--seed", SEED, *asked, check=False)
    assert refused.returncode == 2
    assert f"{MOST_SAMPLES + 1} sample pages are too many" in refused.stderr


def test_a_topic_beside_samples_goes_by_the_strategy_for_topics(lycosa: Lycosa, tmp_path: Path) -> None:
    page = saved(tmp_path, "a.html", A)
    asked = ("--name", "t", "--topic", "birds", "--seed", SEED, "--pages", "5", "--example-structure", page)
    lycosa("crawl", *QUICK, *asked)
    configuration = CrawlFolder(tmp_path / "home" / "crawls" / "t").configuration()
    assert configuration.strategy == "treasure"
    assert configuration.seeds == (SEED,)
    assert configuration.structure.samples == ("structures/1.bin",)
    assert json.loads(lycosa("status", "t", "--json").stdout)["aside"] == 0


def test_a_damaged_sample_stops_the_crawl_before_it_begins(lycosa: Lycosa, tmp_path: Path) -> None:
    page = saved(tmp_path, "a.html", A)
    asked = ("--name", "t", "--topic", "birds", "--seed", SEED, "--pages", "5", "--example-structure", page)
    lycosa("crawl", *QUICK, *asked)
    (tmp_path / "home" / "crawls" / "t" / "structures" / "1.bin").write_bytes(b"nonsense")
    refused = lycosa("crawl", "--name", "t", "--pages", "8", check=False)
    assert refused.returncode == 2
    assert "structure.samples: 'structures/1.bin' is no structure of a page" in refused.stderr
