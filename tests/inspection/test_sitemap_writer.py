"""Sitemaps made from a crawl: what they name, when it changed, and that every reader accepts them."""

from __future__ import annotations

import argparse
import gzip
import json
from datetime import datetime
from email.utils import formatdate
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as trying
from hypothesis import strategies as st
from whole_crawl import crawl_folder
from whole_crawl import run as crawl
from written_visits import Written, new_crawl, page, write

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.fetching.sitemaps import read_sitemap
from lycosa.inspection import sitemap_writer as site_maps
from lycosa.inspection.sitemap_coverage import Coverage, coverage, coverage_by_site
from lycosa.inspection.sitemap_writer import LONGEST_ADDRESS, MapEntry, SiteMap, site_map, sitemap_files, write_files
from lycosa.interface.commands import sitemap as command
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.storage import catalogue
from lycosa.urls import normalise, site_of

SITE = "https://a.example"
SPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
NOW = 1.7e9
DAY = 86_400.0
ONE, TWO, THREE = page("Wolf spiders hunt."), page("They see well."), page("They carry their young.")
COPY, FEED = {"duplicate_of": f"{SITE}/1"}, {"mime": "text/xml; charset=utf-8"}


@pytest.fixture
def folder(tmp_path: Path) -> CrawlFolder:
    return new_crawl(tmp_path)


def modified(at: float) -> tuple[tuple[str, str], ...]:
    return (("Last-Modified", formatdate(at, usegmt=True)),)


def listed(folder: CrawlFolder, site: str = SITE) -> dict[str, float | None]:
    return {entry.url.removeprefix(site): entry.lastmod for entry in site_map(folder, site, NOW).entries}


# -- what is listed ------------------------------------------------------------------------------------


def test_only_what_a_visitor_gets_and_search_may_show_is_listed(folder: CrawlFolder) -> None:
    gone = {"outcome": "failed", "why": "http-404", "status": 404}
    write(
        folder,
        [
            Written(f"{SITE}/1", NOW - 9, ONE),
            Written(f"{SITE}/copy", NOW - 9, ONE, facts=COPY),
            Written(f"{SITE}/private", NOW - 9, f'<meta name="robots" content="noindex">{TWO}'),
            Written(f"{SITE}/moved", NOW - 9, facts={"outcome": "redirected", "status": 301, "target": f"{SITE}/1"}),
            Written(f"{SITE}/gone", NOW - 9, facts=gone),
            Written(f"{SITE}/feed", NOW - 9, "<rss></rss>", facts=FEED),
            Written(f"{SITE}/odd", NOW - 9, TWO, facts={"status": 203}),
            Written(f"{SITE}/{'x' * LONGEST_ADDRESS}", NOW - 9, THREE),
            Written(f"{SITE}/aside", NOW - 9, THREE, facts={"aside": True}),
            Written("https://b.example/1", NOW - 9, TWO),
            Written("https://a.example.org/1", NOW - 9, TWO),
        ],
    )
    found = site_map(folder, SITE, NOW)
    assert [entry.url for entry in found.entries] == [f"{SITE}/1", f"{SITE}/aside"]
    assert found.left_out == {
        "duplicate": 1, "noindex": 1, "redirected": 1, "gone": 1, "a feed or sitemap": 1, "status 203": 1,
        "address too long": 1,
    }  # fmt: skip
    assert site_map(folder, "a.example", NOW) == found


def test_the_last_word_about_a_page_counts_but_not_a_passing_trouble(folder: CrawlFolder) -> None:
    gone = {"outcome": "failed", "why": "http-410", "status": 410}
    write(folder, [Written(f"{SITE}/{number}", NOW - 99, page(f"Number {number}.")) for number in range(6)], roll=True)
    write(
        folder,
        [
            Written(f"{SITE}/0", NOW - 50, facts={"outcome": "failed", "why": "timeout"}),
            Written(f"{SITE}/1", NOW - 50, facts=gone),
            Written(f"{SITE}/2", NOW - 50, facts={"outcome": "redirected", "target": f"{SITE}/0", "status": 302}),
            Written(f"{SITE}/3", NOW - 50, facts={"outcome": "refused", "why": "robots"}),
            Written(f"{SITE}/4", NOW - 50, facts=gone),
            Written(f"{SITE}/4", NOW - 40, facts={"outcome": "unchanged", "status": 304}),
            Written(f"{SITE}/5", NOW - 50, facts={"outcome": "failed", "why": "http-503", "status": 503}),
        ],
    )
    assert list(listed(folder)) == ["/0", "/4", "/5"]


# -- when it changed -------------------------------------------------------------------------------------


