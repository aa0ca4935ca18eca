"""Runs of sorted rows: whole or not at all, few however many rows, and never mistaken for each other."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import lmdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.storage import sorted_runs
from lycosa.storage.sorted_runs import Rows, RunLost, SortedRuns, as_rows, below, common, due, merged, row

WIDTH = 5
ROWS = st.lists(st.binary(min_size=WIDTH, max_size=WIDTH), unique=True).map(sorted)


def rows_of(texts: Iterable[bytes]) -> Rows:
    return as_rows(b"".join(texts), WIDTH)


@pytest.fixture
def env(tmp_path: Path) -> Iterator[lmdb.Environment]:
    with lmdb.open(str(tmp_path), map_size=1 << 24, max_dbs=2) as opened:
        yield opened


def runs_of(env: lmdb.Environment, *, owner: bool = True) -> SortedRuns:
    return SortedRuns(env, Path(env.path()), "some", WIDTH, owner=owner)


def written(env: lmdb.Environment, runs: SortedRuns, texts: Iterable[bytes], instead_of: Iterable[int] = ()) -> None:
    with env.begin(write=True) as txn:
        runs.replace(txn, instead_of, [rows_of(texts)])


def held(env: lmdb.Environment, runs: SortedRuns) -> list[tuple[int, list[bytes]]]:
    with env.begin() as txn:
        assert runs.look(txn)
    return [(number, [row(rows, place) for place in range(len(rows))]) for number, rows in runs]


@given(st.lists(st.tuples(ROWS, st.randoms()), min_size=1, max_size=5), st.integers(1, 9))
def test_merging_is_sorting_what_is_marked(parts: list, at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_runs, "AT_ONCE", at_once)
        marks = [np.array([chance.random() < 0.7 for _ in texts], np.bool_) for texts, chance in parts]
        sources = [(rows_of(texts), marked) for (texts, _), marked in zip(parts, marks, strict=True)]
        some = list(merged(sources))
    expected = sorted(
        text for (texts, _), marked in zip(parts, marks, strict=True) for text in np.array(texts, object)[marked]
    )
    assert b"".join(each.tobytes() for each in some) == b"".join(expected)
    assert max(map(len, some)) <= at_once * len(parts)


@given(ROWS, st.binary(max_size=WIDTH))
def test_rows_before_a_beginning_are_counted(texts: list[bytes], beginning: bytes) -> None:
    assert below(rows_of(texts), beginning) == sum(text < beginning for text in texts)


@given(st.lists(st.integers(1, 1000), max_size=300))
def test_each_run_stays_half_as_long_as_all_that_are_newer(lengths: list[int]) -> None:
    runs: list[int] = []
    for new in lengths:
        number = due(runs, new)
        runs[len(runs) - number :] = [sum(runs[len(runs) - number :]) + new]
        assert all(2 * runs[place] >= sum(runs[place + 1 :]) for place in range(len(runs)))
    assert sum(runs) == sum(lengths)
    assert len(runs) <= 2 * sum(lengths).bit_length() + 1


def test_runs_are_there_again_after_a_restart_and_replaced_ones_are_gone(env: lmdb.Environment, tmp_path: Path) -> None:
    runs = runs_of(env)
    written(env, runs, [b"aa\0\0\0", b"bbbbb"])
    written(env, runs, [b"ccccc"])
    assert held(env, runs) == held(env, runs_of(env)) == [(1, [b"aa\0\0\0", b"bbbbb"]), (2, [b"ccccc"])]
    written(env, runs, [b"aa\0\0\0", b"ccccc"], instead_of=[1, 2])
    assert len(list(tmp_path.glob("*.run"))) == 3
    assert held(env, runs) == [(3, [b"aa\0\0\0", b"ccccc"])]
    assert [path.name for path in tmp_path.glob("*.run")] == ["some-000003.run"]


def test_an_empty_run_is_none_and_its_number_is_not_used_again(env: lmdb.Environment, tmp_path: Path) -> None:
    runs = runs_of(env)
    written(env, runs, [b"aaaaa"])
    written(env, runs, [], instead_of=[1])
    assert held(env, runs) == []
    written(env, runs, [b"bbbbb"])
    assert held(env, runs) == [(3, [b"bbbbb"])]


def test_a_transaction_that_fails_changes_nothing_and_leaves_nothing_for_long(
    env: lmdb.Environment, tmp_path: Path
) -> None:
    runs = runs_of(env)
    written(env, runs, [b"aaaaa"])
    with env.begin(write=True) as txn:
        runs.replace(txn, [1], [rows_of([b"bbbbb", b"ccccc"])])
        txn.abort()
    assert held(env, runs) == [(1, [b"aaaaa"])]
    assert len(list(tmp_path.glob("*.run"))) == 2
    with env.begin() as txn:
        runs.sweep(txn)
    assert [path.name for path in tmp_path.glob("*.run")] == ["some-000001.run"]
    written(env, runs, [b"ddddd"])
    assert held(env, runs) == [(1, [b"aaaaa"]), (2, [b"ddddd"])]


def test_a_run_that_finds_no_room_is_taken_away(
    env: lmdb.Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        written(env, runs_of(env), [b"aaaaa"])
    assert list(tmp_path.glob("*.run")) == []


def test_who_reads_keeps_what_it_saw_while_runs_are_replaced(env: lmdb.Environment) -> None:
    owner, reader = runs_of(env), runs_of(env, owner=False)
    written(env, owner, [b"aaaaa"])
    assert held(env, reader) == [(1, [b"aaaaa"])]
    written(env, owner, [b"bbbbb"], instead_of=[1])
    held(env, owner)
    assert [row(rows, 0) for _, rows in reader] == [b"aaaaa"]
    assert held(env, reader) == [(2, [b"bbbbb"])]


def test_what_is_replaced_while_somebody_reads_is_no_damage(env: lmdb.Environment) -> None:
    owner, reader = runs_of(env), runs_of(env, owner=False)
    written(env, owner, [b"aaaaa"])
    held(env, owner)
    with env.begin() as before:
        assert reader.look(before)
        written(env, owner, [b"bbbbb"], instead_of=[1])
        held(env, owner)
        assert list(Path(env.path()).glob("some-000001.run")) == []
        assert list(reader.damaged(before)) == []
        assert [row(rows, 0) for _, rows in reader] == [b"aaaaa"]


@given(ROWS.filter(bool), ROWS.filter(bool))
def test_common_rows_are_found_from_either_side(one: list[bytes], other: list[bytes]) -> None:
    in_one, in_other = common(rows_of(one), rows_of(other))
    both = sorted(set(one) & set(other))
    assert [one[place] for place in in_one] == [other[place] for place in in_other] == both


@pytest.mark.parametrize("damage", ["lost", "cut", "longer", "changed"])
def test_damage_is_found(env: lmdb.Environment, tmp_path: Path, damage: str) -> None:
    runs = runs_of(env)
    written(env, runs, [b"aaaaa", b"bbbbb"])
    with env.begin() as txn:
        assert list(runs.damaged(txn)) == []
    (path,) = tmp_path.glob("*.run")
    data = path.read_bytes()
    path.write_bytes({"cut": data[:-1], "longer": data + b"x"}.get(damage, b"axaaa" + data[5:]))
    if damage == "lost":
        path.unlink()
    with env.begin() as txn:
        ((name, why),) = runs.damaged(txn)
        assert name == path.name
        assert why
        assert runs.look(txn) == (damage == "changed")
    if damage != "changed":
        with pytest.raises(RunLost, match=r"`lycosa check NAME --repair` builds it again"):
            list(runs)
