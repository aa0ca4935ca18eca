"""Blocks of lines and what is hashed in them: nothing depends on how a log is cut, packed or gathered."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.clickstream.server_logs.line_blocks import LineBlocks
from lycosa.clickstream.server_logs.log_files import LogStream
from lycosa.clickstream.server_logs.parsing.byte_slices import PADDING, SliceHash
from lycosa.clickstream.server_logs.parsing.columns import ADDRESS
from lycosa.clickstream.server_logs.parsing.formats import format_called
from lycosa.clickstream.server_logs.parsing.lines import LineReader

LINE = b'%b - - [17/May/2015:10:05:03 +0000] "GET /page HTTP/1.1" 200 51 "-" "%b"\n'


class Pipe(io.BytesIO):
    """Bytes that can be read only once."""

    def seekable(self) -> bool:
        return False


def opened(kind: str, log: bytes) -> io.BytesIO:
    return {"file": io.BytesIO, "pipe": Pipe, "gzip": lambda log: io.BytesIO(gzip.compress(log))}[kind](log)


@pytest.mark.parametrize("kind", ["file", "pipe", "gzip"])
@given(lines=st.lists(st.binary(max_size=150).map(lambda line: line.replace(b"\n", b" "))), size=st.integers(200, 900))
def test_blocks_hold_every_line_once_and_in_order(kind: str, lines: list[bytes], size: int) -> None:
    log = b"".join(line + b"\n" for line in lines)
    blocks, found = LineBlocks(LogStream(opened(kind, log), closed=False), size=size), b""
    while (block := blocks.next()).length:
        assert len(block.data) - block.length >= PADDING
        assert block.data[: block.length].endswith(b"\n")
        found += block.data[: block.length]
        assert blocks.length == len(found)
    assert found == log
    whole = LineBlocks(LogStream(io.BytesIO(log), closed=False))
    assert whole.skip(len(log))
    assert blocks.prefix == whole.prefix


@pytest.mark.parametrize("kind", ["file", "pipe"])
def test_a_line_without_an_end_waits(kind: str) -> None:
    blocks = LineBlocks(LogStream(opened(kind, b"a\n" * 200 + b"half a line"), closed=False), size=256)
    length = 0
    while found := blocks.next().length:
        length += found
    assert (length, blocks.waiting) == (400, len(b"half a line"))


def test_looking_ahead_takes_nothing() -> None:
    log = b"".join(b"line %d\n" % number for number in range(100))
    blocks = LineBlocks(LogStream(io.BytesIO(log), closed=False))
    assert blocks.first_line() == b"line 0"
    assert blocks.first_lines(2) == [b"line 0", b"line 1"]
    found = b""
    while (block := blocks.next()).length:
        found += block.data[: block.length]
    assert found == log


@given(texts=st.lists(st.binary(max_size=200) | st.binary(min_size=250, max_size=600), min_size=1))
def test_a_text_has_the_same_hash_whatever_stands_beside_it(texts: list[bytes]) -> None:
    hashes = SliceHash()
    ends = np.cumsum([len(text) for text in texts])
    starts = ends - [len(text) for text in texts]
    together = hashes.of(b"".join(texts) + bytes(PADDING), starts, ends).tolist()
    assert together == [hashes.one(text) for text in texts]
    assert len(set(together)) == len(set(texts))


@pytest.mark.parametrize("length", [9, 64, 65, 128, 129, 400])
def test_every_byte_of_a_text_counts(length: int) -> None:
    hashes, text = SliceHash(), b"a" * length
    changed = [text[:place] + b"b" + text[place + 1 :] for place in range(length)]
    assert len({hashes.one(each) for each in [text, text + b"a", text + b"\0", *changed]}) == length + 3


def test_each_hash_has_constants_of_its_own() -> None:
    assert SliceHash().one(b"text") != SliceHash().one(b"text")


@pytest.mark.parametrize("bit", [0x80, 0x40, 0x10, 0x01])
@pytest.mark.parametrize("length", [16, 64, 150, 400])
def test_texts_chosen_to_meet_do_not_meet(bit: int, length: int) -> None:
    """They differ in the highest bytes of words, and of half words, where a sum modulo a power of 2 forgets most."""
    text = b"1" * length
    pairs = [(one, other) for one in (3, 7) for other in (11, 15)] + [(3, 7)]
    for _ in range(32):
        hashes, found = SliceHash(), set()
        for chosen in [(), *pairs, (3, 7, 11, 15)]:
            found.add(hashes.one(bytes(byte ^ bit if place in chosen else byte for place, byte in enumerate(text))))
        assert len(found) == len(pairs) + 2


def test_a_line_read_alone_leaves_the_block_where_it_is_and_plain() -> None:
    log = (LINE % (b"10.0.0.1", b"Mozilla/5.0")) + LINE % (b"10.0.0.2", rb"Mozilla \"5\"")
    data = log + bytes(PADDING)
    block = LineReader(format_called("combined")).read(data, len(log))
    assert block.data is data
    assert block.is_plain
    assert len(block.rows) == 2
    assert {block.text(ADDRESS, 0), block.text(ADDRESS, 1)} == {b"10.0.0.1", b"10.0.0.2"}
