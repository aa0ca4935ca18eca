"""Sorted sets in a young tree and runs: they hold what was put in, wherever it lies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import lmdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.storage import site_sets
from lycosa.storage.site_sets import TABLES, SiteSets
from lycosa.storage.sorted_runs import Rows

SIZE = 8
SITES = st.sampled_from((0, 1, 0xFFFFFFFF)).map(lambda number: number.to_bytes(4, "big"))
ENTRIES = st.integers(0, 40).map(lambda number: number.to_bytes(2, "big") * 4)
PAIRS = st.lists(st.tuples(SITES, ENTRIES), max_size=40)


@contextmanager
def a_set(folder: Path, most_young: int) -> Iterator[tuple[lmdb.Environment, SiteSets]]:
    with lmdb.open(str(folder), map_size=1 << 26, max_dbs=TABLES) as env:
        yield env, SiteSets(env, folder, "found", SIZE, owner=True, most_young=most_young)


@settings(max_examples=400)
@given(st.lists(st.tuples(PAIRS, PAIRS), min_size=4, max_size=16), st.integers(0, 20), st.integers(0, 5))
def test_the_sets_hold_what_was_put_in_and_not_taken_out(
    tmp_path_factory: pytest.TempPathFactory, batches: list[tuple[list, list]], young: int, gone: int
) -> None:
    """Also where something is taken out that is not in, or taken out twice."""
    model: set[tuple[bytes, bytes]] = set()
    ever_in: set[tuple[bytes, bytes]] = set()
    with (
        pytest.MonkeyPatch.context() as patch,
        a_set(tmp_path_factory.mktemp("sets"), young) as (env, sets),
    ):
        patch.setattr(site_sets, "MOST_GONE", gone)
        for put, taken in batches:
            with env.begin(write=True) as txn:
                sets.discard(txn, sorted(taken))
                sets.add(txn, sorted(set(put) - (model - set(taken))))
                sets.move_on(txn)
                assert txn.stat(sets._young)["entries"] <= young
            model = (model - set(taken)) | set(put)
            ever_in |= set(put)
            with env.begin() as txn:
                assert sets.look(txn)
                for site in {site for site, _ in put + taken}:
                    held = sorted(entry for own, entry in model if own == site)
                    assert list(sets.entries(txn, site)) == held
                    without = {site + entry for own, entry in put[:3] if own == site}
                    best = [site + entry for entry in held if site + entry not in without]
                    assert sets.first(txn, site, 5, without) == best[:5]
                    assert sets.first(txn, site, 500, set()) == [site + entry for entry in held]
                keys = sorted({site + entry[:6] for site, entry in put + taken})
                found = sets.beginning_with(txn, keys)
                expected = {site + entry[:6]: entry for site, entry in model if site + entry[:6] in keys}
                assert {key: found[key] for key in expected} == expected
                assert all(sets.one_beginning_with(txn, key) == found.get(key) for key in keys)
                assert found.keys() <= {site + entry[:6] for site, entry in ever_in}
                rows = {rows[at : at + 1].tobytes() for rows in sets.all_rows(txn) for at in range(len(rows))}
                assert rows >= {site + entry for site, entry in model}


def noted(sets: SiteSets, txn: lmdb.Transaction) -> int:
    return sum(txn.stat(tree)["entries"] for tree in (sets._gone, sets._amid))


def numbered(numbers: range) -> list[tuple[bytes, bytes]]:
    return sorted(
        (bytes([0, 0, 0, number % 7]), (number * 2654435761 % 2**64).to_bytes(8, "big")) for number in numbers
    )


def test_the_young_tree_and_the_number_of_runs_stay_small(tmp_path: Path) -> None:
    with a_set(tmp_path, 1000) as (env, sets):
        for batch in range(100):
            with env.begin(write=True) as txn:
                sets.add(txn, numbered(range(batch * 300, batch * 300 + 300)))
                sets.move_on(txn)
                assert txn.stat(sets._young)["entries"] <= 1000
            with env.begin() as txn:
                assert sets.look(txn)
            assert len(list(sets._runs)) <= 6
            assert len(list(tmp_path.glob("*.run"))) == len(list(sets._runs))
        with env.begin() as txn:
            assert sum(len(list(sets.entries(txn, bytes([0, 0, 0, n])))) for n in range(7)) == 30_000


def test_what_is_taken_from_the_front_of_runs_leaves_no_notes_and_what_lies_amid_them_few(tmp_path: Path) -> None:
    with a_set(tmp_path, 0) as (env, sets):
        pairs = numbered(range(7000))
        with env.begin(write=True) as txn:
            sets.add(txn, pairs)
            sets.move_on(txn)
        with env.begin() as txn:
            assert sets.look(txn)
        site = bytes(4)
        own = [pair for pair in pairs if pair[0] == site]
        for at in range(0, 900, 30):
            with env.begin(write=True) as txn:
                assert sets.first(txn, site, 30, set()) == [site + entry for _, entry in own[at : at + 30]]
                sets.discard(txn, own[at : at + 30])
                assert noted(sets, txn) <= site_sets.MOST_GONE
        amid = [pair for pair in pairs if pair[0] != site][::3]
        with env.begin(write=True) as txn:
            sets.discard(txn, amid)
            assert len(amid) - 7 < noted(sets, txn) <= len(amid)
            sets.add(txn, [(site, bytes(8))])
            sets.move_on(txn)
            assert noted(sets, txn) == 0
        with env.begin() as txn:
            assert sets.look(txn)
            assert sum(len(rows) for _, rows in sets._runs) == 7000 - 900 - len(amid) + 1
            left = sorted(set(pairs) - set(own[:900]) - set(amid) | {(site, bytes(8))})
            assert [(s, e) for s in sorted({s for s, _ in pairs}) for e in sets.entries(txn, s)] == left


def test_taking_costs_the_same_however_much_is_gone_from_amid_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[int] = []
    split = site_sets._split

    def counted(rows: Rows, width: int) -> list[bytes]:
        looked_at.append(len(rows))
        return split(rows, width)

    site, entries = bytes(4), [number.to_bytes(SIZE, "big") for number in range(20_000)]
    with a_set(tmp_path, 0) as (env, sets):
        with env.begin(write=True) as txn:
            sets.add(txn, [(site, entry) for entry in entries])
            sets.move_on(txn)
        with env.begin() as txn:
            assert sets.look(txn)
        amid = entries[5000:10_000:2] + entries[15_000:]
        with env.begin(write=True) as txn:
            sets.discard(txn, [(site, entry) for entry in amid])
        monkeypatch.setattr(site_sets, "_split", counted)
        left, taken = sorted(set(entries) - set(amid)), 0
        while taken < 9000:
            with env.begin(write=True) as txn:
                best = sets.first(txn, site, 50, set())
                assert best == [site + entry for entry in left[taken : taken + 50]]
                sets.discard(txn, [(site, key[4:]) for key in best])
                taken += len(best)
                assert txn.stat(sets._gone)["entries"] <= site_sets.MOST_GONE
        assert sum(looked_at) < 12 * taken
        with env.begin() as txn:
            assert noted(sets, txn) <= site_sets.MOST_GONE + 5000 + 50
