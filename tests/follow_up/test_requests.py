"""Follow-ups: the structures of results, rare ones first, and a crawl that looks for more of them and tidies up."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from pathlib import Path
from time import time

import pytest
from whole_crawl import crawl_folder, run

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.crawling.saved_priorities import put_back
from lycosa.follow_up import requests as following
from lycosa.follow_up.agent import build_follow_up
from lycosa.indexing.template_index import Structures
from lycosa.lab.webs import open_web
from lycosa.queue_records import State
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.supervision.control_channel import Desk

WEB = "box:2?pages=600&hosts=1&kinds=4&unlinked=0"
FIRST, MORE = 120, 60


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> CrawlFolder:
    """A crawl that has spent its budget while most of the web still waits."""
    folder = crawl_folder(tmp_path_factory.mktemp("follow"), WEB, pages=FIRST, frontier={"ageing_per_day": 0.0})
    run(folder)
    return folder


def fetched(folder: CrawlFolder) -> list[str]:
    with reading(folder) as stores:
        rows = [row for store in stores for _, row in catalogue.history(store)]
    return [row.url for row in rows if row.outcome == "fetched"]


def waiting(folder: CrawlFolder) -> dict[str, float]:
    with AgentStore(folder.agent(0) / "store", readonly=True) as store:
        return {record.url: record.priority for record in store.urls() if record.state is State.WAITING}


def follow(folder: CrawlFolder, number: int, *, tidy: bool = True) -> None:
    """Work on a follow-up as its process does."""
    wanted = following.begin(folder, number)
    desk = Desk(folder, 0, alone=True, restless=True)
    agent = build_follow_up(folder, 0, desk, time, wanted)
    try:
        asyncio.run(agent.run())
        if tidy:
            put_back(folder, agent.crawl, time())
    finally:
        agent.crawl.close()
    following.end(folder, number)


@lru_cache
def labels() -> dict[str, str]:
    """The kinds of all pages, by the maker of the web."""
    kinds = {url: [label for label in told if label.startswith("kind.")] for url, told in open_web(WEB).labels.items()}
    return {url: found[0] for url, found in kinds.items() if found}


def kind_of(url: str) -> str:
    """The kind of a page, which is how it is built."""
    return labels().get(url, "article")


def test_rare_structures_come_first_and_each_template_once(begun: CrawlFolder) -> None:
    structures = Structures.open(begun)
    structures.update()
    results = fetched(begun)[:20]
    found = [sample for sample, _ in following.rarest(begun, results)]
    assert [sample.pages for sample in found] == sorted(sample.pages for sample in found)
    assert len({kind_of(sample.url) for sample in found}) == len(found) > 1


def test_pages_built_alike_are_shown_at_once_without_those_seen(begun: CrawlFolder) -> None:
    results = fetched(begun)[:5]
    asked = following.ask(begun, "birds", results, pages=1)
    similar = following.similar_pages(begun, following.samples_of(begun, asked), results)
    assert similar
    assert not {page.url for page in similar} & set(results)
    kinds = {kind_of(sample.url) for sample in asked.samples}
    assert sum(kind_of(page.url) in kinds for page in similar) >= 0.9 * len(similar)


def test_a_follow_up_finds_more_pages_of_the_template_and_leaves_the_queue_as_it_was(begun: CrawlFolder) -> None:
    sample = next(url for url in fetched(begun) if kind_of(url) == "kind.profile")
    before, order = fetched(begun), waiting(begun)
    asked = following.ask(begun, "birds", [sample], MORE)
    follow(begun, asked.number)
    found = following.progress(begun, following.find(begun, asked.number))
    new = fetched(begun)[len(before) :]
    assert found.state == "done"
    assert 0 < found.looked == len(new) <= MORE
    wanted = kind_of(sample)
    there = {url for url in order if kind_of(url) == wanted}
    kept = {page.url for page in found.pages}
    assert found.kept == len(kept)
    assert sum(kind_of(url) == wanted for url in kept) >= 0.86 * len(kept)
    by_chance = len(there) / len(order)
    assert sum(kind_of(url) == wanted for url in new) > 1.5 * by_chance * len(new)
    after = waiting(begun)
    assert {url: after[url] for url in order if url in after} == {url: order[url] for url in order if url in after}


def test_a_follow_up_that_was_killed_is_put_right_when_the_crawl_goes_on(tmp_path: Path) -> None:
    folder = crawl_folder(tmp_path, WEB, pages=60, frontier={"ageing_per_day": 0.0})
    run(folder)
    order = waiting(folder)
    asked = following.ask(folder, "birds", fetched(folder)[:1], 5)
    follow(folder, asked.number, tidy=False)
    changed = waiting(folder)
    assert any(changed[url] != order[url] for url in order if url in changed), "nothing was reordered"
    run(folder)
    after = waiting(folder)
    assert {url: after[url] for url in order if url in after} == {url: order[url] for url in order if url in after}
    assert not (folder.agent(0) / "put-back.bin").exists()


def test_the_counts_of_the_crawls_own_strategy_survive(tmp_path: Path) -> None:
    folder = crawl_folder(tmp_path, WEB, pages=40)
    run(folder)
    with AgentStore(folder.agent(0) / "store", readonly=True) as store:
        told = store.mark("statistics")
    follow(folder, following.ask(folder, "birds", fetched(folder)[:1], 5).number)
    with AgentStore(folder.agent(0) / "store", readonly=True) as store:
        assert store.mark("statistics") == told


def test_results_without_a_structure_are_told(begun: CrawlFolder) -> None:
    with pytest.raises(CrawlError, match="none of these results has a structure"):
        following.ask(begun, "birds", ["http://nowhere.example/"])
    with pytest.raises(CrawlError, match="no follow-up 99"):
        following.find(begun, 99)
