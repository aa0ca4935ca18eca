"""A full disk stops a crawl cleanly: one sentence, nothing damaged, and it goes on when there is room."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from audit import audit, configured

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.lab.web_server import serve_in_process
from lycosa.records import Response
from lycosa.storage.archive import Archive, Position, read
from lycosa.supervision.supervisor import Fleet

BOX = "box:2?hosts=4&pages=80&topics=2&size=4KiB&links=8&unlinked=0&errors=0&duplicates=0"


def test_a_write_that_fails_leaves_the_archive_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = Archive(tmp_path, "agent-0", Position(), 1 << 30)
    (place,) = archive.append([Response("http://a.org/", 200, (), b"x", b"x", 1.7e9)])
    before = archive.position

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", full)
        with pytest.raises(OSError, match="No space left"):
            archive.append([Response("http://a.org/2", 200, (), b"y", b"y" * 1000, 1.7e9)])
    assert archive.position == before
    archive.append([Response("http://a.org/3", 200, (), b"z", b"z", 1.7e9)])
    assert read(tmp_path, place)[1].raw == b"x"


def test_a_crawl_stops_while_there_is_still_room_to_stop_in(tmp_path: Path) -> None:
    with serve_in_process(BOX) as served:
        seeds = SimulatedWeb.of(f"{BOX}&port={served.port}").roots()[:1]
        folder = CrawlFolder(tmp_path / "crawls" / "audited")
        folder.create(configured(served.port, seeds, storage={"spare_disk": "900TiB"}))
        with pytest.raises(CrawlError, match=r"make room, then resume"):
            asyncio.run(Fleet(folder, lambda status: None).run())


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few megabytes, where this user may make one."""
    path = tmp_path / "disk"
    path.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(path)], capture_output=True, check=False
    )
    if made.returncode:
        yield tmp_path / "unmounted"
        return
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


def test_a_crawl_on_a_full_disk_stops_with_one_sentence_and_goes_on_later(small_disk: Path, tmp_path: Path) -> None:
    if not small_disk.exists():
        pytest.skip("this user may not mount a small file system; the archive's own test covers the write")
    with serve_in_process(BOX) as served:
        web = SimulatedWeb.of(f"{BOX}&port={served.port}")
        seeds = web.roots()[:1]
        folder = CrawlFolder(small_disk / "crawls" / "audited")
        hard = {"spare_disk": "0B", "batch_visits": 16, "batch_seconds": "100ms"}
        folder.create(configured(served.port, seeds, index={"enabled": False}, storage=hard))
        ballast = small_disk / "ballast"
        ballast.write_bytes(b"x" * (shutil.disk_usage(small_disk).free - 250_000))
        with pytest.raises(CrawlError, match=r"No space left|cannot be written"):
            asyncio.run(Fleet(folder, lambda status: None).run())
        ballast.unlink()
        moved = CrawlFolder(tmp_path / "crawls" / "audited")
        shutil.copytree(folder.path, moved.path)
        moved.save(configured(served.port, seeds))
        asyncio.run(Fleet(moved, lambda status: None).run())
        assert audit(moved, web, seeds, served.requests()) > 60