def test_the_server_is_believed_where_its_word_agrees_with_what_was_seen(folder: CrawlFolder) -> None:
    first, later = NOW - 10 * DAY, NOW - 2 * DAY
    write(
        folder,
        [
            Written(f"{SITE}/honest", first, ONE, modified(first - 5 * DAY)),
            Written(f"{SITE}/silent", first, TWO),
            Written(f"{SITE}/absurd", first, page("a b c."), modified(1.0)),
            Written(f"{SITE}/future", first, page("d e f."), modified(NOW + 99 * DAY)),
            Written(f"{SITE}/unreadable", first, page("g h i."), (("Last-Modified", "yesterday"),)),
            Written(f"{SITE}/changed", first, page("j k l."), modified(first - DAY)),
            Written(f"{SITE}/liar", first, page("m n o."), modified(first - DAY)),
            Written(f"{SITE}/now", first, page("p q r."), modified(first)),
            Written(f"{SITE}/honest", later, facts={"outcome": "unchanged", "status": 304}),
            Written(f"{SITE}/changed", later, page("j k l!", "more"), modified(later - DAY)),
            Written(f"{SITE}/liar", later, page("m n o!", "more"), modified(first - DAY)),
            Written(f"{SITE}/now", later, page("p q r.", frame="another"), modified(later)),
        ],
    )
    assert listed(folder) == {
        "/honest": first - 5 * DAY,
        "/silent": first,
        "/absurd": first,
        "/future": first,
        "/unreadable": first,
        "/changed": later - DAY,
        "/liar": later,
        "/now": first,
    }


def test_a_text_that_came_back_changed_when_it_came_back(folder: CrawlFolder) -> None:
    write(folder, [Written(f"{SITE}/1", NOW - 30, ONE), Written(f"{SITE}/1", NOW - 20, TWO)])
    write(folder, [Written(f"{SITE}/1", NOW - 10, ONE), Written(f"{SITE}/1", NOW - 5, ONE)])
    assert listed(folder) == {"/1": NOW - 10}


def test_a_visit_in_the_future_says_nothing_of_when_a_page_changed(folder: CrawlFolder) -> None:
    write(folder, [Written(f"{SITE}/1", NOW + 9 * DAY, ONE)])
    assert listed(folder) == {"/1": None}
    (written,) = sitemap_files(site_map(folder, SITE, NOW), "s", ".xml")
    assert b"lastmod" not in written[1]


def test_a_damaged_archive_costs_the_servers_word_only(folder: CrawlFolder) -> None:
    write(folder, [Written(f"{SITE}/1", NOW - DAY, ONE, modified(NOW - 5 * DAY))])
    (path,) = folder.archive.glob("*.warc.gz")
    path.write_bytes(bytes(path.stat().st_size))
    assert listed(folder) == {"/1": NOW - DAY}


# -- on a whole crawl ----------------------------------------------------------------------------------------


def test_the_sitemap_of_a_crawled_site_names_its_pages_with_their_true_times(tmp_path: Path) -> None:
    text = "box:11?hosts=2&pages=60&errors=0.2&unlinked=0&duplicates=0.2&begins=1600000000"
    folder, web = crawl_folder(tmp_path, text), SimulatedWeb.of(text)
    crawl(folder)
    with reading(folder) as stores:
        rows = {row.url: row for store in stores for _, row in catalogue.history(store) if row.outcome == "fetched"}
    for site in web.sites():
        found = site_map(folder, site, max(row.at for row in rows.values()))
        assert {entry.url for entry in found.entries} == {
            url
            for url, row in rows.items()
            if site_of(url) == site and not row.duplicate_of and web.truth(url).kind != "soft-404"
        }
        pages = [entry for entry in found.entries if web.truth(entry.url).kind == "page"]
        assert len(pages) >= 10
        assert all(entry.lastmod == int(web.changed_at(entry.url, rows[entry.url].at)) for entry in pages)


# -- the files ------------------------------------------------------------------------------------------------

paths = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=40)


def made(number: int, length: int = 0) -> SiteMap:
    entries = [MapEntry(f"{SITE}/{place:06d}{'x' * length}", NOW + place) for place in range(number)]
    return SiteMap(SITE, tuple(entries))


def valid(data: bytes, root: str, child: str) -> list[str]:
    """The addresses of a file that is what the protocol's schema says, element by element."""
    top = ElementTree.fromstring(data)
    assert top.tag == SPACE + root
    found = []
    for element in top:
        assert element.tag == SPACE + child
        tags = [each.tag.removeprefix(SPACE) for each in element]
        assert tags in (["loc"], ["loc", "lastmod"])
        found.append(element[0].text or "")
        if len(tags) > 1:
            assert datetime.fromisoformat(element[1].text or "").tzinfo is not None
    assert found
    return found


