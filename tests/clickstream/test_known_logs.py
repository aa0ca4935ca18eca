"""Logs that were read before are known by what they say: reading goes on where it ended, under whatever name."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from log_desk import NOON, line

from lycosa.click_records import Source
from lycosa.clickstream.server_logs import known_logs
from lycosa.clickstream.server_logs.known_logs import OpenLog, Reached, marks_of, open_log
from lycosa.clickstream.server_logs.log_files import STDIN, LogFile
from lycosa.storage.click_store import ClickStore

SITE = "example.org"
LINES = [line(NOON + place, f"/{place}").encode() for place in range(9)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ClickStore]:
    with ClickStore(tmp_path / "clicks") as made:
        yield made


def written(folder: Path, data: bytes, name: str = "access.log") -> LogFile:
    (folder / name).write_bytes(data)
    return LogFile(str(folder / name))


def opened(file: LogFile, store: ClickStore, site: str = SITE) -> OpenLog:
    log = open_log(file, site, store)
    assert log is not None
    return log


def rest(log: OpenLog) -> bytes:
    """All lines of an open log that were not read before."""
    found = b""
    while (block := log.blocks.next()).length:
        found += block.data[: block.length]
    log.release()
    return found


def place_of(log: OpenLog) -> Reached:
    prefix = log.blocks.prefix
    return Reached(prefix.length, prefix.digest, log.reached.digest if log.reached else b"")


def read_through(file: LogFile, store: ClickStore, site: str = SITE) -> bytes:
    """Read what is new in a log and remember how far that was."""
    log = opened(file, store, site)
    found = rest(log)
    store.add_pages(site, Source.LOG, [], marks=marks_of([(log, place_of(log))]))
    return found


def test_a_new_log_begins_at_its_first_byte_and_one_without_a_line_is_none(tmp_path: Path, store: ClickStore) -> None:
    data = b"".join(LINES[:3])
    log = opened(written(tmp_path, data), store)
    assert (log.reached, log.known, log.shorter_copy) == (None, [], False)
    assert rest(log) == data
    for empty in (b"", b"\n\n#Fields: time\n", b"half a line"):
        assert open_log(written(tmp_path, empty), SITE, store) is None


def test_a_log_goes_on_where_it_ended_though_it_was_renamed_packed_and_has_grown(
    tmp_path: Path, store: ClickStore
) -> None:
    assert read_through(written(tmp_path, b"".join(LINES[:3])), store) == b"".join(LINES[:3])
    assert read_through(written(tmp_path, b"".join(LINES[:5]), "access.log.1"), store) == b"".join(LINES[3:5])
    packed = written(tmp_path, gzip.compress(b"".join(LINES)), "old.gz")
    assert opened(packed, store, "example.com").reached is None, "another site has not read it"
    assert read_through(packed, store) == b"".join(LINES[5:])
    assert read_through(packed, store) == b""


def test_a_log_that_only_begins_alike_goes_on_after_what_is_the_same(tmp_path: Path, store: ClickStore) -> None:
    read_through(written(tmp_path, b"".join(LINES[:3])), store)
    read_through(written(tmp_path, b"".join(LINES[:6])), store)
    other = LINES[0] + b"".join(LINES[5:])
    assert read_through(written(tmp_path, other, "other"), store) == other
    forked = b"".join(LINES[:3]) + b"".join(reversed(LINES[3:]))
    log = opened(written(tmp_path, forked, "forked"), store)
    assert log.reached is not None
    assert (log.reached.length, log.shorter_copy) == (len(b"".join(LINES[:3])), False)
    assert rest(log) == b"".join(reversed(LINES[3:]))


def test_a_copy_that_ends_between_two_places_is_told_from_a_log_that_grew(tmp_path: Path, store: ClickStore) -> None:
    read_through(written(tmp_path, b"".join(LINES[:2])), store)
    read_through(written(tmp_path, LINES[0] + b"".join(LINES[3:]), "longer, and no copy of it"), store)
    assert not opened(written(tmp_path, b"".join(LINES[:3]), "young"), store).shorter_copy
    read_through(written(tmp_path, b"".join(LINES[:6])), store)
    copy = opened(written(tmp_path, b"".join(LINES[:4]), "copy"), store)
    assert copy.shorter_copy
    assert rest(copy) == b"".join(LINES[2:4])
    assert not opened(written(tmp_path, b"".join(LINES[:7]), "grown"), store).shorter_copy


def test_a_log_that_was_released_is_opened_again_at_the_same_place(tmp_path: Path, store: ClickStore) -> None:
    file = written(tmp_path, b"".join(LINES[:4]))
    read_through(file, store)
    log = opened(written(tmp_path, b"".join(LINES)), store)
    log.release()
    with pytest.raises(ValueError, match="closed file"):
        log.blocks.stream.give_back(0)
    log.resume()
    assert rest(log) == b"".join(LINES[4:])
    fresh = opened(written(tmp_path, LINES[8], "fresh"), store)
    fresh.release()
    fresh.resume()
    assert rest(fresh) == LINES[8]


def test_standard_input_goes_on_where_the_same_log_ended_as_a_file(tmp_path: Path, store: ClickStore) -> None:
    read_through(written(tmp_path, b"".join(LINES[:4])), store)
    read_through(written(tmp_path, b"".join(LINES[:6])), store)
    pipe = io.BytesIO(b"".join(LINES[:4]) + b"".join(reversed(LINES[4:])))
    piped = opened(LogFile(STDIN, opened=lambda: pipe), store)
    piped.release()
    piped.resume()
    assert rest(piped) == b"".join(reversed(LINES[4:])), "it had to be looked at twice, and can be read only once"
    piped.blocks.stream.close()


def test_places_of_a_first_line_are_remembered_up_to_a_number_and_each_once(
    tmp_path: Path, store: ClickStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_logs, "MOST_KNOWN", 3)
    for number in (1, 2, 3, 3, 4):
        read_through(written(tmp_path, b"".join(LINES[:number])), store)
    log = opened(written(tmp_path, b"".join(LINES)), store)
    log.release()
    assert [each.length for each in log.known] == [len(b"".join(LINES[:number])) for number in (2, 3, 4)]


def test_all_of_a_place_is_remembered_and_nothing_where_nothing_was_read(tmp_path: Path, store: ClickStore) -> None:
    file = written(tmp_path, b"".join(LINES))
    log = opened(file, store)
    assert marks_of([(log, Reached(0, b""))]) == {}
    assert log.blocks.skip(len(LINES[0]))
    prefix = log.blocks.prefix
    now = Reached(prefix.length, prefix.digest, b"before", 1, NOON, "#Fields: time", len(LINES[1]), 1, "combined")
    store.add_pages(SITE, Source.LOG, [], marks=marks_of([(log, now)]))
    log.release()
    again = opened(file, store)
    assert (again.reached, again.known) == (now, [now])
    assert rest(again) == b"".join(LINES[1:]), "what is to be read again is not passed over"
    damaged = opened(written(tmp_path, gzip.compress(LINES[0])[:12], "damaged.gz"), store)
    assert "ends too soon" in damaged.blocks.stream.damage
    assert marks_of([(damaged, now)]) == {}, "nobody knows which log it is"
    damaged.release()
