"""A crawl in the lab goes through the real frontier and scorers; the oracle is the mark it is measured by."""

from __future__ import annotations

import random

import pytest
from hand_made import a_chain, a_page, a_web, address

from lycosa.lab.trial import PATIENCE, run_trial, strategies
from lycosa.lab.webs import LabWeb
from lycosa.plugins import registry as plugins
from lycosa.plugins.plug_points import Topic
from lycosa.plugins.registry import UnknownPlugin
from lycosa.records import Link, Page

TOPIC = Topic("heron", ("a heron wades in shallow water and eats fish",))


def random_web(seed: int, number: int = 60) -> LabWeb:
    """A web on several sites in which every page links to a few others, some of which do not exist."""
    rng = random.Random(seed)
    names = [f"http://s{place % 4}.localhost/{place}" for place in range(number)]
    pages = []
    for place, url in enumerate(names):
        links = [*rng.sample(names, 5), f"http://s0.localhost/gone{place}"]
        text = "a heron in the water" if place % 7 == 0 else "a train on rails"
        pages.append(Page(url, text=text, links=tuple(Link(each, url, depth=1) for each in links), digest=url.encode()))
    return LabWeb("random", pages, {url: frozenset(("bird",)) for url in names[::7]})


def greedy(web: LabWeb, seeds: list[str], relevant: frozenset[str], pages: int) -> list[int]:
    """How many relevant pages a plain greedy oracle has after each page; where several are equal any may be taken."""
    found, fetched, counts = list(seeds), list[str](), []
    while found and len(fetched) < pages:
        known = [url for url in found if url in relevant]
        held = [url for url in found if web.page(url) is not None]
        if not held:
            break

        def ahead(url: str) -> int:
            page = web.page(url)
            return len({link.url for link in page.links} & relevant - set(fetched) - {url}) if page else -1

        url = known[0] if known else max(held, key=ahead)
        found.remove(url)
        fetched.append(url)
        counts.append((counts[-1] if counts else 0) + (url in relevant))
        page = web.page(url)
        for link in page.links if page else ():
            if link.url not in found and link.url not in fetched:
                found.append(link.url)
    return counts


def harvest(order: tuple[str, ...], relevant: frozenset[str]) -> list[int]:
    counts = [0]
    for url in order:
        counts.append(counts[-1] + (url in relevant))
    return counts[1:]


@pytest.mark.parametrize("seed", range(6))
def test_the_oracle_takes_a_relevant_page_whenever_one_waits(seed: int) -> None:
    web = random_web(seed)
    relevant = web.topic("bird")
    order = run_trial(web, "oracle", TOPIC, ["http://s1.localhost/1"], 40, relevant).order
    waiting, fetched = {"http://s1.localhost/1"}, set[str]()
    for url in order:
        assert url in relevant or not waiting & relevant
        fetched.add(url)
        page = web.page(url)
        waiting = (waiting | {link.url for link in page.links if page}) - fetched if page else waiting
    plain = greedy(web, ["http://s1.localhost/1"], relevant, 40)
    assert harvest(order, relevant)[-1] >= plain[-1] - 1


def test_the_oracle_prefers_the_page_with_the_most_relevant_links_ahead() -> None:
    pages = [a_page("seed", "few", "many"), a_page("few", "r1"), a_page("many", "r1", "r2", "r3")]
    web = a_web([*pages, *(a_page(f"r{place}") for place in (1, 2, 3))], {f"r{place}": "x" for place in (1, 2, 3)})
    order = run_trial(web, "oracle", TOPIC, [address("seed")], 10, web.topic("x")).order
    assert order[:2] == (address("seed"), address("many"))
    assert order[-1] == address("few")


def test_no_strategy_is_better_than_the_oracle_on_these_webs() -> None:
    web = random_web(3)
    relevant = web.topic("bird")
    best = sum(harvest(run_trial(web, "oracle", TOPIC, ["http://s1.localhost/1"], 40, relevant).order, relevant))
    for strategy in plugins.names("link_scorers"):
        order = run_trial(web, strategy, TOPIC, ["http://s1.localhost/1"], 40, relevant).order
        assert len(set(order)) == len(order)
        assert sum(harvest(order, relevant)) <= best, strategy


@pytest.mark.parametrize("strategy", strategies())
def test_every_strategy_reaches_everything_in_the_end(strategy: str) -> None:
    web = random_web(5)
    result = run_trial(web, strategy, TOPIC, ["http://s1.localhost/1"], 500, web.topic("bird"))
    reached = {"http://s1.localhost/1"}
    ahead = list(reached)
    while ahead:
        page = web.page(ahead.pop())
        new = {link.url for link in page.links if web.page(link.url)} - reached if page else set()
        reached |= new
        ahead += new
    assert set(result.order) == reached
    assert result.decisions >= len(result.order)


@pytest.mark.parametrize("strategy", strategies())
def test_the_same_trial_twice_is_the_same(strategy: str) -> None:
    web = random_web(2)
    one, two = (
        run_trial(web, strategy, TOPIC, ["http://s1.localhost/1"], 30, web.topic("bird"), seed=4).order
        for _ in range(2)
    )
    assert one == two


def test_the_budget_is_kept_and_dead_links_cost_none_of_it() -> None:
    web = a_web([a_page("seed", "gone", "here"), a_page("here")])
    result = run_trial(web, "breadth-first", TOPIC, [address("seed")], 2, frozenset())
    assert result.order == (address("seed"), address("here"))
    assert len(run_trial(a_chain(50, 5), "breadth-first", TOPIC, [address("hub")], 7, frozenset()).order) == 7


def test_a_web_of_dead_links_ends() -> None:
    web = a_web([a_page("seed", *(f"gone{place}" for place in range(500)))])
    assert run_trial(web, "breadth-first", TOPIC, [address("seed")], 2, frozenset()).decisions <= 2 * PATIENCE


def test_breadth_first_counts_depth_from_the_seed_of_this_trial() -> None:
    pages = [a_page("a", "b", "z"), a_page("b", "c"), a_page("c", "d"), a_page("d"), a_page("z")]
    order = run_trial(a_web(pages), "breadth-first", TOPIC, [address("a")], 9, frozenset()).order
    assert [url.rpartition("/")[2] for url in order][3:] == ["c", "d"]


def test_an_unknown_strategy_is_refused() -> None:
    with pytest.raises(UnknownPlugin, match="best-first"):
        run_trial(a_chain(3, 1), "best-frist", TOPIC, [address("hub")], 2, frozenset())


def test_what_the_exact_mode_rejects_is_not_fetched_until_it_passes() -> None:
    text = "a heron wades in shallow water and eats fish"
    pages = [
        Page(address("seed"), text=text, links=(a_link("seed", "good", text), a_link("seed", "bad", "trains"))),
        Page(address("good"), text=text, links=(a_link("good", "late", text),)),
        a_page("bad"),
        a_page("late"),
    ]
    settings = ("parents.strict=true", "parents.rank_gate=0", "parents.relevancy_gate=0.5")
    order = run_trial(a_web(pages), "parents", TOPIC, [address("seed")], 9, frozenset(), overrides=settings).order
    assert order == tuple(map(address, ("seed", "good", "late")))
    order = run_trial(a_web(pages), "parents", TOPIC, [address("seed")], 9, frozenset()).order
    assert set(order) == set(map(address, ("seed", "good", "late", "bad")))


def a_link(parent: str, name: str, boundary: str) -> Link:
    return Link(address(name), address(parent), name, boundary, depth=1)
