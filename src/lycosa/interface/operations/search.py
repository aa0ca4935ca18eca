"""Calls about search: pages of results with how their scores came about, and how a query may go on."""

from __future__ import annotations

import re
import time
from html import unescape
from typing import Annotated, Literal

import msgspec

from lycosa.interface.operations.calls import Call, Office, call
from lycosa.interface.operations.crawls import Named
from lycosa.interface.shared.errors import NotThere, UnreadableCrawl
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.tokens import Role
from lycosa.interface.views.search.request import MOST_PAGES, Question
from lycosa.records import Score
from lycosa.search.index import Hit
from lycosa.search.query import LONGEST

_MARK = re.compile(r"</?b>")
Typed = Annotated[str, msgspec.Meta(max_length=LONGEST, description='words, "phrases", -without, site:, lang:, topic:')]


class SearchAsked(Named, frozen=True):
    """A query, in the words of the search box."""

    q: Typed = ""
    page: Annotated[int, msgspec.Meta(ge=1, le=MOST_PAGES)] = 1
    sort: Literal["best", "newest", "relevance"] = "best"


class ScoreParts(Message, frozen=True):
    """A score, why it is so, and what it is made of."""

    value: float
    why: str
    parts: tuple[ScoreParts, ...] = ()

    @classmethod
    def of(cls, score: Score) -> ScoreParts:
        """A score as it is told."""
        return cls(score.value, score.why, tuple(cls.of(part) for part in score.parts))


class ResultMessage(Message, frozen=True):
    """A page that was found; `snippet` is plain text, `topics` are classes, or the crawl's topic."""

    url: str
    title: str
    snippet: str
    site: str
    language: str
    date: float
    relevance: float
    score: float
    topics: tuple[str, ...]
    similar: int
    why: ScoreParts | None

    @classmethod
    def of(cls, hit: Hit) -> ResultMessage:
        """A result as it is told."""
        return cls(
            hit.url,
            hit.title,
            unescape(_MARK.sub("", hit.snippet)),
            hit.site,
            hit.language,
            hit.date,
            hit.relevance,
            hit.score,
            hit.classes or ((hit.topic,) if hit.topic else ()),
            hit.similar,
            ScoreParts.of(hit.why) if hit.why else None,
        )


class FacetCount(Message, frozen=True):
    """A value of a filter, and how many of the matches have it."""

    value: str
    pages: int


class SearchResults(Message, frozen=True):
    """A page of results; `correction` is a query that would find more.

    No page has the phrases in `loosened`, so their words were looked for.
    """

    query: str
    total: int
    results: tuple[ResultMessage, ...]
    sites: tuple[FacetCount, ...]
    topics: tuple[FacetCount, ...]
    languages: tuple[FacetCount, ...]
    correction: str
    loosened: tuple[str, ...]


@call("GET", "/crawls/{name}/search", Role.READ)
def search_crawl(office: Office, asked: SearchAsked) -> SearchResults:
    """Search what a crawl has collected, with the parts of every score."""
    question = Question(asked.name, asked.q.strip(), sort=asked.sort, number=asked.page)
    answer = office.library.ask(office.library.crawl(asked.name), question, time.time())
    if answer.found is None:
        kind = NotThere if answer.trouble in ("no index", "building") else UnreadableCrawl
        raise kind(f"{answer.sentence} {answer.todo}".strip())
    counted = answer.facets
    sites, topics, languages = (
        tuple(FacetCount(value, pages) for value, pages in each)
        for each in (counted.sites, counted.topics, counted.languages)
    )
    results = tuple(ResultMessage.of(hit) for hit in answer.found.hits)
    return SearchResults(
        asked.q, answer.found.total, results, sites, topics, languages, answer.correction, answer.found.loosened
    )


class Beginning(Named, frozen=True):
    """What somebody has typed so far."""

    q: Typed


class Suggestions(Message, frozen=True):
    """How a query may go on."""

    suggestions: tuple[str, ...]


@call("GET", "/crawls/{name}/suggestions", Role.READ)
def suggest_queries(office: Office, asked: Beginning) -> Suggestions:
    """How a query that somebody types may go on."""
    folder = office.library.crawl(asked.name)
    return Suggestions(tuple(office.library.suggest(folder, asked.q, office.notes.queries(folder))))


CALLS: list[Call] = [search_crawl, suggest_queries]
