"""Different URLs with similar text (DUST): which spellings of a URL mean the same page, learned site by site (M1).

Session ids, the order of parameters, default pages, trailing slashes and upper case matter
on some sites and on others not, so nothing is assumed. Pages whose content was seen before
under another URL suggest a rewrite; all that was seen lately of the site then speaks for it
or against it, and so does whatever comes later. Only rules without a contradiction are
used, and not beyond the places they were learned from unless several places agree. No
clock and no file: whoever keeps a crawl hands in what was fetched, and keeps the statistics.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from lycosa.duplicates.rewrite_evidence import ALL_KINDS, Recent, SiteDust, SiteSample
from lycosa.duplicates.rewrite_rules import Evidence, Kind, Rewrite, RuleEvidence
from lycosa.records import Record
from lycosa.urls import fingerprint, site_of

URLS_PER_SITE = 2048
"""URLs of a site that are remembered to compare with, at most; at least half as many."""
MOST_URLS = 200_000
"""URLs that are remembered of all sites together: about 60 MB."""
MOST_SITES = 20_000
"""Sites of which evidence is kept."""
LONGEST = 1024
"""Longer URLs teach nothing; rules hold for them too."""
SPARED = 64
"""One URL in so many is to be fetched as it is, so that rules that have become wrong are noticed."""
MOST_SPELLED = 50_000
"""URLs of which it is remembered how they are written: the links of a site's pages are mostly the same ones."""
MOST_KEPT = 8 * 1024**2
"""Bytes of evidence that are kept; where there is more, that of the sites seen last."""


class DustRule(Record, frozen=True):
    """What is believed of a rewrite, at a place or, where that is '', on the whole site."""

    site: str
    rewrite: str
    place: str
    used: bool
    agreements: int
    contradictions: int
    examples: tuple[tuple[str, str], ...] = ()
    against: tuple[str, str] | None = None

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {name: getattr(self, name) for name in self.__struct_fields__}


