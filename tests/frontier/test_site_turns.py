"""Sites with equally good links take turns by what their sitemaps bring; a better link still comes first."""

from __future__ import annotations

import pytest
from small_frontier import POLITE, RUDE, a_frontier, add, fetched, open_all, take

from lycosa.configuration.sections import Ceilings, FrontierSection
from lycosa.frontier.admission import Admission
from lycosa.frontier.frontier import PATIENCE, Frontier
from lycosa.frontier.frontier_store import MemoryShelf
from lycosa.frontier.politeness import Manners
from lycosa.frontier.rate_limiter import Throttle
from lycosa.frontier.site_scheduler import ALIKE

SITES = [f"http://s{number}.example" for number in range(5)]


def order_of(frontier: Frontier, number: int) -> list[str]:
    found = [take(frontier) for _ in range(number)]
    return [url.rpartition("/")[0].removeprefix("http://").partition(".")[0] for url in found if url]


def test_of_equally_good_links_the_first_site_of_the_order_comes_first() -> None:
    frontier = a_frontier()
    add(frontier, *[(f"{site}/1", 0.5 + ALIKE * number / 100) for number, site in enumerate(SITES)])
    open_all(frontier)
    frontier.order_sites({SITES[3]: 0, SITES[1]: 1})
    assert order_of(frontier, 5) == ["s3", "s1", "s4", "s2", "s0"], "those without a place follow by their links"


def test_a_better_link_comes_first_whatever_the_order() -> None:
    frontier = a_frontier()
    add(frontier, *[(f"{site}/1", 0.1 * number) for number, site in enumerate(SITES)])
    open_all(frontier)
    frontier.order_sites({site: place for place, site in enumerate(SITES)})
    assert order_of(frontier, 5) == ["s4", "s3", "s2", "s1", "s0"]


def test_links_that_come_and_go_keep_to_the_order() -> None:
    frontier = a_frontier()
    frontier.order_sites({site: place for place, site in enumerate(reversed(SITES))})
    add(frontier, *[(f"{site}/{page}", 0.5) for site in SITES for page in range(3)])
    open_all(frontier)
    frontier.order_sites({site: place for place, site in enumerate(reversed(SITES))})
    assert order_of(frontier, 15) == [name for name in ("s4", "s3", "s2", "s1", "s0") for _ in range(3)]


@pytest.mark.parametrize("places", [{}, {SITES[0]: 0}])
def test_without_places_nothing_changes(places: dict[str, int]) -> None:
    plain, ordered = a_frontier(POLITE), a_frontier(POLITE)
    names = [(number, page) for number in range(len(SITES)) for page in range(4)]
    pages = [(f"{SITES[number]}/{page}", 0.02 * ((7 * page + 3 * number) % 11)) for number, page in names]
    for frontier in (plain, ordered):
        add(frontier, *pages)
        open_all(frontier)
    ordered.order_sites(places)
    ordered.order_sites({})
    for now in range(30):
        assert take(plain, float(now)) == take(ordered, float(now))


class HoldsBack(Admission):
    """Lets one site wait for others, always."""

    def holds_back(self, site: str, requests: int) -> bool:
        return site in SITES[1:3]


def test_sites_that_wait_for_others_do_not_wait_for_slow_ones() -> None:
    throttle, settings = Throttle(Ceilings()), FrontierSection(heads_per_site=4, ageing_per_day=0.0)
    frontier = Frontier(MemoryShelf(), HoldsBack([]), Manners(RUDE), throttle, settings)
    add(frontier, (f"{SITES[0]}/slow", 0.1), *[(f"{site}/{page}", 0.9) for site in SITES[1:3] for page in range(5)])
    open_all(frontier)
    slow = frontier.next(0.0)
    assert slow is not None
    assert slow.url == f"{SITES[0]}/slow"
    assert frontier.next(0.0) is None, "the other site may be ready again in a moment"
    assert frontier.wait(0.0) == PATIENCE
    now = PATIENCE
    sites = []
    while (link := frontier.next(now)) is not None:
        sites.append(link.url.rpartition("/")[0])
        frontier.finished(link, fetched(link), 0.0, now)
        frontier.settle(link, fetched(link), now)
    assert sorted(sites) == [SITES[1]] * 5 + [SITES[2]] * 5
    assert set(sites[:2]) == set(SITES[1:3]), "they take turns"
    assert frontier.in_flight == 1
