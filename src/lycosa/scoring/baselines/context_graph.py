"""Context graph: how many links a page is away from a relevant one shows in its words.

After Diligenti et al. Pages seen so far are put into layers by their distance to
a relevant page (layer 0) in the crawled graph; a naive Bayes classifier learns the
words of each layer. A new page goes to the layer it looks like, or to none where
the classifier is not sure, and its links wait in that layer's queue: the nearest
first. The layers come from the crawl itself and are made anew now and then; before
there are any, links go by their page's relevance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Link, Page, Score, Visit
from lycosa.scoring.baselines.link_distances import LAYERS, CrawledPage, layers_of, trained_on
from lycosa.scoring.naive_bayes import Bags, NaiveBayes
from lycosa.scoring.waiting_links import WaitingLinks

FIRST_TRAINING = 100
TRAINING_EVERY = 250
MOST_PAGES = 4_000
"""Pages remembered for training, the latest ones."""
MOST_WAITING = 100_000
CONFIDENCE = 0.5
"""A page that looks less than this like its likeliest layer belongs to no layer."""
FEWEST_RELEVANT = 5
"""Relevant pages needed before layers mean anything."""


class ContextGraphLinkScorer:
    """A queue of links per layer."""

    def __init__(self, threshold: float, most_pages: int = MOST_PAGES, most_waiting: int = MOST_WAITING) -> None:
        self._threshold, self._most_pages = threshold, most_pages
        self._pages: dict[int, CrawledPage] = {}
        self._waiting: WaitingLinks[tuple[float, int]] = WaitingLinks(most_waiting)
        self._bayes: NaiveBayes | None = None
        self._seen = 0
        self._next_training = FIRST_TRAINING
        self._requeue = False

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """The same for all links of a page: the queue of its layer."""
        return [self._judged([CrawledPage.of(page, relevance.value)])[0]] * len(links) if links else []

    def _judged(self, pages: Sequence[CrawledPage]) -> list[Score]:
        """How the links of pages wait."""
        if self._bayes is None:
            return [_by_relevance(page.relevance) for page in pages]
        posteriors = self._bayes.posteriors(Bags([page.places for page in pages], [page.weights for page in pages]))
        layers, sure = posteriors.argmax(axis=1).tolist(), posteriors.max(axis=1).tolist()
        found: list[Score] = []
        for page, layer, chance in zip(pages, layers, sure, strict=True):
            if page.relevance >= self._threshold:
                found.append(_in_layer(0, page.relevance))
            elif chance < CONFIDENCE:
                found.append(_in_no_layer(page.relevance))
            else:
                found.append(_in_layer(layer, chance))
        return found

    def learn(self, visits: Sequence[Visit]) -> None:
        """Remember pages; train when it is time."""
        for visit in visits:
            self._waiting.taken(visit.link.url)
            if visit.page is not None and visit.relevance is not None:
                self._remember(visit.page, visit.relevance.value, visit.priorities)
        if self._seen >= self._next_training:
            self._next_training = self._seen + TRAINING_EVERY
            self._train()

    def _remember(self, page: Page, relevance: float, priorities: Sequence[Score]) -> None:
        number, self._seen = self._seen, self._seen + 1
        self._pages[number] = CrawledPage.of(page, relevance)
        self._pages.pop(number - self._most_pages, None)
        value = priorities[0].value if priorities else OFF_TOPIC
        for link in page.links:
            known = self._waiting.get(link.url)
            if (known is None and not self._waiting.is_gone(link.url)) or (known is not None and known[0] < value):
                self._waiting.found(link.url, (value, number))

    def _train(self) -> None:
        pages = list(self._pages.values())
        if sum(page.relevance >= self._threshold for page in pages) < FEWEST_RELEVANT:
            return
        self._bayes = trained_on(pages, layers_of(pages, self._threshold))
        self._requeue = True

    def revised(self) -> Iterable[tuple[str, Score]]:
        """After a training all waiting links, in the queues of the pages that they were found on."""
        if not self._requeue:
            return []
        self._requeue = False
        scores = dict(zip(self._pages, self._judged(list(self._pages.values())), strict=True))
        moved = [(url, number, scores[number]) for url, (_, number) in self._waiting if number in scores]
        for url, number, score in moved:
            self._waiting.found(url, (score.value, number))
        return [(url, score) for url, _, score in moved]


def _by_relevance(relevance: float) -> Score:
    return Score(max(OFF_TOPIC, min(1.0, relevance)), f"no layers yet; its parent's relevance is {relevance:.3f}")


def _in_layer(layer: int, chance: float) -> Score:
    """Queues do not overlap: every link of a layer is before every link of the next."""
    value = (LAYERS - layer + min(1.0, chance) * 0.9) / (LAYERS + 1)
    told = "is relevant" if layer == 0 else f"looks like {layer} links from a relevant page ({chance:.2f})"
    return Score(value, f"its page {told}: queue {layer}")


def _in_no_layer(relevance: float) -> Score:
    value = max(OFF_TOPIC, min(1.0, relevance) * 0.9 / (LAYERS + 1))
    return Score(value, "its page looks like no layer: last queue")


def context_graph_link_scorer(configuration: Configuration, topic: Topic) -> ContextGraphLinkScorer:
    """The link scorer of the strategy `context-graph`."""
    return ContextGraphLinkScorer(configuration.topic.threshold)
