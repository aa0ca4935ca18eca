"""Filters, what matches have in common, and the orders in which results can come."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.records import Page
from lycosa.search import facets
from lycosa.search.index import Document, IndexReader, IndexWriter
from lycosa.search.query import LONGEST, filter_in, moment, understand, with_words
from lycosa.search.ranking import Order, TextRanking, Unwatched

SITES = ["a.org", "b.org", "b.org", "c.org"]
YEARS = [2021, 2022, 2023, 2024]
CLASSES = [("595",), ("595", "638"), ("638",), ()]


def day(year: int) -> float:
    return datetime(year, 6, 1, tzinfo=UTC).timestamp()


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    folder = tmp_path_factory.mktemp("index")
    writer = IndexWriter(folder, 15_000_000)
    for number in range(40):
        kind = number % 4
        page = Page(
            f"http://{SITES[kind]}/{number}",
            f"Page {number}",
            text="bees and spiders" if number % 2 else "bees",
            language="de" if kind == 3 else "en",
            published=day(YEARS[kind]) + number,
        )
        writer.add(Document(page, at=day(2025), relevance=number / 40, classes=CLASSES[kind]))
    writer.commit({0: 40})
    writer.close()
    return IndexReader(folder)


@pytest.mark.parametrize(
    ("typed", "total"),
    [
        ("bees site:a.org", 10),
        ("bees site:a.org site:b.org", 30),
        ("bees site:b.org lang:de", 0),
        ("bees topic:595", 20),
        ("bees topic:59", 20),
        ("bees topic:63.8", 20),
        ("bees topic:7", 0),
        ("bees after:2023", 20),
        ("bees before:2022", 10),
        ("bees after:2022-06-01 before:2023-06", 10),
        ("after:2024", 10),
        ("bees after:soon", 40),
        ("bees -spiders after:2023", 10),
        ("bees after:2024 before:2022", 0),
    ],
)
def test_filters_choose_pages(reader: IndexReader, typed: str, total: int) -> None:
    assert reader.search(understand(typed)).total == total


def test_filters_change_no_score(reader: IndexReader) -> None:
    plain = {hit.url: hit.score for hit in reader.search(understand("spiders"), 40).hits}
    chosen = reader.search(understand("spiders site:b.org topic:595 after:2000"), 40).hits
    assert len(chosen) == 10
    assert all(hit.score == pytest.approx(plain[hit.url]) for hit in chosen)


def test_what_matches_have_in_common_is_counted(reader: IndexReader) -> None:
    found = reader.facets(understand("bees"), 40)
    assert dict(found.sites) == {"b.org": 20, "a.org": 10, "c.org": 10}
    assert dict(found.topics) == {"595": 20, "638": 20}
    assert dict(found.languages) == {"en": 30, "de": 10}
    assert not found.estimated


def test_a_filter_does_not_hide_its_own_alternatives(reader: IndexReader) -> None:
    found = reader.facets(understand("bees site:a.org lang:en"), 10)
    assert dict(found.sites) == {"b.org": 20, "a.org": 10}
    assert dict(found.languages) == {"en": 10}
    assert dict(found.topics) == {"595": 10}
    alone = reader.facets(understand("site:a.org"), 10)
    assert dict(alone.sites) == {"b.org": 20, "a.org": 10, "c.org": 10}


def test_of_very_many_matches_a_sample_is_counted(reader: IndexReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facets, "MOST_COUNTED", 20)
    found = reader.facets(understand("bees"), 40)
    assert found.estimated
    assert sum(count for _, count in found.sites) == pytest.approx(40, rel=0.6)


@pytest.mark.parametrize(("sort", "value"), [("newest", "date"), ("relevance", "relevance")])
def test_sorted_results_come_in_that_order_on_every_page(reader: IndexReader, sort: str, value: str) -> None:
    order = Order(TextRanking(), Unwatched(), "bees", day(2025))
    pages = [reader.search(understand("bees"), 10, offset, order, sort).hits for offset in range(0, 40, 10)]
    hits = [hit for page in pages for hit in page]
    assert len({hit.url for hit in hits}) == 40
    values = [getattr(hit, value) for hit in hits]
    assert values == sorted(values, reverse=True)
    assert all(hit.why and hit.why.value == pytest.approx(getattr(hit, value)) for hit in hits)


def test_results_tell_their_date_and_topic(reader: IndexReader) -> None:
    (hit,) = reader.search(understand("topic:595 topic:638 after:2022 before:2023"), 1).hits
    assert (hit.classes, datetime.fromtimestamp(hit.date, UTC).year, hit.at) == (("595", "638"), 2022, day(2025))


@pytest.mark.parametrize(
    ("date", "begins"),
    [
        ("2024", (2024, 1, 1)),
        ("2024-5", (2024, 5, 1)),
        ("2024-05-17", (2024, 5, 17)),
        ("2024-13", None),
        ("0000", None),
    ],
)
def test_dates_begin_with_their_first_day(date: str, begins: tuple[int, int, int] | None) -> None:
    assert moment(date) == (datetime(*begins, tzinfo=UTC).timestamp() if begins else None)


@given(st.text(max_size=LONGEST))
def test_a_query_with_the_same_words_means_the_same(typed: str) -> None:
    assert understand(with_words(typed, lambda word: word)) == understand(typed)


def test_a_value_with_spaces_is_quoted() -> None:
    assert filter_in('topic:"wolf spiders"') == ("topic", "wolf spiders")
    assert understand('topic:"wolf spiders" legs').filters == (("topic", "wolf spiders"),)


def test_a_filter_alone_counts_each_page_once(tmp_path: Path, reader: IndexReader) -> None:
    found = reader.search(understand("lang:de"), 40).hits
    assert Counter(hit.site for hit in found) == {"c.org": 10}
    assert {hit.score for hit in found} == {1.0}
