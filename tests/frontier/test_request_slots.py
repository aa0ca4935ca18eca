"""Requests beside the queues (a robots.txt, where it redirects to) take turns with all others."""

from __future__ import annotations

import pytest
from small_frontier import a_frontier, add, fetched, open_all

from lycosa.configuration.sections import Bytes, Ceilings, Politeness, Seconds
from lycosa.frontier.frontier import Frontier
from lycosa.records import SiteOpened

HERE = "192.0.2.1"
ROBOTS = "http://a.org/robots.txt"


def polite(delay: float = 0.0, address_delay: float = 0.0, per_address: int = 1) -> Politeness:
    return Politeness(delay=Seconds(delay), address_delay=Seconds(address_delay), per_address=per_address, adaptive=0.0)


def begun(frontier: Frontier, *names: str) -> None:
    add(frontier, *((f"http://{name}.org/", 0.5) for name in names))


def test_one_address_is_asked_for_one_robots_txt_at_a_time() -> None:
    frontier = a_frontier(polite())
    assert frontier.ask(ROBOTS, HERE, 0.0) == 0
    assert frontier.ask("http://b.org/robots.txt", HERE, 0.0) > 0
    assert frontier.ask("http://b.org/robots.txt", "192.0.2.2", 0.0) == 0
    frontier.answered(ROBOTS, HERE, 10, 1.0)
    assert frontier.ask("http://c.org/robots.txt", HERE, 1.0) == 0


def test_the_pause_of_an_address_counts() -> None:
    frontier = a_frontier(polite(address_delay=5.0, per_address=9))
    assert frontier.ask(ROBOTS, HERE, 0.0) == 0
    assert frontier.ask("http://b.org/robots.txt", HERE, 2.0) == pytest.approx(3.0)
    assert frontier.ask("http://b.org/robots.txt", HERE, 5.0) == 0


def test_pages_and_robots_share_the_connections_of_an_address() -> None:
    frontier = a_frontier(polite())
    begun(frontier, "a")
    open_all(frontier)
    assert frontier.ask("http://b.org/robots.txt", HERE, 0.0) == 0
    assert frontier.next(0.0) is None
    frontier.answered("http://b.org/robots.txt", HERE, 10, 1.0)
    link = frontier.next(1.0)
    assert link is not None
    assert frontier.ask("http://b.org/robots.txt", HERE, 2.0) > 0
    frontier.finished(link, fetched(link), 0.0, 3.0)
    assert frontier.ask("http://b.org/robots.txt", HERE, 3.0) == 0


def test_the_ceilings_of_a_crawl_hold_for_robots_too() -> None:
    frontier = a_frontier(polite(per_address=99), ceilings=Ceilings(requests_per_second=2))
    asked = [frontier.ask(f"http://{name}.org/robots.txt", HERE, 0.0) for name in "abc"]
    assert [wait > 0 for wait in asked] == [False, False, True]
    frontier = a_frontier(polite(per_address=99), ceilings=Ceilings(bytes_per_second=Bytes(100)))
    assert frontier.ask(ROBOTS, HERE, 0.0) == 0
    frontier.answered(ROBOTS, HERE, 1000, 0.0)
    assert frontier.ask("http://b.org/robots.txt", HERE, 0.0) > 5


@pytest.mark.parametrize("known", [True, False])
def test_a_site_that_many_redirect_to_is_left_alone_in_between(known: bool) -> None:
    frontier = a_frontier(polite(delay=4.0, per_address=99))
    if known:
        begun(frontier, "a")
        open_all(frontier)
    assert frontier.ask(ROBOTS, HERE, 0.0) == 0
    assert frontier.ask(ROBOTS, HERE, 0.5) > 0
    frontier.answered(ROBOTS, HERE, 10, 1.0)
    assert frontier.ask(ROBOTS, HERE, 2.0) == pytest.approx(3.0)
    if known:
        assert frontier.next(4.9) is None
        assert frontier.next(5.0) is not None
        assert frontier.ask(ROBOTS, HERE, 6.0) > 0


def test_a_site_that_is_being_opened_does_not_wait_for_itself() -> None:
    frontier = a_frontier(polite(delay=4.0))
    begun(frontier, "a")
    site = frontier.site_to_open(0.0)
    assert site == "http://a.org"
    assert frontier.ask(ROBOTS, HERE, 0.0) == 0
    frontier.answered(ROBOTS, HERE, 10, 1.0)
    frontier.opened(SiteOpened(site, HERE, until=1e6), 1.0)
    assert frontier.next(4.9) is None
    assert frontier.next(5.0) is not None
