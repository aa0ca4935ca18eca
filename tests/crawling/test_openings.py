"""Sites are opened in their turn: what robots.txt costs is counted as politely as pages are."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack

import pytest

from lycosa.configuration.sections import Ceilings, FrontierSection, Politeness, Seconds
from lycosa.crawling.site_opening import MOST_AT_ONCE, Openings
from lycosa.frontier.admission import Admission
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.frontier_store import MemoryShelf
from lycosa.frontier.politeness import Manners
from lycosa.frontier.rate_limiter import Throttle
from lycosa.plugins.plug_points import Turns
from lycosa.records import Link, Score, SiteOpened, SiteShut

PAUSE = 0.03


def a_frontier(sites: int, per_address: int = 1) -> Frontier:
    rules = Politeness(delay=Seconds(0), address_delay=Seconds(PAUSE), per_address=per_address)
    blocked = Admission([], lambda link: "blocked: evil.org" if "evil.org" in link.url else None)
    frontier = Frontier(MemoryShelf(), blocked, Manners(rules), Throttle(Ceilings()), FrontierSection())
    links = [Link(f"http://site-{number}.org/") for number in range(sites)]
    frontier.add(links, [Score(0.5)] * sites, 0.0)
    return frontier


class Robots:
    """Opens sites at one address, or at one each, and notes when each request was made, and how many at once."""

    def __init__(self, address: Callable[[str], str] = lambda site: "192.0.2.1") -> None:
        self.asked: list[float] = []
        self.at_once = self.most = 0
        self._address = address

    async def open(self, site: str, now: float, turns: Turns) -> SiteOpened | SiteShut:
        url, address = f"{site}/robots.txt", self._address(site)
        if why := await turns.take(url, address):
            return SiteShut(site, "robots-unreachable", now + 1e6, why)
        self.asked.append(time.monotonic())
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0.001)
        self.at_once -= 1
        turns.end(url, address, 10)
        return SiteOpened(site, address, until=now + 1e6)


async def opened(frontier: Frontier, robots: Robots, number: int) -> list[SiteOpened | SiteShut]:
    answers: list[SiteOpened | SiteShut] = []
    done, broken = asyncio.Event(), list[Exception]()

    def heard(answer: SiteOpened | SiteShut) -> None:
        answers.append(answer)
        frontier.opened(answer, time.time())
        openings.begin(time.time())
        if len(answers) == number:
            done.set()

    openings = Openings(frontier, robots.open, time.time, heard, broken.append)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(openings.cancel)
        openings.begin(time.time())
        await asyncio.wait_for(done.wait(), 20)
    assert not broken
    return answers


def test_sites_of_one_address_are_opened_one_after_the_other() -> None:
    robots = Robots()
    asyncio.run(opened(a_frontier(6), robots, 6))
    assert robots.most == 1
    assert min(later - earlier for earlier, later in zip(robots.asked, robots.asked[1:], strict=False)) >= 0.9 * PAUSE


def test_many_sites_that_queue_for_one_address_keep_no_others_waiting() -> None:
    crowded = 2 * MOST_AT_ONCE
    robots = Robots(lambda site: "192.0.2.1" if int(site[12:-4]) < crowded else site)
    answers = asyncio.run(opened(a_frontier(crowded + 10), robots, 14))
    assert sum(int(each.site[12:-4]) >= crowded for each in answers) == 10


def test_a_blocked_site_is_not_even_asked_for_its_robots() -> None:
    frontier, robots = a_frontier(0), Robots()
    frontier.add([Link("http://evil.org/"), Link("http://good.org/")], [Score(0.5)] * 2, 0.0)
    answers = asyncio.run(opened(frontier, robots, 2))
    assert {each.site for each in answers if isinstance(each, SiteShut)} == {"http://evil.org"}
    assert len(robots.asked) == 1


def test_nobodys_turn_comes_while_the_crawl_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lycosa.crawling.site_opening.LOOK_AGAIN", 0.01)
    frontier, robots = a_frontier(1), Robots()

    async def scene() -> int:
        done = asyncio.Event()
        openings = Openings(frontier, robots.open, time.time, lambda answer: done.set(), lambda error: None)
        openings.held = True
        openings.begin(time.time())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(done.wait(), 0.1)
        asked = len(robots.asked)
        openings.held = False
        await asyncio.wait_for(done.wait(), 5)
        return asked

    assert asyncio.run(scene()) == 0
    assert len(robots.asked) == 1
