"""What a scorer is: one method, a number that explains itself.

A *strategy* is a named pair of a page scorer and a link scorer. Both are
plug-ins; a factory gets the configuration and the topic. Scorers decide, they do
not write: what they learn arrives with the commit, through `learn`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lycosa.records import Link, Page, Record, Score, Visit


class Topic(Record, frozen=True):
    """What a crawl looks for, in text form."""

    label: str = ""
    examples: tuple[str, ...] = ()


class PageScorer(Protocol):
    """Step 4: how well a page fits the topic."""

    def relevance(self, page: Page) -> Score:
        """The page's relevance, between 0 and 1."""

    def learn(self, visits: Sequence[Visit]) -> None:
        """Visits became durable: learn from them."""

    def statistics(self) -> bytes:
        """What was learnt, to be kept and to be told to other agents."""

    def recall(self, own: bytes | None, others: Sequence[bytes]) -> None:
        """Take up what was learnt before a restart, and what the other agents learnt."""


class LinkScorer(Protocol):
    """Step 5: how promising a page's links are, all at once."""

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """A priority per link, between 0 and 1."""
