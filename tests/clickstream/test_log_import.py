"""Imports of logs: nothing counts twice, nothing is lost, whatever the logs are packed in, cut into or damaged by."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from log_desk import BROWSER, NOON, import_logs, line, pages

from lycosa.clickstream.server_logs import log_files, log_import
from lycosa.clickstream.server_logs import request_filter as log_requests
from lycosa.configuration.settings import ConfigurationError
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys

LATER = NOON + 10 * 86_400
A_FEW = [line(NOON + 30 * place, f"/{place % 3}", address=f"10.0.0.{place % 4}") for place in range(40)]


def log(folder: Path, text: str | bytes, name: str = "log") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def visits(folder: Path) -> int:
    return sum(page.visits for page in pages(folder).values())


def test_importing_a_log_twice_counts_nothing_twice(tmp_path: Path) -> None:
    path = log(tmp_path, "".join(A_FEW))
    first = import_logs(tmp_path / "store", [path])
    before = pages(tmp_path / "store")
    again = import_logs(tmp_path / "store", [path])
    assert (first.visits, again.visits, again.counts.lines) == (40, 0, 0)
    assert pages(tmp_path / "store") == before


def test_a_log_that_was_rotated_packed_and_has_grown_goes_on_where_it_was(tmp_path: Path) -> None:
    import_logs(tmp_path / "store", [log(tmp_path, "".join(A_FEW[:10]), "access.log")])
    found = import_logs(
        tmp_path / "store", [log(tmp_path, gzip.compress("".join(A_FEW[:25]).encode()), "access.log.1.gz")]
    )
    assert found.visits == 15
    packed = zstandard.ZstdCompressor().compress("".join(A_FEW).encode())
    found = import_logs(tmp_path / "store", [log(tmp_path, packed, "old.zst")])
    assert found.visits == 15
    import_logs(tmp_path / "whole", [log(tmp_path, "".join(A_FEW), "whole.log")])
    assert pages(tmp_path / "store") == pages(tmp_path / "whole")


@pytest.mark.parametrize("imports", [(10, 40), (10, 40, 40)], ids=["once", "after nothing new"])
def test_an_older_shorter_copy_counts_nothing(tmp_path: Path, imports: tuple[int, ...]) -> None:
    for number in imports:
        import_logs(tmp_path / "store", [log(tmp_path, "".join(A_FEW[:number]))])
    found = import_logs(tmp_path / "store", [log(tmp_path, "".join(A_FEW[:20]), "copy")])
    assert found.visits == 0
    assert "shorter copy" in found.logs[0].said


def test_copies_of_a_log_in_one_import_count_once(tmp_path: Path) -> None:
    text = "".join(A_FEW).encode()
    logs = [
        log(tmp_path, text, "logs/b"),
        log(tmp_path, gzip.compress(text), "logs/a.gz"),
        log(tmp_path, text[:900], "logs/c"),
    ]
    assert import_logs(tmp_path / "store", logs).visits == 40


def test_two_logs_that_begin_alike_both_count(tmp_path: Path) -> None:
    first = log(tmp_path, A_FEW[0] + A_FEW[1], "one")
    second = log(tmp_path, A_FEW[0] + A_FEW[2] + A_FEW[3], "two")
    assert import_logs(tmp_path / "store", [first, second]).visits == 5
    assert import_logs(tmp_path / "store", [second, first]).visits == 0


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 5000), seed=st.integers(0, 9))
def test_cutting_a_log_at_any_byte_into_two_imports_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, cut: int, seed: int
) -> None:
    folder, chance = tmp_path_factory.mktemp("cut"), random.Random(seed)
    at, text = NOON + 42_000, ""
    for _ in range(30):
        at += chance.choice([1, 20, 700, 1900, -30])
        target = chance.choice(["/a", "/b", "/robots.txt", "/s.css", "/c?d"])
        text += line(at, target, address=f"10.0.0.{chance.randrange(5)}", status=chance.choice([200, 200, 404]))
    whole, cut = text.encode(), min(cut, len(text))
    import_logs(folder / "once", [log(folder, whole, "once.log")], now=at + 60)
    if cut:
        import_logs(folder / "twice", [log(folder, whole[:cut], "part.log")], now=at + 60)
    import_logs(folder / "twice", [log(folder, whole, "grown.log")], now=at + 60)
    last = log(folder, line(at + 7200, "/end", address="10.9.9.9"), "end.log")
    for store in ("once", "twice"):
        import_logs(folder / store, [last], now=at + 7300)
    assert pages(folder / "twice") == pages(folder / "once")


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1000), order=st.permutations([0, 1, 2]))
def test_the_order_of_files_does_not_matter_and_they_are_merged_by_time(
    tmp_path_factory: pytest.TempPathFactory, seed: int, order: list[int]
) -> None:
    folder, chance = tmp_path_factory.mktemp("merge"), random.Random(seed)
    lines: list[list[str]] = [[], [], []]
    whole = ""
    for place in range(60):
        text = line(NOON + place * 61, f"/{chance.randrange(4)}", address=f"10.0.0.{chance.randrange(3)}")
        lines[chance.randrange(3)].append(text)
        whole += text
    files = [log(folder, "".join(each), f"server{number}") for number, each in enumerate(lines)]
    import_logs(folder / "one", [log(folder, whole, "whole")], now=LATER)
    import_logs(folder / "three", [files[number] for number in order], now=LATER)
    assert pages(folder / "three") == pages(folder / "one")


def test_a_last_line_without_an_end_waits(tmp_path: Path) -> None:
    text = "".join(A_FEW[:3])
    found = import_logs(tmp_path / "store", [log(tmp_path, text[:-20])])
    assert (found.visits, found.counts.bad) == (2, 0)
    assert found.logs[0].waiting > 0
    assert import_logs(tmp_path / "store", [log(tmp_path, text)]).visits == 1


@pytest.mark.parametrize("before", ["", "#Fields: date time\n", "\n"])
def test_a_single_line_without_an_end_waits_and_is_no_empty_log(tmp_path: Path, before: str) -> None:
    path = log(tmp_path, before + line(NOON).rstrip("\n"))
    (note,) = import_logs(tmp_path / "store", [path]).logs
    assert (note.waiting, note.said) == (len(line(NOON)) - 1, "")
    path.write_text(before + line(NOON))
    assert import_logs(tmp_path / "store", [path]).visits == 1


def test_a_packed_log_is_closed_and_its_last_line_needs_no_end(tmp_path: Path) -> None:
    path = log(tmp_path, gzip.compress("".join(A_FEW[:3])[:-1].encode()), "log.gz")
    assert import_logs(tmp_path / "store", [path]).visits == 3


def test_a_truncated_gzip_counts_what_can_be_read_and_the_whole_one_goes_on(tmp_path: Path) -> None:
    chance = random.Random(3)
    text = "".join(line(NOON + place, f"/{chance.random()}", address=f"10.0.{place % 50}.1") for place in range(2000))
    packed = gzip.compress(text.encode())
    found = import_logs(tmp_path / "store", [log(tmp_path, packed[: len(packed) // 2], "log.gz")])
    assert "too soon" in found.logs[0].said
    assert 100 < found.visits < 2000
    again = import_logs(tmp_path / "store", [log(tmp_path, packed, "whole.gz")])
    assert again.logs[0].said == ""
    assert found.visits + again.visits == 2000
    assert visits(tmp_path / "store") == 2000


@pytest.mark.parametrize("damage", [b"garbage" * 9, b"\x1f\x8bnot gzip at all"])
def test_damage_inside_a_packed_log_is_told(tmp_path: Path, damage: bytes) -> None:
    packed = gzip.compress("".join(A_FEW).encode())
    found = import_logs(tmp_path / "store", [log(tmp_path, packed + damage, "log.gz")])
    assert found.visits == 40
    assert "gzip" in found.logs[0].said


def test_packed_logs_of_several_members_are_read_to_the_end(tmp_path: Path) -> None:
    halves = ["".join(A_FEW[:20]).encode(), "".join(A_FEW[20:]).encode()]
    gz = log(tmp_path, b"".join(map(gzip.compress, halves)) + bytes(512), "a.gz")
    zst = log(tmp_path, b"".join(map(zstandard.ZstdCompressor().compress, halves)), "a.zst")
    assert import_logs(tmp_path / "one", [gz]).visits == 40
    assert import_logs(tmp_path / "two", [zst]).visits == 40
    assert import_logs(tmp_path / "two", [gz]).visits == 0


def test_sessions_go_on_in_the_next_import_also_over_midnight(tmp_path: Path) -> None:
    midnight = NOON + 43_200
    first = log(tmp_path, line(midnight - 100, "/a"), "one.log")
    found = import_logs(tmp_path / "store", [first], now=midnight)
    assert (found.sessions, found.open_sessions) == (1, 1)
    assert pages(tmp_path / "store")["http://example.org/a"].unended == 0
    second = log(tmp_path, line(midnight + 100, "/b"), "two.log")
    found = import_logs(tmp_path / "store", [second], now=midnight + 200)
    assert found.sessions == 0
    assert pages(tmp_path / "store")["http://example.org/a"].duration == 200_000


def test_robots_are_remembered_in_the_next_import(tmp_path: Path) -> None:
    import_logs(tmp_path / "store", [log(tmp_path, line(NOON, "/robots.txt"), "one")], now=NOON)
    found = import_logs(tmp_path / "store", [log(tmp_path, line(NOON + 7200, "/b"), "two")], now=NOON + 7300)
    assert found.left_out == {"robots-txt-reader": 1}
    assert found.visits == 0


def test_keys_are_destroyed_after_two_days_and_what_comes_later_has_no_session(tmp_path: Path) -> None:
    day = NOON // 86_400
    import_logs(tmp_path / "store", [log(tmp_path, A_FEW[0], "one")], now=NOON + 60)
    assert DayKeys(tmp_path / "store").days() == [day]
    found = import_logs(tmp_path / "store", [log(tmp_path, line(NOON + 5, "/x"), "two")], now=LATER)
    assert found.keys_destroyed == 1
    assert found.open_sessions == 0
    late = import_logs(tmp_path / "store", [log(tmp_path, line(NOON + 9, "/late"), "three")], now=LATER)
    assert (late.visits, late.without_session, late.sessions) == (1, 1, 0)
    page = pages(tmp_path / "store")["http://example.org/late"]
    assert (page.visits, page.unended, page.visitors) == (1, 1, 0)
    with ClickStore(tmp_path / "store") as store:
        assert list(store.marks("seen:")) == []


def test_neither_address_nor_browser_is_in_the_store(tmp_path: Path) -> None:
    text = line(NOON, "/a", address="203.0.113.77", agent="Mozilla/5.0 Unmistakable/1.0")
    import_logs(tmp_path / "store", [log(tmp_path, text)], now=NOON + 60)
    kept = b"".join(path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file())
    assert b"example.org/a" in kept
    assert b"203.0.113.77" not in kept
    assert b"Unmistakable" not in kept


def test_folders_globs_and_names_stand_for_logs(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for number in range(3):
        log(logs, "".join(A_FEW[number * 10 : number * 10 + 10]), f"deep/access.log.{number}")
    log(logs, "[error] this is no access log\n" * 9, "error.log")
    found = import_logs(tmp_path / "store", [logs])
    assert found.visits == 30
    assert [Path(note.name).name for note in found.logs if note.said] == ["error.log"]
    assert import_logs(tmp_path / "two", [str(logs / "deep" / "access.log.[01]")]).visits == 20


def test_a_folder_is_read_though_a_file_that_is_no_log_begins_like_one_and_is_shorter(tmp_path: Path) -> None:
    junk = b"a heading\n"
    log(tmp_path, junk + b"nothing\n" * 3, "logs/junk")
    with pytest.raises(ConfigurationError, match="no file here is a log"):
        import_logs(tmp_path / "store", [tmp_path / "logs"])
    log(tmp_path, junk + "".join(A_FEW).encode(), "logs/good")
    found = import_logs(tmp_path / "store", [tmp_path / "logs"])
    assert found.visits == 40
    assert [Path(note.name).name for note in found.logs if note.said] == ["junk"]


def test_files_of_a_folder_that_begin_alike_and_are_no_logs_are_refused(tmp_path: Path) -> None:
    for number in range(3):
        log(tmp_path, b"a heading\n" * (number + 2), f"logs/{number}")
    with pytest.raises(ConfigurationError, match="no file here is a log"):
        import_logs(tmp_path / "store", [tmp_path / "logs"])


def test_robots_of_a_combined_log_are_known_though_its_first_line_is_a_common_one(tmp_path: Path) -> None:
    robots = [text.replace(BROWSER, "Googlebot/2.1") for text in A_FEW]
    bare = line(NOON, "/bare", address="10.0.0.77").partition(' "-" "')[0] + "\n"
    found = import_logs(tmp_path / "store", [log(tmp_path, bare + "".join(robots))])
    assert (found.logs[0].format, found.left_out, found.visits) == ("combined", {"known-agent": 40}, 1)


def test_a_first_line_from_the_far_future_does_not_make_a_log_wait_for_the_others(tmp_path: Path) -> None:
    lines = [line(NOON + 30 * place, f"/{place % 3}") for place in range(40)]
    odd = lines[0].replace("/2023:", "/9999:")
    halves = [log(tmp_path, odd + "".join(lines[0::2]), "a"), log(tmp_path, "".join(lines[1::2]), "b")]
    import_logs(tmp_path / "two", halves, now=LATER)
    import_logs(tmp_path / "one", [log(tmp_path, "".join(lines), "whole")], now=LATER)
    assert pages(tmp_path / "two") == pages(tmp_path / "one")


@pytest.mark.parametrize("content", [b"hello\nworld\n", b"\x00\xff\x1e" * 500 + b"\n", b"x" * 3_000_000])
def test_a_file_that_is_no_log_is_refused_with_advice_and_counts_nothing(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ConfigurationError, match="--format"):
        import_logs(tmp_path / "store", [log(tmp_path, "".join(A_FEW), "good"), log(tmp_path, content, "odd")])
    assert pages(tmp_path / "store") == {}


def test_missing_files_and_folders_without_logs_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for wrong in ("nowhere.log", "empty", "no*.log"):
        with pytest.raises(ConfigurationError, match="there is no"):
            import_logs(tmp_path / "store", [tmp_path / wrong])
    log(tmp_path, b"nothing here\n", "folder/readme")
    with pytest.raises(ConfigurationError, match="no file here is a log"):
        import_logs(tmp_path / "store", [tmp_path / "folder"])


def test_an_empty_log_is_told(tmp_path: Path) -> None:
    found = import_logs(tmp_path / "store", [log(tmp_path, b"")])
    assert found.logs[0].said == "it is empty"
    assert import_logs(tmp_path / "store", [log(tmp_path, b"\n\n\r\n")]).counts.lines in (0, 3)


def test_mixed_formats_garbage_and_endless_lines_are_counted_and_shown(tmp_path: Path) -> None:
    hostile = [
        b"\x00" * 500,
        b"\xff\xfe not utf-8",
        b'{"time":"2023-11-14T12:00:00Z","status":200,"uri":"/json"}',
        b"y" * 5_000_000,
        b'10.0.0.1 - - [99/Foo/2023:12:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "x"',
    ]
    good = [text.rstrip("\n").encode() for text in A_FEW]
    lines = [each for pair in zip(good, hostile * 8, strict=True) for each in pair]
    found = import_logs(tmp_path / "store", [log(tmp_path, b"\n".join(lines) + b"\n")])
    assert (found.visits, found.counts.bad, found.counts.lines) == (40, 40, 80)
    assert found.counts.examples[0].number == 2
    with ClickStore(tmp_path / "store") as store:
        assert store.refusals("example.org")["bad-line"] == 40


@pytest.mark.parametrize("year", ["1970", "9999", "1000"])
def test_times_that_cannot_be_are_left_out(tmp_path: Path, year: str) -> None:
    odd = A_FEW[5].replace("/2023:", f"/{year}:")
    found = import_logs(tmp_path / "store", [log(tmp_path, A_FEW[0] + odd + A_FEW[1])])
    assert found.left_out == {"bad-time": 1}
    assert found.visits == 2


def test_urls_are_those_of_the_crawler(tmp_path: Path) -> None:
    text = "".join(
        line(NOON + place, target)
        for place, target in enumerate(
            ["/%7ea/../b", "/x?utm_source=y", "http://example.org/abs", "//odd", "/caf\u00e9"]
        )
    )
    import_logs(tmp_path / "store", [log(tmp_path, text)], site="https://example.org")
    assert sorted(pages(tmp_path / "store")) == [
        "https://example.org//odd",
        "https://example.org/abs",
        "https://example.org/b",
        "https://example.org/caf%C3%A9",
        "https://example.org/x",
    ]


def test_each_line_may_name_its_host(tmp_path: Path) -> None:
    lines = [
        f"{host} {text}" for host, text in zip(["example.org:80", "www.example.org", "other.net"], A_FEW, strict=False)
    ]
    found = import_logs(tmp_path / "store", [log(tmp_path, "".join(lines))], by_host=True)
    assert found.left_out == {"foreign-site": 1}
    assert sorted(pages(tmp_path / "store")) == ["http://example.org/0", "http://www.example.org/1"]


def test_a_session_field_tells_visitors_apart(tmp_path: Path) -> None:
    lines = [f"10.0.0.1 {NOON + place} GET /{place} 200 {sid}\n" for place, sid in enumerate(["s1", "s2", "s1", "-"])]
    notation = "%h %{sec}t %m %U%q %s %{sid}C"
    found = import_logs(tmp_path / "store", [log(tmp_path, "".join(lines))], told=notation, now=LATER)
    assert found.sessions == 3
    assert pages(tmp_path / "store")["http://example.org/0"].duration == 2000


def test_formats_that_are_read_line_by_line_go_on_too(tmp_path: Path) -> None:
    head = "#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent)\n"
    rows = [f"2023-11-14 12:00:{place:02} 10.0.0.1 GET /{place} 200 Mozilla/5.0\n" for place in range(6)]
    import_logs(tmp_path / "store", [log(tmp_path, head + "".join(rows[:3]))])
    found = import_logs(tmp_path / "store", [log(tmp_path, head + "".join(rows))])
    assert (found.visits, found.counts.bad, found.logs[0].format) == (3, 0, "w3c")
    said = [json.dumps({"time": NOON + 1, "status": 200, "uri": "/j", "remote_addr": "10.0.0.1"}) + "\n"]
    assert import_logs(tmp_path / "store", [log(tmp_path, "".join(said), "json")]).visits == 1


def test_standard_input_is_a_log_and_is_known_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fed(text: str) -> int:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return import_logs(tmp_path / "store", ["-"]).visits

    assert fed("".join(A_FEW[:10])) == 10
    assert fed("".join(A_FEW[:30])) == 20
    assert import_logs(tmp_path / "store", [log(tmp_path, "".join(A_FEW))]).visits == 10


def test_small_tables_and_small_batches_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    lines = [
        line(NOON + place * 3, f"/{chance.randrange(60)}", address=f"10.0.0.{chance.randrange(40)}",
             referrer=f"http://r{chance.randrange(9)}.example/")
        for place in range(900)
    ]  # fmt: skip
    both = [log(tmp_path, "".join(lines[0::2]), "a"), log(tmp_path, "".join(lines[1::2]), "b")]
    import_logs(tmp_path / "large", both, now=LATER)
    monkeypatch.setattr(log_requests, "MOST_PAGES", 20)
    monkeypatch.setattr(log_import, "VIEWS_AT_ONCE", 50)
    monkeypatch.setattr(log_import, "CLOSE_EVERY", 1)
    small_blocks(monkeypatch, 2000)
    import_logs(tmp_path / "small", both, now=LATER)
    assert pages(tmp_path / "small") == pages(tmp_path / "large")


def small_blocks(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    from lycosa.clickstream.server_logs.line_blocks import LineBlocks

    begin = LineBlocks.__init__
    monkeypatch.setattr(log_files, "PIECE", size)
    monkeypatch.setattr(LineBlocks, "__init__", lambda self, stream: begin(self, stream, size=size))


KILLED = """
import os, sys
from pathlib import Path
from lycosa.clickstream.server_logs import log_import
from lycosa.clickstream.server_logs.line_blocks import LineBlocks
from lycosa.storage.click_store import ClickStore
from log_desk import import_logs
begin, written = LineBlocks.__init__, []
LineBlocks.__init__ = lambda self, stream: begin(self, stream, size=5000)
log_import.VIEWS_AT_ONCE = 200
add = ClickStore.add_pages
def add_pages(self, *told, **more):
    add(self, *told, **more)
    written.append(1)
    if len(written) == int(sys.argv[2]):
        print("written", flush=True)
        sys.stdin.read()
