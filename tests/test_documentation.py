"""What the documents say works: job files parse, commands exist, links lead somewhere."""

from __future__ import annotations

import re
import shlex
import tomllib
from functools import lru_cache
from pathlib import Path

import pytest

from lycosa.configuration import settings as configuration
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
