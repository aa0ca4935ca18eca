"""Shark-Search: like the fish, but with a nose for degrees.

After Hersovici et al., with their parameters. A link inherits part of its page's
relevance (from a page without any, part of what that one inherited), and the words
of its anchor and around it have as much say. In one thing it differs: the paper
gives the context of any anchor that names the topic the full score; a cosine is
seldom 0, so here the context has the better score of anchor and boundary, which
found a fifth more on a real web.
"""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Link, Page, Score, Visit
from lycosa.scoring.baselines.topic_similarity import Closeness
from lycosa.scoring.bounded_memory import Remembered

DECAY = 0.5
"""δ: what a link inherits of its page."""
ANCHOR_SHARE = 0.8
"""β: the anchor's say in the neighbourhood, the rest is the context's."""
INHERITED_SHARE = 0.5
"""γ: what is inherited in the whole, the rest is the neighbourhood's."""
SCORES_REMEMBERED = 400_000


class SharkSearchLinkScorer:
    """Inherited scores and the closeness of words to the topic."""

    def __init__(self, topic: Topic) -> None:
        self._closeness = Closeness(topic)
        self._inherited: Remembered[str, float] = Remembered(SCORES_REMEMBERED)

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """γ · inherited + (1 - γ) · neighbourhood."""
        inherited = self._handed_on(page.url, relevance.value)
        return [self._potential(inherited, link) for link in links]

    def _potential(self, inherited: float, link: Link) -> Score:
        anchor = self._closeness.of(link.anchor)
        context = max(anchor, self._closeness.of(link.boundary))
        around = ANCHOR_SHARE * anchor + (1 - ANCHOR_SHARE) * context
        value = INHERITED_SHARE * inherited + (1 - INHERITED_SHARE) * around
        why = f"anchor {anchor:.3f}, context {context:.3f}, inherited {inherited:.3f}"
        return Score(max(OFF_TOPIC, value), why)

    def _handed_on(self, page: str, relevance: float) -> float:
        """What the links of a page inherit: of its relevance, or where it has none, of what it inherited itself."""
        if relevance > 0:
            return DECAY * relevance
        return DECAY * (self._inherited.get(page) or 0.0)

    def learn(self, visits: Sequence[Visit]) -> None:
        """Note what links inherit; of several pages, the most."""
        inherited = self._inherited
        for visit in visits:
            if visit.page is None or visit.relevance is None:
                continue
            score = self._handed_on(visit.page.url, visit.relevance.value)
            for link in visit.page.links:
                if score > (inherited.get(link.url) or 0.0):
                    inherited.put(link.url, score)


def shark_search_link_scorer(configuration: Configuration, topic: Topic) -> SharkSearchLinkScorer:
    """The link scorer of the strategy `shark-search`."""
    return SharkSearchLinkScorer(topic)
