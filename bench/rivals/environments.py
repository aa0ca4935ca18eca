"""One environment per rival, made once in the cache folder from the rival's own pinned requirements."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.big_web import cache_folder

RIVALS = Path(__file__).parent
INSTALL_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Missing:
    """A rival that could not take part, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Environment:
    """How to start a rival's script."""

    command: tuple[str, ...]
    variables: dict[str, str]


def prepared(name: str) -> Environment | Missing:
    """The rival's environment, installed now unless an earlier run did."""
    source = RIVALS / name
    folder = cache_folder() / "venvs" / name
    prepare = _node if (source / "package.json").exists() else _python
    try:
        return prepare(source, folder)
    except (OSError, subprocess.SubprocessError) as failure:
        return Missing(name, f"could not be installed: {_last_words(failure)}")


def _python(source: Path, folder: Path) -> Environment:
    interpreter = str(folder / "bin" / "python")
    requirements = source / "requirements.txt"
    stamp = _stamp(requirements, sys.version)
    if not _is_installed(folder, stamp):
        _install([sys.executable, "-m", "venv", "--clear", str(folder)], source)
        _install([interpreter, "-m", "pip", "install", "--quiet", "--requirement", str(requirements)], source)
        _mark_installed(folder, stamp)
    return Environment((interpreter, str(source / "crawl.py")), {"PYTHONPATH": str(RIVALS)})


def _node(source: Path, folder: Path) -> Environment:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise FileNotFoundError("node and npm are not installed")
    package = source / "package.json"
    stamp = _stamp(package, node)
    if not _is_installed(folder, stamp):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copy(package, folder)
        _install([npm, "install", "--no-audit", "--no-fund", "--no-package-lock"], folder)
        _mark_installed(folder, stamp)
    return Environment((node, str(source / "crawl.cjs")), {"NODE_PATH": str(folder / "node_modules")})


def _install(command: list[str], where: Path) -> None:
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(
        command, cwd=where, env=variables, check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS
    )


def _stamp(requirements: Path, runtime: str) -> str:
    return hashlib.sha256(requirements.read_bytes() + runtime.encode()).hexdigest()


def _is_installed(folder: Path, stamp: str) -> bool:
    mark = folder / "installed"
    return mark.exists() and mark.read_text() == stamp


def _mark_installed(folder: Path, stamp: str) -> None:
    (folder / "installed").write_text(stamp)


def _last_words(failure: Exception) -> str:
    """The line of an installer's complaint that names the reason."""
    if isinstance(failure, subprocess.CalledProcessError):
        lines = [line for line in str(failure.stderr).splitlines() if "error" in line.lower()]
        return lines[0].strip() if lines else str(failure)
    return str(failure)
