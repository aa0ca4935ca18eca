"""Lines read all at once: what fits says exactly what its format says of it, and what is skimmed is an asset."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_desk import NOON, line

from lycosa.clickstream.server_logs.parsing.asset_requests import are_assets
from lycosa.clickstream.server_logs.parsing.byte_slices import PADDING
from lycosa.clickstream.server_logs.parsing.columns import ADDRESS, AGENT, REFERRER, TARGET, LineBlock
from lycosa.clickstream.server_logs.parsing.common_formats import Cut, RegularLines, requests_first
from lycosa.clickstream.server_logs.parsing.formats import COMBINED, COMMON, format_called
from lycosa.clickstream.server_logs.parsing.line_marks import MarkFinder, after

USUAL = line(NOON, "/a?b", referrer="http://x.example/").encode().rstrip()


def cut_lines(lines: Sequence[bytes], quotes: int) -> tuple[RegularLines, Cut]:
    """Lines of a block as they are cut, of those that have the quotes of a format."""
    data = b"".join(text + b"\n" for text in lines)
    marks = MarkFinder(quotes=True).find(np.frombuffer(data, np.uint8))
    data += bytes(PADDING)
    first, enough = requests_first(np.frombuffer(data, np.uint8), marks, quotes)
    rows = np.flatnonzero(enough)
    each = (column.take(rows) for column in (first, after(marks.ends), marks.ends))
    return RegularLines(data, quotes, marks.places), Cut.at(data, marks.places, rows, *each)


def at_once(*lines: bytes, quotes: int = COMBINED) -> LineBlock:
    regular, cut = cut_lines(lines, quotes)
    return regular.block(cut)


def fitting(*lines: bytes, quotes: int = COMBINED) -> list[int]:
    return [int(row) for row in at_once(*lines, quotes=quotes).rows]


def skimmed(*lines: bytes) -> list[bool]:
    regular, cut = cut_lines(lines, COMBINED)
    assert len(cut.rows) == len(lines)
    return [bool(each) for each in are_assets(regular.data, cut.begin, cut.opened, cut.closed, cut.near)]


BYTES = [bytes([byte]) for byte in b'0123456789:;? "\\[]/-+aGTP.\t\r\x0b\x1f\0\xff']
END = b'" 200 512 "http://x.example/" "Mozilla/5.0 (X)"'
Parts = tuple[bytes, bytes]
PARTS: list[Parts] = [
    (b'10.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /a?b HTTP/1.0 HTTP/1.1', END),
    (b'::1 - a -bc [29/feb/2016:23:59:60 -1130] "GET  HTTP/2', END + b' "more" 0.003'),
    (b'a-host.example - John - [01/Jan/1970:00:00:00 +0000] "POST /form HTTP/2.0', END + b"\r"),
    (b'a-name - - [31/Dec/1969:20:10:59 +1545] "GET  HTTP/1.1', b'" 304 - "\\x22x" "\\\\b"'),
    (b'2001:db8:0:1::2:a - - [17/May/2015:10:05:03 +0000] "AVERYLONGMETHOD / HTTP/1.0', END + b" x\r"),
]
"""A line up to the end of the request, and the rest."""


def changed(text: bytes, place: int, byte: bytes, over: bool) -> bytes:
    """A text with a byte put in, written over or, where that is none, left out."""
    return text[:place] + byte + text[place + over :]


def every_change(text: bytes) -> list[bytes]:
    """A line, and all lines that differ from it by one byte."""
    changes = [(byte, over) for byte in BYTES for over in (False, True)] + [(b"", True)]
    return [text, *(changed(text, place, *change) for change in changes for place in range(len(text) + 1))]


def agrees_with_its_format(lines: Sequence[bytes], name: str, quotes: int) -> int:
    """Check what fitting lines say; returns how many fit. A last carriage return belongs to the end of a line."""
    form, block = format_called(name), at_once(*lines, quotes=quotes)
    for place, row in enumerate(block.rows.tolist()):
        entry = form.entry(lines[row].removesuffix(b"\r"))
        assert entry is not None, lines[row]
        found = (block.at[place], block.status[place], block.get[place])
        assert found == (entry.at, entry.status, entry.method == b"GET"), lines[row]
        assert [block.text(field, place) for field in (TARGET, REFERRER, AGENT, ADDRESS)] == [*entry[3:7]], lines[row]
    return len(block.rows)


@pytest.mark.parametrize("parts", PARTS)
def test_a_line_that_fits_says_what_its_format_says_whatever_byte_is_changed(parts: Parts) -> None:
    assert agrees_with_its_format(every_change(b"".join(parts)), "combined", COMBINED) > 400
    assert agrees_with_its_format(every_change(b"".join(parts)), "common", COMMON) < 50, "it has more quotes"
    assert agrees_with_its_format(every_change(parts[0] + b'" 200 5\r'), "common", COMMON) > 100


CHANGES = st.tuples(st.integers(0, 140), st.sampled_from([*BYTES, b""]), st.booleans())


@given(st.lists(st.tuples(st.sampled_from(PARTS), CHANGES, CHANGES), min_size=1, max_size=9))
def test_a_line_that_fits_says_what_its_format_says_though_two_bytes_are_changed(
    lines: list[tuple[Parts, tuple[int, bytes, bool], tuple[int, bytes, bool]]],
) -> None:
    each = [changed(changed(b"".join(parts), *one), *two) for parts, one, two in lines]
    agrees_with_its_format(each, "combined", COMBINED)
    agrees_with_its_format([text.partition(b' "http')[0] for text in each], "common", COMMON)


@pytest.mark.parametrize(
    ("usual", "odd"),
    [
        (b"10.0.0.1", b" 10.0.0.1"),
        (b"10.0.0.1", b"10.0.0.1\t"),
        (b"10.0.0.1", b"a" * 20 + b"\v" + b"a" * 20),
        (b"10.0.0.1 - -", b"10.0.0.1\t- frank"),
        (b" HTTP/1.1", b" HTTXYZ12"),
        (b" HTTP/1.1", b" HTTP/1 1"),
        (b" HTTP/1.1", b" HTTP/ "),
        (b"GET /a?b", b"POST"),
        (b"GET /a?b", b"POSTXYPOSTXYPOSTXYPOSTXY /a"),
        (b'120.0"', b'120.0"\rx'),
        (b'120.0"', b'120.0"\r\r'),
    ],
)
def test_what_stands_where_it_should_not_is_left_to_the_format(usual: bytes, odd: bytes) -> None:
    assert USUAL.count(usual) == 1
    assert fitting(USUAL, USUAL.replace(usual, odd), USUAL) == [0, 2]


def test_an_address_ends_at_the_first_space_of_its_line() -> None:
    block = at_once(USUAL, USUAL.replace(b" - - ", b" - - - - "), USUAL.replace(b" - - ", b" a b - - "))
    assert [block.text(ADDRESS, place) for place in range(len(block.rows))] == [b"10.0.0.1"] * 3


def test_a_common_line_has_no_other_quotes() -> None:
    bare = USUAL.partition(b' "http')[0]
    assert fitting(bare, bare + b' "x', bare + b' "-"', USUAL, bare + b" x", quotes=COMMON) == [0, 4]


def test_lines_as_servers_write_them_are_read_at_once_and_none_is_left_to_its_format() -> None:
    times = [b"14/Nov/2023:12:00:00 +0000", b"01/jan/1990:00:00:00 -0930", b"29/Feb/2000:23:59:60 +1500"]
    lines = [USUAL.replace(times[0], time) for time in times]
    lines += [USUAL.replace(b"- -", b"- frank"), USUAL.replace(b"GET", b"OPTIONS"), USUAL + b' "-" 0.1', USUAL + b"\r"]
    lines += [USUAL.replace(b"1.1", version) for version in (b"2", b"2.0", b"1.0")]
    lines += [USUAL.replace(b" 200 512", b" 304 -"), USUAL.replace(b'/" "', b'/\\x22" "').replace(b"a?b", b"\\\\")]
    assert fitting(*lines) == list(range(len(lines)))
    assert fitting(*(text.partition(b' "http')[0] for text in lines), quotes=COMMON) == list(range(len(lines)))


@pytest.mark.parametrize("quotes", [COMMON, COMBINED])
def test_nothing_fits_where_there_is_no_line_or_only_quotes(quotes: int) -> None:
    for lines in ((), (b"",), (b'"' * 6,), (b'"' * 40, b"x" * 90), (b'" "' * 2, b'"\\' * 6)):
        block = at_once(*lines, quotes=quotes)
        assert (len(block.rows), len(block.at), block.is_plain) == (0, 0, True)
        assert {len(column) for column in (*block.starts, *block.ends)} == {0}


def test_no_line_borrows_from_the_one_before() -> None:
    head, tail = USUAL[: USUAL.index(b'"')], USUAL[USUAL.index(b'"') :]
    for begun in (5, len(head) - 28, len(head) - 1, len(head)):
        assert fitting(head[:begun], head[begun:] + tail) == ([1] if begun == 5 else [])
    assert fitting(USUAL, USUAL.removeprefix(b"10.0.0.1"), USUAL.replace(b'1.1" ', b'1.\\" ')) == [0]
    torn = [b'10.0.0.2 - - [14/Nov/2023:12:00:00 +0000] "GET /x HTTP/1.1"', b' 200 5 "-" "-"']
    assert fitting(*torn, quotes=COMMON) == []
    assert fitting(*torn, USUAL) == [2]


@pytest.mark.parametrize(("user", "longest"), [(b"-", 300), (b"frank", 47)])
def test_a_long_name_of_a_visitor_is_found_at_once_up_to_a_length(user: bytes, longest: int) -> None:
    lines = [USUAL.replace(b"10.0.0.1 - -", b"%b - %b" % (b"h" * length, user)) for length in (longest, 48, 9)]
    block = at_once(*lines)
    assert block.rows.tolist() == ([0, 1, 2] if user == b"-" else [0, 2])
    assert block.text(ADDRESS, 0) == b"h" * longest


def test_the_first_line_of_a_block_may_be_too_short_to_be_read_at_once() -> None:
    short = USUAL.replace(b"10.0.0.1", b"::1")
    block = at_once(short, short)
    assert block.rows.tolist() == [1], "there is nothing before the first one to look at"
    assert block.text(ADDRESS, 0) == b"::1"


def test_chosen_lines_of_a_cut_are_read_as_if_they_stood_alone() -> None:
    lines = [line(NOON + place, f"/{place}").encode().rstrip() for place in range(5)]
    regular, cut = cut_lines(lines, COMBINED)
    block = regular.block(cut.only(np.array([3, 1])))
    assert block.rows.tolist() == [3, 1]
    assert [block.text(TARGET, place) for place in (0, 1)] == [b"/3", b"/1"]
    assert (block.at - NOON * 1000).tolist() == [3000, 1000]


ASSET = re.compile(
    rb'[^"]+\[.{26}\] "(GET /[^"?]*(?:\.js|\.(?:png|jpg|gif|css|ico|svg|ttf)) HTTP/\d\.\d)" (?:200|304) .*'
)
SHORTEST, LONGEST = len(b"GET /a.js HTTP/1.1"), 189
TIME = b"10.0.0.1 - - [14/Nov/2023:12:00:00"
ASKED = st.builds(
    b'%b +0000] "%b /%b%b%b HTTP/%b" %b %b'.__mod__,
    st.tuples(
        st.sampled_from([TIME, TIME, TIME, TIME + b".5"]),
        st.sampled_from([b"GET", b"GET", b"GET", b"POST"]),
        st.sampled_from([b"", b"a", b"b", b"a?b", b"d" * 36, b"d" * 70, b"d/" * 90]),
        st.sampled_from([b".png", b".js", b".css", b".ico", b".svg", b".ttf", b".jpg", b".gif", b".mjs", b"js"]),
        st.sampled_from([b"", b"", b"", b"?x", b"#x"]),
        st.sampled_from([b"1.1", b"1.0", b"2.0", b"2", b"1 1", b"1. "]),
        st.sampled_from([b"200", b"304", b"200", b"304", b"206", b"2000"]),
        st.sampled_from([b'5 "-" "-"', b'- "http://x.example/?q" "?"']),
    ),
)


@given(st.lists(ASKED, min_size=1, max_size=8))
def test_what_is_skimmed_are_answered_requests_for_assets_without_a_query(lines: list[bytes]) -> None:
    found = [ASSET.fullmatch(text) for text in lines]
    assert skimmed(*lines) == [each is not None and SHORTEST <= len(each[1]) <= LONGEST for each in found]


def test_requests_of_every_length_are_skimmed_up_to_the_longest_and_with_a_query_at_any_place_none_is() -> None:
    plain = line(NOON, "/.png", referrer="http://x.example/?q").encode().rstrip()
    lines = [plain.replace(b"/.", b"/%b." % (b"d" * length)) for length in range(200)]
    asked = [len(b"GET /.png HTTP/1.1") + length for length in range(200)]
    assert skimmed(*lines) == [length <= LONGEST for length in asked]
    assert skimmed(plain.replace(b".png", b".js")) == [False], "nothing stands before the dot"
    queries = [plain.replace(b"/.", b"/%b?%b." % (b"d" * place, b"d" * (170 - place))) for place in range(171)]
    queries += [plain.replace(b"/.", b"/%b?." % (b"d" * length)) for length in range(60)]
    assert not any(skimmed(*queries))


@pytest.mark.parametrize("odd", [b"HTTXYZ12", b"HTTP/1 1", b"HTTP/1. ", b"HTTP/1.\\", b"XTTP/1.1"])
def test_only_what_a_version_of_http_follows_is_an_asset(odd: bytes) -> None:
    plain = line(NOON, "/a.png").encode().rstrip()
    assert skimmed(plain, plain.replace(b"HTTP/1.1", odd)) == [True, False]


def test_only_a_bracket_of_the_own_line_is_a_bracket_before_a_time() -> None:
    rest = b'14/Nov/2023:12:00:00 +0000] "GET /a.js HTTP/1.1" 200 5 "-" "-"'
    before = b'10.0.0.1 - - [14/Nov/2023:12:00:00 +0000] "GET /a.js HTTP/1.1" 200 5 "-" "-" ['
    assert skimmed(before, rest[1:], b"[" + rest, b" [" + rest, b"  " + rest) == [True, False, False, True, False]
