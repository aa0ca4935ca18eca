"""The checker finds every kind of damage that is planted, mends what is safe, and never makes things worse."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import lmdb
import msgspec
import pytest
import whole_crawl

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, own
from lycosa.crawl_folder.stores import reading
from lycosa.inspection.repair import repair
from lycosa.inspection.repository_check import check
from lycosa.queue_records import State
from lycosa.records import Page
from lycosa.search.index import Document, IndexReader, IndexWriter, as_stored
from lycosa.search.schema import IndexDamaged
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.catalogue import VisitRow
from lycosa.storage.sorted_runs import RunLost

pytestmark = pytest.mark.xdist_group("checker")

MEMORY = 15_000_000


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> CrawlFolder:
    storage = {"batch_visits": 8, "young_links": 10}
    folder = whole_crawl.crawl_folder(tmp_path_factory.mktemp("sound"), storage=storage)
    whole_crawl.run(folder)
    return folder


@pytest.fixture
def folder(sound: CrawlFolder, tmp_path: Path) -> CrawlFolder:
    return CrawlFolder(Path(shutil.copytree(sound.path, tmp_path / "crawls" / "whole")))


def kinds(folder: CrawlFolder) -> set[str]:
    return {finding.kind for finding in check(folder).findings}


def fetched(folder: CrawlFolder) -> list[VisitRow]:
    with reading(folder) as stores:
        return [row for store in stores for _, row in catalogue.history(store) if row.outcome == "fetched"]


def segments(folder: CrawlFolder) -> list[Path]:
    return sorted((folder.agent(0) / "store" / "catalogue").glob("history-*.parquet"))


def runs(folder: CrawlFolder) -> list[Path]:
    return sorted((folder.agent(0) / "store").glob("*.run"))


def test_a_sound_crawl_is_found_sound(folder: CrawlFolder) -> None:
    found = check(folder)
    assert found.sound, found.lines()
    assert found.pages > 40
    assert found.records > found.pages
    assert segments(folder)
    assert "everything agrees" in "\n".join(found.lines())


# -- damage -------------------------------------------------------------------------------------


def flip_bytes(folder: CrawlFolder) -> None:
    row = fetched(folder)[3]
    with (folder.archive / row.file).open("r+b") as file:
        file.seek(row.offset + row.size // 2)
        file.write(b"\xff\x00\xff\x00")


def remove_archive(folder: CrawlFolder) -> None:
    (folder.archive / fetched(folder)[0].file).unlink()


def cut_archive(folder: CrawlFolder) -> None:
    path = folder.archive / fetched(folder)[-1].file
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 200)


def add_tail(folder: CrawlFolder) -> None:
    with (folder.archive / fetched(folder)[-1].file).open("ab") as file:
        file.write(b"half a record")


def add_stray(folder: CrawlFolder) -> None:
    (folder.archive / "agent-7-000001.warc.gz").write_bytes(b"whose is this?")


def damage_segment(folder: CrawlFolder) -> None:
    segments(folder)[0].write_bytes(b"PAR1 no more")


def remove_segment(folder: CrawlFolder) -> None:
    segments(folder)[0].unlink()


def leave_segment_open(folder: CrawlFolder) -> None:
    segments(folder)[0].with_name("links-000000000001-000000000002.partial").write_bytes(b"")


def damage_run(folder: CrawlFolder) -> None:
    data = bytearray(runs(folder)[0].read_bytes())
    data[len(data) // 2] ^= 1
    runs(folder)[0].write_bytes(data)


def cut_run(folder: CrawlFolder) -> None:
    runs(folder)[0].write_bytes(runs(folder)[0].read_bytes()[:-1])


def remove_runs(folder: CrawlFolder) -> None:
    for path in runs(folder):
        path.unlink()


def damage_index(folder: CrawlFolder) -> None:
    (folder.index / "meta.json").write_text("{", "utf-8")


def drop_from_index(folder: CrawlFolder) -> None:
    held = IndexReader(folder.index).urls()
    writer = IndexWriter(folder.index, MEMORY)
    writer.drop(min(held))
    writer.commit(writer.marks)
    writer.close()


def add_to_index(folder: CrawlFolder) -> None:
    writer = IndexWriter(folder.index, MEMORY)
    writer.add(Document(Page("https://nowhere.example/", "Nowhere", text="nobody fetched this")))
    writer.commit(writer.marks)
    writer.close()


def index_twice(folder: CrawlFolder) -> None:
    """Have a page once more in the index, as a writer would that does not take out what it replaces."""
    writer = IndexWriter(folder.index, MEMORY)
    writer._writer.add_document(as_stored(Document(Page(min(IndexReader(folder.index).urls()), "Again"))))
    writer.commit(writer.marks)
    writer.close()


def run_index_ahead(folder: CrawlFolder) -> None:
    (folder.index / "marks.json").write_text(json.dumps({"0": 10**6}), "utf-8")


def change_rows(folder: CrawlFolder, change: Callable[[VisitRow], VisitRow | None]) -> None:
    """Change the journal behind everybody's back: the last row of a fetched page."""
    env = lmdb.open(str(folder.agent(0) / "store"), map_size=1 << 40, max_dbs=64)
    journal = env.open_db(b"visits", create=False)
    with env.begin(write=True) as txn:
        cursor = txn.cursor(journal)
        assert cursor.last()
        while (row := msgspec.msgpack.decode(cursor.value(), type=VisitRow)).outcome != "fetched":
            assert cursor.prev()
        changed = change(row)
        if changed is None:
            cursor.delete()
        else:
            cursor.put(cursor.key(), msgspec.msgpack.encode(changed))
    env.close()


