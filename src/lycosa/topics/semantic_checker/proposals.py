"""What could be changed about the taxonomy, for a person to accept or reject, and what accepting does.

Four kinds: a *variant* (another word for a known term), a *term* (a word that a
topic should know), a *subtopic* (a new topic under one, made of words that occur
together), and a *page* (a good example of a topic). Nothing is changed by
proposing; accepting returns another taxonomy and other variants.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from lycosa.configuration.settings import ConfigurationError
from lycosa.records import Record, Score
from lycosa.text import stems, words
from lycosa.topics.taxonomy import Node, Taxonomy
from lycosa.topics.vocabulary import Variant, Variants

VARIANT, TERM, SUBTOPIC, PAGE = KINDS = ("variant", "term", "subtopic", "page")
LABEL_TERMS = 3
LONGEST_PASSAGE = 1_500
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")


class Proposal(Record, frozen=True):
    """A change that somebody may want, how strong the case for it is, and where it was seen."""

    kind: str
    node: str = ""
    words: tuple[str, ...] = ()
    term: str = ""
    strength: Score = Score(0.0)
    documents: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def told(self) -> str:
        """The change in a sentence."""
        if self.kind == VARIANT:
            return f"{self.words[0]} is another word for {self.term}"
        if self.kind == TERM:
            return f"{self.node} should know {self.words[0]}"
        if self.kind == SUBTOPIC:
            under = f"under {self.node}" if self.node else "at the top"
            return f"a new topic {under}: {', '.join(self.words)}"
        return f"{self.pages[0]} is a good example of {self.node}"

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        value, why = self.strength.value, self.strength.why
        evidence = [{"value": round(part.value, 4), "why": part.why} for part in self.strength.parts]
        told = {"kind": self.kind, "node": self.node, "words": list(self.words), "term": self.term}
        seen = {"pages": list(self.pages), "documents": list(self.documents)}
        return {**told, "told": self.told(), "strength": round(value, 4), "why": why, "evidence": evidence, **seen}


class Refusal(Record, frozen=True):
    """A proposal that somebody has rejected, by what it was about (stems, for words)."""

    kind: str
    about: tuple[str, ...]
    of: str = ""


def refusal_of(proposal: Proposal, language: str = "en") -> Refusal:
    """What to remember of a rejected proposal."""
    about = tuple(_stem(word, language) for word in proposal.words) or proposal.pages
    of = {VARIANT: _stem(proposal.term, language), PAGE: proposal.node}.get(proposal.kind, "")
    return Refusal(proposal.kind, about, of)


class Refusals:
    """What was rejected and does not come back."""

    def __init__(self, refusals: Iterable[Refusal] = ()) -> None:
        told = tuple(refusals)
        self._exact = {(refusal.kind, refusal.about, refusal.of) for refusal in told}
        self._bundles = [frozenset(refusal.about) for refusal in told if refusal.kind == SUBTOPIC]

    def cover(self, proposal: Proposal, language: str = "en") -> bool:
        """Whether this, or for a subtopic one with half of its words, was rejected before."""
        refusal = refusal_of(proposal, language)
        if proposal.kind == SUBTOPIC:
            return any(2 * len(bundle & set(refusal.about)) >= len(refusal.about) for bundle in self._bundles)
        return (refusal.kind, refusal.about, refusal.of) in self._exact


def _stem(word: str, language: str) -> str:
    return " ".join(stems(language)(each) for each in words(word))


def accepted(taxonomy: Taxonomy, variants: Variants, proposal: Proposal, label: str = "") -> tuple[Taxonomy, Variants]:
    """The taxonomy and the variants as the proposal wants them; `label` names a new topic."""
    if proposal.kind == VARIANT:
        return taxonomy, variants.with_one(Variant(proposal.words[0], proposal.term, proposal.strength.why))
    if proposal.kind == TERM:
        return taxonomy.with_node(_knowing(taxonomy[proposal.node], proposal)), variants
    if proposal.kind == SUBTOPIC:
        return taxonomy.with_node(_new_topic(taxonomy, proposal, label)), variants
    if proposal.kind == PAGE:
        return taxonomy.with_page(proposal.node, proposal.pages[0]), variants
    raise ConfigurationError(f"{proposal.kind!r} is no kind of proposal; there are: {', '.join(KINDS)}")


def _knowing(node: Node, proposal: Proposal) -> Node:
    """The node with the word in its description."""
    (word,) = proposal.words
    described = node.description.rstrip()
    joint = " " if described.endswith((".", "!", "?", "…")) else "; "
    return msgspec.structs.replace(node, description=f"{described}{joint}{word}" if described else word)


def _new_topic(taxonomy: Taxonomy, proposal: Proposal, label: str) -> Node:
    named = " ".join(label.split()) or label_of(proposal.words)
    return Node(
        taxonomy.free_id(named),
        named,
        taxonomy[proposal.node].id if proposal.node else "",
        ", ".join(proposal.words),
        pages=proposal.pages,
        texts=proposal.texts,
    )


def label_of(bundle: Sequence[str]) -> str:
    """A label for a bundle of words, the weightiest first."""
    first = ", ".join(bundle[:LABEL_TERMS])
    return first[:1].upper() + first[1:]


def passage(text: str, bundle: Sequence[str], language: str = "en") -> str:
    """The sentences of a text that use words of a bundle, up to a bound: an example of a new topic."""
    wanted = {stems(language)(word) for word in bundle}
    kept: list[str] = []
    room = LONGEST_PASSAGE
    for sentence in _SENTENCE_END.split(text):
        if wanted.isdisjoint(stems(language)(word) for word in words(sentence)):
            continue
        kept.append(sentence.strip()[:room])
        room -= len(kept[-1]) + 1
        if room <= 0:
            break
    return " ".join(kept)


# -- exemplary pages ----------------------------------------------------------------------------


class Candidate(Record, frozen=True):
    """A crawled page with its relevance to a topic (0 to 1) and its rank (PageRank, or in-links)."""

    url: str
    relevance: float
    rank: float
    title: str = ""


def exemplary_pages(node: str, candidates: Iterable[Candidate], known: Iterable[str], most: int = 10) -> list[Proposal]:
    """The pages that would make good examples of a topic (C1): relevant first of all, and linked to.

    The strength is the relevance, of which the least ranked page keeps half and the
    best ranked one all: the share of the other candidates with a lower rank decides.
    """
    there = set(known)
    found = [each for each in candidates if each.relevance > 0 and each.url not in there]
    ranks = sorted(each.rank for each in found)
    scored = []
    for each in found:
        standing = _share_below(ranks, each.rank)
        value = min(1.0, each.relevance) * (0.5 + 0.5 * standing)
        parts = (
            Score(each.relevance, "relevance"),
            Score(standing, f"share of pages with a lower rank ({each.rank:.3g})"),
        )
        why = f"relevance {each.relevance:.2f}, ranked above {standing:.0%} of the pages"
        named = (each.title,) if each.title else ()
        scored.append(Proposal(PAGE, node, strength=Score(value, why, parts), pages=(each.url,), documents=named))
    return sorted(scored, key=lambda proposal: (-proposal.strength.value, proposal.pages))[:most]


def _share_below(ranks: Sequence[float], rank: float) -> float:
    return bisect_left(ranks, rank) / max(1, len(ranks) - 1)