ClickStore.add_pages = add_pages
import_logs(Path(sys.argv[1]), sys.argv[3:], now=float(os.environ["NOW"]))
"""


@pytest.mark.parametrize("after", [1, 3])
def test_a_killed_import_goes_on_and_counts_nothing_twice_or_lost(tmp_path: Path, after: int) -> None:
    chance = random.Random(after)
    lines = [
        line(NOON + place, f"/{chance.randrange(9)}", address=f"10.0.{chance.randrange(9)}.{chance.randrange(9)}")
        for place in range(2000)
    ]
    cut = [chance.random() < 0.5 for _ in lines]
    logs = [
        str(
            log(tmp_path, "".join(text for text, each in zip(lines, cut, strict=True) if each is side), f"server{side}")
        )
        for side in (True, False)
    ]
    now = NOON + 3000
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    killed = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path / "store"), str(after), *logs],
        env={**os.environ, "PYTHONPATH": paths, "NOW": str(now)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert killed.stdout is not None
    assert killed.stdout.readline() == b"written\n"
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    partly = visits(tmp_path / "store")
    assert 0 < partly < 2000
    found = import_logs(tmp_path / "store", logs, now=now)
    assert found.visits == 2000 - partly
    import_logs(tmp_path / "whole", logs, now=now)
    assert pages(tmp_path / "store") == pages(tmp_path / "whole")


def peak(folder: Path, lines: int) -> int:
    with open(folder / "log", "w") as out:
        for place in range(lines):
            address = f"10.{place // 65536 % 256}.{place // 256 % 256}.{place % 256}"
            out.write(
                line(NOON + place / 20, f"/{place % 3000}?q={place}", address=address, agent=f"{BROWSER} {place % 99}")
            )
    tracemalloc.start()
    import_logs(folder / "store", [folder / "log"], now=NOON + lines, session=60)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def test_memory_does_not_grow_with_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_requests, "MOST_PAGES", 2000)
    monkeypatch.setattr(log_import, "VIEWS_AT_ONCE", 5000)
    monkeypatch.setattr(log_import, "CLOSE_EVERY", 10_000)
    small_blocks(monkeypatch, 100_000)
    (tmp_path / "short").mkdir()
    (tmp_path / "long").mkdir()
    short, long = peak(tmp_path / "short", 15_000), peak(tmp_path / "long", 60_000)
    assert long < 1.3 * short
