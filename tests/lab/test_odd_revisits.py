"""Looking again where it is easy to go wrong: nothing to look at, pages that never stay, clocks that jump."""

from __future__ import annotations

import asyncio
import math
from argparse import Namespace
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from page_trees import SITE, linked, write

from lycosa.configuration.settings import build
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.fetching.recorded_web import RecordedFolder
from lycosa.freshness.change_history import Looks
from lycosa.freshness.change_rates import DAY, HOUR, ChangeClass, PageHistory
from lycosa.freshness.revisit_round import build_round, looks_of, revisit_plan
from lycosa.interface.commands.resume import revisit
from lycosa.lab.changing_webs import open_versions
from lycosa.lab.revisit_comparison import WITH_SITEMAPS, Crawler
from lycosa.lab.revisit_policies import ChangingWeb, Policy, planned, simulate
from lycosa.records import Response
from lycosa.supervision.control_channel import Desk

RESTLESS = f"{SITE}/p0.html"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def looks(folder: CrawlFolder) -> Looks:
    with reading(folder) as (store,):
        return looks_of(store)


def go_round(crawler: Crawler, now: float) -> None:
    crawler.clock.set(now)
    agent = build_round(crawler.folder, 0, Desk(crawler.folder, 0), crawler.clock)
    try:
        asyncio.run(agent.run())
    finally:
        agent.crawl.close()


def test_a_crawl_without_pages_has_nothing_to_look_at_again(tmp_path: Path) -> None:
    CrawlFolder(tmp_path / "crawls" / "empty").create(build({"name": "empty", "seeds": ["http://nowhere.localhost/"]}))
    with pytest.raises(CrawlError, match=r"'empty' has no pages yet; `lycosa resume empty` fetches some"):
        revisit(Namespace(home=str(tmp_path), name="empty", json=True))


# -- a page that is another one at every look --------------------------------------------------------


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All requests; one page answers each with another text."""
    asked: list[str] = []
    versions = count()
    respond = RecordedFolder.respond

    def restless(self: RecordedFolder, url: str) -> Response:
        asked.append(url)
        found = respond(self, url)
        if url != RESTLESS:
            return found
        headers = tuple(each for each in found.headers if each[0] == "Content-Type")
        return Response(url, 200, headers, raw=found.raw.replace(b"story", b"story %d" % next(versions)))

    monkeypatch.setattr(RecordedFolder, "respond", restless)
    return asked


def test_a_page_that_changes_at_every_fetch_is_fetched_once_a_round(tmp_path: Path, requests: list[str]) -> None:
    web = open_versions(write(tmp_path / "old", linked(5)), [write(tmp_path / "new", linked(5))])
    crawler = Crawler(WITH_SITEMAPS, web, tmp_path / "crawl")
    crawler.crawl()
    for number in (1, 2, 3):
        requests.clear()
        go_round(crawler, web.moment(number))
        assert requests.count(RESTLESS) == 1
        assert len(requests) <= 7, "six pages and the place of a sitemap"
    found = looks(crawler.folder)
    history = found.pages[RESTLESS].history
    assert (history.looks, history.changed) == (4, 3)
    quiet = found.pages[f"{SITE}/p1.html"].history
    assert (quiet.looks, quiet.changed) == (4, 0)
    assert 0 < quiet.rate(found.prior) < history.rate(found.prior) < math.inf


def test_its_class_is_always_where_it_was_looked_at_often_enough_to_know() -> None:
    history = PageHistory()
    for look in range(30):
        history = history.looked(look * 600.0, look > 0, 1 / DAY)
    assert history.change_class(1 / DAY) is ChangeClass.ALWAYS
    for look in range(30):
        history = history.looked(18_000 + look * DAY, changed=False, prior=1 / DAY)
    assert history.change_class(1 / DAY) is not ChangeClass.ALWAYS, "it may come to rest"


def test_pages_that_change_all_the_time_do_not_eat_the_budget() -> None:
    pages, restless = 400, 4
    rates = np.full(pages, 1 / (10 * DAY))
    rates[:restless] = 1.0
    web = ChangingWeb(rates, np.full(pages, 1 / pages), pages / (5 * DAY), 100 * DAY, 3)
    counts = [0] * pages
    plan = planned(web)

    def counted(page: int, now: float, changed: bool) -> float:
        counts[page] += 1
        return plan(page, now, changed)

    policy: Policy = counted
    simulate(web, policy)
    assert sum(counts) > 7000
    assert sum(counts[:restless]) <= 2 * restless / pages * sum(counts), "no more than twice an equal share"


# -- clocks -------------------------------------------------------------------------------------------


def test_histories_stay_sane_when_the_clock_jumps(tmp_path: Path) -> None:
    web = open_versions("box:7?hosts=2&pages=40&unlinked=0.2&changed=0.3&errors=0&duplicates=0")
    crawler = Crawler(WITH_SITEMAPS, web, tmp_path / "crawl")
    crawler.crawl()
    begin = web.moment(0)
    before = looks(crawler.folder)
    for now in (begin + DAY, begin - 5 * DAY, begin + DAY + HOUR, begin + 3650 * DAY, begin + 2 * DAY):
        go_round(crawler, now)
        after = looks(crawler.folder)
        assert after.pages.keys() == before.pages.keys(), "no page is lost"
        plan = revisit_plan(crawler.folder.configuration(), after)
        for url, look in after.pages.items():
            earlier = before.pages[url].history
            assert look.history.last >= earlier.last
            assert look.history.watched >= 0
            assert 0 < look.history.rate(after.prior) < math.inf
            assert look.history.last < plan.due(look.history, look.weight) < look.history.last + 91 * DAY
        before = after


def test_what_changed_is_found_after_a_leap_of_ten_years(tmp_path: Path) -> None:
    web = open_versions("box:7?hosts=2&pages=40&unlinked=0.2&changed=0.3&errors=0&duplicates=0")
    crawler = Crawler(WITH_SITEMAPS, web, tmp_path / "crawl")
    crawler.crawl()
    crawler.clock.set(web.moment(0) + 3650 * DAY)
    found = crawler.look_again(1)
    assert found.changed > 35
    assert found.missed == 0
