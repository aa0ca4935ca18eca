"""Sorted sets in two trees: they hold what was put in, wherever it lies."""

from __future__ import annotations

import random
from pathlib import Path

import lmdb
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.storage import site_sets
from lycosa.storage.site_sets import SiteSets

SITES = st.integers(0, 4).map(lambda number: (number * 0x3FFFFFFF).to_bytes(4, "big"))
ENTRIES = st.integers(0, 200).map(lambda number: number.to_bytes(2, "big") * 4)
PAIRS = st.lists(st.tuples(SITES, ENTRIES), max_size=40)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(PAIRS, PAIRS), max_size=12), st.integers(0, 60), st.integers(0, 20))
def test_the_sets_hold_what_was_put_in_and_not_taken_out(
    tmp_path_factory: object, batches: list[tuple[list, list]], young: int, gone: int
) -> None:
    folder = tmp_path_factory.mktemp("sets")  # type: ignore[attr-defined]
    model: set[tuple[bytes, bytes]] = set()
    ever_in: set[tuple[bytes, bytes]] = set()
    before = site_sets.MOST_YOUNG, site_sets.MOST_GONE
    site_sets.MOST_YOUNG, site_sets.MOST_GONE = young, gone
    try:
        with lmdb.open(str(folder), map_size=1 << 26, max_dbs=3) as env:
            sets = SiteSets(env, "found", create=True)
            for put, taken in batches:
                with env.begin(write=True) as txn:
                    sets.discard(txn, sorted(taken))
                    sets.add(txn, sorted(set(put) - (model - set(taken))))
                    sets.move_on(txn)
                    assert txn.stat(sets._young)["entries"] <= young + len(put)
                model = (model - set(taken)) | set(put)
                ever_in |= set(put)
                with env.begin() as txn:
                    for site in {site for site, _ in put + taken}:
                        assert list(sets.entries(txn, site)) == sorted(entry for own, entry in model if own == site)
                    keys = sorted(site + entry[:6] for site, entry in put + taken)
                    found = sets.beginning_with(txn, keys)
                    expected = {site + entry[:6]: entry for site, entry in model if site + entry[:6] in keys}
                    assert {key: found[key] for key in expected} == expected
                    assert all(sets.one_beginning_with(txn, key) == found.get(key) for key in keys)
                    once_in = {site + entry[:6] for site, entry in ever_in}
                    assert found.keys() <= once_in
    finally:
        site_sets.MOST_YOUNG, site_sets.MOST_GONE = before


def test_the_young_tree_stays_small_and_every_site_gets_its_turn(tmp_path: Path, monkeypatch: object) -> None:
    monkeypatch.setattr(site_sets, "MOST_YOUNG", 1000)  # type: ignore[attr-defined]
    with lmdb.open(str(tmp_path), map_size=1 << 26, max_dbs=3) as env:
        sets = SiteSets(env, "found", create=True)
        for batch in range(30):
            numbers = range(batch * 200, batch * 200 + 200)
            pairs = [((n % 7).to_bytes(4, "big"), (n * 2654435761 % 2**64).to_bytes(8, "big")) for n in numbers]
            with env.begin(write=True) as txn:
                sets.add(txn, sorted(pairs))
                sets.move_on(txn)
                assert txn.stat(sets._young)["entries"] <= 1200
                assert sum(txn.stat(tree)["entries"] for tree in sets._trees) == 200 * (batch + 1)
        with env.begin() as txn:
            assert sum(len(list(sets.entries(txn, n.to_bytes(4, "big")))) for n in range(7)) == 6000


def test_a_move_takes_few_sites_wholly_rather_than_a_little_of_each(tmp_path: Path, monkeypatch: object) -> None:
    monkeypatch.setattr(site_sets, "MOST_YOUNG", 4000)  # type: ignore[attr-defined]
    chance = random.Random(1)
    with lmdb.open(str(tmp_path), map_size=1 << 26, max_dbs=3) as env:
        sets = SiteSets(env, "found", create=True)
        sites_moved = []
        for _ in range(60):
            pairs = sorted((chance.randrange(200).to_bytes(4, "big"), chance.randbytes(8)) for _ in range(400))
            with env.begin(write=True) as txn:
                sets.add(txn, pairs)
                sets.move_on(txn)
                cursor = txn.cursor(sets._young)
                sites_moved.append(sum(not cursor.set_key(site) for site in {site for site, _ in pairs}))
        assert max(sites_moved[20:]) < 60
