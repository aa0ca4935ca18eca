"""The agent's store: all of a batch or nothing, letters never lost, Parquet beside the journal."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
from pathlib import Path

import lmdb
import msgspec
import polars
import pytest

from lycosa.configuration.sections import Ceilings, FrontierSection, Politeness, Seconds
from lycosa.configuration.settings import ConfigurationError
from lycosa.frontier.admission import Admission
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.frontier_store import MemoryShelf
from lycosa.frontier.politeness import Manners
from lycosa.frontier.rate_limiter import Throttle
from lycosa.queue_records import Changes, SiteRecord, State, UrlRecord, due_key, key_in_queue, queue_key, url_key
from lycosa.records import Fetched, Link, Response, Score, SiteOpened
from lycosa.storage import catalogue, site_sets
from lycosa.storage.agent_store import AgentStore, Batch, StoreFull
from lycosa.storage.archive import Position
from lycosa.storage.catalogue import VisitRow
from lycosa.storage.link_columns import LinkColumns
from lycosa.urls import fingerprint


def row(number: int) -> VisitRow:
    links = LinkColumns.of([Link("http://b.org/", anchor=f"anchor {number}", tag_path="html/body/a")], (0.5,))
    return VisitRow(f"http://a.org/{number}", float(number), 0, "fetched", status=200, relevance=0.1, links=links)


def test_a_shelf_that_survives(tmp_path: Path) -> None:
    with AgentStore(tmp_path / "store") as store:
        changes = Changes()
        for number, order in enumerate((0.1, -2.0, 0.9)):
            key = url_key(7, bytes([number]) * 8)
            changes.urls[key] = UrlRecord(f"http://a.org/{number}", State.WAITING, order=order, number=number + 1)
            changes.queue(key[:4], queue_key(key, order, number + 1))
        late = url_key(7, b"latelate")
        changes.postponed.add(due_key(50.0, late))
        changes.sites[7] = SiteRecord(7, "http://a.org", 3)
        store.commit(Batch(changes, position=Position(1, 99), marks={"note": b"kept"}))
    with AgentStore(tmp_path / "store") as store:
        best = store.best(7, 2, set())
        assert [key_in_queue(key)[4:] for key in best] == [b"\x02" * 8, b"\x00" * 8]
        assert key_in_queue(store.best(7, 5, set(best))[0])[4:] == b"\x01" * 8
        assert store.due(49.9, 10) == []
        assert store.due(50.0, 10) == [due_key(50.0, late)]
        assert store.position() == Position(1, 99)
        assert store.mark("note") == b"kept"
        assert [site.site for site in store.sites()] == ["http://a.org"]


def found(store: AgentStore, *numbers: int) -> Changes:
    changes = Changes()
    for number in numbers:
        key = url_key(1 + number % 3, number.to_bytes(8, "big"))
        record = UrlRecord(f"http://a.org/{number}", State.WAITING, order=-float(number), number=number)
        changes.urls[key] = record
        changes.queue(key[:4], queue_key(key, record.order, number))
    return changes


def test_urls_are_found_again_in_whichever_run_they_lie(tmp_path: Path) -> None:
    with AgentStore(tmp_path / "store", most_young=15) as store:
        for first in range(1, 101, 10):
            store.commit(Batch(found(store, *range(first, first + 10))))
        keys = [url_key(1 + number % 3, number.to_bytes(8, "big")) for number in range(1, 102)]
        known = store.known(keys)
        assert [known[key].number for key in keys[:-1]] == list(range(1, 101))
        assert keys[-1] not in known
        assert store.url(keys[41]) == known[keys[41]]
        assert store.url(keys[-1]) is None
        assert [record.number for record in store.urls()] == list(range(1, 101))
        assert store.numbered() == 100
        assert [key_in_queue(key)[4:] for key in store.best(1, 3, set())] == [n.to_bytes(8, "big") for n in (3, 6, 9)]
        assert store.place_in_queue(queue_key(keys[98], -99.0, 99)) == 32
        assert store.place_in_queue(queue_key(keys[98], -99.0, 99), most=5) == 5


def test_a_taken_link_leaves_its_queue_and_its_record_changes(tmp_path: Path) -> None:
    with AgentStore(tmp_path / "store", most_young=5) as store:
        store.commit(Batch(found(store, *range(1, 31))))
        changes = Changes()
        for queued in store.best(1, 30, set()):
            key = key_in_queue(queued)
            record = store.queued(queued)
            assert record is not None
            assert record == store.url(key)
            changes.unqueue(key[:4], queued)
            changes.urls[key] = msgspec.structs.replace(record, state=State.LEASED)
        store.commit(Batch(changes))
        assert store.best(1, 30, set()) == []
        assert len(store.best(2, 30, set())) == 10
        assert [record.state for record in store.urls()].count(State.LEASED) == 10
        assert len(list(store.urls())) == 30
        assert [record.number for record in store.urls_after(12, 4)] == [13, 14, 15, 16]
        assert {record.state for record in store.urls_after(12, 4)} == {State.WAITING, State.LEASED}
        assert {record.number for record in store.known(list(changes.urls)).values()} == set(range(3, 31, 3))


def test_a_reader_finds_no_damage_in_what_is_replaced_meanwhile(tmp_path: Path) -> None:
    with AgentStore(tmp_path / "store", most_young=5) as owner:
        owner.commit(Batch(found(owner, *range(1, 31))))
        with AgentStore(tmp_path / "store", readonly=True) as reader:
            for first in range(31, 181, 30):
                owner.commit(Batch(found(owner, *range(first, first + 30))))
            assert reader.damaged() == []
            assert reader.numbered() == 30
            assert [key_in_queue(key)[4:] for key in reader.best(1, 2, set())] == [n.to_bytes(8, "big") for n in (3, 6)]
            reader.refresh()
            assert reader.damaged() == []
            assert reader.numbered() == 180


def test_a_store_that_cannot_be_rebuilt_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with AgentStore(tmp_path / "store", most_young=5) as store:
        store.commit(Batch(a_crawl_of("a.org", range(1, 31))))
        before = store.best(1, 50, set())
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(StoreFull):
                store.rebuild()
        assert store.best(1, 50, set()) == before
        assert store.find("http://a.org/7") is not None
        assert store.rebuild() == 30
        store.commit(Batch(a_crawl_of("a.org", range(31, 41))))
        assert len(store.best(1, 50, set())) == 40
    with AgentStore(tmp_path / "store") as store:
        assert len(store.best(1, 50, set())) == 40
        assert store.damaged() == []


def a_crawl_of(host: str, numbers: range) -> Changes:
    """Links of one site that wait, with keys that are theirs."""
    changes = Changes()
    changes.sites[1] = SiteRecord(1, f"http://{host}", len(numbers))
    for number in numbers:
        record = UrlRecord(f"http://{host}/{number}", State.WAITING, order=-float(number), number=number)
        key = url_key(1, fingerprint(record.url))
        changes.urls[key] = record
        changes.queue(key[:4], queue_key(key, record.order, number))
    return changes


def a_frontier(shelf: MemoryShelf | AgentStore) -> Frontier:
    politeness = Politeness(delay=Seconds(0), address_delay=Seconds(0), per_address=1000)
    settings = FrontierSection(heads_per_site=4, cached_urls=10)
    return Frontier(shelf, Admission([]), Manners(politeness), Throttle(Ceilings()), settings)


def moves(frontier: Frontier, chance: random.Random) -> list[str]:
    """Some links found, some judged again, some visited; returns what was visited."""
    urls = [f"http://{chance.choice('abc')}.org/{chance.randrange(60)}" for _ in range(30)]
    frontier.add([Link(url) for url in urls[:20]], [Score(chance.random()) for _ in urls[:20]], 0.0)
    frontier.revise([(url, Score(chance.random())) for url in urls[20:]], 0.0)
    while (site := frontier.site_to_open(0.0)) is not None:
        frontier.opened(SiteOpened(site, "192.0.2.1", until=9.0, requested=False), 0.0)
    visited = []
    for _ in range(chance.randrange(8)):
        if (link := frontier.next(0.0)) is not None:
            visited.append(link.url)
            if chance.random() < 0.2:
                frontier.give_back(link, 0.0)
                continue
            outcome = Fetched(link, Response(link.url, 200))
            frontier.finished(link, outcome, 0.0, 0.0)
            frontier.settle(link, outcome, 0.0)
    return visited


@pytest.mark.parametrize("seed", range(8))
def test_a_frontier_goes_the_same_way_on_disk_as_in_memory(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_sets, "MOST_GONE", seed * 3)
    memory = MemoryShelf()
    with AgentStore(tmp_path / "store", most_young=20) as store:
        in_memory, on_disk = a_frontier(memory), a_frontier(store)
        for number in range(25):
            step = seed * 1000 + number
            assert moves(in_memory, random.Random(step)) == moves(on_disk, random.Random(step))
            memory.apply(in_memory.drain())
            store.commit(Batch(on_disk.drain()))
            if number % 7 == 6:
                in_memory, on_disk = a_frontier(memory), a_frontier(store)
            assert in_memory.waiting == on_disk.waiting
        queued = sum(len(store.best(site.number, 1000, set())) for site in store.sites())
        assert queued == on_disk.waiting
        assert store.numbered() == len(list(store.urls())) == memory.numbered()


@pytest.mark.parametrize("table", [b"urls", b"old-index"])
def test_a_store_of_an_older_layout_is_refused_with_a_reason(tmp_path: Path, table: bytes) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    with lmdb.open(str(folder), max_dbs=1) as env:
        env.open_db(table)
    with pytest.raises(ConfigurationError, match="older version"):
        AgentStore(folder)


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


def test_rows_are_dropped_after_the_names_of_their_segments_are_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, int]] = []
    with AgentStore(tmp_path / "store") as store:
        store.commit(Batch(Changes(), [row(number) for number in range(3)]))
        monkeypatch.setattr(catalogue, "sync", lambda path: done.append((path.suffix, store.count("visits"))))
        catalogue.roll(store, through=3)
        assert done == [(".partial", 3), (".partial", 3), ("", 3)]
        assert store.count("visits") == 0


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
