"""Search shows one page of those with nearly the same text, and forgets pages that are gone."""

from __future__ import annotations

from pathlib import Path

import pytest
import whole_crawl

from lycosa.configuration.sections import Configuration
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.indexing.duplicate_index import SimilarPages
from lycosa.plugins.plug_points import NOTHING, Signal
from lycosa.queue_records import Changes
from lycosa.records import Page
from lycosa.search.index import Document, IndexReader, IndexWriter
from lycosa.search.query import understand
from lycosa.search.ranking import Order, find_ranking, page_key
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.catalogue import VisitRow

SITE = "http://a.example/"
WORDS = " ".join(f"wolf spider {number} hunts among fallen leaf{number}" for number in range(80))


class NoSignals:
    """Nothing is known of any page besides its words."""

    def of(self, pages: list[int], query: str) -> list[Signal]:
        return [NOTHING] * len(pages)


def order(query: str = "spider") -> Order:
    return Order(find_ranking(Configuration()), NoSignals(), query, 0.0, 100)


@pytest.fixture
def index(tmp_path: Path) -> IndexReader:
    """Three pages of one text but for a word, and one of another."""
    similar = SimilarPages(tmp_path / "similar.bin")
    writer = IndexWriter(tmp_path / "index", 15_000_000)
    texts = {
        "a": WORDS,
        "b": f"{WORDS} today",
        "c": f"{WORDS} yesterday",
        "other": "the garden spider spins an orb web",
    }
    for name, text in texts.items():
        page = Page(SITE + name, name, text=text, language="en")
        writer.add(Document(page, group=similar.group(page)))
    writer.commit({})
    writer.close()
    return IndexReader(tmp_path / "index")


def test_one_page_stands_for_those_with_nearly_the_same_text(index: IndexReader) -> None:
    found = index.search(understand("spider"), order=order())
    assert found.total == 4
    assert len(found.hits) == 2
    assert {hit.url.removeprefix(SITE)[0]: hit.similar for hit in found.hits} in (
        {"a": 2, "o": 0},
        {"b": 2, "o": 0},
        {"c": 2, "o": 0},
    )
    (shown,) = [hit for hit in found.hits if hit.similar]
    assert shown.group == page_key(SITE + "a")
    alike = index.search(understand(f"spider like:{shown.group}"), order=order())
    assert {hit.url for hit in alike.hits} == {SITE + name for name in "abc"}
    assert index.search(understand("spider like:nonsense"), order=order()).hits == ()


def test_a_crawl_groups_its_pages_and_goes_on_after_a_restart(tmp_path: Path) -> None:
    folder = whole_crawl.crawl_folder(tmp_path, "box:5?hosts=3&pages=60&errors=0&unlinked=0&duplicates=0.3")
    whole_crawl.run(folder)
    kept = SimilarPages.open(folder)
    assert len(kept) == len(IndexReader(folder.index).urls())
    (folder.index / "similar.bin").write_bytes(b"damaged")
    again = SimilarPages.open(folder)
    assert len(again) == 0
    with reading(folder) as stores:
        again.catch_up(folder.archive, stores, {0: stores[0].last_row()})
    assert len(again) == len(kept)
    assert again.marks == kept.marks


def test_a_page_that_is_gone_is_not_found_any_more(tmp_path: Path) -> None:
    folder: CrawlFolder = whole_crawl.crawl_folder(tmp_path)
    whole_crawl.run(folder)
    url = min(IndexReader(folder.index).urls())
    with AgentStore(folder.agent(0) / "store") as store:
        store.commit(Batch(Changes(), [VisitRow(url, 9e9, 0, "failed", "http-404")]))
    whole_crawl.index(folder)
    assert url not in IndexReader(folder.index).urls()
