"""Page relevance as closeness to the examples: the cosine of a page and the middle of the topic's texts."""

from __future__ import annotations

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import Topic
from lycosa.records import Page, Score
from lycosa.topics.vectors import TopicVector, vectors


class CosinePageScorer:
    """As relevant as a page is close to the examples."""

    def __init__(self, topic: TopicVector) -> None:
        self._topic = topic

    def relevance(self, page: Page) -> Score:
        """The cosine, with the terms that decided it."""
        vector = vectors().of_page(page)
        value = self._topic.similarity(vector)
        return Score(value, f"cosine {value:.3f} with the examples: {self._topic.telling(vector)}")


def cosine_page_scorer(configuration: Configuration, topic: Topic) -> CosinePageScorer:
    """The page scorer `cosine`."""
    return CosinePageScorer(TopicVector(topic.label, topic.examples))
