"""The built wheel works in a bare environment, with all its data files inside, and so does the source."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Sequence
from email import message_from_bytes
from importlib.metadata import Distribution, distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.xdist_group("package")
"""Building a wheel writes into the source tree, so it is done once, by one worker."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))
    (found,) = folder.glob("lycosa-*.whl")
    return found


def pip(*order: str) -> None:
    """Have pip do something without asking anybody on the network."""
    command = [sys.executable, "-m", "pip", *order, *(() if "check" in order else ("--quiet", "--no-index"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_file_of_the_package_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    source = ROOT / "src"
    files = {path.relative_to(source).as_posix() for path in (source / "lycosa").rglob("*") if path.is_file()}
    assert {name for name in files if "__pycache__" not in name and not name.endswith(".c")} <= inside


def test_the_wheel_crawls_and_searches_in_a_bare_environment(wheel: Path, tmp_path: Path) -> None:
    """Nothing is there but the wheel, what it says that it needs, and what these need."""
    there = BareEnvironment(tmp_path / "bare", requirements_of(wheel))
    there.pip("install", "--no-deps", str(wheel))
    there.pip("check")
    assert {"markupsafe", "numpy", "anyio"} <= there.names
    assert not {"pytest", "pyarrow", "warcio", "setuptools"} & there.names
    found = {each["what"]: each["state"] for each in json.loads(there.lycosa("doctor", "--json", codes=(0, 1)))}
    assert found["page reader"] == "good"
    assert found["extras"] == "warning"
    shown = json.loads(there.lycosa("demo", "--once", "--json"))
    assert shown["total"] > 0
    assert shown["urls"]


def test_the_source_is_installed_by_pip_in_a_bare_environment(wheel: Path, tmp_path: Path) -> None:
    """`pip install .`, with what the build needs at hand, so that nobody must be asked for it."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    there = BareEnvironment(tmp_path / "bare", [*requirements_of(wheel), *build])
    there.pip("install", "--no-deps", "--no-build-isolation", str(ROOT))
    there.pip("check")
    found = {each["what"]: each["state"] for each in json.loads(there.lycosa("doctor", "--json", codes=(0, 1)))}
    assert (found["Python"], found["page reader"]) == ("good", "good")
    assert there.lycosa("status").startswith("no crawls yet")


def test_every_package_that_is_imported_is_declared() -> None:
    """Also those that another one brings along today."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    listed = [*project["dependencies"], *(each for name, needed in extras.items() if name != "dev" for each in needed)]
    declared = {canonicalize_name(Requirement(each).name) for each in listed}
    imported = {name for path in (ROOT / "src").rglob("*.py") for name in imported_by(path.read_text("utf-8"))}
    owners = packages_distributions()
    foreign = imported - sys.stdlib_module_names - {"lycosa"}
    assert {"markupsafe", "numpy", "dns"} <= foreign
    assert {name for name in foreign if not declared & set(map(canonicalize_name, owners.get(name, [name])))} == set()


def imported_by(source: str) -> set[str]:
    """The packages that a module imports anywhere."""
    nodes = list(ast.walk(ast.parse(source)))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level}
    return {name.partition(".")[0] for name in plain | named}


class BareEnvironment:
    """A new environment with some distributions of this one and theirs, by their word; extras are left out."""

    def __init__(self, folder: Path, requirements: Sequence[str]) -> None:
        self._folder, self.names = folder, set[str]()
        venv.create(folder, with_pip=False, symlinks=True)
        self._python = folder / "bin" / "python"
        (self._site,) = folder.glob("lib/python*/site-packages")
        waiting = list(requirements)
        while waiting:
            needed = Requirement(waiting.pop())
            name = canonicalize_name(needed.name)
            if name not in self.names and (needed.marker is None or needed.marker.evaluate({"extra": ""})):
                self.names.add(name)
                waiting += self._taken_over(distribution(name))

    def _taken_over(self, taken: Distribution) -> list[str]:
        """What a distribution that is at hand from now on needs in turn."""
        for file in taken.files or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                (self._site / file).parent.mkdir(parents=True, exist_ok=True)
                (self._site / file).symlink_to(Path(str(file.locate())).resolve())
        return taken.requires or []

    def pip(self, *order: str) -> None:
        pip("--python", str(self._python), *order)

    def lycosa(self, *order: str, codes: Sequence[int] = (0,)) -> str:
        done = subprocess.run(
            [str(self._folder / "bin" / "lycosa"), *order], capture_output=True, text=True, timeout=120,
            cwd=self._folder, env={"PATH": "/usr/bin:/bin", "LYCOSA_HOME": str(self._folder / "home")}, check=False,
        )  # fmt: skip
        assert done.returncode in codes, done.stdout + done.stderr
        return done.stdout


def requirements_of(wheel: Path) -> list[str]:
    """What a wheel says that it needs."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name)).get_all("Requires-Dist") or []


def test_every_benchmark_can_be_loaded() -> None:
    names = sorted(f"bench.{path.stem}" for path in (ROOT / "bench").glob("*.py"))
    assert len(names) > 20
    code = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"
    order = [sys.executable, "-c", code, *names]
    done = subprocess.run(order, capture_output=True, text=True, timeout=120, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
