"""`lycosa crawl` with words, topics of the taxonomy and examples; strategies in real crawls of a simulated web."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from real_crawl import Lycosa, quick, runner

BOX = "box:7?hosts=6&pages=120&topics=3&size=3KiB&links=10"
SEED = "http://birds-1.localhost:8080/"
SIMULATED = quick(BOX, "index.enabled=false")


@pytest.fixture
def lycosa(tmp_path: Path) -> Lycosa:
    return runner(tmp_path)


def settings(home: Path, name: str) -> dict[str, Any]:
    return tomllib.loads((home / "crawls" / name / "crawl.toml").read_text("utf-8"))


def examples(home: Path, name: str) -> list[str]:
    return [path.read_text("utf-8") for path in sorted((home / "crawls" / name / "examples").iterdir())]


def test_a_topic_of_the_taxonomy_brings_its_examples(lycosa: Lycosa, tmp_path: Path) -> None:
    done = lycosa("crawl", *SIMULATED, "--name", "b", "--topic", "birds", "--seed", SEED, "--pages", "15")
    assert "Life sciences and nature.Birds" in done.stderr
    assert settings(tmp_path, "b")["topic"]["examples"] == [f"examples/{number}.txt" for number in (1, 2, 3)]
    assert json.loads(lycosa("status", "b", "--json").stdout)["seeds"] == {"0": 1}
    seen = lycosa("explain", "b", SEED).stdout
    assert "cosine" in seen


def test_an_unknown_path_is_one_sentence_and_no_crawl(lycosa: Lycosa, tmp_path: Path) -> None:
    order = ("crawl", *SIMULATED, "--name", "u", "--seed", SEED, "--topic", "subject.Science.Birds")
    done = lycosa(*order, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "did you mean 'Life sciences and nature.Birds'?" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "crawls").exists()
    shown = lycosa("topics", "show", "subject.Science.Birds", check=False)
    assert shown.returncode == 2
    assert "did you mean 'Life sciences and nature.Birds'?" in shown.stderr


def test_a_refused_crawl_leaves_an_earlier_one_as_it_was(lycosa: Lycosa, tmp_path: Path) -> None:
    lycosa("crawl", *SIMULATED, "--name", "b", "--topic", "birds", "--seed", SEED, "--pages", "10")
    before = settings(tmp_path, "b"), examples(tmp_path, "b")
    refused = lycosa("crawl", "--name", "b", "--topic", "birds", "--strategy", "nope", check=False)
    assert refused.returncode == 2
    assert "no strategy named 'nope'" in refused.stderr
    assert (settings(tmp_path, "b"), examples(tmp_path, "b")) == before
    assert not (tmp_path / "crawls" / "fresh").exists()
    lycosa("crawl", "--name", "fresh", "--topic", "birds", "--seed", SEED, "--strategy", "nope", check=False)
    assert not (tmp_path / "crawls" / "fresh").exists()


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (("--topic", "steam locomotive"), "looks for 'birds'; choose another --name for 'steam locomotive'"),
        (("--seed", f"{SEED}other"), f"began at {SEED}; choose another --name"),
        (("--topic", "birds", "--example", __file__), "began with other examples"),
    ],
)
def test_a_crawl_is_not_taken_over_by_name(lycosa: Lycosa, tmp_path: Path, other: tuple[str, ...], why: str) -> None:
    lycosa("crawl", *SIMULATED, "--name", "b", "--topic", "birds", "--seed", SEED, "--pages", "5")
    before = settings(tmp_path, "b"), examples(tmp_path, "b")
    refused = lycosa("crawl", "--name", "b", *other, "--pages", "9", check=False)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert why in refused.stderr
    assert (settings(tmp_path, "b"), examples(tmp_path, "b")) == before


def test_crawls_without_a_name_are_called_after_their_topic_and_keep_apart(lycosa: Lycosa, tmp_path: Path) -> None:
    begin = ("crawl", *SIMULATED, "--topic", "Nesting birds")
    assert "the crawl is called nesting-birds\n" in lycosa(*begin, "--seed", SEED, "--pages", "5").stderr
    first = settings(tmp_path, "nesting-birds")
    other = lycosa(*begin, "--seed", SEED, "--seed", "http://other.localhost/", "--pages", "3")
    assert "the crawl is called nesting-birds-2\n" in other.stderr
    assert settings(tmp_path, "nesting-birds") == first
    lycosa("set", "nesting-birds", "topic.words=birds that nest")
    again = lycosa("crawl", "--topic", " nesting  BIRDS", "--seed", SEED, "--pages", "9")
    assert "nesting-birds: it is there already, with this topic and these pages, and goes on\n" in again.stderr
    assert settings(tmp_path, "nesting-birds")["topic"]["words"] == "birds that nest"
    assert settings(tmp_path, "nesting-birds")["pages"] == 9
    assert sorted(path.name for path in (tmp_path / "crawls").iterdir()) == ["nesting-birds", "nesting-birds-2"]


def test_a_crawl_begun_by_an_earlier_version_is_known_by_its_settings(lycosa: Lycosa, tmp_path: Path) -> None:
    begin = ("crawl", *SIMULATED, "--topic", "nesting birds", "--seed", SEED)
    lycosa(*begin, "--name", "crawl", "--pages", "5")
    (tmp_path / "crawls" / "crawl" / "asked.json").unlink()
    assert "crawl: it is there already" in lycosa(*begin, "--pages", "7").stderr
    assert [path.name for path in (tmp_path / "crawls").iterdir()] == ["crawl"]
    assert lycosa("crawl", "--name", "crawl", "--topic", "railways", check=False).returncode == 2


def test_a_crawl_that_was_moved_goes_on(lycosa: Lycosa, tmp_path: Path) -> None:
    lycosa("crawl", *SIMULATED, "--name", "b", "--topic", "birds", "--seed", SEED, "--pages", "5")
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "crawls").mkdir(parents=True)
    shutil.move(tmp_path / "crawls" / "b", elsewhere / "crawls" / "b")
    runner(elsewhere)("crawl", "--name", "b", "--pages", "12")
    assert json.loads(runner(elsewhere)("status", "b", "--json").stdout)["fetched"] == 12


def test_an_example_file_is_mapped_and_kept(lycosa: Lycosa, tmp_path: Path) -> None:
    path = tmp_path / "heron.txt"
    path.write_text("Herons are wading birds with long legs, feathers and a beak; they nest in colonies. " * 5, "utf-8")
    done = lycosa("crawl", *SIMULATED, "--name", "e", "--example", str(path), "--seed", SEED, "--pages", "10")
    assert "the examples fit" in done.stderr
    assert "Herons" in examples(tmp_path, "e")[0]


@pytest.mark.parametrize("strategy", ["parents", "parent-mean", "pagerank", "tag-path-bandit"])
def test_learning_strategies_crawl_stop_and_go_on(lycosa: Lycosa, strategy: str) -> None:
    asked = ("--name", "s", "--topic", "birds", "--seed", SEED, "--strategy", strategy, "--agents", "2")
    lycosa("crawl", *SIMULATED, *asked, "--pages", "20")
    lycosa("crawl", "--name", "s", "--pages", "40")
    status = json.loads(lycosa("status", "s", "--json").stdout)
    assert status["fetched"] == 40
    assert status["failed"].get("internal-error", 0) == 0


def test_numbers_that_make_no_sense_are_refused(lycosa: Lycosa) -> None:
    done = lycosa("crawl", *SIMULATED, "--topic", "birds", "--seed", SEED, "--pages", "-4", check=False)
    assert done.returncode == 2
    assert "pages = -4" in done.stderr


def test_a_home_that_is_a_file_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("x", "utf-8")
    done = runner(path)("topics", "edit", "add", "Foo", check=False)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "--home" in done.stderr
