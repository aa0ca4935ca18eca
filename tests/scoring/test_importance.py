"""Importance: I(d) (C10) and the importance value (P4 to P6), by hand and by their invariants."""

from __future__ import annotations

import math
from statistics import median

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.click_records import PageClicks
from lycosa.configuration.settings import ConfigurationError
from lycosa.scoring.importance import (
    Medians,
    Spread,
    Spreads,
    bm25_scaled,
    importance,
    log_ranks,
    medians,
    ordered,
    placed_pages,
    scaled,
    shares,
    value_score,
)

VALUES = st.lists(st.floats(0, 1e9, allow_subnormal=False), max_size=30)
PRESENT = st.lists(st.floats(1e-3, 1e12), min_size=1, max_size=40)
PAGES = st.lists(
    st.builds(
        PageClicks,
        st.integers(0, 50).map("http://a.test/{}".format),
        visits=st.integers(0, 10**9),
        duration=st.integers(0, 10**14),
        length=st.integers(0, 10**7),
        ascii_sum=st.integers(0, 10**12),
        downloads=st.integers(0, 10**4),
    ),
    max_size=20,
    unique_by=lambda page: page.url,
)
KAKCHO = "http://blog.kakcho.com/"


# -- the page's record ------------------------------------------------------------------------------


def test_the_key_of_a_page_is_its_url_in_base64() -> None:
    assert PageClicks(KAKCHO).key == "aHR0cDovL2Jsb2cua2FrY2hvLmNvbS8="


# -- I(d) -------------------------------------------------------------------------------------------


def test_importance_is_that_of_a_calculation_by_hand() -> None:
    middle = medians([0, 2, 4, 6], [0, 0, 10_000, 30_000])
    assert middle == Medians(4.0, 20_000.0)
    assert importance(4, 20_000, middle).value == pytest.approx(2 * 0.5 + 0.5)
    assert importance(6, 30_000, middle).value == pytest.approx(2 * 6 / 10 + 30 / 50)
    assert importance(6, 30_000, middle, content=1).value == pytest.approx(6 / 10 + 30 / 50)
    assert importance(2, 0, middle).value == pytest.approx(2 * 2 / 6)
    assert importance(0, 10_000, middle).value == pytest.approx(1 / 3)
    assert importance(0, 0, middle).value == 0


def test_without_a_clickstream_a_page_lives_by_its_content() -> None:
    assert importance(3, 0, medians([1, 3, 5], [])).value == pytest.approx(2 * 0.5)
    assert importance(3, 500, Medians()).value == 0


@given(st.floats(0, 1e12), st.floats(0, 1e12), st.floats(1e-6, 1e9))
def test_more_of_a_measure_never_counts_less_and_is_never_capped(first: float, second: float, middle: float) -> None:
    less, more = sorted((first, second))
    assert 0 <= scaled(less, middle) <= scaled(more, middle) <= 1
    assert scaled(1e6 * middle, middle) < scaled(2e6 * middle, middle) < 1


@given(st.floats(0, 1e6), st.floats(0, 1e9), st.floats(0, 1e3), st.floats(0, 1e6), st.floats(1, 10))
def test_an_importance_is_the_sum_of_its_parts(
    okapi: float, rank: float, first: float, second: float, content: float
) -> None:
    found = importance(okapi, rank, Medians(first, second), content)
    assert found.value == pytest.approx(sum(part.value for part in found.parts))


@given(PRESENT)
def test_the_median_of_a_spread_is_right_to_within_a_per_cent(values: list[float]) -> None:
    assert Spread().moved((), values).median() == pytest.approx(median(values), rel=0.01)


@given(PRESENT, PRESENT)
def test_spreads_of_agents_add_up_whoever_counts(first: list[float], second: list[float]) -> None:
    one, other = Spread().moved((), first), Spread().moved((), second)
    assert one + other == Spread().moved((), first + second)
    assert (one + other).median() == (other + one).median()
    assert (one + other).moved(second, ()) == one


def test_spreads_travel_and_give_both_medians() -> None:
    told = Spreads(Spread().moved((), [2, 4, 6]), Spread().moved((), [0, 10_000, 30_000]))
    kept = msgspec.msgpack.decode(msgspec.msgpack.encode(told + Spreads()), type=Spreads)
    assert kept.medians().okapi == pytest.approx(4, rel=0.01)
    assert kept.medians().log_rank == pytest.approx(20_000, rel=0.01)
    assert Spreads().medians() == Medians()


# -- the importance value ---------------------------------------------------------------------------


def test_the_importance_value_is_that_of_the_vector() -> None:
    rows = [(73, 40, 753898, 5634244, 1), (10, 100, 60000, 200000, 0), (0, 20, 0, 0, 0)]
    scores = [value_score(*row).value for row in rows]
    assert scores == pytest.approx([159.808, 177.406, 30.0], abs=5e-4)
    assert shares(scores) == pytest.approx([43.519, 48.311, 8.170], abs=5e-4)


