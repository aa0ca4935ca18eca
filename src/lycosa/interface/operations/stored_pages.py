"""Calls that read stored pages: text, links, scores and versions, and the pages that are built alike."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lycosa.interface.operations.calls import Call, Office, call
from lycosa.interface.operations.crawls import Address, Named
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.tokens import Role
from lycosa.interface.views.reader.links import links_told
from lycosa.interface.views.reader.scores import ScoresTold, scores_told
from lycosa.interface.views.reader.stored_page import StoredPage, stored_page
from lycosa.interface.views.reader.structure import structure_told
from lycosa.interface.views.reader.text import MOST_SHOWN
from lycosa.records import Score
from lycosa.search.query import LONGEST

MOST_LINKS = 1000


class PageAsked(Named, frozen=True):
    """Which page of which crawl; `at` is a version (0 is the latest), `q` a query to be ranked for."""

    url: Address
    at: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    q: Annotated[str, msgspec.Meta(max_length=LONGEST)] = ""


class ScoreTree(Message, frozen=True):
    """A number that says how it came about."""

    value: float
    why: str
    parts: tuple[ScoreTree, ...] = ()

    @classmethod
    def of(cls, score: Score) -> ScoreTree:
        """A score with its parts."""
        return cls(score.value, score.why, tuple(map(cls.of, score.parts)))


class PageLink(Message, frozen=True):
    """A link: what the crawl gave it (`priority`), what became of its target, and whether there is a copy of that."""

    url: str
    anchor: str
    priority: float | None
    state: str
    stored: bool


class PageVersion(Message, frozen=True):
    """A version of a page's text: when it was first fetched, the size of the document and the digest of its text."""

    number: int
    at: float
    status: int
    length: int
    digest: str


class Watching(Message, frozen=True):
    """What people did with a page: `by` says who, times are in milliseconds, actions how often each was done."""

    by: str
    visits: int
    visitors: int
    active: int
    ratings: int
    mean_rating: float | None
    actions: dict[str, int]
    weight: ScoreTree


class PageScores(Message, frozen=True):
    """What a page is worth: to the topic, to people, and for a query (`place` 0: not among the first results)."""

    relevance: float | None
    relevance_why: str
    importance: float | None
    classes: tuple[str, ...]
    watched: tuple[Watching, ...]
    place: int
    for_query: ScoreTree | None


class ReadPage(Message, frozen=True):
    """A stored page. Of a very large one only the beginning is told (`cut`)."""

    url: str
    title: str
    text: str
    language: str
    charset: str
    mime: str
    noindex: bool
    version: int
    cut: bool
    at: float
    status: int
    links: tuple[PageLink, ...]
    links_total: int
    scores: PageScores
    versions: tuple[PageVersion, ...]


@call("GET", "/crawls/{name}/page", Role.READ)
def read_page(office: Office, asked: PageAsked) -> ReadPage:
    """The stored copy of a page: its text, links, scores and versions."""
    folder = office.library.crawl(asked.name)
    stored = stored_page(folder, asked.url, asked.at)
    page, links = stored.page, links_told(folder, stored, most=MOST_LINKS)
    return ReadPage(
        stored.url,
        page.title,
        page.text[:MOST_SHOWN],
        page.language,
        page.charset,
        stored.mime,
        page.noindex or stored.row.noindex,
        stored.version,
        stored.cut or len(page.text) > MOST_SHOWN,
        stored.row.at,
        stored.row.status,
        tuple(PageLink(each.url, each.anchor, each.priority, each.state, each.stored) for each in links.links),
        links.total,
        _scores(scores_told(office.library, folder, stored, asked.q)),
        _versions(stored),
    )


def _versions(stored: StoredPage) -> tuple[PageVersion, ...]:
    return tuple(
        PageVersion(number, row.at, row.status, row.length, row.digest)
        for number, row in enumerate(stored.filed.versions, 1)
    )


def _scores(told: ScoresTold) -> PageScores:
    watched = tuple(
        Watching(
            each.where,
            each.clicks.visits,
            each.clicks.visitors,
            each.clicks.duration,
            each.clicks.ratings,
            each.rating,
            each.actions,
            ScoreTree.of(each.weight),
        )
        for each in told.watched
    )
    ranked = ScoreTree.of(told.for_query) if told.for_query else None
    return PageScores(told.relevance, told.relevance_why, told.importance, told.classes, watched, told.place, ranked)


class SimilarAsked(Named, frozen=True):
    """Which page of which crawl, and how many similar ones are wanted."""

    url: Address
    at: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 20


class SimilarPage(Message, frozen=True):
    """A page that is built alike: how alike (0 to 1), its template, and how many pages have that."""

    url: str
    likeness: float
    template: int
    template_pages: int


class SimilarPages(Message, frozen=True):
    """How a page is built, and the pages built like it; `behind` says that there are pages not compared yet."""

    url: str
    outline: str
    elements: int
    template: int | None
    template_pages: int
    pages: tuple[SimilarPage, ...]
    behind: bool


@call("GET", "/crawls/{name}/page/similar", Role.READ)
def similar_pages(office: Office, asked: SimilarAsked) -> SimilarPages:
    """The pages of a crawl that are built like a page; what is no HTML has no structure, so nothing is like it."""
    folder = office.library.crawl(asked.name)
    stored = stored_page(folder, asked.url, asked.at)
    told = structure_told(folder, stored, asked.limit)
    if told is None:
        return SimilarPages(stored.url, "", 0, None, 0, (), behind=False)
    pages = (SimilarPage(each.url, each.likeness, each.template, each.template_pages) for each in told.alike)
    return SimilarPages(
        stored.url, told.outline, told.elements, told.template, told.template_pages, tuple(pages), told.behind
    )


CALLS: list[Call] = [read_page, similar_pages]
