"""What a URL's record says once its request is over, and when it is tried again."""

from __future__ import annotations

from collections.abc import Callable

from small_frontier import a_frontier, add, fetched, open_all, take

from lycosa.frontier.admission import Admission
from lycosa.frontier.frontier_store import MemoryShelf
from lycosa.queue_records import State
from lycosa.records import Failed, Link, Outcome, Refused, Score


def test_a_link_keeps_the_reason_for_which_it_was_let_in_whatever_becomes_of_it() -> None:
    fates: dict[str, Callable[[Link], Outcome]] = {
        "refused": lambda link: Refused(link, "robots", "Disallow: /"),
        "failed": lambda link: Failed(link, "http-404", "not found"),
        "fetched": fetched,
    }
    for name, fate in fates.items():
        frontier = a_frontier()
        frontier.add([Link(f"http://a.org/{name}")], [Score(0.5, "its parent is about birds")], 0.0)
        open_all(frontier)
        link = frontier.next(0.0)
        assert link is not None
        frontier.finished(link, fate(link), 0.0, 0.0)
        frontier.settle(link, fate(link), 0.0)
        record = frontier.known(link)
        assert record is not None
        assert record.let_in_for == "its parent is about birds"
        assert record.why == {"refused": "robots", "failed": "http-404", "fetched": record.let_in_for}[name]
    frontier.looked(link, Failed(link, "http-410"), 1.0)
    frontier.looked(link, fetched(link), 2.0)
    back = frontier.known(link)
    assert back is not None
    assert (back.state, back.why, back.detail) == (State.DONE, "its parent is about birds", "")


def test_a_link_that_is_tried_again_was_found_when_it_was_found_and_is_checked_by_rules_made_since() -> None:
    shelf = MemoryShelf()
    frontier = a_frontier(shelf=shelf)
    add(frontier, ("http://a.org/private", 0.9), now=1.0)
    open_all(frontier, 2.0)
    link = frontier.next(2.0)
    assert link is not None
    again = Failed(link, "http-500", again=True)
    frontier.finished(link, again, 0.0, 2.0)
    frontier.settle(link, again, 2.0)
    shelf.apply(frontier.drain())
    frontier.change_rules(Admission([]), lambda link: "blocked: private", 3.0)
    frontier.wake_postponed(100.0)
    record = frontier.known(link)
    assert record is not None
    assert (record.state, record.enqueued_at) == (State.WAITING, 1.0)
    assert take(frontier, 1e4) is None
    refused = frontier.known(link)
    assert refused is not None
    assert (refused.state, refused.why) == (State.REFUSED, "blocked: private")
