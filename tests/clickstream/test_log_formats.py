"""Formats of logs: each line alone, whole blocks at once, and which format a log has."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_desk import BROWSER, NOON, line

from lycosa.clickstream.server_logs.parsing import timestamps as log_times
from lycosa.clickstream.server_logs.parsing.byte_slices import PADDING
from lycosa.clickstream.server_logs.parsing.columns import ADDRESS, AGENT, HOST, REFERRER, SESSION, TARGET
from lycosa.clickstream.server_logs.parsing.entries import Entry
from lycosa.clickstream.server_logs.parsing.formats import Detected, detect, format_called
from lycosa.clickstream.server_logs.parsing.lines import LineReader
from lycosa.configuration.settings import ConfigurationError

DATA = Path(os.environ.get("LYCOSA_DATA", Path.home() / ".cache" / "lycosa-data"))
REAL = DATA / "weblogs" / "combined_10k.log.gz"
AT = 1_431_857_103_000
TIME = "17/May/2015:10:05:03 +0000"
Lines = st.SearchStrategy[bytes]
COMBINED = f'10.1.2.3 - frank [{TIME}] "GET /a?b HTTP/1.1" 200 5 "http://x.example/" "Mozilla/5.0 (X)"'.encode()


def test_common_and_combined_lines_say_what_they_say() -> None:
    form = format_called("combined")
    meant = Entry(AT, 200, b"GET", b"/a?b", b"http://x.example/", b"Mozilla/5.0 (X)", b"10.1.2.3")
    assert form.entry(COMBINED) == meant
    assert form.entry(COMBINED.partition(b' "http')[0]) == meant._replace(referrer=b"", agent=b"")
    assert form.entry(b"garbage") is None


@pytest.mark.parametrize(
    ("text", "at"),
    [
        (b"17/May/2015:12:05:03 +0200", AT),
        (b"17/May/2015:10:05:03.250 +0000", AT + 250),
        (b"2015-05-17T10:05:03Z", AT),
        (b"2015-05-17T12:05:03+02:00", AT),
        (b"2015-05-17 10:05:03", AT),
        (b"1431857103", AT),
        (b"1431857103.250", AT + 250),
        (b"1431857103250", AT + 250),
        (b"00/May/2015:10:05:03 +0000", None),
        (b"17/May/0000:10:05:03 +0000", None),
        (b"17/Foo/2015:10:05:03 +0000", None),
        (b"17/May/2015:25:05:03 +0000", None),
        (b"9999-99-99", None),
        (b"\xff\xfe", None),
    ],
)
def test_times_are_read_in_every_spelling(text: bytes, at: int | None) -> None:
    assert log_times.milliseconds(text) == at


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("%F %T", "2015-05-17 10:05:03"),
        ("%e/%h/%Y:%X %z", "17/May/2015:12:05:03 +0200"),
        ("%D %r", "05/17/15 10:05:03 AM"),
        ("%x%t%R:%S.%f", "05/17/15\t10:05:03.000"),
        ("%c", "Sun May 17 10:05:03 2015"),
        ("%A %B %d %I%M%S%p %y %Z %%", "Sunday May 17 100503AM 15 UTC %"),
        ("%Y%j%H%M%S", "2015137100503"),
        ("%s", "1431857103"),
    ],
)
def test_times_are_read_by_every_pattern_that_is_not_refused(pattern: str, text: str) -> None:
    found = format_called('%h %{begin:PATTERN}t "%r" %s'.replace("PATTERN", pattern))
    entry = found.entry(f'10.1.2.3 {text} "GET / HTTP/1.1" 200'.encode())
    assert entry is not None
    assert entry.at == AT


@pytest.mark.parametrize(
    ("notation", "text"),
    [
        ('%h %l %u %t "%r" %>s %b', f'10.1.2.3 - - [{TIME}] "GET /a?b HTTP/1.1" 200 5'),
        ('%v %a %{%Y-%m-%d %H:%M:%S}t "%m %U%q" %s', 'h 10.1.2.3 2015-05-17 10:05:03 "GET /a?b" 200'),
        ('$remote_addr [$time_local] "$request" $status', f'10.1.2.3 [{TIME}] "GET /a?b HTTP/1.1" 200'),
        ("$remote_addr|$msec|$request_method|$request_uri|$status", "10.1.2.3|1431857103.000|GET|/a?b|200"),
        ("${remote_addr} $time_iso8601 $uri?$args $status", "10.1.2.3 2015-05-17T10:05:03Z /a?b 200"),
    ],
)
def test_a_format_of_ones_own_is_read(notation: str, text: str) -> None:
    found = format_called(notation).entry(text.encode())
    assert found is not None
    assert (found.at, found.status, found.method, found.target, found.address) == (
        AT,
        200,
        b"GET",
        b"/a?b",
        b"10.1.2.3",
    )


@pytest.mark.parametrize(
    "notation", ["%h%t%r", "%h %t %s", "%h %r %s", "$remote_addr $request $status", "nonsense", "%%"]
)
def test_a_format_that_cannot_be_read_is_refused_with_a_reason(notation: str) -> None:
    with pytest.raises(ConfigurationError, match="format"):
        format_called(notation)


def test_a_session_field_and_a_host_are_found() -> None:
    found = format_called('%v %h %t "%r" %s %{sid}C').entry(
        f'a.org 10.1.2.3 [{TIME}] "GET / HTTP/1.1" 200 abc'.encode()
    )
    assert found is not None
    assert (found.host, found.session) == (b"a.org", b"abc")


def test_w3c_fields_are_named_by_the_log_and_may_change() -> None:
    form = format_called("w3c")
    assert form.ignores(b"#Software: Microsoft Internet Information Services 10.0")
    assert form.ignores(
        b"#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) cs(Referer) sc-status"
    )
    found = form.entry(b"2015-05-17 10:05:03 GET /a b 10.1.2.3 Mozilla/5.0+(X) http://x.example/ 200")
    assert found == Entry(AT, 200, b"GET", b"/a?b", b"http://x.example/", b"Mozilla/5.0 (X)", b"10.1.2.3")
    assert form.ignores(b"#Fields: time c-ip sc-status cs-method cs-uri-stem cs-host date")
    assert form.entry(b"10:05:03 10.1.2.3 200 GET /z h.example 2015-05-17") == Entry(
        AT, 200, b"GET", b"/z", address=b"10.1.2.3", host=b"h.example"
    )
    assert form.entry(b"10:05:03 10.1.2.3") is None


def test_w3c_fields_between_quotes_may_hold_spaces_and_quotes() -> None:
    form = format_called(
        "#Fields: date time cs-method cs-uri-stem c-ip cs(User-Agent) cs(Referer) sc-status cs-username"
    )
    start, end = b"2015-05-17 10:05:03 GET /a 10.1.2.3 ", b' "http://x.example/" 200 ""'
    meant = Entry(AT, 200, b"GET", b"/a", b"http://x.example/", b"Mozilla/5.0 (X; Y)", b"10.1.2.3")
    assert form.entry(start + b'"Mozilla/5.0 (X; Y)"' + end) == meant
    assert form.entry(start.replace(b" ", b"\t") + b'"Mozilla/5.0 (X; Y)"' + end.replace(b" ", b"\t")) == meant
    assert form.entry(start + b'"a ""b"" c"' + end) == meant._replace(agent=b'a "b" c')
    assert form.entry(start + b'a"b' + end) == meant._replace(agent=b'a"b')


@pytest.mark.parametrize("host", [b"", b"example.org:443 "])
def test_a_user_may_be_empty_between_quotes(host: bytes) -> None:
    lines = [host + COMBINED.replace(b"frank", user) + b"\n" for user in (b"frank", b'""')]
    name = "vhost-combined" if host else "combined"
    frank, nobody = (format_called(name).entry(text[:-1]) for text in lines)
    assert frank == nobody is not None
    block = read(b"".join(lines) * 2, name)
    assert [block.text(TARGET, row) for row in range(4)] == [b"/a?b"] * 4
    common = COMBINED.replace(b"frank", b'""').partition(b' "http')[0] + b"\n"
    assert detect([common[:-1]] * 9) == Detected("common", 9, 9)
    assert [len(read(common * 2, each).rows) for each in ("common", "combined")] == [2, 2]


def test_requests_of_a_w3c_log_without_methods_are_gets() -> None:
    form = format_called("#Fields: date time cs-uri-stem c-ip sc-status")
    assert form.entry(b"2015-05-17 10:05:03 /a 10.1.2.3 200") == Entry(AT, 200, b"GET", b"/a", address=b"10.1.2.3")
    form = format_called("#Fields: date time cs-method cs-uri-stem c-ip sc-status")
    assert form.entry(b"2015-05-17 10:05:03 - /a 10.1.2.3 200") == Entry(AT, 200, b"", b"/a", address=b"10.1.2.3")


@pytest.mark.parametrize(
    "said",
    [
        {"time": "2015-05-17T10:05:03Z", "remote_addr": "10.1.2.3", "request": "GET /a?b HTTP/1.1", "status": 200},
        {"ts": 1431857103.0, "client_ip": "10.1.2.3", "method": "GET", "uri": "/a", "query": "b", "status": "200"},
        {
            "ts": 1431857103.0,
            "request": {"remote_ip": "10.1.2.3", "method": "GET", "uri": "/a?b", "headers": {"User-Agent": ["x"]}},
            "status": 200,
        },
    ],
)
def test_json_lines_of_several_servers_are_read(said: dict[str, object]) -> None:
    found = format_called("json").entry(json.dumps(said).encode())
    assert found is not None
    assert (found.at, found.status, found.method, found.target, found.address) == (
        AT,
        200,
        b"GET",
        b"/a?b",
        b"10.1.2.3",
    )


@pytest.mark.parametrize(
    "text", [b"{", b"[1]", b"{}", b'{"time": {}}', b'{"a":' * 100_000, b'{"time":1,"status":true}']
)
def test_broken_json_is_a_bad_line(text: bytes) -> None:
    assert format_called("json").entry(text) is None


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ([COMBINED], "combined"),
        ([COMBINED.partition(b' "http')[0]], "common"),
        ([b"www.example.org:80 " + COMBINED], "vhost-combined"),
        ([b'{"time":"2015-05-17T10:05:03Z","status":200,"uri":"/"}'], "json"),
        ([b"#Fields: date time c-ip sc-status cs-uri-stem", b"2015-05-17 10:05:03 10.1.2.3 200 /"], "w3c"),
        ([b"\x00\x01", b"junk", COMBINED], "combined"),
    ],
)
def test_the_format_of_a_log_is_found_out(lines: list[bytes], name: str) -> None:
    found = detect(lines)
    assert found is not None
    assert found.format == name
    assert found.explained == 1


VHOST, BARE = b"www.example.org:80 " + COMBINED, COMBINED.partition(b' "http')[0]


@pytest.mark.parametrize(
    ("lines", "name", "explained"),
    [
        ([BARE, *[COMBINED] * 99], "combined", 100),
        ([COMBINED[:-9], *[COMBINED] * 3, BARE, b"junk"], "combined", 5),
        ([BARE, COMBINED] * 5, "common", 10),
        ([*[BARE] * 3, COMBINED], "common", 4),
        ([BARE, COMBINED, *[VHOST] * 3], "vhost-combined", 3),
        ([BARE, COMBINED, VHOST], "combined", 3),
    ],
)
def test_a_few_lines_of_another_format_do_not_change_that_of_a_log(
    lines: list[bytes], name: str, explained: int
) -> None:
    found = detect(lines)
    assert found is not None
    assert (found.format, found.explained, found.looked_at) == (name, explained, len(lines))


def test_a_common_log_says_of_lines_with_more_quotes_what_they_say_alone() -> None:
    block = read(b"\n".join([BARE, COMBINED, BARE + b' "x', BARE]) + b"\n", "common")
    assert (block.rows.tolist(), block.bad) == ([0, 1, 3], 1)
    assert [block.text(AGENT, place) for place in range(3)] == [b"", b"Mozilla/5.0 (X)", b""]


def test_no_format_is_found_where_there_is_none() -> None:
    assert detect([b"\x00\xff" * 50, b"hello", b"[Sun May 17] [error] file not found"]) is None
    assert detect([]) is None


def read(lines: bytes, form: str = "combined", *, skim: bool = False):  # type: ignore[no-untyped-def]
    return LineReader(format_called(form), skim=skim).read(lines + bytes(PADDING), len(lines))


FIELD = st.text(st.characters(codec="utf-8", exclude_characters='"\n\\'), max_size=20).map(str.encode)
ODD = st.sampled_from(
    [b"", b"-", b'"', b"\\", b'\\"', b"\r", b"\0" * 9, b"x" * 300, b'" 200 1 "a" "b', b"\xff\xfe", b" HTTP/1.1", b"]["]
)
LINES = st.builds(
    b'%b - %b [%b] "%b" %b %b "%b" "%b"%b'.__mod__,
    st.tuples(
        st.sampled_from([b"10.0.0.1", b"2001:db8::1", b"a-host", b""]),
        st.sampled_from([b"-", b"frank", b"John Smith"]),
        st.sampled_from([TIME.encode(), b"17/May/2015:10:05:61 +0000", b"1/May/2015:10:05:03 +0000", b"x"]),
        st.sampled_from(
            [b"GET / HTTP/1.1", b"GET /a b HTTP/2", b"POST /x HTTP/1.0", b"-", b"GET /old", b"G", b"GET  HTTP/1.1"]
        ),
        st.sampled_from([b"200", b"404", b"20x", b"2000", b"99"]),
        st.sampled_from([b"12", b"-", b"1 2"]),
        FIELD | ODD,
        FIELD | ODD,
        st.sampled_from([b"", b' "-"', b" 0.003", b"\r", b"x"]),
    ),
)


@given(st.lists(LINES | ODD, max_size=12))
def test_a_block_says_of_every_line_what_the_format_says_of_it_alone(lines: list[bytes]) -> None:
    lines = [text.replace(b"\n", b" ") for text in lines]
    together = read(b"".join(text + b"\n" for text in lines))
    alone = [read(text + b"\n") for text in lines]
    assert together.lines == len(lines)
    assert together.bad == sum(block.bad for block in alone)
    assert together.rows.tolist() == [row for row, block in enumerate(alone) if len(block.rows)]
    for place, row in enumerate(together.rows.tolist()):
        block = alone[row]
        assert (together.at[place], together.status[place], together.get[place]) == (
            block.at[0],
            block.status[0],
            block.get[0],
        )
        for name in (TARGET, REFERRER, AGENT, ADDRESS):
            assert together.text(name, place) == block.text(name, 0)


OWN = '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-agent}i" %v'
W3C = "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) cs(Referer) sc-status"
WORD = st.sampled_from(
    [b"-", b"a", b"", b"GET", b"POST", b"a b", b'"a b"', b'""', b'"-"', b'"a ""b"', b'"', b"x+y", b'"x+y z"', b"\t"]
)  # fmt: skip
STATUS = st.sampled_from([b"200", b"200", b"404", b"20", b"x", b'"200"'])
W3C_LINES = st.builds(
    b"%b %b %b %b %b %b %b %b %b %b%b".__mod__,
    st.tuples(
        st.sampled_from([b"2015-05-17", b"2015-05-18", b"x", b'"2015-05-17"']),
        st.sampled_from([b"10:05:03", b"23:59:60", b"24:00:00", b"10:05"]),
        WORD, WORD, WORD, WORD, WORD, WORD, WORD, STATUS, st.sampled_from([b"", b"\r", b" more"]),
    ),
) | st.sampled_from([b"#Date: 2015-05-17", b"", b"# x", W3C.encode()])  # fmt: skip
TIMES = [
    "2015-05-17T10:05:03Z",
    "2015-05-17T10:05:03.250+02:00",
    1431857103,
    1431857103.25,
    "1431857103",
    "-",
    "",
    None,
    TIME,
]
VALUE = st.sampled_from(["-", "", "/a", "é", "\ud800", "x y", 5, 1.5, None, True, ["a", "b"], [], {}])
JSON_LINES = st.fixed_dictionaries(
    {"time": st.sampled_from(TIMES), "status": st.sampled_from([200, "200", 404, "x", 20, 200.0])},
    optional={
        "ts": st.sampled_from(TIMES), "request_uri": VALUE, "uri": VALUE, "args": VALUE, "Host": VALUE, "method": VALUE,
        "request": VALUE | st.sampled_from(["GET /a?b HTTP/1.1", "GET /x", "POST  HTTP/1.1"]), "sid": VALUE,
        "remote_addr": VALUE, "http_user_agent": VALUE, "http_referer": VALUE, "server_name": VALUE,
    },
).map(lambda said: json.dumps(said).encode()) | st.sampled_from([b"[1]", b"{", b"", b"1", b"\xff"])  # fmt: skip
HOST_LINES = st.builds(
    lambda host, line: host + b" " + line, st.sampled_from([b"a.org:80", b"::1", b"a_b", b""]), LINES
)
OWN_LINES = st.builds(lambda line, host: line + b" " + host, LINES, st.sampled_from([b"a.org", b"-", b"", b"x y"]))


@pytest.mark.parametrize(
    ("form", "lines"),
    [(W3C, W3C_LINES), ("json", JSON_LINES), ("vhost-combined", HOST_LINES), (OWN, OWN_LINES)],
    ids=["w3c", "json", "vhost", "own"],
)
def test_blocks_of_every_format_say_what_the_format_says_of_each_line_alone(form: str, lines: Lines) -> None:
    @settings(max_examples=150)
    @given(st.lists(lines, max_size=9))
    def compare(some: list[bytes]) -> None:
        some = [text.replace(b"\n", b" ") for text in some]
        block, alone = read(b"".join(text + b"\n" for text in some), form), format_called(form)
        entries = [alone.entry(text.removesuffix(b"\r")) for text in some]
        assert block.rows.tolist() == [row for row, entry in enumerate(entries) if entry is not None]
        for place, entry in enumerate(filter(None, entries)):
            assert (block.at[place], block.status[place], block.get[place]) == (
                entry.at, entry.status, entry.method == b"GET",
            )  # fmt: skip
            names = (TARGET, REFERRER, AGENT, ADDRESS, HOST, SESSION)
            assert [block.text(name, place) for name in names] == list(entry[3:])

    compare()


@given(st.lists(LINES, min_size=1, max_size=6))
def test_plain_lines_are_read_at_once_as_the_format_reads_them(lines: list[bytes]) -> None:
    form = format_called("combined")
    for text in lines:
        if text.count(b'"') != 6 or b"\\" in text or b"\n" in text or b"\r" in text:
            continue
        block, entry = read(text + b"\n"), form.entry(text)
        assert len(block.rows) == (entry is not None)
        if entry is not None:
            assert (block.at[0], block.status[0], block.get[0]) == (entry.at, entry.status, entry.method == b"GET")
            assert [block.text(name, 0) for name in (REFERRER, AGENT, ADDRESS)] == list(entry[4:7])
            assert block.text(TARGET, 0) == entry.target


@pytest.mark.parametrize("part", ["referrer", "agent", "target"])
@pytest.mark.parametrize("text", ["\\", 'x\\"', 'x\\" y', "x" * 2000])
def test_backslashes_and_long_fields_are_read_as_the_format_reads_them(part: str, text: str) -> None:
    told = line(NOON, **{part: "/" + text}).encode()  # type: ignore[arg-type]
    block, entry = read(told), format_called("combined").entry(told.rstrip(b"\n"))
    found = [[block.text(name, row) for name in (TARGET, REFERRER, AGENT)] for row in range(len(block.rows))]
    assert found == ([] if entry is None else [[entry.target, entry.referrer, entry.agent]])


def test_what_a_visitor_writes_into_a_field_spoils_his_own_line_at_most() -> None:
    good = line(NOON, "/good").encode()
    hostile = line(NOON, "/bad", agent='x"\\" 200 "').encode()
    block = read(good + hostile + b'"\n' + b'"' * 501 + b"\n" + good)
    texts = [block.text(TARGET, place) for place in range(len(block.rows))]
    assert texts.count(b"/good") == 2
    assert block.bad >= 2


LONG_QUERY = "/" + "d" * 90 + "?a.css"
SKIMMED = ["/a.png", "/x.js", "/" + "d" * 70 + ".css", "/" + "d" * 150 + ".gif"]
KEPT = ["/a.png?x", "/p?a.png", LONG_QUERY, "/index", "/a.PNG", "/a.pngs", "/" + "d" * 300 + ".css"]


@given(st.lists(st.tuples(st.sampled_from(SKIMMED + KEPT), st.sampled_from(["-", "http://x.example/?q"])), max_size=9))
def test_skimming_leaves_out_nothing_but_assets(asked: list[tuple[str, str]]) -> None:
    text = "".join(line(NOON, target, referrer=referrer) for target, referrer in asked).encode()
    block = read(text, skim=True)
    kept = [block.text(TARGET, place).decode() for place in range(len(block.rows))]
    assert kept == [target for target, _ in asked if target in KEPT]
    assert block.assets == len(asked) - len(kept)


@pytest.mark.parametrize(
    "torn",
    [
        line(NOON, "/a.png").partition(' "Mozilla')[0],
        line(NOON, "/a.png").replace("[", "("),
        line(NOON, "/a.png").replace("GET", "PUT"),
        line(NOON, "/a.png").replace(' 200 512 "-"', ' 200 512 "-'),
    ],
)
def test_skimming_counts_no_line_that_is_torn_or_odd(torn: str) -> None:
    block = read(torn.rstrip("\n").encode() + b"\n", skim=True)
    assert (block.lines, block.assets) == (1, 0)


def test_lines_too_long_are_bad_and_cost_no_more_than_their_length() -> None:
    block = read(b"[" * 70_000 + b"\n" + line(NOON).encode() + b'x "' + b"[" * 60_000 + b"\n")
    assert (block.lines, len(block.rows), block.bad) == (3, 1, 2)
    assert [number for number, _ in block.examples] == [0, 2]


def test_hits_per_path_are_those_of_goaccess(tmp_path: Path) -> None:
    if not REAL.exists():
        pytest.skip(f"{REAL} is absent")
    if shutil.which("goaccess") is None:
        pytest.skip("goaccess is not installed")
    raw = gzip.decompress(REAL.read_bytes())
    (tmp_path / "log").write_bytes(raw)
    command = ["goaccess", "log", "--log-format=COMBINED", "-o", "out.json", "--no-global-config", "--max-items=100000"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    told = json.loads((tmp_path / "out.json").read_text("utf-8", "replace"))
    theirs: Counter[str] = Counter()
    for panel in ("requests", "static_requests", "not_found"):
        for each in told[panel]["data"]:
            theirs[each["data"]] += each["hits"]["count"]
    block = read(raw)
    ours = Counter(unquote(block.text(TARGET, place).decode()).strip() for place in range(len(block.rows)))
    assert len(block.rows) == 10_000
    assert block.bad == 0
    assert sum(theirs.values()) == sum(ours.values())
    assert {path: number for path, number in theirs.items() if ours[path] != number} == {}


def test_browsers_are_people_and_robots_say_so() -> None:
    from lycosa.clickstream.server_logs.sessions.robots import Asker, asker

    assert asker(BROWSER.encode()) == Asker.PERSON
    assert asker(b"Mozilla/5.0 (compatible; bingbot/2.0)") == Asker.ROBOT
    assert asker(b"kube-probe/1.27") == Asker.MONITORING
    assert asker(b"-") == Asker.NAMELESS