@given(st.lists(paths, min_size=1, max_size=8), st.floats(0, 4e9))
def test_what_is_written_is_read_back(written: list[str], at: float) -> None:
    urls = sorted({url for path in written if (url := normalise(f"{SITE}/{path}"))})
    if not urls:
        return
    ((name, data),) = sitemap_files(SiteMap(SITE, tuple(MapEntry(url, at) for url in urls)), "sitemap", ".xml")
    assert (name, valid(data, "urlset", "url")) == ("sitemap.xml", urls)
    back = read_sitemap(f"{SITE}/sitemap.xml", [data], 4e9)
    assert not back.trouble
    assert not back.refused
    assert {entry.url: entry.lastmod for entry in back.entries} == dict.fromkeys(urls, float(int(at)))


@pytest.mark.parametrize(("most", "largest", "expected"), [(100, 10**6, 1), (10, 10**6, 10), (33, 10**6, 4)])
def test_too_many_pages_become_several_files_and_a_list(most: int, largest: int, expected: int) -> None:
    files = dict(sitemap_files(made(100), "map", ".xml", most, largest))
    parts = [f"map-{number}.xml" for number in range(1, expected + 1)] if expected > 1 else []
    assert sorted(files) == sorted([*parts, "map.xml"])
    if expected > 1:
        assert valid(files["map.xml"], "sitemapindex", "sitemap") == [f"{SITE}/{name}" for name in parts]
        back = read_sitemap(f"{SITE}/map.xml", [files["map.xml"]], NOW)
        assert [entry.is_sitemap for entry in back.entries] == [True] * expected
        assert not back.trouble
    named = [url for name in parts or ["map.xml"] for url in valid(files[name], "urlset", "url")]
    assert named == [entry.url for entry in made(100).entries]


@trying(max_examples=40)
@given(number=st.integers(1, 60), length=st.integers(0, 300), largest=st.integers(700, 5_000), most=st.integers(1, 70))
def test_no_file_is_larger_or_longer_than_allowed_and_nothing_is_lost(
    number: int, length: int, largest: int, most: int
) -> None:
    files = list(sitemap_files(made(number, length), "s", ".xml", most, largest))
    named = []
    for _, data in files[:-1] or files:
        assert len(data) <= largest
        urls = valid(data, "urlset", "url")
        assert len(urls) <= most
        named += urls
    assert named == [entry.url for entry in made(number, length).entries]


def test_fifty_thousand_pages_are_the_most_of_a_file() -> None:
    assert [name for name, _ in sitemap_files(made(50_000), "s", ".xml")] == ["s.xml"]
    assert [name for name, _ in sitemap_files(made(50_001), "s", ".xml")] == ["s-1.xml", "s-2.xml", "s.xml"]


