"""A crawl learns which spellings of a URL mean one page: it fetches less, loses nothing, and unlearns what is wrong."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import tiny_web
import whole_crawl
from tiny_web import TinyWeb, page

from lycosa.configuration.sections import Urls
from lycosa.configuration.settings import build
from lycosa.crawl_folder.counts import Counts
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.crawling.frontier_updates import Intake
from lycosa.crawling.url_rewriting import MARK, Spellings
from lycosa.duplicates.url_rewriter import SPARED
from lycosa.frontier.admission import Admission
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.frontier_store import MemoryShelf
from lycosa.frontier.politeness import Manners
from lycosa.frontier.rate_limiter import Throttle
from lycosa.inspection.explanation import explain
from lycosa.inspection.report import crawl_report
from lycosa.interface.views.report_page import report_page
from lycosa.plugins.plug_points import Topic
from lycosa.records import SITEMAP, Link, Score
from lycosa.scoring.strategy import strategy_of
from lycosa.urls import fingerprint

SITE = "https://shop.example"
ITEMS, SESSIONS = 30, 6
NO_TRAPS = {"rules": ["scheme", "pattern", "scope", "depth"]}


def shop(url: str) -> str | None:
    """A shop with session ids, parameters in any order, and folders with and without their default page."""
    parts = urlsplit(url)
    asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
    if parts.path == "/item" and asked.get("n", "").isdigit() and int(asked["n"]) < ITEMS:
        number, session = int(asked["n"]), int(asked.get("sid", "0"))
        nexts = [(number + step) % ITEMS for step in range(1, 6)]
        links = [f"/item?n={each}&sid={(session + each) % SESSIONS}" for each in nexts]
        return page(f"item {number}", [*links, f"/docs/{number}/", f"/docs/{number}/index.html"])
    if found := re.fullmatch(r"/docs/(\d+)/(?:index\.html)?", parts.path):
        number = int(found[1])
        queries = [f"a={number}&b=1", f"b=1&a={number}"]
        return page(f"document {number}", [f"/list?{query}" for query in queries])
    if parts.path == "/list" and {"a", "b"} <= asked.keys():
        return page(f"list {asked['a']}", [])
    return page("welcome", [f"/item?n=0&sid={session}" for session in range(SESSIONS)]) if parts.path == "/" else None


def crawled(home: Path, **urls: object) -> tuple[CrawlFolder, list[str]]:
    folder = tiny_web.crawl_folder(home, [f"{SITE}/"], urls=urls, strategy="breadth-first", scope=NO_TRAPS)
    return folder, tiny_web.run(folder, TinyWeb(shop))


def contents(folder: CrawlFolder) -> set[str]:
    return {row.digest for row in tiny_web.rows(folder)}


def spellings_of(folder: CrawlFolder) -> Spellings:
    with reading(folder) as (store,):
        return Spellings(folder.configuration().urls, store.mark(MARK))


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> tuple[CrawlFolder, list[str]]:
    return crawled(tmp_path_factory.mktemp("learned"))


def test_a_crawl_with_rules_fetches_less_and_loses_no_content(
    learned: tuple[CrawlFolder, list[str]], tmp_path: Path
) -> None:
    plain, asked_plainly = crawled(tmp_path, learn_spellings=False)
    folder, asked = learned
    assert len(contents(plain)) == 3 * ITEMS + 1
    assert contents(folder) == contents(plain)
    assert len(asked) < 0.75 * len(asked_plainly), (len(asked), len(asked_plainly))
    assert len(asked) == len(set(asked))


def test_the_rules_in_use_are_reported_with_their_evidence(learned: tuple[CrawlFolder, list[str]]) -> None:
    folder, _ = learned
    report = crawl_report(folder)
    rules = {rule.rewrite: rule for rule in report.known.rules}
    assert {"drop parameter sid", "default page index.html", "sort parameters"} <= rules.keys()
    assert all(rule.used and rule.agreements >= 3 and rule.examples for rule in rules.values())
    assert report.plain()["rewritten"] > ITEMS
    assert {rule["rewrite"] for rule in json.loads(json.dumps(report.plain()))["spellings"]} == rules.keys()
    assert "drop parameter sid" in report_page(report)


def test_a_url_is_explained_by_the_rules_of_its_site(learned: tuple[CrawlFolder, list[str]]) -> None:
    folder, _ = learned
    told = " ".join(explain(folder, f"{SITE}/item?n=7&sid=99").lines())
    assert "never seen as it is written: links to it are rewritten" in told
    assert f"is taken for {SITE}/item?n=7" in told
    assert "drop parameter sid" in told
    assert "contents agree, none differ" in told
    known = " ".join(explain(folder, f"{SITE}/").lines())
    assert "is written as it is" in known
    assert "dropped as duplicates" in known


def test_a_kind_of_spelling_can_be_switched_off(tmp_path: Path) -> None:
    folder, _ = crawled(tmp_path, spellings=["drop parameter"])
    assert {rule.rewrite for rule in spellings_of(folder)._dust.rules() if rule.used} == {"drop parameter sid"}


def test_a_rule_that_is_contradicted_is_unlearned_and_pages_are_fetched_as_they_are_written(tmp_path: Path) -> None:
    def answer(url: str) -> str | None:
        path = urlsplit(url).path
        if path == "/":
            return page("welcome", [f"/p/{number}{end}" for number in range(8) for end in ("", "/")])
        if path == "/later":
            return page("later", [f"/p/{number}/" for number in range(100, 104)])
        if path == "/latest":
            return page("latest", [f"/p/{number}/" for number in range(200, 204)])
        name = path.removeprefix("/p/")
        return page(f"page {name if 'odd' in name else name.rstrip('/')}", []) if path.startswith("/p/") else None

    web = TinyWeb(answer)
    folder = tiny_web.crawl_folder(tmp_path, [f"{SITE}/"], strategy="breadth-first")
    tiny_web.run(folder, web)
    spared = {f"{SITE}/p/{number}/" for number in range(100, 204) if not fingerprint(f"{SITE}/p/{number}/")[0] % SPARED}
    asked = tiny_web.run(folder, web, [f"{SITE}/later"])
    assert {f"{SITE}/p/{number}" for number in range(100, 104)} <= {*asked, *(url[:-1] for url in spared)}
    assert spellings_of(folder).rules_in_use()
    tiny_web.run(folder, web, [f"{SITE}/p/odd", f"{SITE}/p/odd/"])
    assert spellings_of(folder).rules_in_use() == []
    asked = tiny_web.run(folder, web, [f"{SITE}/latest"])
    assert {f"{SITE}/p/{number}/" for number in range(200, 204)} <= set(asked)


def both_ways(number: int) -> list[str]:
    return [f"/p/{each}{end}" for each in range(number) for end in ("", "/")]


def test_links_that_waited_while_a_rule_was_learned_are_not_fetched_in_another_spelling(tmp_path: Path) -> None:
    """The first page links to all others in both forms, so that all wait before anything is learned."""

    def answer(url: str) -> str | None:
        path = urlsplit(url).path
        if path == "/":
            return page("welcome", both_ways(40))
        return page(f"page {path.removeprefix('/p/').rstrip('/')}", []) if path.startswith("/p/") else None

    folder = tiny_web.crawl_folder(tmp_path, [f"{SITE}/"], strategy="breadth-first", fetching={"connections": 1})
    asked = tiny_web.run(folder, TinyWeb(answer))
    assert len(contents(folder)) == 41, "nothing is lost"
    assert len(asked) < 41 + 15
    report = crawl_report(folder).plain()
    assert report["refused"]["spelling"] == 81 - len(asked) > 25
    left = next(f"{SITE}{path}" for path in both_ways(40) if f"{SITE}{path}" not in asked)
    assert f"refused: spelling: the same page as {left[:-1]}" in " ".join(explain(folder, left).lines())


def test_endless_session_ids_come_to_an_end(tmp_path: Path) -> None:
    """Every page invents a hundred new session ids; a few links are spared, but for pages, not for links."""

    def answer(url: str) -> str | None:
        parts = urlsplit(url)
        number = int(parse_qs(parts.query).get("n", ["0"])[0])
        salt = fingerprint(url).hex()
        return page(f"item {number}", [f"/item?n={each % 10}&sid={salt}{each}" for each in range(100)])

    seeds, most = [f"{SITE}/item?n=0&sid=0"], 3000
    folder = tiny_web.crawl_folder(tmp_path, seeds, strategy="breadth-first", pages=most, scope=NO_TRAPS)
    asked = tiny_web.run(folder, TinyWeb(answer))
    assert len(asked) < most / 2
    assert len(contents(folder)) == 10


@pytest.mark.parametrize("seed", [3, 7])
def test_on_simulated_webs_no_two_contents_are_taken_for_one_and_none_is_lost(tmp_path: Path, seed: int) -> None:
    web = f"box:{seed}?hosts=4&pages=60&traps=4&duplicates=0.5&errors=0&unlinked=0&size=512"
    found = []
    for name, learns in (("with", True), ("without", False)):
        changes: dict[str, object] = {"pages": 250, "strategy": "breadth-first", "sitemaps": {"read": False}}
        folder = whole_crawl.crawl_folder(tmp_path / name, web, urls={"learn_spellings": learns}, **changes)
        whole_crawl.run(folder)
        found.append(folder)
    spellings, merged = spellings_of(found[0]), defaultdict(set)
    seen = {row.url: row.digest for folder in found for row in tiny_web.rows(folder)}
    for url, digest in seen.items():
        merged[spellings._dust.apply(url)].add(digest)
    assert all(len(digests) == 1 for digests in merged.values())
    with_rules, without = ({row.url for row in tiny_web.rows(folder)} for folder in found)
    ordinary = {url for url in without if "?" not in url and not re.search(r"/(calendar|more|less)/", url)}
    assert ordinary <= with_rules


def test_sitemaps_are_not_rewritten_and_other_sites_are_left_alone() -> None:
    spellings = Spellings(Urls())
    for number in range(4):
        for end in ("", "/"):
            spellings._dust.see(f"{SITE}/d/{number}{end}", bytes([number]) * 16)
    links = [Link(f"{SITE}/d/77/"), Link(f"{SITE}/d/78/", rel=SITEMAP), Link("https://other.example/d/77/")]
    written, changed = spellings.written(links)
    assert [link.url for link in written] == [f"{SITE}/d/77", *(link.url for link in links[1:])]
    assert changed == 1


def an_intake(spellings: Spellings | None = None, **urls: object) -> tuple[Intake, Frontier]:
    configuration = build({"name": "letters", "seeds": [f"{SITE}/"], "urls": urls})
    manners, throttle = Manners(configuration.politeness), Throttle(configuration.ceilings)
    frontier = Frontier(MemoryShelf(), Admission([]), manners, throttle, configuration.frontier)
    judge = strategy_of(configuration, Topic("birds"))
    return Intake(0, configuration, frontier, judge, lambda url: 0, Counts(), spellings), frontier


def test_letters_are_rewritten_and_seeds_are_not() -> None:
    spellings = Spellings(Urls())
    for number in range(4):
        for end in ("", "/"):
            spellings._dust.see(f"{SITE}/d/{number}{end}", bytes([number]) * 16)
    intake, frontier = an_intake(spellings)
    intake.inject([f"{SITE}/d/70/"], 0.0)
    intake.hear([(Link(f"{SITE}/d/71/"), Score(0.5))], 0.0)
    waiting = [f"{SITE}/d/{name}" for name in ("70", "70/", "71", "71/") if frontier.known(Link(f"{SITE}/d/{name}"))]
    assert waiting == [f"{SITE}/d/70/", f"{SITE}/d/71"]
    assert intake.counts.rewritten == 1


def tracked(url: str) -> str | None:
    """A site whose links say where visitors come from."""
    path = urlsplit(url).path
    links = ["/a?utm_source=mail"] if path == "/" else []
    return page(f"thing {path}", links) if path in ("/", "/a") else None


@pytest.mark.parametrize("drop", [True, False])
def test_tracking_parameters_are_dropped_only_where_that_is_wanted(tmp_path: Path, drop: bool) -> None:
    folder = tiny_web.crawl_folder(tmp_path, [f"{SITE}/"], urls={"drop_tracking": drop})
    fetched = set(tiny_web.run(folder, TinyWeb(tracked)))
    assert (f"{SITE}/a" in fetched, f"{SITE}/a?utm_source=mail" in fetched) == (drop, not drop)
