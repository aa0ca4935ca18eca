"""The class of a topic that is given in words: which one they speak for, and whether it is sure enough to go by."""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.records import Record
from lycosa.text import stop_words, words
from lycosa.topics.classification.classifier import Galaxy, galaxy
from lycosa.topics.classification.scheme import Point, Scheme

KNOWN_AT_LEAST = 0.5
"""The share of a topic's words, stop words aside, that must be known before its class means anything."""
MORE_THAN = 0.5
"""The share of the points that one class must have where they disagree in the first digit."""


class TopicClass(Record, frozen=True):
    """What a topic's words speak for: `known` enough to be told of, `sure` enough to be gone by."""

    galaxy: Galaxy = Galaxy()
    known: bool = False
    sure: bool = False

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes to go by; none where the words leave it open."""
        return self.galaxy.classes if self.sure else ()


def topic_class(scheme: Scheme, text: str) -> TopicClass:
    """The class of a topic's words."""
    told, stop = words(text), stop_words().get("en", frozenset())
    covered = {at + step for at, entry in scheme.matches(told) if entry.numbers for step in range(entry.size)}
    counted = [at for at, word in enumerate(told) if word not in stop]
    found = galaxy(scheme.points(told))
    if not found.classes or sum(at in covered for at in counted) < KNOWN_AT_LEAST * len(counted):
        return TopicClass(found)
    most = max(sum(point.number.startswith(number) for point in found.points) for number in found.classes)
    return TopicClass(found, known=True, sure=_agree(found.points) or most > MORE_THAN * len(found.points))


def _agree(points: Sequence[Point]) -> bool:
    """Whether all words may mean classes of the same first digit."""
    digits: dict[str, set[str]] = {}
    for point in points:
        digits.setdefault(point.word, set()).add(point.number[0])
    return bool(set.intersection(*digits.values()))
