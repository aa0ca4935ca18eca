"""Treasure: a link goes by the knowledge class it stands in, and by passages that led to targets before.

Seven figures are averaged, each with its weight. Three belong to the page that the
link stands on: its relevance, how close its classes are to the topic's, and where
links on pages of such classes have led so far. Four belong to the link itself: the
words around it, the classes around it, those of its anchor, and what the T-Graph says.
Both sides are means over all known parents; the link's own side over its first few
mentions only, and the T-Graph is asked at the first, since that costs most and changes
little later. The paper's formula, gate and first level that counts, is `treasure.exact`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lycosa.configuration import Configuration
from lycosa.link_graph.passages import passage_of
from lycosa.link_graph.treasure_graph import UNLIKE_ALL, Verdict
from lycosa.records import Link, Page, Score, Visit
from lycosa.scoring.class_experience import ClassExperience
from lycosa.scoring.known_parents import MOST_REMEMBERED, KnownParents, Said
from lycosa.scoring.remembered import Remembered
from lycosa.scoring.scorer import OFF_TOPIC, LinkScorer, Topic
from lycosa.scoring.treasure_exact import ExactTreasureLinkScorer
from lycosa.scoring.treasure_keeper import TreasureKeeper
from lycosa.sections import Treasure
from lycosa.text import Running, running
from lycosa.topics.class_profile import Profile, closeness, profiles
from lycosa.topics.vectors import TopicVector

WEIGHTS = (
    "by_relevance", "by_page_class", "by_experience", "by_words", "by_boundary_class", "by_anchor_class", "by_graph",
)  # fmt: skip
WORTH_TELLING = 0.01
"""A waiting link moves when its mean has changed by more."""
PAGES_UNDER_WAY = 2_000
"""Pages judged but not learnt from yet; a batch has a few hundred."""


class _Opinion(NamedTuple):
    """What passages say of a link: so many of them, in sum; and what the T-Graph said when it was first seen.

    `says` is what all that counts for, and `told` the same for people.
    """

    number: int
    total: float
    verdict: Verdict
    says: float
    told: str


class _Judged(NamedTuple):
    """What a page says of all its links alike, its classes, and the opinions that its own passages are part of."""

    page: float
    profile: Profile
    links: dict[str, _Opinion]


class TreasureLinkScorer:
    """The mean over parents of what their pages and passages say."""

    def __init__(self, topic: Topic, settings: Treasure, keeper: TreasureKeeper) -> None:
        self._settings, self.keeper = settings, keeper
        self._topic = TopicVector(topic.label, topic.examples)
        texts = [text for text in (topic.label, *topic.examples) if text]
        self._profiles = profiles(topic.scheme)
        self._profile = self._profiles.of_topic(texts, topic.classes)
        self._parents = KnownParents()
        self._mentions: Remembered[str, _Opinion] = Remembered(MOST_REMEMBERED)
        self._judged: Remembered[str, _Judged] = Remembered(PAGES_UNDER_WAY)
        self._changed: dict[str, None] = {}
        self._last: Remembered[str, float] = Remembered(MOST_REMEMBERED)
        self._experience = ClassExperience(len(self._profiles.classes))
        self._whole = sum(getattr(settings, name) for name in WEIGHTS) or 1.0
        self._nothing = self._opinion(0, 0.0, UNLIKE_ALL)

    # -- judging --------------------------------------------------------------------------------

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """All links by their page; those that were not fetched and seldom mentioned so far by their passages too.

        Pages under way know of each other's mentions; a page that is judged again before it is learnt from counts once.
        """
        known, profile = self._mentions.get, self._profiles.of_page(page)
        spoken = self._of_page(profile, relevance)
        fetched = self._parents.fetched_among([link.url for link in links])
        opinions = {link.url: known(link.url) or self._nothing for link in links if link.url not in fetched}
        before = self._judged.get(page.url)
        counted = before.links if before is not None else {}
        new = self._of_links([link for link in links if link.url in opinions and link.url not in counted], opinions)
        self._judged.put(page.url, _Judged(spoken, profile, {**counted, **new}))
        opinions.update(new)
        parents = self._parents.with_page_all(page.url, opinions, spoken)
        found = dict(zip(opinions, map(self._score, parents, opinions.values()), strict=True))
        by_page = self._score((1, spoken), self._nothing)
        return [found.get(link.url, by_page) for link in links]

    def _of_page(self, profile: Profile, relevance: Score) -> float:
        settings = self._settings
        near = settings.by_page_class * closeness(profile, self._profile)
        expected = settings.by_experience * self._experience.expected(profile)
        return settings.by_relevance * relevance.value + near + expected

    def _of_links(self, links: Sequence[Link], known: Mapping[str, _Opinion]) -> dict[str, _Opinion]:
        """What passages say of those links that were seldom mentioned so far, these mentions included."""
        most = self._settings.mentions
        links = [link for link in links if known[link.url].number < most]
        if not links:
            return {}
        said = self._of_passages(links)
        verdicts = self._verdicts([link for link in links if not known[link.url].number])
        found: dict[str, _Opinion] = {}
        for link, value in zip(links, said, strict=True):
            before = known[link.url]
            verdict = verdicts.get(link.url, before.verdict)
            found[link.url] = self._opinion(before.number + 1, before.total + value, verdict)
        for url, opinion in found.items():
            self._mentions.put(url, opinion)
        return found

    def _of_passages(self, links: Sequence[Link]) -> list[float]:
        """What the words and classes around links, and those of their anchors, say; each text is looked at once."""
        settings = self._settings
        boundaries = {text: at for at, text in enumerate(dict.fromkeys([link.boundary for link in links]))}
        anchors = {text: at for at, text in enumerate(dict.fromkeys([link.anchor for link in links]))}
        told = running([*boundaries, *anchors])
        near = self._profiles.closeness_of(told, self._profile)
        around = settings.by_boundary_class * near[: len(boundaries)]
        if settings.by_words:
            around = around + settings.by_words * self._topic.of_texts(_first(told, len(boundaries)))
        called = settings.by_anchor_class * near[len(boundaries) :]
        places = [(boundaries[link.boundary], anchors[link.anchor]) for link in links]
        return [float(around[boundary] + called[anchor]) for boundary, anchor in places]

    def _verdicts(self, fresh: Sequence[Link]) -> dict[str, Verdict]:
        """What the T-Graph says of links that were never seen before."""
        if not (fresh and self._settings.by_graph and len(self.keeper.graph)):
            return {}
        verdicts = self.keeper.graph.strongest([passage_of(link) for link in fresh])
        return {link.url: verdict for link, verdict in zip(fresh, verdicts, strict=True)}

    def _opinion(self, number: int, total: float, verdict: Verdict) -> _Opinion:
        says, graph = total / (number or 1), verdict.say
        told = f"{number} passages {says:.2f}, of {self._whole:g}"
        if verdict.node:
            told = f"{told}; T-Graph node {verdict.node} {graph:.2f}"
        return _Opinion(number, total, verdict, says + self._settings.by_graph * graph, told)

    def _value(self, parents: Said, opinion: _Opinion) -> float:
        value = (parents[1] / (parents[0] or 1) + opinion.says) / self._whole
        return OFF_TOPIC if value < OFF_TOPIC else min(value, 1.0)

    def _score(self, parents: Said, opinion: _Opinion) -> Score:
        """The same, with its reason."""
        number, total = parents
        why = f"{number} parents' pages say {total / (number or 1):.2f}, {opinion.told}"
        return Score(self._value(parents, opinion), why)

    # -- learning -------------------------------------------------------------------------------

    def learn(self, visits: Sequence[Visit]) -> None:
        """Each page becomes a parent of those it links to, and experience for the watchdog."""
        for visit in visits:
            if visit.page is None or visit.relevance is None:
                continue
            judged = self._judged.pop(visit.page.url)
            self._experience.led(visit.link.parent, visit.relevance.value)
            if visit.page.text:
                profile = judged.profile if judged is not None else self._profiles.of_page(visit.page)
                self._experience.saw(visit.page.url, profile)
            self._become_parent(visit.page, visit.priorities, judged)
            for url, opinion in judged.links.items() if judged is not None else ():
                if opinion.number == 1:
                    self.keeper.decided(url, opinion.verdict)
        self.keeper.learn(visits)

    def _become_parent(self, page: Page, priorities: Sequence[Score], judged: _Judged | None) -> None:
        """A page counts for the links on it that wait; after a restart by what it gave them then."""
        waiting = self._parents.become_parent(page)
        if judged is not None:
            self._changed.update(dict.fromkeys(self._parents.add_all(waiting, judged.page)))
            return
        told = {link.url: each.value for link, each in zip(page.links, priorities, strict=False)}
        for url in waiting:
            self._add(url, told.get(url, 0.0) * self._whole)

    def hear(self, letters: Sequence[tuple[Link, Score]]) -> None:
        """A page of another agent links here; what its finder gave the link stands for the page."""
        for link, score in letters:
            self._add(link.url, score.value * self._whole)

    def _add(self, url: str, says: float) -> None:
        if self._parents.add(url, says)[0] > 1:
            self._changed[url] = None

    def revised(self) -> Iterator[tuple[str, Score]]:
        """Waiting links that have another parent now."""
        changed, self._changed = self._changed, {}
        for url in changed:
            parents, opinion = self._parents.of(url), self._mentions.get(url) or self._nothing
            value, last = self._value(parents, opinion), self._last.get(url)
            if last is None or abs(value - last) >= WORTH_TELLING:
                self._last.put(url, value)
                yield url, self._score(parents, opinion)

    # -- keeping --------------------------------------------------------------------------------

    def statistics(self) -> bytes:
        """The T-Graph as experience has made it, and what was learnt about classes up to the watchdog's last look."""
        return self.keeper.statistics(self._experience.encoded)

    def recall(self, own: bytes | None, others: Sequence[bytes]) -> None:
        """Take up the T-Graph and the experience, and the nodes that other agents have learnt."""
        learnt = self.keeper.recall(own, others)
        if learnt:
            self._experience.take_up(learnt)

    def adjust(self, configuration: Configuration) -> None:
        """Take back what a person undid."""
        self.keeper.adjust(configuration.treasure)


def _first(told: Running, number: int) -> Running:
    """The words of the first few of some texts."""
    behind = int(np.searchsorted(told.owners, number))
    return Running(told.words[:behind], told.owners[:behind])


def treasure_link_scorer(configuration: Configuration, topic: Topic) -> LinkScorer:
    """The link scorer of the strategy `treasure`."""
    settings = configuration.treasure
    keeper = TreasureKeeper(settings, configuration.topic.threshold, topic.treasure)
    if settings.exact:
        return ExactTreasureLinkScorer(topic, settings, keeper)
    return TreasureLinkScorer(topic, settings, keeper)
