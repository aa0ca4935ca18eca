"""A question to the search as its address has it: words, filters, sort and page; and the addresses of others like it.

Filters can be typed (`site:example.org`) or chosen in the form beside the results; both
mean the same. What is odd in an address is left out, never an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.datastructures import QueryParams

from lycosa.records import Record
from lycosa.search.index import SORTS
from lycosa.search.query import LONGEST, Wanted, filter_in, moment, parts_of, understand

PER_PAGE = 10
MOST_PAGES = 100
MOST_VALUES = 10
LONGEST_VALUE = 120
DAY = 86_400.0
PERIODS = {"day": DAY, "week": 7 * DAY, "month": 31 * DAY, "year": 366 * DAY}
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_ANY_LANGUAGE = ("all", "auto")


class Chip(Record, frozen=True):
    """A filter that is active, and where the search without it is."""

    kind: str
    value: str
    without: str


class Question(Record, frozen=True):
    """What somebody asks a crawl's index for."""

    crawl: str = ""
    typed: str = ""
    sites: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    period: str = ""
    after: str = ""
    before: str = ""
    sort: str = "best"
    number: int = 1

    @classmethod
    def of(cls, asked: QueryParams) -> Question:
        """The question of an address; `language`, `time_range` and `pageno` are SearXNG's names."""
        period = asked.get("time") or asked.get("time_range") or ""
        languages = [each.partition("-")[0] for each in _values(asked, "lang", "language")]
        return cls(
            asked.get("crawl", ""),
            asked.get("q", "")[:LONGEST].strip(),
            _values(asked, "site"),
            _values(asked, "topic"),
            tuple(dict.fromkeys(each for each in languages if _LANGUAGE.fullmatch(each))),
            period if period in PERIODS else "",
            _date(asked.get("after", "")),
            _date(asked.get("before", "")),
            sort if (sort := asked.get("sort", "")) in SORTS else "best",
            _page_number(asked.get("pageno") or asked.get("page")),
        )

    @property
    def offset(self) -> int:
        """How many results come before this page."""
        return (self.number - 1) * PER_PAGE

    def wanted(self, now: float) -> Wanted:
        """The query with all filters, understood."""
        chosen = [
            *(("site", each) for each in self.sites),
            *(("topic", each) for each in self.topics),
            *(("language", each) for each in self.languages),
        ]
        since = [moment(self.after), now - PERIODS[self.period] if self.period else None]
        after = max((each for each in since if each is not None), default=None)
        return understand(self.typed).also(tuple(chosen), after, moment(self.before))

    def changed(self, **changes: Any) -> Question:
        """Another question, from its first page on unless a page is named."""
        return msgspec.structs.replace(self, **({"number": 1} | changes))

    def fields(self) -> list[tuple[str, str]]:
        """The filters and the sort as names and values, for addresses and hidden fields."""
        found = [("site", each) for each in self.sites]
        found += [("topic", each) for each in self.topics]
        found += [("lang", each) for each in self.languages]
        found += [("time", self.period), ("after", self.after), ("before", self.before)]
        found.append(("sort", "" if self.sort == "best" else self.sort))
        return [(name, value) for name, value in found if value]

    def address(self, **changes: Any) -> str:
        """Where the question, or another one, is answered."""
        other = self.changed(**changes) if changes else self
        page = [("page", str(other.number))] if other.number > 1 else []
        return "/search?" + urlencode([("crawl", other.crawl), ("q", other.typed), *other.fields(), *page])

    def plain(self) -> Question:
        """The same with typed filters as chosen ones; those for pages alike stay where they are."""
        typed = [(part, *filter_in(part)) for part in parts_of(self.typed)]
        told = {
            name: tuple(value for _, each, value in typed if each == name) for name in ("site", "topic", "language")
        }
        dates = {name: next((value for _, each, value in typed if each == name), "") for name in ("after", "before")}
        return self.changed(
            typed=" ".join(part for part, name, _ in typed if name in ("", "group")),
            sites=_once((*self.sites, *told["site"])),
            topics=_once((*self.topics, *told["topic"])),
            languages=_once((*self.languages, *told["language"])),
            after=self.after or _day(dates["after"]),
            before=self.before or _day(dates["before"]),
        )

    def chips(self) -> list[Chip]:
        """Every active filter, typed or chosen."""
        parts = parts_of(self.typed)
        found = [
            Chip(name, value, self.address(typed=" ".join(parts[:place] + parts[place + 1 :])))
            for place, part in enumerate(parts)
            for name, value in (filter_in(part),)
            if name
        ]
        for kind, field in (("site", "sites"), ("topic", "topics"), ("language", "languages")):
            values = getattr(self, field)
            found += [Chip(kind, each, self.address(**{field: _but(values, each)})) for each in values]
        for kind in ("period", "after", "before"):
            if value := getattr(self, kind):
                found.append(Chip(kind, value, self.address(**{kind: ""})))
        return found


def _values(asked: QueryParams, *names: str) -> tuple[str, ...]:
    """The distinct values of a filter in an address."""
    given = (value.strip().lower() for name in names for value in asked.getlist(name))
    return _once([value for value in given if 0 < len(value) <= LONGEST_VALUE and value not in _ANY_LANGUAGE])


def _once(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))[:MOST_VALUES]


def _but(values: Sequence[str], one: str) -> tuple[str, ...]:
    return tuple(each for each in values if each != one)


def _date(given: str) -> str:
    return given.strip() if moment(given.strip()) is not None else ""


def _day(date: str) -> str:
    """A date as the browser's field wants it: the day on which a year or month begins."""
    begins = moment(date)
    return "" if begins is None else datetime.fromtimestamp(begins, UTC).date().isoformat()


def _page_number(given: str | None) -> int:
    plain = given is not None and given.isascii() and given.isdigit() and len(given) <= 6
    return min(max(int(given), 1), MOST_PAGES) if given is not None and plain else 1
