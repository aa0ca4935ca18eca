"""The Treasure-Crawler's own formula: a class gate, then the T-Graph's first level that counts (T3, T6, T7).

Only links of pages that comply with the topic's class are looked at; of these, a link
whose predicted class complies gets one divided by the link distance of the nearest
node that is similar enough, or one divided by the number of levels and one where none
is. Nearly all links tie so; ties go by similarity. Everything else waits with 0.01, a
link on a page of another class until a page of the topic's class names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lycosa.configuration.sections import Configuration, Treasure
from lycosa.link_graph.t_graph.graph import Verdict
from lycosa.link_graph.t_graph.passages import passage_of
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Link, Page, Score, Visit
from lycosa.scoring.bounded_memory import Remembered
from lycosa.scoring.links.t_graph_state import TreasureKeeper
from lycosa.topics.classification.classifier import complies, galaxy_of_texts, predictor
from lycosa.topics.classification.scheme import Scheme
from lycosa.topics.classification.topic_class import topic_class

TIES = 0.002
"""What similarity adds at most: less than lies between the priorities of any two levels."""
SCORES_REMEMBERED = 500_000
PAGES_UNDER_WAY = 2_000
"""Pages judged but not learnt from yet; a batch has a few hundred."""
ANOTHER_CLASS = Score(OFF_TOPIC, "its page is of another class than the topic")


class _Judgement(NamedTuple):
    """The priority of a link and what the T-Graph said of it; nothing where its class was wrong and nobody asked."""

    score: Score
    verdict: Verdict | None


def _classes_of(topic: Topic, scheme: Scheme) -> tuple[str, ...]:
    """The classes of a topic by its examples, or by its words where these are sure enough."""
    if topic.examples:
        return galaxy_of_texts(scheme, (topic.label, *topic.examples)).classes
    return topic_class(scheme, topic.label).classes


class ExactTreasureLinkScorer:
    """As the paper has it. A link is judged once, on the first page of the topic's class that names it."""

    def __init__(self, topic: Topic, settings: Treasure, keeper: TreasureKeeper) -> None:
        self._predictor = predictor(topic.scheme)
        self.classes = topic.classes or _classes_of(topic, self._predictor.scheme)
        self._settings, self.keeper = settings, keeper
        self._known: Remembered[str, Score] = Remembered(SCORES_REMEMBERED)
        self._judged: Remembered[str, dict[str, _Judgement]] = Remembered(PAGES_UNDER_WAY)

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """The priority of each link; of those judged before, what it was then."""
        known = {link.url: found for link in links if (found := self._known.get(link.url)) is not None}
        if not complies(self._predictor.of_page(page), self.classes, self._settings.class_digits):
            return [known.get(link.url, ANOTHER_CLASS) for link in links]
        judged = self._judgements([link for link in links if link.url not in known])
        self._judged.put(page.url, judged)
        return [known.get(link.url) or judged[link.url].score for link in links]

    def _judgements(self, links: Sequence[Link]) -> dict[str, _Judgement]:
        graph, digits = self.keeper.graph, self._settings.class_digits
        predicted = [self._predictor.of_link(link.boundary, link.anchor) for link in links]
        fitting = [at for at, classes in enumerate(predicted) if complies(classes, self.classes, digits)]
        verdicts = dict(zip(fitting, graph.judge([passage_of(links[at]) for at in fitting]), strict=True))
        least = graph.least if links else OFF_TOPIC
        return {
            link.url: _Judgement(_score(predicted[at], verdicts.get(at), least), verdicts.get(at))
            for at, link in enumerate(links)
        }

    def learn(self, visits: Sequence[Visit]) -> None:
        """Links that were judged are known from now on; pages become experience for the watchdog."""
        for visit in visits:
            if visit.page is not None:
                self._remember(visit.page, visit.priorities)
        self.keeper.learn(visits)

    def _remember(self, page: Page, priorities: Sequence[Score]) -> None:
        """After a restart nobody knows who was judged: those above the rest were."""
        judged = self._judged.pop(page.url)
        if judged is None:
            told = zip(page.links, priorities, strict=False)
            judged = {link.url: _Judgement(score, None) for link, score in told if score.value > OFF_TOPIC}
        for url, (score, verdict) in judged.items():
            if url not in self._known:
                self._known.put(url, score)
                self.keeper.decided(url, verdict)

    def statistics(self) -> bytes:
        """The T-Graph as experience has made it."""
        return self.keeper.statistics()

    def recall(self, own: bytes | None, others: Sequence[bytes]) -> None:
        """Take up the T-Graph, and what other agents have learnt."""
        self.keeper.recall(own, others)

    def adjust(self, configuration: Configuration) -> None:
        """Take back what a person undid."""
        self.keeper.adjust(configuration.treasure)


def _score(classes: Sequence[str], verdict: Verdict | None, least: float) -> Score:
    if verdict is None:
        told = f"predicted class {' or '.join(classes)}" if classes else "no class predicted"
        return Score(OFF_TOPIC, f"{told}: not the topic's")
    if not verdict.level:
        return Score(least, f"class {' or '.join(classes)} complies; like no node of the T-Graph")
    away = f"{verdict.level} download{'s' if verdict.level > 1 else ''} from a target"
    why = f"class {' or '.join(classes)} complies; T-Graph node {verdict.node}, {away}, OSM {verdict.osm:.3f}"
    return Score(1.0 / verdict.level + TIES * verdict.osm, why)
