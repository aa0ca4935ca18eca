"""What the documents say works: job files parse, commands exist, links lead somewhere."""

from __future__ import annotations

import re
import shlex
import tomllib
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import get_type_hints

import pytest

from lycosa.configuration import settings as configuration
from lycosa.configuration.sections import Configuration, Section
from lycosa.interface.cli import parser
from lycosa.lab.trial import ORACLE
from lycosa.plugins import registry
from lycosa.topics.classification.scheme_file import scheme_in
from lycosa.topics.taxonomy_file import shipped

ROOT = Path(__file__).parent.parent
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
FENCE = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def blocks(kind: str) -> list[str]:
    return [body for path in DOCUMENTS for found, body in FENCE.findall(path.read_text("utf-8")) if found == kind]


def test_job_files_in_the_documents_are_valid() -> None:
    jobs = blocks("toml")
    assert jobs
    for job in jobs:
        configuration.build(tomllib.loads(job), origin="documents")


whole_parser = lru_cache(maxsize=1)(parser)


def commands() -> list[str]:
    joined = "\n".join(blocks("")).replace("\\\n", " ")
    return [line.split("#")[0].strip() for line in joined.splitlines() if line.strip().startswith("lycosa ")]


@pytest.mark.parametrize("command", commands())
def test_commands_in_the_documents_can_be_typed(command: str) -> None:
    whole_parser().parse_args(shlex.split(command)[1:])


def test_examples_of_the_help_can_be_typed() -> None:
    from lycosa.interface.cli import EXAMPLES

    typed = [re.split(r"\s{2,}", line.strip())[0] for line in EXAMPLES.splitlines()[1:] if line.strip()]
    assert len(typed) >= 4
    for line in typed:
        whole_parser().parse_args(shlex.split(line)[1:])


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text("utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_the_readme_names_both_commands() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert "make demo" in text
    assert "make test" in text


# -- names of modules and paths ---------------------------------------------------------------------

SOURCE = ROOT / "src" / "lycosa"
CODE = [path for folder in (SOURCE, ROOT / "bench") for kind in ("*.py", "*.pyx") for path in folder.rglob(kind)]
DOTTED = re.compile(r"\blycosa(?:\.[A-Za-z_]\w*){2,}")
FILE = re.compile(r"`([\w./-]+\.(?:py|pyx|pyi))`")
FOLDER = re.compile(r"`([\w/]+/)`")
ROOMS = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
IN_A_ROOM = re.compile(rf"`((?:{'|'.join(sorted(ROOMS))})\.(?!py`)[a-z_.]+)`")
NOT_OURS = {"plugin/lycosa_shallow.py", "search.formats", "lab.html"}
"""A file of an example, a setting of SearXNG, a file that a command writes."""
SETTINGS = {
    f"{name}.{key}"
    for name, kind in get_type_hints(Configuration).items()
    if isinstance(kind, type) and issubclass(kind, Section)
    for key in get_type_hints(kind)
}


@lru_cache(maxsize=1)
def tree() -> tuple[Path, ...]:
    """All files and folders of ours."""
    folders = [ROOT / name for name in ("src", "tests", "bench", "docs", "scripts")]
    return (*folders, *(path for folder in folders for path in folder.rglob("*")))


def is_there(name: str) -> bool:
    """Whether a dotted name is that of a module, or of something in one."""
    module, place, parts = "lycosa", SOURCE, name.split(".")[1:]
    while parts and any((place / f"{parts[0]}{kind}").exists() for kind in ("", ".py", ".pyx")):
        module, place, parts = f"{module}.{parts[0]}", place / parts[0], parts[1:]
    return not parts or hasattr(import_module(module), parts[0])


def missing(path: Path) -> list[str]:
    """What a text names of our modules and files that is not there."""
    text = path.read_text("utf-8")
    names = [name for name in DOTTED.findall(text) if not is_there(name)]
    names += [name for name in IN_A_ROOM.findall(text) if name not in SETTINGS and not is_there(f"lycosa.{name}")]
    paths = FILE.findall(text) + (FOLDER.findall(text) if path.name in ("ARCHITECTURE.md", "CONTRIBUTING.md") else [])
    crawls = {"clicks/"}
    names += [name for name in paths if name not in crawls and not any(each.match(name) for each in tree())]
    return [name for name in names if name not in NOT_OURS]


@pytest.mark.parametrize("path", [*DOCUMENTS, *CODE], ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_and_path_that_a_text_names_exists(path: Path) -> None:
    assert missing(path) == []


def test_a_name_that_is_not_there_is_noticed(tmp_path: Path) -> None:
    text = "`lycosa.agents.fleet`, `frontier.calendar`, `crawling/desk.py`, lycosa.records.Link, `frontier/frontier.py`"
    (tmp_path / "odd.md").write_text(text)
    assert missing(tmp_path / "odd.md") == ["lycosa.agents.fleet", "frontier.calendar", "crawling/desk.py"]


# -- figures and tables ------------------------------------------------------------------------------

README = (ROOT / "README.md").read_text("utf-8")
STRATEGIES = (ROOT / "docs" / "strategies.md").read_text("utf-8")
ROW = re.compile(r"^\|(.*)\|$", re.MULTILINE)
CODE_SPAN = re.compile(r"`([^`]+)`")
NUMBER = re.compile(r"(?<![\w.])\d[\d ]*(?:\.\d+)?(?![\w.]*\d)")


def tables(text: str) -> list[list[list[str]]]:
    """The tables of a text: their rows, without head and line, as cells."""
    found = []
    for block in re.findall(r"(?:^\|.*\|\n)+", text + "\n", re.MULTILINE):
        rows = [[cell.strip() for cell in row.split("|")] for row in ROW.findall(block)]
        found.append(rows[2:])
    return found


def test_the_table_of_strategies_has_those_that_there_are() -> None:
    before, after = STRATEGIES.split("## What they do")
    measured, explained = tables(before)[0], tables(after)[0]
    names = {name for row in explained for name in CODE_SPAN.findall(row[0])}
    assert names == {*registry.names("link_scorers"), ORACLE}
    in_table = [CODE_SPAN.findall(row[0])[0] for row in measured]
    assert set(in_table) <= names
    assert in_table[0] == ORACLE
    assert f"{len(in_table) - 1} strategies and an oracle ran" in README
    for asked, when in (
        ({"topic": {"words": "owls"}}, "default where there is a topic"),
        ({}, "default without a topic"),
    ):
        assert f"`{configuration.build(asked, origin='test').link_scorer}` ({when})" in STRATEGIES


def test_the_picture_of_the_lab_shows_the_strategies_of_its_command() -> None:
    command = next(line for line in STRATEGIES.splitlines() if line.startswith("lycosa lab run --web wikispeedia:"))
    shown = command.partition("--strategy ")[2].split()[0].split(",")
    assert f"found by {len(shown) - 1} strategies and an oracle" in README


def test_figures_of_what_is_shipped_are_those_of_the_code() -> None:
    topics = len(list(shipped()))
    words = sum(bool(entry.numbers) for entry in scheme_in().entries)
    baselines = [
        point for point in entry_points(group="lycosa.link_scorers")
        if ".baselines." in point.value and point.name != "breadth-first"
    ]  # fmt: skip
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"a taxonomy of {topics} topics" in README
    assert f"a taxonomy of {topics} nodes" in changes
    assert f"{words // 1000} 000 words and phrases" in (ROOT / "docs" / "classes.md").read_text("utf-8")
    assert f"{words // 1000} 000 words and phrases" in changes
    assert len(baselines) == 16
    assert "and sixteen baselines" in changes


def test_what_running_needs_is_what_the_benchmarks_say() -> None:
    measured = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    needs = tables((ROOT / "docs" / "running.md").read_text("utf-8"))[0]
    assert len(needs) >= 5
    figures = [number.strip() for row in needs for number in NUMBER.findall(row[1])]
    assert len(figures) >= 8
    for figure in figures:
        assert re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d.]*\d)", measured), figure


