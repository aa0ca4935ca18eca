"""Honest sites are fetched completely beside traps, however their addresses look; traps end, or wait for the others."""

from __future__ import annotations

from pathlib import Path

import pytest
import tiny_web

from lycosa.crawl_folder.folder import CrawlFolder, Wish
from lycosa.crawl_folder.stores import reading
from lycosa.crawling.agent import Agent
from lycosa.crawling.assembly import build_agent
from lycosa.inspection.explanation import explain
from lycosa.lab.trap_web import REPEATING, WRITING, TrapWeb, large_site, uuid_site
from lycosa.queue_records import State
from lycosa.supervision.control_channel import Desk

FIRST = 80
"""Pages that may come without new text."""
MOST = 20_000


class UntilDone(Desk):
    """Ends a crawl once the honest sites are complete, or too much was fetched for that."""

    web: TrapWeb

    def look(self, agent: Agent, now: float) -> Wish:
        over = (self.web.is_done and WRITING.keys() <= self.web.fetched.keys()) or sum(self.web.fetched.values()) > MOST
        return Wish.STOP if over else super().look(agent, now)


def crawled(home: Path, web: TrapWeb, topic: str) -> tuple[CrawlFolder, Agent]:
    folder = tiny_web.crawl_folder(
        home,
        web.seeds(),
        topic={"words": topic, "page_classes": False},
        strategy="best-first" if topic else "breadth-first",
        traps={"urls_per_pattern": FIRST},
        fetching={"connections": 16},
        storage={"batch_visits": 200},
    )
    desk = UntilDone(folder, 0, alone=True)
    desk.web = web
    agent = build_agent(folder, 0, desk, tiny_web.now)
    agent._fetcher = web
    try:
        tiny_web.asyncio.run(agent.run())
    finally:
        agent.crawl.close()
    return folder, agent


@pytest.mark.parametrize("topic", ["herons and otters", ""])
def test_honest_sites_are_complete_beside_traps_that_repeat_their_words(tmp_path: Path, topic: str) -> None:
    web = TrapWeb((large_site(400), uuid_site(150)), REPEATING)
    folder, agent = crawled(tmp_path, web, topic)
    assert web.is_done
    assert {site: pages for site, pages in web.fetched.items() if site in REPEATING and pages > 6 * FIRST} == {}
    assert agent.frontier.waiting == 0
    with reading(folder) as (store,):
        refused = next(
            record for record in store.urls() if record.state is State.REFUSED and record.url.startswith("https://hex.")
        )
    explanation = explain(folder, refused.url)
    assert explanation.verdict.startswith("refused: trap: ")
    assert "had new text" in explanation.verdict


def test_honest_sites_do_not_wait_for_traps_that_write(tmp_path: Path) -> None:
    web = TrapWeb((large_site(1500), uuid_site(200)), WRITING)
    crawled(tmp_path, web, "herons and otters")
    assert web.is_done
    traps = sum(pages for site, pages in web.fetched.items() if site in WRITING)
    assert traps < sum(web.fetched.values()) - traps, "without the rule it is several times as many"


def test_traps_that_write_are_fetched_where_there_is_nothing_else(tmp_path: Path) -> None:
    web = TrapWeb((), {site: WRITING[site] for site in ("https://babble.example", "https://papers.example")})
    folder = tiny_web.crawl_folder(tmp_path, web.seeds(), pages=400, traps={"urls_per_pattern": FIRST})
    agent = build_agent(folder, 0, Desk(folder, 0, alone=True), tiny_web.now)
    agent._fetcher = web
    try:
        tiny_web.asyncio.run(agent.run())
    finally:
        agent.crawl.close()
    assert sum(web.fetched.values()) == 400
