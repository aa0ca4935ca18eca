"""The vocabulary V: the words that the taxonomy knows, and the variants that people have accepted.

A variant is another word for a term of V; it counts as that term wherever a text
is compared with the taxonomy. Words are known by their stems. Variants are kept in
a file of their own, which people can read and write; text goes in and out here,
who opens files is somebody else's business.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import msgspec

from lycosa.configuration.settings import ConfigurationError, to_toml
from lycosa.records import Record
from lycosa.text import stems, stop_words, words
from lycosa.topics.taxonomy import Node, Taxonomy

_WORD = re.compile(r"[^\W_]+")
_HEAD = "# Other words for terms of the taxonomy: `word` counts as `term`.\n"


class Variant(Record, frozen=True):
    """Another word (or two words) for a known term (or two), and why somebody thought so."""

    word: str
    term: str
    why: str = ""


class Variants:
    """All accepted variants; they never change, an edit returns others."""

    def __init__(self, variants: Iterable[Variant] = ()) -> None:
        self._of = {_folded(variant.word): variant for variant in variants}

    def __iter__(self) -> Iterator[Variant]:
        return iter(self._of.values())

    def __len__(self) -> int:
        return len(self._of)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Variants) and self._of == other._of

    def __hash__(self) -> int:
        return hash(tuple(self._of.values()))

    def with_one(self, variant: Variant) -> Variants:
        """These and one more; a word stands for one term only, the latest."""
        return Variants([*(each for each in self if _folded(each.word) != _folded(variant.word)), variant])

    def without(self, word: str) -> Variants:
        """These without a word."""
        return Variants(each for each in self if _folded(each.word) != _folded(word))

    def written(self) -> str:
        """As TOML for people."""
        tables = ("[[variant]]\n" + to_toml(_plain(variant)) for variant in self)
        return _HEAD + "".join(f"\n{table}" for table in tables)


def _plain(variant: Variant) -> dict[str, str]:
    """A variant's own words; what cannot be printed, in reasons out of foreign texts, is left out."""
    told = {name: getattr(variant, name) for name in variant.__struct_fields__ if getattr(variant, name)}
    return {name: "".join(char if char.isprintable() else " " for char in text) for name, text in told.items()}


def _folded(word: str) -> str:
    return " ".join(words(word))


def parse_variants(text: str, origin: str = "variants") -> Variants:
    """Variants as somebody wrote them down; `origin` names the text in errors."""
    try:
        tables = tomllib.loads(text).get("variant", [])
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{origin}: not valid TOML: {error}") from None
    if not isinstance(tables, list):
        raise ConfigurationError(f"{origin}: variants are written as [[variant]] tables with `word` and `term`")
    return Variants(_variant(table, f"{origin}, variant {number}") for number, table in enumerate(tables, 1))


def _variant(table: Any, place: str) -> Variant:
    try:
        known = {name: table[name] for name in Variant.__struct_fields__ if name in table}
        variant = msgspec.convert(list({"word": "", "term": "", "why": "", **known}.values()), Variant)
    except (msgspec.ValidationError, TypeError) as error:
        raise ConfigurationError(f"{place}: {error}; it needs `word` and `term` as text") from None
    if not (1 <= len(words(variant.word)) <= 2 and 1 <= len(words(variant.term)) <= 2):
        raise ConfigurationError(f"{place}: needs `word` and `term`, each of one or two words, got {table!r}")
    return variant


def node_texts(node: Node) -> tuple[str, ...]:
    """All that a node says in words: its label with its description, then its exemplary texts."""
    return (f"{node.label}. {node.description}", *node.texts)


class Vocabulary:
    """What the taxonomy knows, with its variants."""

    def __init__(self, taxonomy: Taxonomy, variants: Variants | None = None, language: str = "en") -> None:
        self.taxonomy, self.variants, self.language = taxonomy, variants or Variants(), language
        self._stem = stems(language)
        self._stop = stop_words().get(language, frozenset())
        alone = {_folded(each.word): each.term for each in self.variants if " " not in _folded(each.word)}
        self._term_of = {self._stem(word): term for word, term in alone.items()}
        self._pairs = {_folded(each.word): each.term for each in self.variants if " " in _folded(each.word)}

    @cached_property
    def terms(self) -> frozenset[str]:
        """The stems of all nodes' words, without stop words."""
        found = {word for node in self.taxonomy for text in node_texts(node) for word in words(text)}
        return frozenset(self._stem(word) for word in found - self._stop)

    def knows(self, word: str) -> bool:
        """Whether a word, or the term it is a variant of, is in the taxonomy."""
        told = words(self.in_known_words(word))
        return bool(told) and all(self._stem(each) in self.terms for each in told)

    def counts(self, text: str) -> dict[str, int]:
        """How often each term occurs in a text, variants counted as their terms."""
        told = Counter(words(self.in_known_words(text)))
        return stems(self.language).counts({word: number for word, number in told.items() if word not in self._stop})

    def unknown(self, text: str) -> dict[str, int]:
        """The terms of a text that V does not know (V'), and how often they occur."""
        return {term: number for term, number in self.counts(text).items() if term not in self.terms}

    def in_known_words(self, text: str) -> str:
        """The text with each variant replaced by its term, for whoever compares it with the taxonomy."""
        if not self.variants:
            return text
        if self._pairs:
            text = self._two_words.sub(lambda match: self._pairs.get(_folded(match[0]), match[0]), text)
        return _WORD.sub(lambda match: self._term_of.get(self._stem(match[0].lower()), match[0]), text)

    @cached_property
    def _two_words(self) -> re.Pattern[str]:
        """Every variant of two words; what stands between them is a hyphen or space."""
        either = "|".join(r"[\s\-‐‑]+".join(map(re.escape, pair.split())) for pair in sorted(self._pairs))
        return re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])", re.IGNORECASE)
