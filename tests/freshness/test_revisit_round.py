"""Looking again: what a believed sitemap calls unchanged is left alone, nothing that changed is missed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import whole_crawl

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.crawling.assembly import build_agent
from lycosa.freshness.revisit_round import build_round
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.plugins.plug_points import Known
from lycosa.queue_records import State, UrlRecord
from lycosa.records import SITEMAP, Link, Outcome
from lycosa.storage import catalogue
from lycosa.storage.catalogue import VisitRow
from lycosa.supervision.control_channel import Desk

BEGIN = 1_700_000_000.0
DAY = 86_400.0


def box(lastmod: str, more: str = "") -> str:
    options = f"hosts=4&pages=160&unlinked=0.2&changed=0.1&errors=0&duplicates=0&lastmod={lastmod}{more}"
    return f"box:7?{options}&begins={BEGIN}"


class Clock:
    """A clock that can be set; it goes a hundred times as fast as others, so that pauses of sites are short."""

    def __init__(self, now: float) -> None:
        self.set(now)

    def set(self, now: float) -> None:
        self._set, self._began = now, time.monotonic()

    def __call__(self) -> float:
        return self._set + 100 * (time.monotonic() - self._began)


def run(folder: CrawlFolder, clock: Clock, build: Callable[..., object] = build_agent) -> None:
    agent = build(folder, 0, Desk(folder, 0, alone=build is build_agent), clock)
    try:
        asyncio.run(agent.run())  # type: ignore[attr-defined]
    finally:
        agent.crawl.close()  # type: ignore[attr-defined]


def rows(folder: CrawlFolder, after: float) -> list[VisitRow]:
    with reading(folder) as (store,):
        return [row for _, row in catalogue.history(store) if row.at >= after]


def test_pages_that_were_blocked_since_are_not_looked_at_and_sites_get_their_pause(tmp_path: Path) -> None:
    politeness = {"delay": "2s", "address_delay": 0, "adaptive": 0.0, "robots": False}
    folder = whole_crawl.crawl_folder(tmp_path, box("never"), politeness=politeness, pages=12)
    clock = Clock(BEGIN)
    run(folder, clock)
    ended = clock()
    known = looked_at(folder, 0.0)
    blocked = sorted({url.partition("//")[2].partition(":")[0] for url in known})[0]
    folder.add_pattern("block", blocked)
    run(folder, clock, build_round)
    again = rows(folder, ended)
    assert {row.url for row in again if blocked not in row.url}
    assert not {row.url for row in again if blocked in row.url}
    assert min(row.at for row in again) >= ended + 2.0


def looked_at(folder: CrawlFolder, after: float) -> set[str]:
    return {row.url for row in rows(folder, after) if row.outcome in ("fetched", "unchanged")}


def changed_since(web: SimulatedWeb, folder: CrawlFolder, since: float, now: float) -> set[str]:
    held = {row.url for row in rows(folder, 0.0) if row.outcome == "fetched" and row.at < now - DAY / 2}
    return {url for url in held if since < web.changed_at(url, now) <= now}


def crawled(tmp_path: Path, lastmod: str, more: str = "", **changes: object) -> tuple[CrawlFolder, SimulatedWeb, Clock]:
    text = box(lastmod, more)
    folder = whole_crawl.crawl_folder(tmp_path, text, patience="100ms", **changes)
    clock = Clock(BEGIN + 10)
    run(folder, clock)
    return folder, SimulatedWeb.of(text), clock


def test_with_honest_sitemaps_changed_pages_are_fetched_and_hardly_any_others(tmp_path: Path) -> None:
    folder, web, clock = crawled(tmp_path, "honest")
    first = clock()
    clock.set(BEGIN + DAY)
    run(folder, clock, build_round)
    changed = changed_since(web, folder, first, BEGIN + DAY)
    assert len(changed) > 5
    fetched = looked_at(folder, BEGIN + DAY)
    assert changed <= fetched, "none missed"
    assert len(fetched) <= 1.15 * len(changed)
    stored = {row.url for row in rows(folder, BEGIN + DAY) if row.outcome == "fetched"}
    assert stored == changed


def test_an_unmodified_sitemap_still_says_which_pages_are_unchanged(tmp_path: Path) -> None:
    folder, _, clock = crawled(tmp_path, "honest")
    asked: list[tuple[str, Known | None]] = []
    agent = build_round(folder, 0, Desk(folder, 0), clock)
    fetch = agent._fetcher.fetch

    async def noting(link: Link, known: Known | None = None) -> Outcome:
        asked.append((link.rel, known))
        return await fetch(link, known)

    agent._fetcher.fetch = noting  # type: ignore[method-assign]
    agent.crawl.frontier.known = lambda link: UrlRecord(link.url, State.DONE, etag='"held"')  # type: ignore[method-assign]
    try:
        asyncio.run(agent.run())
    finally:
        agent.crawl.close()
    assert {known for rel, known in asked if rel == SITEMAP} == {None}
    assert len([rel for rel, _ in asked if rel != SITEMAP]) < 20, "nearly all pages are said to be unchanged"


def test_without_sitemaps_everything_is_looked_at_and_only_changes_are_stored(tmp_path: Path) -> None:
    folder, web, clock = crawled(tmp_path, "honest", sitemaps={"read": False})
    first = clock()
    clock.set(BEGIN + DAY)
    run(folder, clock, build_round)
    changed = changed_since(web, folder, first, BEGIN + DAY)
    again = [row for row in rows(folder, BEGIN + DAY) if row.outcome in ("fetched", "unchanged")]
    assert {row.url for row in again if row.outcome == "fetched"} == changed
    assert len(again) == len({row.url for row in rows(folder, 0.0) if row.outcome == "fetched"})


@pytest.mark.parametrize("lastmod", ["now", "never"])
def test_sites_that_claim_too_much_or_nothing_cost_no_change(tmp_path: Path, lastmod: str) -> None:
    folder, web, clock = crawled(tmp_path, lastmod)
    since = clock()
    for day in (1, 2, 3):
        clock.set(BEGIN + day * DAY)
        run(folder, clock, build_round)
        changed = changed_since(web, folder, since, BEGIN + day * DAY)
        stored = {row.url for row in rows(folder, BEGIN + day * DAY) if row.outcome == "fetched"}
        assert stored >= changed
        since = BEGIN + day * DAY
    pages = {row.url for row in rows(folder, 0.0) if row.outcome == "fetched"}
    assert len(looked_at(folder, BEGIN + 3 * DAY)) <= len(pages)


def test_the_budget_and_the_queue_of_the_crawl_stay_as_they_are(tmp_path: Path) -> None:
    folder, _, clock = crawled(tmp_path, "honest", pages=40)
    with reading(folder) as (store,):
        waiting = {record.url for record in store.urls() if record.state.name == "WAITING"}
    clock.set(BEGIN + 5 * DAY)
    run(folder, clock, build_round)
    assert looked_at(folder, BEGIN + 5 * DAY)
    with reading(folder) as (store,):
        assert waiting <= {record.url for record in store.urls() if record.state.name == "WAITING"}
    new = looked_at(folder, BEGIN + 5 * DAY) - {row.url for row in rows(folder, 0.0) if row.at < BEGIN + DAY}
    assert new == set()
