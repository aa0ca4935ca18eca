"""One process may read a store from many threads, and beside its own writer, but opens it once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lmdb
import pytest

from lycosa.queue_records import Changes
from lycosa.storage.agent_store import AgentStore, Batch


def read(folder: Path) -> bytes | None:
    with AgentStore(folder, readonly=True) as store:
        return store.mark("counts")


def test_many_threads_read_one_store_at_once(tmp_path: Path) -> None:
    with AgentStore(tmp_path) as store:
        store.commit(Batch(Changes(), marks={"counts": b"7"}))
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(read, [tmp_path] * 200)) == {b"7"}


def test_a_reader_sees_what_the_writer_of_its_own_process_committed(tmp_path: Path) -> None:
    with AgentStore(tmp_path) as store:
        store.commit(Batch(Changes(), marks={"counts": b"1"}))
        assert read(tmp_path) == b"1"
        store.commit(Batch(Changes(), marks={"counts": b"2"}))
        assert read(tmp_path) == b"2"


def test_a_reader_does_not_become_a_writer(tmp_path: Path) -> None:
    AgentStore(tmp_path).close()
    with AgentStore(tmp_path, readonly=True), pytest.raises(lmdb.Error, match="cannot write to it at the same time"):
        AgentStore(tmp_path)
    AgentStore(tmp_path).close()


def test_closing_twice_takes_nothing_from_others(tmp_path: Path) -> None:
    store = AgentStore(tmp_path)
    with AgentStore(tmp_path, readonly=True) as other:
        store.close()
        store.close()
        assert other.mark("counts") is None
