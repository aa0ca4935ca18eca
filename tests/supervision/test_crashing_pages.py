"""Pages that crash whoever reads them are no reason to give a crawl up; an agent that crashes without any is."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from tiny_web import crawl_folder

from lycosa.crawl_folder.folder import CrawlError
from lycosa.supervision.supervisor import MOST_SHORT_LIVES, Fleet

AGENT = """
import os, signal, sys
from pathlib import Path
from lycosa.crawl_folder.reading_slot import ReadingSlot
own = Path(sys.argv[3]) / "agents" / sys.argv[4]
own.mkdir(parents=True, exist_ok=True)
slot, lives = ReadingSlot(own / "reading"), own / "lives"
with lives.open("a") as file:
    file.write("x")
if lives.stat().st_size > 4:
    sys.exit(0)
if sys.argv[1] == "reading":
    slot.page(f"http://a.example/{lives.stat().st_size}")
os.kill(os.getpid(), signal.SIGSEGV)
"""


def crash(home: Path, what: str) -> Path:
    """Run a crawl whose agent crashes four times; returns a file with a letter for each of its lives."""
    folder = crawl_folder(home, ["http://127.0.0.1:9/"], index={"enabled": False})
    fleet = Fleet(folder, lambda status: None, (sys.executable, "-c", AGENT, what), backoff=0.01)
    try:
        asyncio.run(fleet.run())
    finally:
        lives = folder.agent(0) / "lives"
    return lives


def test_pages_that_crash_their_readers_one_after_the_other(tmp_path: Path) -> None:
    assert crash(tmp_path, "reading").stat().st_size == MOST_SHORT_LIVES + 2


def test_an_agent_that_crashes_without_reading_anything(tmp_path: Path) -> None:
    with pytest.raises(CrawlError, match="agent 0"):
        crash(tmp_path, "starting")
