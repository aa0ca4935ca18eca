"""What an agent has done so far, in numbers; kept with its store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from lycosa.crawl_folder.stages import Stage
from lycosa.records import GONE, SITEMAP, Failed, Fetched, Visit


class Counts(msgspec.Struct):
    """Totals of one agent."""

    fetched: int = 0
    relevant: int = 0
    duplicates: int = 0
    bytes: int = 0
    relevance: float = 0.0
    links: int = 0
    new_links: int = 0
    sent: int = 0
    received: int = 0
    failed: dict[str, int] = {}
    refused: dict[str, int] = {}
    aside: int = 0
    dark: dict[str, int] = {}
    sitemaps: int = 0
    looked_again: int = 0
    changed: int = 0
    gone: int = 0
    rewritten: int = 0
    known_links: int = 0
    seen_hits: int = 0
    seen_misses: int = 0
    said_newer: int = 0
    classes: dict[str, int] = {}
    due: dict[str, int] = {}
    canonical: dict[str, int] = {}
    """Pages that name another URL as canonical, by what is thought of that."""
    stages: dict[str, Stage] = {}
    placeholders: dict[str, int] = {}
    """Pages that came with a status of success and no content, by what they are instead."""

    def note(self, visit: Visit, threshold: float, aside: bool = False) -> None:
        """Count one visit; a page is relevant from the threshold on, if it was not put aside."""
        outcome = visit.outcome
        if visit.link.rel == SITEMAP:
            self.sitemaps += isinstance(outcome, Fetched)
        elif isinstance(outcome, Fetched):
            self.fetched += 1
            self.bytes += len(outcome.response.raw)
            relevance = visit.relevance.value if visit.relevance else 0.0
            self.relevance += relevance
            self.relevant += relevance >= threshold and not aside
            self.aside += aside
            if visit.page and (name := visit.page.placeholder):
                self.placeholders[name] = self.placeholders.get(name, 0) + 1
        elif isinstance(outcome, Failed):
            self.failed[outcome.why] = self.failed.get(outcome.why, 0) + 1

    def note_again(self, visit: Visit) -> None:
        """Count one look at a page that was fetched before."""
        if visit.link.rel != SITEMAP:
            self.looked_again += 1
            self.changed += isinstance(visit.outcome, Fetched)
            self.gone += isinstance(visit.outcome, Failed) and visit.outcome.why in GONE


def kept_counts(data: bytes | None) -> Counts:
    """The totals that a store keeps as its mark `counts`; none yet where it has none."""
    return msgspec.msgpack.decode(data, type=Counts) if data else Counts()


def total(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    """Counts by name added up."""
    summed: Counter[str] = Counter()
    for each in counts:
        summed.update(each)
    return dict(summed)
