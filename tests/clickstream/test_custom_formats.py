"""Formats of a user's own, field by field; and which logs of an import are read, in which format, and which wait."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_desk import NOON, line

from lycosa.click_records import Source
from lycosa.clickstream.server_logs.known_logs import marks_of
from lycosa.clickstream.server_logs.log_files import LogFile
from lycosa.clickstream.server_logs.log_selection import LONGEST_SHOWN, LOOKED_AT, Choice, chosen_logs
from lycosa.clickstream.server_logs.merged_logs import LineCounts, LogNote, in_order
from lycosa.clickstream.server_logs.page_urls import LogSite
from lycosa.clickstream.server_logs.parsing.custom_formats import Notation
from lycosa.clickstream.server_logs.parsing.formats import format_called
from lycosa.clickstream.server_logs.request_filter import RequestSieve
from lycosa.configuration.settings import ConfigurationError
from lycosa.storage.click_store import ClickStore

SITE = "example.org"
SIEVE = RequestSieve(LogSite(SITE), (NOON + 9) * 1000)
LINES = [line(NOON + place, f"/{place}").encode() for place in range(9)]
ROWS = [b"2023-11-14 12:00:%02d 10.0.0.1 200 GET /%d\n" % (place, place) for place in range(5)]
W3C = b"#Fields: date time c-ip sc-status cs-method cs-uri-stem\n"

BARE = st.just(b"\xa9") | st.text(' |;\t\xe9"x', max_size=8).map(str.encode) | st.binary(max_size=8)
QUOTED = st.binary(max_size=9).map(lambda text: text.replace(b"\\", b"\\\\").replace(b'"', b'\\"'))
FIELDS = {
    "address": ("%h", "$remote_addr", BARE, b"%b"),
    "time": ("%t", "[$time_local]", st.just(b"17/May/2015:10:05:03 +0000"), b"[%b]"),
    "request": ('"%r"', '"$request"', QUOTED, b'"%b"'),
    "status": ("%>s", "$status", st.sampled_from([b"200", b"000", b"999"]), b"%b"),
    "referrer": ('"%!200,304{Referer}i"', '"${http_referer}"', QUOTED, b'"%b"'),
    "agent": ('"%{USER-agent}i"', '"$http_user_agent"', QUOTED, b'"%b"'),
    "host": ("%V", "$http_host", BARE, b"%b"),
    "session": ("%{sid}C", "${cookie_sid}", BARE, b"%b"),
    "nothing known": ("%{cache}^ti", "${upstream_1}", BARE, b"%b"),
}


def _ends(how: bytes, end: bytes, text: bytes) -> bool:
    """Whether a bare value holds nothing that could be the end of it."""
    return how != b"%b" or (text + end).find(end) == len(text)


@given(st.data())
def test_both_notations_read_what_a_server_would_write_by_them(data: st.DataObject) -> None:
    order = data.draw(st.permutations(list(FIELDS)))
    between = data.draw(st.sampled_from([" ", " | ", "\t", ";;", "é"]))
    end = between.encode()
    values = {name: data.draw(FIELDS[name][2].filter(partial(_ends, FIELDS[name][3], end)), name) for name in order}
    text = between.encode().join(FIELDS[name][3] % values[name] for name in order)
    del values["nothing known"]
    for notation in (between.join(str(FIELDS[name][side]) for name in order) for side in (0, 1)):
        found = Notation(notation).pattern.fullmatch(text)
        assert found is not None, notation
        assert found.groupdict() == values
        assert Notation(notation).fields == {*values, ""}


@pytest.mark.parametrize(
    ("notation", "pattern", "written", "time", "wrong"),
    [
        ("%{%d %b %Y %H}t", "%d %b %Y %H", b"17 May 2015 10", b"17 May 2015 10", b"17 May 2015"),
        ("<%{begin:%H>%F}t>", "%H>%Y-%m-%d", b"<10>2015-05-17>", b"10>2015-05-17", b"<2015>"),
        ("%{end:%D %R}t", "%m/%d/%y %H:%M", b"05/17/15 10:05", b"05/17/15 10:05", b"05/17/15 10:05 more"),
        ("%{%h %e %T %Y}t", "%b %d %H:%M:%S %Y", b"May  7 10:05:03 2015", b"May  7 10:05:03 2015", b"May  7  10:05:03"),
        ("%{sec}t", "", b"1431857103", b"1431857103", b"1431857103 "),
        ("%{end:usec}t", "", b"1431857103250000", b"1431857103250000", b"1431857103 250000"),
        ("%{%s}t", "", b"1431857103", b"1431857103", b"then"),
        ("%{}t", "", b"[17/May/2015 10:05]", b"17/May/2015 10:05", b"17/May/2015"),
    ],
)
def test_a_time_is_written_as_its_pattern_says_and_may_hold_what_ends_it(
    notation: str, pattern: str, written: bytes, time: bytes, wrong: bytes
) -> None:
    meant = Notation(f'%h {notation} "%r" %s')
    found = meant.pattern.fullmatch(b'10.0.0.1 %b "GET / HTTP/1.1" 200' % written)
    assert found is not None
    assert (found["time"], meant.time_pattern) == (time, pattern)
    assert meant.pattern.fullmatch(b'10.0.0.1 %b "GET / HTTP/1.1" 200' % wrong) is None


def test_of_a_field_that_comes_twice_the_first_counts_and_a_percent_sign_is_one() -> None:
    meant = Notation('100%% %{c}a %h %t "%r" %<s>%>s %U%q')
    found = meant.pattern.fullmatch(b'100% 10.0.0.1 proxy [x] "\\" \xff \\\\" 301>200 /a?b "')
    assert found is not None
    assert found.groupdict() == {
        "address": b"10.0.0.1", "time": b"x", "request": b'\\" \xff \\\\', "status": b"301", "path": b"/a",
        "query": b'?b "',
    }  # fmt: skip
    for wrong in (b'\\" 301>200', b'" 301>20', b'" 3O1>200', b'" 301 200'):
        assert meant.pattern.fullmatch(b'100%% 10.0.0.1 proxy [x] "GET /%b /a' % wrong) is None


@pytest.mark.parametrize(
    ("notation", "why"),
    [
        ("%h %t %s %q", "no request; put %r"),
        ("%h %r %s %D", "no time; put %t"),
        ("$remote_addr [$time_local] $request $body_bytes_sent", "no status; put %>s"),
        ("$time_iso8601|$uri|$status|$host", "nothing to tell visitors apart"),
        ("%h %t %q%U %s", "side by side"),
        ("$remote_addr [$time_local] $uri$args $status", "side by side"),
        ("%h %t %r %s %{User-agent}i %b", "nobody could tell where 'Mozilla/"),
        ("$remote_addr;$time_local;$request;$status;$http_user_agent;", "nobody could tell where 'Mozilla/"),
        ("$http_x_forwarded_for,$msec,$uri,$status", "nobody could tell where '10.0.0.1, "),
        ("$remote_addr $time_local/$request $status", "nobody could tell where '17/May"),
        ("%h %{%Y-%m-%d}t %{%H:%M:%S}t %r %s", "must say year, day and hour"),
        ("%h %{%F %I:%M}t %r %s", "must say year, day and hour"),
        ("%h %{%F %T %d}t %r %s", "must say year, day and hour"),
        ("%h %{%F %k:%M}t %r %s", "has a %k in it"),
        ("%h %{%F %T%}t %r %s", "has a % in it"),
        ("%h %t %r %s %j", "Apache has no field '%j'"),
        ("%h %t %r %s 100%", "Apache has no field '%'"),
    ],
)
def test_a_notation_that_lacks_something_is_refused_by_what_it_lacks(notation: str, why: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Notation(notation)
    assert repr(notation) in str(refused.value)
    assert why in str(refused.value)


TIME = "17/May/2015:10:05:03 +0000"
GET = "GET /a?b HTTP/1.1"


@pytest.mark.parametrize(
    ("notation", "written", "but"),
    [
        ("$remote_addr | $time_local | $request | $status", f"10.1.2.3 | {TIME} | {GET} | 200", {}),
        ("$remote_addr $time_local $request $status x", f"10.1.2.3 {TIME} {GET} 200 x", {}),
        ("$request $time_local $status $remote_addr", f"GET /a|b c HTTP/2 {TIME} 200 10.1.2.3", {"target": b"/a|b c"}),
        ("$request $status $time_local $remote_addr", f"- 400 {TIME} 10.1.2.3", {"target": b"-", "status": 400}),
        ("$remote_addr - $time_iso8601 $msec $uri $status", "10.1.2.3 - 2015-05-17T10:05:03Z 9.9 /a?b 200", {}),
        ("%h %{%F %T}t %{%s}t %r %>s", f"10.1.2.3 2015-05-17 10:05:03 5 {GET} 200", {}),
        ("%h %{%s}t %{%F}t %r %>s", f"10.1.2.3 1431857103 2001-01-01 {GET} 200", {}),
        ("%h %{%d/%b/%Y %T}t.%{msec_frac}t %{%z}t %r %>s", f"10.1.2.3 17/May/2015 10:05:03.25 +0000 {GET} 200", {}),
        ("%h %t %{%c}t %r %>s", f"10.1.2.3 [{TIME}] Sun May  7 10:05:03 2000 {GET} 200", {}),
        ("%{X-Forwarded-For}i %l %t %r %s", f"10.1.2.3, 10.9.9.9 - [{TIME}] {GET} 200", {}),
        ("%{X-Forwarded-For}i %l %t %r %s", f"10.1.2.3 - [{TIME}] {GET} 200", {}),
        ('%h %t "%r" %>sx %Dus', f'10.1.2.3 [{TIME}] "{GET}" 200x 31us', {}),
        ('%h %t "%r" %s %^FBms %{cache}^ti', f'10.1.2.3 [{TIME}] "{GET}" 200 31ms hit', {}),
        ("%h %t %U%q;;%s", f"10.1.2.3 [{TIME}] /a?b;c;;200", {"target": b"/a?b;c"}),
        ("%h %t %U%q;;%s", f"10.1.2.3 [{TIME}] /a;b;;200", {"target": b"/a;b"}),
        ('%h %t "q=%r" %s', f'10.1.2.3 [{TIME}] "q=GET /\\" HTTP/1.1" 200', {"target": b'/\\"'}),
    ],
)
def test_a_field_ends_where_the_whole_text_after_it_begins(notation: str, written: str, but: dict[str, object]) -> None:
    found = format_called(notation).entry(written.encode())
    assert found is not None
    meant = {"at": 1_431_857_103_000, "status": 200, "target": b"/a?b", "address": b"10.1.2.3"} | but
    assert {name: getattr(found, name) for name in meant} == meant


@pytest.mark.parametrize(
    ("notation", "begun", "piece"),
    [
        ("$remote_addr | $request | $host | $time_local | $status", "10.0.0.1 | ", " |"),
        ("$remote_addr | $request | $host | $time_local | $status", "10.0.0.1 | ", " | "),
        ("$remote_addr $request $host $status $time_local x", "10.0.0.1 ", " HTTP/"),
        ("$request $request $host $status $time_local $remote_addr x", "", " HTTP/1.1 200"),
        ('$remote_addr "$request" "$host" $status [$time_local] x', '10.0.0.1 "', '\\"'),
        ('$remote_addr "$request" "$host" $status [$time_local] x', '10.0.0.1 "', '" "'),
        ("%{X-Forwarded-For}i %t %U%q;;%r %s x", "", ", ;"),
        ("%h %U%q;;%l;;%t;;%s", "10.0.0.1 ", ";?;"),
    ],
)
def test_a_hostile_line_costs_a_format_of_ones_own_no_more_than_its_length(
    notation: str, begun: str, piece: str
) -> None:
    form = format_called(notation)

    def seconds(length: int) -> float:
        text, start = (begun + piece * (length // len(piece))).encode(), time.perf_counter()
        assert form.entry(text) is None
        return time.perf_counter() - start

    short, long = (min(seconds(length) for _ in range(5)) for length in (4_000, 64_000))
    assert long < 100 * short, "16 times as long"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ClickStore]:
    with ClickStore(tmp_path / "clicks") as made:
        yield made


def written_log(folder: Path, name: str, data: bytes, *, told: bool = True) -> LogFile:
    (folder / name).write_bytes(data)
    return LogFile(str(folder / name), told=told)


def chosen(store: ClickStore, *files: LogFile, told: str = "") -> tuple[Choice, list[LogNote]]:
    notes: list[LogNote] = []
    return chosen_logs(files, SIEVE, store, told, notes), notes


def read_to_the_end(store: ClickStore, *files: LogFile) -> None:
    runs = chosen(store, *files)[0].runs
    assert list(in_order(runs, SIEVE, LineCounts()))
    store.add_pages(SITE, Source.LOG, [], marks=marks_of([(run.log, run.reached()) for run in runs]))


def test_of_logs_that_begin_alike_the_shortest_when_unpacked_is_first(tmp_path: Path, store: ClickStore) -> None:
    packed = written_log(tmp_path, "packed", gzip.compress(b"".join(LINES)))
    middle, short = (written_log(tmp_path, f"of {number}", b"".join(LINES[:number])) for number in (5, 4))
    assert packed.size < short.size
    others = [written_log(tmp_path, f"other {number}", LINES[number]) for number in (7, 8)]
    for files in ([packed, middle, *others, short], [short, *reversed(others), packed, middle]):
        choice, notes = chosen(store, *files)
        assert sorted(run.log.file.name for run in choice.runs) == sorted(file.name for file in (short, *others))
        assert choice.runs == sorted(choice.runs, key=lambda run: run.log.mark), "whatever order they are given in"
        assert [file.name for file in choice.later] == [middle.name, packed.name]
        assert {note.format for note in notes} == {"combined"}
        for run in choice.runs:
            with pytest.raises(ValueError, match="closed file"):
                run.log.blocks.stream.give_back(0)


def test_logs_without_a_whole_line_are_noted_as_empty_and_nothing_is_read(tmp_path: Path, store: ClickStore) -> None:
    files = [written_log(tmp_path, str(place), data) for place, data in enumerate([b"", b"\r\n#x\n", LINES[0][:-1]])]
    choice, notes = chosen(store, *files)
    assert choice == Choice()
    empty = [LogNote(file.name, said="it is empty") for file in files[:2]]
    assert notes == [*empty, LogNote(files[2].name, waiting=len(LINES[0]) - 1)]


def test_a_format_is_looked_for_in_so_many_lines_and_no_more(tmp_path: Path, store: ClickStore) -> None:
    junk = [b"odd %d\n" % place for place in range(LOOKED_AT)]
    _, notes = chosen(store, written_log(tmp_path, "just", b"".join([*junk[10:], *LINES, LINES[0], *junk])))
    assert [(note.format, note.explained, note.looked_at) for note in notes] == [("combined", 10, LOOKED_AT)]
    with pytest.raises(ConfigurationError, match="format is not known"):
        chosen(store, written_log(tmp_path, "too late", b"".join([*junk[9:], *LINES * 9])))


def test_a_file_that_is_no_log_is_shown_by_the_beginning_of_its_first_line(tmp_path: Path, store: ClickStore) -> None:
    data = b"\n \n\xff" + b"z" * 500 + b"\nsecond line\n"
    for file in (written_log(tmp_path, "a", data), written_log(tmp_path, "b", gzip.compress(data)[:-4])):
        with pytest.raises(ConfigurationError) as refused:
            chosen(store, file)
        said = str(refused.value)
        assert said.startswith(f"{file.name}: ")
        assert said.partition("xff")[2].partition("'")[0] == "z" * (LONGEST_SHOWN - 1)
        assert ("ends too soon" in said) == file.name.endswith("b")


def test_a_file_of_a_folder_is_passed_over_once_there_was_a_log(tmp_path: Path, store: ClickStore) -> None:
    odd = written_log(tmp_path, "odd", b"hello\n", told=False)
    notes = [LogNote("read before", format="combined")]
    assert chosen_logs([odd], SIEVE, store, "", notes).runs == []
    assert notes[1:] == [LogNote(odd.name, said="it is no log that can be read")]
    with pytest.raises(ConfigurationError, match="no file here is a log that can be read"):
        chosen(store, odd)


def test_a_known_log_keeps_its_format_and_fields_unless_another_is_told(tmp_path: Path, store: ClickStore) -> None:
    read_to_the_end(store, written_log(tmp_path, "w3c", W3C + b"".join(ROWS[:2])))
    file = written_log(tmp_path, "w3c", W3C + b"".join([*ROWS[:2], b"odd\n", *ROWS[3:]]))
    choice, notes = chosen(store, file)
    assert notes == [LogNote(file.name, format="w3c", skipped=len(W3C) + 2 * len(ROWS[0]))]
    assert (choice.runs[0].form.directive.encode() + b"\n", choice.runs[0].first_time) == (W3C, (NOON + 3) * 1000)
    assert chosen(store, file, told="json")[1][0].format == "json"


def test_the_first_time_is_that_of_the_first_request_that_is_new(tmp_path: Path, store: ClickStore) -> None:
    new = written_log(tmp_path, "new", b"odd\n" + b"".join(LINES))
    assert [chosen(store, new, told=told)[0].runs[0].first_time for told in ("", "json")] == [NOON * 1000, 0]
    read_to_the_end(store, written_log(tmp_path, "grows", b"".join(LINES[:3])))
    grown = [b"".join(LINES[:3]) + more for more in (b"", W3C + ROWS[4], b"odd\n" + LINES[6])]
    found = [chosen(store, written_log(tmp_path, "grows", data))[0].runs[0] for data in grown]
    assert [run.first_time - NOON * 1000 for run in found] == [2000, 2000, 6000]
    assert {run.form.name for run in found} == {"combined"}, "though most of what is new is not"


def test_a_time_that_cannot_be_is_no_first_time(tmp_path: Path, store: ClickStore) -> None:
    odd = [LINES[0].replace(b"/2023:", year) for year in (b"/9999:", b"/1971:")]
    file = written_log(tmp_path, "odd", b"".join([*odd, line(NOON + 10).encode(), *LINES[4:]]))
    assert chosen(store, file)[0].runs[0].first_time == (NOON + 4) * 1000
