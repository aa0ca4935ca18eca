"""docs/requirements.md tells the truth: every id is there once, and what is done names a test that exists."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent
NUMBERS = {"C": 14, "P": 9, "N": 5, "M": 15, "T": 17}


def rows() -> list[list[str]]:
    lines = (ROOT / "docs" / "requirements.md").read_text("utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")][1:]


def test_every_id_is_listed_once() -> None:
    expected = [f"{letter}{number}" for letter, last in NUMBERS.items() for number in range(1, last + 1)]
    assert sorted(row[0] for row in rows()) == sorted(expected)


def test_what_is_done_names_a_module_a_test_and_a_document() -> None:
    for name, _, state, modules, test, document in rows():
        assert state in ("planned", "done"), name
        if test:
            assert (ROOT / test).is_file(), f"{name}: {test}"
        if state == "done":
            assert test, name
            assert (ROOT / document).is_file(), f"{name}: {document}"
            for module in modules.split(","):
                assert find_spec(f"lycosa.{module.strip()}"), f"{name}: {module}"
