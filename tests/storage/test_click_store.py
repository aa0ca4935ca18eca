"""The click store: counts add up, nothing counts twice, nobody can be named afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.click_records import Action, ClickEvent, PageClicks, Source, WatchedSite, bits_of, median_span, visitor_id
from lycosa.configuration.settings import ConfigurationError
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys

SITE, PAGE = "example.org", "http://example.org/"
counts = st.dictionaries(st.integers(1, 2000), st.integers(1, 50), max_size=5)


def event(
    number: int = 0,
    *,
    view: bytes = b"view-one",
    visitor: bytes = b"v" * 16,
    day: int = 100,
    actions: dict[int, int] | None = None,
    rating: int = 0,
    query: str = "",
) -> ClickEvent:
    return ClickEvent(
        SITE, PAGE, day * 86400.0, day, visitor, view, number, active=500, dwell=900,
        ascii_sum=7, actions=actions or {}, rating=rating, query=query,
    )  # fmt: skip


def page_clicks() -> st.SearchStrategy[PageClicks]:
    return st.builds(
        PageClicks,
        st.just(PAGE),
        st.integers(0, 99),
        st.integers(0, 99),
        st.integers(0, 10**6),
        st.integers(0, 9),
        counts,
    )


@given(page_clicks(), page_clicks(), page_clicks())
def test_joining_pages_does_not_depend_on_the_grouping(a: PageClicks, b: PageClicks, c: PageClicks) -> None:
    assert a.joined(b).joined(c) == a.joined(b.joined(c))


@given(st.lists(st.integers(0, 1800), min_size=1, max_size=40))
def test_the_median_of_counted_times_is_that_of_the_times(times: list[int]) -> None:
    ordered = sorted(times)
    middle = len(ordered) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    assert median_span({time: times.count(time) for time in times}) == 1000 * median


def test_a_pages_key_is_its_url_in_base64() -> None:
    assert PageClicks("http://blog.kakcho.com/").key == "aHR0cDovL2Jsb2cua2FrY2hvLmNvbS8="


def test_unended_visits_take_the_pages_median_or_the_sites() -> None:
    assert PageClicks(PAGE, visits=3, duration=30_000, unended=1, spans={10: 1, 20: 1}).log_rank(99.0) == 45_000
    assert PageClicks(PAGE, visits=1, unended=1).log_rank(7_000) == 7_000


def test_counts_of_a_page_add_up_and_sources_stay_apart(tmp_path: Path) -> None:
    with ClickStore(tmp_path) as store:
        store.add_pages(SITE, Source.LOG, [PageClicks(PAGE, 2, 1, 1000)], marks={"a": b"1"})
        store.add_pages(SITE, Source.LOG, [PageClicks(PAGE, 3, 1, 500)], marks={"a": None}, refusals={"robot": 2})
        store.add_events([event(actions={1: 2})])
        assert store.page(SITE, PAGE) == PageClicks(
            PAGE, 5, 2, 1500, ascii_sum=7, created=8640000.0, last_access=8640000.0, actions={1: 2}, sets={1: 1}
        )
        assert [page.visits for page in store.pages(SITE, Source.BEACON)] == [1]
        assert store.mark("a") is None
        assert store.refusals(SITE) == {"robot": 2}
        assert [page.url for page in store.pages()] == [PAGE]


def test_an_event_counts_once_whatever_the_order(tmp_path: Path) -> None:
    with ClickStore(tmp_path) as store:
        assert store.add_events([event(2), event(0), event(0), event(2), event(1)]) == 2
        assert store.add_events([event(1), event(80), event(3)], {("", "malformed"): 3}) == 2
        found = store.page(SITE, PAGE)
        assert found is not None
        assert (found.visits, found.duration) == (1, 4 * 500)
        assert store.refusals() == {"replay": 4, "malformed": 3}
        assert store.refusals("") == {"malformed": 3}


def test_a_view_over_midnight_is_still_the_same_view(tmp_path: Path) -> None:
    with ClickStore(tmp_path) as store:
        assert store.add_events([event(0, day=100), event(1, day=101), event(1, day=101), event(0, day=101)]) == 2


def test_a_visitor_counts_once_a_day_and_moves_from_set_to_set(tmp_path: Path) -> None:
    with ClickStore(tmp_path) as store:
        store.add_events([event(0, actions={Action.SCROLL: 3}, rating=4)])
        store.add_events([event(1, actions={Action.COPY: 1}, rating=2), event(0, view=b"view-two")])
        store.add_events([event(0, view=b"view-3..", visitor=b"w" * 16)])
        found = store.page(SITE, PAGE)
        assert found is not None
        assert (found.visits, found.visitors) == (3, 2)
        assert found.sets == {bits_of([1, 2]): 1, 0: 1}
        assert (found.ratings, found.rating_sum) == (1, 2)
        rows = list(store.behaviours(SITE))
        assert {(row.visits, row.active) for row in rows} == {(2, 1500), (1, 500)}
        assert list(store.behaviours("elsewhere.example")) == []


def test_what_visitors_of_a_query_did_is_kept_for_that_query(tmp_path: Path) -> None:
    with ClickStore(tmp_path) as store:
        store.add_events(
            [event(0, query="Wolf  Spiders", actions={1: 1}), event(1, query="wolf spiders", actions={2: 1})]
        )
        assert store.query_sets("wolf spiders") == {PAGE: {3: 1}}
        assert len(list(store.behaviours())) == 1


def test_results_can_be_chosen_only_where_they_were_shown_and_once_a_day(tmp_path: Path) -> None:
    with ClickStore(tmp_path) as store:
        store.add_shown("Burrow", [PAGE, "http://example.org/b"], day=9)
        store.add_shown("burrow", ["http://example.org/b"], 11, day=9)
        assert not store.add_chosen("burrow", PAGE, 2, b"v" * 16, 9)
        assert store.add_chosen("burrow", PAGE, 1, b"v" * 16, 9)
        assert not store.add_chosen("burrow", PAGE, 1, b"w" * 16, 9), "more choices than showings are no choices"
        store.add_shown("burrow", [PAGE], day=10)
        assert not store.add_chosen("burrow", PAGE, 1, b"v" * 16, 9)
        assert store.add_chosen("burrow", PAGE, 1, b"v" * 16, 10)
        assert {(each.url, each.shown[:1], each.chosen) for each in store.shown("BURROW")} == {
            (PAGE, (2,), (2,)),
            ("http://example.org/b", (0,), ()),
        }
        assert store.queries() == {"burrow": 2}


def test_forgetting_removes_days_but_not_totals(tmp_path: Path) -> None:
    with ClickStore(tmp_path) as store:
        store.add_events([event(0, day=10), event(0, day=20, view=b"view-two", visitor=b"w" * 16)])
        store.add_shown("burrow", [PAGE], day=10)
        assert store.forget(15) == 4
        assert [row.day for row in store.behaviours()] == [20]
        assert store.queries() == {}
        found = store.page(SITE, PAGE)
        assert found is not None
        assert found.visits == 2


def test_dropping_a_site_leaves_nothing_of_it(tmp_path: Path) -> None:
    with ClickStore(tmp_path) as store:
        store.put_site(WatchedSite(SITE, "key", ("https://example.org",)))
        store.add_pages(
            SITE, Source.LOG, [PageClicks(PAGE, 1)], marks={f"import:{SITE}:1": b"x"}, refusals={"robot": 1}
        )
        store.add_events([event(query="burrow")])
        assert store.query_sets("burrow")
        store.add_pages("other.example", Source.LOG, [PageClicks("http://other.example/", 1)])
        store.drop_site(SITE)
        assert [site.name for site in store.sites()] == ["other.example"]
        assert store.query_sets("burrow") == {}
        assert [page.url for page in store.pages()] == ["http://other.example/"]
        assert (list(store.behaviours()), store.refusals(), list(store.marks("import:"))) == ([], {}, [])


def test_dropping_a_page_leaves_the_others(tmp_path: Path) -> None:
    with ClickStore(tmp_path) as store:
        store.add_pages(SITE, Source.LOG, [PageClicks(PAGE, 1), PageClicks("http://example.org/b", 2)])
        store.add_events([event(query="burrow")])
        assert store.drop_page(SITE, PAGE)
        assert not store.drop_page(SITE, PAGE)
        assert [page.url for page in store.pages()] == ["http://example.org/b"]
        assert (list(store.behaviours()), store.query_sets("burrow")) == ([], {})


def test_a_store_can_be_opened_while_another_thread_writes(tmp_path: Path) -> None:
    def count(number: int) -> None:
        with ClickStore(tmp_path) as store:
            view = number.to_bytes(8, "big")
            store.add_events([event(0, view=view, visitor=view * 2)])

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(count, range(300)))
    with ClickStore(tmp_path, readonly=True) as store:
        found = store.page(SITE, PAGE)
    assert found is not None
    assert found.visits == 300


def test_reading_where_nothing_was_counted_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="clicks import"):
        ClickStore(tmp_path / "none", readonly=True)


def test_every_acknowledged_event_survives_a_kill(tmp_path: Path) -> None:
    """A process counts one event after another and says so; killed in the midst, all it said is there."""
    script = (
        "import sys; from pathlib import Path; from lycosa.click_records import ClickEvent; "
        "from lycosa.storage.click_store import ClickStore\n"
        f"store = ClickStore(Path({str(tmp_path)!r}))\n"
        "for number in range(100000):\n"
        "    view = number.to_bytes(8, 'big')\n"
        f"    store.add_events([ClickEvent({SITE!r}, {PAGE!r}, 1.0, 0, view * 2, view, 0)])\n"
        "    print(number, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as counting:
        assert counting.stdout is not None
        said = [int(counting.stdout.readline()) for _ in range(30)]
        os.kill(counting.pid, signal.SIGKILL)
        said += [int(line) for line in counting.stdout if line.endswith("\n")]
    with ClickStore(tmp_path, readonly=True) as store:
        found = store.page(SITE, PAGE)
    assert found is not None
    assert len(said) <= found.visits <= len(said) + 1


def test_a_destroyed_key_is_never_made_again(tmp_path: Path) -> None:
    keys = DayKeys(tmp_path)
    first = keys.key(100)
    assert first is not None
    assert keys.key(100) == DayKeys(tmp_path).key(100) == first
    assert keys.key(101) != first
    assert keys.destroy(101 * 86400.0) == [100]
    assert keys.key(100) is None
    assert keys.days() == [101]
    assert first not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_visitor_has_another_name_under_another_key() -> None:
    assert visitor_id(b"k" * 32, b"10.0.0.1", b"agent") != visitor_id(b"l" * 32, b"10.0.0.1", b"agent")
    assert visitor_id(b"k" * 32, b"10.0.0.1", b"agent") != visitor_id(b"k" * 32, b"10.0.0.", b"1agent")
