"""Pages without content: counted by name, marked, neither indexed nor grouped; their links count."""

from __future__ import annotations

import tarfile
from pathlib import Path

import msgspec
import tiny_web
from tiny_web import TinyWeb, page

from lycosa.crawl_folder.counts import kept_counts
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.status import crawl_status
from lycosa.crawl_folder.stores import reading
from lycosa.indexing.duplicate_index import SimilarPages
from lycosa.indexing.index_process import open_writer
from lycosa.indexing.indexer import Indexer
from lycosa.inspection.explanation import explain
from lycosa.inspection.export import print_table
from lycosa.inspection.repository_check import check
from lycosa.interface.commands.status import details
from lycosa.pages.placeholders import EMPTY, LOGIN_WALL, SOFT_404
from lycosa.search.index import IndexReader
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore

SITE = "https://a.example"
LOST = "<title>Not found</title><h1>Page not found</h1><p>No such bird. <a href='/behind'>See others</a>"
PAGES = {
    "/": page("birds", ["/lost1", "/lost2", "/members", "/nothing"]),
    "/lost1": LOST,
    "/lost2": LOST,
    "/members": "<title>Log in</title><form><input type=password></form><p>Members only",
    "/nothing": "<html><body></body></html>",
    "/behind": page("herons", []),
}
OLDER = Path(__file__).parent / "crawl_without_placeholders.tar.xz"
"""Eight pages of a site, one of them an error page, crawled before pages without content were marked."""


def index(folder: CrawlFolder) -> SimilarPages:
    writer = open_writer(folder, 15_000_000)
    try:
        with reading(folder) as stores:
            similar = SimilarPages.open(folder)
            indexer = Indexer(writer, folder.archive, stores, similar=similar)
            while indexer.follow():
                continue
            indexer.commit()
            similar.save()
    finally:
        writer.close()
    return similar


def test_pages_without_content_are_counted_and_kept_out_and_their_links_followed(tmp_path: Path) -> None:
    folder = tiny_web.crawl_folder(tmp_path, [f"{SITE}/"])
    tiny_web.run(folder, TinyWeb(lambda url: PAGES.get(url.removeprefix(SITE))))
    marked = {row.url.removeprefix(SITE): row.placeholder for row in tiny_web.rows(folder)}
    assert marked == {
        "/": "", "/behind": "", "/lost1": SOFT_404, "/lost2": SOFT_404, "/members": LOGIN_WALL, "/nothing": EMPTY,
    }  # fmt: skip
    with reading(folder) as (store,):
        counts = kept_counts(store.mark("counts"))
    with AgentStore(folder.agent(0) / "store") as store:
        assert catalogue.roll(store, 3) == 3
    assert counts.placeholders == {SOFT_404: 2, LOGIN_WALL: 1, EMPTY: 1}
    assert counts.duplicates == 0
    similar = index(folder)
    assert set(IndexReader(folder.index).urls()) == {f"{SITE}/", f"{SITE}/behind"}
    assert len(similar) == 2
    again = SimilarPages.open(folder)
    again.marks.clear()
    with reading(folder) as stores:
        again.catch_up(folder.archive, stores, {0: 100})
    assert len(again) == 2
    assert check(folder).sound


def test_people_are_told_of_them(tmp_path: Path) -> None:
    folder = tiny_web.crawl_folder(tmp_path, [f"{SITE}/"])
    tiny_web.run(folder, TinyWeb(lambda url: PAGES.get(url.removeprefix(SITE))))
    assert "  no content  soft-404: 2, not in the index" in details(crawl_status(folder))
    explanation = explain(folder, f"{SITE}/lost1")
    assert explanation.verdict == "fetched, but without content (soft-404)"
    assert any("no such page; kept, but not in the index" in event.what for event in explanation.events)


def test_a_page_that_loses_its_content_leaves_the_index(tmp_path: Path) -> None:
    folder = tiny_web.crawl_folder(tmp_path, [f"{SITE}/behind"])
    tiny_web.run(folder, TinyWeb(lambda url: PAGES.get(url.removeprefix(SITE))))
    similar = index(folder)
    writer = open_writer(folder, 15_000_000)
    with reading(folder) as (store,):
        indexer = Indexer(writer, folder.archive, [store], similar=similar)
        (row,) = tiny_web.rows(folder)
        indexer.take(msgspec.structs.replace(row, placeholder=SOFT_404), store)
        writer.commit({0: 1})
    writer.close()
    assert not set(IndexReader(folder.index).urls())
    assert not len(similar)
    assert indexer.counts == {SOFT_404: 1}


def test_a_crawl_from_before_they_were_marked_goes_on(tmp_path: Path) -> None:
    with tarfile.open(OLDER) as packed:
        packed.extractall(tmp_path / "crawls", filter="data")
    folder = CrawlFolder(tmp_path / "crawls" / "old")
    with AgentStore(folder.agent(0) / "store") as store:
        rows = [row for _, row in catalogue.history(store)]
        assert catalogue.roll(store, 100) == 4
        assert [row.placeholder for _, row in catalogue.history(store)] == [""] * len(rows) == [""] * 9
        assert kept_counts(store.mark("counts")).placeholders == {}
    assert check(folder).sound
    index(folder)
    assert len(set(IndexReader(folder.index).urls())) == 8
    with (tmp_path / "table").open("w+") as file:
        assert print_table(folder, "history", file) == 9
