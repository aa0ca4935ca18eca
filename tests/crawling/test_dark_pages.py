"""Pages that people visit and nobody links to are found by a crawl that watches people, and only by that (C13)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from time import time

import pytest

from lycosa.click_records import PageClicks, Source
from lycosa.configuration import settings
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.crawling.assembly import build_agent
from lycosa.crawling.click_source import click_source
from lycosa.crawling.commit import Crawl
from lycosa.inspection.dark_pages import dark_report
from lycosa.inspection.report import crawl_report
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.lab.visitors import simulated_visits
from lycosa.queue_records import UrlRecord
from lycosa.storage import catalogue
from lycosa.storage.catalogue import VisitRow
from lycosa.storage.click_store import ClickStore
from lycosa.supervision.control_channel import Desk
from lycosa.urls import path_of, site_of

BOX = "box:5?hosts=4&pages=80&topics=2&size=1KiB&links=8&unlinked=0.2&errors=0&duplicates=0&begins=0"


def a_crawl(home: Path, **changes: object) -> CrawlFolder:
    """A crawl of the box web in this process, not begun."""
    web = SimulatedWeb.of(BOX)
    plain = {
        "name": "watched",
        "seeds": web.roots()[:1],
        "patience": "1s",
        "topic": {"words": f"{web.topics()[0]}"},
        "politeness": {"delay": "0s", "address_delay": "0s", "adaptive": 0.0, "robots": False, "per_address": 1000},
        "fetching": {"fetcher": "simulated", "web": BOX},
        "index": {"enabled": False},
        "sitemaps": {"read": False},
        **changes,
    }
    folder = CrawlFolder(home / "crawls" / "watched")
    folder.create(settings.build(plain))
    return folder


def run(folder: CrawlFolder) -> Crawl:
    """Crawl until nothing is left."""

    async def crawling() -> Crawl:
        desk = Desk(folder, 0, alone=True)
        agent = build_agent(folder, 0, desk, time)
        await agent.run()
        desk.say(agent, time(), "stopped", True)
        agent.crawl.close()
        return agent.crawl

    return asyncio.run(crawling())


def count_visits(store: Path, pages: list[PageClicks]) -> Path:
    with ClickStore(store) as clicks:
        clicks.add_pages("box", Source.LOG, pages)
    return store


def fetched(folder: CrawlFolder) -> set[str]:
    return {row.url for row in _rows(folder)}


def _rows(folder: CrawlFolder) -> list[VisitRow]:
    with reading(folder) as stores:
        return [row for store in stores for _, row in catalogue.history(store) if row.outcome == "fetched"]


def unlinked(web: SimulatedWeb) -> set[str]:
    return {url for url in web.page_urls() if not web.truth(url).linked}


@pytest.mark.parametrize("strategy", ["cfp", "best-first"])
def test_a_crawl_that_watches_people_finds_the_pages_that_only_they_know(tmp_path: Path, strategy: str) -> None:
    web = SimulatedWeb.of(BOX)
    unknown = max(unlinked(web))
    visits = [page for page in simulated_visits(web) if page.url != unknown]
    known = {page.url: page.visits for page in visits}
    dark = unlinked(web) & known.keys()
    assert len(dark) > 5
    folder = a_crawl(tmp_path, strategy=strategy, clicks={"source": "store"})
    count_visits(tmp_path / "clicks", visits)
    crawl = run(folder)
    found = fetched(folder)
    assert dark <= found
    assert unknown not in found
    report = dark_report(folder)
    assert {page.url for page in report.pages} == dark
    assert crawl.counts.dark == report.counts() == crawl_report(folder).plain()["dark"]
    assert report.counts()["found"] == report.counts()["fetched"] == len(dark)
    assert [page.visits for page in report.pages] == sorted((known[url] for url in dark), reverse=True)
    assert {page.listed for page in report.pages} == {True, False}
    assert {page.state for page in report.pages} == {"done"}


def test_without_a_clickstream_none_of_them_is_found_but_they_can_be_told(tmp_path: Path) -> None:
    web = SimulatedWeb.of(BOX)
    folder = a_crawl(tmp_path)
    crawl = run(folder)
    assert not unlinked(web) & fetched(folder)
    assert crawl.counts.dark == {"found": 0, "fetched": 0, "relevant": 0}
    with pytest.raises(ConfigurationError, match="nobody's visits were counted yet"):
        dark_report(folder)
    count_visits(tmp_path / "clicks", [PageClicks(sorted(unlinked(web))[0], 3), PageClicks("http://elsewhere.org/", 9)])
    (page,) = dark_report(folder).pages
    assert (page.visits, page.state, page.relevance, page.listed) == (3, "unseen", None, False)


LINE = '{0} - - [{1:02d}/Jun/2026:10:{2:02d}:00 +0000] "GET {3} HTTP/1.1" 200 900 "-" "Mozilla/5.0 (X11) Firefox/99.0"'


def test_a_log_may_be_the_clickstream_and_grow(tmp_path: Path) -> None:
    web = SimulatedWeb.of(BOX)
    site = site_of(web.roots()[0])
    dark = sorted(url for url in unlinked(web) if url.startswith(site))
    log = tmp_path / "access.log"
    lines = [LINE.format(f"10.0.0.{place}", 1, 2 * place, path_of(url)) for place, url in enumerate(dark[1:], 1)]
    log.write_text("\n".join(lines) + "\n")
    folder = a_crawl(tmp_path, strategy="importance-value", clicks={"source": str(log)})
    run(folder)
    assert set(dark[1:]) == unlinked(web) & fetched(folder)
    with log.open("a") as file:
        file.write(LINE.format("10.0.0.99", 2, 0, path_of(dark[0])) + "\n")
    run(folder)
    assert set(dark) == unlinked(web) & fetched(folder)
    assert {page.visits for page in dark_report(folder).pages} == {1}


def test_people_may_be_watched_without_letting_their_pages_in(tmp_path: Path) -> None:
    web = SimulatedWeb.of(BOX)
    store = count_visits(tmp_path / "own", simulated_visits(web))
    folder = a_crawl(tmp_path, strategy="cfp", clicks={"source": str(store), "dark_pages": False})
    run(folder)
    assert not unlinked(web) & fetched(folder)
    assert any("in" in row.why and "visits" in row.why for row in _known(folder))


def _known(folder: CrawlFolder) -> list[UrlRecord]:
    with reading(folder) as stores:
        return [record for store in stores for record in store.urls()]


def test_admission_applies_to_dark_pages(tmp_path: Path) -> None:
    web = SimulatedWeb.of(BOX)
    dark = sorted(unlinked(web))
    count_visits(tmp_path / "clicks", [PageClicks(url, 5) for url in dark] + [PageClicks("http://foreign.org/", 5)])
    blocked = dark[0].partition("://")[2]
    folder = a_crawl(tmp_path, clicks={"source": "store"}, scope={"block": [blocked], "sites": "seeds"})
    site = folder.configuration().seeds[0]
    run(folder)
    found = fetched(folder)
    inside = {url for url in dark if url.startswith(site)}
    assert inside - {dark[0]} <= found
    assert dark[0] not in found
    assert "http://foreign.org/" not in found


def test_what_was_found_is_still_known_after_a_restart(tmp_path: Path) -> None:
    web = SimulatedWeb.of(BOX)
    count_visits(tmp_path / "clicks", simulated_visits(web))
    folder = a_crawl(tmp_path, clicks={"source": "store"})
    before = run(folder).counts.dark
    again = build_agent(folder, 0, Desk(folder, 0, alone=True), time)
    assert again.crawl.dark.counts() == before
    again.crawl.close()


def test_a_source_that_is_not_there_is_told_in_one_sentence(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, clicks={"source": "no-such.log"})
    with pytest.raises(ConfigurationError, match=r"clicks\.source: there is no 'no-such.log'; name a log"):
        click_source(folder.configuration(), folder.path)
    with pytest.raises(CrawlError, match="name a log"):
        run(folder)
    assert click_source(settings.build({}), folder.path) is None


def test_a_source_has_news_only_when_something_was_counted(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, clicks={"source": "store"})
    count_visits(tmp_path / "clicks", [PageClicks("http://a.org/", 1)])
    source = click_source(folder.configuration(), folder.path)
    assert source is not None
    assert [page.visits for page in source.news() or ()] == [1]
    assert source.news() is None
    count_visits(tmp_path / "clicks", [PageClicks("http://a.org/", 1)])
    assert [page.visits for page in source.news() or ()] == [2]
    source.close()
