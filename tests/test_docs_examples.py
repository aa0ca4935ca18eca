"""The examples in the documents work: every console block is run, and prints what it is said to print.

A block marked `console` holds commands (lines that begin with `$ `) and what they print. Numbers may differ, and `…`
stands for anything. A sentence that ends with a file's name in backquotes and a colon, followed by a block, writes that
file. All blocks of a document share a folder and a home; the how-tos begin with a copy of the tutorial's.
"""

from __future__ import annotations

import asyncio
import importlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from starlette.applications import Starlette

from lycosa.configuration import settings as configuration
from lycosa.interface.cli import main
from lycosa.interface.server.app import web_app
from lycosa.records import Link

pytestmark = pytest.mark.xdist_group("documents")

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
TUTORIAL = DOCS / "tutorial.md"
HOW_TOS = sorted(path for path in (DOCS / "how-to").glob("*.md") if "```console" in path.read_text("utf-8"))
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
NAMED_FILE = re.compile(r"`([\w./-]+\.\w+)`:?\s*:\s*$")
PROCESSES = ("crawl", "revisit", "resume")
"""Commands that start processes of their own."""


class Step(NamedTuple):
    """A file to write, or a command with what it should print."""

    line: int
    file: str = ""
    text: str = ""
    command: str = ""
    printed: tuple[str, ...] = ()


def steps(document: str) -> Iterator[Step]:
    """What a document asks its reader to do, in order."""
    for fence in FENCE.finditer(document):
        line = document.count("\n", 0, fence.start()) + 1
        body = textwrap.dedent(fence[3])
        named = NAMED_FILE.search(document[: fence.start()])
        if fence[2] == "console":
            yield from _typed(body, line)
        elif named and fence[2]:
            yield Step(line, file=named[1], text=body)


