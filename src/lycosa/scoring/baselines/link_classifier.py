"""Link classifier: learn from the links followed so far which ones lead to relevant pages.

In the manner of the ACHE crawler: the words of a link's URL, of its anchor and
around it are the features, whether the page behind it was relevant is the label.
A naive Bayes classifier is trained anew every 500 pages from at most 5 000
samples of each kind, and every link that waits is judged again. Before there is
anything to learn from, links go by their page's relevance.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Link, Page, Score, Visit
from lycosa.scoring.baselines.link_features import PLACES, LinkFeatures
from lycosa.scoring.naive_bayes import Bags, NaiveBayes, Places
from lycosa.scoring.waiting_links import WaitingLinks

FIRST_TRAINING = 100
TRAINING_EVERY = 500
SAMPLES_PER_CLASS = 5_000
FEWEST_PER_CLASS = 5
MOST_WAITING = 100_000
STEEPNESS = 0.1
"""Words are not independent, so naive Bayes is too sure of itself; this flattens its odds, not their order."""


class LinkClassifier:
    """Naive Bayes over the words of links."""

    def __init__(self) -> None:
        self._samples: tuple[deque[Places], deque[Places]] = (
            deque(maxlen=SAMPLES_PER_CLASS),
            deque(maxlen=SAMPLES_PER_CLASS),
        )
        self._bayes: NaiveBayes | None = None

    @property
    def is_trained(self) -> bool:
        return self._bayes is not None

    def note(self, features: Places, relevant: bool) -> None:
        """A link with these features led to a page that was relevant or not."""
        self._samples[relevant].append(features)

    def train(self) -> bool:
        """Learn from the samples, if there are some of each kind."""
        poor, good = self._samples
        if min(len(poor), len(good)) < FEWEST_PER_CLASS:
            return False
        labels = np.repeat([0, 1], [len(poor), len(good)])
        self._bayes = NaiveBayes(Bags([*poor, *good]), labels, 2, PLACES)
        return True

    def chances(self, links: Sequence[Places]) -> list[float]:
        """For each link how likely it leads to a relevant page."""
        if self._bayes is None or not links:
            return [0.0] * len(links)
        logs = self._bayes.likelihoods(Bags(links))
        chances: list[float] = (1 / (1 + np.exp(-STEEPNESS * (logs[:, 1] - logs[:, 0])))).tolist()
        return chances


class LinkClassifierLinkScorer:
    """Links by what a classifier expects behind them."""

    def __init__(self, threshold: float, most_waiting: int = MOST_WAITING) -> None:
        self._threshold = threshold
        self._features = LinkFeatures()
        self._classifier = LinkClassifier()
        self._waiting: WaitingLinks[Places] = WaitingLinks(most_waiting)
        self._visits = 0
        self._next_training = FIRST_TRAINING
        self._rejudge = False

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """The classifier's word, or before its training the page's relevance."""
        if not self._classifier.is_trained:
            why = f"no classifier yet; its parent's relevance is {relevance.value:.3f}"
            return [Score(max(OFF_TOPIC, min(1.0, relevance.value)), why)] * len(links)
        return [_score(chance) for chance in self._classifier.chances([self._features.of(link) for link in links])]

    def learn(self, visits: Sequence[Visit]) -> None:
        """Note which links led to relevant pages; train when it is time."""
        for visit in visits:
            self._note(visit)
        self._visits += len(visits)
        if self._visits >= self._next_training:
            self._rejudge = self._classifier.train() or self._rejudge
            step = TRAINING_EVERY if self._classifier.is_trained else FIRST_TRAINING
            self._next_training = (self._visits // step + 1) * step

    def _note(self, visit: Visit) -> None:
        features = self._waiting.taken(visit.link.url)
        if visit.page is None or visit.relevance is None:
            return
        if visit.link.parent:
            known = self._features.of(visit.link) if features is None else features
            self._classifier.note(known, visit.relevance.value >= self._threshold)
        for link in visit.page.links:
            if link.url not in self._waiting and not self._waiting.is_gone(link.url):
                self._waiting.found(link.url, self._features.of(link))

    def revised(self) -> Iterable[tuple[str, Score]]:
        """After a training all waiting links, judged again."""
        if not self._rejudge:
            return []
        self._rejudge = False
        urls, features = [], []
        for url, known in self._waiting:
            urls.append(url)
            features.append(known)
        return list(zip(urls, map(_score, self._classifier.chances(features)), strict=True))


def _score(chance: float) -> Score:
    return Score(max(OFF_TOPIC, chance), f"classifier of links: {chance:.3f} that it leads to a relevant page")


def link_classifier_link_scorer(configuration: Configuration, topic: Topic) -> LinkClassifierLinkScorer:
    """The link scorer of the strategy `link-classifier`."""
    return LinkClassifierLinkScorer(configuration.topic.threshold)
