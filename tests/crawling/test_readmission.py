"""A block that is lifted gives its links back, and what a person adds is taken up, whatever became of it before."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from tiny_web import TinyWeb, crawl_folder, page, rows, run

from lycosa.configuration.settings import build
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawling.readmission import MARK, SecondThoughts
from lycosa.plugins.plug_points import AT_ONCE, Known, Turns
from lycosa.queue_records import Changes, State, UrlRecord
from lycosa.records import Link, Outcome, Refused, SiteOpened, SiteShut
from lycosa.storage.agent_store import AgentStore, Batch

HERE, THERE = "http://a.example/", "http://b.example/"
LINKS = [f"{THERE}{number}" for number in range(5)]


def web() -> TinyWeb:
    return TinyWeb(lambda url: page(f"birds of {url}", LINKS if url == HERE else []))


@pytest.fixture
def folder(tmp_path: Path) -> CrawlFolder:
    made = crawl_folder(tmp_path, [HERE], scope={"block": ["b.example"]})
    assert run(made, web()) == [HERE]
    return made


def test_links_wait_again_when_their_block_is_lifted_while_nobody_crawls(folder: CrawlFolder) -> None:
    folder.add_pattern("allow", "b.example")
    assert sorted(run(folder, web())) == LINKS
    assert run(folder, web()) == []


def test_links_that_had_waited_when_the_block_came_wait_again_too(tmp_path: Path) -> None:
    folder = crawl_folder(tmp_path, [HERE], pages=1)
    assert run(folder, web()) == [HERE]
    folder.add_pattern("block", "b.example")
    folder.change("pages=3")
    assert run(folder, web()) == []
    folder.add_pattern("allow", "b.example")
    assert len(run(folder, web())) == 2


class PickyWeb(TinyWeb):
    """A web that refuses, as a fetcher does by its settings, what one of them does not allow."""

    def __init__(self, why: str, shut: str = "") -> None:
        super().__init__(lambda url: page(f"birds of {url}", [*LINKS, f"{THERE}x.pdf"] if url == HERE else []))
        self.why, self.shut = why, shut

    async def open(self, site: str, now: float, turns: Turns = AT_ONCE) -> SiteOpened | SiteShut:
        if self.shut and THERE.startswith(site):
            return SiteShut(site, self.shut, now + 86_400.0)
        return await super().open(site, now, turns)

    async def fetch(self, link: Link, known: Known | None = None) -> Outcome:
        if self.why and link.url.startswith(THERE):
            self.asked.append(link.url)
            return Refused(link, self.why)
        return await super().fetch(link, known)


@pytest.mark.parametrize(
    ("why", "change"),
    [
        ("address-refused", 'fetching.allow_addresses=["127.0.0.1:9"]'),
        ("content-type", 'fetching.types=["text/html", "application/pdf"]'),
        ("robots", "politeness.robots=false"),
    ],
)
def test_what_a_setting_refused_is_tried_again_when_that_setting_changes(tmp_path: Path, why: str, change: str) -> None:
    folder = crawl_folder(tmp_path, [HERE])
    web = PickyWeb(why)
    assert len(run(folder, web)) == 7
    folder.change("scope.depth=90", "politeness.retries=1")
    assert run(folder, web) == [], "settings that refused nothing of this"
    folder.change(change)
    web.why = ""
    assert sorted(run(folder, web)) == [*LINKS, f"{THERE}x.pdf"]
    assert run(folder, web) == []


@pytest.mark.parametrize(
    ("shut", "change"),
    [
        ("address-refused", 'fetching.allow_addresses=["127.0.0.1:9"]'),
        ("robots-unreachable", "politeness.robots=false"),
    ],
)
def test_a_site_that_a_setting_shut_is_opened_when_that_setting_changes(tmp_path: Path, shut: str, change: str) -> None:
    folder = crawl_folder(tmp_path, [HERE])
    web = PickyWeb("", shut)
    assert run(folder, web) == [HERE]
    web.shut = ""
    assert run(folder, web) == [], "it rests"
    folder.change(change)
    assert sorted(run(folder, web)) == [*LINKS, f"{THERE}x.pdf"]


def test_a_link_that_came_last_does_not_any_more_where_its_type_is_wanted(tmp_path: Path) -> None:
    folder = crawl_folder(tmp_path, [HERE], pages=1, fetching={"connections": 1})
    web = PickyWeb("")
    assert run(folder, web) == [HERE]
    folder.change('fetching.types=["text/html", "application/pdf"]', "pages=2")
    assert run(folder, web) == [f"{THERE}x.pdf"]


def test_rules_that_earlier_code_kept_are_understood(folder: CrawlFolder) -> None:
    with AgentStore(folder.agent(0) / "store") as store:
        kept = msgspec.json.decode(store.mark(MARK))
        store.commit(Batch(Changes(), marks={MARK: msgspec.json.encode(kept["blocked"])}))
    folder.change("scope.depth=90")
    assert run(folder, web()) == []
    folder.add_pattern("allow", "b.example")
    assert sorted(run(folder, web())) == LINKS


def test_little_by_little_all_are_found(folder: CrawlFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lycosa.crawling.readmission.AT_ONCE", 2)
    folder.add_pattern("allow", "b.example")
    assert sorted(run(folder, web())) == LINKS


def test_nothing_is_looked_for_while_the_rules_are_the_same(
    folder: CrawlFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[float] = []
    go_on = SecondThoughts.go_on

    def watched(self: SecondThoughts, now: float) -> dict[str, bytes]:
        if self.look:
            looked.append(now)
        return go_on(self, now)

    monkeypatch.setattr(SecondThoughts, "go_on", watched)
    folder.change("politeness.retries=1")
    assert run(folder, web()) == []
    assert looked == []


def test_only_what_a_pattern_or_the_scope_refused_is_judged_again(
    folder: CrawlFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    reasons = {"": ["blocked: b.example", "out-of-scope: b.example"], "kept": ["too-deep: 3 > 2", "robots", "http-404"]}
    records = [
        UrlRecord(f"{THERE}{why}", State.REFUSED, why=why, number=number)
        for number, why in enumerate([why for each in reasons.values() for why in each], 1)
    ]
    waiting = UrlRecord(f"{THERE}waiting", State.WAITING, why="blocked: the reason of its priority", number=9)
    again: list[str] = []

    class Store:
        def mark(self, name: str) -> bytes | None:
            return None

        def numbered(self) -> int:
            return 9

        def urls_after(self, number: int, most: int) -> list[UrlRecord]:
            return [*records, waiting]

    class Waiting:
        def reconsider(self, urls: list[str], now: float) -> None:
            again.extend(urls)

        def reopen(self, reasons: tuple[str, ...], now: float) -> None:
            assert reasons == ("blocked", "out-of-scope")

    thoughts = SecondThoughts(cast(Any, Store()), cast(Any, Waiting()), folder.configuration())
    thoughts.change(build({"seeds": ["http://a.example/"], "scope": {"block": ["c.example"]}}, [], "test"))
    thoughts.go_on(0.0)
    assert again == [f"{THERE}{why}" for why in reasons[""]]


def test_what_a_person_adds_is_fetched_though_it_was_before_or_was_refused(tmp_path: Path) -> None:
    folder = crawl_folder(tmp_path, [HERE], scope={"depth": 0, "block": ["b.example/0"]})
    assert run(folder, web()) == [HERE]
    folder.order([HERE, LINKS[0], LINKS[1]])
    assert sorted(run(folder, web())) == [HERE, LINKS[1]]
    assert len(rows(folder)) == 3
    assert run(folder, web()) == []
