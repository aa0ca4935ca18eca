"""A crawl is taken up again with other options: what it began with counts, and what cannot count is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from real_crawl import Lycosa, quick, runner

from lycosa.crawl_folder.folder import CrawlFolder

BOX = "box:7?hosts=4&pages=80&topics=3&size=2KiB&links=10&kinds=4&errors=0&duplicates=0"
SEED = "http://birds-1.localhost:8080/"
QUICK = quick(BOX, "index.enabled=false")
PAGE = "<title>t</title><body><main><h1>x</h1><ul><li><p>1</p></li><li><p>2</p></li></ul><footer><p>3</p></footer>"
SCHEME = "5\tNature\tnature\n598\tFowl\tfowl, hens\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def lycosa(home: Path) -> Lycosa:
    return runner(home)


def refused(lycosa: Lycosa, *order: str) -> str:
    """The sentence with which a command was refused."""
    done = lycosa(*order, check=False)
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    return done.stderr


def test_a_lost_sample_is_put_right_by_naming_the_page_again(lycosa: Lycosa, home: Path, tmp_path: Path) -> None:
    sample = tmp_path / "sample.html"
    sample.write_text(PAGE)
    lycosa("crawl", *QUICK, "--name", "kinds", "--example-structure", str(sample), "--seed", SEED, "--pages", "5")
    (home / "crawls/kinds/structures/1.bin").unlink()
    said = refused(lycosa, "resume", "kinds")
    assert "--example-structure" in said
    assert "ConfigurationError" not in said
    lycosa("crawl", "--name", "kinds", "--example-structure", str(sample), "--pages", "8")
    assert CrawlFolder(home / "crawls" / "kinds").configuration().pages == 8


def test_samples_do_not_turn_a_crawl_by_topic_into_one_by_structure(lycosa: Lycosa, home: Path, tmp_path: Path) -> None:
    sample = tmp_path / "sample.html"
    sample.write_text(PAGE)
    lycosa("crawl", *QUICK, "--name", "birds", "--topic", "birds", "--seed", SEED, "--pages", "5")
    said = refused(lycosa, "crawl", "--name", "birds", "--example-structure", str(sample))
    assert "--strategy structure" in said
    assert CrawlFolder(home / "crawls" / "birds").configuration().strategy == "treasure"


def test_a_crawl_keeps_the_classification_that_it_began_with(lycosa: Lycosa, home: Path, tmp_path: Path) -> None:
    (tmp_path / "own.tsv").write_text(SCHEME)
    (tmp_path / "other.tsv").write_text(SCHEME)
    own, other = (f"topic.scheme={tmp_path}/{name}.tsv" for name in ("own", "other"))
    lycosa("crawl", *QUICK, "--set", own, "--name", "fowl", "--topic", "fowl", "--seed", SEED, "--pages", "3")
    assert "keeps a copy" in refused(lycosa, "crawl", "--name", "fowl", "--set", other)
    assert "keeps a copy" in refused(lycosa, "set", "fowl", other)
    assert CrawlFolder(home / "crawls" / "fowl").configuration().topic.scheme.endswith("own.tsv")
    lycosa("set", "fowl", own, "pages=4")


def test_a_class_alone_is_looked_for_by_what_it_is_called(lycosa: Lycosa, home: Path) -> None:
    lycosa("crawl", *QUICK, "--name", "birds", "--class", "598", "--seed", SEED, "--pages", "20")
    assert CrawlFolder(home / "crawls" / "birds").configuration().topic.words == "Birds"
    assert json.loads(lycosa("status", "birds", "--json").stdout)["relevant"] > 0


def test_a_crawl_is_found_by_its_name_alone(lycosa: Lycosa) -> None:
    lycosa("crawl", *QUICK, "--name", "birds", "--topic", "birds", "--seed", SEED, "--pages", "2")
    assert "there are: birds" in refused(lycosa, "status", "../crawls/birds")


def test_the_strategy_treasure_asks_what_to_look_for(lycosa: Lycosa) -> None:
    assert "--topic" in refused(lycosa, "crawl", *QUICK, "--strategy", "treasure", "--seed", SEED)


@pytest.mark.parametrize(
    "setting", ["by_graph=nan", "by_words=inf", "by_relevance=-1", "mentions=-1", "by_graph=1e308"]
)
def test_weights_of_the_t_graph_that_say_nothing_are_refused(setting: str, lycosa: Lycosa) -> None:
    said = refused(lycosa, "crawl", *QUICK, "--topic", "birds", "--seed", SEED, "--set", f"treasure.{setting}")
    assert f"treasure.{setting.partition('=')[0]}" in said
    assert "is not possible" in said


def test_what_files_say_cannot_command_a_terminal(lycosa: Lycosa, tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text('"\\u001b[31mred" = 1\n')
    said = refused(lycosa, "crawl", str(tmp_path / "job.toml"))
    assert "[31mred" in said
    assert "\x1b" not in said


def test_a_crawl_that_would_have_to_wait_says_what_it_leaves(lycosa: Lycosa, home: Path) -> None:
    begin = ("crawl", "--name", "rests", "--topic", "birds", "--seed", SEED, *QUICK)
    done = lycosa(*begin, "--set", "politeness.delay=1h", "--set", "politeness.longest_delay=2h")
    assert "for longer than the crawl's patience of 1.0 s" in done.stderr
    assert "`lycosa resume rests` goes on with them later" in done.stderr
    lycosa("set", "rests", "politeness.delay=0s")
    assert "wait still" not in lycosa("resume", "rests").stderr
    assert json.loads(lycosa("--json", "status", "rests").stdout)["waiting"] == 0


def test_a_crawl_whose_budget_is_spent_says_nothing_of_what_it_leaves(lycosa: Lycosa, home: Path) -> None:
    done = lycosa("crawl", "--name", "few", "--topic", "birds", "--seed", SEED, "--pages", "5", *QUICK)
    assert "patience" not in done.stderr
    assert json.loads(lycosa("--json", "status", "few").stdout)["waiting"] > 0
