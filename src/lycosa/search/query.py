"""What a person typed, understood: words, "phrases", -without, site:, lang:, topic:, after:, before:.

Everything is reduced to plain words before the index sees it, and there is a
limit to each, so that no query can mean more than it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import UTC, datetime

import msgspec

from lycosa.records import Record
from lycosa.text import stop_words, words

LONGEST = 500
MOST_WORDS = 32
_PART = re.compile(r'-?"[^"]*"|[^\s":]+:"[^"]*"|[^\s"]+')
_WORD = re.compile(r"[^\W_]+")
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?")
_FILTERS = {
    "site": "site", "host": "site", "lang": "language", "language": "language", "topic": "topic", "like": "group",
}  # fmt: skip
_DATES = ("after", "before")


class Wanted(Record, frozen=True):
    """A query, understood; pages are not older than `after` and older than `before`, where these are given."""

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    filters: tuple[tuple[str, str], ...] = ()
    after: float | None = None
    before: float | None = None

    def also(
        self, filters: tuple[tuple[str, str], ...], after: float | None = None, before: float | None = None
    ) -> Wanted:
        """The same with further filters; of two dates the narrower one counts."""
        return msgspec.structs.replace(
            self,
            filters=(*self.filters, *filters)[:MOST_WORDS],
            after=max((each for each in (self.after, after) if each is not None), default=None),
            before=min((each for each in (self.before, before) if each is not None), default=None),
        )

    def loosened(self, phrases: Collection[str]) -> Wanted:
        """The same with the words of these phrases in place of the phrases."""
        if not phrases:
            return self
        loose = [word for phrase in self.phrases if phrase in phrases for word in phrase.split()]
        return msgspec.structs.replace(
            self,
            words=(*self.words, *(_without_stop_words(loose) or loose))[:MOST_WORDS],
            phrases=tuple(phrase for phrase in self.phrases if phrase not in phrases),
        )


def understand(typed: str) -> Wanted:
    """The query that a person meant."""
    plain: list[str] = []
    phrases: list[str] = []
    without: list[str] = []
    filters: list[tuple[str, str]] = []
    dates: dict[str, float] = {}
    for part in parts_of(typed):
        name, value = filter_in(part)
        if name in _DATES:
            dates[name] = moment(value) or 0.0
        elif name:
            filters.append((name, value))
        elif part.startswith("-") and len(part) > 1:
            without += words(part)
        elif part.startswith('"') and len(words(part)) > 1:
            phrases.append(" ".join(words(part)))
        else:
            plain += words(part)
    telling = _without_stop_words(plain) or ([] if phrases else plain)
    return Wanted(
        tuple(telling[:MOST_WORDS]),
        tuple(phrases[:MOST_WORDS]),
        tuple(without[:MOST_WORDS]),
        tuple(filters[:MOST_WORDS]),
        dates.get("after"),
        dates.get("before"),
    )


def parts_of(typed: str) -> list[str]:
    """A query cut into words, phrases and filters, as they were typed."""
    return _PART.findall(typed[:LONGEST])


def filter_in(part: str) -> tuple[str, str]:
    """The filter that a part of a query is, and its value; two empty strings where it is none.

    A date that is none is no filter either: its words are looked for.
    """
    name, colon, value = part.partition(":")
    name, value = name.lower(), value.strip('"').lower()
    if not colon or not value:
        return "", ""
    if name in _DATES:
        return (name, value) if moment(value) is not None else ("", "")
    return (_FILTERS[name], value) if name in _FILTERS else ("", "")


def moment(date: str) -> float | None:
    """When a year, month or day begins: `2024`, `2024-05`, `2024-05-17`."""
    found = _DATE.fullmatch(date)
    if found is None:
        return None
    year, month, day = (int(each) if each else 1 for each in found.groups())
    try:
        return datetime(year, month, day, tzinfo=UTC).timestamp()
    except ValueError:
        return None


def with_words(typed: str, instead: Callable[[str], str]) -> str:
    """A query with other words, where `instead` says so; filters stay as they are."""
    found = []
    for part in parts_of(typed):
        kept = filter_in(part)[0] or part.startswith("-")
        wrong = {} if kept else {each: better for each in words(part) if (better := instead(each)) != each}
        found.append(_replaced(part, wrong))
    return " ".join(found)


def _replaced(part: str, wrong: dict[str, str]) -> str:
    return _WORD.sub(lambda word: wrong.get(word[0].lower(), word[0]), part) if wrong else part


def _without_stop_words(typed: list[str]) -> list[str]:
    """Words that occur everywhere would find every page; they count only where nothing else was typed."""
    return [word for word in typed if word not in stop_words()["en"]]
