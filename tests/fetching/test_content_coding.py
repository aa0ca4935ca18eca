"""Content-Encoding is undone within a ceiling, whatever a server calls its bytes."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable
from contextlib import suppress

import brotli
import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from lycosa.fetching.content_coding import MOST_MEMBERS, BadCoding, TooLarge, codings, decode


def _bare_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def _streamed_zstd(body: bytes) -> bytes:
    """As servers send it: no size in front, a checksum behind, frames one after the other."""
    packer = zstandard.ZstdCompressor(write_checksum=True, write_content_size=False)
    skipped = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    return packer.compress(body[:1000]) + skipped + packer.compress(body[1000:])


PACKERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "members": ("x-gzip", lambda body: gzip.compress(body[:10]) + gzip.compress(body[10:])),
    "deflate": ("deflate", zlib.compress),
    "bare deflate": ("deflate", _bare_deflate),
    "br": ("br", brotli.compress),
    "zstd": ("zstd", zstandard.ZstdCompressor().compress),
    "streamed zstd": ("zstd", _streamed_zstd),
}
LONG = os.urandom(40_000) + b"feather " * 20_000
bodies = st.one_of(st.binary(max_size=3000), st.just(LONG), st.binary(max_size=30).map(lambda each: each * 500))


@pytest.mark.parametrize("packer", PACKERS)
@given(body=bodies, ceiling=st.integers(0, 300_000))
def test_a_body_comes_back_whole_or_up_to_the_ceiling(packer: str, body: bytes, ceiling: int) -> None:
    name, pack = PACKERS[packer]
    if len(body) <= ceiling:
        assert decode(pack(body), [name], ceiling) == (body, True)
        return
    with pytest.raises(TooLarge) as refused:
        decode(pack(body), [name], ceiling)
    assert refused.value.begin == body[:ceiling]


@pytest.mark.parametrize("packer", PACKERS)
@given(part=st.floats(0, 1))
@example(part=0.0001)
@example(part=0.99999)
def test_what_breaks_off_is_not_called_whole(packer: str, part: float) -> None:
    name, pack = PACKERS[packer]
    raw = pack(LONG)
    cut = raw[: max(1, min(len(raw) - 1, int(part * len(raw))))]
    try:
        found, whole = decode(cut, [name], len(LONG))
    except BadCoding:
        return
    assert LONG.startswith(found)
    assert not whole or cut in _whole_parts(packer)


def _whole_parts(packer: str) -> list[bytes]:
    """Where a body of several frames or members may end, and still be one."""
    _, pack = PACKERS[packer]
    if packer == "members":
        return [pack(LONG)[: len(gzip.compress(LONG[:10]))]]
    if packer == "streamed zstd":
        first = zstandard.ZstdCompressor(write_checksum=True, write_content_size=False).compress(LONG[:1000])
        return [first, pack(LONG)[: len(first) + 11]]
    return []


@given(st.binary(max_size=400), st.lists(st.sampled_from(["gzip", "deflate", "br", "zstd", "odd"]), max_size=4))
def test_any_bytes_are_decoded_or_refused(raw: bytes, names: list[str]) -> None:
    with suppress(BadCoding, TooLarge):
        found, _ = decode(raw, names, 1000)
        assert len(found) <= 1000


def test_encodings_in_each_other_and_members_without_end_are_refused() -> None:
    twice = brotli.compress(gzip.compress(b"a page"))
    assert decode(twice, codings(" GZIP , identity, br"), 100) == (b"a page", True)
    with pytest.raises(BadCoding, match="3 encodings"):
        decode(gzip.compress(twice), ["gzip", "br", "gzip"], 100)
    with pytest.raises(BadCoding, match="members"):
        decode(gzip.compress(b"") * (MOST_MEMBERS + 1), ["gzip"], 100)


@pytest.mark.parametrize("packer", PACKERS)
def test_a_bomb_is_read_up_to_the_ceiling_only(packer: str) -> None:
    name, pack = PACKERS[packer]
    bomb = pack(bytes(50_000_000))
    assert len(bomb) < 60_000
    with pytest.raises(TooLarge) as refused:
        decode(bomb, [name], 100_000)
    assert refused.value.begin == bytes(100_000)