class DustRules:
    """The rules of all sites. URLs are normalised ones.

    Applying them twice changes nothing, and what comes of it is a normalised URL of the same site.
    """

    def __init__(
        self, urls_per_site: int = URLS_PER_SITE, most_urls: int = MOST_URLS, most_sites: int = MOST_SITES
    ) -> None:
        self._per_site, self._half = urls_per_site, max(1, most_urls // 2)
        self._sites: Recent[str, SiteDust] = Recent(most_sites)
        self._young: dict[str, SiteSample] = {}
        self._old: dict[str, SiteSample] = {}
        self._remembered = 0
        self._most_sites, self._kinds = most_sites, ALL_KINDS
        self._using: set[str] = set()
        self._spelled: dict[str, str | None] = {}
        self.changed = False
        """Whether there is evidence that `statistics` has not told yet."""

    # -- learning -------------------------------------------------------------------------------

    def see(self, url: str, digest: bytes) -> None:
        """A page was fetched, with status 200, and its text has this digest. Pages without text must not be told."""
        if not digest or len(url) > LONGEST:
            return
        name = site_of(url)
        sample, site = self._sample(name), self._sites.get(name) or SiteDust(kinds=self._kinds)
        before, evidence, turns = len(sample.contents), site.evidence, site.turns
        site.learn(sample, url[len(name) :], digest[:8])
        self._remembered += len(sample.contents) - before
        if site.rules:
            self._sites.put(name, site)
        if site.evidence != evidence:
            self.changed = True
        if site.turns != turns:
            self._used(name, site)

    def _used(self, name: str, site: SiteDust) -> None:
        """A site's rules may have changed: what is made of its URLs is found out anew."""
        self._spelled.clear()
        (self._using.add if site.has_rules else self._using.discard)(name)
        if len(self._using) > self._most_sites:
            self._using = {name for name, site in self._sites.items() if site.has_rules}

    def contradict(self, one: str, other: str) -> None:
        """Two URLs of a site are known to have different contents."""
        name = site_of(one)
        if name != site_of(other) or max(len(one), len(other)) > LONGEST:
            return
        site = self._sites.get(name) or SiteDust(kinds=self._kinds)
        site.contradict(one[len(name) :], other[len(name) :])
        if site.rules:
            self._sites.put(name, site)
        self.changed = True
        self._used(name, site)

    def _sample(self, name: str) -> SiteSample:
        """The sample of a site; those of sites that were not seen for long are forgotten when there are too many."""
        if self._remembered >= self._half:
            self._old, self._young, self._remembered = self._young, {}, 0
        sample = self._young.get(name)
        if sample is None:
            sample = self._old.pop(name, None) or SiteSample(self._per_site)
            self._young[name] = sample
            self._remembered += len(sample.contents)
        return sample

    # -- using ----------------------------------------------------------------------------------

    def use(self, kinds: frozenset[Kind]) -> None:
        """Use rewrites of these kinds only, from now on."""
        self._kinds = kinds
        for name, site in self._sites.items():
            site.use(kinds)
            self._used(name, site)

    @property
    def in_use(self) -> bool:
        """Whether any site has rules that are used."""
        return bool(self._using)

    def respelled(self, urls: Sequence[str]) -> list[str | None]:
        """How links to URLs are to be written by the rules; None for those that stay as they are, or are spared."""
        remembered, found = self._spelled, [self._spelled.get(url, "") for url in urls]
        if "" in found:
            for place, url in enumerate(urls):
                if found[place] == "":
                    found[place] = self._respell(url)
                    remembered[url] = found[place]
            if len(remembered) > MOST_SPELLED:
                remembered.clear()
        return found

    def _respell(self, url: str) -> str | None:
        name = url[: url.index("/", 8)]
        site = self._sites.get(name) if name in self._using else None
        if site is None:
            return None
        form = name + site.rewritten(url[len(name) :])[0]
        if form == url or (fingerprint(url)[0] % SPARED == 0 and site.spares(SPARED)):
            return None
        return form

    def apply(self, url: str) -> str:
        """The URL by which a page is known, as far as its site's rules tell."""
        name = site_of(url)
        site = self._sites.get(name)
        return name + site.rewritten(url[len(name) :])[0] if site is not None and site.has_rules else url

    def spared(self, url: str) -> bool:
        """Whether a URL should be fetched as it is although rules would rewrite it: one in many, and always the same.

        Else nothing would ever contradict a rule once it is used.
        """
        return fingerprint(url)[0] % SPARED == 0 and self.apply(url) != url

    def explain(self, url: str) -> list[str]:
        """What the rules make of a URL and why, for people."""
        name = site_of(url)
        site = self._sites.get(name)
        address, steps = site.rewritten(url[len(name) :]) if site is not None else (url[len(name) :], [])
        if not steps:
            return [f"{url} is written as it is: no rule of its site changes it"]
        return [f"{url} is taken for {name}{address}", *(_step_told(name, *step) for step in steps)]

    def rules(self, site: str = "") -> list[DustRule]:
        """Everything that is believed of a site, or of all sites, used or not."""
        return [
            rule
            for name, known in self._sites.items()
            if site in ("", name)
            for rewrite, evidence in known.rules.items()
            for rule in _listed(name, rewrite, evidence, rewrite.kind in self._kinds)
        ]

    # -- keeping --------------------------------------------------------------------------------

    def statistics(self) -> bytes:
        """All evidence, to be kept, as far as there is room; the sample of what was seen lately is not."""
        kept: list[msgspec.Raw] = []
        room = MOST_KEPT
        for name, site in reversed(list(self._sites.items())):
            rules = [(rewrite.kind, rewrite.name, rule) for rewrite, rule in site.rules.items()]
            told = msgspec.msgpack.encode((name, rules), order="deterministic")
            room -= len(told)
            if room < 0:
                break
            kept.append(msgspec.Raw(told))
        self.changed = False
        return msgspec.msgpack.encode(kept[::-1])

    def recall(self, kept: bytes | None) -> None:
        """Know again what was kept."""
        for name, rules in msgspec.msgpack.decode(kept, type=_KEPT) if kept else ():
            site = SiteDust({Rewrite(kind, about): rule for kind, about, rule in rules}, self._kinds)
            self._sites.put(name, site)
            self._used(name, site)


_KEPT = list[tuple[str, list[tuple[Kind, str, RuleEvidence]]]]


def _step_told(site: str, rewrite: Rewrite, evidence: Evidence) -> str:
    kept = "" if rewrite.kind is not Kind.PARAMETER or evidence.form_seen else f" (always {evidence.pair})"
    example = f", such as {site}{evidence.examples[0][0]} and {evidence.examples[0][1]}" if evidence.examples else ""
    return f"{rewrite}{kept}: {evidence.told()}{example}"


def _listed(site: str, rewrite: Rewrite, rule: RuleEvidence, allowed: bool) -> list[DustRule]:
    return [
        DustRule(
            site,
            str(rewrite),
            place,
            allowed and each.active,
            each.agreements,
            each.contradictions,
            tuple(each.examples),
            each.against,
        )
        for place, each in [("", rule.site), *rule.places.items()]
        if each.agreements or each.contradictions
    ]
