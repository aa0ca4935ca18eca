"""A link to another agent's site is sent once, and again only where it is judged better."""

from __future__ import annotations

import pytest

from lycosa.configuration.settings import build
from lycosa.crawl_folder.counts import Counts
from lycosa.crawling.frontier_updates import Intake
from lycosa.frontier.admission import Admission
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.frontier_store import MemoryShelf
from lycosa.frontier.politeness import Manners
from lycosa.frontier.rate_limiter import Throttle
from lycosa.plugins.plug_points import Topic
from lycosa.records import Fetched, Link, Page, Response, Score, Visit
from lycosa.scoring.strategy import strategy_of

THERE = "https://there.example/page"


@pytest.fixture
def intake() -> Intake:
    configuration = build({"name": "letters", "seeds": ["https://here.example/"], "agents": 2})
    manners, throttle = Manners(configuration.politeness), Throttle(configuration.ceilings)
    frontier = Frontier(MemoryShelf(), Admission([]), manners, throttle, configuration.frontier)
    return Intake(0, configuration, frontier, strategy_of(configuration, Topic("birds")), owner_of, Counts())


def owner_of(url: str) -> int:
    return int("there.example" in url)


def sent(intake: Intake, number: int, judged: float) -> list[float]:
    """How the letters judge a link when another page has it, for which the link is worth so much."""
    here = f"https://here.example/{number}"
    links = (Link(THERE, here),)
    outcome = Fetched(Link(here), Response(here, 200))
    visit = Visit(Link(here), outcome, Page(here, links=links), Score(judged), (Score(judged),), 1.0)
    return [score.value for _, score in intake.take_in([visit], 1.0, again=True).get(1, [])]


def test_a_link_is_sent_again_only_where_it_is_judged_better(intake: Intake) -> None:
    judged = [0.4, 0.3, 0.4, 0.7, 0.6, 0.9]
    assert [sent(intake, number, value) for number, value in enumerate(judged)] == [[0.4], [], [], [0.7], [], [0.9]]
    assert intake.counts.sent == 3
