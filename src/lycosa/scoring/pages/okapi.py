"""Page relevance by Okapi (C9): the plain content relevance of a page to the topic's terms."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import Topic
from lycosa.records import Page, Score, Visit
from lycosa.topics.okapi import Okapi, Statistics, topic_terms


class OkapiPageScorer:
    """Scores pages and keeps count of what they held, for the background."""

    def __init__(self, okapi: Okapi) -> None:
        self._okapi = okapi
        self._counted: dict[bytes, tuple[tuple[str, ...], int]] = {}

    def relevance(self, page: Page) -> Score:
        """Okapi of title and main text."""
        counts, length = self._okapi.count(page.text, page.language, page.title)
        self._counted[page.digest] = (tuple(counts), length)
        return self._okapi.score(counts, length)

    def learn(self, visits: Sequence[Visit]) -> None:
        """Every fetched page joins the background."""
        digests = [visit.page.digest for visit in visits if visit.page is not None]
        self._okapi.learn(self._counted[digest] for digest in digests if digest in self._counted)
        for digest in digests:
            self._counted.pop(digest, None)

    def statistics(self) -> bytes:
        """The statistics of what this agent fetched."""
        return msgspec.msgpack.encode(self._okapi.collected)

    def recall(self, own: bytes | None, others: Sequence[bytes]) -> None:
        """Add up what all agents have counted."""
        if own is not None:
            self._okapi.collected = msgspec.msgpack.decode(own, type=Statistics)
        total = Statistics()
        for other in others:
            total = total + msgspec.msgpack.decode(other, type=Statistics)
        self._okapi.hear(total)


def okapi_page_scorer(configuration: Configuration, topic: Topic) -> OkapiPageScorer:
    """The page scorer for a topic."""
    return OkapiPageScorer(Okapi(topic_terms(topic.label, topic.examples), configuration.relevance))
