"""Couriers: which other agents can be heard, and that their letters are read where they were written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import lmdb
import pytest

from lycosa.cooperation.mailbox import Courier, LonelyCourier, MemoryCourier, ProcessCourier
from lycosa.queue_records import Changes
from lycosa.records import Link, Score
from lycosa.storage.agent_store import AgentStore, Batch

LETTER = [(Link("https://a.example/one", anchor="one"), Score(0.75, "said so"))]
NEXT = [(Link("https://a.example/two"), Score(0.25)), (Link("https://a.example/three"), Score(0.5))]


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[list[AgentStore]]:
    made = [AgentStore(folder) for folder in folders(tmp_path)]
    yield made
    for store in made:
        store.close()


def folders(home: Path) -> list[Path]:
    return [home / str(number) for number in range(3)]


def post(sender: AgentStore, receiver: int, letter: list[tuple[Link, Score]]) -> None:
    sender.commit(Batch(Changes(), mail={receiver: letter}))


def be_ready(*made: AgentStore) -> None:
    for store in made:
        (store.folder / "ready").touch()


def heard(courier: Courier, receiver: int, after: int = 0) -> dict[int, list[tuple[int, list[tuple[Link, Score]]]]]:
    """What a receiver finds with each of the others now."""
    for peer in courier.peers().values():
        peer.refresh()
    return {number: peer.mail_for(receiver, after) for number, peer in courier.peers().items()}


def test_an_agent_that_is_alone_hears_nobody() -> None:
    courier = LonelyCourier()
    assert courier.peers() == {}
    courier.close()


def test_agents_of_one_process_read_what_others_wrote_for_them_and_leave_the_stores_open(
    stores: list[AgentStore],
) -> None:
    post(stores[0], 1, LETTER)
    post(stores[2], 0, NEXT)
    courier = MemoryCourier(1, stores)
    assert heard(courier, 1) == {0: [(1, LETTER)], 2: []}
    courier.close()
    assert stores[0].mail_for(1, 0) == [(1, LETTER)]


def test_agents_of_other_processes_are_heard_once_their_stores_are_ready(
    tmp_path: Path, stores: list[AgentStore]
) -> None:
    courier = ProcessCourier(0, [*folders(tmp_path), tmp_path / "not there yet"])
    be_ready(stores[0])
    assert courier.peers() == {}, "an agent does not hear itself"
    be_ready(stores[2])
    first = courier.peers()
    assert list(first) == [2]
    be_ready(stores[1])
    assert set(courier.peers()) == {1, 2}
    assert courier.peers()[2] is first[2], "a store is opened once"
    courier.close()


def test_a_letter_is_read_in_place_until_its_sender_drops_it(tmp_path: Path, stores: list[AgentStore]) -> None:
    be_ready(*stores)
    courier = ProcessCourier(0, folders(tmp_path))
    assert heard(courier, 0) == {1: [], 2: []}
    post(stores[1], 0, LETTER)
    post(stores[1], 0, NEXT)
    for _ in range(2):
        assert heard(courier, 0) == {1: [(1, LETTER), (2, NEXT)], 2: []}, "reading takes nothing away"
    assert heard(courier, 0, after=1)[1] == [(2, NEXT)]
    stores[1].commit(Batch(Changes(), delivered={0: 1}))
    assert heard(courier, 0)[1] == [(2, NEXT)]
    courier.close()


def test_peers_tell_small_facts_and_who_had_a_content_first(tmp_path: Path, stores: list[AgentStore]) -> None:
    be_ready(stores[1])
    digest, url = b"d" * 16, "https://b.example/first"
    stores[1].commit(Batch(Changes(), digests={digest: url}, received={0: 7}, marks={"idle": b"yes"}))
    courier = ProcessCourier(0, folders(tmp_path))
    peer = courier.peers()[1]
    assert (peer.first_with(digest), peer.first_with(b"e" * 16)) == (url, None)
    assert (peer.number("received.0"), peer.number("received.2"), peer.mark("idle")) == (7, 0, b"yes")
    courier.close()


def test_a_courier_that_is_closed_lets_go_of_the_stores(tmp_path: Path) -> None:
    for folder in folders(tmp_path):
        with AgentStore(folder) as store:
            be_ready(store)
    courier = ProcessCourier(0, folders(tmp_path))
    assert set(courier.peers()) == {1, 2}
    with pytest.raises(lmdb.Error, match="is being read by this process"):
        AgentStore(tmp_path / "1")
    courier.close()
    with AgentStore(tmp_path / "1") as store:
        post(store, 0, LETTER)
        assert store.mail_for(0, 0) == [(1, LETTER)]