def _typed(body: str, line: int) -> Iterator[Step]:
    for part in re.split(r"^\$ ", body.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        command, *printed = part.splitlines()
        yield Step(line, command=command, printed=tuple(text for text in printed if text.strip()))


def like(shown: str) -> re.Pattern[str]:
    """A line as shown: any number for a number, any time for a time, any white space for it, anything for `…`."""
    number, time = r"\d[\d.,:-]*", r"\d[\d.,:-]* (?:ms|s|min|h)(?![\w/])"
    kinds = (r".*", r"\s+", time, number)
    parts = re.findall(rf"(\s*…\s*)|(\s+)|({time})|({number})|(\D)", " ".join(shown.split()))
    return re.compile(
        "".join(
            next((kind for kind, found in zip(kinds, part, strict=False) if found), re.escape(part[-1]))
            for part in parts
        )
    )


def missing(shown: tuple[str, ...], printed: str) -> str | None:
    """The first line shown that was not printed, or not in that order."""
    lines = iter(" ".join(line.split()) for line in printed.splitlines())
    for line in shown:
        if line.strip() != "…" and not any(like(line).fullmatch(each) for each in lines):
            return line
    return None


def run(command: str) -> tuple[int, str]:
    """Type a command; returns its exit code and all that it printed."""
    words = shlex.split(os.path.expandvars(command))
    if words[0] != "lycosa" or words[1] in PROCESSES:
        order = [sys.executable, "-m", "lycosa.interface.cli", *words[1:]] if words[0] == "lycosa" else words
        done = subprocess.run(
            order, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=120, check=False
        )
        return done.returncode, done.stdout.decode("utf-8", "replace")
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        code = main(words[1:])
    return code, printed.getvalue()


def follow(document: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Do what a document says, in a folder; returns how many commands that was."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LYCOSA_HOME", str(folder / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    number = 0
    for step in steps(document.read_text("utf-8")):
        place = f"{document.name}, line {step.line}"
        if step.file:
            (folder / step.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / step.file).write_text(step.text, "utf-8")
            continue
        code, printed = run(step.command)
        assert code == 0, f"{place}: `{step.command}` ended with {code}\n{printed}"
        lacking = missing(step.printed, printed)
        assert lacking is None, f"{place}: `{step.command}` does not print\n{lacking}\nbut\n{printed}"
        number += 1
    return number


@pytest.fixture(scope="module")
def after_the_tutorial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the tutorial leaves behind."""
    folder = tmp_path_factory.mktemp("tutorial")
    with pytest.MonkeyPatch.context() as monkeypatch:
        assert follow(TUTORIAL, folder, monkeypatch) >= 8
    return folder


def test_the_tutorial_can_be_followed(after_the_tutorial: Path) -> None:
    assert (after_the_tutorial / "report.html").stat().st_size > 1000
    assert (after_the_tutorial / "pages.jsonl").read_text("utf-8").count("\n") == 120
    assert list((after_the_tutorial / "archive").glob("*.warc.gz"))


@pytest.mark.parametrize("document", HOW_TOS, ids=lambda path: path.stem)
def test_how_tos_can_be_followed(
    document: Path, after_the_tutorial: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(after_the_tutorial, tmp_path / "desk")
    assert follow(document, tmp_path / "desk", monkeypatch)


def test_the_addresses_of_embedded_search_answer(after_the_tutorial: Path) -> None:
    document = (DOCS / "how-to" / "embed-search.md").read_text("utf-8")
    addresses = re.findall(r"^GET (http://127\.0\.0\.1:8017\S+)$", document, re.MULTILINE)
    assert len(addresses) >= 2
    found, described = asyncio.run(answers(web_app(after_the_tutorial / "home"), addresses))
    assert all({"url", "title", "content", "engine", "score"} <= each.keys() for each in found)
    assert len({each["url"] for each in found}) == len(found)
    assert "OpenSearchDescription" in described


async def answers(app: Starlette, addresses: list[str]) -> tuple[list[dict[str, object]], str]:
    """The first result of each address, and how the search describes itself."""
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8017") as client:
        found = [(await client.get(address)).json()["results"][0] for address in addresses]
        return found, (await client.get("/opensearch.xml?crawl=birds")).text


def test_the_plug_in_of_the_how_to_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As installed: the module on the path, and its entry points as an installer writes them."""
    document = (DOCS / "how-to" / "write-a-plug-in.md").read_text("utf-8")
    files = {step.file: step.text for step in steps(document) if step.file}
    (tmp_path / "lycosa_shallow.py").write_text(files["plugin/lycosa_shallow.py"], "utf-8")
    project = tomllib.loads(files["plugin/pyproject.toml"])["project"]
    told = tmp_path / "lycosa_shallow-0.1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 0.1\n", "utf-8")
    groups = [
        "\n".join([f"[{group}]", *(f"{name} = {where}" for name, where in entries.items())])
        for group, entries in project["entry-points"].items()
    ]
    (told / "entry_points.txt").write_text("\n\n".join(groups), "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("LYCOSA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (command,) = re.findall(r"^lycosa (lab run .*)$", document, re.MULTILINE)
    order = [sys.executable, "-m", "lycosa.interface.cli", *shlex.split(command), "--workers", "1"]
    done = subprocess.run(order, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^shallow +0\.\d+", done.stdout, re.MULTILINE), done.stdout
    monkeypatch.syspath_prepend(str(tmp_path))
    rule = importlib.import_module("lycosa_shallow").no_drafts(configuration.Configuration())
    assert [rule(Link(f"https://a.example/{path}")) for path in ("drafts/1", "1")] == ["draft", None]


def test_a_wrong_example_would_be_noticed() -> None:
    printed = "12 pages for 'nest'\n 1. Owl\n    http://a.example/  (score 8.49)\n"
    assert missing(("3 pages for 'nest'", "…", " 1. …", "http://…  (score 1.2)"), printed) is None
    assert missing(("3 pages for 'nests'",), printed) == "3 pages for 'nests'"
    assert missing((" 1. Owl", "12 pages for 'nest'"), printed) == "12 pages for 'nest'"
