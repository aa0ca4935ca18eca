"""Pages that are nothing but links, and visits of them as an agent makes them."""

from __future__ import annotations

from collections.abc import Iterable

from lycosa.plugins.plug_points import LinkScorer
from lycosa.records import Failed, Fetched, Link, Page, Response, Score, Visit


def page_of(url: str, *links: str, depth: int = 0) -> Page:
    """A page so many links from a seed."""
    return Page(url, text="x", links=tuple(Link(link, url, depth=depth + 1) for link in links))


def judged(scorer: LinkScorer, page: Page, relevance: float = 0.5) -> Visit:
    """A visit before anything is learnt from it."""
    link = Link(page.url, depth=page.links[0].depth - 1 if page.links else 1)
    scores = tuple(scorer.priorities(page, Score(relevance), page.links))
    return Visit(link, Fetched(link, Response(page.url, 200)), page, Score(relevance), scores)


def failed(url: str) -> Visit:
    """A visit that found nothing."""
    link = Link(url, depth=1)
    return Visit(link, Failed(link, "http-404"))


def values(scores: Iterable[Score]) -> list[float]:
    """The numbers of scores."""
    return [score.value for score in scores]
