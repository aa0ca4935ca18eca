"""Parents: a link is judged by the paragraphs that its parents put around it, and by its rank (N2 to N5).

The topic is a small table of weighted words. The relevancy of a link is the mean,
over all its known parents, of the cosine between the table and the paragraph around
the link; its rank is the raw PageRank in the crawled graph. There is a gate for each.
A link that passes both waits with a combination of the two numbers. One that does
not waits with the off-topic priority or less, in the same order, below all that
pass: rejecting it would starve the crawl. In the paper's exact mode (`strict`) it is
rejected, with both numbers, until it passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lycosa.configuration.sections import Configuration
from lycosa.configuration.sections import Parents as Settings
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import REJECTED, Link, Page, Score, Visit, urls_of
from lycosa.scoring.crawled_graph import CrawledGraph, PageRankMeasure
from lycosa.scoring.known_parents import MOST_REMEMBERED, KnownParents, Said
from lycosa.topics.weight_table import WeightTable

BELOW_GATE = 0.5 * OFF_TOPIC
"""The least that a link below a gate waits with."""
ORDERED = 0.49 * OFF_TOPIC
"""What its score adds to that at most; together they stay below the off-topic priority, the least of a link above."""


class ParentsLinkScorer:
    """Relevancy by paragraphs, rank by the graph, a gate for each."""

    def __init__(self, table: WeightTable, settings: Settings, most: int = MOST_REMEMBERED) -> None:
        self._table, self._settings = table, settings
        self._parents = KnownParents(most)
        self._graph = CrawledGraph(PageRankMeasure, most)
        self._gates = {
            (False, False): "",
            (True, False): f"; relevancy is below the gate of {settings.relevancy_gate:g}",
            (False, True): f"; rank is below the gate of {settings.rank_gate:g}",
            (True, True): f"; below both gates, {settings.relevancy_gate:g} and {settings.rank_gate:g}",
        }
        self._changed: dict[str, Score | None] = {}

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """Each link's score with this page among its parents."""
        ranks = self._graph.with_page(page.url, [link.url for link in links])
        parents, own = self._parents.with_page, page.url
        said = [parents(own, link.url, self._relevancy(link)) for link in links]
        return [self._told(each, rank) for each, rank in zip(said, ranks, strict=True)]

    def _told(self, said: Said, rank: float) -> Score:
        """A score with its parts: another agent needs the relevancy by itself."""
        relevancy = _mean(said)
        parts = (Score(relevancy, "relevancy"), Score(rank, "rank"))
        return Score(self._value(relevancy, rank), self._why(said, relevancy, rank), parts)

    def _relevancy(self, link: Link) -> float:
        """What one parent says: the cosine of the paragraph around the link, or of its anchor where there is none."""
        return self._table.cosine(link.boundary or link.anchor)

    def _value(self, relevancy: float, rank: float) -> float:
        """The priority (N5)."""
        settings = self._settings
        weight = settings.relevancy_weight
        score = weight * relevancy + (1.0 - weight) * rank / max(rank, self._graph.largest)
        if relevancy >= settings.relevancy_gate and rank >= settings.rank_gate:
            return max(OFF_TOPIC, score)
        return REJECTED if settings.strict else BELOW_GATE + ORDERED * score

    def _why(self, said: Said, relevancy: float, rank: float) -> str:
        gate = self._gates[relevancy < self._settings.relevancy_gate, rank < self._settings.rank_gate]
        if gate and self._settings.strict:
            return rejection(relevancy, rank, self._settings)
        return (
            f"mean {relevancy:.3f} over {said[0]} parent{'' if said[0] == 1 else 's'}; "
            f"rank {rank:.3f} of at most {max(rank, self._graph.largest):.3f}{gate}"
        )

    def learn(self, visits: Sequence[Visit]) -> None:
        """Each page becomes a parent of those it links to, and a part of the graph."""
        for visit in visits:
            if visit.page is not None:
                self._take_in(visit.page, visit.priorities)
        if self._graph.is_due:
            self._changed.update(dict.fromkeys(self._graph.refresh(self._settings.rank_gate)))

    def _take_in(self, page: Page, judged: Sequence[Score]) -> None:
        """Without a text, what stood around its links is not known: then they have a rank of it, and no relevancy."""
        told = dict(zip(urls_of(page.links), judged, strict=False))
        for link in self._parents.count(page):
            if page.text or link.boundary or link.anchor:
                self._parents.add(link.url, self._relevancy(link))
            self._changed[link.url] = told.get(link.url)
        self._graph.take_in(page)

    def hear(self, letters: Sequence[tuple[Link, Score]]) -> None:
        """A page of another agent links here; the relevancy that its finder saw counts as one parent's."""
        for link, score in letters:
            self._parents.add(link.url, score.parts[0].value if score.parts else score.value)
            self._changed[link.url] = None

    def revised(self) -> Iterator[tuple[str, Score]]:
        """Waiting links with another parent or rank than before; a judgement that still holds is not worded again."""
        changed, self._changed = self._changed, {}
        for url, judged in changed.items():
            if self._parents.is_fetched(url):
                continue
            said, rank = self._parents.of(url), self._graph.worth(url)
            relevancy = _mean(said)
            value = self._value(relevancy, rank)
            if judged is None or judged.value != value:
                judged = Score(value, self._why(said, relevancy, rank))
            yield url, judged


def rejection(relevancy: float, rank: float, settings: Settings) -> str:
    """Why the exact mode rejects a link: both numbers, and the gate that each is below."""
    relevant = _beside(relevancy, settings.relevancy_gate)
    return f"gate: relevancy {relevant}, rank {_beside(rank, settings.rank_gate)}"


def _beside(value: float, gate: float) -> str:
    """A number and its gate, with as many digits as it takes to see which is the smaller one."""
    if value >= gate:
        return f"{value:.2f}"
    digits = next((digits for digits in range(2, 12) if round(value, digits) < gate), 12)
    return f"{value:.{digits}f} < {gate:g}"


def _mean(said: Said) -> float:
    return said[1] / said[0] if said[0] else 0.0


def parents_link_scorer(configuration: Configuration, topic: Topic) -> ParentsLinkScorer:
    """The link scorer of the strategy `parents`."""
    table = WeightTable.of_texts(topic.examples or (topic.label,))
    return ParentsLinkScorer(table, configuration.parents)
