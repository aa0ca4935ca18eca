"""The turns that agents share: pauses hold for all, connections are taken in turns, and the dead hold nothing."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import pytest
from small_frontier import add, fetched

from lycosa.configuration.sections import Ceilings, FrontierSection, Politeness, Seconds
from lycosa.cooperation.turn_table import ENTRIES, LOOK_AGAIN, NEARBY, PATIENCE, TurnTable
from lycosa.crawl_folder.folder import own
from lycosa.frontier.admission import Admission
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.frontier_store import MemoryShelf
from lycosa.frontier.politeness import LONGEST_REST, Manners
from lycosa.frontier.rate_limiter import Throttle
from lycosa.frontier.shared_turns import TAKEN
from lycosa.records import SiteOpened

A, B, HERE, THERE = "http://a.org", "http://b.org", "192.0.2.1", "192.0.2.2"
RULES = Politeness(delay=Seconds(1), address_delay=Seconds(0.2), per_address=8, adaptive=0.0)
IN_TURNS = Politeness(delay=Seconds(0), address_delay=Seconds(0), per_address=1)


class Agents:
    """So many agents of one crawl, all living."""

    def __init__(self, folder: Path, number: int) -> None:
        self._folder = folder
        self._locks = [folder / f"{agent}.lock" for agent in range(number)]
        self._alive: list[IO[str]] = [own(lock, "it") for lock in self._locks]
        self.tables = [self.begin(agent) for agent in range(number)]

    def begin(self, agent: int) -> TurnTable:
        return TurnTable(agent, self._locks, self._folder / "turns")

    def die(self, agent: int) -> None:
        self._alive[agent].close()

    def live_again(self, agent: int) -> TurnTable:
        self._alive[agent] = own(self._locks[agent], "it")
        return self.begin(agent)


@pytest.fixture
def two(tmp_path: Path) -> Agents:
    return Agents(tmp_path, 2)


def test_a_site_is_asked_by_one_agent_at_a_time_and_left_alone_by_all(two: Agents) -> None:
    one, other = two.tables
    assert one.take(A, HERE, 1.0, RULES, 100.0) is TAKEN
    assert other.take(A, THERE, 1.0, RULES, 100.5).site == pytest.approx(0.5), "as if it had died"
    assert other.take(A, THERE, 1.0, RULES, 105.0).site == LOOK_AGAIN, "it has not"
    one.end(A, 107.0)
    assert other.take(A, THERE, 1.0, RULES, 106.0).site == pytest.approx(1.0)
    assert other.take(A, THERE, 1.0, RULES, 107.0) is TAKEN


def test_an_address_is_left_alone_by_all(two: Agents) -> None:
    one, other = two.tables
    assert one.take(A, HERE, 1.0, RULES, 100.0) is TAKEN
    assert other.take(B, HERE, 1.0, RULES, 100.05).address == pytest.approx(0.15)
    assert other.take(B, THERE, 1.0, RULES, 100.05) is TAKEN


def test_a_site_that_asks_for_more_is_left_alone_for_longer_never_for_less(two: Agents) -> None:
    one, other = two.tables
    one.leave_alone(A, 110.0, 100.0)
    other.leave_alone(A, 105.0, 100.0)
    assert other.take(A, HERE, 1.0, RULES, 100.0).site == pytest.approx(10.0)


def test_the_dead_hold_nothing_but_the_pause_after_their_request_counts(two: Agents) -> None:
    one, other = two.tables
    assert one.take(A, HERE, 1.0, RULES, 100.0) is TAKEN
    two.die(0)
    assert other.take(A, HERE, 1.0, RULES, 100.5).site == pytest.approx(0.5)
    assert other.take(A, HERE, 1.0, RULES, 101.0) is TAKEN


def test_an_agent_that_begins_again_has_let_go_of_everything(two: Agents) -> None:
    one, other = two.tables
    assert one.take(A, HERE, 0.0, IN_TURNS, 100.0) is TAKEN
    two.die(0)
    two.live_again(0)
    assert other.take(A, HERE, 0.0, IN_TURNS, 100.1) is TAKEN


def test_agents_take_turns_with_a_connection(two: Agents) -> None:
    one, other = two.tables
    assert one.take(A, HERE, 0.0, IN_TURNS, 100.0) is TAKEN
    assert other.take(B, HERE, 0.0, IN_TURNS, 100.0).address == LOOK_AGAIN
    one.end(A, 100.01)
    assert one.take(A, HERE, 0.0, IN_TURNS, 100.02).address == LOOK_AGAIN, "the other one was here before"
    assert other.take(B, HERE, 0.0, IN_TURNS, 100.05) is TAKEN
    assert one.take(A, HERE, 0.0, IN_TURNS, 100.07).address == LOOK_AGAIN
    other.end(B, 100.08)
    assert one.take(A, HERE, 0.0, IN_TURNS, 100.12) is TAKEN


def test_nobody_waits_for_long_for_an_agent_that_goes_first_and_does_not_come(two: Agents) -> None:
    one, other = two.tables
    assert one.take(A, HERE, 0.0, IN_TURNS, 100.0) is TAKEN
    other.take(B, HERE, 0.0, IN_TURNS, 100.0)
    one.end(A, 100.01)
    assert one.take(A, HERE, 0.0, IN_TURNS, 100.0 + LOOK_AGAIN + PATIENCE + 0.01) is TAKEN


def test_there_are_as_many_groups_as_connections(tmp_path: Path) -> None:
    rules = Politeness(delay=Seconds(0), address_delay=Seconds(0), per_address=2)
    five = Agents(tmp_path, 5)
    waits = [table.take(f"http://{place}.org", HERE, 0.0, rules, 100.0) for place, table in enumerate(five.tables)]
    assert [wait is TAKEN for wait in waits] == [True, True, False, False, False]


def test_a_pause_of_more_than_a_day_is_a_clock_that_was_set_back(two: Agents) -> None:
    one, other = two.tables
    one.leave_alone(A, 1000.0 + LONGEST_REST, 1000.0)
    assert other.take(A, HERE, 0.0, RULES, 1001.0).site > 0
    assert other.take(A, HERE, 0.0, RULES, 999.0) is TAKEN


def test_the_file_is_filled_and_one_that_was_cut_short_is_made_whole(two: Agents, tmp_path: Path) -> None:
    path = tmp_path / "turns"
    size = path.stat().st_size
    assert path.stat().st_blocks * 512 >= size
    path.write_bytes(path.read_bytes()[:1000])
    assert two.begin(0).take(A, HERE, 1.0, RULES, 100.0) is TAKEN
    assert path.stat().st_size == size


def test_nonsense_in_the_file_keeps_nobody_waiting(two: Agents, tmp_path: Path) -> None:
    path = tmp_path / "turns"
    path.write_bytes(b"\xff" * path.stat().st_size)
    assert two.begin(0).take(A, HERE, 1.0, RULES, 100.0) is TAKEN


def test_any_number_of_sites_fits_and_short_pauses_outlast_a_flood_of_long_ones(two: Agents, tmp_path: Path) -> None:
    one, other = two.tables
    size = (tmp_path / "turns").stat().st_size
    assert one.take(A, HERE, 1.0, RULES, 100.0) is TAKEN
    for number in range(ENTRIES * 2):
        one.leave_alone(f"http://{number}.trap.org", 80_000.0, 100.0)
    assert (tmp_path / "turns").stat().st_size == size < (ENTRIES + NEARBY) * 200
    assert other.take(A, HERE, 1.0, RULES, 100.5).site == pytest.approx(0.5)


def shared_frontier(table: TurnTable) -> Frontier:
    manners, throttle = Manners(RULES), Throttle(Ceilings())
    return Frontier(MemoryShelf(), Admission([]), manners, throttle, FrontierSection(), shared=table)


def test_the_frontiers_of_agents_leave_a_site_alone_together(two: Agents) -> None:
    """Pages, a robots.txt that redirects to another agent's site, and a Crawl-delay that only one has read of yet."""
    one, other = map(shared_frontier, two.tables)
    for frontier in (one, other):
        add(frontier, (f"{A}/{id(frontier)}", 0.5))
        frontier.site_to_open(100.0)
    assert one.ask(f"{A}/robots.txt", HERE, 100.0) == 0
    assert other.ask(f"{A}/robots.txt", HERE, 100.1) > 0
    one.answered(f"{A}/robots.txt", HERE, 10, 100.2)
    one.opened(SiteOpened(A, HERE, 5.0, until=1e9), 100.2)
    assert other.ask(f"{A}/robots.txt", HERE, 101.2) == pytest.approx(4.0)
    assert other.ask(f"{A}/robots.txt", HERE, 105.2) == 0
    other.answered(f"{A}/robots.txt", HERE, 10, 105.3)
    other.opened(SiteOpened(A, HERE, 5.0, until=1e9), 105.3)
    assert one.next(106.0) is None
    link = one.next(110.3)
    assert link is not None
    assert other.next(110.3) is None
    one.finished(link, fetched(link), 0.0, 110.5)
    assert other.next(115.4) is None
    assert other.next(115.6) is not None


def test_what_is_given_back_may_have_been_asked_for(two: Agents) -> None:
    one, other = map(shared_frontier, two.tables)
    add(one, (f"{A}/1", 0.5))
    one.site_to_open(100.0)
    one.opened(SiteOpened(A, HERE, until=1e9, requested=False), 100.0)
    link = one.next(100.0)
    assert link is not None
    one.give_back(link, 100.1)
    assert other.ask(f"{A}/robots.txt", THERE, 100.2) == pytest.approx(0.9)
