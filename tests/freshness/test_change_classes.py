"""Every page has a change class: its sitemap's where the site's word is good, else that of its own history."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest
import tiny_web
from test_revisit_round import BEGIN, DAY, Clock
from tiny_web import TinyWeb, page

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.freshness.change_classes import PageClasses, SaidClasses, SiteWord
from lycosa.freshness.change_history import Look, Looks
from lycosa.freshness.change_rates import ChangeClass, PageHistory
from lycosa.freshness.revisit_policy import RevisitPlan
from lycosa.freshness.revisit_round import build_round
from lycosa.inspection.report import crawl_report
from lycosa.records import Link
from lycosa.supervision.control_channel import Desk

SITE = "https://news.example"
PAGES = 12


def known(histories: dict[str, PageHistory]) -> Looks:
    looks = Looks()
    looks.pages = {f"{SITE}/{name}": Look(history, "x", 0.5) for name, history in histories.items()}
    return looks


def classes(looks: Looks, claimed: dict[str, str]) -> PageClasses:
    looks.frequencies = {f"{SITE}/{name}": said for name, said in claimed.items()}
    return PageClasses(looks, RevisitPlan(0.0, Random(0)), SaidClasses(looks))


def looked(days: list[bool]) -> PageHistory:
    """A page that was looked at once a day and had changed or not."""
    history = PageHistory()
    for day, changed in enumerate([False, *days]):
        history = history.looked(day * DAY, changed, 1 / (7 * DAY))
    return history


def test_a_page_has_the_class_that_its_sitemap_gives_and_else_that_of_its_history() -> None:
    looks = known({"a": looked([]), "b": looked([True] * 12), "c": looked([])})
    found = classes(looks, {"a": "hourly"}).queues
    assert found.class_of(f"{SITE}/a") is ChangeClass.HOURLY
    assert found.class_of(f"{SITE}/b") in (ChangeClass.HOURLY, ChangeClass.DAILY)
    assert found.class_of(f"{SITE}/c") is ChangeClass.WEEKLY, "as pages do on average"
    assert sum(found.pages().values()) == 3


def test_a_page_is_due_sooner_the_more_often_its_site_says_that_it_changes() -> None:
    looks = known({each.value: looked([]) for each in ChangeClass})
    found = classes(looks, {each.value: each.value for each in ChangeClass}).queues
    taken = [found.take(1.1 * interval) for interval in (600.0, DAY, 7 * DAY, 100 * DAY)]
    assert [len(pages) for pages in taken] == [1, 2, 1, 3]


@pytest.mark.parametrize(("said", "changed"), [("always", False), ("never", True)])
def test_a_site_whose_word_is_not_good_is_not_believed(said: str, changed: bool) -> None:
    looks = known({str(number): looked([changed] * 8) for number in range(3)})
    claimed = {str(number): said for number in range(3)}
    assert classes(looks, claimed).queues.class_of(f"{SITE}/1") not in (None, ChangeClass(said))
    honest = "daily" if changed else "yearly"
    assert classes(looks, dict.fromkeys(claimed, honest)).queues.class_of(f"{SITE}/1") is ChangeClass(honest)


def test_a_word_is_good_before_there_is_anything_to_judge_it_by() -> None:
    word = SiteWord()
    assert word.believed
    for _ in range(3):
        word.add(looked([False]), ChangeClass.ALWAYS)
    assert word.believed
    for _ in range(3):
        word.add(looked([False]), ChangeClass.ALWAYS)
    assert not word.believed


# -- in a crawl ------------------------------------------------------------------------------------------------


def said_of(number: int) -> str:
    return ("hourly", "daily", "monthly")[number % 3]


def news(url: str) -> str | None:
    path = url.removeprefix(SITE)
    if path == "/sitemap.xml":
        entries = [
            f"<url><loc>{SITE}/{number}</loc><changefreq>{said_of(number)}</changefreq></url>"
            for number in range(PAGES)
        ]
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(entries)}</urlset>'
    return page(f"news {path}", [f"/{number}" for number in range(PAGES)]) if path.strip("/").isdigit() else None


@pytest.fixture
def crawled(tmp_path: Path) -> tuple[CrawlFolder, TinyWeb, Clock]:
    web, clock = TinyWeb(news, {SITE: (f"{SITE}/sitemap.xml",)}), Clock(BEGIN)
    folder = tiny_web.crawl_folder(tmp_path, [f"{SITE}/0"], revisit={"looks_per_day": 50.0})
    tiny_web.run(folder, web, time=clock)
    return folder, web, clock


def look_again(folder: CrawlFolder, web: TinyWeb, clock: Clock, *, everything: bool = False) -> tuple[set[str], float]:
    agent = build_round(folder, 0, Desk(folder, 0), clock, everything=everything)
    agent._fetcher = web
    web.asked.clear()
    try:
        asyncio.run(agent.run())
        Desk(folder, 0).say(agent, clock(), "stopped", True)
        due = agent.due
    finally:
        agent.crawl.close()
    assert due is not None
    return {url.removeprefix(SITE) for url in web.asked}, due


def test_a_round_looks_at_the_classes_that_are_due(crawled: tuple[CrawlFolder, TinyWeb, Clock]) -> None:
    folder, web, clock = crawled
    clock.set(BEGIN + 3 * 3600)
    asked, due = look_again(folder, web, clock)
    assert asked == {"/sitemap.xml", *(f"/{number}" for number in range(0, PAGES, 3))}
    assert clock() - 200 <= due <= BEGIN + 2 * DAY, "the next of them, or a daily one"
    clock.set(BEGIN + DAY / 2)
    asked, _ = look_again(folder, web, clock)
    assert {f"/{number}" for number in range(PAGES) if number % 3 == 1} <= asked
    assert not {f"/{number}" for number in range(PAGES) if number % 3 == 2} & asked


def test_status_and_report_count_pages_by_class_and_what_is_due(
    crawled: tuple[CrawlFolder, TinyWeb, Clock],
) -> None:
    folder, web, clock = crawled
    report = crawl_report(folder)
    assert {name: pages for name, pages, _ in report.known.classes} == dict.fromkeys(("hourly", "daily", "monthly"), 4)
    assert all(due == pages for _, pages, due in report.known.classes), "all are long due by now"
    assert report.status.classes == {}
    clock.set(BEGIN + 3 * 3600)
    look_again(folder, web, clock)
    status = crawl_report(folder).status
    assert status.classes == dict.fromkeys(("hourly", "daily", "monthly"), 4)
    assert status.due == {}
    assert status.plain()["classes"] == status.classes


def test_a_round_of_everything_looks_at_everything(crawled: tuple[CrawlFolder, TinyWeb, Clock]) -> None:
    folder, web, clock = crawled
    clock.set(BEGIN + 60)
    asked, _ = look_again(folder, web, clock, everything=True)
    assert {f"/{number}" for number in range(PAGES)} <= asked


def test_what_a_sitemap_says_is_kept_with_the_page(crawled: tuple[CrawlFolder, TinyWeb, Clock]) -> None:
    folder, _, _ = crawled
    with reading(folder) as (store,):
        records = [store.find(Link(f"{SITE}/{number}").url) for number in range(PAGES)]
    assert [record.changes for record in records if record] == [said_of(number) for number in range(PAGES)]
