"""The tree of topics as pages and programs see it: read once per change, searched by words, bounded in what is shown.

A person's taxonomy may have thousands of topics, and a page must stay small: of a large
tree the upper levels are shown, and what lies deeper is a step further.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from lycosa.preparation.taxonomy_files import OwnTaxonomy
from lycosa.records import Record
from lycosa.text import language_of, stems, stop_words, words
from lycosa.topics.inverted_list import rarity, saturated
from lycosa.topics.okapi import Statistics, shipped_background
from lycosa.topics.taxonomy import Node, Taxonomy
from lycosa.topics.vocabulary import node_texts

MOST_SHOWN = 250
MOST_LEVELS = 12
MOST_WORDS = 30
LONGEST_READ = 200_000
"""Characters of a topic's texts that its words are taken from."""
_Stamps = tuple[tuple[str, int, int], ...]


def known_topics(home: Path) -> Taxonomy:
    """The taxonomy of a home; its files are read again when they have changed."""
    folder = OwnTaxonomy(home).folder
    files = sorted(folder.glob("*.toml"))
    return _read(home, tuple((file.name, told.st_mtime_ns, told.st_size) for file in files for told in (file.stat(),)))


@lru_cache(maxsize=2)
def _read(home: Path, _: _Stamps) -> Taxonomy:
    return OwnTaxonomy(home).load()


def in_order(taxonomy: Taxonomy, under: str = "") -> list[Node]:
    """All topics, or those below one, each after its parent."""
    if under:
        return list(taxonomy.below(under))
    return [node for root in taxonomy.roots() for node in (root, *taxonomy.below(root.id))]


def matching(taxonomy: Taxonomy, typed: str, under: str = "") -> list[Node]:
    """The topics whose path or id holds all words of what somebody typed, in the order of the tree."""
    wanted = typed.casefold().split()
    found = in_order(taxonomy, under)
    if not wanted:
        return found
    return [node for node in found if all(word in f"{taxonomy.path(node.id)} {node.id}".casefold() for word in wanted)]


class Branch(Record, frozen=True):
    """A topic in the tree with those shown below it; `more` are below it too, but not shown."""

    node: Node
    below: tuple[Branch, ...] = ()
    more: int = 0
    hit: bool = False

    @property
    def examples(self) -> int:
        """How many exemplary pages and texts it has."""
        return len(self.node.pages) + len(self.node.texts)


def branches(taxonomy: Taxonomy, under: str = "", hits: Sequence[Node] | None = None) -> tuple[Branch, ...]:
    """The tree, or the part below a topic, as far as it fits on a page; with `hits`, those and what is above them."""
    beginning = taxonomy.children(under) if under else taxonomy.roots()
    chosen = _upper(taxonomy, beginning) if hits is None else _leading_to(taxonomy, hits[:MOST_SHOWN])
    marked = frozenset(node.id for node in hits or ())
    return tuple(_branch(taxonomy, node, chosen, marked, 1) for node in beginning if node.id in chosen)


def _upper(taxonomy: Taxonomy, beginning: Sequence[Node]) -> set[str]:
    """As many topics as fit, level by level."""
    chosen: set[str] = set()
    waiting = deque(beginning)
    while waiting and len(chosen) < MOST_SHOWN:
        node = waiting.popleft()
        chosen.add(node.id)
        waiting.extend(taxonomy.children(node.id))
    return chosen


def _leading_to(taxonomy: Taxonomy, hits: Sequence[Node]) -> set[str]:
    return {each.id for node in hits for each in (node, *taxonomy.ancestors(node.id))}


def _branch(taxonomy: Taxonomy, node: Node, chosen: set[str], marked: frozenset[str], level: int) -> Branch:
    children = taxonomy.children(node.id)
    shown = [child for child in children if child.id in chosen] if level < MOST_LEVELS else []
    below = tuple(_branch(taxonomy, child, chosen, marked, level + 1) for child in shown)
    return Branch(node, below, len(children) - len(shown), node.id in marked)


class WeighedWord(Record, frozen=True):
    """A word of a topic and its weight, of the weightiest word's 1."""

    word: str
    weight: float


@lru_cache(maxsize=64)
def topic_words(node: Node) -> tuple[WeighedWord, ...]:
    """The weightiest words of a topic: (1 + ln tf) · idf over all it says, with English at large for the rarity."""
    told = words("\n".join(node_texts(node))[:LONGEST_READ])
    language = language_of(told[:400], "en") or "en"
    background = shipped_background() if language == "en" else Statistics()
    stop, stem = stop_words().get(language, frozenset()), stems(language)
    written: dict[str, Counter[str]] = {}
    for word, times in Counter(told).items():
        if word not in stop:
            written.setdefault(stem(word), Counter())[word] += times
    counts = np.array([each.total() for each in written.values()], np.int64)
    holding = np.array([background.holding.get(term, 0) for term in written], float)
    weights = saturated(counts) * (rarity(background.documents, holding) if background.documents else 1.0)
    order = np.argsort(-weights, kind="stable")[:MOST_WORDS]
    said = [each.most_common(1)[0][0] for each in written.values()]
    return tuple(WeighedWord(said[place], float(weights[place] / weights[order[0]])) for place in order)
