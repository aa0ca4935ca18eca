"""CFP: the frontier ordered by what pages say and by the time that people spend on them (C10).

`I(d) = α·E·Okapi + β·LR`: both measures are seen beside their medians, x / (x + median),
so that neither is capped, and E stresses content. A page that nobody is known to visit
lives by its content. Priorities are I(d) as a share of the most it can come near, E + 1,
so that they lie between 0 and 1 as those of all strategies.
"""

from __future__ import annotations

import msgspec

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import Topic
from lycosa.records import Page, Score
from lycosa.scoring.click_statistics import Seen
from lycosa.scoring.importance import Medians, importance, scaled
from lycosa.scoring.links.words_and_clicks import Usual, WatchedLinkScorer, topic_okapi


class CfpFormula:
    """Content by Okapi, people by LR."""

    def __init__(self, content: float) -> None:
        self._content = content

    def measure(self, okapi: float, seen: Seen) -> float:
        """Content; LR has a median of its own."""
        return okapi

    def value(self, okapi: float, seen: Seen, usual: Usual) -> float:
        """I(d) of a link, as a share."""
        return self._share(self._content * scaled(okapi, usual.links) + scaled(seen.log_rank, usual.log_rank))

    def _share(self, value: float) -> float:
        return value / (self._content + 1.0)

    def why(self, okapi: float, seen: Seen, usual: Usual) -> str:
        """Both measures beside their medians."""
        content = f"content {self._content:g} x {scaled(okapi, usual.links):.3f} (okapi {okapi:.2f} around the link)"
        if not seen.visits:
            return f"{content}, no visits known"
        time = f"{seen.log_rank / 1000:,.0f} s in {seen.visits:,} visits"
        return f"{content}, people {scaled(seen.log_rank, usual.log_rank):.3f} ({time})"

    def completed(self, seen: Seen, page: Page) -> Seen:
        """Of the document only Okapi counts."""
        return seen

    def importance(self, okapi: float, seen: Seen, usual: Usual) -> Score:
        """I(d) of a page, as a share."""
        found = importance(okapi, seen.log_rank, Medians(usual.pages, usual.log_rank), self._content)
        return msgspec.structs.replace(found, value=self._share(found.value), why=f"I(d) {found.value:.3f}, as a share")


def cfp_link_scorer(configuration: Configuration, topic: Topic) -> WatchedLinkScorer:
    """The link scorer of the strategy `cfp`."""
    okapi = topic_okapi(topic, configuration.relevance)
    return WatchedLinkScorer(okapi, CfpFormula(configuration.clicks.content))
