"""A link that waits in a spelling that is no longer used is not fetched where the other spelling is known."""

from __future__ import annotations

import pytest
from small_frontier import a_frontier, fetched, open_all

from lycosa.frontier.frontier import Frontier
from lycosa.records import SITEMAP, Failed, Link, Outcome, Redirected, Response, Score

ONE, OTHER, HOME = "https://s.example/docs/", "https://s.example/docs", "https://s.example/"


def written(url: str) -> str | None:
    return OTHER if url == ONE else None


def frontier_with(*links: tuple[Link, float]) -> Frontier:
    frontier = a_frontier()
    frontier.add([link for link, _ in links], [Score(value) for _, value in links], 0.0)
    open_all(frontier)
    frontier.change_spelling(written)
    return frontier


def taken(frontier: Frontier, outcomes: dict[str, Outcome] | None = None) -> list[str]:
    found = []
    while (link := frontier.next(1.0)) is not None:
        outcome = (outcomes or {}).get(link.url) or fetched(link)
        frontier.finished(link, outcome, 0.0, 1.0)
        frontier.settle(link, outcome, 1.0)
        found.append(link.url)
    return found


@pytest.mark.parametrize("first", [ONE, OTHER])
def test_of_two_spellings_that_wait_one_is_fetched(first: str) -> None:
    frontier = frontier_with((Link(ONE, HOME), 1.0 + (first == ONE)), (Link(OTHER, HOME), 1.5))
    assert taken(frontier) == [OTHER]
    assert frontier.refusals == {"spelling": 1}
    refused = frontier.known(Link(ONE))
    assert refused is not None
    assert refused.why == f"spelling: the same page as {OTHER}"
    assert frontier.add([Link(ONE, HOME)], [Score(9.0)], 1.0) == 0


def test_a_spelling_whose_other_form_is_unknown_is_fetched_as_it_is() -> None:
    assert taken(frontier_with((Link(ONE, HOME), 1.0))) == [ONE]


@pytest.mark.parametrize(
    "link",
    [Link(ONE), Link(ONE, HOME, redirects=1), Link(ONE, HOME, rel=SITEMAP)],
    ids=["a seed", "where a redirect leads", "a sitemap"],
)
def test_seeds_redirects_and_sitemaps_are_taken_as_they_are(link: Link) -> None:
    assert taken(frontier_with((link, 1.0), (Link(OTHER, HOME), 2.0))) == [OTHER, ONE]


@pytest.mark.parametrize(
    "outcome",
    [
        Failed(Link(OTHER, HOME), "http-404", response=Response(OTHER, 404)),
        Redirected(Link(OTHER, HOME), ONE, Response(OTHER, 301)),
    ],
    ids=["fails", "leads back"],
)
def test_a_spelling_is_fetched_whose_other_form_did_not_bring_the_page(outcome: Outcome) -> None:
    frontier = frontier_with((Link(ONE, HOME), 1.0), (Link(OTHER, HOME), 2.0))
    assert taken(frontier, {OTHER: outcome}) == [OTHER, ONE]


def test_a_page_that_was_fetched_in_a_spelling_is_looked_at_again_in_it() -> None:
    frontier = a_frontier()
    frontier.add([Link(ONE, HOME), Link(OTHER, HOME)], [Score(1.0), Score(1.0)], 0.0)
    open_all(frontier)
    assert set(taken(frontier)) == {ONE, OTHER}
    frontier.change_spelling(written)
    frontier.revisit([ONE], "it may have changed", 1.0)
    assert taken(frontier) == [ONE]
