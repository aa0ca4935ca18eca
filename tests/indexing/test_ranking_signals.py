"""What is known of pages reaches their scores, and no campaign moves one beyond the cap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from lycosa.click_records import ClickEvent, PageClicks, Source, bits_of, day_of
from lycosa.configuration.sections import Clicks
from lycosa.configuration.settings import build
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.indexing.ranking_signals import PageSignals, ResultOrders
from lycosa.plugins.plug_points import NOTHING, Signal
from lycosa.records import Page
from lycosa.search.index import Document, Hit, IndexReader, IndexWriter
from lycosa.search.query import understand
from lycosa.search.ranking import page_key
from lycosa.storage.click_store import ClickStore

NOW = 1_790_000_000.0
TODAY = day_of(NOW)
SITE = "a.example"
URLS = [f"https://{SITE}/{number}" for number in range(10)]
TARGET = URLS[7]
CAP = 0.3


@pytest.fixture
def folder(tmp_path: Path) -> CrawlFolder:
    """A crawl of ten pages on bees, each a little worse than the one before, with a clickstream."""
    made = CrawlFolder(tmp_path / "home" / "crawls" / "bees")
    made.create(build({"name": "bees", "clicks": {"source": "store"}}))
    writer = IndexWriter(made.index, 15_000_000)
    for number, url in enumerate(URLS):
        writer.add(Document(Page(url, "", text="bees " * 20 + "hive " * number), at=NOW))
    writer.commit({})
    writer.close()
    return made


@pytest.fixture
def visits(folder: CrawlFolder) -> Iterator[ClickStore]:
    """The home's store, with what honest visitors did."""
    with ClickStore(folder.path.parent.parent / "clicks") as store:
        for number, url in enumerate(URLS):
            store.add_events([event(url, visitor, number=0) for visitor in range(5 + number % 3)])
        yield store


@pytest.fixture
def searches(folder: CrawlFolder) -> Iterator[ClickStore]:
    """The crawl's own store, with what honest people chose of what they were shown."""
    with ClickStore(folder.path / "clicks") as store:
        for _ in range(30):
            store.add_shown("bees", URLS, day=TODAY)
        for visitor in range(20):
            store.add_chosen("bees", URLS[0], 1, visitor.to_bytes(16, "big"), TODAY)
        yield store


def event(url: str, visitor: int, number: int = 0, view: int = 0, **more: Any) -> ClickEvent:
    name = visitor.to_bytes(16, "big")
    seen = (visitor << 32 | view).to_bytes(8, "big") + url.encode()[-4:]
    told = {"active": 3000, "dwell": 9000, "ascii_sum": 100_000, "actions": {1: 1, 13: 1}} | more
    return ClickEvent(SITE, url, NOW, TODAY, name, seen, number, **told)


def hits(folder: CrawlFolder) -> dict[str, Hit]:
    order = ResultOrders(folder, rest=0.0).of("bees")
    found = IndexReader(folder.index).search(understand("bees"), len(URLS), order=order)
    return {hit.url: hit for hit in found.hits}


def scores(folder: CrawlFolder) -> dict[str, float]:
    return {url: hit.score for url, hit in hits(folder).items()}


def signals(folder: CrawlFolder, urls: Sequence[str] = URLS, query: str = "bees", **settings: Any) -> list[Signal]:
    known = PageSignals(folder)
    known.look(Clicks(**settings))
    return list(known.of([page_key(url) for url in urls], query))


def moved_within_the_cap(before: dict[str, float], after: dict[str, float], words: dict[str, float]) -> None:
    for url in URLS:
        assert words[url] <= after[url] <= words[url] * (1 + CAP) * (1 + 1e-9), url
        assert after[url] <= before[url] * (1 + CAP) * (1 + 1e-9), url


# -- what is known ------------------------------------------------------------------------------------


def test_without_any_click_nothing_is_known_and_no_store_is_made(folder: CrawlFolder) -> None:
    assert signals(folder, source="store") == [NOTHING] * len(URLS)
    assert not (folder.path / "clicks").exists()
    assert [page.rpartition("/")[2] for page in hits(folder)] == [str(number) for number in range(10)]


def test_visits_count_only_where_the_crawl_names_a_clickstream(folder: CrawlFolder, visits: ClickStore) -> None:
    assert signals(folder) == [NOTHING] * len(URLS)
    found = signals(folder, source="store")
    assert [signal.visitors for signal in found] == [5 + number % 3 for number in range(10)]
    assert all(0 < signal.importance < 1 for signal in found)
    assert found[2].importance > found[1].importance > found[0].importance


def test_the_page_weight_is_that_of_frequent_actions(folder: CrawlFolder) -> None:
    sets = {bits_of((8, 1)): 12, bits_of((8,)): 4, bits_of((10,)): 4}
    with ClickStore(folder.path.parent.parent / "clicks") as store:
        store.add_pages(SITE, Source.BEACON, [PageClicks(URLS[3], 20, 20, sets=sets), PageClicks(URLS[4], 20, 20)])
    heavy, plain = signals(folder, URLS[3:5], source="store")
    assert heavy.weight == pytest.approx(12 / 16 + 1)
    assert heavy.behaviour == pytest.approx(0.5 * 20 / 30), "the usual weight, of twenty visitors"
    assert plain.weight == plain.behaviour == 0.0


