"""What a crawl is to look for: words, a node of the taxonomy, or the node that a person's documents fit best.

Words that name a node stand for it: its description, its example texts, its
exemplary pages as seeds. What is written like a path must name one. Documents without
words are mapped (C3). Either way the crawl begins at CL = D_u + D(c*): what the person
brought, and the node's pages (C5).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lycosa.records import Record
from lycosa.topics.mapper import Mapper
from lycosa.topics.taxonomy import AmbiguousName, Node, Taxonomy, TaxonomyError

_STEP = re.compile(r"[^\W\d_]{2}[./][^\W\d_]{2}")
"""From one topic to the one below it, as paths are written: `Biology.Birds`, `Biology/Birds`."""
LONGEST_PATH = 20
"""Words of a path; whoever writes more of them writes a text."""


class TopicChoice(Record, frozen=True):
    """The topic of a crawl, and a sentence about how it was chosen."""

    words: str = ""
    texts: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    told: str = ""
    classes: tuple[str, ...] = ()


def choose_topic(taxonomy: Taxonomy, words: str, documents: Sequence[str]) -> TopicChoice:
    """The topic that words or documents mean."""
    if words:
        node = _named(taxonomy, words)
        if node is None:
            return TopicChoice(words)
        below = (node, *taxonomy.below(node.id))
        return TopicChoice(
            f"{node.label}. {node.description}",
            tuple(text for each in below for text in each.texts),
            tuple(page for each in below for page in each.pages),
            f"the topic is {taxonomy.path(node.id)} of the taxonomy",
            node.classes,
        )
    if not documents:
        return TopicChoice()
    mapping = Mapper(taxonomy).map(documents)
    best = [taxonomy[id] for id in mapping.best]
    named = " and ".join(taxonomy.path(node.id) for node in best)
    told = f"the examples fit {named}" if best else f"no topic of the taxonomy fits the examples: {mapping.why}"
    return TopicChoice(pages=tuple(page for node in best for page in node.pages), told=told)


def _named(taxonomy: Taxonomy, words: str) -> Node | None:
    """The node that a name means; words that name none are just words, but the path of no topic is a mistake."""
    try:
        return taxonomy.find(words)
    except AmbiguousName:
        raise
    except TaxonomyError as error:
        apart = re.sub(r"[\W_]+", " ", words).strip()
        if _STEP.search(words) and len(apart.split()) <= LONGEST_PATH:
            raise TaxonomyError(f"{error} (to look for words, write them apart: {apart!r})") from None
        return None
