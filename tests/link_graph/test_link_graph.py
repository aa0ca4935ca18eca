"""The graph: what is put in comes out, whatever order it came in and however often."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_ranks import random_web

from lycosa.link_graph import graph as graph_module
from lycosa.link_graph import incoming_links as parents_module
from lycosa.link_graph.graph import LinkGraph
from lycosa.link_graph.page_numbers import PageNumbers

names = st.sampled_from([f"http://{letter}.org/" for letter in "abcdefgh"])
fetches = st.lists(st.tuples(names, st.lists(names, max_size=10)), max_size=25)


def links_of(graph: LinkGraph) -> dict[str, set[str]]:
    return {
        graph.name(page): {graph.name(int(target)) for target in graph.successors(page)}
        for page in range(len(graph))
        if graph.fetched(page)
    }


def check_degrees_and_parents(graph: LinkGraph, links: dict[str, set[str]]) -> None:
    for page in range(len(graph)):
        url = graph.name(page)
        expected = {parent for parent, targets in links.items() if url in targets}
        parents = graph.parents(page)
        assert {graph.name(int(parent)) for parent in parents} == expected
        assert len(parents) == len(expected) == graph.in_degree(page)
        assert graph.out_degree(page) == len(links.get(url, ()))
    assert graph.links == sum(map(len, links.values())) == len(graph.edges()[0])


@given(fetches, st.integers(0, 25))
@settings(deadline=None, max_examples=60)
def test_the_last_fetch_of_a_page_decides_its_links_and_self_links_do_not_count(done, asked):
    graph, links = LinkGraph(), {}
    for turn, (page, targets) in enumerate(done):
        number = graph.add(page, targets)
        links[page] = set(targets) - {page}
        assert number == graph.number(page)
        if turn == asked:
            graph.parents(number)
    assert links_of(graph) == links
    check_degrees_and_parents(graph, links)


@given(st.lists(st.tuples(names, st.lists(names, min_size=1, max_size=10)), min_size=2, max_size=25), st.data())
@settings(deadline=None, max_examples=60)
def test_links_added_in_bulk_are_those_added_one_by_one(done, data):
    one_by_one, bulk = LinkGraph(), LinkGraph()
    for page, targets in done:
        one_by_one.add(page, targets)
    cut = data.draw(st.integers(1, len(done) - 1))
    for part in (done[:cut], done[cut:]):
        pairs = [(page, target) for page, targets in dict(part).items() for target in targets]
        shuffled = data.draw(st.permutations(pairs))
        bulk.add_many(bulk.numbers(page for page, _ in shuffled), bulk.numbers(target for _, target in shuffled))
    assert links_of(bulk) == links_of(one_by_one)
    check_degrees_and_parents(bulk, links_of(bulk))


def test_waste_of_pages_fetched_again_is_cleared_away_and_nothing_else(monkeypatch):
    monkeypatch.setattr(graph_module, "FEWEST_WASTED", 50)
    graph, links = LinkGraph(), {}
    for turn in range(40):
        for page, targets in random_web(turn, 60, 20).items():
            graph.add(page, targets)
            links[page] = set(targets) - {page}
    assert graph.clearings > 2
    assert len(graph.store) <= 2 * graph.links + 50 + 12
    assert links_of(graph) == links
    check_degrees_and_parents(graph, links)


def test_parents_stay_right_while_the_graph_outgrows_its_sorted_part(monkeypatch):
    monkeypatch.setattr(parents_module, "FEWEST_LATE", 40)
    graph, links = LinkGraph(), {}
    for turn in range(12):
        for page, targets in random_web(turn, 80, 6).items():
            graph.add(page, targets)
            links[page] = set(targets) - {page}
        check_degrees_and_parents(graph, links)


def test_links_that_came_and_went_since_parents_were_first_asked_for_make_no_parents():
    graph = LinkGraph()
    graph.add("http://a.org/", ["http://b.org/"])
    assert graph.parents(1).tolist() == [0]
    for targets in (["http://c.org/"], ["http://d.org/"], [], ["http://d.org/"]):
        graph.add("http://a.org/", targets)
    assert [graph.parents(page).tolist() for page in range(4)] == [[], [], [], [0]]


def test_a_page_is_known_once_it_was_linked_to_and_fetched_once_it_was_added():
    graph = LinkGraph()
    graph.add("http://a.org/", ["http://b.org/"])
    assert graph.number("http://c.org/") is None
    assert [graph.fetched(page) for page in range(2)] == [True, False]
    graph.add("http://b.org/", [])
    assert graph.fetched(1)
    with pytest.raises(IndexError, match="no page 2"):
        graph.name(2)
    with pytest.raises(IndexError, match="no page 7"):
        graph.parents(7)


def test_bulk_links_to_unknown_pages_are_refused_and_change_nothing():
    graph = LinkGraph()
    graph.numbers(["http://a.org/", "http://b.org/"])
    for sources, targets in (([0], [2]), ([-1], [0])):
        with pytest.raises(IndexError, match="does not have"):
            graph.add_many(sources, targets)
    with pytest.raises(ValueError, match="as many"):
        graph.add_many([0, 1], [1])
    assert graph.links == 0
    assert not graph.fetched(0)


def test_a_page_with_very_many_links_and_repetitions_is_taken_in_linear_time():
    many = [f"http://trap.org/{number % 100_000}" for number in range(300_000)]
    graph = LinkGraph()
    began = time.process_time()
    graph.add("http://trap.org/", many)
    assert time.process_time() - began < 10
    assert graph.links == 100_000
    assert graph.in_degree(5) == 1


def test_beyond_the_most_pages_new_ones_are_left_out_and_counted():
    graph = LinkGraph(most=3)
    graph.add("http://a.org/", ["http://b.org/", "http://c.org/", "http://d.org/", "http://e.org/"])
    assert len(graph) == 3
    assert graph.left_out == 2
    assert graph.add("http://f.org/", ["http://a.org/"]) is None
    assert graph.left_out == 3
    graph.add("http://b.org/", ["http://c.org/", "http://g.org/"])
    assert links_of(graph) == {"http://a.org/": {"http://b.org/", "http://c.org/"}, "http://b.org/": {"http://c.org/"}}


def test_odd_text_is_a_name_like_any_other():
    graph = LinkGraph()
    odd = ["", "\ud800", "http://ü.org/\x00", "x" * 100_000]
    graph.add("http://a.org/", odd)
    assert [graph.name(int(page)) for page in graph.successors(0)] == odd


def test_without_names_pages_are_still_found_and_less_memory_is_used():
    urls = [f"http://site.org/some/rather/long/folder/page-{number}.html" for number in range(20_000)]
    named, bare = LinkGraph(), LinkGraph(keep_names=False)
    assert named.numbers(urls).tolist() == bare.numbers(urls).tolist() == list(range(20_000))
    assert all(bare.number(urls[number]) == number for number in range(0, 20_000, 97))
    assert bare.name(5) == ""
    assert named.name(19_999) == urls[-1]
    assert bare.bytes_used < named.bytes_used - 20_000 * 50


def test_numbers_stay_the_same_while_the_table_grows_under_any_salt():
    urls = [f"u{number}" for number in range(5000)]
    for salt in (0, 1, 2**64 - 1):
        pages = PageNumbers(salt=salt)
        assert pages.number_all(urls + urls) == [*range(5000), *range(5000)]
        assert pages.find("u4999") == 4999
        assert pages.find("v") is None


def test_a_million_links_take_few_bytes_each():
    chance = np.random.default_rng(1)
    graph = LinkGraph(keep_names=False)
    graph.numbers(str(number) for number in range(50_000))
    graph.add_many(chance.integers(0, 50_000, 1_000_000), chance.integers(0, 50_000, 1_000_000))
    graph.parents(0)
    assert graph.links > 990_000
    assert graph.bytes_used / graph.links < 14
