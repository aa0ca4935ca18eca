"""Undoing Content-Encoding within a ceiling.

A few kilobytes can unpack to gigabytes, and encodings can be wrapped in each
other, so every step works piecewise and stops one byte beyond the ceiling.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from typing import TypeAlias, cast

import brotli
import zstandard
from isal import igzip_lib, isal_zlib

ACCEPTED = "gzip, deflate, br, zstd"
MOST_NESTED = 2
MOST_MEMBERS = 100
"""Concatenated gzip members that are read; each one costs a copy of all that follows it."""

LARGEST_WINDOW = 8 * 1024**2
"""The memory a zstd stream may ask of its reader; the limit for zstd on the web (RFC 9659)."""

_PIECE = 256 * 1024
_SKIPPABLE = b"\x2a\x4d\x18"
"""The magic number of a zstd frame that holds nothing to be read, but for its first byte."""
_LONGEST_FRAME_HEADER = 18
_RUN = 1
"""A block of one byte, however long it is when unpacked."""
_IsalError = cast(type[Exception], igzip_lib.IsalError)

Decoder: TypeAlias = Callable[[bytes, int], tuple[bytes, bool]]
"""Takes data and a ceiling; gives at most one byte more than the ceiling, and whether the stream came to its end."""


class BadCoding(Exception):
    """The body is not what its Content-Encoding says, or the encoding is one we did not ask for."""


class TooLarge(Exception):
    """The decoded body exceeds the ceiling; `begin` is what fits."""

    def __init__(self, begin: bytes) -> None:
        super().__init__("decoded body exceeds the ceiling")
        self.begin = begin


def codings(header: str) -> list[str]:
    """The encodings a Content-Encoding header names, in the order in which they were applied."""
    if not header:
        return []
    named = [name.strip().lower() for name in header.split(",")]
    return [name for name in named if name and name != "identity"]


def decode(raw: bytes, applied: list[str], ceiling: int) -> tuple[bytes, bool]:
    """The decoded body and whether it is whole; a stream that breaks off gives what could be read of it."""
    if len(applied) > MOST_NESTED:
        raise BadCoding(f"{len(applied)} encodings inside each other")
    body, whole = raw, True
    for name in reversed(applied):
        decoder = _DECODERS.get(name)
        if decoder is None:
            raise BadCoding(f"unknown encoding {name[:40]!r}")
        if not body:
            break
        body, ended = decoder(body, ceiling)
        whole = whole and ended
        if len(body) > ceiling:
            raise TooLarge(body[:ceiling])
    return body, whole


def _inflate(data: bytes, ceiling: int, window_bits: int) -> tuple[bytes, bool]:
    """One zlib stream after another, as concatenated gzip members are allowed; what follows them is ignored."""
    parts: list[bytes] = []
    room = ceiling + 1
    for _ in range(MOST_MEMBERS):
        stream = isal_zlib.decompressobj(window_bits)
        try:
            part = stream.decompress(data, room)
        except _IsalError as error:
            if parts:
                return b"".join(parts), True
            raise BadCoding(str(error)) from None
        parts.append(part)
        room -= len(part)
        if not stream.eof:
            return b"".join(parts), False
        data = stream.unused_data
        if not data or room <= 0:
            return b"".join(parts), True
    raise BadCoding("too many gzip members")


def _gzip(data: bytes, ceiling: int) -> tuple[bytes, bool]:
    return _inflate(data, ceiling, 16 + zlib.MAX_WBITS)


def _deflate(data: bytes, ceiling: int) -> tuple[bytes, bool]:
    """Some servers send `deflate` without its zlib wrapping."""
    try:
        return _inflate(data, ceiling, zlib.MAX_WBITS)
    except BadCoding:
        return _inflate(data, ceiling, -zlib.MAX_WBITS)


def _brotli(data: bytes, ceiling: int) -> tuple[bytes, bool]:
    stream = brotli.Decompressor()
    parts: list[bytes] = []
    room = ceiling + 1
    try:
        part = stream.process(data, output_buffer_limit=_PIECE)
        while part and room > 0:
            parts.append(part)
            room -= len(part)
            part = b"" if stream.is_finished() else stream.process(b"", output_buffer_limit=_PIECE)
    except brotli.error as error:
        raise BadCoding(str(error)) from None
    return b"".join(parts)[: ceiling + 1], stream.is_finished()


def _zstd(data: bytes, ceiling: int) -> tuple[bytes, bool]:
    reader = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW).stream_reader(
        io.BytesIO(data), read_across_frames=True
    )
    parts: list[bytes] = []
    room = ceiling + 1
    try:
        while room > 0 and (part := reader.read(min(room, _PIECE))):
            parts.append(part)
            room -= len(part)
        return b"".join(parts), _zstd_ends(data)
    except zstandard.ZstdError as error:
        raise BadCoding(str(error)) from None


def _zstd_ends(data: bytes) -> bool:
    """Whether the last frame is whole. The reader does not say; but frames and their blocks say how long they are."""
    at = 0
    while at < len(data):
        if data[at + 1 : at + 4] == _SKIPPABLE:
            at += 8 + int.from_bytes(data[at + 4 : at + 8], "little")
            continue
        frame = data[at : at + _LONGEST_FRAME_HEADER]
        if len(frame) < _LONGEST_FRAME_HEADER and not _is_whole_header(frame):
            return False
        at += zstandard.frame_header_size(frame)
        last = 0
        while not last:
            block = int.from_bytes(data[at : at + 3], "little")
            last, kind, size = block & 1, block >> 1 & 3, block >> 3
            at += 3 + (1 if kind == _RUN else size)
            if at > len(data):
                return False
        at += 4 * zstandard.get_frame_parameters(frame).has_checksum
    return at == len(data)


def _is_whole_header(frame: bytes) -> bool:
    try:
        return zstandard.frame_header_size(frame) <= len(frame)
    except zstandard.ZstdError:
        return False


_DECODERS: dict[str, Decoder] = {
    "gzip": _gzip, "x-gzip": _gzip, "deflate": _deflate, "br": _brotli, "zstd": _zstd,
}  # fmt: skip
