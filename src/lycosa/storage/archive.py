"""The archive: every response as WARC/1.1, one gzip member a record, readable by any WARC tool.

An archive is a run of numbered files. It is told how far it had been committed
when it is opened, and cuts whatever lies beyond: a record that was appended but
whose batch never became durable is as if it had never been written, so a visit
is archived exactly once. An archive that has lost what was committed is not
opened, and not changed, until `go_on_without` has given up what is lost. Bodies
are kept as they came over the wire; only the chunking is gone.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path

from isal import isal_zlib

from lycosa.durable import sync, write_all
from lycosa.records import Record, Response

_LEVEL = 1
_DROPPED = frozenset({"transfer-encoding", "content-length"})
_REASONS = {status.value: status.phrase for status in HTTPStatus}


class Position(Record, frozen=True):
    """How far an archive is committed."""

    file: int = 0
    offset: int = 0


class Place(Record, frozen=True):
    """Where a record lies."""

    file: str
    offset: int
    length: int


class ArchiveDamaged(Exception):
    """A record is not what its place promised."""


class ArchiveShort(Exception):
    """Of what was committed something is not there any more."""


class Archive:
    """The archive files of one agent, open for appending."""

    def __init__(self, folder: Path, name: str, position: Position, largest: int) -> None:
        self._folder, self._name, self._largest = folder, name, largest
        folder.mkdir(parents=True, exist_ok=True)
        self._number, self._file = position.file, None
        self._refuse_losses(position)
        self._cut(position)

    def _refuse_losses(self, position: Position) -> None:
        """Leave everything as it is where a file is shorter than what was committed: it may still be brought back."""
        for path, lost in losses(self._folder, self._name, position):
            told = "is not there" if lost is None else f"ends {lost} bytes before what was committed"
            raise ArchiveShort(f"{path} {told}")

    def _cut(self, position: Position) -> None:
        """Forget whatever was written after the last commit."""
        for path in self._folder.glob(f"{self._name}-*.warc.gz"):
            if int(path.name.removesuffix(".warc.gz").rpartition("-")[2]) > position.file:
                path.unlink()
        if position.file:
            self._file = self._path(position.file).open("r+b", buffering=0)
            self._file.truncate(position.offset)
            self._file.seek(position.offset)

    _file: io.FileIO | None

    def _path(self, number: int) -> Path:
        return file_of(self._folder, self._name, number)

    def append(self, responses: Sequence[Response]) -> list[Place]:
        """Write records and make them durable; their batch must still be committed for them to count."""
        if not responses:
            return []
        places: list[Place] = []
        parts: list[bytes] = []
        file = self._current()
        name = self._path(self._number).name
        offset = begin = file.tell()
        for response, identity in zip(responses, _random_uuids(len(responses)), strict=True):
            member = _record(response, identity)
            places.append(Place(name, offset, len(member)))
            parts.append(member)
            offset += len(member)
        try:
            write_all(file, b"".join(parts))
            os.fdatasync(file.fileno())
        except OSError:
            file.truncate(begin)
            file.seek(begin)
            raise
        return places

    def _current(self) -> io.FileIO:
        if self._file is None or self._file.tell() >= self._largest:
            if self._file is not None:
                self._file.close()
            self._number += 1
            self._file = begin_file(self._path(self._number))
        return self._file

    @property
    def position(self) -> Position:
        """How far the archive has been written; becomes the committed position with the batch."""
        return Position(self._number, self._file.tell() if self._file else 0)

    def close(self) -> None:
        """Close the current file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def file_of(folder: Path, name: str, number: int) -> Path:
    """A file of an archive by its number."""
    return folder / f"{name}-{number:06d}.warc.gz"


def losses(folder: Path, name: str, position: Position) -> Iterator[tuple[Path, int | None]]:
    """Files that are not there (None), and how many bytes the last one lacks of what was committed."""
    for number in range(1, position.file + 1):
        path = file_of(folder, name, number)
        if not path.exists():
            yield path, None
        elif number == position.file and (lost := position.offset - path.stat().st_size) > 0:
            yield path, lost


