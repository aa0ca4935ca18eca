"""Rejudging waiting links: the order is always that of a plain sorted list, whatever lies in memory."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from small_frontier import POLITE, a_frontier, add, open_all, take

from lycosa.configuration.sections import Configuration
from lycosa.frontier.admission import admission
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.frontier_store import MemoryShelf
from lycosa.queue_records import State
from lycosa.records import REJECTED, Link, Score

A, B, C = (f"http://a.org/{letter}" for letter in "abc")
PRIORITIES = st.integers(0, 40).map(lambda number: number / 40)
PLACES = st.tuples(st.integers(0, 2), st.integers(0, 12)).map(lambda place: f"http://{'abc'[place[0]]}.org/{place[1]}")
STEPS = st.one_of(
    st.tuples(st.just("add"), PLACES, PRIORITIES),
    st.tuples(st.just("revise"), st.lists(st.tuples(PLACES, PRIORITIES), max_size=12)),
    st.tuples(st.just("take")),
    st.tuples(st.just("drain")),
    st.tuples(st.just("restart")),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(STEPS, max_size=60), st.integers(1, 6))
def test_after_any_revision_the_best_waiting_link_comes_next(steps: list[tuple], heads: int) -> None:
    shelf = MemoryShelf()
    frontier = a_frontier(shelf=shelf, heads=heads)
    waiting: dict[str, float] = {}
    settled: set[str] = set()

    def take_one() -> None:
        url = take(frontier)
        assert (url is None) == (not waiting)
        if url is not None:
            assert waiting[url] == max(waiting.values())
            del waiting[url]
            settled.add(url)

    for name, *details in steps:
        if name == "add":
            url, priority = details
            add(frontier, (url, priority))
            if url not in settled:
                waiting[url] = max(priority, waiting.get(url, 0.0))
        elif name == "revise":
            (judgements,) = details
            latest = {url: priority for url, priority in judgements if url in waiting}
            changed = frontier.revise([(url, Score(priority, "again")) for url, priority in judgements], 0.0)
            assert changed == sum(waiting[url] != priority for url, priority in latest.items())
            waiting |= latest
        elif name == "take":
            take_one()
        else:
            shelf.apply(frontier.drain())
            if name == "restart":
                frontier = a_frontier(shelf=shelf, heads=heads)
        assert frontier.waiting == len(waiting)
    while waiting:
        take_one()
    assert take(frontier) is None


def test_a_revised_link_keeps_its_place_in_time_and_says_why() -> None:
    frontier = a_frontier(ageing=0.1)
    add(frontier, (A, 0.5), now=100.0)
    assert frontier.revise([(A, Score(0.25, "mean of 2 parents"))], 900.0) == 1
    record = frontier.known(Link(A))
    assert record is not None
    assert (record.priority, record.enqueued_at, record.why) == (0.25, 100.0, "mean of 2 parents")
    assert (record.state, frontier.waiting) == (State.WAITING, 1)


def test_what_does_not_wait_or_does_not_change_is_left_alone() -> None:
    frontier = a_frontier()
    add(frontier, (A, 0.9), (B, 0.5))
    assert take(frontier) == A
    assert frontier.revise([(A, Score(0.1)), (B, Score(0.5 + 1e-7)), (C, Score(0.3))], 0.0) == 0
    assert frontier.revise([("http://never-seen.org/", Score(0.3))], 0.0) == 0
    assert (take(frontier), take(frontier)) == (B, None)


def test_a_judgement_after_a_fall_is_not_swallowed() -> None:
    frontier = a_frontier()
    add(frontier, (A, 0.9), (B, 0.5))
    frontier.revise([(A, Score(0.1))], 0.0)
    add(frontier, (A, 0.6))
    assert [take(frontier), take(frontier), take(frontier)] == [A, B, None]


def test_a_link_that_was_raised_and_taken_leaves_no_trace_of_its_old_place() -> None:
    frontier = a_frontier()
    add(frontier, (A, 0.5), (B, 0.1), ("http://b.org/", 0.3))
    add(frontier, (A, 0.9))
    assert [take(frontier) for _ in range(4)] == [A, "http://b.org/", B, None]


def test_a_new_link_is_found_though_all_of_the_shelf_was_moved_into_memory() -> None:
    frontier = a_frontier(heads=4)
    urls = [f"http://a.org/{number}" for number in range(9)]
    add(frontier, *((url, 0.5 + place / 100) for place, url in enumerate(urls)))
    assert take(frontier) == urls[8]
    assert frontier.revise([(url, Score(0.9)) for url in urls[:5]], 0.0) == 5
    assert {take(frontier) for _ in range(8)} == set(urls[:8])
    add(frontier, (A, 0.01))
    assert take(frontier) == A


def test_a_judgement_of_a_link_given_back_is_not_swallowed() -> None:
    frontier = a_frontier()
    add(frontier, (A, 0.6), (B, 0.5))
    open_all(frontier)
    link = frontier.next(0.0)
    assert link is not None
    frontier.give_back(link, 0.0)
    assert frontier.revise([(A, Score(0.1))], 0.0) == 1
    assert [take(frontier), take(frontier), take(frontier)] == [B, A, None]


def test_a_pausing_site_whose_best_link_falls_holds_nothing_back() -> None:
    frontier = a_frontier(POLITE)
    frontier.picky = True
    add(frontier, ("http://good.org/1", 0.8), ("http://good.org/2", 0.7), ("http://fair.org/1", 0.3))
    assert take(frontier, 0.0) == "http://good.org/1"
    assert take(frontier, 0.5) is None
    frontier.revise([("http://good.org/2", Score(0.1))], 0.5)
    assert take(frontier, 0.5) == "http://fair.org/1"
    assert take(frontier, 1.0) == "http://good.org/2"


def test_a_better_link_of_a_pausing_site_is_waited_for() -> None:
    frontier = a_frontier(POLITE)
    frontier.picky = True
    add(frontier, ("http://good.org/1", 0.8), ("http://good.org/2", 0.1), ("http://fair.org/1", 0.3))
    assert take(frontier, 0.0) == "http://good.org/1"
    add(frontier, ("http://good.org/3", 0.9), now=0.5)
    assert take(frontier, 0.5) is None
    assert take(frontier, 1.0) == "http://good.org/3"
    assert take(frontier, 1.0) == "http://fair.org/1"


def test_a_site_whose_only_link_in_memory_falls_gives_the_next_one_of_its_shelf() -> None:
    shelf = MemoryShelf()
    frontier = a_frontier(shelf=shelf, heads=4)
    add(frontier, *((f"http://a.org/{number}", number / 100) for number in range(40)))
    shelf.apply(frontier.drain())
    add(frontier, ("http://b.org/", 0.2))
    best = [f"http://a.org/{number}" for number in range(39, 20, -1)]
    assert frontier.revise([(url, Score(0.001)) for url in best], 0.0) == len(best)
    assert take(frontier) in ("http://a.org/20", "http://b.org/")
    assert take(frontier) in ("http://a.org/20", "http://b.org/")
    assert take(frontier) == "http://a.org/19"


def test_a_rejected_link_waits_until_it_is_judged_anew() -> None:
    shelf = MemoryShelf()
    frontier = a_frontier(shelf=shelf)
    add(frontier, (A, REJECTED), (B, 0.1))
    assert take(frontier) == B
    assert take(frontier) is None
    assert frontier.wait(0.0) is None
    assert frontier.waiting == 1
    shelf.apply(frontier.drain())
    again = a_frontier(shelf=shelf)
    open_all(again)
    assert take(again) is None
    assert again.revise([(A, Score(0.01, "passes now"))], 0.0) == 1
    assert take(again) == A


FILE, PAGE = Link("http://a.org/x.pdf", "http://a.org/"), Link("http://b.org/x", "http://a.org/")


def a_frontier_without_pdf(shelf: MemoryShelf | None = None, *, picky: bool = False) -> Frontier:
    frontier = a_frontier(POLITE, shelf=shelf)
    frontier.change_rules(admission(Configuration()), lambda link: None, 0.0)
    frontier.picky = picky
    return frontier


def test_a_link_to_a_file_comes_last_however_it_is_judged_then_and_later() -> None:
    shelf = MemoryShelf()
    frontier = a_frontier_without_pdf(shelf)
    for number, value in ((0, 0.9), (1, 5.0)):
        frontier.add([FILE], [Score(value)], number)
    frontier.add([PAGE], [Score(0.01)], 0.0)
    frontier.revise([(FILE.url, Score(9.0))], 0.0)
    shelf.apply(frontier.drain())
    later = a_frontier_without_pdf(shelf)
    later.add([FILE], [Score(9.0)], 2.0)
    later.revise([(FILE.url, Score(9.0))], 2.0)
    record = later.known(FILE)
    assert record is not None
    assert "comes last: it ends like application/pdf" in record.why
    assert [take(later, 5.0), take(later, 5.0)] == [PAGE.url, FILE.url]


def test_links_that_come_last_do_not_wait_for_each_other() -> None:
    frontier = a_frontier_without_pdf(picky=True)
    others = [Link(f"http://{letter}.org/{number}.pdf", "http://a.org/") for letter in "ab" for number in range(2)]
    frontier.add(others, [Score(0.5)] * 4, 0.0)
    assert {str(take(frontier))[:12] for _ in range(2)} == {"http://a.org", "http://b.org"}