def test_for_a_frequent_query_the_weight_of_those_who_came_by_it_wins(
    folder: CrawlFolder, searches: ClickStore
) -> None:
    searches.add_events(
        [event(URLS[1], visitor, source=Source.SEARCH, query="Bees", actions={1: 1, 2: 1}) for visitor in range(8)]
        + [event(URLS[1], 100 + visitor, source=Source.SEARCH, actions={3: 1}) for visitor in range(40)]
    )
    by_query, by_page = (signals(folder, [URLS[1]], query)[0] for query in ("bees", "hive"))
    assert by_query.by_query
    assert by_query.weight == pytest.approx(2.0)
    assert not by_page.by_query
    assert by_page.weight == 0.0, "most did only one thing"


def test_choices_count_for_their_query_however_it_is_typed(folder: CrawlFolder, searches: ClickStore) -> None:
    first, *others = signals(folder, query=" BEES ")
    assert first.chosen == 20
    assert first.clicks > 0
    assert [signal.clicks for signal in others] == [0.0] * 9
    assert signals(folder, query="hive") == [NOTHING] * len(URLS)


def test_what_was_counted_since_is_seen(folder: CrawlFolder, searches: ClickStore) -> None:
    known = PageSignals(folder, rest=0.0)
    for expected in (20, 21):
        known.look(Clicks())
        assert known.of([page_key(URLS[0])], "bees")[0].chosen == expected
        searches.add_chosen("bees", URLS[0], 1, b"n" * 16, TODAY)


def test_a_store_that_cannot_be_read_leaves_the_words_to_decide(folder: CrawlFolder) -> None:
    words = scores(folder)
    (folder.path / "clicks").mkdir()
    (folder.path / "clicks" / "data.mdb").write_bytes(b"no store" * 4096)
    assert scores(folder) == pytest.approx(words)


def test_settings_of_the_crawl_count_from_the_next_search_on(folder: CrawlFolder, searches: ClickStore) -> None:
    orders = ResultOrders(folder)
    reader = IndexReader(folder.index)
    before = reader.search(understand("bees"), 1, order=orders.of("bees")).hits[0].score
    folder.change("ranking.by_clicks=0", "ranking.by_freshness=0")
    after = reader.search(understand("bees"), 1, order=orders.of("bees")).hits[0]
    plain = reader.search(understand("bees"), 1).hits[0].score
    assert before > after.score == plain


# -- campaigns ----------------------------------------------------------------------------------------


def test_one_actor_with_100_000_forged_events_counts_once(
    folder: CrawlFolder, visits: ClickStore, searches: ClickStore
) -> None:
    with_nothing = _words(folder)
    before = scores(folder)
    for begin in range(0, 90_000, 10_000):
        visits.add_events([event(TARGET, 666, view=view, active=86_400_000) for view in range(begin, begin + 10_000)])
    visits.add_events([event(TARGET, 666, number=again, view=0) for again in range(1, 5_001)])
    visits.add_events([event(TARGET, 666, view=1) for _ in range(4_000)])
    counted = sum(searches.add_chosen("bees", TARGET, 8, (666).to_bytes(16, "big"), TODAY) for _ in range(1_000))
    assert counted == 1
    page = visits.page(SITE, TARGET)
    assert page is not None
    assert page.visitors == 5 + 7 % 3 + 1, "the honest ones, and one more"
    after = scores(folder)
    moved_within_the_cap(before, after, with_nothing)
    assert after[TARGET] <= before[TARGET] * 1.03, "far less than the cap: one visitor of one day"


def test_a_thousand_actors_reach_the_cap_at_most(folder: CrawlFolder, visits: ClickStore, searches: ClickStore) -> None:
    with_nothing = _words(folder)
    before = scores(folder)
    actors = range(10_000, 11_000)
    wild = dict.fromkeys(range(1, 16), 1)
    visits.add_events([event(TARGET, actor, active=86_400_000, actions=wild, downloads=1000) for actor in actors])
    searches.add_events([event(TARGET, actor, source=Source.SEARCH, query="bees", actions=wild) for actor in actors])
    for actor in actors:
        searches.add_shown("bees", [TARGET], 8, day=TODAY)
        searches.add_chosen("bees", TARGET, 8, actor.to_bytes(16, "big"), TODAY)
    after = scores(folder)
    moved_within_the_cap(before, after, with_nothing)
    hit = hits(folder)[TARGET]
    assert hit.why is not None
    assert after[TARGET] > before[TARGET] * 1.05, "a campaign that does nothing would test nothing"
    assert "at most 0.3" in "\n".join(hit.why.lines())


def _words(folder: CrawlFolder) -> dict[str, float]:
    """The scores without what people did."""
    folder.change("ranking.cap=0")
    found = scores(folder)
    folder.change(f"ranking.cap={CAP}")
    return found
