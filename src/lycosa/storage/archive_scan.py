"""Finding the records of an archive again when nobody knows any more where they lie."""

from __future__ import annotations

from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path

from isal import isal_zlib

from lycosa.storage.archive import Place, Position, begin_file, file_of

_MEMBER, _AT_ONCE = b"\x1f\x8b\x08", 1 << 18


def places(folder: Path, name: str) -> Iterator[Place]:
    """Where whole records of responses lie in an archive, whatever was committed; what is damaged is passed over."""
    for path in sorted(folder.glob(f"{name}-*.warc.gz")):
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            begin = data.find(_MEMBER)
            while begin >= 0:
                length = _length_at(data, begin)
                if length:
                    yield Place(path.name, begin, length)
                begin = data.find(_MEMBER, begin + max(1, length))


def _length_at(data: mmap, begin: int) -> int:
    """The length of a record of a response; 0 where there is none."""
    member, plain = isal_zlib.decompressobj(wbits=31), b""
    try:
        for at in range(begin, len(data), _AT_ONCE):
            part = member.decompress(data[at : at + _AT_ONCE])
            plain = plain if len(plain) > _AT_ONCE else plain + part
            if member.eof:
                is_response = b"\r\nWARC-Type: response\r\n" in plain.partition(b"\r\n\r\n")[0]
                end = min(at + _AT_ONCE, len(data)) - len(member.unused_data)
                return end - begin if is_response else 0
    except isal_zlib.error:  # type: ignore[misc]  # its stub does not say that it is an exception
        return 0
    return 0


def go_on_after(folder: Path, name: str) -> Position:
    """Where an archive goes on of which nobody knows how far it was committed: nothing in it is cut off."""
    paths = sorted(folder.glob(f"{name}-*.warc.gz"))
    if not paths:
        return Position()
    number = int(paths[-1].name.removesuffix(".warc.gz").rpartition("-")[2])
    end = max((each.offset + each.length for each in places(folder, name) if each.file == paths[-1].name), default=0)
    if end == paths[-1].stat().st_size:
        return Position(number, end)
    with begin_file(file_of(folder, name, number + 1)) as file:
        return Position(number + 1, file.tell())
