"""Recorded webs: folders with odd names and archives of any make answer with what they hold, and nothing else."""

from __future__ import annotations

import asyncio
import gzip
import io
import os
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from lycosa.configuration.settings import ConfigurationError, build
from lycosa.fetching.recorded_web import (
    RecordedArchive,
    RecordedFetcher,
    RecordedFolder,
    parse_recording,
    recorded_fetcher,
)
from lycosa.fetching.warc_reader import WarcIndex, unchunked
from lycosa.plugins.plug_points import Known
from lycosa.records import Failed, Fetched, Link, Outcome, Redirected, Refused, SiteOpened, SiteShut, Unchanged
from lycosa.urls import resolve

PAGE = b"<html><title>A page</title><p>Some text.</p></html>"


def fetched(fetcher: RecordedFetcher, url: str, known: Known | None = None) -> Outcome:
    return asyncio.run(fetcher.fetch(Link(url), known))


def folder_fetcher(root: Path, sites: bool = False) -> RecordedFetcher:
    return RecordedFetcher(RecordedFolder(root, sites), lambda: 7.0)


def body(fetcher: RecordedFetcher, url: str) -> bytes:
    outcome = fetched(fetcher, url)
    assert isinstance(outcome, Fetched), outcome
    return outcome.response.body


# Notation


@pytest.mark.parametrize(
    ("notation", "hint"),
    [
        ("dir:", "write dir:DIR"),
        ("tar:x", "write dir:DIR"),
        ("dir:/no/such/folder", "no folder"),
        ("warc:/no/such/file", "no file"),
        ("dir:.?site", "'site' is not known"),
        ("dir:.?labels=", "is not known"),
    ],
)
def test_impossible_notations_are_refused_with_a_hint(notation: str, hint: str) -> None:
    with pytest.raises(ConfigurationError, match=hint):
        parse_recording(notation)


def test_notation_of_folders(tmp_path: Path) -> None:
    told = parse_recording(f"dir:{tmp_path}?sites&labels=x.tsv")
    assert (told.path, told.sites, told.labels) == (tmp_path, True, Path("x.tsv"))


