"""Hubs and authorities beside numpy's eigenvectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from plain_ranks import graph_of, random_web

from lycosa.link_graph.graph import LinkGraph
from lycosa.link_graph.hits import hits


def by_eigenvectors(graph: LinkGraph, pages: list[int]) -> tuple[np.ndarray, np.ndarray, float]:
    """The part of all-ones that lies in the largest eigenvalue's space; and how far the next eigenvalue is below."""
    matrix = np.zeros((len(graph), len(graph)))
    matrix[graph.edges()] = 1
    matrix = matrix[np.ix_(pages, pages)]
    values, vectors = np.linalg.eigh(matrix @ matrix.T)
    top = values > values[-1] * (1 - 1e-9)
    hubs = vectors[:, top] @ (vectors[:, top].T @ np.ones(len(pages)))
    authorities = matrix.T @ hubs
    gap = values[~top].max(initial=0.0) / values[-1]
    return hubs / np.linalg.norm(hubs), authorities / np.linalg.norm(authorities), float(gap)


@given(st.integers(0, 10_000), st.integers(3, 40))
@settings(deadline=None, max_examples=60)
def test_hubs_and_authorities_are_eigenvectors_to_eight_digits(seed, pages):
    graph = graph_of(random_web(seed, pages, max(2, pages // 2)))
    assume(graph.links)
    hubs, authorities, gap = by_eigenvectors(graph, list(range(len(graph))))
    assume(gap < 0.98)
    found = hits(graph)
    assert found.is_exact
    assert np.linalg.norm(found.hubs - hubs) < 1e-8
    assert np.linalg.norm(found.authorities - authorities) < 1e-8
    assert np.linalg.norm(found.hubs) == pytest.approx(1)


def test_some_pages_are_judged_by_the_links_among_them_only():
    graph = graph_of(random_web(5, 60, 40))
    chosen = [1, 4, 7, 8, 20, 21, 33, 2, 5, 0, 3]
    found = hits(graph, chosen)
    hubs, authorities, _ = by_eigenvectors(graph, sorted(chosen))
    assert found.pages.tolist() == sorted(chosen)
    assert found.hubs == pytest.approx(hubs, abs=1e-8)
    assert found.authorities == pytest.approx(authorities, abs=1e-8)


def test_the_number_of_rounds_is_limited_and_the_result_says_so():
    found = hits(graph_of(random_web(5, 60, 40)), most=2)
    assert found.rounds == 2
    assert not found.is_exact


def test_without_links_all_are_zero():
    graph = graph_of({"A": []})
    found = hits(graph)
    assert found.hubs.tolist() == found.authorities.tolist() == [0.0]
    assert len(hits(LinkGraph()).hubs) == 0
    assert len(hits(graph_of({"A": ["B"]}), []).hubs) == 0


def test_a_page_outside_the_graph_is_refused():
    with pytest.raises(IndexError, match="not in the graph"):
        hits(graph_of({"A": ["B"]}), [0, 2])
