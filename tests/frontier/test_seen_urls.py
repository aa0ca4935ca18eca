"""The memory of URLs: bounded, counting, kind to what is met often; known links are dropped, counted or renewed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from small_frontier import a_frontier, add, take

from lycosa.frontier.enqueuer import SAID_NEWER
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.frontier_store import MemoryShelf
from lycosa.frontier.seen_urls import MOST_COUNTED, OFTEN, SETTLED, SeenUrls
from lycosa.queue_records import SitemapLink, State
from lycosa.records import Link, Score

A, B = "http://a.example/", "http://b.example/"


def test_a_hit_raises_the_count_and_a_miss_is_counted_as_one() -> None:
    seen = SeenUrls(100)
    assert seen.get(A) is None
    seen.put(A, 0.5)
    assert [seen.get(A), seen.get(A)] == [0.5, 0.5]
    assert (seen.times(A), seen.hits, seen.misses) == (3, 2, 1)
    seen.put(A, SETTLED)
    assert (seen.peek(A), seen.times(A), seen.hits) == (SETTLED, 3, 2)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 60)), max_size=400), st.integers(3, 40))
def test_memory_is_bounded_and_never_says_what_was_not_put(moves: list[tuple[bool, int]], most: int) -> None:
    seen, last = SeenUrls(most), dict[str, float]()
    for is_put, number in moves:
        url = f"{A}{number}"
        if is_put:
            last[url] = float(len(last) + number)
            seen.put(url, last[url])
        else:
            assert seen.get(url) in (None, last.get(url))
        assert len(seen) <= most
    assert seen.hits + seen.misses == sum(not is_put for is_put, _ in moves)


@given(st.lists(st.lists(st.integers(0, 30), max_size=12), max_size=12))
def test_many_urls_are_looked_up_as_one_by_one(batches: list[list[int]]) -> None:
    together, singly = SeenUrls(100), SeenUrls(100)
    for number, batch in enumerate(batches):
        urls = [f"u{each}" for each in batch]
        met = [singly.get(url) for url in urls]
        better = [place for place, waits in enumerate(met) if waits is None or waits + 1.5 < number]
        assert together.unsettled(urls, [Score(number, "")] * len(urls), gain=1.5) == better
        assert (together.hits, together.misses) == (singly.hits, singly.misses)
        for url in urls:
            assert together.times(url) == singly.times(url)
            together.put(url, float(number))
            singly.put(url, float(number))


@given(st.lists(st.lists(st.integers(0, 30), max_size=12), max_size=12), st.integers(3, 20))
def test_where_memory_is_short_many_urls_are_known_rightly_or_not_at_all(batches: list[list[int]], most: int) -> None:
    seen, last = SeenUrls(most), dict[str, float]()
    for number, batch in enumerate(batches):
        urls = [f"u{each}" for each in batch]
        settled = set(range(len(urls))) - set(seen.unsettled(urls, [Score(number, "")] * len(urls), gain=1.5))
        assert all(last[urls[place]] + 1.5 >= number for place in settled)
        for url in urls:
            seen.put(url, float(number))
            last[url] = number
        assert len(seen) <= most


def puts_survived(meetings: int) -> int:
    """How many other URLs can be put and met before one is forgotten that was met so often."""
    seen = SeenUrls(20)
    seen.put(A, 1.0)
    for _ in range(meetings):
        seen.get(A)
    return next(number for number in range(10_000) if seen.put(f"{B}{number}", 1.0, met=True) or seen.peek(A) is None)


def test_meetings_beyond_a_number_do_not_let_a_url_stay_for_longer() -> None:
    stays = [puts_survived(meetings) for meetings in (1, OFTEN, 8 * OFTEN, MOST_COUNTED, 100 * MOST_COUNTED)]
    assert stays[0] < stays[1] < stays[2] < stays[3] == stays[4]


def test_what_is_met_often_outlives_what_is_met_once_but_not_for_ever() -> None:
    seen = SeenUrls(100)
    seen.put(A, 1.0)
    seen.put(B, 1.0, met=True)
    for _ in range(4 * OFTEN):
        seen.get(A)
    alive = []
    for number in range(1000):
        seen.put(f"{A}{number}", 1.0, met=True)
        if number % 50 == 49:
            alive.append((seen.peek(A) is not None, seen.peek(B) is not None))
    assert [b for _, b in alive].index(False) < [a for a, _ in alive].index(False)


def test_newcomers_that_nobody_meets_push_out_nothing_that_was_met() -> None:
    seen = SeenUrls(96)
    seen.put(A, 1.0)
    assert seen.get(A) == 1.0
    for number in range(1000):
        seen.put(f"{B}{number}", 1.0)
    assert (seen.peek(A), seen.peek(f"{B}0"), seen.peek(f"{B}999")) == (1.0, None, 1.0)
    assert (seen.times(A), seen.times(f"{B}0"), seen.times(f"{B}999")) == (2, 0, 1)


# -- known links --------------------------------------------------------------------------------------------------


def fetched_at(now: float, *, cached: int = 1000) -> tuple[Frontier, MemoryShelf]:
    """A frontier whose page A was fetched at a time."""
    shelf = MemoryShelf()
    frontier = a_frontier(shelf=shelf, cached=cached)
    add(frontier, (A, 0.5), now=now)
    assert take(frontier, now) == A
    shelf.apply(frontier.drain())
    return frontier, shelf


def test_known_links_are_counted_whether_memory_or_the_disk_knows_them() -> None:
    frontier, shelf = fetched_at(1.0)
    assert add(frontier, (A, 0.9), (A, 0.1), (B, 0.2), (B, 0.9), now=2.0) == 1
    assert frontier.known_links == 3
    shelf.apply(frontier.drain())
    again = a_frontier(shelf=shelf, now=3.0)
    assert add(again, (A, 0.9), (B, 0.1), now=3.0) == 0
    assert again.known_links == 2
    assert (again.seen.hits, again.seen.misses) == (0, 2)


def named(frontier: Frontier, lastmod: float | None, now: float, believed: bool = True, changes: str = "") -> int:
    asked: list[tuple[str, float]] = []

    def renewal(url: str, claimed: float) -> bool:
        asked.append((url, claimed))
        return believed

    frontier.add([SitemapLink(A, lastmod=lastmod, changes=changes)], [Score(0.01)], now, renewal)
    return len(asked)


def test_a_page_that_its_sitemap_calls_newer_waits_once_more() -> None:
    frontier, shelf = fetched_at(10.0)
    assert named(frontier, 15.0, now=20.0) == 1
    record = frontier.known(Link(A))
    assert record is not None
    assert (record.state, record.why, frontier.known_links) == (State.WAITING, SAID_NEWER, 0)
    assert named(frontier, 15.0, now=21.0) == 0, "it waits already"
    shelf.apply(frontier.drain())
    assert take(frontier, 30.0) == A
    assert named(frontier, 15.0, now=40.0) == 0, "it was fetched since"
    assert frontier.known_links == 2


def test_a_claim_that_is_older_unbelieved_impossible_or_not_made_is_a_duplicate_link() -> None:
    frontier, _ = fetched_at(10.0)
    assert named(frontier, 9.0, now=20.0) == 0
    assert named(frontier, None, now=20.0) == 0
    assert named(frontier, 25.0, now=20.0) == 0, "a time to come"
    assert named(frontier, 15.0, now=20.0, believed=False) == 1
    frontier.add([SitemapLink(A, lastmod=15.0)], [Score(0.01)], 20.0)
    assert frontier.known_links == 5
    assert take(frontier, 30.0) is None


def test_how_often_a_page_changes_by_its_sitemap_is_kept_with_it() -> None:
    frontier, shelf = fetched_at(10.0)
    named(frontier, None, now=20.0, changes="daily")
    frontier.add([SitemapLink(B, changes="never")], [Score(0.01)], 20.0)
    shelf.apply(frontier.drain())
    again = a_frontier(shelf=shelf, now=30.0)
    records = [again.known(Link(url)) for url in (A, B)]
    assert [record and (record.changes, record.state) for record in records] == [
        ("daily", State.DONE),
        ("never", State.WAITING),
    ]
