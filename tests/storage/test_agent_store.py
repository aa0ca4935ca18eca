"""The agent's store: all of a batch or nothing, letters never lost, Parquet beside the journal."""

from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path

import polars
import pytest

from lycosa.records import Link, Score
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.archive import Position
from lycosa.storage.catalogue import LinkColumns, VisitRow
from lycosa.waiting import Changes, SiteRecord, State, UrlRecord, due_key, queue_key, url_key


def row(number: int) -> VisitRow:
    links = LinkColumns(("http://b.org/",), (f"anchor {number}",), (0.5,), ("html/body/a",))
    return VisitRow(f"http://a.org/{number}", float(number), 0, "fetched", status=200, relevance=0.1, links=links)


def test_a_shelf_that_survives(tmp_path: Path) -> None:
    with AgentStore(tmp_path / "store") as store:
        changes = Changes()
        for number, order in enumerate((0.1, -2.0, 0.9)):
            key = url_key(7, bytes([number]) * 8)
            changes.urls[key] = UrlRecord(f"http://a.org/{number}", State.WAITING, order=order)
            changes.queue(queue_key(key, order))
        late = url_key(7, b"latelate")
        changes.postponed.add(due_key(50.0, late))
        changes.sites[7] = SiteRecord(7, "http://a.org", 3)
        store.commit(Batch(changes, position=Position(1, 99), marks={"note": b"kept"}))
    with AgentStore(tmp_path / "store") as store:
        best = store.best(7, 2, set())
        assert [key[12:] for key in best] == [b"\x02" * 8, b"\x00" * 8]
        assert store.best(7, 5, set(best))[0][12:] == b"\x01" * 8
        assert store.due(49.9, 10) == []
        assert store.due(50.0, 10) == [due_key(50.0, late)]
        assert store.position() == Position(1, 99)
        assert store.mark("note") == b"kept"
        assert [site.site for site in store.sites()] == ["http://a.org"]


def _commit_and_die(folder: str) -> None:
    store = AgentStore(Path(folder))
    store.commit(Batch(Changes(), rows=[row(1)]))
    write = store._write_mail

    def dying(*arguments: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    assert write is not None
    store._write_mail = dying  # type: ignore[method-assign]
    store.commit(Batch(Changes(), rows=[row(2)]))


def test_a_batch_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(target=_commit_and_die, args=(str(tmp_path / "store"),))
    process.start()
    process.join(30)
    assert process.exitcode == -signal.SIGKILL
    with AgentStore(tmp_path / "store") as store:
        assert [found.url for _, found in store.rows()] == ["http://a.org/1"]


def test_letters_wait_until_they_were_read(tmp_path: Path) -> None:
    with AgentStore(tmp_path / "store") as store:
        letter = [(Link("http://b.org/"), Score(0.5, "why"))]
        store.commit(Batch(Changes(), mail={2: letter, 3: letter}))
        store.commit(Batch(Changes(), mail={2: letter}))
        assert [number for number, _ in store.mail_for(2, after=0)] == [1, 2]
        assert store.mail_for(2, after=1) == [(2, letter)]
        store.commit(Batch(Changes(), delivered={2: 1}))
        assert [number for number, _ in store.mail_for(2, after=0)] == [2]
        assert len(store.mail_for(3, after=0)) == 1


def test_rows_are_numbered_on_after_rolling(tmp_path: Path) -> None:
    with AgentStore(tmp_path / "store") as store:
        store.commit(Batch(Changes(), rows=[row(number) for number in range(1, 6)]))
        assert catalogue.roll(store, through=3) == 3
        store.commit(Batch(Changes(), rows=[row(6)]))
        assert [number for number, _ in catalogue.history(store)] == [1, 2, 3, 4, 5, 6]
        assert [found.url for _, found in catalogue.history(store, after=2)] == [
            f"http://a.org/{n}" for n in (3, 4, 5, 6)
        ]
        assert [found.url for _, found in catalogue.about(store, "http://a.org/2")] == ["http://a.org/2"]
        assert [found.url for _, found in catalogue.about(store, "http://a.org/5")] == ["http://a.org/5"]
        assert len(list(catalogue.link_rows(store))) == 6
        catalogue.roll(store, through=100)
        store.commit(Batch(Changes(), rows=[row(7)]))
        assert [number for number, _ in catalogue.history(store)] == [1, 2, 3, 4, 5, 6, 7]
        (first, *_) = sorted((tmp_path / "store" / "catalogue").glob("history-*.parquet"))
        assert polars.read_parquet(first)["url"].to_list() == ["http://a.org/1", "http://a.org/2", "http://a.org/3"]


def test_a_segment_that_was_never_closed_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with AgentStore(tmp_path / "store") as store:
        store.commit(Batch(Changes(), rows=[row(1), row(2)]))
        with monkeypatch.context() as patch:
            patch.setattr(AgentStore, "drop_rows", lambda *_: None)
            catalogue.roll(store, through=2)
        assert [number for number, _ in catalogue.history(store)] == [1, 2]
        store.commit(Batch(Changes(), rows=[row(3)]))
        catalogue.roll(store, through=3)
        assert [number for number, _ in catalogue.history(store)] == [1, 2, 3]


def test_a_digest_names_its_first_url(tmp_path: Path) -> None:
    with AgentStore(tmp_path / "store") as store:
        assert store.first_with(b"d" * 16) is None
        store.commit(Batch(Changes(), digests={b"d" * 16: "http://a.org/1"}))
        assert store.first_with(b"d" * 16) == "http://a.org/1"
