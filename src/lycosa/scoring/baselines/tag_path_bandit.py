"""Tag-path bandit: learn at which places of pages the good links stand, by trying.

After SB-CLASSIFIER (Gauquier et al.): links are grouped by the tags above them, and
every group is an arm of a bandit that sleeps while none of its links waits. Among
the arms awake the one with the best upper bound of its mean reward is pulled: a
link of the group, drawn at random, is fetched. The reward is a relevant page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from random import Random

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Link, Page, Score, Visit
from lycosa.scoring.baselines.chosen_links import ChosenAhead, ahead_of
from lycosa.scoring.baselines.tag_paths import TagPathGroups
from lycosa.scoring.waiting_links import MOST_WAITING, LinkPool, WaitingLinks

LIKENESS = 0.75
"""Paths whose cosine is at least this are of one group."""
CURIOSITY = 0.5
"""How far the upper bound lies above the mean; the paper's 2·√2 is for rewards that are not between 0 and 1."""
UNTRIED = 0.5
"""What a link of a group without any reward yet waits with, if it is not chosen."""


class Arm:
    """A group of links: what pulling it brought, and what waits in it."""

    __slots__ = ("pool", "pulls", "rewards")

    def __init__(self) -> None:
        self.pulls, self.rewards = 0, 0.0
        self.pool = LinkPool()

    @property
    def mean(self) -> float:
        return self.rewards / self.pulls if self.pulls else UNTRIED

    def upper_bound(self, total: int) -> float:
        """The mean and what it may still be off by; without end for an arm never pulled."""
        if not self.pulls:
            return math.inf
        return self.mean + CURIOSITY * math.sqrt(math.log(max(2, total)) / self.pulls)


class TagPathBanditLinkScorer:
    """Sleeping bandits over groups of tag paths."""

    def __init__(self, threshold: float, random: Random, ahead: int = 1, most_waiting: int = MOST_WAITING) -> None:
        self._threshold, self._random = threshold, random
        self._groups = TagPathGroups(LIKENESS)
        self._arms: list[Arm] = []
        self._waiting: WaitingLinks[int] = WaitingLinks(most_waiting)
        self._chosen = ChosenAhead(ahead)
        self._pulls = 0

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """The mean reward of a link's group so far."""
        return [self._unchosen(self._groups.find(link.tag_path)) for link in links]

    def _unchosen(self, group: int | None) -> Score:
        if group is None:
            return Score(UNTRIED, "a link at a new kind of place")
        arm = self._arms[group]
        return Score(max(OFF_TOPIC, arm.mean), f"{arm.rewards:g} of {arm.pulls} links like it led to relevant pages")

    def learn(self, visits: Sequence[Visit]) -> None:
        """Rewards for the arms, links into their groups, then the next choices."""
        for visit in visits:
            self._reward(visit)
            if visit.page is not None:
                for link in visit.page.links:
                    self._find(link)
        for url in self._chosen.note(visit.link.url for visit in visits):
            self._drop(url, self._waiting.taken(url))
        self._choose()

    def _reward(self, visit: Visit) -> None:
        link = visit.link
        group = self._waiting.taken(link.url)
        self._drop(link.url, group)
        if group is None and link.tag_path:
            group = self._group(link)
        if group is None:
            return
        arm = self._arms[group]
        arm.pulls += 1
        self._pulls += 1
        if visit.relevance is not None and visit.relevance.value >= self._threshold:
            arm.rewards += 1

    def _group(self, link: Link) -> int:
        group = self._groups.join(link.tag_path)
        if group == len(self._arms):
            self._arms.append(Arm())
        return group

    def _find(self, link: Link) -> None:
        if link.url in self._waiting or self._waiting.is_gone(link.url):
            return
        group = self._group(link)
        self._arms[group].pool.add(link.url)
        for url, of_group in self._waiting.found(link.url, group):
            self._drop(url, of_group)

    def _drop(self, url: str, group: int | None) -> None:
        if group is not None:
            self._arms[group].pool.discard(url)

    def _choose(self) -> None:
        while self._chosen.room:
            awake = [number for number, arm in enumerate(self._arms) if len(arm.pool)]
            if not awake:
                return
            best = max(awake, key=lambda number: self._arms[number].upper_bound(self._pulls))
            arm = self._arms[best]
            url = arm.pool.draw(self._random)
            arm.pool.discard(url)
            why = f"drawn from {len(arm.pool) + 1} links like {self._groups.name(best)}: {arm.mean:.3f} of {arm.pulls}"
            self._chosen.lift(url, arm.mean, why, self._unchosen(best))

    def revised(self) -> Iterable[tuple[str, Score]]:
        """The links chosen, and those given up."""
        return self._chosen.changes()


def tag_path_bandit_link_scorer(configuration: Configuration, topic: Topic) -> TagPathBanditLinkScorer:
    """The link scorer of the strategy `tag-path-bandit`."""
    random = Random(f"tag-path-bandit {topic.label}")
    return TagPathBanditLinkScorer(configuration.topic.threshold, random, ahead_of(configuration))
