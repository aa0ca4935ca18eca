"""The built wheel works in a bare environment, with all its data files inside."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.xdist_group("package")
"""Building a wheel writes into the source tree, so it is done once, by one worker."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    order = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    done = subprocess.run(order, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    (found,) = folder.glob("lycosa-*.whl")
    return found


def test_every_file_of_the_package_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    source = ROOT / "src"
    files = {path.relative_to(source).as_posix() for path in (source / "lycosa").rglob("*") if path.is_file()}
    assert {name for name in files if "__pycache__" not in name and not name.endswith(".c")} <= inside


def test_it_runs_from_the_wheel_alone(wheel: Path, tmp_path: Path) -> None:
    """The wheel's own files come first; only its dependencies are taken from here."""
    unpacked = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    code = (
        f"import sys; sys.path.insert(0, {str(unpacked)!r}); import lycosa; "
        f"assert lycosa.__file__.startswith({str(unpacked)!r}), lycosa.__file__; "
        "from lycosa.interface.cli import main; from lycosa.text import stop_words; "
        "from lycosa.topics.okapi import shipped_background; from lycosa.interface.rendering import rendered; "
        "assert stop_words() and shipped_background().documents; sys.exit(main(['doctor', '--json']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "LYCOSA_HOME": str(tmp_path / "home")}, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    assert '"Python"' in done.stdout


def test_every_benchmark_can_be_loaded() -> None:
    names = sorted(f"bench.{path.stem}" for path in (ROOT / "bench").glob("*.py"))
    assert len(names) > 20
    code = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"
    order = [sys.executable, "-c", code, *names]
    done = subprocess.run(order, capture_output=True, text=True, timeout=120, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
