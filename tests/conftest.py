"""What holds for all tests: no example of a property test fails because the machine was busy, or only now and then.

Tests that share something costly, or a browser, are an `xdist_group`: one worker runs them.
`HYPOTHESIS_PROFILE=searching make test` draws other examples each time, to find what nobody thought of.
"""

import os

import pytest
from hypothesis import settings

from lycosa import reading_processes

settings.register_profile("lycosa", deadline=None, derandomize=True)
settings.register_profile("searching", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "lycosa"))

LONGEST_NAME = 100
"""Characters of a value that a test is named after; a process cannot be started with names that never end."""


@pytest.fixture(autouse=True)
def read_in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that an earlier test began in this process reads crawls apart: only tests of the interface want that."""
    if "interface" not in request.path.parts:
        monkeypatch.setattr(reading_processes, "_processes", None)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name tests of very long values by how these begin and how long they are."""
    if isinstance(val, str | bytes) and len(val) > LONGEST_NAME:
        return f"{argname} of {len(val)}: {val[:40]!r}"
    return None


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse to run with versions that were asked to keep groups of tests together and do not."""
    grouped = [(item.nodeid, mark.args[0]) for item in session.items for mark in item.iter_markers("xdist_group")]
    parted = [test for test, group in grouped if not test.endswith(f"@{group}")]
    if parted and session.config.getoption("loadgroup", default=False):
        raise pytest.UsageError(f"{parted[0]} is parted from its group: take the versions of constraints.txt")
