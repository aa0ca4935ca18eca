"""The frontier: best first, polite, nothing lost. Time is an argument; no test waits."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_frontier import POLITE, RUDE, a_frontier, add, fetched, open_all, take

from lycosa.configuration.sections import Ceilings, Configuration, FrontierSection, Politeness, Seconds, Traps
from lycosa.frontier.admission import Admission
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.frontier_store import MemoryShelf
from lycosa.frontier.politeness import Manners
from lycosa.frontier.rate_limiter import Throttle
from lycosa.frontier.traps import trap_rule
from lycosa.plugins.plug_points import AdmissionRule
from lycosa.queue_records import State, UrlRecord
from lycosa.records import Failed, Link, Refused, SiteOpened, SiteShut
from lycosa.urls import site_of


def test_the_best_link_of_all_sites_comes_first() -> None:
    frontier = a_frontier()
    add(frontier, ("http://a.org/1", 0.2), ("http://b.org/1", 0.9), ("http://a.org/2", 0.5))
    assert [take(frontier) for _ in range(4)] == ["http://b.org/1", "http://a.org/2", "http://a.org/1", None]


def test_no_link_of_a_site_is_given_before_the_site_is_open() -> None:
    frontier = a_frontier()
    add(frontier, ("http://a.org/1", 0.2))
    assert frontier.next(0.0) is None
    assert frontier.site_to_open(0.0) == "http://a.org"
    assert frontier.site_to_open(0.0) is None
    assert frontier.next(0.0) is None
    frontier.opened(SiteOpened("http://a.org", "192.0.2.1", until=100.0), 0.0)
    assert frontier.next(0.0) is not None


def test_a_shut_site_is_tried_again_at_its_time() -> None:
    frontier = a_frontier()
    add(frontier, ("http://a.org/1", 0.2))
    frontier.opened(SiteShut(str(frontier.site_to_open(0.0)), "robots-unreachable", until=600.0), 0.0)
    assert frontier.site_to_open(599.0) is None
    assert frontier.site_to_open(600.0) == "http://a.org"


def test_robots_are_read_again_when_they_have_run_out() -> None:
    frontier = a_frontier()
    add(frontier, ("http://a.org/1", 0.2), ("http://a.org/2", 0.1))
    frontier.opened(SiteOpened(str(frontier.site_to_open(0.0)), "192.0.2.1", until=50.0, requested=False), 0.0)
    assert take(frontier, 10.0) == "http://a.org/1"
    assert frontier.next(60.0) is None
    assert frontier.site_to_open(60.0) == "http://a.org"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), st.integers(1, 8))
def test_a_site_gives_its_links_best_first_however_few_are_in_memory(priorities: list[float], heads: int) -> None:
    shelf = MemoryShelf()
    frontier = a_frontier(shelf=shelf, heads=heads)
    for place, priority in enumerate(priorities):
        add(frontier, (f"http://a.org/{place}", priority))
        if place % 3 == 0:
            shelf.apply(frontier.drain())
    taken = []
    while (url := take(frontier)) is not None:
        taken.append(priorities[int(url.rpartition("/")[2])])
        shelf.apply(frontier.drain())
    assert taken == sorted(priorities, reverse=True)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 40), st.floats(0, 1)), max_size=80), st.data())
def test_no_link_is_lost_and_none_comes_twice(found: list[tuple[int, int, float]], data: st.DataObject) -> None:
    """Whatever is taken, settled, committed or forgotten by a crash in between."""
    shelf = MemoryShelf()
    frontier = a_frontier(shelf=shelf)
    expected, settled = set(), []
    for site, page, priority in found:
        url = f"http://{'abcdef'[site]}.org/{page}"
        expected.add(url)
        add(frontier, (url, priority))
        step = data.draw(st.integers(0, 3))
        if step == 1:
            shelf.apply(frontier.drain())
        elif step == 2 and (url_taken := take(frontier)):
            settled.append(url_taken)
            shelf.apply(frontier.drain())
        elif step == 3:
            shelf.apply(frontier.drain())
            open_all(frontier)
            frontier.next(0.0)
            if data.draw(st.booleans()):
                shelf.apply(frontier.drain())
            frontier = a_frontier(shelf=shelf)
    for _ in range(len(expected) + 1):
        url_taken = take(frontier)
        if url_taken:
            settled.append(url_taken)
            shelf.apply(frontier.drain())
    assert sorted(settled) == sorted(expected)
    assert frontier.waiting == 0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 3)), min_size=1, max_size=40))
def test_a_site_is_never_asked_sooner_than_its_delay(steps: list[tuple[int, float]]) -> None:
    frontier, now = a_frontier(POLITE), 0.0
    last: dict[str, float] = {}
    for number, (site, passed) in enumerate(steps):
        now += passed
        add(frontier, (f"http://{'abcd'[site]}.org/{number}", 0.5), now=now)
        url = take(frontier, now)
        if url is not None:
            assert now - last.get(site_of(url), -10.0) >= 1.0
            last[site_of(url)] = now


def test_a_crawl_delay_counts_and_the_pause_begins_with_the_robots_request() -> None:
    frontier = a_frontier(POLITE)
    add(frontier, ("http://a.org/1", 0.5), ("http://a.org/2", 0.4))
    frontier.opened(SiteOpened(str(frontier.site_to_open(0.0)), "192.0.2.1", crawl_delay=7.0, until=1e6), 0.0)
    assert frontier.next(6.9) is None
    assert take(frontier, 7.0) == "http://a.org/1"
    assert take(frontier, 13.9) is None
    assert take(frontier, 14.0) == "http://a.org/2"


def test_after_a_restart_every_site_gets_its_full_pause() -> None:
    shelf = MemoryShelf()
    frontier = a_frontier(POLITE, shelf)
    add(frontier, ("http://a.org/1", 0.5), ("http://a.org/2", 0.4))
    assert take(frontier, 0.0) == "http://a.org/1"
    shelf.apply(frontier.drain())
    again = a_frontier(POLITE, shelf, now=0.1)
    assert again.site_to_open(1.0) is None
    assert again.site_to_open(1.1) == "http://a.org"


def test_after_a_restart_a_site_that_was_only_opened_gets_its_full_pause() -> None:
    shelf = MemoryShelf()
    frontier = a_frontier(POLITE, shelf)
    add(frontier, ("http://a.org/1", 0.5))
    frontier.opened(SiteOpened(str(frontier.site_to_open(0.0)), "192.0.2.1", crawl_delay=900.0, until=1e6), 0.0)
    shelf.apply(frontier.drain())
    again = a_frontier(POLITE, shelf, now=901.0)
    assert again.site_to_open(1800.0) is None
    assert again.site_to_open(1801.0) == "http://a.org"


def test_a_site_that_was_shut_stays_shut_over_a_restart() -> None:
    shelf = MemoryShelf()
    frontier = a_frontier(POLITE, shelf)
    add(frontier, ("http://a.org/1", 0.5))
    frontier.opened(SiteShut(str(frontier.site_to_open(0.0)), "robots-unreachable", 3600.0), 0.0)
    shelf.apply(frontier.drain())
    again = a_frontier(POLITE, shelf, now=10.0)
    assert again.site_to_open(3599.0) is None
    assert again.site_to_open(3600.0) == "http://a.org"


def test_a_clock_that_was_set_back_does_not_keep_a_site_shut_for_ever() -> None:
    shelf = MemoryShelf()
    frontier = a_frontier(POLITE, shelf, now=1e9)
    add(frontier, ("http://a.org/1", 0.5), now=1e9)
    frontier.opened(SiteShut(str(frontier.site_to_open(1e9)), "robots-unreachable", 1e9 + 3600.0), 1e9)
    shelf.apply(frontier.drain())
    again = a_frontier(POLITE, shelf, now=0.0)
    assert again.site_to_open(86_400.0) == "http://a.org"


@pytest.mark.parametrize("asked", [7.0, 900.0])
def test_a_long_crawl_delay_and_a_long_delay_of_our_own_are_kept(asked: float) -> None:
    ours = a_frontier(Politeness(delay=Seconds(asked), longest_delay=Seconds(5), address_delay=Seconds(0)))
    theirs = a_frontier(POLITE)
    for frontier, crawl_delay in ((ours, None), (theirs, asked)):
        add(frontier, ("http://a.org/1", 0.5), ("http://a.org/2", 0.4))
        site = str(frontier.site_to_open(0.0))
        frontier.opened(SiteOpened(site, "192.0.2.1", crawl_delay, until=1e6, requested=False), 0.0)
        assert take(frontier, 0.0) == "http://a.org/1"
        assert take(frontier, asked - 0.1) is None
        assert take(frontier, asked) == "http://a.org/2"


def test_a_better_judgement_moves_a_waiting_link_up_but_not_its_place_in_time() -> None:
    frontier = a_frontier(ageing=0.1)
    add(frontier, ("http://a.org/1", 0.2), ("http://a.org/2", 0.3), now=0.0)
    assert add(frontier, ("http://a.org/1", 0.6), now=500.0) == 0
    record = frontier.known(Link("http://a.org/1"))
    assert record is not None
    assert (record.priority, record.enqueued_at) == (0.6, 0.0)
    assert take(frontier, 500.0) == "http://a.org/1"
    assert take(frontier, 500.0) == "http://a.org/2"
    assert take(frontier, 500.0) is None


def test_waiting_raises_a_link_above_newer_better_ones() -> None:
    frontier = a_frontier(ageing=0.1)
    add(frontier, ("http://a.org/old", 0.2), now=0.0)
    add(frontier, ("http://a.org/new", 0.25), now=86_400.0)
    assert take(frontier, 86_400.0) == "http://a.org/old"


def test_a_failed_link_is_tried_again_later_and_at_last_given_up() -> None:
    shelf = MemoryShelf()
    frontier, now = a_frontier(shelf=shelf), 0.0
    add(frontier, ("http://a.org/1", 0.5))
    attempts = 0
    while now < 1000:
        open_all(frontier, now)
        link = frontier.next(now)
        if link is not None:
            attempts += 1
            failure = Failed(link, "http-500", again=True)
            frontier.finished(link, failure, 0.0, now)
            frontier.settle(link, failure, now)
        shelf.apply(frontier.drain())
        now += 1
        frontier.wake_postponed(now)
    record = frontier.known(Link("http://a.org/1"))
    assert record is not None
    assert (attempts, record.state, record.why) == (3, State.FAILED, "http-500")


def test_a_server_that_asks_for_patience_gets_it() -> None:
    frontier = a_frontier(POLITE)
    add(frontier, ("http://a.org/1", 0.5), ("http://a.org/2", 0.4))
    open_all(frontier)
    link = frontier.next(0.0)
    assert link is not None
    failure = Failed(link, "http-429", again=True, retry_after=7200.0)
    frontier.finished(link, failure, 0.0, 0.0)
    frontier.settle(link, failure, 0.0)
    assert take(frontier, 7199.9) is None
    assert take(frontier, 7200.0) == "http://a.org/2"


def test_what_a_server_asked_for_outlives_a_restart() -> None:
    shelf = MemoryShelf()
    frontier = a_frontier(POLITE, shelf)
    add(frontier, ("http://a.org/1", 0.5), ("http://a.org/2", 0.4))
    open_all(frontier)
    link = frontier.next(0.0)
    assert link is not None
    failure = Failed(link, "http-503", retry_after=40.0)
    frontier.finished(link, failure, 0.0, 0.0)
    frontier.settle(link, failure, 0.0)
    shelf.apply(frontier.drain())
    (site,) = shelf.sites()
    assert (site.next_at, site.why) == (40.0, "slowed down by http-503")
    again = a_frontier(POLITE, shelf, now=5.0)
    assert take(again, 39.9) is None
    assert take(again, 40.0) == "http://a.org/2"
    shelf.apply(again.drain())
    (site,) = shelf.sites()
    assert (site.backoff, site.next_at, site.why) == (0.0, 0.0, "")


def test_a_site_of_pages_too_costly_to_read_is_asked_more_and_more_slowly() -> None:
    frontier = a_frontier(POLITE)
    add(frontier, *((f"http://a.org/{number}", 0.5) for number in range(4)))
    open_all(frontier)
    now, pauses = 0.0, []
    for _ in range(3):
        link = frontier.next(now)
        assert link is not None
        failure = Failed(link, "too-costly")
        frontier.finished(link, failure, 0.0, now)
        frontier.settle(link, failure, now)
        (site,) = frontier.sites()
        pauses.append(site.next_at - now)
        now = site.next_at
    assert pauses[2] > pauses[1] > pauses[0]


def test_a_run_of_errors_sends_the_crawler_away_for_a_rest() -> None:
    politeness = Politeness(
        delay=Seconds(0), address_delay=Seconds(0), errors_before_rest=3, longest_delay=Seconds(2), rest=Seconds(500)
    )
    frontier, now = a_frontier(politeness), 0.0
    add(frontier, *((f"http://a.org/{number}", 0.5) for number in range(10)))
    asked = []
    while now < 100:
        open_all(frontier, now)
        link = frontier.next(now)
        if link is not None:
            asked.append(now)
            frontier.finished(link, Failed(link, "timeout"), 0.0, now)
            frontier.settle(link, Failed(link, "timeout"), now)
        now += 1
    assert len(asked) == 3


def test_a_refused_link_costs_the_site_no_pause() -> None:
    frontier = a_frontier(POLITE)
    add(frontier, ("http://a.org/1", 0.5), ("http://a.org/2", 0.4))
    open_all(frontier)
    link = frontier.next(0.0)
    assert link is not None
    frontier.finished(link, Refused(link, "robots"), 0.0, 0.0)
    frontier.settle(link, Refused(link, "robots"), 0.0)
    assert frontier.refusals["robots"] == 1
    assert take(frontier, 0.0) == "http://a.org/2"


def test_sites_on_one_address_share_its_connections() -> None:
    politeness = Politeness(delay=Seconds(0), per_address=2, address_delay=Seconds(0))
    frontier = a_frontier(politeness)
    add(frontier, *((f"http://{name}.org/", 0.5) for name in "abcd"))
    open_all(frontier)
    links = [frontier.next(0.0) for _ in range(4)]
    assert [link is not None for link in links] == [True, True, False, False]
    assert links[0] is not None
    frontier.finished(links[0], fetched(links[0]), 0.0, 0.0)
    assert frontier.next(0.0) is not None
    assert frontier.next(0.0) is None


def sharing_an_address(pause: float) -> tuple[Frontier, Link]:
    """A frontier of three sites at one address; a is asked, b (whose robots run out at 5) and c are parked."""
    frontier = a_frontier(Politeness(delay=Seconds(0), per_address=1, address_delay=Seconds(pause)))
    add(frontier, *((f"http://{name}.org/", 0.5) for name in "abc"))
    until = {"http://a.org": 100.0, "http://b.org": 5.0, "http://c.org": 100.0}
    while (site := frontier.site_to_open(0.0)) is not None:
        frontier.opened(SiteOpened(site, "192.0.2.1", until=until[site], requested=False), 0.0)
    first = frontier.next(0.0)
    assert first is not None
    frontier.next(0.0)
    return frontier, first


def test_a_parked_site_whose_robots_ran_out_keeps_no_others_waiting() -> None:
    frontier, first = sharing_an_address(pause=0.0)
    frontier.finished(first, fetched(first), 0.0, 10.0)
    following = frontier.next(10.0)
    assert following is not None
    assert following.url == "http://c.org/"


def test_a_site_that_turns_out_shut_keeps_no_others_waiting_that_are_parked() -> None:
    frontier, first = sharing_an_address(pause=8.0)
    frontier.finished(first, fetched(first), 0.0, 3.0)
    assert frontier.next(3.0) is None
    assert frontier.site_to_open(10.0) == "http://b.org"
    frontier.opened(SiteShut("http://b.org", "robots-unreachable", 1e6), 10.0)
    following = frontier.next(10.0)
    assert following is not None
    assert following.url == "http://c.org/"


def test_of_sites_parked_at_an_address_the_most_promising_goes_first() -> None:
    frontier = a_frontier(Politeness(delay=Seconds(0), per_address=1, address_delay=Seconds(0)))
    add(frontier, *((f"http://{name}.org/", value) for name, value in zip("abcd", (0.9, 0.2, 0.7, 0.4), strict=True)))
    open_all(frontier)
    came = []
    while (link := frontier.next(0.0)) is not None:
        assert frontier.next(0.0) is None
        came.append(link.url[7])
        frontier.finished(link, fetched(link), 0.0, 0.0)
        frontier.settle(link, fetched(link), 0.0)
    assert came == list("acdb")


def test_a_link_given_back_waits_again() -> None:
    frontier = a_frontier()
    add(frontier, ("http://a.org/1", 0.5))
    open_all(frontier)
    link = frontier.next(0.0)
    assert link is not None
    frontier.give_back(link, 0.0)
    assert take(frontier) == "http://a.org/1"
    assert (frontier.waiting, frontier.in_flight) == (0, 0)


def test_after_a_restart_links_that_were_under_way_wait_in_their_order() -> None:
    shelf = MemoryShelf()
    frontier = a_frontier(shelf=shelf)
    add(frontier, ("http://a.org/leased", 0.8), ("http://a.org/worse", 0.2))
    open_all(frontier)
    assert frontier.next(0.0) == Link("http://a.org/leased")
    add(frontier, ("http://a.org/better", 0.9))
    shelf.apply(frontier.drain())
    again = a_frontier(shelf=shelf)
    assert [take(again) for _ in range(4)] == [f"http://a.org/{name}" for name in ("better", "leased", "worse")] + [
        None
    ]


def test_a_link_refused_at_its_turn_is_not_let_in_by_a_better_judgement() -> None:
    shelf = MemoryShelf()
    frontier = a_frontier(shelf=shelf, cached=2)
    add(frontier, ("http://a.org/private", 0.9), ("http://a.org/2", 0.4))
    shelf.apply(frontier.drain())
    frontier.change_rules(Admission([]), lambda link: "blocked: private" if "private" in link.url else None, 1.0)
    assert take(frontier, 2.0) == "http://a.org/2"
    add(frontier, *((f"http://b.org/{number}", 0.1) for number in range(4)), now=3.0)
    add(frontier, ("http://a.org/private", 0.99), now=3.0)
    assert take(frontier, 4.0) != "http://a.org/private"
    assert frontier.waiting == 3


def test_blocking_a_pattern_reaches_links_that_wait_already() -> None:
    frontier = a_frontier()
    add(frontier, ("http://a.org/private/1", 0.9), ("http://a.org/2", 0.4))
    frontier.change_rules(Admission([]), lambda link: "blocked: private" if "private" in link.url else None, 1.0)
    assert take(frontier, 2.0) == "http://a.org/2"
    record = frontier.known(Link("http://a.org/private/1"))
    assert record is not None
    assert (record.state, record.why) == (State.REFUSED, "blocked: private")


def test_a_rule_that_throws_drops_the_link_and_is_counted() -> None:
    def broken(link: Link) -> str | None:
        raise ZeroDivisionError

    frontier = Frontier(
        MemoryShelf(), Admission([("mine", broken)]), Manners(RUDE), Throttle(Ceilings()), FrontierSection()
    )
    assert add(frontier, ("http://a.org/1", 0.5)) == 0
    assert frontier.refusals == {"rule-broken": 1}


def farm_frontier(shelf: MemoryShelf) -> Frontier:
    """Two hosts a domain; those whose names begin with x are refused for another reason."""
    rules: list[tuple[str, AdmissionRule]] = [
        ("mine", lambda link: "mine" if "//x" in link.url else None),
        ("traps", trap_rule(Configuration(traps=Traps(hosts_per_domain=2)))),
    ]
    frontier = Frontier(shelf, Admission(rules), Manners(RUDE), Throttle(Ceilings()), FrontierSection())
    frontier.recall_rules({})
    return frontier


@pytest.mark.parametrize(
    ("before", "after", "let_in"),
    [(["a", "b", "c"], ["a", "b", "c"], [True, True, False]), (["x1", "x2", "a"], ["b", "c"], [True, False])],
)
def test_hosts_that_were_refused_are_no_hosts_of_their_domain_after_a_restart(
    before: list[str], after: list[str], let_in: list[bool]
) -> None:
    shelf = MemoryShelf()
    frontier = farm_frontier(shelf)
    add(frontier, *((f"http://{name}.farm.org/1", 0.5) for name in before))
    shelf.apply(frontier.drain())
    frontier = farm_frontier(shelf)
    assert [add(frontier, (f"http://{name}.farm.org/2", 0.5)) == 1 for name in after] == let_in


def test_hosts_that_are_refused_take_no_memory_from_sites() -> None:
    shelf = MemoryShelf()
    rules = Admission([("mine", lambda link: None if "//a" in link.url else "mine")])
    frontier = Frontier(shelf, rules, Manners(RUDE), Throttle(Ceilings()), FrontierSection(heads_per_site=1000))
    add(frontier, *((f"http://x{number}.org/", 0.5) for number in range(2000)))
    add(frontier, *((f"http://a.org/{number}", 0.5) for number in range(2000)))
    site = frontier.site("http://a.org")
    assert site is not None
    assert len(site.heads) >= 1000


def test_a_budget_is_not_spent_on_hopeless_links_while_a_promising_site_pauses() -> None:
    frontier = a_frontier(POLITE)
    frontier.picky = True
    add(frontier, ("http://good.org/1", 0.8), ("http://good.org/2", 0.7), ("http://bad.org/1", 0.01))
    assert take(frontier, 0.0) == "http://good.org/1"
    assert take(frontier, 0.5) is None
    wait = frontier.wait(0.5)
    assert wait is not None
    assert 0.4 < wait <= 0.5
    assert take(frontier, 1.0) == "http://good.org/2"
    assert take(frontier, 1.0) == "http://bad.org/1"


def test_without_a_budget_no_time_is_wasted() -> None:
    frontier = a_frontier(POLITE)
    add(frontier, ("http://good.org/1", 0.8), ("http://good.org/2", 0.7), ("http://bad.org/1", 0.01))
    assert take(frontier, 0.0) == "http://good.org/1"
    assert take(frontier, 0.5) == "http://bad.org/1"


def test_what_is_known_of_a_link_is_what_was_committed_last() -> None:
    """The shelf is asked once between two commits, not at all of a link that is out; nothing it says is missed."""

    class CountingShelf(MemoryShelf):
        asked = 0

        def url(self, key: bytes) -> UrlRecord | None:
            self.asked += 1
            return super().url(key)

    shelf, link = CountingShelf(), Link("http://a.org/1")
    frontier = a_frontier(shelf=shelf)
    add(frontier, (link.url, 0.5))
    open_all(frontier)
    states, asked = [], []
    for step in (lambda: None, lambda: frontier.next(0.0), lambda: frontier.settle(link, fetched(link), 1.0)):
        step()
        shelf.apply(frontier.drain())
        before = shelf.asked
        states += [record.state for _ in range(3) if (record := frontier.known(link)) is not None]
        asked.append(shelf.asked - before)
    assert asked == [1, 0, 1]
    assert states == [State.WAITING] * 3 + [State.LEASED] * 3 + [State.DONE] * 3
