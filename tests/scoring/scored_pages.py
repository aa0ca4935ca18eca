"""Hand-made pages and visits for the tests of link scorers."""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.configuration.sections import Configuration, Fetching
from lycosa.configuration.sections import Topic as TopicSection
from lycosa.plugins.plug_points import LinkScorer, Topic
from lycosa.records import Failed, Fetched, Link, Page, Response, Score, Visit

BIRDS = Topic("birds", ("eagle falcon owl feather wing nest",))
SEQUENTIAL = Configuration(topic=TopicSection(words="birds", threshold=0.5), fetching=Fetching(connections=1))
GOOD, POOR = Score(0.8, "good"), Score(0.1, "poor")


def link_to(name: str, **details: object) -> Link:
    """A link to a page of the site all tests use."""
    return Link(f"http://a.org/{name}", **details)  # type: ignore[arg-type]


def page_of(name: str, links: Sequence[Link] = (), text: str = "") -> Page:
    """A page of that site."""
    return Page(f"http://a.org/{name}", title=name, text=text, digest=f"{name}\n{text}".encode(), links=tuple(links))


def arrived(scorer: LinkScorer, page: Page, relevance: Score, link: Link | None = None) -> Visit:
    """A visit of a page, judged by the scorer."""
    link = link or Link(page.url, parent="http://a.org/")
    priorities = tuple(scorer.priorities(page, relevance, page.links))
    return Visit(link, Fetched(link, Response(page.url, 200)), page, relevance, priorities)


def failed(name: str) -> Visit:
    """A visit that found nothing."""
    link = link_to(name, parent="http://a.org/")
    return Visit(link, Failed(link, "http-404"))
