"""A strategy at work: the page scorer and the link scorer of a crawl, as one judge.

Whether a scorer learns, shares its counts or changes its mind is looked up once,
by the methods it has; everybody else asks the strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from lycosa.click_records import PageClicks
from lycosa.configuration.sections import Configuration
from lycosa.plugins import registry
from lycosa.plugins.plug_points import (
    OFF_TOPIC,
    Adjustable,
    Appraiser,
    Estimator,
    Learner,
    LinkScorer,
    Listener,
    PageScorer,
    Preparer,
    Reviser,
    Sharer,
    Topic,
    Watcher,
)
from lycosa.records import Link, Page, Score, Visit
from lycosa.topics.classification.classifier import predictor

VISITED = "people visit it, no page links to it"
"""How the reason of a link begins that only the clickstream knows (C13)."""
UNLINKED = Score(OFF_TOPIC, f"{VISITED}; the strategy has no word on such pages")


class Strategy:
    """How pages and links are judged."""

    def __init__(
        self,
        page_scorer: PageScorer,
        link_scorer: LinkScorer,
        classify: Callable[[Page], tuple[str, ...]] | None = None,
    ) -> None:
        parts = (page_scorer, link_scorer)
        self._page_scorer = page_scorer
        self._relevance, self._priorities = page_scorer.relevance, link_scorer.priorities
        self._preparers = [part for part in parts if isinstance(part, Preparer)]
        self._learners = [part for part in parts if isinstance(part, Learner)]
        self._sharers = [part for part in parts if isinstance(part, Sharer)]
        self._listeners = [part for part in parts if isinstance(part, Listener)]
        self._adjustable = [part for part in parts if isinstance(part, Adjustable)]
        self._watchers = [part for part in parts if isinstance(part, Watcher)]
        self._estimator = link_scorer if isinstance(link_scorer, Estimator) else None
        self._appraiser = link_scorer if isinstance(link_scorer, Appraiser) else None
        self._classify = classify
        self._reviser = link_scorer if isinstance(link_scorer, Reviser) else None

    def prepare(self, pages: Sequence[Page]) -> None:
        """Pages that will be judged next, all of a batch; where this fails, they can be judged all the same."""
        for part in self._preparers:
            part.prepare(pages)

    def judge(self, page: Page) -> tuple[Score, tuple[Score, ...]]:
        """Steps 4 and 5: a page's relevance and the priorities of its links."""
        relevance = self._relevance(page)
        return relevance, tuple(self._priorities(page, relevance, page.links))

    def classes(self, page: Page) -> tuple[str, ...]:
        """The knowledge classes of a page (T1); none where there are no words, or nobody asks for classes."""
        return self._classify(page) if self._classify is not None and page.text else ()

    @property
    def aside_below(self) -> float:
        """Pages of less relevance are kept aside, not indexed (M11); 0 where the page scorer has no such bar."""
        return float(getattr(self._page_scorer, "threshold", 0.0))

    @property
    def learns(self) -> bool:
        """Whether visits change how it judges."""
        return bool(self._learners)

    @property
    def shares(self) -> bool:
        """Whether it counts anything that is to be kept and told."""
        return bool(self._sharers)

    def learn(self, visits: Sequence[Visit]) -> None:
        """Visits became durable."""
        for part in self._learners:
            part.learn(visits)

    def hear(self, letters: Sequence[tuple[Link, Score]]) -> None:
        """Links of this agent's sites that other agents found."""
        for part in self._listeners:
            part.hear(letters)

    def revised(self) -> Iterable[tuple[str, Score]]:
        """Waiting links that should wait with another priority."""
        return self._reviser.revised() if self._reviser else ()

    @property
    def watches(self) -> bool:
        """Whether what people do changes how it judges."""
        return bool(self._watchers)

    def watch(self, pages: Sequence[PageClicks]) -> None:
        """What people did so far."""
        for part in self._watchers:
            part.watch(pages)

    def estimates(self, links: Sequence[Link]) -> Sequence[Score]:
        """The priorities of links that no page has."""
        return self._estimator.estimates(links) if self._estimator else [UNLINKED] * len(links)

    def importance(self, page: Page, relevance: Score) -> Score:
        """The importance of a fetched page; its relevance, where the link scorer has no other word for it."""
        return self._appraiser.importance(page, relevance) if self._appraiser else relevance

    def adjust(self, configuration: Configuration) -> None:
        """People changed settings of the running crawl."""
        for part in self._adjustable:
            part.adjust(configuration)

    def statistics(self) -> bytes:
        """What the scorers counted, to be kept and told."""
        return msgspec.msgpack.encode([part.statistics() for part in self._sharers])

    def recall(self, own: bytes | None, others: Sequence[bytes]) -> None:
        """Take up the own counts after a restart, and those of other agents."""
        kept = [msgspec.msgpack.decode(told, type=list[bytes]) for told in others]
        mine = msgspec.msgpack.decode(own, type=list[bytes]) if own is not None else []
        for place, part in enumerate(self._sharers):
            told = [counts[place] for counts in kept if len(counts) == len(self._sharers)]
            part.recall(mine[place] if place < len(mine) else None, told)


def strategy_of(configuration: Configuration, topic: Topic) -> Strategy:
    """The strategy that a configuration names, for a topic."""
    page_scorer = registry.find("page_scorers", configuration.page_scorer)(configuration, topic)
    link_scorer = registry.find("link_scorers", configuration.link_scorer)(configuration, topic)

    def classify(page: Page) -> tuple[str, ...]:
        return predictor(topic.scheme).of_page(page)

    return Strategy(page_scorer, link_scorer, classify if configuration.topic.page_classes else None)
