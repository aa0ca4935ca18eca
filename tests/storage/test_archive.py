"""The archive: exactly once, readable by others, damage noticed."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecordType
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from lycosa.fetching.warc_reader import WarcIndex
from lycosa.records import Response
from lycosa.storage.archive import Archive, ArchiveDamaged, Place, Position, read

LARGE = 1 << 30


def response(number: int = 1, body: bytes = b"<p>hello</p>", status: int = 200) -> Response:
    headers = (("Content-Type", "text/html"), ("Transfer-Encoding", "chunked"), ("X-Odd", "a\r\nb"))
    return Response(f"http://a.org/{number}", status, headers, body, body, 1_700_000_000.0, 0.1, "192.0.2.1")


def test_what_is_appended_can_be_read_back(tmp_path: Path) -> None:
    archive = Archive(tmp_path, "agent-0", Position(), LARGE)
    places = archive.append([response(1), response(2, b"x" * 100_000)])
    fields, first = read(tmp_path, places[0])
    assert (first.url, first.status, first.raw) == ("http://a.org/1", 200, b"<p>hello</p>")
    assert fields["WARC-IP-Address"] == "192.0.2.1"
    assert read(tmp_path, places[1])[1].raw == b"x" * 100_000


def test_nothing_to_append_begins_no_file(tmp_path: Path) -> None:
    archive = Archive(tmp_path, "agent-0", Position(), LARGE)
    assert archive.append([]) == []
    assert archive.position == Position()
    assert list(tmp_path.iterdir()) == []


def test_other_tools_read_our_files(tmp_path: Path) -> None:
    archive = Archive(tmp_path, "agent-0", Position(), LARGE)
    gz = gzip.compress(b"<p>packed</p>")
    packed = Response("http://a.org/z", 200, (("Content-Encoding", "gzip"),), b"<p>packed</p>", gz, 1.7e9)
    archive.append([response(1), response(2, status=404), packed, response(4, b"", status=304)])
    archive.close()
    (path,) = tmp_path.glob("*.warc.gz")
    with path.open("rb") as file:
        seen = [
            (record.rec_type, record.rec_headers.get_header("WARC-Target-URI"), record.content_stream().read())
            for record in ArchiveIterator(file, check_digests=True)
        ]
    assert [kind for kind, _, _ in seen] == ["warcinfo", "response", "response", "response", "revisit"]
    assert seen[1][2] == b"<p>hello</p>"
    assert seen[3][2] == b"<p>packed</p>"
    with path.open("rb") as file:
        fast = list(FastIterator(file, record_types=WarcRecordType.response))
    assert len(fast) == 3


ON_THE_WIRE = {
    "UTF-8": "café".encode(),
    "Latin-1": b"caf\xe9",
    "bytes that look like the end of a line or like space": "Å à".encode(),
    "nothing of any encoding": b"\xff\x80\xa0",
}


@pytest.mark.parametrize("sent", ON_THE_WIRE.values(), ids=ON_THE_WIRE)
def test_headers_are_archived_as_they_came_over_the_wire(tmp_path: Path, sent: bytes) -> None:
    """The fetcher reads headers as Latin-1; these bytes, and no others, are what every tool finds."""
    archive = Archive(tmp_path, "agent-0", Position(), LARGE)
    given = (("Content-Type", "text/html"), ("X-Name", sent.decode("latin-1")), ("X-Last", "1"))
    (place,) = archive.append([Response("http://a.org/", 200, given, b"<p>x</p>", b"<p>x</p>", 1.7e9)])
    archive.close()
    assert read(tmp_path, place)[1].headers[:3] == given
    (path,) = tmp_path.glob("*.warc.gz")
    with path.open("rb") as file:
        (block,) = (
            record.raw_stream.read()
            for record in ArchiveIterator(file, no_record_parse=True)
            if record.rec_type == "response"
        )
    assert b"\r\nX-Name: " + sent + b"\r\nX-Last: 1\r\n" in block
    with path.open("rb") as file:
        (fast,) = (each.reader.read() for each in FastIterator(file, WarcRecordType.response, parse_http=False))
    assert fast == block
    found = WarcIndex(path).read("http://a.org/")
    assert found is not None
    assert found.headers[:3] == given


def test_headers_that_no_wire_carried_are_archived_as_utf_8(tmp_path: Path) -> None:
    archive = Archive(tmp_path, "agent-0", Position(), LARGE)
    given = (("X-Name", "caf\xe9"), ("X-Other", "Жук"))
    (place,) = archive.append([Response("http://a.org/", 200, given, b"x", b"x", 1.7e9)])
    archive.close()
    kept = dict(read(tmp_path, place)[1].headers)
    assert kept["X-Name"] == "caf\xe9"
    assert kept["X-Other"].encode("latin-1").decode() == "Жук"


def test_what_was_not_committed_is_cut_off(tmp_path: Path) -> None:
    archive = Archive(tmp_path, "agent-0", Position(), LARGE)
    archive.append([response(1)])
    committed = archive.position
    archive.append([response(2)])
    archive.close()
    again = Archive(tmp_path, "agent-0", committed, LARGE)
    (place,) = again.append([response(3)])
    assert place.offset == committed.offset
    assert read(tmp_path, place)[1].url == "http://a.org/3"


@pytest.mark.parametrize("largest", [2_000, 3_500])
def test_a_file_takes_responses_until_it_is_as_large_as_asked_for(tmp_path: Path, largest: int) -> None:
    archive = Archive(tmp_path, "agent-0", Position(), largest)
    body = random.Random(1).randbytes(800)
    places = [place for number in range(12) for place in archive.append([response(number, body)])]
    archive.close()
    begun = [place.offset for place in places]
    last = {place.file: place for place in places}
    *full, _ = last
    assert len(full) > 1
    assert all(offset < largest or begun[0] == offset for offset in begun), "no response goes into a file that is full"
    assert all(last[file].offset + last[file].length >= largest for file in full), "none is left before it is full"


def test_files_begun_after_the_commit_are_removed(tmp_path: Path) -> None:
    archive = Archive(tmp_path, "agent-0", Position(), 10)
    archive.append([response(1)])
    committed = archive.position
    archive.append([response(2)])
    archive.close()
    assert len(list(tmp_path.glob("*.warc.gz"))) == 2
    Archive(tmp_path, "agent-0", committed, 10).close()
    assert len(list(tmp_path.glob("*.warc.gz"))) == 1


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 400), st.integers(0, 255))
def test_a_damaged_record_is_noticed(where: int, byte: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive = Archive(folder, "agent-0", Position(), LARGE)
        (place,) = archive.append([response(1, b"payload " * 50)])
        archive.close()
        path = folder / place.file
        data = bytearray(path.read_bytes())
        at = place.offset + where % place.length
        changed = data[at] != byte
        data[at] = byte
        path.write_bytes(data)
        try:
            _, found = read(folder, place)
        except ArchiveDamaged:
            assert changed
        else:
            assert found.raw == b"payload " * 50


def test_a_place_beyond_the_end_is_damage(tmp_path: Path) -> None:
    with pytest.raises(ArchiveDamaged):
        read(tmp_path, Place("none.warc.gz", 0, 10))
