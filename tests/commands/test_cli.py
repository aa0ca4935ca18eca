"""What can be typed: each command comes with its own module, and starting it loads little else."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path

import pytest

import lycosa.__main__
from lycosa.interface import cli
from lycosa.interface.commands import search


def typed(parser: argparse.ArgumentParser) -> set[str]:
    (commands,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    return set(commands.choices)


@pytest.mark.parametrize("module", cli.COMMANDS)
def test_a_module_adds_the_commands_that_are_listed_for_it(module: str) -> None:
    assert typed(cli.parser([module])) == set(cli.COMMANDS[module])


@pytest.mark.parametrize(
    "arguments",
    [
        ["--home", "crawl", "tokens", "list"],
        ["--json", "tokens", "list", "--home=crawl"],
        ["--home=crawl", "tokens", "list"],
    ],
)
def test_the_command_is_told_from_the_options_before_it(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 0
    assert "no tokens" in capsys.readouterr().out or "--json" in arguments


@pytest.mark.parametrize(
    ("module", "actions"), [(name, each) for name, each in cli.ACTIONS.items() if any(each.values())]
)
def test_each_module_adds_the_actions_that_are_listed_for_it(module: str, actions: dict[str, tuple[str, ...]]) -> None:
    (command,) = cli.COMMANDS[module]

    def typed_after(action: str) -> set[str]:
        made = cli.parser([module], action)
        (commands,) = (each for each in made._actions if isinstance(each, argparse._SubParsersAction))
        return typed(commands.choices[command])

    for names in actions.values():
        for name in names:
            assert typed_after(name) == set(names)
    assert typed_after("") == typed_after("misspelt") == {name for names in actions.values() for name in names}


def test_a_misspelt_command_shows_all_choices(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["craw"])
    said = capsys.readouterr().err
    assert "'crawl'" in said
    assert "'doctor'" in said


def test_an_interrupt_while_loading_ends_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(MetaPathFinder):
        def find_spec(self, fullname: str, *_: object) -> None:
            if fullname == "lycosa.interface.cli":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "lycosa.interface.cli")
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    assert lycosa.__main__.main() == 130


def test_the_package_is_a_command_too() -> None:
    done = subprocess.run([sys.executable, "-m", "lycosa", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("lycosa ")


@pytest.mark.parametrize(("command", "unneeded"), [("--version", "msgspec"), ("pause none", "numpy")])
def test_small_commands_load_little(command: str, unneeded: str) -> None:
    code = (
        "import sys; from lycosa.interface.cli import main\n"
        f"try: main({command.split()!r})\n"
        "except SystemExit: assert len(sys.argv) == 1\n"
        f"sys.exit({unneeded!r} in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("typed", "query"),
    [
        (["nest", "-egg"], "nest -egg"),
        (["-egg", "nest"], "-egg nest"),
        (["nest", "-house", "-limit", "-5"], "nest -house -limit -5"),
        (["nest egg"], "nest egg"),
        (["nest -egg"], "nest -egg"),
        (["wolf spider", "nest"], '"wolf spider" nest'),
        (["nest", "-wolf spider"], 'nest -"wolf spider"'),
        (['"wolf spider"', '-"red fox"'], '"wolf spider" -"red fox"'),
        (["--", "nest", "-egg", "--json"], "nest -egg --json"),
    ],
)
@pytest.mark.parametrize("more", [[], ["--json", "--limit", "3"], ["--lim", "-3"], ["--limit=3", "--explain"]])
def test_words_of_a_search_may_begin_with_a_minus_wherever_options_stand(
    typed: list[str], query: str, more: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[argparse.Namespace] = []
    monkeypatch.setattr(search, "search", lambda each: told.append(each) or 0)
    elsewhere = [] if "--" in typed else [[*typed, *more], [typed[0], *more, *typed[1:]]]
    for words in ([*more, *typed], *elsewhere):
        assert cli.main(["--home", "search", "search", "crawl", *words]) == 0
        asked = told.pop()
        assert (asked.name, asked.home, search.query_of(asked.query)) == ("crawl", "search", query)
        assert asked.limit == ({"3": 3, "-3": -3}.get(more[-1], 3) if more else 10)
        assert (asked.json, asked.explain) == ("--json" in more, "--explain" in more)


def test_a_crawl_may_be_called_search(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cli.main(["--home", str(tmp_path), "status", "search"]) == 2
    assert "no crawl named 'search'" in capsys.readouterr().err


def test_search_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["search", "-h"])
    assert ended.value.code == 0
    assert "--explain" in capsys.readouterr().out


def printing(*arguments: str, stdout: int = subprocess.PIPE, **more: str) -> subprocess.CompletedProcess[bytes]:
    """A command in a terminal of its own kind."""
    order = [sys.executable, "-m", "lycosa", *arguments]
    without = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LC_", "LANG"))}
    return subprocess.run(
        order,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=without | more,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


C_LOCALE = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


@pytest.mark.parametrize(
    ("terminal", "shown"),
    [
        ({"PYTHONIOENCODING": "ascii"}, b"?V?gel"),
        ({"PYTHONIOENCODING": "latin-1"}, b"?V\xf6gel"),
        (C_LOCALE, b"?V?gel"),
        ({"PYTHONIOENCODING": "utf-8"}, "\u2192V\u00f6gel".encode()),
    ],
)
def test_a_terminal_gets_what_it_can_show(terminal: dict[str, str], shown: bytes, tmp_path: Path) -> None:
    home = {"LYCOSA_HOME": str(tmp_path), "LC_ALL": "C.UTF-8"} | terminal
    label, described = "\u2192V\u00f6gel", ("--description", "Tiere")
    added = printing("topics", "edit", "add", label, *described, LYCOSA_HOME=str(tmp_path), LC_ALL="C.UTF-8")
    assert added.returncode == 0, added.stderr
    told = printing("topics", "show", "vogel", **home)
    assert (told.returncode, told.stderr) == (0, b"")
    assert shown in told.stdout
    figures = printing("topics", "show", "vogel", "--json", **home)
    assert json.loads(figures.stdout.decode())["label"] == label, "nothing is lost for programs"


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("topics", "show"), ("topics", "show", "--json")])
def test_a_closed_pipe_ends_a_command_without_a_word(arguments: tuple[str, ...], tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = printing(*arguments, stdout=writing, LYCOSA_HOME=str(tmp_path))
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_full_disk_behind_the_output_is_one_sentence(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = printing("topics", "show", stdout=full.fileno(), LYCOSA_HOME=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"make room" in done.stderr
