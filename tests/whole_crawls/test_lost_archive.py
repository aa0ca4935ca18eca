"""An archive that has lost what was committed: refused as it is, mended on demand, whole again after the next run."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import whole_crawl
from warcio.archiveiterator import ArchiveIterator

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.crawling.assembly import build_agent
from lycosa.inspection.repair import repair
from lycosa.inspection.repository_check import check
from lycosa.storage import catalogue
from lycosa.storage.archive import ArchiveDamaged, Place, read
from lycosa.supervision.control_channel import Desk

pytestmark = pytest.mark.xdist_group("checker")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> CrawlFolder:
    storage = {"batch_visits": 8, "archive_file": "16KiB"}
    folder = whole_crawl.crawl_folder(tmp_path_factory.mktemp("sound"), storage=storage)
    whole_crawl.run(folder)
    assert len(files(folder)) > 3
    return folder


@pytest.fixture
def folder(sound: CrawlFolder, tmp_path: Path) -> CrawlFolder:
    return CrawlFolder(Path(shutil.copytree(sound.path, tmp_path / "crawls" / "whole")))


def files(folder: CrawlFolder) -> list[Path]:
    return sorted(folder.archive.glob("*.warc.gz"))


def cut_last(folder: CrawlFolder) -> Path:
    path = files(folder)[-1]
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    return path


def empty_last(folder: CrawlFolder) -> Path:
    files(folder)[-1].write_bytes(b"")
    return files(folder)[-1]


def lose_last(folder: CrawlFolder) -> Path:
    path = files(folder)[-1]
    path.unlink()
    return path


def lose_first(folder: CrawlFolder) -> Path:
    path = files(folder)[0]
    path.unlink()
    return path


def lose_all(folder: CrawlFolder) -> Path:
    first = files(folder)[0]
    shutil.rmtree(folder.archive)
    return first


LOSSES = [cut_last, empty_last, lose_last, lose_first, lose_all]


def readable(folder: CrawlFolder) -> set[str]:
    """The URLs whose answers can be read where the catalogue says that they lie."""
    found: set[str] = set()
    with reading(folder) as stores:
        for row in (row for store in stores for _, row in catalogue.history(store) if row.file):
            with suppress(ArchiveDamaged):
                found.add(read(folder.archive, Place(row.file, row.offset, row.size))[1].url)
    return found


def read_through(path: Path) -> int:
    """How many records of a file another tool reads until its end."""
    with path.open("rb") as file:
        return sum(1 for record in ArchiveIterator(file) if record.content_stream().read() is not None)


@pytest.mark.parametrize("lose", LOSSES)
def test_a_crawl_that_has_lost_part_of_its_archive_is_refused_and_left_as_it_is(
    folder: CrawlFolder, lose: Callable[[CrawlFolder], Path]
) -> None:
    hurt = lose(folder)
    (folder.archive).mkdir(exist_ok=True)
    uncommitted = folder.archive / "agent-0-000099.warc.gz"
    uncommitted.write_bytes(b"it may be of use to who puts the file back")
    before = {path: path.read_bytes() for path in files(folder)}
    with pytest.raises(CrawlError, match=rf"{hurt.name} .*lycosa check whole --repair") as refused:
        build_agent(folder, 0, Desk(folder, 0, alone=True), lambda: 1.0)
    assert "\n" not in str(refused.value)
    assert {path: path.read_bytes() for path in files(folder)} == before


@pytest.mark.parametrize("lose", LOSSES)
def test_after_a_repair_the_next_run_has_every_page_again(
    folder: CrawlFolder, sound: CrawlFolder, lose: Callable[[CrawlFolder], Path]
) -> None:
    kept = {path.name: path.read_bytes() for path in files(sound)}
    hurt = lose(folder)
    repair(folder, check(folder))
    whole_crawl.run(folder)
    left = check(folder)
    assert not any(each.repair for each in left.findings), left.lines()
    assert {each.kind for each in left.findings} == {"damaged-record"}
    assert readable(folder) == readable(sound)
    whole = [path for path in files(folder) if path != hurt]
    assert all(read_through(path) for path in whole)
    if lose is not lose_all:
        assert all(path.read_bytes().startswith(kept[path.name]) for path in whole if path.name in kept)


def test_a_crawl_in_order_is_not_touched_by_a_repair(folder: CrawlFolder) -> None:
    before = {path: path.read_bytes() for path in files(folder)}
    assert repair(folder, check(folder)).sound
    assert {path: path.read_bytes() for path in files(folder)} == before
