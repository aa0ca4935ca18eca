"""Several agents: who owns what, links exchanged, one budget, nobody twice."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from audit import archived, audit, configured
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.cooperation.page_budget import Budget
from lycosa.cooperation.partition import Ring, site_hash, url_hash
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, own
from lycosa.crawl_folder.status import Status
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.lab.web_server import serve_in_process
from lycosa.search.index import IndexReader
from lycosa.supervision.supervisor import COMMAND, Fleet

BOX = "box:4?hosts=9&pages=120&topics=3&size=2KiB&links=8&unlinked=0&errors=0&duplicates=0"
NAMES = [f"site-{number}.org" for number in range(3000)]


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 12))
def test_a_new_agent_takes_only_its_share(agents: int) -> None:
    before, after = Ring(dict.fromkeys(range(agents), 1.0)), Ring(dict.fromkeys(range(agents + 1), 1.0))
    moved = [name for name in NAMES if before.owner(name) != after.owner(name)]
    assert all(after.owner(name) == agents for name in moved)
    assert len(moved) < 2.0 * len(NAMES) / (agents + 1)


def test_the_load_is_even_and_weights_count() -> None:
    even = Counter(Ring(dict.fromkeys(range(4), 1.0)).owner(name) for name in NAMES)
    assert max(even.values()) < 1.4 * min(even.values())
    uneven = Counter(Ring({0: 1.0, 1: 3.0}).owner(name) for name in NAMES)
    assert 2.2 < uneven[1] / uneven[0] < 4


def test_a_registrable_domain_has_one_owner() -> None:
    owner = site_hash(7)
    assert len({owner(f"https://{host}.example.co.uk/{host}") for host in "abcdefgh"}) == 1
    assert len({url_hash(7)(f"https://a.example/{number}") for number in range(100)}) == 7


def test_one_budget_for_all(tmp_path: Path) -> None:
    shares = [Budget(10, number, path=tmp_path / "budget") for number in range(3)]
    taken = sum(share.take() for _ in range(9) for share in shares)
    assert taken == 10
    shares[1].give_back()
    assert shares[0].take()
    again = Budget(10, 0, fetched=2, path=tmp_path / "budget")
    assert again.used() < 10


def test_pages_of_a_budget_are_taken_as_far_as_they_go(tmp_path: Path) -> None:
    one, other = (Budget(10, number, path=tmp_path / "budget") for number in range(2))
    assert [one.take(7), other.take(7), one.take(7)] == [7, 3, 0]
    one.give_back(5)
    assert (other.take(9), one.used(), one.spent) == (5, 10, True)
    one.pages = other.pages = 4
    assert one.take(1) == 0, "it was made smaller than what is used"
    endless = Budget(0)
    assert (endless.take(1000), endless.used(), endless.spent) == (1000, 1000, False)


def test_the_last_page_is_taken_once(tmp_path: Path) -> None:
    """One agent tries while another, which has counted but not yet reserved, is in the middle of taking."""
    one, other = (Budget(1, number, path=tmp_path / "budget") for number in range(2))
    took: list[int] = []
    meanwhile = threading.Thread(target=lambda: took.append(other.take()))

    class Slow(Budget):
        def used(self) -> int:
            pages = super().used()
            meanwhile.start()
            meanwhile.join(timeout=0.3)
            return pages

    one.__class__ = Slow
    took.append(one.take())
    meanwhile.join()
    assert sorted(took) == [0, 1]
    assert other.used() == 1


LATE_INDEXER = """
import os, sys
if sys.argv[1] == "indexer":
    sys.stdin.read()
os.execv(sys.executable, [sys.executable, "-m", "lycosa.supervision.processes", *sys.argv[1:]])
"""
"""The processes of a crawl, but the indexer comes to life only when it should already finish."""


def crawl(
    path: Path, mode: str, agents: int, command: Sequence[str] = COMMAND, **changes: object
) -> tuple[CrawlFolder, SimulatedWeb, list[str], Status, list]:  # type: ignore[type-arg]
    with serve_in_process(BOX) as served:
        web = SimulatedWeb.of(f"{BOX}&port={served.port}")
        seeds = web.roots()[:1]
        folder = CrawlFolder(path / "crawls" / "audited")
        folder.create(configured(served.port, seeds, agents=agents, mode=mode, **changes))
        status = asyncio.run(Fleet(folder, lambda status: None, command).run())
        return folder, web, seeds, status, served.requests()


def test_in_exchange_mode_every_page_is_found_once(tmp_path: Path) -> None:
    folder, web, seeds, status, requests = crawl(tmp_path, "exchange", 3)
    assert audit(folder, web, seeds, requests) == status.sums["fetched"]
    assert sum(agent["sent"] for agent in status.agents) == sum(agent["received"] for agent in status.agents) > 0
    assert sum(agent["fetched"] > 0 for agent in status.agents) >= 2


def test_in_firewall_mode_foreign_links_are_dropped_and_counted(tmp_path: Path) -> None:
    _, web, seeds, status, _ = crawl(tmp_path, "firewall", 3)
    assert status.refused["foreign"] > 0
    assert 0 < status.sums["fetched"] < len(web.reachable_from(seeds))


def test_in_cross_over_mode_nothing_is_missed_but_some_comes_twice(tmp_path: Path) -> None:
    folder, web, seeds, _, _ = crawl(tmp_path, "cross-over", 2)
    assert set(archived(folder)) >= {url for url in web.reachable_from(seeds) if "/private/" not in url}


def test_an_indexer_that_starts_late_still_finishes_its_work_once(tmp_path: Path) -> None:
    folder, _, _, status, _ = crawl(tmp_path, "exchange", 1, (sys.executable, "-c", LATE_INDEXER), pages=20)
    assert len(IndexReader(folder.index)) == status.sums["fetched"] > 0


def test_a_folder_has_one_owner(tmp_path: Path) -> None:
    with own(tmp_path / "lock", "it"), pytest.raises(CrawlError, match="in use by another process"):
        own(tmp_path / "lock", "it")
    own(tmp_path / "lock", "it").close()
