"""Keys of days: what lies on disk, for how long, and what stores of earlier versions hold."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lycosa.click_records import DAY
from lycosa.configuration.settings import ConfigurationError
from lycosa.storage.day_keys import LENGTH, DayKeys


def test_a_destroyed_key_leaves_its_day_on_the_list_and_no_file(tmp_path: Path) -> None:
    keys = DayKeys(tmp_path)
    assert keys.key(100) is not None
    assert keys.destroy(101.0 * DAY, passed=[7, 9]) == [100]
    assert keys.closed() == {7, 9, 100}
    assert [path.name for path in (tmp_path / "keys").iterdir()] == ["closed"]
    assert [DayKeys(tmp_path).key(day) for day in (7, 9, 100)] == [None] * 3
    assert DayKeys(tmp_path).key(8) is not None


def test_a_day_is_closed_though_its_key_could_not_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = DayKeys(tmp_path)
    keys.key(100)

    def full(*_: object, **__: object) -> None:
        raise OSError("the disk is gone")

    with monkeypatch.context() as broken:
        broken.setattr(Path, "unlink", full)
        with pytest.raises(OSError, match="gone"):
            keys.destroy(101.0 * DAY)
    assert (tmp_path / "keys" / "100").read_bytes() == bytes(LENGTH)
    assert keys.key(100) is None
    assert keys.kept_key(100) is None
    assert keys.destroy(101.0 * DAY) == [100]
    assert keys.days() == []


def test_an_empty_file_of_an_earlier_version_closes_its_day(tmp_path: Path) -> None:
    keys = DayKeys(tmp_path)
    (tmp_path / "keys" / "100").touch()
    keys.close([99])
    assert keys.closed() == {99, 100}
    assert keys.key(100) is None
    assert keys.days() == []


def test_no_day_is_lost_when_many_close_days_at_once(tmp_path: Path) -> None:
    DayKeys(tmp_path)
    with ThreadPoolExecutor(4) as many:
        list(many.map(lambda day: DayKeys(tmp_path).close([day]), range(60)))
    assert DayKeys(tmp_path).closed() == set(range(60))


def test_a_damaged_list_is_named(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "closed").write_bytes(b"100\n\xff\x00\n")
    with pytest.raises(ConfigurationError, match="closed: this list of closed days is damaged"):
        DayKeys(tmp_path).closed()
