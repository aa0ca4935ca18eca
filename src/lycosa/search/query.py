"""What a person typed, understood: words, "phrases", -without, site:, lang:, topic:.

Everything is reduced to plain words before the index sees it, and there is a
limit to each, so that no query can mean more than it looks like.
"""

from __future__ import annotations

import re

from lycosa.records import Record
from lycosa.text import stop_words, words

LONGEST = 500
MOST_WORDS = 32
_PART = re.compile(r'-?"[^"]*"|[^\s"]+')
_FILTERS = {
    "site": "site", "host": "site", "lang": "language", "language": "language", "topic": "topic", "like": "group",
}  # fmt: skip


class Wanted(Record, frozen=True):
    """A query, understood."""

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    filters: tuple[tuple[str, str], ...] = ()


def understand(typed: str) -> Wanted:
    """The query that a person meant."""
    plain: list[str] = []
    phrases: list[str] = []
    without: list[str] = []
    filters: list[tuple[str, str]] = []
    for part in _PART.findall(typed[:LONGEST]):
        name, colon, value = part.partition(":")
        if colon and value and name.lower() in _FILTERS:
            filters.append((_FILTERS[name.lower()], value.lower()))
        elif part.startswith("-") and len(part) > 1:
            without += words(part)
        elif part.startswith('"'):
            inside = words(part)
            if len(inside) > 1:
                phrases.append(" ".join(inside))
            else:
                plain += inside
        else:
            plain += words(part)
    telling = _without_stop_words(plain) or ([] if phrases else plain)
    return Wanted(
        tuple(telling[:MOST_WORDS]),
        tuple(phrases[:MOST_WORDS]),
        tuple(without[:MOST_WORDS]),
        tuple(filters[:MOST_WORDS]),
    )


def _without_stop_words(typed: list[str]) -> list[str]:
    """Words that occur everywhere would find every page; they count only where nothing else was typed."""
    return [word for word in typed if word not in stop_words()["en"]]
