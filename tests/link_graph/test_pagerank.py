"""Ranks: the printed vector, the plain computation, and growth that ends where a fresh start ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_ranks import all_pages, graph_of, plain_ranks, random_web

from lycosa.link_graph import graph as graph_module
from lycosa.link_graph import pagerank as ranks_module
from lycosa.link_graph.graph import LinkGraph
from lycosa.link_graph.pagerank import LIVE, SETTLED, PageRanks

names = st.sampled_from([f"http://{letter}.org/" for letter in "abcdefgh"])
webs = st.dictionaries(names, st.lists(names, max_size=6), min_size=1)


def ranks_of(graph: LinkGraph) -> PageRanks:
    ranks = PageRanks(graph)
    ranks.refresh()
    return ranks


def test_three_pages_have_the_ranks_of_the_printed_vector():
    ranks = ranks_of(graph_of({"A": ["B", "C"], "B": ["C"], "C": ["A"]}))
    assert [round(ranks.value(page), 4) for page in range(3)] == [1.1634, 0.6444, 1.1922]
    assert [round(ranks.raw(page), 4) for page in range(3)] == [1.1634, 0.6444, 1.1922]


@given(webs)
@settings(deadline=None, max_examples=60)
def test_ranks_are_those_of_a_plain_power_iteration_and_their_mean_is_one(links):
    graph = graph_of(links)
    ranks, expected = ranks_of(graph), plain_ranks(links)
    found = {graph.name(page): ranks.value(page) for page in range(len(graph))}
    assert found == pytest.approx(expected, rel=1e-6)
    assert ranks.values().sum() == pytest.approx(len(graph))
    assert set(found) == set(all_pages(links))


@given(webs)
@settings(deadline=None, max_examples=60)
def test_a_raw_rank_is_the_formula_as_printed_and_least_without_parents(links):
    graph = graph_of(links)
    ranks = ranks_of(graph)
    for page in range(len(graph)):
        shares = [ranks.raw(int(parent)) / graph.out_degree(int(parent)) for parent in graph.parents(page)]
        assert ranks.raw(page) == pytest.approx(0.15 + 0.85 * sum(shares), rel=1e-6)
        assert ranks.raw(page) / ranks.raw(0) == pytest.approx(ranks.value(page) / ranks.value(0))


@given(st.lists(webs, min_size=2, max_size=5))
@settings(deadline=None, max_examples=60)
def test_refreshing_after_growth_and_changed_links_ends_where_a_fresh_start_ends(stages):
    graph, links = LinkGraph(), {}
    ranks = PageRanks(graph)
    for stage in stages:
        for page, targets in stage.items():
            graph.add(page, targets)
        links |= stage
        ranks.refresh()
        assert ranks.values() == pytest.approx(ranks_of(graph).values(), rel=1e-6)
    found = {graph.name(page): ranks.value(page) for page in range(len(graph))}
    assert found == pytest.approx(plain_ranks(links, unlinked=found), rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("fetched", [150, 600])
def test_a_larger_web_is_ranked_like_a_plain_power_iteration_does(seed, fetched):
    links = random_web(seed, 600, fetched)
    graph = graph_of(links)
    ranks, expected = ranks_of(graph), plain_ranks(links)
    assert [ranks.value(page) for page in range(len(graph))] == pytest.approx(
        [expected[graph.name(page)] for page in range(len(graph))], rel=1e-6
    )
    assert ranks.unsettled <= SETTLED


def test_a_live_refresh_keeps_its_tolerance_and_can_be_settled_later(monkeypatch):
    monkeypatch.setattr(ranks_module, "SMALL", 0)
    links = random_web(7, 3000, 2000)
    early = dict(list(links.items())[:1960])
    graph = graph_of(early)
    ranks = ranks_of(graph)
    first = ranks.links_followed
    for page in links.keys() - early.keys():
        graph.add(page, links[page])
    ranks.refresh()
    fresh = ranks_of(graph).values()
    assert SETTLED < ranks.unsettled <= LIVE
    assert np.abs(ranks.values() / fresh - 1).max() < 5 * LIVE
    assert ranks.links_followed - first < 0.5 * first
    ranks.refresh(SETTLED)
    assert ranks.values() == pytest.approx(fresh, rel=1e-6)


def test_ranks_survive_the_clearing_of_the_store(monkeypatch):
    monkeypatch.setattr(graph_module, "FEWEST_WASTED", 20)
    graph, links = LinkGraph(), {}
    ranks = PageRanks(graph)
    for turn in range(15):
        web = random_web(turn, 50, 20)
        for page, targets in web.items():
            graph.add(page, targets)
        links |= web
        if turn % 4 == 0:
            ranks.refresh()
    ranks.refresh()
    assert graph.clearings > 1
    found = {graph.name(page): ranks.value(page) for page in range(len(graph))}
    assert found == pytest.approx(plain_ranks(links, unlinked=found), rel=1e-6)


def test_many_blocks_rank_like_one(monkeypatch):
    graph = graph_of(random_web(3, 400, 300))
    expected = ranks_of(graph).values()
    monkeypatch.setattr(ranks_module, "_SMALLEST_BLOCK", 20)
    monkeypatch.setattr(ranks_module, "_LARGEST_BLOCK", 25)
    assert ranks_of(graph).values() == pytest.approx(expected, rel=1e-6)


def test_graphs_without_pages_or_links_have_ranks_too():
    graph = LinkGraph()
    ranks = ranks_of(graph)
    assert ranks.value(0) == pytest.approx(0.15)
    assert ranks.unsettled == 0
    graph.add("http://a.org/", [])
    ranks.refresh()
    assert ranks.value(0) == pytest.approx(1)
    assert ranks.raw(0) == pytest.approx(0.15)


def test_a_page_met_since_the_refresh_has_the_least_rank():
    graph = graph_of({"A": ["B", "C"], "B": ["C"], "C": ["A"]})
    ranks = ranks_of(graph)
    graph.add("D", ["A"])
    assert ranks.value(graph.number("D")) == pytest.approx(0.15)
    assert "rank 1.16 from 2 pages" in ranks.why(0)


def test_a_rank_says_where_it_comes_from():
    graph = graph_of({"A": ["B", "C"], "B": ["C"], "C": ["A"]})
    ranks = ranks_of(graph)
    assert ranks.why(2) == "rank 1.19 from 2 pages, most from B (0.55), A (0.49)"
    assert ranks.why(2, most=1) == "rank 1.19 from 2 pages, most from B (0.55)"
    lonely = ranks_of(graph_of({"A": []}))
    assert lonely.why(0) == "rank 1.00, the least there is: no known page links here"
    bare = LinkGraph(keep_names=False)
    bare.add("A", ["B"])
    assert ranks_of(bare).why(1).startswith("rank 1.30 from 1 page, most from page 0 (")


def test_a_damping_factor_outside_its_range_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        PageRanks(LinkGraph(), damping=1.0)


@given(webs, st.floats(0.05, 0.95))
@settings(deadline=None, max_examples=60)
def test_any_damping_factor_gives_a_plain_power_iterations_ranks(links, damping):
    graph = graph_of(links)
    ranks = PageRanks(graph, damping)
    ranks.refresh()
    expected = plain_ranks(links, damping)
    assert [ranks.value(page) for page in range(len(graph))] == pytest.approx(
        [expected[graph.name(page)] for page in range(len(graph))], rel=1e-3
    )
