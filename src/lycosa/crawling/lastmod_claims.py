"""What a crawl does about a sitemap that gives a later time of change for a page than its last visit (M9).

The page waits once more, while its site is believed: what comes back shows whether the
site spoke the truth, and one that often did not is believed no more. The judgement is for
this run alone; whoever looks at all pages again judges by the whole catalogue (`freshness.change_history`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from lycosa.records import Failed, Fetched, Unchanged, Visit
from lycosa.urls import site_of

MOST_SITES = 20_000
MOST_WAITING = 100_000
"""Pages that may wait once more at a time, in one agent."""
FEW_CLAIMS = 5
"""Claims that are believed before there is anything to judge them by."""
BELIEVED = 0.5
"""A site is believed while at least this share of the changes that it claimed was seen."""
KEEPS_SILENT = 0.05
"""A site's silence is not believed from this share of silent changes on, among the pages that it calls unchanged."""
SILENT_BEFORE, STILL_BEFORE = 1.0, 20.0
"""What is believed of a site's silence before any look, as looks that found a silent change and that found none."""
FADING = 0.98
"""What a look leaves of earlier ones at pages called unchanged: sites change their ways."""


class Claims(msgspec.Struct):
    """What became of a site's claims: a change claimed and seen, claimed but not seen, seen but not claimed.

    `silent` and `still` are recent looks at pages that the site calls unchanged: with a change, and without.
    """

    true: int = 0
    false: int = 0
    missed: int = 0
    silent: float = 0.0
    still: float = 0.0
    checked: float = 0.0
    """When a page was last looked at that the site calls unchanged."""

    @property
    def truthful(self) -> bool:
        """Whether a change that the site claims is to be expected."""
        judged = self.true + self.false
        return judged < FEW_CLAIMS or self.true >= BELIEVED * judged

    @property
    def keeps_silent(self) -> bool:
        """Whether too many pages change of which the site says that they do not."""
        share = (SILENT_BEFORE + self.silent) / (SILENT_BEFORE + STILL_BEFORE + self.silent + self.still)
        return share > KEEPS_SILENT

    @property
    def believed(self) -> bool:
        """Whether the site's times of change decide which of its pages are looked at."""
        return self.truthful and not self.keeps_silent

    def note(self, claimed: bool, changed: bool, at: float) -> None:
        """One more look at a page of which the site says whether it changed."""
        self.true += claimed and changed
        self.false += claimed and not changed
        self.missed += changed and not claimed
        if not claimed:
            self.silent = FADING * self.silent + changed
            self.still = FADING * self.still + (not changed)
            self.checked = max(self.checked, at)


class SitemapClaims:
    """Pages that wait once more because of what their sites claim, and which sites are believed."""

    def __init__(self) -> None:
        self._sites: dict[str, Claims] = {}
        self._waiting: dict[str, float] = {}
        self.taken = 0

    def renewal(self, url: str, lastmod: float) -> bool:
        """Whether a page is to be fetched again for this claim; if so, it is expected back."""
        claims = self._sites.get(site_of(url))
        if len(self._waiting) >= MOST_WAITING or not (claims is None or claims.believed):
            return False
        self._waiting[url] = lastmod
        self.taken += 1
        return True

    def of(self, url: str) -> float | None:
        """The time of change for which a page was fetched again; None for other pages."""
        return self._waiting.get(url)

    def compared(self, visit: Visit, first_with: Callable[[bytes], str | None]) -> Visit:
        """The visit of a page that was fetched again and whose text is what it was counts as one without news."""
        url, outcome, page = visit.link.url, visit.outcome, visit.page
        if url not in self._waiting or page is None or not isinstance(outcome, Fetched):
            return visit
        same = bool(page.text) and first_with(page.digest) == url
        return Visit(visit.link, Unchanged(visit.link, outcome.response), at=visit.at) if same else visit

    def judge(self, visits: Sequence[Visit]) -> None:
        """Pages came back: a site spoke the truth where there was something new."""
        for visit in visits if self._waiting else ():
            outcome = visit.outcome
            if isinstance(outcome, Failed) and outcome.again:
                continue
            was_expected = self._waiting.pop(visit.link.url, None) is not None
            if was_expected and isinstance(outcome, Fetched | Unchanged):
                self._note(site_of(visit.link.url), isinstance(outcome, Fetched))

    def _note(self, site: str, changed: bool) -> None:
        if len(self._sites) >= MOST_SITES:
            self._sites.clear()
        claims = self._sites.setdefault(site, Claims())
        claims.true += changed
        claims.false += not changed