def test_nothing_is_written_unless_everything_can_be(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("as before")

    def breaking() -> list[tuple[str, bytes]]:
        yield "a.xml", b"new"
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space"):
        write_files(breaking(), tmp_path, packed=False)
    assert [path.name for path in tmp_path.iterdir()] == ["a.xml"]
    assert (tmp_path / "a.xml").read_text() == "as before"


# -- the command -------------------------------------------------------------------------------------------------


def typed(folder: CrawlFolder, *arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--home", default=str(folder.path.parent.parent))
    shared.add_argument("--json", action="store_true")
    command.add_commands(parser.add_subparsers(), shared)
    return parser.parse_args(["sitemap", "past", *arguments])


@pytest.fixture
def filled(folder: CrawlFolder) -> CrawlFolder:
    write(folder, [Written(f"{SITE}/{number}?a=1&b='", 1e9, page(f"Number {number}.")) for number in range(5)])
    return folder


def test_the_command_writes_to_a_file_a_folder_or_a_place_of_its_own(
    filled: CrawlFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    for output, expected in (
        ([], "sitemap-a.example.xml"),
        (["--output", "mine.xml"], "mine.xml"),
        (["--output", "out"], "out/sitemap.xml"),
        (["--output", "out/map.xml.gz"], "out/map.xml.gz"),
    ):
        assert command.run(typed(filled, SITE, *output)) == 0
        assert f"5 pages of {SITE} written to {expected}" in capsys.readouterr().out
        data = (tmp_path / expected).read_bytes()
        plain = gzip.decompress(data) if expected.endswith(".gz") else data
        assert len(valid(plain, "urlset", "url")) == 5
        back = read_sitemap(f"{SITE}/sitemap.xml", [data], NOW)
        assert (len(back.entries), back.trouble, back.refused) == (5, "", {})


def test_a_large_site_becomes_packed_files_and_a_packed_list(
    filled: CrawlFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "sitemap_files", lambda *how: sitemap_files(*how, 2))
    command.run(typed(filled, SITE, "--output", str(tmp_path / "map.xml.gz"), "--json"))
    told = json.loads(capsys.readouterr().out)
    assert [Path(name).name for name in told["files"]] == ["map-1.xml.gz", "map-2.xml.gz", "map-3.xml.gz", "map.xml.gz"]
    assert (told["urls"], told["site"], told["left_out"]) == (5, SITE, {})
    index = read_sitemap(f"{SITE}/map.xml.gz", [(tmp_path / "map.xml.gz").read_bytes()], NOW)
    assert [entry.url for entry in index.entries] == [f"{SITE}/map-{number}.xml.gz" for number in (1, 2, 3)]
    parts = [read_sitemap(entry.url, [(tmp_path / entry.url[18:]).read_bytes()], NOW) for entry in index.entries]
    assert [len(part.entries) for part in parts] == [2, 2, 1]


def test_what_cannot_be_written_is_said_in_a_sentence(
    filled: CrawlFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(filled, [Written("http://both.example/", 1.0, ONE), Written("https://both.example/", 1.0, ONE)])
    write(filled, [Written("http://gone.example/", 1.0, facts={"outcome": "failed", "status": 404})])
    with pytest.raises(CrawlError, match=r"knows no site 'x\.example'; its largest are"):
        command.run(typed(filled, "x.example"))
    with pytest.raises(CrawlError, match="is no folder"):
        command.run(typed(filled, SITE, "--output", str(tmp_path / "no" / "such.xml")))
    with pytest.raises(CrawlError, match=r"no page of http://gone\.example can be in a sitemap: 1 gone"):
        command.run(typed(filled, "gone.example"))
    with pytest.raises(CrawlError, match="is two sites"):
        command.run(typed(filled, "both.example"))
    assert site_maps.site_map(filled, "https://both.example/page", NOW).site == "https://both.example"


# -- coverage -----------------------------------------------------------------------------------------------------


def test_coverage_by_the_four_formulas_on_an_example_by_hand() -> None:
    crawled = {f"{SITE}/{name}" for name in "abcdefgh"}
    named = {f"{SITE}/{name}" for name in "abcxyz"}
    unique, indexed = crawled - {f"{SITE}/c", f"{SITE}/h"}, {f"{SITE}/{name}" for name in "abde"}
    ranks = {f"{SITE}/{name}": rank for name, rank in zip("abcdex", (0.4, 0.2, 0.1, 0.2, 0.1, 9.0), strict=True)}
    found = coverage(crawled, named, unique, indexed, ranks)
    assert (found.pages, found.named) == (8, 3)
    assert found.coverage == 3 / 8
    assert found.unique == 2 / 6
    assert found.indexed == 2 / 4
    assert found.pagerank == pytest.approx(0.7)
    assert found.plain()["indexed"] == 0.5


def test_coverage_of_nothing_is_nothing() -> None:
    assert coverage(set(), {"x"}, set(), set(), {}) == Coverage(0, 0, None, None, None, None)
    assert coverage({f"{SITE}/"}, set(), set(), set(), {}) == Coverage(1, 0, 0.0, None, None, None)


def test_coverage_is_told_by_site() -> None:
    crawled = {f"{SITE}/1", f"{SITE}/2", "http://b.example/"}
    found = coverage_by_site(crawled, {f"{SITE}/1", "http://b.example/"}, crawled, set(), dict.fromkeys(crawled, 1.0))
    assert found == {
        "http://b.example": Coverage(1, 1, 1.0, 1.0, None, 1.0),
        SITE: Coverage(2, 1, 0.5, 0.5, None, 0.5),
    }


urls = st.sets(st.sampled_from([f"{SITE}/{name}" for name in "abcdefghij"]))


@trying(suppress_health_check=[HealthCheck.differing_executors])
@given(crawled=urls, named=urls, unique=urls, indexed=urls)
def test_shares_lie_between_nothing_and_everything(
    crawled: set[str], named: set[str], unique: set[str], indexed: set[str]
) -> None:
    found = coverage(crawled, named, unique, indexed, dict.fromkeys(sorted(crawled), 0.1))
    for value in (found.coverage, found.unique, found.indexed, found.pagerank):
        assert value is None or 0.0 <= value <= 1.0
    whole = coverage(crawled, crawled | named, unique, indexed, dict.fromkeys(sorted(crawled), 0.1))
    assert {whole.coverage, whole.unique, whole.indexed, whole.pagerank} <= {None, 1.0}
