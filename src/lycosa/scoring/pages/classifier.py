"""Page relevance by a classifier that the crawl trains for itself: the examples against what else there is.

The examples are the positive texts. Negative ones come from the crawl: of the pages
fetched so far, the half that is least like the examples. Until there are enough of
them, and where nobody gave examples, pages are judged by their cosine.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import numpy as np

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import Topic
from lycosa.records import Page, Score, Visit
from lycosa.scoring.naive_bayes import Bags, NaiveBayes
from lycosa.scoring.pages.cosine import CosinePageScorer
from lycosa.topics.vectors import PLACES, TopicVector, Vector, vectors

FIRST_TRAINING = 40
"""Pages that must have been fetched before the classifier is trusted; it is trained again whenever they doubled."""
MOST_PAGES = 2000
"""Latest pages that negative examples are taken from."""
SHARPNESS = 3.0
"""How fast a page's posterior leaves one half: words of a text are far from independent."""


class ClassifierPageScorer:
    """The probability that a page belongs to the examples rather than to the rest."""

    def __init__(self, topic: Topic) -> None:
        middle = TopicVector(topic.label, topic.examples)
        self._middle, self._cosine = middle, CosinePageScorer(middle)
        self._positives = [vectors().of_text(text) for text in topic.examples]
        self._fetched: deque[Vector] = deque(maxlen=MOST_PAGES)
        self._number, self._next = 0, FIRST_TRAINING
        self._model: NaiveBayes | None = None

    def relevance(self, page: Page) -> Score:
        """The classifier's word, with the cosine beside it."""
        cosine = self._cosine.relevance(page)
        if self._model is None:
            return cosine
        vector = vectors().of_page(page)
        other, own = self._model.likelihoods(Bags([vector.places], [vector.weights]))[0]
        value = 1 / (1 + math.exp(-max(-50.0, min(50.0, SHARPNESS * (own - other)))))
        trained = f"{len(self._positives)} examples against pages of this crawl"
        return Score(value, f"classifier {value:.3f} ({trained})", (cosine,))

    def learn(self, visits: Sequence[Visit]) -> None:
        """Pages are gathered; now and then the classifier is trained anew."""
        fetched = [vectors().of_page(visit.page) for visit in visits if visit.page and visit.page.text]
        self._fetched += fetched
        self._number += len(fetched)
        if self._positives and self._number >= self._next:
            self._next = 2 * self._number
            self._train()

    def _train(self) -> None:
        close = [self._middle.similarity(vector) for vector in self._fetched]
        usual = sorted(close)[len(close) // 2]
        others = [vector for vector, value in zip(self._fetched, close, strict=True) if value <= usual]
        samples = [*others, *self._positives]
        classes = np.array([0] * len(others) + [1] * len(self._positives), np.int64)
        bags = Bags([vector.places for vector in samples], [vector.weights for vector in samples])
        self._model = NaiveBayes(bags, classes, 2, PLACES)


def classifier_page_scorer(configuration: Configuration, topic: Topic) -> ClassifierPageScorer:
    """The page scorer `classifier`."""
    return ClassifierPageScorer(topic)