def lose_row(folder: CrawlFolder) -> None:
    change_rows(folder, lambda row: None)


def misname_row(folder: CrawlFolder) -> None:
    change_rows(folder, lambda row: msgspec.structs.replace(row, url="https://nowhere.example/"))


def misplace_row(folder: CrawlFolder) -> None:
    first = fetched(folder)[0]
    change_rows(folder, lambda row: msgspec.structs.replace(row, file=first.file, offset=first.offset, size=first.size))


def forge_digest(folder: CrawlFolder) -> None:
    change_rows(folder, lambda row: msgspec.structs.replace(row, digest="00" * 16))


DAMAGE: dict[str, tuple[Callable[[CrawlFolder], None], bool]] = {
    "damaged-record": (flip_bytes, False),
    "missing-file": (remove_archive, True),
    "short-file": (cut_archive, True),
    "torn-tail": (add_tail, True),
    "stray-file": (add_stray, False),
    "damaged-segment": (damage_segment, False),
    "missing-segment": (remove_segment, False),
    "unclosed-segment": (leave_segment_open, True),
    "damaged-run": (damage_run, True),
    "damaged-index": (damage_index, True),
    "not-indexed": (drop_from_index, True),
    "indexed-twice": (index_twice, True),
    "index-orphan": (add_to_index, True),
    "index-ahead": (run_index_ahead, True),
    "missing-row": (lose_row, True),
    "unknown-page": (misname_row, False),
    "stored-twice": (misplace_row, False),
    "orphan-record": (lose_row, False),
    "other-record": (misplace_row, False),
    "changed-content": (forge_digest, False),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_planted_damage_is_found_and_repairing_makes_nothing_worse(folder: CrawlFolder, kind: str) -> None:
    damage, mended = DAMAGE[kind]
    damage(folder)
    before = check(folder)
    assert kind in {finding.kind for finding in before.findings}
    held = readable(folder)
    after = repair(folder, before)
    assert after.repaired or not any(finding.repair for finding in before.findings)
    assert {finding.kind for finding in after.findings} <= {finding.kind for finding in before.findings}
    assert readable(folder) >= held
    assert (kind in {finding.kind for finding in after.findings}) != mended


@pytest.mark.parametrize("damage", [damage_run, cut_run, remove_runs])
def test_a_lost_way_to_urls_is_told_and_built_again(folder: CrawlFolder, damage: Callable[[CrawlFolder], None]) -> None:
    with AgentStore(folder.agent(0) / "store", readonly=True) as store:
        urls = list(store.urls())
    damage(folder)
    if damage is not damage_run:
        with AgentStore(folder.agent(0) / "store") as store, pytest.raises(RunLost, match=r"check NAME --repair"):
            store.find(urls[0].url)
    before = check(folder)
    assert {finding.kind for finding in before.findings} == {"damaged-run"}
    assert "built again" in "\n".join(repair(folder, before).repaired)
    assert check(folder).sound
    with AgentStore(folder.agent(0) / "store", readonly=True) as store:
        assert [store.find(record.url) for record in urls] == list(store.urls()) == urls


def readable(folder: CrawlFolder) -> set[str]:
    """What search still finds."""
    try:
        return IndexReader(folder.index).urls() - {"https://nowhere.example/"}
    except IndexDamaged:
        return set()


@pytest.mark.parametrize("damage", [flip_bytes, lose_row, forge_digest, misplace_row])
def test_a_page_whose_copy_is_damaged_is_fetched_again_by_the_next_run(
    folder: CrawlFolder, damage: Callable[[CrawlFolder], None]
) -> None:
    damage(folder)
    before = check(folder)
    hurt = {finding.where for finding in before.findings if finding.repair and finding.where.startswith("http")}
    repair(folder, before)
    with AgentStore(folder.agent(0) / "store", readonly=True) as store:
        assert {record.url for record in store.urls() if record.state is State.WAITING} == hurt
    whole_crawl.run(folder)
    left = check(folder)
    assert not any(finding.repair for finding in left.findings), left.lines()
    assert hurt <= {row.url for row in fetched(folder)}


def test_nothing_is_repaired_while_the_crawl_runs(folder: CrawlFolder) -> None:
    add_tail(folder)
    before = check(folder)
    with own(folder.path / "lock", "the crawl"), pytest.raises(CrawlError, match="in use"):
        repair(folder, before)
    assert kinds(folder) == {"torn-tail"}
