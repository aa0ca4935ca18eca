"""The lab from the command line, on a web of one's own as the document shows it."""

from __future__ import annotations

import argparse
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from test_experiment import KEYS

from lycosa.configuration.settings import ConfigurationError
from lycosa.interface.commands.lab import compare as lab

DOCUMENT = (Path(__file__).parents[2] / "docs" / "lab.md").read_text("utf-8")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def typed(tmp_path: Path, *words: str) -> int:
    shared = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    shared.add_argument("--home")
    shared.add_argument("--json", action="store_true")
    parser = argparse.ArgumentParser(parents=[shared])
    parser.set_defaults(home=str(tmp_path / "home"), json=False)
    lab.add_commands(parser.add_subparsers(), shared)
    told = parser.parse_args(["lab", *words])
    code: int = told.run(told)
    return code


def a_run(tmp_path: Path, *more: str) -> int:
    web = ("--web", "box:3?hosts=1&pages=60&topics=2&unlinked=0", "--topic", "birds,astronomy")
    return typed(tmp_path, "run", *web, "--strategy", "breadth-first,oracle", "--pages", "20", "--workers", "1", *more)


def test_a_comparison_is_printed_kept_and_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert a_run(tmp_path, "--name", "mine") == 0
    table = capsys.readouterr()
    assert re.search(r"oracle +1\.000 \[1\.000, 1\.000\]", table.out)
    assert "8/8 crawls" in table.err
    page = tmp_path / "mine.html"
    assert typed(tmp_path, "report", "--html", str(page)) == 0
    assert capsys.readouterr().out == table.out
    assert "<svg" in page.read_text("utf-8")
    assert typed(tmp_path, "report", "mine", "--json") == 0
    assert json.loads(capsys.readouterr().out)["results"]["plan"]["topics"] == ["birds", "astronomy"]


def test_json_is_one_object_per_run_with_the_promised_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert a_run(tmp_path, "--json", "--seeds", "generic", "--repeat", "2", "--out", str(tmp_path / "out")) == 0
    runs: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert len(runs) == 2 * 2 * 2
    for run in runs:
        assert list(run)[: len(KEYS)] == KEYS
        assert run["seeds"] == "generic"
        assert run["curve"][-1] == run["relevant"] == round(run["harvest_rate"] * run["pages"])
        assert len(run["curve"]) == run["pages"] <= 20
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".json", ".html"}
    assert not (tmp_path / "home").exists()


def test_the_same_command_finds_the_same_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for _ in range(2):
        assert a_run(tmp_path, "--json") == 0
        found.append([(run["auc"], run["curve"]) for run in json.loads(capsys.readouterr().out)])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--workers", "0"), "--workers 0 is not possible"),
        (("--name", "a/b"), "is no name for a comparison"),
        (("--pages", "0"), "--pages 0 is not possible"),
        (("--topic", "brids"), "did you mean birds?"),
        (("--topic", ","), "--topic is empty"),
        (("--web", "box:x"), "is no simulated web"),
    ],
)
def test_what_cannot_be_is_told_in_one_sentence(tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(told)):
        a_run(tmp_path, *words)


def blocks(kind: str) -> list[str]:
    return [body for found, body in re.findall(r"```(\w*)\n(.*?)```", DOCUMENT, re.DOTALL) if found == kind]


def test_the_web_of_ones_own_in_the_document_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = re.findall(r"^(\S+\.html): (<.*>)$", blocks("text")[0], re.MULTILINE)
    assert len(pages) >= 4
    for name, body in pages:
        path = tmp_path / "garden" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, "utf-8")
    (tmp_path / "labels.tsv").write_text(blocks("tsv")[0], "utf-8")
    monkeypatch.chdir(tmp_path)
    (command,) = [line for block in blocks("") for line in block.splitlines() if "dir:garden" in line]
    assert typed(tmp_path, *shlex.split(command)[2:], "--json", "--workers", "1") == 0
    runs = json.loads(capsys.readouterr().out)
    assert {run["topic"] for run in runs} == {"birds"}
    assert all(run["relevant_in_web"] == 2 for run in runs)
    assert {run["name"] for run in runs} == {"best-first", "breadth-first"}
