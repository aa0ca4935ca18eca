"""How a crawl writes URLs of which a site has several for one page: learned from what it fetched (M1).

The rules are those of `duplicates.url_rewriter`. Here a crawl tells them its pages, lets them write
its links before they are let in, and keeps their evidence with everything else of the
agent, seldom enough that keeping it costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import msgspec

from lycosa.configuration.sections import Urls
from lycosa.duplicates.canonical_links import Verdict
from lycosa.duplicates.rewrite_rules import Kind
from lycosa.duplicates.url_rewriter import DustRule, DustRules
from lycosa.records import SITEMAP, Fetched, Link, Visit, urls_of
from lycosa.storage.catalogue import VisitRow
from lycosa.urls import site_of

MARK = "dust"
KEPT_EVERY = 100.0
"""Evidence is kept again only after so many times the time that this takes."""
_GOOD = 200

_replace = msgspec.structs.replace


class Spellings:
    """What an agent knows of the spellings of URLs, and what it makes of links."""

    def __init__(self, settings: Urls, kept: bytes | None = None) -> None:
        self._dust = DustRules()
        self._dust.recall(kept)
        self._keep_after = float("-inf")
        self.change(settings)

    def change(self, settings: Urls) -> None:
        """Learn and use what the settings allow, from now on."""
        self._learns = settings.learn_spellings
        self._dust.use(frozenset(map(Kind, settings.spellings)) if self._learns else frozenset())

    def learn(self, visits: Sequence[Visit], rows: Sequence[VisitRow]) -> None:
        """See what was fetched, and which of it was known under another URL of the site."""
        if not self._learns:
            return
        for visit, row in zip(visits, rows, strict=True):
            page = visit.page
            if page is None or not page.text or not _came_whole(visit):
                continue
            if row.duplicate_of and row.why != Verdict.BELIEVED and site_of(row.duplicate_of) == site_of(row.url):
                self._dust.see(row.duplicate_of, page.digest)
            self._dust.see(row.url, page.digest)

    def written(self, links: Sequence[Link]) -> tuple[Sequence[Link], int]:
        """Links as the rules of their sites write them, and how many are written otherwise than they were found."""
        if not self._dust.in_use:
            return links, 0
        forms = self._dust.respelled(urls_of(links))
        if not any(forms):
            return links, 0
        found = list(links)
        changed = 0
        for place, form in enumerate(forms):
            if form and found[place].rel != SITEMAP:
                found[place] = _replace(found[place], url=form)
                changed += 1
        return found, changed

    def other_form(self, url: str) -> str | None:
        """How the rules write a URL that waits already; None where it is written so, or is to be fetched as it is."""
        return self._dust.respelled([url])[0] if self._dust.in_use else None

    def kept(self, now: float) -> dict[str, bytes]:
        """The mark to be written, where there is evidence that is not kept yet."""
        if not self._dust.changed or now < self._keep_after:
            return {}
        begin = perf_counter()
        told = self._dust.statistics()
        self._keep_after = now + KEPT_EVERY * (perf_counter() - begin)
        return {MARK: told}

    def explain(self, url: str) -> list[str]:
        """What the rules make of a URL and why."""
        return self._dust.explain(url)

    def rules_in_use(self) -> list[DustRule]:
        """The rules that are used now, with their evidence."""
        return [rule for rule in self._dust.rules() if rule.used]


def _came_whole(visit: Visit) -> bool:
    outcome = visit.outcome
    if not isinstance(outcome, Fetched) or visit.link.rel == SITEMAP:
        return False
    return outcome.response.status == _GOOD and not outcome.response.truncated
