"""Who saw a page on a day counts once: within an import and over several ones, and only while the day's key lives."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lycosa.click_records import DAY, Source
from lycosa.clickstream.server_logs.sessions import daily_visitors as day_visitors
from lycosa.clickstream.server_logs.sessions.daily_visitors import DayVisitors
from lycosa.clickstream.server_logs.sessions.visitor_register import VisitorBook
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys

SITE = "example.org"
TODAY = 20_000
LASTS = float(TODAY * DAY)
"""Days that ended before this are due: today and tomorrow are not."""
OVER = float((TODAY + 1) * DAY)
HASHED = 1000
"""What is added to a name to have another hash, unless a test says otherwise."""


class Import:
    """One import into a store: a book and the visitors of days, which only it knows until it saves."""

    def __init__(self, store: ClickStore, site: str = SITE, keyless: int = 0) -> None:
        self._store, self._site = store, site
        keys = DayKeys(store.folder)

        def key(day: int) -> bytes | None:
            return keys.key(day) if day > keyless else None

        self._book = VisitorBook(key)
        self.seen = DayVisitors(store, site, self._book)

    def new(self, *views: tuple[int, int, int], before: float = LASTS, hashes: list[int] | None = None) -> list[bool]:
        """Which of these views (day, name, page) are the first of their visitor."""
        days, names, pages = (list(column) for column in zip(*views, strict=True))
        told = hashes or [name + HASHED for name in names]
        both = np.array([(name << 32, 7) for name in names], np.uint64)
        entries = self._book.add_named(np.array(days), np.array(told, np.uint64) << np.uint64(32), both)
        return [bool(each) for each in self.seen.new(np.array(days), entries, np.array(pages, np.uint64), before)]

    def save(self) -> None:
        self._store.add_pages(self._site, Source.LOG, [], marks=self.seen.taken())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ClickStore]:
    with ClickStore(tmp_path / "clicks") as made:
        yield made


def kept(store: ClickStore) -> list[int]:
    """The days of which numbers are stored, one for each part."""
    return [int(name.split(":")[2]) for name, _ in store.marks("seen:")]


def test_a_visitor_counts_once_a_day_and_page(store: ClickStore) -> None:
    work = Import(store)
    views = [(TODAY, 1, 5), (TODAY, 2, 5), (TODAY, 1, 5), (TODAY, 1, 6), (TODAY + 1, 1, 5)]
    assert work.new(*views) == [True, True, False, True, True]
    assert work.new(*views) == [False] * 5
    assert work.new((TODAY, 3, 5), (TODAY, 2, 5), (TODAY, 2, 6)) == [True, False, True]


def test_the_next_import_knows_who_was_there_and_other_sites_do_not(store: ClickStore) -> None:
    first = Import(store)
    first.new((TODAY, 1, 5), (TODAY, 2, 5))
    first.save()
    first.new((TODAY, 3, 5))
    first.save()
    assert kept(store) == [TODAY, TODAY], "what was stored before is not written again"
    again = [(TODAY, 3, 5), (TODAY, 1, 5), (TODAY, 2, 5), (TODAY, 4, 5)]
    later = Import(store)
    assert later.new(*again, hashes=[91, 92, 93, 94]) == [False, False, False, True], "by name, whatever the hash"
    assert Import(store, "example.com").new(*again) == [True] * 4
    later.save()
    assert Import(store).new(*again) == [False] * 4


def test_what_is_to_be_stored_is_handed_out_once(store: ClickStore) -> None:
    work = Import(store)
    work.new((TODAY, 1, 5), (TODAY + 1, 1, 5))
    assert len(work.seen.taken()) == 2
    assert work.seen.taken() == {}
    work.new((TODAY, 1, 5))
    assert work.seen.taken() == {}, "nobody is new"


def test_of_days_without_a_key_nothing_is_kept_and_hashes_tell_visitors_apart(store: ClickStore) -> None:
    work = Import(store, keyless=TODAY)
    views = [(TODAY, 1, 5), (TODAY, 2, 5), (TODAY, 3, 5), (TODAY + 1, 4, 5)]
    assert work.new(*views, before=OVER, hashes=[8, 8, 9, 8]) == [True, False, True, True]
    work.save()
    assert kept(store) == [TODAY + 1]


def test_of_days_that_are_over_whatever_was_kept_still_counts(store: ClickStore) -> None:
    first = Import(store)
    first.new((TODAY, 1, 5))
    first.save()
    views = [(TODAY, 1, 5), (TODAY, 2, 5), (TODAY, 3, 5)]
    assert Import(store).new(*views, before=OVER, hashes=[8, 8, 8]) == [False, True, True]


def test_days_that_ended_are_dropped_from_memory_and_store(store: ClickStore) -> None:
    work = Import(store)
    views = [(TODAY, 1, 5), (TODAY + 1, 1, 5)]
    work.new(*views)
    work.save()
    work.new((TODAY, 2, 5), (TODAY + 1, 2, 5))
    work.seen.drop(OVER - 1)
    work.save()
    assert kept(store) == [TODAY, TODAY, TODAY + 1, TODAY + 1], "the day has a second left"
    work.new((TODAY, 3, 5), (TODAY + 1, 3, 5))
    work.seen.drop(OVER)
    work.save()
    assert kept(store) == [TODAY + 1] * 3, "also what was not stored yet"
    assert work.new(*views, before=OVER) == [True, False]


def test_many_visitors_in_many_parts_are_told_apart_as_in_one_set(
    store: ClickStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(day_visitors, "LARGEST", 64)
    chance, known, work = random.Random(3), set[tuple[int, int, int]](), Import(store)
    for step in range(30):
        views = [(TODAY + chance.randrange(2), chance.randrange(40), chance.randrange(9)) for _ in range(40)]
        wanted = [view not in known and view not in views[:place] for place, view in enumerate(views)]
        assert work.new(*views) == wanted
        known |= set(views)
        work.save()
        if step % 10 == 9:
            work = Import(store)
