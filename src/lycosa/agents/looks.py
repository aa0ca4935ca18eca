"""What a crawl knows of its pages' changes, from its own catalogue: when each was looked at, and what was seen.

Nothing is kept besides the catalogue's rows. A page that was fetched again with the same
text, or that its server called unmodified, was looked at and had not changed. What a
site's sitemap claimed at each look shows whether its claims can be believed (M8).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from lycosa.frontier.change_rates import DAY, PageHistory
from lycosa.records import Record
from lycosa.storage.catalogue import VisitRow
from lycosa.urls import site_of

COLUMNS = ("url", "at", "outcome", "digest", "relevance", "importance", "claimed")
SEEN = frozenset({"fetched", "unchanged"})
FEW_CLAIMS = 5
"""Claims that are believed before there is anything to judge them by."""
BELIEVED = 0.5
"""A site is believed while at least this share of its claims that were looked at was true."""
SECOND, WHOLE_DAY = 1.0, DAY
_LEAST_WEIGHT = 0.05


class Look(Record, frozen=True):
    """The latest state of a page: its history, the digest of its text, and what it is worth to keep fresh."""

    history: PageHistory = PageHistory()
    digest: str = ""
    weight: float = _LEAST_WEIGHT


class Claims(msgspec.Struct):
    """What became of a site's claims: a change claimed and seen, claimed but not seen, seen but not claimed."""

    true: int = 0
    false: int = 0
    missed: int = 0

    @property
    def believed(self) -> bool:
        """Whether the site's times of change decide which of its pages are looked at."""
        judged = self.true + self.false + self.missed
        return judged < FEW_CLAIMS or self.true >= BELIEVED * judged


class Looks:
    """All pages of an agent by URL, and the word of each site."""

    def __init__(self, prior: float = 1.0 / (7 * DAY)) -> None:
        self.pages: dict[str, Look] = {}
        self.claims: dict[str, Claims] = {}
        self.prior = prior

    @classmethod
    def of(cls, rows: Iterable[VisitRow]) -> Looks:
        """From rows of the catalogue, oldest first."""
        found = cls()
        for row in rows:
            found.add(row)
        return found

    def add(self, row: VisitRow) -> None:
        """One more visit."""
        if row.outcome not in SEEN:
            return
        known = self.pages.get(row.url)
        digest = row.digest or (known.digest if known else "")
        changed = known is not None and row.outcome == "fetched" and digest != known.digest
        if known is not None and row.claimed is not None:
            self._judge(site_of(row.url), newer(row.claimed, known.history.last), changed)
        history = (known.history if known else PageHistory()).looked(row.at, changed, self.prior)
        weight = max(_LEAST_WEIGHT, row.importance or row.relevance or (known.weight if known else 0.0))
        self.pages[row.url] = Look(history, digest, weight)

    def _judge(self, site: str, claimed: bool, changed: bool) -> None:
        claims = self.claims.setdefault(site, Claims())
        claims.true += claimed and changed
        claims.false += claimed and not changed
        claims.missed += changed and not claimed

    def believes(self, site: str) -> bool:
        """Whether a site's claims are believed."""
        claims = self.claims.get(site)
        return claims is None or claims.believed

    def worth_a_look(self, claimed: dict[str, float]) -> Iterator[str]:
        """Pages that may have changed: all but those that a believed site calls unchanged since the last look."""
        for url in self.pages:
            if url not in claimed or not self.believes(site_of(url)) or self.said_to_have_changed(url, claimed):
                yield url

    def said_to_have_changed(self, url: str, claimed: dict[str, float]) -> bool:
        """Whether a believed site claims that a page changed since the last look."""
        at = claimed.get(url)
        return at is not None and newer(at, self.pages[url].history.last) and self.believes(site_of(url))


def newer(lastmod: float, looked: float) -> bool:
    """Whether a page may have changed since a look, by a time that is written to the second or to the day."""
    return lastmod + (WHOLE_DAY if lastmod % DAY == 0 else SECOND) > looked
