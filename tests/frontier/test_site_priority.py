"""The order of sites: most new links first, counted anew after each choice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lycosa.frontier.site_priority import SitePlace, ordered_sites


def plainly(sitemaps: dict[str, list[str]]) -> list[SitePlace]:
    """The definition, word by word."""
    left, found = {site: set(links) for site, links in sitemaps.items()}, []
    while left:
        best = min(left, key=lambda site: (-len(left[site]), site))
        new = left.pop(best)
        found.append(SitePlace(best, len(new)))
        for links in left.values():
            links -= new
    return found


def test_the_worked_example() -> None:
    sitemaps = {
        "A": ["a1", "a2", "a3", "a4"],
        "B": ["b1", "b2", "a1", "b3"],
        "C": ["c1", "c2", "c3"],
        "D": ["d1", "d2", "d3", "d4"],
        "E": ["e1", "e2", "b3", "e3", "b1"],
        "F": ["f1", "f2", "d1", "e1"],
    }
    assert "".join(place.site for place in ordered_sites(sitemaps)) == "EADCFB"


links = st.integers(0, 25).map(lambda number: f"http://example.org/{number}")


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.lists(links, max_size=12), max_size=8))
def test_lazily_counted_is_the_same_as_counted_anew(sitemaps: dict[str, list[str]]) -> None:
    assert ordered_sites(sitemaps) == plainly(sitemaps)
