"""The Treasure-Crawler's own formula: a class gate, then the T-Graph's first level that counts (T3, T6, T7).

Only links of pages that comply with the topic's class are looked at; of these, a link
whose predicted class complies gets one divided by the link distance of the nearest
node that is similar enough, or one divided by the number of levels and one where none
is. Nearly all links tie so; ties go by similarity. Everything else waits with 0.01.
"""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.configuration import Configuration
from lycosa.link_graph.passages import passage_of
from lycosa.link_graph.treasure_graph import Verdict
from lycosa.records import Link, Page, Score, Visit
from lycosa.scoring.remembered import Remembered
from lycosa.scoring.scorer import OFF_TOPIC, Topic
from lycosa.scoring.treasure_keeper import TreasureKeeper
from lycosa.sections import Treasure
from lycosa.topics.galaxy import complies, galaxy_of_texts, predictor

TIES = 0.002
"""What similarity adds at most: less than lies between the priorities of any two levels."""
SCORES_REMEMBERED = 500_000


class ExactTreasureLinkScorer:
    """As the paper has it. A link is judged once, where it is first seen."""

    def __init__(self, topic: Topic, settings: Treasure, keeper: TreasureKeeper) -> None:
        self._predictor = predictor(topic.scheme)
        self.classes = topic.classes or galaxy_of_texts(self._predictor.scheme, (topic.label, *topic.examples)).classes
        self._settings, self.keeper = settings, keeper
        self._known: Remembered[str, Score] = Remembered(SCORES_REMEMBERED)
        self._verdicts: Remembered[str, Verdict] = Remembered(SCORES_REMEMBERED)

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """The priority of each link; of those seen before, what it was then."""
        if not complies(self._predictor.of_page(page), self.classes, self._settings.class_digits):
            return [Score(OFF_TOPIC, "its page is of another class than the topic")] * len(links)
        fresh = [link for link in links if link.url not in self._known]
        judged = dict(zip([link.url for link in fresh], self._judged(fresh), strict=True))
        return [judged.get(link.url) or self._known.get(link.url) or judged[link.url] for link in links]

    def _judged(self, links: Sequence[Link]) -> list[Score]:
        graph, digits = self.keeper.graph, self._settings.class_digits
        predicted = [self._predictor.of_link(link.boundary, link.anchor) for link in links]
        fitting = [at for at, classes in enumerate(predicted) if complies(classes, self.classes, digits)]
        verdicts = dict(zip(fitting, graph.judge([passage_of(links[at]) for at in fitting]), strict=True))
        for at, verdict in verdicts.items():
            self._verdicts.put(links[at].url, verdict)
        return [_score(predicted[at], verdicts.get(at), graph.least) for at in range(len(links))]

    def learn(self, visits: Sequence[Visit]) -> None:
        """Links are known from now on; pages become experience for the watchdog."""
        for visit in visits:
            for link, score in zip(visit.page.links if visit.page else (), visit.priorities, strict=False):
                if link.url not in self._known:
                    self._known.put(link.url, score)
                    self.keeper.decided(link.url, self._verdicts.pop(link.url))
        self.keeper.learn(visits)

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