def test_the_vector_holds_for_pages_with_raw_bm25() -> None:
    pages = [
        PageClicks(KAKCHO, visits=73, duration=753898, ascii_sum=5634244, downloads=1),
        PageClicks("http://b.test/", visits=10, duration=60000, ascii_sum=200000),
    ]
    found = ordered(placed_pages(pages, {KAKCHO: 10.0, "http://b.test/": 31.0, "http://c.test/": 5.0}))
    assert [page.clicks.url for page in found] == ["http://b.test/", KAKCHO, "http://c.test/"]
    assert [page.iv for page in found] == pytest.approx([48.311, 43.519, 8.170], abs=5e-4)
    assert [page.relevance for page in found] == pytest.approx([100, 40, 20])


@pytest.mark.parametrize(("raw", "scale"), [(0, 0), (10, 40), (25, 100), (26, 100), (1e9, 100), (-3, 0)])
def test_bm25_is_taken_from_nought_to_twenty_five(raw: float, scale: float) -> None:
    assert bm25_scaled(raw) == pytest.approx(scale)


@pytest.mark.parametrize(("spent", "ascii_sum"), [(0, 0), (0, 900), (900, 0), (0.5, 1), (0.001, 999), (1, 1)])
def test_the_term_of_time_and_text_is_nothing_below_one(spent: float, ascii_sum: float) -> None:
    assert value_score(0, 0, spent, ascii_sum, 0).value == 0


@given(PAGES, st.dictionaries(st.integers(0, 60).map("http://a.test/{}".format), st.floats(0, 60), max_size=10))
def test_the_values_of_a_list_add_up_to_a_hundred(pages: list[PageClicks], bm25: dict[str, float]) -> None:
    found = placed_pages(pages, bm25)
    assert {page.clicks.url for page in found} == {page.url for page in pages} | bm25.keys()
    whole = math.fsum(page.iv for page in found)
    if any(page.score.value > 0 for page in found):
        assert whole == pytest.approx(100)
    else:
        assert whole == 0
    assert all(page.score.value == pytest.approx(sum(part.value for part in page.score.parts)) for page in found)


def test_a_list_of_nothing_is_worth_nothing() -> None:
    assert shares([]) == []
    assert shares([0.0, 0.0]) == [0.0, 0.0]
    assert [page.iv for page in placed_pages([PageClicks("http://a.test/")], {"http://b.test/": 0.0})] == [0, 0]


def test_the_document_s_length_may_stand_for_the_time() -> None:
    page = PageClicks("http://a.test/", duration=1000, length=50, ascii_sum=100)
    (by_time,), (by_length,) = placed_pages([page], {}), placed_pages([page], {}, spent="length")
    assert by_time.score.value == pytest.approx(0.75 * math.log(1000 * 100))
    assert by_length.score.value == pytest.approx(0.75 * math.log(50 * 100))
    with pytest.raises(ConfigurationError, match=r"clicks\.spent.*duration, length"):
        placed_pages([page], {}, spent="size")


# -- the lists --------------------------------------------------------------------------------------


def test_views_without_an_end_last_as_long_as_is_usual_on_the_page_or_its_site() -> None:
    pages = [
        PageClicks("http://a.test/1", duration=40_000, unended=2, spans={10: 1, 30: 1}),
        PageClicks("http://a.test/2", unended=3),
        PageClicks("http://a.test/3", duration=60_000, spans={60: 1}),
        PageClicks("http://b.test/1", unended=3),
    ]
    assert log_ranks(pages) == [40_000 + 2 * 20_000, 3 * 30_000, 60_000, 0]


def test_each_order_puts_its_own_page_first() -> None:
    pages = [
        PageClicks("http://a.test/visited", visits=500, duration=1),
        PageClicks("http://a.test/read", visits=1, duration=10**9),
        PageClicks("http://a.test/matching", visits=2, duration=10),
    ]
    found = placed_pages(pages, {"http://a.test/matching": 24.0, "http://a.test/read": 3.0})
    first = {by: ordered(found, by)[0].clicks.url.rpartition("/")[2] for by in ("visits", "lr", "bm25", "i", "iv")}
    assert first == {"visits": "visited", "lr": "read", "bm25": "matching", "i": "matching", "iv": "visited"}
    with pytest.raises(ConfigurationError, match="no order named 'size'"):
        ordered(found, "size")


def test_equal_pages_are_ordered_by_their_urls() -> None:
    found = placed_pages([], {"http://b.test/": 1.0, "http://a.test/": 1.0})
    assert [page.clicks.url for page in ordered(found)] == ["http://a.test/", "http://b.test/"]


@given(VALUES, VALUES)
def test_medians_look_only_at_pages_that_have_any(okapi: list[float], ranks: list[float]) -> None:
    found = medians(okapi, ranks)
    for value, values in ((found.okapi, okapi), (found.log_rank, ranks)):
        present = [each for each in values if each > 0]
        assert value == (median(present) if present else 0)
