"""The ledger: the harvest curve of all agents, read a little at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_crawl import LONG_AGO, a_crawl, keep

from lycosa.interface.views import crawl_statistics as ledger
from lycosa.interface.views.crawl_statistics import MOST_POINTS, Ledger, Overview, Tally, growth
from lycosa.interface.views.open_crawls import Library
from lycosa.queue_records import Changes
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.catalogue import VisitRow


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "LOOK_EVERY", 0.0)


VISITS = st.lists(st.tuples(st.integers(0, 2), st.booleans()), max_size=50)


@given(VISITS)
def test_the_curve_is_the_share_of_relevant_pages_after_each_page(visits: list[tuple[int, bool]]) -> None:
    tallies = [Tally(), Tally(), Tally()]
    expected, good = [], 0
    for place, (agent, relevant) in enumerate(visits, 1):
        tallies[agent].take(float(place), relevant)
        good += relevant
        expected.append((float(place), good / place))
    assert Overview(growth(tallies)).curve == tuple(expected)


@pytest.mark.parametrize("pages", [1, 299, 300, 601, 602, 5000, 12_345])
def test_a_long_curve_is_thinned_but_keeps_its_end(pages: int) -> None:
    tally = Tally()
    for place in range(pages):
        tally.take(float(place), place % 4 == 0)
    curve = Overview(growth([tally])).curve
    assert len(tally.steps()) <= 2 * MOST_POINTS + 1
    assert min(pages, MOST_POINTS) * 0.9 <= len(curve) <= MOST_POINTS
    assert curve[-1] == (pages, -(-pages // 4) / pages)
    assert all(abs(harvest - 0.25) < 1.0 / count for count, harvest in curve)


def test_agents_are_merged_by_time_and_failures_are_no_pages(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, "two", agents=2)
    keep(folder, 0, [0.9, None, 0.0])
    keep(folder, 1, [0.0, 0.2], begin=LONG_AGO + 0.5)
    overview = Ledger(folder).look()
    assert overview.curve == ((1, 1.0), (2, 0.5), (3, pytest.approx(2 / 3)), (4, 0.5))
    assert [site.site for site in overview.sites] == ["https://site0.example", "https://site1.example"]
    assert overview.growth[-1] == (LONG_AGO + 2, 4, 2)
    assert overview.examples == {"timeout": ("https://site0.example/1",)}
    assert overview.whole
    assert not overview.trouble


def test_a_few_of_the_latest_failures_are_kept_for_each_of_a_few_reasons() -> None:
    tally = Tally()
    for number in range(100):
        tally.miss("timeout", f"https://a.example/{number}")
    for number in range(1000):
        tally.miss(f"reason {number}", "https://b.example/")
    assert list(tally.examples["timeout"]) == [f"https://a.example/{number}" for number in range(95, 100)]
    assert len(tally.examples) == ledger.MOST_REASONS


def add_row(store: Path, relevance: float) -> None:
    with AgentStore(store) as opened:
        opened.commit(
            Batch(Changes(), [VisitRow("https://a.example/", LONG_AGO + 99, 0, "fetched", relevance=relevance)])
        )


def test_a_ledger_goes_on_where_it_stopped_also_after_rolling(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, "grows")
    keep(folder, 0, [0.9, 0.1])
    read = Ledger(folder)
    assert read.look().curve[-1] == (2, 0.5)
    store = folder.agent(0) / "store"
    with AgentStore(store) as opened:
        assert catalogue.roll(opened, 2) == 2
    add_row(store, 0.9)
    assert read.look().curve[-1] == (3, pytest.approx(2 / 3))
    assert Ledger(folder).look().curve == read.look().curve


def test_a_changed_threshold_counts_anew(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, "strict")
    keep(folder, 0, [0.9, 0.4])
    read = Ledger(folder)
    assert read.look().curve[-1] == (2, 1.0)
    folder.change("topic.threshold=0.5")
    assert read.look().curve[-1] == (2, 0.5)


def test_a_look_is_short_and_later_looks_read_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "LOOK_FOR", 0.0)
    folder = a_crawl(tmp_path, "long")
    keep(folder, 0, [0.9] * 1000)
    read = Ledger(folder)
    seen = [read.look() for _ in range(4)]
    assert [overview.curve[-1][0] for overview in seen] == [256, 512, 768, 1000]
    assert [overview.whole for overview in seen] == [False, False, False, True]


def test_looks_in_quick_succession_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "LOOK_EVERY", 3600.0)
    folder = a_crawl(tmp_path, "calm")
    keep(folder, 0, [0.9])
    read = Ledger(folder)
    first = read.look()
    add_row(folder.agent(0) / "store", 0.9)
    assert read.look() is first


def test_no_store_stays_open_between_looks(tmp_path: Path) -> None:
    """Two ledgers over one crawl, and then its owner: opening a store twice in one process would fail."""
    folder = a_crawl(tmp_path, "open")
    keep(folder, 0, [0.9])
    first, second = Ledger(folder), Ledger(folder)
    assert first.look().curve == second.look().curve == ((1, 1.0),)
    add_row(folder.agent(0) / "store", 0.1)
    assert second.look().curve[-1] == (2, 0.5)


def test_a_damaged_store_is_told_not_raised(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, "hurt")
    keep(folder, 0, [0.9])
    (folder.agent(0) / "store" / "data.mdb").write_bytes(b"no store at all" * 1000)
    overview = Library(tmp_path).overview(folder)
    assert overview.trouble == "'hurt' is damaged: run `lycosa check hurt`"
    assert overview.curve == ()


def test_a_crawl_without_agents_has_an_empty_curve(tmp_path: Path) -> None:
    assert Ledger(a_crawl(tmp_path, "young")).look().curve == ()
