"""Reading WARC files, whoever wrote them: plain, gzip or zstd, whole or torn.

A file is indexed once; afterwards each response is read from its place. A place is where a
compressed member begins and how far into it a record is, so that also files compressed in one
piece can be read. What is damaged is counted and passed over, never guessed.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

import zstandard

from lycosa.records import Response

LARGEST_RECORD = 64 * 1024**2
"""Bytes of a record's block that are read; what is beyond is skipped, and the response marked as truncated."""

LARGEST_HEADERS = 64 * 1024
_PIECE = 16 * 1024
_ZSTD_DICTIONARY = b"\x5d\x2a\x4d\x18"
_ZSTD_FRAME = b"\x28\xb5\x2f\xfd"


class Damaged(Exception):
    """The file does not go on as a WARC file must."""


class Place(NamedTuple):
    """Where a record is: the start of its compressed member in the file, and the bytes before it in there."""

    member: int
    inner: int


class _Unpacker(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class Tape:
    """The bytes of a WARC file as one unpacked stream that knows its places."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._unpacker_of = _unpacker_of(file)
        self.seek(Place(0, 0))

    def seek(self, place: Place) -> None:
        """Go to a place."""
        straight = self._unpacker_of is None
        self._file.seek(place.member + (place.inner if straight else 0))
        self._unpacker = self._unpacker_of() if self._unpacker_of else None
        self._member, self._inner, self._buffer = place.member, place.inner if straight else 0, b""
        if not straight:
            self.skip(place.inner)

    def place(self) -> Place | None:
        """Where the next byte is; None at the end of the file."""
        return Place(self._member, self._inner) if self._buffer or self._fill() else None

    def read(self, size: int) -> bytes:
        """The next bytes; fewer only at the end of the file."""
        parts: list[bytes] = []
        while size > 0 and (self._buffer or self._fill()):
            part = self._take(size)
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def skip(self, size: int) -> int:
        """Pass over bytes; says how many there were."""
        wanted = size
        while size > 0 and (self._buffer or self._fill()):
            size -= len(self._take(size))
        return wanted - size

    def line(self) -> bytes:
        """The next line with its end; b'' at the end of the file."""
        found = b""
        while self._buffer or self._fill():
            end = self._buffer.find(b"\n") + 1
            found += self._take(end or len(self._buffer))
            if end:
                break
            if len(found) > LARGEST_HEADERS:
                raise Damaged("a line without end")
        return found

    def _take(self, size: int) -> bytes:
        part, self._buffer = self._buffer[:size], self._buffer[size:]
        self._inner += len(part)
        return part

    def _fill(self) -> bool:
        """More bytes into the empty buffer; a new member begins only where one has ended."""
        while not self._buffer:
            if self._unpacker is not None and self._unpacker.eof:
                self._next_member()
            data = self._file.read(_PIECE)
            if not data:
                return self._end()
            self._buffer = self._unpacked(data)
        return True

    def _end(self) -> bool:
        if self._unpacker is not None and self._file.tell() > self._member:
            raise Damaged("the last member is cut short")
        return False

    def _unpacked(self, data: bytes) -> bytes:
        if self._unpacker is None:
            return data
        try:
            return self._unpacker.decompress(data)
        except (zlib.error, zstandard.ZstdError) as error:
            raise Damaged(str(error)) from None

    def _next_member(self) -> None:
        assert self._unpacker is not None
        assert self._unpacker_of is not None
        self._member, self._inner = self._file.tell() - len(self._unpacker.unused_data), 0
        self._file.seek(self._member)
        self._unpacker = self._unpacker_of()


def _unpacker_of(file: BinaryIO) -> Callable[[], _Unpacker] | None:
    """How to unpack a file, by its first bytes rather than by its name; None where it is not packed."""
    file.seek(0)
    magic = file.read(4)
    if magic[:2] == b"\x1f\x8b":
        return lambda: zlib.decompressobj(31)
    if magic == _ZSTD_DICTIONARY:
        return _with_dictionary(file)
    if magic == _ZSTD_FRAME:
        return zstandard.ZstdDecompressor().decompressobj
    return None


def _with_dictionary(file: BinaryIO) -> Callable[[], _Unpacker]:
    """A dictionary for all records may stand before them, itself packed or not."""
    size = int.from_bytes(file.read(4), "little")
    if size > LARGEST_RECORD:
        raise Damaged("the dictionary is too large")
    data = file.read(size)
    try:
        if data.startswith(_ZSTD_FRAME):
            data = zstandard.ZstdDecompressor().decompress(data, max_output_size=LARGEST_RECORD)
        return zstandard.ZstdDecompressor(dict_data=zstandard.ZstdCompressionDict(data)).decompressobj
    except zstandard.ZstdError as error:
        raise Damaged(str(error)) from None


class Record(NamedTuple):
    """The head of a record: its place, its headers (names in lower case) and the size of its block."""

    place: Place
    headers: dict[str, str]
    size: int


class WarcIndex:
    """Where the latest response for each URL is. `torn` counts the places where reading had to end early."""

    def __init__(self, path: Path) -> None:
        self.places: dict[str, Place] = {}
        self.records = 0
        self.torn = 0
        self._path = path
        with path.open("rb") as file:
            try:
                for record in _records(Tape(file)):
                    self._note(record)
            except Damaged:
                self.torn += 1

    def read(self, url: str) -> Response | None:
        """The response for a URL, with its body as it was transferred in `raw`."""
        place = self.places.get(url)
        if place is None:
            return None
        with self._path.open("rb") as file:
            tape = Tape(file)
            tape.seek(place)
            record = _head(tape)
            block = tape.read(min(record.size, LARGEST_RECORD)) if record else b""
            return _response(url, block, record is not None and record.size > LARGEST_RECORD)

    def _note(self, record: Record) -> None:
        self.records += 1
        url = record.headers.get("warc-target-uri", "").strip("<>")
        if record.headers.get("warc-type") == "response" and url.startswith(("http://", "https://")):
            self.places[url] = record.place


def _records(tape: Tape) -> Iterator[Record]:
    """The whole records, in order; one that breaks off is damage."""
    while (record := _head(tape)) is not None:
        if tape.skip(record.size) < record.size:
            raise Damaged("the last record is cut short")
        yield record


def _head(tape: Tape) -> Record | None:
    """The head of the next record, or None at the end of the file."""
    place, line = tape.place(), tape.line()
    while line in (b"\r\n", b"\n"):
        place, line = tape.place(), tape.line()
    if not line or place is None:
        return None
    if not line.startswith(b"WARC/"):
        raise Damaged("no record where one should begin")
    headers = _headers(tape)
    size = headers.get("content-length", "")
    if not (size.isascii() and size.isdigit() and len(size) < 16):
        raise Damaged("a record without a size")
    return Record(place, headers, int(size))


def _headers(tape: Tape) -> dict[str, str]:
    found: dict[str, str] = {}
    total = 0
    while (line := tape.line()) not in (b"\r\n", b"\n"):
        total += len(line)
        if not line.endswith(b"\n") or total > LARGEST_HEADERS:
            raise Damaged("headers without end")
        name, _, value = line.decode("utf-8", "replace").partition(":")
        found.setdefault(name.strip().lower(), value.strip())
    return found


def _response(url: str, block: bytes, truncated: bool) -> Response | None:
    """The HTTP answer in a record's block, or None where there is none."""
    head, _, raw = block.partition(b"\r\n\r\n") if b"\r\n\r\n" in block else block.partition(b"\n\n")
    first, *lines = head.decode("latin-1").replace("\r\n", "\n").split("\n")
    parts = first.split(None, 2)
    if len(parts) < 2 or not parts[0].startswith("HTTP/") or not (parts[1].isascii() and parts[1].isdigit()):
        return None
    parted = (line.partition(":") for line in lines if line)
    headers = tuple((name.strip(), value.strip(" \t\r")) for name, _, value in parted)
    if any(name.lower() == "transfer-encoding" and "chunked" in value.lower() for name, value in headers):
        raw = unchunked(raw)
    return Response(url, int(parts[1][:4]), headers, b"", raw, truncated=truncated)


def unchunked(raw: bytes) -> bytes:
    """A body without its chunking; one that is not chunked, as some tools store it, stays as it is."""
    stream, parts = io.BytesIO(raw), list[bytes]()
    while line := stream.readline(1024):
        try:
            size = int(line.partition(b";")[0], 16)
        except ValueError:
            return b"".join(parts) if parts else raw
        if size <= 0:
            break
        parts.append(stream.read(size))
        stream.readline(3)
    return b"".join(parts)
