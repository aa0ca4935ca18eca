"""What the documents say works: job files parse, commands exist, links lead somewhere."""

from __future__ import annotations

import re
import shlex
import tomllib
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import pytest

from lycosa.configuration import settings as configuration
from lycosa.configuration.sections import Configuration, Section
from lycosa.interface.cli import parser

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
