"""What tells that URLs are new: never of one that is known, and mostly of those that are not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.queue_records import Changes, State, UrlRecord, url_key
from lycosa.storage.agent_store import AgentStore, Batch, StoreFull
from lycosa.storage.bloom_filter import FEWEST, KnownBits
from lycosa.storage.site_sets import SiteSets

KEYS = st.lists(st.binary(min_size=12, max_size=12), unique=True)


@given(KEYS, KEYS)
def test_no_known_key_is_called_new(known: list[bytes], others: list[bytes]) -> None:
    bits = KnownBits()
    bits.put(b"".join(known), 12, 4)
    perhaps = bits.perhaps([*known, *others], 4)
    assert set(known) <= set(perhaps)
    assert list(perhaps) == [key for key in (*known, *others) if key in set(perhaps)]


def test_most_new_keys_are_called_new(keys_of: random.Random) -> None:
    bits = KnownBits()
    bits.put(keys_of.randbytes(12 * 50_000), 12, 4)
    new = [keys_of.randbytes(12) for _ in range(10_000)]
    assert len(bits.perhaps(new, 4)) < 30
    assert list(bits.perhaps(new[: FEWEST - 1], 4)) == new[: FEWEST - 1]


@pytest.fixture
def keys_of() -> random.Random:
    return random.Random(11)


def added(store: AgentStore, keys: list[bytes]) -> None:
    changes, first = Changes(), store.numbered() + 1
    for number, key in enumerate(keys, first):
        changes.urls[key] = UrlRecord(f"http://a.org/{number}", State.WAITING, number=number)
    store.commit(Batch(changes))


@pytest.fixture
def looked_for(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many keys each batch looks for on disk."""
    counts: list[int] = []
    search = SiteSets.beginning_with

    def counted(self: SiteSets, txn: object, keys: list[bytes]) -> dict[bytes, bytes]:
        counts.append(len(keys))
        return search(self, txn, keys)

    monkeypatch.setattr(SiteSets, "beginning_with", counted)
    return counts


def test_a_store_forgets_nobody_over_restarts_and_looks_for_few_that_are_new(
    tmp_path: Path, keys_of: random.Random, looked_for: list[int]
) -> None:
    known: list[bytes] = []
    for _ in range(3):
        with AgentStore(tmp_path / "store", most_young=300) as store:
            for _ in range(40):
                new = [url_key(keys_of.randrange(9), keys_of.randbytes(8)) for _ in range(50)]
                assert store.known(new) == {}
                added(store, new)
                known += new
                assert store.known(known).keys() == set(known)
            assert store.known([url_key(3, keys_of.randbytes(8)) for _ in range(1000)]) == {}
            assert looked_for[-1] < 10
    with AgentStore(tmp_path / "store", readonly=True) as store:
        assert store.known(known).keys() == set(known)


def test_a_batch_that_could_not_be_written_hides_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys_of: random.Random
) -> None:
    """What is read of the index while a batch is written counts, though the batch fails after entries moved on."""
    known = [url_key(keys_of.randrange(9), keys_of.randbytes(8)) for _ in range(2000)]
    with AgentStore(tmp_path / "store") as store:
        added(store, known)
    with AgentStore(tmp_path / "store", most_young=100) as store:
        for number in range(60):
            new = [url_key(keys_of.randrange(9), keys_of.randbytes(8)) for _ in range(20)]
            with monkeypatch.context() as context:
                if number % 2:
                    context.setattr(AgentStore, "_write_rows", _full)
                    with pytest.raises(StoreFull):
                        added(store, new)
                else:
                    added(store, new)
                    known += new
            assert store.known(known).keys() == set(known)


def _full(store: AgentStore, txn: object, batch: Batch) -> None:
    raise StoreFull("no space")
