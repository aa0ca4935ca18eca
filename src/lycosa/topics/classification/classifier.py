"""The galaxy (T3): which class a link most likely leads to, or a text is about.

Every occurrence of a word or phrase that the classification knows is a point for each
of its classes. Points flock by their digits: the heaviest group by first digit, in it
the heaviest by second, then by third. A `Galaxy` says how it came about; a `Predictor`
gives the same classes at the speed of a crawl. Weights are counted in tenths, so
groups that weigh the same tie exactly, in whatever order their points came.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from lycosa.records import Page, Record
from lycosa.text import words
from lycosa.topics.classification.class_words import page_entries, spoken
from lycosa.topics.classification.scheme import NO_ANCHOR, Match, Point, Scheme, Span, digits_of
from lycosa.topics.classification.scheme_file import SchemeFiles, scheme_in

PAGES_REMEMBERED = 2_000
BOUNDARIES_REMEMBERED = 500
DIGITS = 3
"""Digits of a class that is predicted; those behind them only give a point more weight."""
PLAIN, ANCHOR = 10, 14
"""The impact of a word, in tenths: 1.0, and 1.4 for the words of an anchor."""
MOST_WORDS = 8
"""Words that a reason names."""

Numbers: TypeAlias = list[str]


class Group(Record, frozen=True):
    """The points whose numbers begin alike: how many, and their weight W = n · Σ length · impact."""

    number: str
    n: int
    weight: float


class Step(Record, frozen=True):
    """The groups inside one, by their next digit, the heaviest first."""

    inside: str
    groups: tuple[Group, ...]


class Galaxy(Record, frozen=True):
    """The classes that some points predict, and how: the steps, digit by digit, and the points themselves."""

    classes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    points: tuple[Point, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words that spoke for a predicted class, the most frequent first."""
        spoke = Counter(point.word for point in self.points if point.number.startswith(self.classes))
        return tuple(word for word, _ in spoke.most_common())

    @property
    def why(self) -> str:
        """One line for people: each class with the weights on the way to it, and the words that spoke for it."""
        if not self.classes:
            return "no word that the classification knows"
        weights = {group.number: group.weight for step in self.steps for group in step.groups}
        ways = (
            ", ".join(f"{number[:size]} ({_plain(weights[number[:size]])})" for size in range(1, len(number) + 1))
            for number in self.classes
        )
        spoke = self.words
        more = ", …" if len(spoke) > MOST_WORDS else ""
        return f"W {' or '.join(ways)}; words: {', '.join(spoke[:MOST_WORDS])}{more}"


def _plain(weight: float) -> str:
    return f"{weight:.1f}".removesuffix(".0")


def galaxy(points: Iterable[Point]) -> Galaxy:
    """The class that points speak for: the heaviest group digit by digit, all of them where groups tie."""
    every = tuple(points)
    found: list[str] = []
    steps: list[Step] = []
    waiting = [("", every)]
    for inside, held in waiting:
        longer = [point for point in held if len(point.number) > len(inside)]
        if not longer or len(inside) == DIGITS:
            found += [inside] if inside else []
            continue
        groups: dict[str, list[Point]] = {}
        for point in longer:
            groups.setdefault(point.number[: len(inside) + 1], []).append(point)
        weighed = sorted(((_tenths(group), number) for number, group in groups.items()), key=_heaviest_first)
        steps.append(Step(inside, tuple(Group(number, len(groups[number]), w / 10) for w, number in weighed)))
        waiting += [(number, tuple(groups[number])) for w, number in weighed if w == weighed[0][0]]
    return Galaxy(tuple(sorted(found)), tuple(steps), every)


def _tenths(group: Sequence[Point]) -> int:
    """The weight of a group, in tenths."""
    return len(group) * sum(len(point.number) * (ANCHOR if point.anchor else PLAIN) for point in group)


def _heaviest_first(weighed: tuple[int, str]) -> tuple[int, str]:
    return -weighed[0], weighed[1]


def complies(predicted: Iterable[str], wanted: Iterable[str], depth: int = DIGITS) -> bool:
    """Whether a predicted class lies in a wanted one or holds it, as far as `depth` digits tell."""
    asked = [digits_of(number)[:depth] for number in wanted]
    for number in predicted:
        digits = digits_of(number)[:depth]
        if digits and any(each and (digits.startswith(each) or each.startswith(digits)) for each in asked):
            return True
    return False


# -- of links and pages, with reasons ---------------------------------------------------------------


def galaxy_of_link(scheme: Scheme, boundary: str, anchor: str) -> Galaxy:
    """The class that a link leads to, by its anchor and the words around it."""
    told, spoken = words(boundary), words(anchor)
    span = anchor_span(told, spoken)
    points = scheme.points(told, span)
    if span == NO_ANCHOR:
        points += scheme.points(spoken, (0, len(spoken)))
    return galaxy(points)


def anchor_span(told: list[str], spoken: list[str]) -> Span:
    """Where an anchor's words first stand within others; `NO_ANCHOR` where they do not."""
    size = len(spoken)
    if not size:
        return NO_ANCHOR
    first, at, last = spoken[0], -1, len(told) - size
    while at < last:
        try:
            at = told.index(first, at + 1, last + 1)
        except ValueError:
            break
        if told[at : at + size] == spoken:
            return at, at + size
    return NO_ANCHOR


