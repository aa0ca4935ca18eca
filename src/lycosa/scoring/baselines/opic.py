"""OPIC: importance worked out while crawling, after Abiteboul, Preda and Cobena.

Every seed begins with a cash of 1. A page that is read spreads its cash evenly over
its links, and the waiting link with the most cash is read next; the cash that went
through a page is its history, an estimate of its importance. The virtual page takes
what cannot be spread: the cash of pages without links, and what is given to pages
that were read already and will not be read again. It links to all that wait; it is
read whenever it holds more than the page read last did, some of its links at a
time, in turn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Link, Page, Redirected, Score, Visit, urls_of
from lycosa.scoring.bounded_memory import Remembered
from lycosa.scoring.known_parents import MOST_REMEMBERED

SEED_CASH = 1.0
DECADES = 10
"""Cash falls off by magnitudes, priorities evenly: 1 for a cash of 1, a tenth less for each tenth."""
GIVEN_AT_ONCE = 100
"""So many links of the virtual page are served at a time."""


class OpicLinkScorer:
    """Cash of the links that wait, history of the pages that were read."""

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = max(1, most)
        self._cash: dict[str, float] = {}
        self._history: Remembered[str, float] = Remembered(most)
        self._virtual = 0.0
        self._changed: dict[str, Score | None] = {}

    def history(self, url: str) -> float:
        """All the cash that went through a page."""
        return self._history.get(url) or 0.0

    @property
    def virtual_cash(self) -> float:
        """What the virtual page holds."""
        return self._virtual

    @property
    def total_cash(self) -> float:
        """All the cash there is; it does not change but by seeds."""
        return math.fsum(self._cash.values()) + self._virtual

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """The cash that each link will hold, by magnitude."""
        if not links:
            return []
        cash = self._cash.get
        share = self._held(page.url, links[0].depth - 1) / len(links)
        alone = _score(share)
        held = [cash(link.url, 0.0) for link in links]
        return [_score(each + share) if each else alone for each in held]

    def _held(self, url: str, depth: int) -> float:
        """The cash of a page to be read; a seed is a page at depth 0 that nobody has given anything yet."""
        cash = self._cash.get(url)
        if cash is None:
            return SEED_CASH if depth <= 0 and url not in self._history else 0.0
        return cash

    def learn(self, visits: Sequence[Visit]) -> None:
        """Each page spreads its cash. A redirect hands all of it on."""
        for visit in visits:
            url = visit.link.url
            spread = self._held(url, visit.link.depth)
            self._cash.pop(url, None)
            self._changed.pop(url, None)
            self._history.put(url, self.history(url) + spread)
            self._spread(spread, _targets(visit), visit.priorities)
            if self._virtual > spread:
                self._read_virtual_page()
        self._forget_oldest()

    def _spread(self, cash: float, targets: Sequence[str], judged: Sequence[Score]) -> None:
        if not targets:
            self._virtual += cash
            return
        share, held, history = cash / len(targets), self._cash, self._history
        hints = judged if len(judged) == len(targets) else (None,) * len(targets)
        for url, hint in zip(targets, hints, strict=True):
            past = history.get(url)
            if past is None:
                held[url] = held.get(url, 0.0) + share
                self._changed[url] = hint
            else:
                history.put(url, past + share)
                self._virtual += share

    def _read_virtual_page(self) -> None:
        """Give what it holds to those that have waited longest for it; they stand at the end of the line then."""
        served = list(islice(self._cash, GIVEN_AT_ONCE))
        if not served:
            return
        share, self._virtual = self._virtual / len(served), 0.0
        for url in served:
            self._cash[url] = self._cash.pop(url) + share
            self._changed[url] = None

    def _forget_oldest(self) -> None:
        for url in list(islice(self._cash, max(0, len(self._cash) - self._most))):
            self._virtual += self._cash.pop(url)

    def hear(self, letters: Sequence[tuple[Link, Score]]) -> None:
        """Pages of another agent have given this much to a link of ours; they tell the sum, so it is not added."""
        for link, score in letters:
            told = _cash_of(score.value)
            if link.url not in self._history and told > self._cash.get(link.url, 0.0):
                self._cash[link.url] = told
                self._changed[link.url] = None

    def revised(self) -> Iterator[tuple[str, Score]]:
        """Waiting links whose cash has changed; a judgement that still holds need not be worded again."""
        changed, self._changed = self._changed, {}
        for url, judged in changed.items():
            cash = self._cash.get(url)
            if cash is not None:
                yield url, judged if judged is not None and judged.value == _value(cash) else _score(cash)


def _targets(visit: Visit) -> Sequence[str]:
    if isinstance(visit.outcome, Redirected):
        return [visit.outcome.target]
    return urls_of(visit.page.links) if visit.page else []


def _value(cash: float) -> float:
    return max(OFF_TOPIC, 1.0 + math.log10(cash) / DECADES) if cash > 0 else OFF_TOPIC


def _cash_of(value: float) -> float:
    return 10.0 ** ((value - 1.0) * DECADES) if value > OFF_TOPIC else 0.0


def _score(cash: float) -> Score:
    return Score(_value(cash), f"holds a cash of {cash:.3g}")


def opic_link_scorer(configuration: Configuration, topic: Topic) -> OpicLinkScorer:
    """The link scorer of the strategy `opic`."""
    return OpicLinkScorer()
