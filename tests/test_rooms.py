"""The tree: every folder of the package is a room that answers one question, and imports go down only."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "lycosa"
GROUND = "lycosa"
MOST_MODULES = 25
CATALOGUES = {"lycosa.scoring.baselines"}
"""Rooms with a module for each published strategy, however many there are."""


@cache
def modules() -> dict[str, Path]:
    """Every module and package by its dotted name; a compiled one by its stub."""
    found: dict[str, Path] = {}
    for ending in ("*.py", "*.pyi"):
        for path in SOURCE.rglob(ending):
            parts = path.relative_to(SOURCE.parent).with_suffix("").parts
            found.setdefault(".".join(parts[:-1] if parts[-1] == "__init__" else parts), path)
    return found


def is_package(name: str) -> bool:
    return modules()[name].stem == "__init__"


def room_of(name: str) -> str:
    """The folder in which a module lies."""
    return name if is_package(name) else name.rpartition(".")[0]


@cache
def imports() -> frozenset[tuple[str, str]]:
    """Who imports whom among our modules, wherever in a module it does, and be it for typing only."""
    edges = set()
    for name, path in modules().items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            targets: list[str] = []
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{name}: relative import"
                targets = [f"{node.module}.{alias.name}" for alias in node.names]
            edges |= {(name, known(target)) for target in targets if target.partition(".")[0] == GROUND}
    return frozenset(edge for edge in edges if edge[0] != edge[1])


def known(name: str) -> str:
    """The module in which a name is."""
    while name not in modules():
        name = name.rpartition(".")[0]
    return name


def cycles(edges: frozenset[tuple[str, str]]) -> list[list[str]]:
    """What is left when all is taken away, again and again, that imports nothing that is left."""
    below: dict[str, set[str]] = defaultdict(set)
    for one, other in edges:
        below[one].add(other)
        below.setdefault(other, set())
    while free := {name for name, others in below.items() if not others}:
        below = {name: others - free for name, others in below.items() if name not in free}
    return sorted([name, *sorted(others)] for name, others in below.items())


def room_edges() -> frozenset[tuple[str, str]]:
    """Which room imports which; what lies beside the rooms is below all of them, but for the entry point."""
    edges = {(room_of(one), room_of(other)) for one, other in imports() if one != "lycosa.__main__"}
    return frozenset(edge for edge in edges if edge[0] != edge[1])


def rooms_in_the_map() -> list[str]:
    """The rooms as ARCHITECTURE.md lists them, from the ground up."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    table = text[text.index("## Where do I find things?") : text.index("## Where do I change")]
    return re.findall(r"^\| [^|]+ \| `(\w+)/` \|", table, re.MULTILINE)


def test_a_cycle_is_found() -> None:
    assert cycles(frozenset({("a", "b"), ("b", "c")})) == []
    assert cycles(frozenset({("a", "b"), ("b", "a"), ("c", "a")})) == [["a", "b"], ["b", "a"], ["c", "a"]]


def test_imports_are_seen() -> None:
    assert ("lycosa.search.index", "lycosa.search.ranking") in imports()
    assert ("lycosa.__main__", "lycosa.interface.cli") in imports()
    assert any(one.startswith("lycosa.pages.") and other == "lycosa.pages.compiled.tree" for one, other in imports())


def test_no_two_modules_import_each_other_in_a_circle() -> None:
    assert cycles(imports()) == []


def test_no_two_rooms_import_each_other_in_a_circle() -> None:
    """So each has a place in one order, nested ones too, and no import points up in it."""
    assert cycles(room_edges()) == []


def test_rooms_import_only_what_the_map_lists_above_them() -> None:
    order = rooms_in_the_map()
    folders = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert sorted(order) == sorted(folders), "the rooms in ARCHITECTURE.md and those in src/lycosa differ"
    top = {(one.split(".")[1], other.split(".")[1]) for one, other in room_edges() if GROUND not in (one, other)}
    assert [(one, other) for one, other in sorted(top) if order.index(one) < order.index(other)] == []
    assert [one for one, other in room_edges() if one == GROUND] == []


def test_a_folder_is_not_a_drawer() -> None:
    sizes = Counter(room_of(name) for name in modules() if not is_package(name))
    assert {room: size for room, size in sizes.items() if size > MOST_MODULES and room not in CATALOGUES} == {}
    assert set(sizes) == {name for name in modules() if is_package(name)}, "a room is empty"


@pytest.mark.parametrize("name", sorted(name for name in modules() if is_package(name) and name != GROUND))
def test_a_room_says_which_question_it_answers_and_nothing_else(name: str) -> None:
    tree = ast.parse(modules()[name].read_text("utf-8"))
    assert "?" in (ast.get_docstring(tree) or ""), f"{name} asks nothing"
    assert len(tree.body) == 1, f"{name} holds code: nothing is re-exported"


def test_every_room_with_rooms_has_a_contract_without_exceptions() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layered = {room for each in contracts if each["type"] == "layers" for room in each.get("containers", [GROUND])}
    with_rooms = {name.rpartition(".")[0] for name in modules() if is_package(name) and name != GROUND}
    assert with_rooms == layered
    assert [each["name"] for each in contracts if each.get("ignore_imports")] == []
