"""InfoSpiders: a population that goes where the food is, each spider by its own nose.

After Menczer et al. A spider estimates the links it has seen by the words near
them and follows one, better ones more often. A page feeds it by its relevance, the
way there costs; with energy to spare it divides, without any it dies, and what it
finds corrects its estimates. The spiders take turns, as many at a time as pages
are fetched at a time. Links that no spider follows wait by their page's relevance;
a page fetched that way, as the seeds are, is where a new spider begins.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from random import Random

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Link, Page, Score, Visit
from lycosa.scoring.baselines.chosen_links import ChosenAhead, ahead_of
from lycosa.scoring.baselines.spider import MOST_KEYWORDS, Prospect, Spider, prospects_of
from lycosa.scoring.waiting_links import TakenLinks
from lycosa.topics.okapi import topic_terms

FEWEST_SPIDERS = 8
"""Below this number a page that no spider came to begins a new one."""
MOST_SPIDERS = 64
BEGINNING_ENERGY = 1.0
DIVIDING_ENERGY = 2.0
COST = 0.5
"""Of a way. A page as relevant as the threshold feeds twice that."""
CHOOSINESS = 10.0
MOST_LINKS = 500
"""Links of one page that spiders look at."""


class InfoSpidersLinkScorer:
    """Spiders that choose, one link each."""

    def __init__(self, topic: Topic, threshold: float, ahead: int = 1) -> None:
        self._threshold = max(threshold, 1e-6)
        self._random = Random(f"infospiders {topic.label}")
        named = topic_terms(topic.label, topic.examples)
        keywords = sorted(named, key=lambda term: (-named[term], term))[:MOST_KEYWORDS]
        self._keywords = dict.fromkeys(keywords, 0.5)
        self._turns: deque[Spider] = deque()
        self._under_way: dict[str, tuple[Spider, Prospect]] = {}
        self._taken = TakenLinks()
        self._chosen = ChosenAhead(ahead)

    @property
    def population(self) -> int:
        """Spiders alive."""
        return len(self._turns) + len(self._under_way)

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """What a link that no spider follows waits with: its page's relevance."""
        return [self._unchosen(relevance.value)] * len(links)

    def _unchosen(self, relevance: float) -> Score:
        return Score(
            max(OFF_TOPIC, min(1.0, relevance)), f"no spider's choice; its page's relevance is {relevance:.3f}"
        )

    def learn(self, visits: Sequence[Visit]) -> None:
        """Feed the spiders that arrived, let them look around, and let the next ones choose."""
        for visit in visits:
            self._taken.add(visit.link.url)
        for visit in visits:
            self._arrive(visit)
        for url in self._chosen.note(visit.link.url for visit in visits):
            spider, _ = self._under_way.pop(url)
            self._taken.add(url)
            self._turns.append(spider)
        self._choose()

    def _arrive(self, visit: Visit) -> None:
        spider, came_by = self._under_way.pop(visit.link.url, (None, None))
        if spider is None:
            if self.population >= FEWEST_SPIDERS or visit.page is None:
                return
            spider = Spider(self._keywords, BEGINNING_ENERGY, CHOOSINESS)
        food = 0.0 if visit.relevance is None else min(1.0, visit.relevance.value / self._threshold)
        if came_by is not None:
            spider.taste(came_by.near, food)
            spider.energy += food - COST
        if spider.energy < 0:
            return
        self._turns.append(spider)
        if visit.page is not None:
            spider.see(self._new_links(visit.page, food))
            if spider.energy > DIVIDING_ENERGY:
                self._divide(spider, visit.page)

    def _new_links(self, page: Page, food: float) -> list[Prospect]:
        new = [link for link in page.links[:MOST_LINKS] if link.url not in self._taken]
        return prospects_of(page, food, new)

    def _divide(self, spider: Spider, page: Page) -> None:
        if self.population < MOST_SPIDERS:
            self._turns.append(spider.offspring(page, self._random))
        else:
            spider.energy = DIVIDING_ENERGY

    def _choose(self) -> None:
        """The spiders in turn; one that knows no link any more dies."""
        while self._chosen.room and self._turns:
            spider = self._turns.popleft()
            picked = self._fresh(spider)
            if picked is None:
                continue
            self._under_way[picked.url] = (spider, picked)
            appeal = spider.appeal(picked)
            why = f"a spider's choice: appeal {appeal:.3f}, energy {spider.energy:.2f}, {self.population} spiders"
            merit = min(1.0, max(0.0, appeal))
            self._chosen.lift(picked.url, merit, why, self._unchosen(picked.page * self._threshold))

    def _fresh(self, spider: Spider) -> Prospect | None:
        """What a spider picks among the links that nobody has taken meanwhile."""
        while spider.links:
            picked = spider.pick(self._random)
            if picked.url not in self._chosen and picked.url not in self._taken:
                return picked
        return None

    def revised(self) -> Iterable[tuple[str, Score]]:
        """The links chosen, and those given up."""
        return self._chosen.changes()


def infospiders_link_scorer(configuration: Configuration, topic: Topic) -> InfoSpidersLinkScorer:
    """The link scorer of the strategy `infospiders`."""
    return InfoSpidersLinkScorer(topic, configuration.topic.threshold, ahead_of(configuration))
