"""The filters beside the results: what can be chosen, how many pages have it, and what is chosen now."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lycosa.interface.views.search.class_names import TopicNames
from lycosa.interface.views.search.request import Question
from lycosa.records import Record
from lycosa.search.facets import MOST_SHOWN, Facets

PERIODS_TOLD = {"": "Any time", "day": "Past day", "week": "Past week", "month": "Past month", "year": "Past year"}
SORTS_TOLD = {"best": "Best first", "newest": "Newest first", "relevance": "Closest to the topic first"}
_KINDS = {"site": "Site", "topic": "Topic", "language": "Language", "after": "Since", "before": "Before"}


class Option(Record, frozen=True):
    """Something that can be chosen; None pages where nobody counted them."""

    value: str
    told: str
    pages: int | None
    chosen: bool


class Group(Record, frozen=True):
    """The options of one filter."""

    name: str
    told: str
    options: tuple[Option, ...]


class Filters(Record, frozen=True):
    """All that can be chosen; `typed` is the query without the filters that were typed in it."""

    typed: str
    groups: tuple[Group, ...]
    period: str
    after: str
    before: str
    estimated: bool


class ToldChip(Record, frozen=True):
    """An active filter in words, and where the search without it is."""

    told: str
    without: str


def filters_of(question: Question, facets: Facets, topics: TopicNames) -> Filters:
    """The filters for a question, with what its matches have in common."""
    plain = question.plain()
    groups = (
        Group("site", "Site", _options(facets.sites, plain.sites, str)),
        Group("topic", "Topic", _options(facets.topics, plain.topics, topics.named)),
        Group("lang", "Language", _options(facets.languages, plain.languages, str)),
    )
    useful = tuple(group for group in groups if group.options)
    return Filters(plain.typed, useful, plain.period, plain.after, plain.before, facets.estimated)


def _options(
    counted: Sequence[tuple[str, int]], chosen: Sequence[str], told: Callable[[str], str]
) -> tuple[Option, ...]:
    """Those that are chosen first, then the most frequent ones."""
    pages = dict(counted)
    values = dict.fromkeys([*chosen, *(value for value, _ in counted[:MOST_SHOWN])])
    return tuple(Option(value, told(value), pages.get(value), value in chosen) for value in values)


def chips_told(question: Question, topics: TopicNames) -> list[ToldChip]:
    """The active filters in words."""
    found = []
    for chip in question.chips():
        if chip.kind == "group":
            told = "Pages with nearly the same text"
        elif chip.kind == "period":
            told = PERIODS_TOLD[chip.value]
        else:
            told = f"{_KINDS[chip.kind]}: {topics.named(chip.value) if chip.kind == 'topic' else chip.value}"
        found.append(ToldChip(told, chip.without))
    return found
