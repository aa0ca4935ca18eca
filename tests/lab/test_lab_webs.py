"""Webs of the lab: the pages a crawler would read, with labels that the pages do not know of."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hand_made import SITE, a_page, a_web, address, html_folder

from lycosa.configuration.settings import ConfigurationError
from lycosa.lab import page_cache as reading
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.lab.webs import open_web
from lycosa.records import Page

BOX = "box:3?hosts=4&pages=60&topics=3&errors=0.3&traps=1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = {
        "index.html": '<p><a href="birds/owl.html">owl</a> <a href="stars/sun.html?from=home">sun</a></p>',
        "birds/owl.html": '<p>An owl hunts. <a href="../index.html">home</a> <a href="tit_(bird).html">tit</a></p>',
        "birds/h é.html": "<p>An odd name.</p>",
        "birds/tit_(bird).html": "<p>A tit sings.</p>",
        "stars/sun.html": "<p>The sun shines.</p>",
    }
    (tmp_path / "web" / "stars").mkdir(parents=True)
    (tmp_path / "web" / "stars" / "sun.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    return html_folder(tmp_path / "web", pages)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def targets(page: Page | None) -> list[str]:
    return [link.url for link in page.links] if page else []


def test_a_box_holds_its_pages_with_the_topics_of_its_map(cache: Path) -> None:
    web, truth = open_web(BOX, cache=cache), SimulatedWeb.of(BOX)
    assert set(web.urls()) == set(truth.page_urls())
    for topic in truth.topics():
        assert web.topic(topic) == {url for url, label in truth.labels().items() if label == topic}
    for url in web.urls():
        page = web.page(url)
        assert page is not None
        assert set(truth.links_of(url)) <= {url, *targets(page)}
        assert all(link.depth == 1 for link in page.links)


def test_links_that_lead_to_a_redirect_point_to_where_it_leads(cache: Path) -> None:
    web, truth = open_web(BOX, cache=cache), SimulatedWeb.of(BOX)
    moved = [url for url in truth.error_urls() if truth.truth(url).kind == "moved"]
    assert moved
    assert not {link for url in web.urls() for link in targets(web.page(url))} & set(moved)


def test_the_endless_pages_of_a_trap_can_be_fetched_but_are_not_listed(cache: Path) -> None:
    web, truth = open_web(BOX, cache=cache), SimulatedWeb.of(BOX)
    links = {link for url in web.urls() for link in targets(web.page(url))}
    traps = [url for url in links if truth.truth(url).kind == "trap"]
    assert traps
    assert not set(traps) & set(web.urls())
    assert web.page(traps[0]) is not None
    assert web.page(address("nothing")) is None
    private = [url for url in links if truth.truth(url).kind == "private"]
    assert all(web.page(url) is None for url in private)


def test_a_folder_is_read_with_its_labels_by_path_and_by_url(folder: Path, tmp_path: Path, cache: Path) -> None:
    labels = tmp_path / "labels.tsv"
    labels.write_text(
        f"birds/owl.html\tanimals.birds\n./birds/h é.html\tanimals.birds\n{SITE}/stars/sun.html\tspace\n"
        "index.html\thome\nnone.html\tspace\n",
        "utf-8",
    )
    web = open_web(f"dir:{folder}?labels={labels}", cache=cache)
    assert set(web.urls()) == {address(""), address("birds/owl.html"), address("birds/h%20%C3%A9.html"),
                               address("birds/tit_(bird).html"), address("stars/sun.html")}  # fmt: skip
    assert web.topic("birds") == {address("birds/owl.html"), address("birds/h%20%C3%A9.html")}
    assert web.topic("space") == {address("stars/sun.html")}
    assert web.topic("home") == {address("")}
    assert ["1 line names a page" in warning for warning in web.warnings] == [True]


def test_links_are_spelled_as_the_folder_lists_its_pages(folder: Path, cache: Path) -> None:
    web = open_web(f"dir:{folder}", cache=cache)
    assert targets(web.page(address(""))) == [address("birds/owl.html"), address("stars/sun.html")]
    assert targets(web.page(address("birds/owl.html"))) == [address(""), address("birds/tit_(bird).html")]


def test_with_sites_each_folder_is_a_site_and_labels_go_by_path_all_the_same(
    folder: Path, tmp_path: Path, cache: Path
) -> None:
    (folder / "Anew folder").mkdir()
    labels = tmp_path / "labels.tsv"
    labels.write_text("birds/owl.html\tbirds\nhttp://stars.localhost/sun.html\tstars\nelse/x.html\tnone\n", "utf-8")
    web = open_web(f"dir:{folder}?sites&labels={labels}", cache=cache)
    assert web.topic("birds") == {"http://birds.localhost/owl.html"}
    assert web.topic("stars") == {"http://stars.localhost/sun.html"}
    assert len(web.warnings) == 1


def test_an_archive_is_a_web_with_labels(tmp_path: Path, cache: Path) -> None:
    body = b"<html><title>Owl</title><body><p>An owl.</p></body></html>"
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    head = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/owl\r\n"
        b"WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n"
        b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n" % len(http)
    )
    archive, labels = tmp_path / "a.warc", tmp_path / "labels.tsv"
    archive.write_bytes(head + http + b"\r\n\r\n")
    labels.write_text("http://a.example/owl\tbirds\n/owl\tanimals\n", "utf-8")
    web = open_web(f"warc:{archive}?labels={labels}", cache=cache)
    assert web.topic("birds") == web.topic("animals") == {"http://a.example/owl"}
    page = web.page("http://a.example/owl")
    assert page is not None
    assert page.title == "Owl"


@pytest.mark.parametrize("notation", ["", "owls", "http://a.example/", "box", "ftp:x"])
def test_what_is_no_web_is_refused_with_the_notations(notation: str) -> None:
    with pytest.raises(ConfigurationError, match="is no web; write box:SEED, dir:DIR, warc:FILE or wikispeedia:DIR"):
        open_web(notation)


def test_a_web_without_pages_or_with_too_many_is_refused(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no page in it"):
        open_web(f"dir:{tmp_path}", cache=cache)
    with pytest.raises(ConfigurationError, match="has 1000000 pages, more than"):
        open_web("box:1?pages=1000000", cache=cache)


def test_pages_are_read_once_and_come_from_the_cache_afterwards(folder: Path, cache: Path) -> None:
    told: list[str] = []
    first = open_web(f"dir:{folder}", told.append, cache)
    second = open_web(f"dir:{folder}", told.append, cache)
    assert len(told) == 1
    assert "reading 6 pages" in told[0]
    assert [first.page(url) for url in first.urls()] == [second.page(url) for url in second.urls()]


def test_a_changed_file_or_reader_is_read_anew(folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    open_web(f"dir:{folder}", told.append, cache)
    os.utime(folder / "stars" / "sun.html", ns=(1, 1))
    open_web(f"dir:{folder}", told.append, cache)
    assert len(told) == 2
    monkeypatch.setattr("lycosa.lab.webs.reader_key", lambda: b"another reader")
    open_web(f"dir:{folder}", told.append, cache)
    assert len(told) == 3
    assert len(list(cache.iterdir())) == 1


@pytest.mark.parametrize("damage", ["cut", "flipped", "emptied", "foreign"])
def test_a_damaged_cache_is_read_anew(folder: Path, cache: Path, damage: str) -> None:
    told: list[str] = []
    first = open_web(f"dir:{folder}", told.append, cache)
    (kept,) = cache.iterdir()
    whole = kept.read_bytes()
    middle = len(whole) - 40
    damaged = {"cut": whole[:middle], "emptied": b"", "foreign": whole[:29] + b"no pages",
               "flipped": whole[:middle] + bytes([whole[middle] ^ 0x55]) + whole[middle + 1 :]}  # fmt: skip
    kept.write_bytes(damaged[damage])
    again = open_web(f"dir:{folder}", told.append, cache)
    assert len(told) == 2
    assert [again.page(url) for url in again.urls()] == [first.page(url) for url in first.urls()]
    assert kept.read_bytes() == whole


def test_no_changed_byte_of_a_cache_goes_unnoticed(tmp_path: Path) -> None:
    kept = reading.PageFile(tmp_path, "web", b"key")
    pages = [a_page(f"page{number}", "owl", text="words " * number) for number in range(5)]
    assert kept.save(pages) == ""
    whole = kept.path.read_bytes()
    for place in range(len(whole)):
        kept.path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x01]) + whole[place + 1 :])
        assert kept.load() in (None, pages), place
    kept.path.write_bytes(whole)
    assert kept.load() == pages
    assert reading.PageFile(tmp_path, "web", b"other key").load() is None


def test_a_cache_that_cannot_be_written_is_a_warning(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    web = open_web(f"dir:{folder}", cache=tmp_path / "file")
    assert len(web) == 5
    assert ["could not be kept" in warning for warning in web.warnings] == [True]


def test_every_part_of_the_reader_changes_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = reading.reader_key(), reading._READERS
    for part in parts:
        monkeypatch.setattr(reading, "_READERS", tuple(one for one in parts if one != part))
        assert reading.reader_key() != whole, part


def test_the_generic_seed_is_the_foremost_page_without_a_label() -> None:
    pages = [a_page("owl", "hub", "sun", "moon"), a_page("hub", "owl", "sun"), a_page("sun"), a_page("moon", "hub")]
    assert a_web(pages, {"owl": "birds"}).generic_seed == address("hub")


def test_where_all_pages_have_labels_a_generic_seed_is_off_the_topic() -> None:
    pages = [a_page("owl", "sun", "moon"), a_page("sun", "owl"), a_page("moon")]
    web = a_web(pages, {"owl": "birds", "sun": "stars", "moon": "stars"})
    assert web.generic_seed == address("owl")
    assert web.generic_seed_for(web.topic("birds")) == address("sun")
    assert web.generic_seed_for(web.topic("stars")) == address("owl")
