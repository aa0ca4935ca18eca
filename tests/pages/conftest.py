"""Pages are read by compiled code and by Python: what holds for one must hold for the other."""

from __future__ import annotations

import shutil
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from lycosa.pages import parsed_document as trees


@pytest.fixture(scope="session")
def compiled() -> None:
    """Compiled code must be there, unless this machine cannot have compiled it."""
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    able = shutil.which(compiler) and (Path(sysconfig.get_path("include")) / "Python.h").exists()
    if not trees.COMPILED and not able:
        pytest.skip("there is no C compiler here, so pages are read by Python alone")
    assert trees.COMPILED, "the page reader was not compiled, though there is a compiler: `make clean venv`"


@pytest.fixture(scope="module", params=["compiled", "plain"])
def both_readers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each test with either reader."""
    if request.param == "compiled":
        request.getfixturevalue("compiled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trees, "COMPILED", request.param == "compiled")
        yield