def go_on_without(folder: Path, name: str, position: Position) -> Position:
    """Give up what is lost: an archive goes on from the new position, once that is committed.

    What is left of a short file stays as it is, and nothing is appended to it, so no place gets another
    record. A missing file is made again, without records.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for path, lost in list(losses(folder, name, position)):
        if lost is None:
            begin_file(path, "the records of this file were lost").close()
    if not any(losses(folder, name, position)):
        return position
    with begin_file(file_of(folder, name, position.file + 1)) as file:
        return Position(position.file + 1, file.tell())


def begin_file(path: Path, description: str = "") -> io.FileIO:
    """A new file, which says what it is."""
    file = path.open("w+b", buffering=0)
    write_all(file, _warcinfo(path.name, description))
    os.fdatasync(file.fileno())
    sync(path.parent)
    return file


@lru_cache(maxsize=64)
def _date(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _random_uuids(number: int) -> Iterator[str]:
    """UUIDs of version 4. The system is asked for chance once, which it gives slowly, and not for each."""
    drawn = os.urandom(16 * number).hex()
    for begin in range(0, len(drawn), 32):
        digits = drawn[begin : begin + 32]
        variant = "89ab"[int(digits[16], 16) % 4]
        yield f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def _packed(kind: str, identity: str, fields: list[tuple[str, str]], body: Sequence[bytes], at: float) -> bytes:
    """A record with a body in pieces, as a gzip member."""
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:{identity}>",
        f"WARC-Date: {_date(int(at))}",
        *[f"{name}: {value}" for name, value in fields],
        f"Content-Length: {sum(map(len, body))}",
        "\r\n",
    ]
    record = b"".join(("\r\n".join(lines).encode(), *body, b"\r\n\r\n"))
    return isal_zlib.compress(record, _LEVEL, wbits=31)


def _warcinfo(name: str, description: str) -> bytes:
    body = b"software: Lycosa\r\nformat: WARC File Format 1.1\r\n"
    if description:
        body += f"description: {description}\r\n".encode()
    fields = [("WARC-Filename", name), ("Content-Type", "application/warc-fields")]
    return _packed("warcinfo", next(_random_uuids(1)), fields, [body], datetime.now(UTC).timestamp())


def _record(response: Response, identity: str) -> bytes:
    reason = _REASONS.get(response.status, "Unknown")
    kept = [_line(f"{name}: {value}") for name, value in response.headers if name.lower() not in _DROPPED]
    lines = [f"HTTP/1.1 {response.status} {reason}", *kept, f"Content-Length: {len(response.raw)}", "\r\n"]
    head = _wire_bytes(lines)
    fields = [
        ("WARC-Target-URI", response.url),
        ("Content-Type", "application/http;msgtype=response"),
        ("WARC-Payload-Digest", f"sha256:{hashlib.sha256(response.raw).hexdigest()}"),
    ]
    if response.address:
        fields.append(("WARC-IP-Address", response.address))
    if response.truncated:
        fields.append(("WARC-Truncated", "length"))
    if response.status == HTTPStatus.NOT_MODIFIED:
        fields.append(("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/server-not-modified"))
    kind = "revisit" if response.status == HTTPStatus.NOT_MODIFIED else "response"
    return _packed(kind, identity, fields, (head, response.raw), response.began)


def _line(text: str) -> str:
    """A header that cannot break out of its line."""
    return text if text.isprintable() else text.replace("\r", " ").replace("\n", " ").replace("\0", " ")


def _wire_bytes(lines: Sequence[str]) -> bytes:
    """Lines as they came over the wire, where headers are bytes that were read as Latin-1; other letters as UTF-8."""
    try:
        return "\r\n".join(lines).encode("latin-1")
    except UnicodeEncodeError:
        return b"\r\n".join(line.encode("latin-1" if max(line) <= "\xff" else "utf-8", "replace") for line in lines)


def read(folder: Path, place: Place) -> tuple[dict[str, str], Response]:
    """The WARC header and the response at a place. The body is as it came over the wire."""
    try:
        with (folder / place.file).open("rb") as file:
            file.seek(place.offset)
            plain = isal_zlib.decompress(file.read(place.length), wbits=31)
    except (OSError, isal_zlib.error) as error:  # type: ignore[misc]  # its stub does not say that it is an exception
        raise ArchiveDamaged(f"{place.file} at {place.offset}: {error}") from error
    head, _, block = plain.partition(b"\r\n\r\n")
    fields = _fields(head)
    if not head.startswith(b"WARC/1.1") or "Content-Length" not in fields:
        raise ArchiveDamaged(f"{place.file} at {place.offset}: no WARC record")
    block = block[: int(fields["Content-Length"])]
    http_head, _, raw = block.partition(b"\r\n\r\n")
    status_line, _, header_lines = http_head.partition(b"\r\n")
    digest = fields.get("WARC-Payload-Digest", "")
    if digest != f"sha256:{hashlib.sha256(raw).hexdigest()}":
        raise ArchiveDamaged(f"{place.file} at {place.offset}: the payload does not match its digest")
    headers = tuple(
        (name, value.strip(" \t"))
        for name, _, value in (line.partition(":") for line in header_lines.decode("latin-1").split("\r\n"))
        if name
    )
    began = datetime.fromisoformat(fields["WARC-Date"]).timestamp()
    status = int(status_line.split()[1])
    return fields, Response(
        fields["WARC-Target-URI"], status, headers, b"", raw, began, 0.0, fields.get("WARC-IP-Address", "")
    )


def _fields(head: bytes) -> dict[str, str]:
    lines = head.decode("utf-8", "replace").split("\r\n")[1:]
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
