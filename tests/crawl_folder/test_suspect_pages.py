"""What a process that died leaves of the pages that it was reading, and what its successor makes of that."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.crawl_folder.reading_slot import LONGEST_NAME, reading_at
from lycosa.crawl_folder.suspect_pages import MOST_DEATHS, MOST_OF_SITE, SAME_BYTES, SuspectPages

URLS = [f"http://a.example/{number}" for number in range(5)]


@pytest.fixture
def slot(tmp_path: Path) -> Path:
    return tmp_path / "reading"


def died(slot: Path, *pages: str, batch: bool = False) -> SuspectPages:
    """The successor of a process that died over a page, or over a batch."""
    before = SuspectPages(slot)
    before.begin(URLS)
    for url in pages:
        before.page(url)
    if batch:
        before.together()
    return SuspectPages(slot)


def test_only_the_page_that_was_being_read_is_suspect(slot: Path) -> None:
    found = died(slot, *URLS[:3])
    assert [url for url in URLS if url in found] == [URLS[2]]


def test_all_of_a_batch_are_suspect_where_none_was_read_alone(slot: Path) -> None:
    found = died(slot, *URLS[:3], batch=True)
    assert all(url in found for url in URLS)


def test_nobody_is_suspect_after_an_end_in_order(slot: Path) -> None:
    before = SuspectPages(slot)
    before.begin(URLS)
    before.page(URLS[0])
    before.close()
    found = SuspectPages(slot)
    assert not any(url in found for url in URLS)


def test_a_suspect_that_was_read_is_cleared_and_one_that_was_not_stays(slot: Path) -> None:
    died(slot, URLS[0])
    found = died(slot, URLS[1])
    found.begin(URLS[1:])
    found.page(URLS[1])
    found.done()
    found.close()
    after = SuspectPages(slot)
    assert [url for url in URLS if url in after] == [URLS[0]]


def test_a_page_over_which_processes_die_again_and_again_is_refused(slot: Path) -> None:
    for _ in range(MOST_DEATHS - 1):
        assert not died(slot, URLS[0]).refused(URLS[0])
    assert "processes died" in died(slot, URLS[0]).refused(URLS[0])
    assert SuspectPages(slot).refused(URLS[0])


def test_what_was_refused_stays_refused_with_all_that_has_its_bytes(slot: Path) -> None:
    SuspectPages(slot).refuse(URLS[0], "too much", b"the bytes")
    found = SuspectPages(slot)
    assert found.refused(URLS[0]) == "too much"
    assert found.refused(URLS[1], b"the bytes") == SAME_BYTES
    assert not found.refused(URLS[1], b"other bytes")


def test_a_site_with_many_costly_pages_has_each_read_alone_first(slot: Path) -> None:
    found = SuspectPages(slot)
    for url in URLS[:MOST_OF_SITE]:
        assert not found.doubts(URLS[-1])
        found.refuse(url, "too much")
    assert found.doubts(URLS[-1])
    assert URLS[-1] not in found
    assert not found.doubts("http://b.example/")


def test_long_addresses_with_the_same_beginning_are_told_apart(slot: Path) -> None:
    one, other = (f"http://a.example/{'x' * LONGEST_NAME}{end}" for end in "12")
    found = died(slot, one)
    assert one in found
    assert other not in found


@pytest.mark.parametrize("data", [b"", b"short", b"\xff" * 40, b"\xff" * 100_000])
def test_a_slot_with_anything_in_it_can_be_read(slot: Path, data: bytes) -> None:
    slot.write_bytes(data)
    reading_at(slot)
    slot.with_suffix(".suspects.json").write_bytes(data)
    assert URLS[0] not in SuspectPages(slot)
