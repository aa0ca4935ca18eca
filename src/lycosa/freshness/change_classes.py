"""The class of every page of an agent (M3): by its sitemap where the site's word is good, else by its own history.

What a site says of how often its pages change is held against what looks have shown: a
site on which far more or far fewer changes were seen is not believed. A page's class says
how soon to expect a change while little is known of it; what is seen counts for more.
"""

from __future__ import annotations

import math
from collections import defaultdict

from lycosa.crawling.lastmod_claims import FEW_CLAIMS
from lycosa.freshness.change_history import Look, Looks
from lycosa.freshness.change_rates import INTERVALS, ChangeClass, PageHistory
from lycosa.freshness.revisit_policy import RevisitPlan
from lycosa.freshness.revisit_queues import ClassQueues
from lycosa.urls import site_of

TOO_FAR = 4.0
"""A site is not believed whose pages changed so many times more or less often than it says."""


class SiteWord:
    """What is expected of a site's pages by its sitemaps, and what was seen."""

    __slots__ = ("expected", "seen")

    def __init__(self) -> None:
        self.expected = 0.0
        self.seen = 0

    def add(self, history: PageHistory, claimed: ChangeClass) -> None:
        """One more page: how many of the looks at it should have found a change, and how many did."""
        looks = history.looks - 1
        if looks > 0 and history.last > history.first:
            apart = (history.last - history.first) / looks
            self.expected += looks * -math.expm1(-apart / INTERVALS[claimed])
            self.seen += history.changed

    @property
    def believed(self) -> bool:
        """Whether what was seen is about what was said."""
        if max(self.expected, self.seen) < FEW_CLAIMS:
            return True
        return self.expected / TOO_FAR <= self.seen <= self.expected * TOO_FAR


class SaidClasses:
    """The classes that sitemaps give to pages, of sites whose word is good."""

    def __init__(self, looks: Looks) -> None:
        self._claimed = looks.frequencies
        self._words: defaultdict[str, SiteWord] = defaultdict(SiteWord)
        for url, named in looks.frequencies.items():
            if url in looks.pages:
                self._words[site_of(url)].add(looks.pages[url].history, ChangeClass(named))

    def of(self, url: str) -> ChangeClass | None:
        """The class of a page, where its site has said it and is believed."""
        named = self._claimed.get(url)
        return ChangeClass(named) if named and self._words[site_of(url)].believed else None

    def rate(self, url: str) -> float | None:
        """The changes a second that the class of a page stands for."""
        said = self.of(url)
        return None if said is None else 1.0 / INTERVALS[said]


class PageClasses:
    """All pages of an agent in the queues of their classes."""

    def __init__(self, looks: Looks, plan: RevisitPlan, said: SaidClasses) -> None:
        self._looks, self._plan, self._said = looks, plan, said
        self.queues = ClassQueues()
        for url in looks.pages:
            self.put(url)

    def put(self, url: str) -> None:
        """Put a page where it belongs by what is known of it now."""
        look: Look = self._looks.pages[url]
        own = self._said.of(url) or look.history.change_class(self._plan.prior)
        self.queues.put(url, own, self._plan.due(look.history, look.weight, self._said.rate(url)))

    def put_off(self, url: str, until: float) -> None:
        """Let a page wait in its class, whatever is known of it."""
        change_class = self.queues.class_of(url)
        if change_class is not None:
            self.queues.put(url, change_class, until)
