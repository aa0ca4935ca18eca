"""Sitemaps: every form that sites use, and everything hostile that they could be."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.fetching.sitemaps import MOST_ENTRIES, Sitemap, SitemapEntry, read_sitemap, time_of

SITE = "http://example.org"
PLACE = f"{SITE}/sitemap.xml"
NOW = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*entries: str) -> bytes:
    urls = "".join(f"<url>{entry}</url>" for entry in entries)
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset {SPACE}>{urls}</urlset>'.encode()


def read(body: bytes, place: str = PLACE, **options: object) -> Sitemap:
    return read_sitemap(place, [body], NOW, **options)  # type: ignore[arg-type]


def test_a_list_with_everything() -> None:
    entry = "<loc> http://EXAMPLE.org/a?x=1&amp;y=2 </loc><lastmod>2025-06-01T10:00:00+02:00</lastmod>"
    found = read(urlset(entry + "<changefreq>Daily</changefreq><priority>0.8</priority>", f"<loc>{SITE}/b</loc>"))
    at = datetime(2025, 6, 1, 8, tzinfo=UTC).timestamp()
    assert found == Sitemap((SitemapEntry(f"{SITE}/a?x=1&y=2", at, "daily", 0.8), SitemapEntry(f"{SITE}/b")), {}, "")


@given(st.integers(1, 40))
def test_it_does_not_matter_how_a_sitemap_is_cut_into_pieces(size: int) -> None:
    body = urlset(*[f"<loc>{SITE}/{number}</loc><lastmod>2025-01-0{number}</lastmod>" for number in range(1, 9)])
    for whole in (body, gzip.compress(body), b"\xef\xbb\xbf" + body, f"{SITE}/1\n{SITE}/2".encode()):
        pieces = [whole[place : place + size] for place in range(0, len(whole), size)]
        if whole[:2] == b"\x1f\x8b" and size == 1:
            continue
        assert read_sitemap(PLACE, pieces, NOW) == read(whole)


@pytest.mark.parametrize("begin", [b"\xef", b"\xef\xbb", b"\xbf", b"\xef\xbb\xbf" * 2])
def test_part_of_a_byte_order_mark_hides_no_entry(begin: bytes) -> None:
    for body in (urlset(f"<loc>{SITE}/a</loc>"), f"{SITE}/a\n".encode()):
        assert read(begin + body).entries == (SitemapEntry(f"{SITE}/a"),)


def test_lists_of_lists_text_and_feeds() -> None:
    index = f"<sitemapindex {SPACE}><sitemap><loc>{SITE}/one.xml.gz</loc></sitemap></sitemapindex>".encode()
    assert read(index).entries == (SitemapEntry(f"{SITE}/one.xml.gz", is_sitemap=True),)
    assert read(index, follow=False).refused == {"list-in-list": 1}
    assert [entry.url for entry in read(f"\ufeff{SITE}/a\r\n\r\n{SITE}/b\n".encode()).entries] == [
        f"{SITE}/a",
        f"{SITE}/b",
    ]
    rss = f"<rss><channel><link>{SITE}/</link><item><title>x</title><link>{SITE}/a</link>"
    rss += "<pubDate>Thu, 05 Jan 2017 12:34:51 GMT</pubDate></item></channel></rss>"
    assert read(rss.encode()).entries == (SitemapEntry(f"{SITE}/a", 1483619691.0),)
    atom = f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link rel="self" href="{SITE}/x"/>'
    atom += f'<link href="{SITE}/a"/><updated>2003-12-13T18:30:02Z</updated></entry></feed>'
    assert read(atom.encode()).entries == (SitemapEntry(f"{SITE}/a", 1071340202.0),)


def test_what_other_namespaces_say_is_not_the_pages_address() -> None:
    image = f'<urlset {SPACE} xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>{SITE}/page</loc>'
    image += f"<i:image><i:loc>{SITE}/picture.png</i:loc></i:image></url></urlset>"
    assert [entry.url for entry in read(image.encode()).entries] == [f"{SITE}/page"]


def test_a_sitemap_speaks_only_for_its_folder_and_for_sites_that_vouch_for_it() -> None:
    body = urlset(f"<loc>{SITE}/shop/a</loc>", f"<loc>{SITE}/b</loc>", "<loc>http://other.example/</loc>")
    found = read(body, f"{SITE}/shop/sitemap.xml")
    assert [entry.url for entry in found.entries] == [f"{SITE}/shop/a"]
    assert found.refused == {"outside-folder": 1, "foreign": 1}
    vouched = read(body, f"{SITE}/shop/sitemap.xml", vouched={SITE, "http://other.example"})
    assert len(vouched.entries) == 3


@pytest.mark.parametrize(
    ("body", "trouble"),
    [
        (b'<!DOCTYPE x [<!ENTITY a "b">]><urlset><url><loc>http://example.org/&a;</loc></url></urlset>', "doctype"),
        (b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><urlset/>', "doctype"),
        (b"<html><body>not found</body></html>", "no-sitemap"),
        (b"<urlset>" + b"<a>" * 100, "too-deep"),
        (b"x" * 100_000, "no-sitemap"),
        (gzip.compress(b"<urlset>" + b" " * (51 * 1024**2), mtime=0), "too-large"),
        (b"", ""),
        (b"\x00\x01\x02", ""),
    ],
)
def test_hostile_and_foreign_documents_are_refused_by_name(body: bytes, trouble: str) -> None:
    found = read(body)
    assert found.entries == ()
    assert found.trouble == trouble


def test_what_came_before_an_error_stays() -> None:
    cut = urlset(f"<loc>{SITE}/a</loc>", f"<loc>{SITE}/b</loc>")[:-30]
    for body in (cut, gzip.compress(cut)[:-1], gzip.compress(cut)):
        found = read(body)
        assert [entry.url for entry in found.entries][:1] == [f"{SITE}/a"]
    assert read(cut).trouble.startswith("broken")


def test_no_more_entries_than_the_protocol_allows() -> None:
    def pieces() -> Iterator[bytes]:
        yield f"<urlset {SPACE}>".encode()
        for number in range(MOST_ENTRIES + 7):
            yield f"<url><loc>{SITE}/{number}</loc></url>".encode()
        yield b"</urlset>"

    found = read_sitemap(PLACE, pieces(), NOW)
    assert len(found.entries) == MOST_ENTRIES
    assert found.refused == {"too-many": 7}


def test_addresses_and_times_that_are_none_are_counted() -> None:
    found = read(
        urlset("<loc>javascript:alert(1)</loc>", f"<loc>{PLACE}</loc>", "<lastmod>2025</lastmod>",
               f"<loc>{SITE}/late</loc><lastmod>2039-01-01</lastmod>", f"<loc>{SITE}/odd</loc><lastmod>soon</lastmod>")
    )  # fmt: skip
    assert found.refused == {"no-address": 2, "itself": 1, "lastmod-future": 1, "lastmod-unreadable": 1}
    assert [(entry.url, entry.lastmod) for entry in found.entries] == [(f"{SITE}/late", None), (f"{SITE}/odd", None)]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1970", 0.0), ("1970-02", 31 * 86400.0), ("1970-01-02", 86400.0), ("1970-01-02T00:00Z", 86400.0),
        ("1970-01-02T01:00:00.5+01:00", 86400.5), ("Fri, 02 Jan 1970 00:00:00 GMT", 86400.0),
        ("", None), ("9999999", None), ("0001-01-01", None), ("x" * 1000, None),
    ],
)  # fmt: skip
def test_times_as_sitemaps_write_them(written: str, expected: float | None) -> None:
    assert time_of(written) == expected


@given(st.binary(max_size=300))
def test_nothing_raises(body: bytes) -> None:
    read(body)
    read(b"<urlset><url><loc>" + body)
    read(b"\x1f\x8b" + body)
