"""Pages that crash whoever reads them are no reason to give a crawl up; an agent that crashes without any is."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from tiny_web import crawl_folder

from lycosa.crawl_folder.folder import CrawlError
from lycosa.supervision import supervisor
from lycosa.supervision.supervisor import MOST_SHORT_LIVES, Fleet

Patch = pytest.MonkeyPatch
AGENT = """
import os, signal, sys
from pathlib import Path
from lycosa.crawl_folder.reading_slot import ReadingSlot
own = Path(sys.argv[4]) / "agents" / sys.argv[5]
own.mkdir(parents=True, exist_ok=True)
slot, lives = ReadingSlot(own / "reading"), own / "lives"
with lives.open("a") as file:
    file.write("x")
life = lives.stat().st_size
if life > int(sys.argv[2]):
    sys.exit(0)
if sys.argv[1] != "starting":
    slot.page("http://a.example/" + ("" if sys.argv[1] == "the same page" else str(life)))
os.kill(os.getpid(), signal.SIGSEGV)
"""


def crash(home: Path, what: str, times: int = 4) -> Path:
    """Run a crawl whose agent crashes so often; returns a file with a letter for each of its lives."""
    folder = crawl_folder(home, ["http://127.0.0.1:9/"], index={"enabled": False})
    fleet = Fleet(folder, lambda status: None, (sys.executable, "-c", AGENT, what, str(times)), backoff=0.01)
    try:
        asyncio.run(fleet.run())
    finally:
        lives = folder.agent(0) / "lives"
    return lives


def test_pages_that_crash_their_readers_one_after_the_other(tmp_path: Path) -> None:
    assert crash(tmp_path, "reading").stat().st_size == MOST_SHORT_LIVES + 2


def test_more_pages_crash_their_readers_than_an_agent_is_started_again(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(supervisor, "MOST_RESTARTS", 3)
    assert crash(tmp_path, "reading", 12).stat().st_size == 13


def test_one_page_that_is_never_refused_ends_the_crawl(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(supervisor, "MOST_SHORT_LIVES", 2)
    with pytest.raises(CrawlError, match="agent 0"):
        crash(tmp_path, "the same page", 20)


def test_an_agent_that_crashes_without_reading_anything(tmp_path: Path) -> None:
    with pytest.raises(CrawlError, match="agent 0"):
        crash(tmp_path, "starting")