def galaxy_of_page(scheme: Scheme, page: Page) -> Galaxy:
    """The class of a page; the words of its title and headings count as an anchor's."""
    return galaxy_of_pages(scheme, [page])


def galaxy_of_pages(scheme: Scheme, pages: Iterable[Page]) -> Galaxy:
    """The class of some pages together, such as the examples of a topic."""
    return galaxy(point for page in pages for point in scheme.points(*spoken(page)))


def galaxy_of_texts(scheme: Scheme, texts: Iterable[str]) -> Galaxy:
    """The class of some texts together, such as the examples of a topic."""
    return galaxy_of_pages(scheme, (Page("", text=text) for text in texts))


# -- the same at the speed of a crawl ---------------------------------------------------------------


class _Boundary:
    """What the links of one boundary have in common: its words, the matches, the points by first digit, and answers."""

    __slots__ = ("_answers", "_groups", "matches", "told")

    def __init__(self, scheme: Scheme, text: str) -> None:
        self.told = words(text)
        self.matches = scheme.matches(self.told)
        self._groups = _grouped(_numbers(self.matches), 1)
        self._answers: dict[tuple[str, ...], tuple[str, ...]] = {}

    def classes(self, span: Span) -> tuple[str, ...]:
        """The classes of a link by the words of its anchor; all anchors with the same points have the same."""
        begin, stop = span
        touching = [match for match in self.matches if match[0] < stop and match[0] + match[1].size > begin]
        anchored = tuple(_numbers(touching))
        answer = self._answers.get(anchored)
        if answer is None:
            answer = self._answers[anchored] = _predicted(self._groups, anchored)
        return answer


class Predictor:
    """The classes of links and pages without reasons; boundaries and pages met lately are remembered."""

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        self._entries = page_entries(scheme)
        self._boundaries: dict[str, _Boundary] = {}
        self._young: dict[Any, tuple[str, ...]] = {}
        self._old: dict[Any, tuple[str, ...]] = {}
        self.remembered = PAGES_REMEMBERED

    def of_link(self, boundary: str, anchor: str) -> tuple[str, ...]:
        """The classes that a link may lead to, as `galaxy_of_link` has them."""
        read = self._boundaries.get(boundary) or self._read(boundary)
        spoken = words(anchor)
        span = anchor_span(read.told, spoken)
        alone = _numbers(self.scheme.matches(spoken)) if span == NO_ANCHOR else None
        if not alone:
            return read.classes(span)
        return _predicted(_grouped(_numbers(read.matches) + alone, 1), alone)

    def _read(self, boundary: str) -> _Boundary:
        if len(self._boundaries) >= BOUNDARIES_REMEMBERED:
            self._boundaries.clear()
        read = self._boundaries[boundary] = _Boundary(self.scheme, boundary)
        return read

    def of_page(self, page: Page) -> tuple[str, ...]:
        """The classes of a page, as `galaxy_of_page` has them."""
        key = (page.digest or page.text, page.title, page.headings)
        found = self._young.get(key)
        if found is None:
            found = self._old.pop(key, None)
            if found is None:
                found = self._found(page)
            if len(self._young) >= self.remembered:
                self._old, self._young = self._young, {}
            self._young[key] = found
        return found

    def _found(self, page: Page) -> tuple[str, ...]:
        known = self.scheme.entries
        every, anchored = (
            [number for entry in entries.tolist() for number in known[entry].numbers]
            for entries in self._entries.of(page)
        )
        return _predicted(_grouped(every, 1), anchored)


def _numbers(matches: Iterable[Match]) -> Numbers:
    """The class numbers of matches: one for each point."""
    return [number for _, entry in matches for number in entry.numbers]


def _grouped(numbers: Numbers, size: int) -> dict[str, Numbers]:
    """Numbers by their first digits; those that have not so many drop out."""
    groups: dict[str, Numbers] = {}
    for number in numbers:
        if len(number) >= size:
            group = number[:size]
            if group in groups:
                groups[group].append(number)
            else:
                groups[group] = [number]
    return groups


def _predicted(groups: dict[str, Numbers], anchored: Sequence[str]) -> tuple[str, ...]:
    """The classes that groups of points speak for; the points of the anchor are among them, and given once more."""
    found: list[str] = []
    waiting = [groups]
    for groups in waiting:
        for number in _heaviest(groups, anchored):
            longer = _grouped(groups[number], len(number) + 1) if len(number) < DIGITS else None
            if longer:
                waiting.append(longer)
            else:
                found.append(number)
    return tuple(sorted(found))


def _heaviest(groups: dict[str, Numbers], anchored: Sequence[str]) -> list[str]:
    """The group(s) with the largest weight; the digits of a group are counted by putting its numbers together."""
    if len(groups) < 2:
        return list(groups)
    weights = {number: PLAIN * len(group) * len("".join(group)) for number, group in groups.items()}
    size = len(next(iter(groups)))
    for number in anchored:
        group = groups.get(number[:size])
        if group is not None:
            weights[number[:size]] += (ANCHOR - PLAIN) * len(group) * len(number)
    most = max(weights.values())
    return [number for number, weight in weights.items() if weight == most]


@lru_cache(maxsize=4)
def predictor(own: SchemeFiles = ()) -> Predictor:
    """One predictor for all who use a classification."""
    return Predictor(scheme_in(own))