def tour() -> list[str]:
    """The commands of the README's tour; words parted by dots share what stands before them and behind the last."""
    found = []
    for row in tables(README)[0]:
        before = ""
        for span in CODE_SPAN.findall(row[0]):
            if not span.startswith("lycosa ") and " " not in span:
                continue
            first, *others = span.split(" · ")
            begin, _, word = first.rpartition(" ") if others else ("", "", first)
            *between, last = others or [""]
            final, _, rest = last.partition(" ")
            started = begin or ("" if span.startswith("lycosa ") else before)
            words = [word, *between, *([final] if others else [])]
            found += [f"{started} {each} {rest}".strip() for each in words]
            before = " ".join(found[-1].split()[:2])
    return [re.sub(r"[\[\]]", "", each).replace("…", "x") for each in found]


@pytest.mark.parametrize("command", tour())
def test_commands_of_the_tour_take_what_it_gives_them(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        whole_parser().parse_args(shlex.split(command)[1:])
    except SystemExit:
        assert "arguments are required" in capsys.readouterr().err


def test_the_tour_has_every_command() -> None:
    listed = whole_parser().format_usage().partition("{")[2].partition("}")[0].split(",")
    if not any(listed):
        listed = re.findall(r"^ {4}(\w[\w-]*)", whole_parser().format_help(), re.MULTILINE)
    assert len(listed) > 20
    assert {name.strip() for name in listed} - {command.split()[1] for command in tour()} == set()


def test_the_layers_are_rooms_that_there_are() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    for contract in project["tool"]["importlinter"]["contracts"]:
        for container in contract.get("containers", [""]):
            for layer in contract.get("layers", contract.get("source_modules", ())):
                for name in re.split(r"[|:]", layer):
                    whole = ".".join(filter(None, (container, name.strip())))
                    assert is_there(whole), f"{contract['name']}: {whole}"
