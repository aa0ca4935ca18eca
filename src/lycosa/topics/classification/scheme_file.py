"""A decimal classification as text that people can write by hand: one class per line, fields parted by tabs.

`598<TAB>Birds<TAB>bird; owl; birds of prey`. Lines that begin with `#` do not count, and
the order of lines does not matter. Texts go in with the names that errors give them; who
opens files is somebody else's business, except for the classification that is shipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.resources import files
from typing import TypeAlias

from lycosa.configuration.settings import ConfigurationError
from lycosa.text import words
from lycosa.topics.classification.scheme import LONGEST_WORD, ClassLine, Scheme, digits_of

SchemeFiles: TypeAlias = tuple[tuple[str, str], ...]
"""The files of a person's own classification: names for errors, and texts. None at all means the shipped one."""

MOST_WORDS = 8
MOST_DIGITS = 12
LONGEST_CAPTION = 300
LONGEST_PHRASE = 500
MOST_CLASSES = 200_000
MOST_PHRASES = 500_000
"""Words and phrases of all classes together; the shipped classification has some 34 000."""
_NUMBER = re.compile(r"[0-9]{1,3}|[0-9]{3}\.[0-9]+")
_SHAPE = "write NUMBER, a tab, CAPTION, a tab, and words parted by semicolons"


def read_classes(text: str, origin: str = "classes") -> list[ClassLine]:
    """The classes in a text, in its order; `origin` names it in errors."""
    return list(_lines([(origin, text)]))


def _lines(sources: Iterable[tuple[str, str]]) -> Iterator[ClassLine]:
    """The classes of several texts, each with its name, as long as they are not too many."""
    classes = phrases = 0
    for origin, text in sources:
        for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            place = f"{origin}:{number}"
            found = _line(line, place)
            classes, phrases = classes + 1, phrases + len(found.phrases)
            if classes > MOST_CLASSES:
                raise ConfigurationError(f"{place}: there are more than {MOST_CLASSES:,} classes; remove the finest")
            if phrases > MOST_PHRASES:
                raise _too_many_phrases(place)
            yield found


def scheme_of(sources: Iterable[tuple[str, str]], language: str = "en") -> Scheme:
    """One classification of several texts, each with its name."""
    named = list(sources)
    scheme = Scheme(_lines(named), language)
    if not len(scheme):
        origins = ", ".join(origin for origin, _ in named) or "classes"
        raise ConfigurationError(f"{origins}: there is no class in it; {_SHAPE}, one class per line")
    return scheme


def _line(line: str, place: str) -> ClassLine:
    number, *fields = (field.strip() for field in line.split("\t"))
    if not fields:
        raise ConfigurationError(f"{place}: there is no tab behind {_shown(number)}; {_SHAPE}")
    if len(fields) > 2:
        raise ConfigurationError(f"{place}: there are {len(fields) + 1} fields instead of three; {_SHAPE}")
    caption = " ".join(fields[0].split())
    if not _NUMBER.fullmatch(number) or len(digits_of(number)) > MOST_DIGITS:
        raise ConfigurationError(
            f"{place}: the number {_shown(number)} is not possible; write one to three digits, "
            f"or a dot behind the third and up to {MOST_DIGITS} in all, such as 598 or 746.92"
        )
    if not caption:
        raise ConfigurationError(f"{place}: class {number} has an empty caption; say in a few words what it is about")
    if len(caption) > LONGEST_CAPTION:
        raise ConfigurationError(
            f"{place}: caption: {_shown(caption)} is too long; use at most {LONGEST_CAPTION} characters, "
            "and leave words that speak of the class to the third field"
        )
    return ClassLine(digits_of(number), caption, _phrases(fields[1], place) if len(fields) > 1 else (), place)


def _too_many_phrases(place: str) -> ConfigurationError:
    told = f"with these there are more than {MOST_PHRASES:,} words and phrases in all"
    return ConfigurationError(f"{place}: words: {told}; keep those that tell classes apart")


def _phrases(field: str, place: str) -> tuple[str, ...]:
    if field.count(";") > MOST_PHRASES:
        raise _too_many_phrases(place)
    phrases = [phrase.strip() for phrase in field.split(";")]
    if not phrases[-1]:
        phrases.pop()
    for phrase in phrases:
        told = words(phrase) if len(phrase) <= LONGEST_PHRASE else []
        if not told and len(phrase) <= LONGEST_PHRASE:
            raise ConfigurationError(f"{place}: words: {_shown(phrase)} has no letter or digit; remove it")
        if not told or len(told) > MOST_WORDS or max(map(len, told)) > LONGEST_WORD:
            raise ConfigurationError(
                f"{place}: words: {_shown(phrase)} is too long; "
                f"use at most {MOST_WORDS} words of {LONGEST_WORD} letters, parted from the next phrase by a semicolon"
            )
    return tuple(phrases)


def _shown(told: str, most: int = 60) -> str:
    return repr(told if len(told) <= most else told[:most] + "…")


@lru_cache(maxsize=1)
def shipped_classes() -> Scheme:
    """The classification that comes with Lycosa."""
    folder = files("lycosa").joinpath("data/classes")
    found = sorted((each for each in folder.iterdir() if each.name.endswith(".tsv")), key=lambda each: each.name)
    return scheme_of((each.name, each.read_text("utf-8")) for each in found)


@lru_cache(maxsize=4)
def scheme_in(own: SchemeFiles = ()) -> Scheme:
    """The classification in a person's own files, or the shipped one."""
    return scheme_of(own) if own else shipped_classes()
