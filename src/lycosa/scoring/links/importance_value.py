"""Importance value: the frontier ordered by visits, BM25, time, text and downloads (P5).

`Score = V + 1.5·BM + 0.75·ln(D·A) + 5·Do`. The importance value itself is a page's share
in a finished list, which nobody has while crawling; the Score orders links just the
same. As a priority it is seen beside its median, Score / (Score + median), so that it
lies between 0 and 1. What only the beacon measures (A and Do) is taken from the page
itself, once it is fetched, where there is no beacon.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import Topic
from lycosa.records import Page, Score
from lycosa.scoring.click_statistics import Seen
from lycosa.scoring.importance import BY_DOWNLOADS, BY_RELEVANCE, BY_TIME, bm25_scaled, scaled, value_score
from lycosa.scoring.links.words_and_clicks import Usual, WatchedLinkScorer, topic_okapi

DOWNLOADS = (
    ".pdf", ".zip", ".gz", ".bz2", ".xz", ".7z", ".tar", ".tgz", ".rar", ".exe", ".msi", ".dmg", ".deb", ".rpm", ".iso",
    ".apk", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".ods", ".odp", ".epub", ".csv", ".mp3", ".mp4",
)  # fmt: skip
"""How the addresses of files end that are there to be downloaded."""


class ValueFormula:
    """P5's Score."""

    def __init__(self, by_length: bool) -> None:
        self._by_length = by_length

    def measure(self, okapi: float, seen: Seen) -> float:
        """The Score, as `importance.value_score` has it, without its explanation."""
        spent = float(seen.length) if self._by_length else seen.log_rank
        text = math.log(spent) + math.log(seen.ascii_sum) if spent > 0 and seen.ascii_sum > 0 else 0.0
        relevance = BY_RELEVANCE * bm25_scaled(okapi)
        return seen.visits + relevance + BY_TIME * max(0.0, text) + BY_DOWNLOADS * seen.downloads

    def value(self, okapi: float, seen: Seen, usual: Usual) -> float:
        """The Score beside its median."""
        return scaled(self.measure(okapi, seen), usual.links)

    def why(self, okapi: float, seen: Seen, usual: Usual) -> str:
        """The Score and its greatest parts."""
        score, relevance = self.measure(okapi, seen), bm25_scaled(okapi)
        content = f"{BY_RELEVANCE:g} x {relevance:.1f} (okapi {okapi:.2f} around the link)"
        people = f"{seen.visits:,} visits" if seen.visits else "no visits known"
        rest = score - seen.visits - BY_RELEVANCE * relevance
        return f"score {score:.1f} beside {usual.links:.1f}: {people}, {content}, time, text and downloads {rest:.1f}"

    def completed(self, seen: Seen, page: Page) -> Seen:
        """With what the page itself says of its text and downloads, where no beacon measured it."""
        if seen.ascii_sum:
            return seen
        downloads = sum([link.url.lower().endswith(DOWNLOADS) for link in page.links])
        return seen._replace(length=len(page.text), ascii_sum=ascii_sum(page.text), downloads=downloads)

    def importance(self, okapi: float, seen: Seen, usual: Usual) -> Score:
        """The page's Score beside the median of pages."""
        spent = seen.length if self._by_length else seen.log_rank
        found = value_score(seen.visits, bm25_scaled(okapi), spent, seen.ascii_sum, seen.downloads)
        why = f"score {found.value:.1f} beside a median of {usual.pages:.1f}"
        return msgspec.structs.replace(found, value=scaled(found.value, usual.pages), why=why)


def ascii_sum(text: str) -> int:
    """The sum of the character codes of a text."""
    return int(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).sum(dtype=np.uint64))


def importance_value_link_scorer(configuration: Configuration, topic: Topic) -> WatchedLinkScorer:
    """The link scorer of the strategy `importance-value`."""
    okapi = topic_okapi(topic, configuration.relevance)
    return WatchedLinkScorer(okapi, ValueFormula(configuration.clicks.spent == "length"))
