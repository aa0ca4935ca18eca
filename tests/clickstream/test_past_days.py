"""Logs of days that are long over: no key of theirs on disk, one list, and stores of earlier versions go on."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from log_desk import NOON, import_logs, line, pages

from lycosa import durable
from lycosa.storage import day_keys
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys

DAY = 86_400
TODAY = NOON // DAY
OLD_STORE = Path(__file__).with_name("click_store_before_the_list.tar.xz")
"""Written by commit c21a9be: a log of nine days before NOON, then one with two views of `/a` from NOON on."""


def log(folder: Path, text: str, name: str = "log") -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_many_past_days_are_one_write_of_one_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Path] = []

    def replace(path: Path, text: str) -> None:
        written.append(path)
        durable.replace_file(path, text)

    def refuse(*_: object) -> None:
        raise AssertionError("a key was written")

    monkeypatch.setattr(day_keys, "replace_file", replace)
    monkeypatch.setattr(DayKeys, "_make", refuse)
    days = range(TODAY - 900, TODAY - 2)
    text = "".join(line(day * DAY + 60 * minute, f"/{minute}") for day in days for minute in range(2))
    found = import_logs(tmp_path / "store", [log(tmp_path, text)])
    assert (found.visits, found.visitors, found.sessions) == (2 * len(days), 2 * len(days), len(days))
    assert [path.name for path in written] == ["closed"]
    assert DayKeys(tmp_path / "store").closed() == set(days)
    assert [path.name for path in (tmp_path / "store" / "keys").iterdir()] == ["closed"]


def test_a_later_log_of_a_past_day_adds_views_without_sessions(tmp_path: Path) -> None:
    past = NOON - 100 * DAY
    import_logs(tmp_path / "store", [log(tmp_path, line(past, "/a"), "one")])
    late = import_logs(tmp_path / "store", [log(tmp_path, line(past + 5, "/a") + line(past + DAY, "/a"), "two")])
    assert (late.visits, late.visitors, late.sessions, late.without_session) == (2, 1, 1, 1)
    assert pages(tmp_path / "store")["http://example.org/a"].visits == 3


def test_only_days_whose_48_hours_last_by_the_clock_have_a_key_on_disk(tmp_path: Path) -> None:
    text = "".join(line(NOON - ago * DAY, "/a") for ago in range(9, -1, -1))
    import_logs(tmp_path / "store", [log(tmp_path, text)], now=NOON + 60)
    keys = DayKeys(tmp_path / "store")
    assert keys.days() == [TODAY - 2, TODAY - 1, TODAY]
    assert keys.closed() == set(range(TODAY - 9, TODAY - 2))


@pytest.fixture
def old_store(tmp_path: Path) -> Path:
    with tarfile.open(OLD_STORE) as packed:
        packed.extractall(tmp_path, filter="data")
    return tmp_path / "clicks"


def test_a_store_of_an_earlier_version_goes_on_with_its_keys(tmp_path: Path, old_store: Path) -> None:
    assert DayKeys(old_store).closed() == {TODAY - 9}
    text = line(NOON - 9 * DAY + 9, "/late") + line(NOON + 120, "/a") + line(NOON + 180, "/b")
    found = import_logs(old_store, [log(tmp_path, text)], now=NOON + 200)
    assert (found.visits, found.without_session, found.sessions, found.visitors) == (3, 1, 0, 1)
    after = pages(old_store)
    assert after["http://example.org/late"].visitors == 0
    assert after["http://example.org/a"].visits == 6
    assert DayKeys(old_store).days() == [TODAY]


def test_a_key_of_an_earlier_version_is_destroyed_when_its_time_is_over(tmp_path: Path, old_store: Path) -> None:
    key = (old_store / "keys" / str(TODAY)).read_bytes()
    found = import_logs(old_store, [log(tmp_path, line(NOON + 90, "/b"))], now=NOON + 9 * DAY)
    assert (found.sessions, found.keys_destroyed, found.open_sessions) == (0, 1, 0)
    assert DayKeys(old_store).days() == []
    assert DayKeys(old_store).closed() == {TODAY - 9, TODAY}
    assert key not in b"".join(path.read_bytes() for path in old_store.rglob("*") if path.is_file())
    with ClickStore(old_store) as store:
        assert list(store.marks("seen:")) == []
