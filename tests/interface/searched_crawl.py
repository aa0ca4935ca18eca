"""A crawl for the tests of search: several sites, topics, languages and years, and pages that mean harm."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from small_crawl import ATTACK, a_crawl

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.records import Page
from lycosa.search.index import Document, IndexWriter

FETCHED = datetime(2025, 6, 1, tzinfo=UTC).timestamp()


def in_year(year: int) -> float:
    return datetime(year, 5, 17, tzinfo=UTC).timestamp()


def documents() -> list[Document]:
    """Fourteen pages about spiders, four about bees, and one that attacks."""
    found = [
        Document(
            Page(
                f"https://{('spiders', 'arachnids')[number % 2]}.example/{number}",
                f"Wolf spider number {number}",
                text=f"The wolf spider number {number} hunts among fallen leaves.",
                language="en",
                published=in_year(2010 + number),
            ),
            at=FETCHED,
            relevance=number / 20,
            classes=("595",),
        )
        for number in range(14)
    ]
    found += [
        Document(
            Page(f"https://bees.example/{number}", "Honey bees", text="Bienen mögen Blätter, leaves.", language="de"),
            at=FETCHED,
            classes=("638",),
        )
        for number in range(4)
    ]
    hostile = Page(
        'https://evil.example/"><script>',
        f"tarantula {ATTACK}",
        text=f"tarantula tarantella {ATTACK} leaves",
        language='"><i>',
    )
    found.append(Document(hostile, at=FETCHED, classes=('<b onclick="x">',), topic=ATTACK))
    return found


def a_searched_crawl(home: Path, name: str = "spiders") -> CrawlFolder:
    """The crawl, with its index."""
    folder = a_crawl(home, name)
    writer = IndexWriter(folder.index, 15_000_000)
    for document in documents():
        writer.add(document)
    writer.commit({0: 1})
    writer.close()
    return folder
