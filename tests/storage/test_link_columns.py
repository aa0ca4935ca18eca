"""The links of pages in the journal, and as the table that Parquet holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.queue_records import Changes
from lycosa.records import Link
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.catalogue import VisitRow
from lycosa.storage.link_columns import LinkColumns

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=8)
LINKS = st.tuples(TEXTS.filter(bool), TEXTS, st.floats(allow_nan=False), TEXTS)


def row(number: int, links: list[tuple[str, str, float, str]]) -> VisitRow:
    found = [Link(url, anchor=anchor, tag_path=tag_path) for url, anchor, _, tag_path in links]
    columns = LinkColumns.of(found, [score for _, _, score, _ in links])
    return VisitRow(f"http://a.org/{number}", number / 2, 0, "fetched", links=columns)


@given(st.lists(LINKS, min_size=1, max_size=5))
def test_links_come_out_of_their_columns_as_they_went_in(links: list[tuple[str, str, float, str]]) -> None:
    assert list(row(1, links).links.rows()) == links


@given(st.lists(st.lists(LINKS, max_size=4), max_size=5))
def test_the_table_of_links_has_each_with_its_page_and_place(pages: list[list[tuple[str, str, float, str]]]) -> None:
    columns = catalogue.links_of([row(number, links) for number, links in enumerate(pages)])
    table = catalogue.arrow().table(columns, schema=catalogue.schema("links"))
    assert [tuple(each[name] for name in catalogue.LINKS) for each in table.to_pylist()] == [
        (f"http://a.org/{number}", number / 2, *link[:3], link[3], position)
        for number, links in enumerate(pages)
        for position, link in enumerate(links)
    ]


def test_a_line_end_in_a_text_moves_no_link() -> None:
    links = LinkColumns.of(
        [Link("u", anchor="one\ntwo", tag_path="a"), Link("v", anchor="three", tag_path="b")], (0.5, 0.25)
    )
    assert list(links.rows()) == [("u", "one two", 0.5, "a"), ("v", "three", 0.25, "b")]


def test_journals_with_very_many_links_are_rolled_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "LARGEST_ROLL", 100)
    rows = [row(number, [("http://b.org/" + "x" * 40, "anchor", 0.5, "p/a")]) for number in range(6)]
    with AgentStore(tmp_path / "store") as store:
        store.commit(Batch(Changes(), rows))
        assert [catalogue.roll(store, 100) for _ in range(4)] == [2, 2, 2, 0]
        assert [link["parent"] for link in catalogue.link_rows(store)] == [each.url for each in rows]
        assert [each.url for _, each in catalogue.history(store)] == [each.url for each in rows]


@pytest.mark.parametrize("at_once", [1, 2, 3, 5, 6])
def test_a_segment_is_the_same_however_many_rows_become_columns_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(catalogue, "AT_ONCE", at_once)
    rows = [row(number, [("http://b.org/", str(number), 0.5, "p/a")] * number) for number in range(6)]
    with AgentStore(tmp_path / "store") as store:
        store.commit(Batch(Changes(), rows))
        assert catalogue.roll(store, 5) == 5
        assert store.number("rolled") == 5
        assert [each.url for _, each in catalogue.history(store)] == [each.url for each in rows]
        assert [link["anchor"] for link in catalogue.link_rows(store)] == [str(n) for n in range(6) for _ in range(n)]
        assert len(list((store.folder / "catalogue").glob("links-*.parquet"))) == 1
