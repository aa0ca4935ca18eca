"""What the catalogue says about changes: histories of pages, and whose claims can be believed."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from lycosa.crawl_folder.suspect_pages import TOO_COSTLY
from lycosa.crawling.lastmod_claims import Claims
from lycosa.freshness.change_history import MOST_SAMPLED, SAMPLED, Looks, newer
from lycosa.storage.catalogue import VisitRow
from lycosa.urls import site_of

SITE = "http://example.org"
DAY = 86_400.0


def row(
    path: str, at: float, digest: str, outcome: str = "fetched", claimed: float | None = None, site: str = SITE
) -> VisitRow:
    return VisitRow(f"{site}/{path}", at, 0, outcome, digest=digest, relevance=0.5, claimed=claimed)


def test_a_page_changed_where_its_text_did() -> None:
    looks = Looks.of(
        [row("a", 1 * DAY, "x"), row("a", 2 * DAY, "x"), row("a", 3 * DAY, "y"), row("a", 4 * DAY, "", "unchanged")]
    )
    history = looks.pages[f"{SITE}/a"].history
    assert (history.looks, history.changed, history.last) == (4, 1, 4 * DAY)
    assert looks.pages[f"{SITE}/a"].digest == "y"
    assert Looks.of([row("a", DAY, "", "failed")]).pages == {}


def test_a_page_that_became_too_costly_to_read_is_looked_at_no_more() -> None:
    costly = VisitRow(f"{SITE}/a", 2 * DAY, 0, "failed", TOO_COSTLY)
    assert set(Looks.of([row("a", DAY, "x"), row("b", DAY, "x"), costly]).pages) == {f"{SITE}/b"}


def test_only_pages_that_a_believed_site_calls_unchanged_are_left_alone() -> None:
    looks = Looks.of([row(path, 10.5 * DAY, "x") for path in "abc"])
    claimed = {f"{SITE}/a": 5.2 * DAY, f"{SITE}/b": 11.2 * DAY}
    assert set(looks.worth_a_look(claimed)) == {f"{SITE}/b", f"{SITE}/c"}
    looks.claims[SITE] = Claims(true=1, false=9)
    assert set(looks.worth_a_look(claimed)) == set(looks.pages)


def test_a_site_that_always_claims_a_change_is_not_believed_after_a_few_looks() -> None:
    rows = [row(str(page), 0.0, "x") for page in range(20)]
    rows += [row(str(page), DAY, "x" if page else "y", claimed=0.9 * DAY) for page in range(20)]
    assert not Looks.of(rows).believes(SITE)
    honest = [row(str(page), 0.0, "x") for page in range(20)]
    honest += [row(str(page), DAY, "y", claimed=0.9 * DAY) for page in range(20)]
    assert Looks.of(honest).believes(SITE)
    silent = [row(str(page), 0.0, "x") for page in range(20)]
    silent += [row(str(page), DAY + 9.0, "y", claimed=-3 * DAY - 7) for page in range(20)]
    assert not Looks.of(silent).believes(SITE), "changes that it never tells of"


def test_a_time_written_to_the_second_or_to_the_day_leaves_room() -> None:
    assert newer(100.0, 100.7)
    assert not newer(100.0, 101.5)
    assert newer(10 * DAY, 10.9 * DAY)
    assert not newer(10 * DAY, 11.1 * DAY)


def test_what_a_site_keeps_silent_about_is_judged_apart_from_what_it_claims() -> None:
    first = [row(str(page), 0.5 * DAY, "x") for page in range(40)]
    told = [row(str(page), DAY, "y", claimed=0.9 * DAY + 1) for page in range(20)]
    unsaid = [row(str(page), DAY, "y", claimed=-3 * DAY + 7) for page in range(20, 24)]
    looks = Looks.of([*first, *told, *unsaid])
    assert looks.claims[SITE].truthful
    assert looks.claims[SITE].keeps_silent
    claimed = {f"{SITE}/1": 2 * DAY, f"{SITE}/30": -3 * DAY}
    assert looks.said_to_have_changed(f"{SITE}/1", claimed), "a change that it claims is still worth a look"
    assert looks.may_have_changed(f"{SITE}/30", claimed), "its silence says nothing"
    assert not Looks.of([*first, *told]).may_have_changed(f"{SITE}/30", claimed)


def test_one_silent_change_among_many_looks_is_forgiven_and_silence_can_be_believed_again() -> None:
    claims = Claims()
    for place in range(60):
        claims.note(claimed=False, changed=place == 50, at=float(place))
    assert claims.believed
    for _ in range(10):
        claims.note(claimed=False, changed=True, at=60.0)
    assert not claims.believed
    looks = 0
    while not claims.believed:
        claims.note(claimed=False, changed=False, at=61.0)
        looks += 1
    assert 20 < looks < 200


@given(st.lists(st.integers(1, 400), min_size=1, max_size=8), st.integers(1, 60), st.integers(0, 9))
def test_a_sample_is_small_spread_over_sites_and_only_of_pages_left_alone(
    sizes: list[int], most: int, seed: int
) -> None:
    rows = [row(str(page), DAY, "x", site=f"https://s{site}.test") for site, n in enumerate(sizes) for page in range(n)]
    looks = Looks.of(rows)
    claimed = {each.url: 2 * DAY if place % 10 == 0 else -DAY for place, each in enumerate(rows)}
    alone = looks.called_unchanged(claimed)
    drawn = looks.sample(claimed, most, Random(seed))
    assert drawn == looks.sample(claimed, most, Random(seed))
    by_site = Counter(site_of(url) for url in drawn)
    assert len(set(drawn)) == len(drawn) <= most
    assert all(url in alone[site_of(url)] for url in drawn)
    assert all(number <= max(1, round(SAMPLED * len(alone[site]))) <= MOST_SAMPLED for site, number in by_site.items())
    assert len(by_site) == min(most, len(alone)), "one page of each site before the second of any"


def test_sites_whose_silence_was_not_checked_for_longest_come_first() -> None:
    rows = [row(str(page), DAY, "x", site=f"https://s{site}.test") for site in range(4) for page in range(9)]
    looks = Looks.of(rows)
    for site in (0, 1, 3):
        looks.claims[f"https://s{site}.test"] = Claims(still=1, checked=DAY * (site + 1))
    claimed = dict.fromkeys(looks.pages, -DAY)
    assert [site_of(url)[9] for url in looks.sample(claimed, 3, Random(0))] == ["2", "0", "1"]
