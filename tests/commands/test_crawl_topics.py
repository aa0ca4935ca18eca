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
    refused = lycosa("crawl", "--name", "b", "--topic", "railways", "--strategy", "nope", check=False)
    assert refused.returncode == 2
    assert "no strategy named 'nope'" in refused.stderr
    assert (settings(tmp_path, "b"), examples(tmp_path, "b")) == before
    assert not (tmp_path / "crawls" / "fresh").exists()
    lycosa("crawl", "--name", "fresh", "--topic", "birds", "--seed", SEED, "--strategy", "nope", check=False)
    assert not (tmp_path / "crawls" / "fresh").exists()


def test_another_topic_in_words_forgets_the_examples_of_the_first(lycosa: Lycosa, tmp_path: Path) -> None:
    lycosa("crawl", *SIMULATED, "--name", "b", "--topic", "birds", "--seed", SEED, "--pages", "5")
    lycosa("crawl", "--name", "b", "--topic", "steam locomotive", "--pages", "10")
    assert settings(tmp_path, "b")["topic"] == settings(tmp_path, "b")["topic"] | {
        "words": "steam locomotive",
        "examples": [],
    }


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