# Folders


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("plain.html", "/plain.html"),
        ("sub/deep/page.htm", "/sub/deep/page.htm"),
        ("with space.html", "/with%20space.html"),
        ("100%.html", "/100%25.html"),
        ("a%2Fb.html", "/a%252Fb.html"),
        ("what?.html", "/what%3F.html"),
        ("hash#tag.html", "/hash%23tag.html"),
        ("Größe.html", "/Gr%C3%B6%C3%9Fe.html"),
        ("semi;colon&amp.html", "/semi;colon&amp.html"),
        ("no-extension", "/no-extension"),
    ],
)
def test_odd_names_have_urls(tmp_path: Path, name: str, path: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(PAGE)
    fetcher = folder_fetcher(tmp_path)
    assert fetcher.urls() == [f"http://web.localhost{path}"]
    assert body(fetcher, f"http://web.localhost{path}") == PAGE


@pytest.mark.parametrize(
    "name", ["Mercury_(planet).html", "a+b.html", "it's,here;now=1.html", "at@home.html", "x[1].html"]
)
def test_a_link_as_people_write_it_finds_its_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(PAGE)
    fetcher = folder_fetcher(tmp_path)
    (url,) = resolve("http://web.localhost/", [name])
    assert url is not None
    assert fetcher.urls() == [url]
    assert body(fetcher, url) == PAGE


def test_names_that_are_no_text_are_held(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\xfe.html")
    (tmp_path / name).write_bytes(PAGE)
    fetcher = folder_fetcher(tmp_path)
    assert [body(fetcher, url) for url in fetcher.urls()] == [PAGE]


def test_index_pages_stand_for_their_folders(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_bytes(PAGE)
    (tmp_path / "sub" / "index.htm").write_bytes(b"<p>sub")
    fetcher = folder_fetcher(tmp_path)
    assert fetcher.urls() == ["http://web.localhost/", "http://web.localhost/sub/"]
    assert body(fetcher, "http://web.localhost/") == body(fetcher, "http://web.localhost/index.html") == PAGE
    assert body(fetcher, "http://web.localhost/sub/") == b"<p>sub"


def test_first_level_folders_as_sites(tmp_path: Path) -> None:
    for folder in ("Alpha", "alpha!", "beta_site"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "index.html").write_bytes(folder.encode())
    (tmp_path / "stray.html").write_bytes(PAGE)
    fetcher = folder_fetcher(tmp_path, sites=True)
    assert {url: body(fetcher, url) for url in fetcher.urls()} == {
        "http://alpha.localhost/": b"Alpha",
        "http://alpha-2.localhost/": b"alpha!",
        "http://beta-site.localhost/": b"beta_site",
    }
    assert isinstance(asyncio.run(fetcher.open("http://alpha.localhost", 5.0)), SiteOpened)
    assert isinstance(asyncio.run(fetcher.open("http://gamma.localhost", 5.0)), SiteShut)


def test_nothing_outside_of_the_folder_is_served(tmp_path: Path) -> None:
    secret = tmp_path / "secret.html"
    secret.write_bytes(b"<p>secret")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "more.html").write_bytes(b"<p>secret")
    root = tmp_path / "root"
    root.mkdir()
    (root / "page.html").write_bytes(PAGE)
    (root / "leak.html").symlink_to(secret)
    (root / "leaks").symlink_to(tmp_path / "outside")
    (root / "alias.html").symlink_to(root / "page.html")
    (root / "loop").symlink_to(root)
    (root / "dangling.html").symlink_to(root / "gone.html")
    for sites in (False, True):
        fetcher = folder_fetcher(root, sites)
        assert not any(b"secret" in body(fetcher, url) for url in fetcher.urls())
        for path in ("/../secret.html", "/%2e%2e/secret.html", "/..%2Fsecret.html", "//etc/passwd", "/leak.html",
                     "/leaks/more.html", "/\0", "/dangling.html"):  # fmt: skip
            assert isinstance(fetched(fetcher, f"http://web.localhost{path}"), Failed)
    assert sorted(folder_fetcher(root).urls()) == ["http://web.localhost/alias.html", "http://web.localhost/page.html"]


def test_outcomes_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(PAGE)
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n")
    fetcher = recorded_fetcher(build({"fetching": {"web": f"dir:{tmp_path}"}}), lambda: 7.0)
    assert isinstance(fetcher, RecordedFetcher)
    first = fetched(fetcher, "http://web.localhost/page.html")
    assert isinstance(first, Fetched)
    assert first.response.began == 7.0
    for known in (Known(etag=first.response.header("etag")), Known("", first.response.header("last-modified"))):
        assert isinstance(fetched(fetcher, first.link.url, known), Unchanged)
    (tmp_path / "page.html").write_bytes(PAGE * 2)
    assert isinstance(fetched(fetcher, first.link.url, Known(etag=first.response.header("etag"))), Fetched)
    assert isinstance(fetched(fetcher, "http://web.localhost/image.png"), Refused)
    missing = fetched(fetcher, "http://web.localhost/missing.html")
    assert isinstance(missing, Failed)
    assert (missing.why, missing.again) == ("http-404", False)
    assert isinstance(fetched(fetcher, "garbage"), Failed)


# Archives


def write_warc(path: Path, pages: dict[str, tuple[str, list[tuple[str, str]], bytes]], packed: bool) -> None:
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=packed)
        writer.write_record(writer.create_warcinfo_record(path.name, {"software": "test"}))
        for url, (status, headers, payload) in pages.items():
            http = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
            request = StatusAndHeaders("GET / HTTP/1.1", [("Host", "x")], is_http_request=True)
            record = writer.create_warc_record(url, "response", payload=io.BytesIO(payload), http_headers=http)
            asked = writer.create_warc_record(url, "request", payload=io.BytesIO(b""), http_headers=request)
            writer.write_request_response_pair(asked, record)


HTML = [("Content-Type", "text/html; charset=utf-8")]
PAGES: dict[str, tuple[str, list[tuple[str, str]], bytes]] = {
    "http://a.example/": ("200 OK", HTML, PAGE),
    "http://a.example/big": ("200 OK", HTML, b"<p>" + os.urandom(50_000).hex().encode()),
    "http://a.example/gzip": ("200 OK", [*HTML, ("Content-Encoding", "gzip")], gzip.compress(PAGE)),
    "http://a.example/chunked": (
        "200 OK",
        [*HTML, ("Transfer-Encoding", "chunked")],
        b"5\r\n<html\r\n1;x=y\r\n>\r\n0\r\n\r\n",
    ),
    "http://B.example/%7Euser": ("200 OK", HTML, b"<p>user"),
    "http://a.example/moved": ("301 Moved", [("Location", "/")], b""),
    "http://a.example/gone": ("404 Not Found", HTML, b"gone"),
    "http://a.example/busy": ("503 Busy", HTML, b"busy"),
}


def archive_fetcher(path: Path) -> RecordedFetcher:
    fetcher = recorded_fetcher(build({"fetching": {"web": f"warc:{path}"}}), lambda: 7.0)
    assert isinstance(fetcher, RecordedFetcher)
    return fetcher


def repacked(plain: bytes, how: str) -> bytes:
    """A WARC file packed in another way: per record by name, or all in one piece."""
    begins = [0, *(k + 4 for k in range(len(plain)) if plain.startswith(b"\r\n\r\nWARC/1.", k))]
    records = [plain[a:b] for a, b in zip(begins, [*begins[1:], len(plain)], strict=True)]
    match how:
        case "zst":
            return b"".join(map(zstandard.ZstdCompressor().compress, records))
        case "zst with dictionary":
            words = zstandard.ZstdCompressionDict(b"WARC/1.0\r\nContent-Type: text/html" * 8)
            head = words.as_bytes()
            skipped = b"\x5d\x2a\x4d\x18" + len(head).to_bytes(4, "little") + head
            return skipped + b"".join(map(zstandard.ZstdCompressor(dict_data=words).compress, records))
        case "gz in one piece":
            return gzip.compress(plain)
        case "bare line ends":
            return b"".join(_with_bare_heads(record) for record in records)
        case _:
            return plain


def _with_bare_heads(record: bytes) -> bytes:
    head, _, rest = record.partition(b"\r\n\r\n")
    return head.replace(b"\r\n", b"\n") + b"\n\n" + rest


@pytest.mark.parametrize("how", ["plain", "gz", "zst", "zst with dictionary", "gz in one piece", "bare line ends"])
def test_archives_are_read_however_they_are_packed(tmp_path: Path, how: str) -> None:
    path = tmp_path / "archive.warc"
    write_warc(path, PAGES, packed=how == "gz")
    if how != "gz":
        path.write_bytes(repacked(path.read_bytes(), how))
    fetcher = archive_fetcher(path)
    assert isinstance(fetcher.recording, RecordedArchive)
    assert fetcher.recording.torn == 0
    assert len(fetcher.urls()) == len(PAGES)
    assert body(fetcher, "http://a.example/") == body(fetcher, "http://a.example/gzip") == PAGE
    assert body(fetcher, "http://a.example/big") == PAGES["http://a.example/big"][2]
    assert body(fetcher, "http://a.example/chunked") == b"<html>"
    assert body(fetcher, "http://b.example/~user") == b"<p>user"
    moved = fetched(fetcher, "http://a.example/moved")
    assert isinstance(moved, Redirected)
    assert moved.target == "http://a.example/"
    failures = [fetched(fetcher, f"http://a.example/{name}") for name in ("gone", "busy", "unheard-of")]
    assert [(one.why, one.again) for one in failures if isinstance(one, Failed)] == [
        ("http-404", False),
        ("http-503", True),
        ("http-404", False),
    ]


def test_what_a_gzipped_answer_was_on_the_wire_is_kept(tmp_path: Path) -> None:
    write_warc(tmp_path / "a.warc.gz", PAGES, packed=True)
    outcome = fetched(archive_fetcher(tmp_path / "a.warc.gz"), "http://a.example/gzip")
    assert isinstance(outcome, Fetched)
    assert outcome.response.raw == PAGES["http://a.example/gzip"][2]


def test_the_latest_answer_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    write_warc(path, {"http://a.example/": ("200 OK", HTML, b"<p>old")}, packed=True)
    first = path.read_bytes()
    write_warc(path, {"http://a.example/": ("200 OK", HTML, b"<p>new")}, packed=True)
    path.write_bytes(first + path.read_bytes())
    fetcher = archive_fetcher(path)
    assert fetcher.urls() == ["http://a.example/"]
    assert body(fetcher, "http://a.example/") == b"<p>new"


@pytest.mark.parametrize("packed", [False, True])
def test_a_torn_tail_loses_only_what_it_tore(tmp_path: Path, packed: bool) -> None:
    whole = tmp_path / "whole.warc"
    write_warc(whole, PAGES, packed)
    data = whole.read_bytes()
    intact, held = RecordedArchive(whole), []
    for cut in (*range(len(data) - 1, 0, -(len(data) // 60)), 1):
        torn = tmp_path / "torn.warc"
        torn.write_bytes(data[:cut])
        recording = RecordedArchive(torn)
        assert all(recording.respond(url) == intact.respond(url) for url in recording.urls())
        held.append(len(recording.urls()))
        assert recording.torn <= 1
    assert held == sorted(held, reverse=True)
    assert held[-1] == 0
    assert intact.torn == 0


def test_a_cut_is_counted(tmp_path: Path) -> None:
    for packed in (False, True):
        write_warc(tmp_path / "a.warc", PAGES, packed)
        data = (tmp_path / "a.warc").read_bytes()
        (tmp_path / "a.warc").write_bytes(data[:-100])
        assert WarcIndex(tmp_path / "a.warc").torn == 1


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_upset_the_reader(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "noise.warc"
    for start in (b"", b"WARC/1.0\r\n", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18"):
        path.write_bytes(start + data)
        index = WarcIndex(path)
        assert index.torn <= 1


@settings(deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=50)))
def test_chunks_are_joined(parts: list[bytes]) -> None:
    raw = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    assert unchunked(raw) == b"".join(parts)


def test_what_is_not_chunked_stays() -> None:
    assert unchunked(PAGE) == PAGE
