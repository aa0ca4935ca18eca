"""Which links may enter: scope, patterns, depth, schemes, traps; every refusal has a reason.

A rule is a callable that takes a link (to a page, or by its `rel` to a sitemap) and
answers with a reason to refuse it, or None. Rules are plug-ins: the entry point is a
factory that gets the configuration. A rule that throws drops the link and is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from lycosa.configuration.sections import Configuration
from lycosa.file_endings import ENDINGS, ending_of
from lycosa.frontier.url_patterns import matcher
from lycosa.plugins import registry
from lycosa.plugins.plug_points import AdmissionRule, Rationing, Remembering
from lycosa.records import SITEMAP, Link, Visit
from lycosa.urls import domain_of, site_of


class Admission:
    """All rules of a crawl, asked in order; the first refusal counts.

    `blocked` is the operator's word against a URL, whatever it would be asked for; `comes_last` says of a link that
    is let in why it is hardly worth a request.
    """

    def __init__(
        self,
        rules: Sequence[tuple[str, AdmissionRule]],
        blocked: AdmissionRule | None = None,
        comes_last: AdmissionRule | None = None,
    ) -> None:
        self._rules = [(name, rule) for name, rule in rules if rule is not admit_all]
        self._rationing: list[Rationing] = [rule for _, rule in self._rules if isinstance(rule, Rationing)]
        self.blocked, self.comes_last = blocked or admit_all, comes_last or admit_all

    def refusal(self, link: Link) -> str | None:
        """Why a link is not let in, or None."""
        name = ""
        try:
            for name, rule in self._rules:  # noqa: B007 - the name tells which rule was broken
                why = rule(link)
                if why is not None:
                    return why
        except Exception as error:  # noqa: BLE001 - a broken rule must not let a link pass nor stop the crawl
            return f"rule-broken: {name} ({type(error).__name__})"
        return None

    def spent(self, link: Link) -> str | None:
        """Why a link that waits is not worth its turn any more, or None."""
        return next((why for rule in self._rationing if (why := rule.spent(link))), None)

    def learn(self, visits: Sequence[Visit], is_known: Callable[[str], bool]) -> None:
        """Let rules that judge sites by what they bring see these pages."""
        for rule in self._rationing:
            rule.learn(visits, is_known)

    def holds_back(self, site: str, requests: int) -> bool:
        """Whether a site has to wait for others, after so many requests."""
        return any(rule.holds_back(site, requests) for rule in self._rationing)

    def take_over(self, before: Admission) -> None:
        """Let rules that count go on with what those of the same name have counted."""
        counted = before._remembering()
        for name, rule in self._remembering().items():
            if type(rule) is type(counted.get(name)):
                rule.take_over(counted[name])

    def recall(self, kept: Mapping[str, Mapping[bytes, int]], sites: Iterable[str]) -> None:
        """Let them go on after a restart: with the counts that were kept of each, and the sites that are known."""
        for name, rule in self._remembering().items():
            rule.recall(kept.get(name, {}), sites)

    def news(self) -> dict[str, Mapping[bytes, int]]:
        """The counts of each that are to be kept since this was asked last."""
        return {name: news for name, rule in self._remembering().items() if (news := rule.news())}

    def _remembering(self) -> dict[str, Remembering]:
        return {name: rule for name, rule in self._rules if isinstance(rule, Remembering)}


def admit_all(link: Link) -> str | None:
    """The rule of a factory that finds nothing to object to; it is not even asked."""
    return None


def admission(configuration: Configuration) -> Admission:
    """The admission rules that a configuration names."""
    rules = [(name, registry.find("admission_rules", name)(configuration)) for name in configuration.scope.rules]
    return Admission(rules, blocked_rule(configuration), unwanted_type(configuration))


def unwanted_type(configuration: Configuration) -> AdmissionRule:
    """Why a link hardly leads to a page: its `type` attribute or its ending says so; what people ask for is exempt."""
    wanted = frozenset(kind.lower() for kind in configuration.fetching.types)
    halves = frozenset(f"{kind.partition('/')[0]}/*" for kind in wanted)
    unwanted = {ending: kind for ending, kind in ENDINGS.items() if kind not in wanted and kind not in halves}

    def rule(link: Link) -> str | None:
        if not link.parent or link.rel == SITEMAP:
            return None
        declared = next((word for word in link.rel.split() if "/" in word), "") if "/" in link.rel else ""
        if declared:
            return None if declared in wanted else f"comes last: its type is {declared}, which fetching.types lacks"
        kind = unwanted.get(ending_of(link.url))
        return kind and f"comes last: it ends like {kind.removesuffix('/*')}, which fetching.types lacks"

    return rule


def scheme_rule(configuration: Configuration) -> AdmissionRule:
    """Only http and https."""

    def rule(link: Link) -> str | None:
        return None if link.url.startswith(("http://", "https://")) else "scheme"

    return rule


def depth_rule(configuration: Configuration) -> AdmissionRule:
    """Not farther from a seed than so many links; sitemaps have no distance."""
    deepest = configuration.scope.depth

    def rule(link: Link) -> str | None:
        return f"too-deep: {link.depth} > {deepest}" if link.depth > deepest and link.rel != SITEMAP else None

    return rule


def scope_rule(configuration: Configuration) -> AdmissionRule:
    """Anywhere, or only on the registrable domains of the seeds."""
    if configuration.scope.sites == "any":
        return admit_all
    domains = {domain_of(site_of(seed)) for seed in configuration.seeds}

    def rule(link: Link) -> str | None:
        domain = domain_of(site_of(link.url))
        return None if domain in domains else f"out-of-scope: {domain} is not a seed's domain"

    return rule


def pattern_rule(configuration: Configuration) -> AdmissionRule:
    """The operator's word: blocked patterns, then, where there are any, only allowed ones.

    A pattern with a slash matches host and path (`example.org/private/*`), one
    without matches the host and all below it (`example.org`); `*` matches anything.
    A site's own sitemap may be read for pages that are allowed, though it is none.
    """
    blocked, allow = blocked_rule(configuration), [matcher(pattern) for pattern in configuration.scope.allow]
    if not allow:
        return blocked

    def rule(link: Link) -> str | None:
        if why := blocked(link):
            return why
        if link.rel == SITEMAP and link.parent and site_of(link.parent) == site_of(link.url):
            return None
        return None if any(matches(link.url) for matches in allow) else "out-of-scope: matches no allowed pattern"

    return rule


def blocked_rule(configuration: Configuration) -> AdmissionRule:
    """Blocked patterns alone."""
    block = [(pattern, matcher(pattern)) for pattern in configuration.scope.block]
    if not block:
        return admit_all

    def rule(link: Link) -> str | None:
        return next((f"blocked: {pattern}" for pattern, matches in block if matches(link.url)), None)

    return rule
