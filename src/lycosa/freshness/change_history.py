"""What a crawl knows of its pages' changes, from its own catalogue: when each was looked at, and what was seen.

Nothing is kept besides the catalogue's rows. A page that was fetched again with the same
text, or that its server called unmodified, was looked at and had not changed. What a
site's sitemap claimed at each look shows whether its claims can be believed (M8): apart
from each other, those that a page changed and those that it did not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from random import Random

from lycosa.crawl_folder.suspect_pages import TOO_COSTLY
from lycosa.crawling.lastmod_claims import Claims
from lycosa.freshness.change_rates import DAY, PageHistory
from lycosa.records import Record
from lycosa.storage.catalogue import VisitRow
from lycosa.urls import site_of

COLUMNS = ("url", "at", "outcome", "why", "digest", "relevance", "importance", "claimed")
SEEN = frozenset({"fetched", "unchanged"})
SAMPLED, MOST_SAMPLED = 0.02, 20
"""The share of a site's pages called unchanged that may be looked at in a round all the same, and the most of them."""
OLDEST_OF = 4
"""Such a page is the one looked at longest ago of so many drawn at random."""
SECOND, WHOLE_DAY = 1.0, DAY
_LEAST_WEIGHT = 0.05


class Look(Record, frozen=True):
    """The latest state of a page: its history, the digest of its text, and what it is worth to keep fresh."""

    history: PageHistory = PageHistory()
    digest: str = ""
    weight: float = _LEAST_WEIGHT


class Looks:
    """All pages of an agent by URL, and the word of each site."""

    def __init__(self, prior: float = 1.0 / (7 * DAY)) -> None:
        self.pages: dict[str, Look] = {}
        self.claims: dict[str, Claims] = {}
        self.frequencies: dict[str, str] = {}
        """How often pages change by their sitemaps: names of change classes."""
        self.prior = prior

    @classmethod
    def of(cls, rows: Iterable[VisitRow]) -> Looks:
        """From rows of the catalogue, oldest first."""
        found = cls()
        for row in rows:
            found.add(row)
        return found

    def add(self, row: VisitRow) -> None:
        """One more visit; a page that was too costly to read is no more looked at."""
        if row.why == TOO_COSTLY:
            self.pages.pop(row.url, None)
        if row.outcome not in SEEN:
            return
        known = self.pages.get(row.url)
        digest = row.digest or (known.digest if known else "")
        changed = known is not None and row.outcome == "fetched" and digest != known.digest
        if known is not None and row.claimed is not None:
            self.judge(row.url, row.claimed, changed, row.at)
        history = (known.history if known else PageHistory()).looked(row.at, changed, self.prior)
        weight = max(_LEAST_WEIGHT, row.importance or row.relevance or (known.weight if known else 0.0))
        self.pages[row.url] = Look(history, digest, weight)

    def judge(self, url: str, claimed: float, changed: bool, at: float) -> None:
        """A look at a known page shows whether its site spoke the truth; to be told before the look is remembered."""
        is_newer = newer(claimed, self.pages[url].history.last)
        self.claims.setdefault(site_of(url), Claims()).note(is_newer, changed, at)

    def believes(self, site: str) -> bool:
        """Whether a site is believed, in what it says and in what it does not."""
        claims = self.claims.get(site)
        return claims is None or claims.believed

    def worth_a_look(self, claimed: dict[str, float]) -> Iterator[str]:
        """Pages that may have changed: all but those that a believed site calls unchanged since the last look."""
        return (url for url in self.pages if self.may_have_changed(url, claimed))

    def may_have_changed(self, url: str, claimed: dict[str, float]) -> bool:
        """Whether a page may have changed, as far as its site can be believed."""
        return url not in claimed or not self.believes(site_of(url)) or self.said_to_have_changed(url, claimed)

    def said_to_have_changed(self, url: str, claimed: dict[str, float]) -> bool:
        """Whether a believed site claims that a page changed since the last look."""
        at = claimed.get(url)
        if at is None or not newer(at, self.pages[url].history.last):
            return False
        claims = self.claims.get(site_of(url))
        return claims is None or claims.truthful

    def called_unchanged(self, claimed: dict[str, float]) -> dict[str, list[str]]:
        """The pages, by site, that are left alone because a believed site calls them unchanged."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for url in claimed:
            if url in self.pages and not self.may_have_changed(url, claimed):
                found[site_of(url)].append(url)
        return found

    def sample(self, claimed: dict[str, float], most: int, chance: Random) -> list[str]:
        """A few of the pages that are left alone, to hear what their sites keep silent about.

        Sites whose silence was not checked for longest come first, and of each one page before the second of any.
        """
        drawn: list[tuple[int, float, float, str]] = []
        for site, urls in sorted(self.called_unchanged(claimed).items()):
            number = min(MOST_SAMPLED, max(1, round(SAMPLED * len(urls))))
            some = chance.sample(sorted(urls), min(len(urls), OLDEST_OF * number))
            some.sort(key=lambda url: self.pages[url].history.last)
            claims, place = self.claims.get(site, Claims()), chance.random()
            drawn += [(turn, claims.checked, place, url) for turn, url in enumerate(some[:number])]
        return [url for _, _, _, url in sorted(drawn)[:most]]


def newer(lastmod: float, looked: float) -> bool:
    """Whether a page may have changed since a look, by a time that is written to the second or to the day."""
    return lastmod + (WHOLE_DAY if lastmod % DAY == 0 else SECOND) > looked
