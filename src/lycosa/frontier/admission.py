"""Which links may enter: scope, patterns, depth, schemes, traps; every refusal has a reason.

A rule is a callable that takes a link and answers with a reason to refuse it, or
None. Rules are plug-ins: the entry point is a factory that gets the configuration
and a sample of the seeds. A rule that throws drops the link and is counted.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from lycosa import plugins
from lycosa.configuration import Configuration
from lycosa.records import Link
from lycosa.urls import domain_of, host_of, site_of

Rule: TypeAlias = Callable[[Link], str | None]


class Admission:
    """All rules of a crawl, asked in order; the first refusal counts."""

    def __init__(self, rules: Sequence[tuple[str, Rule]]) -> None:
        self._rules = [(name, rule) for name, rule in rules if rule is not admit_all]

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


def admit_all(link: Link) -> str | None:
    """The rule of a factory that finds nothing to object to; it is not even asked."""
    return None


def admission(configuration: Configuration) -> Admission:
    """The admission rules that a configuration names."""
    rules = [(name, plugins.find("admission_rules", name)(configuration)) for name in configuration.scope.rules]
    return Admission(rules)


def scheme_rule(configuration: Configuration) -> Rule:
    """Only http and https."""

    def rule(link: Link) -> str | None:
        return None if link.url.startswith(("http://", "https://")) else "scheme"

    return rule


def depth_rule(configuration: Configuration) -> Rule:
    """Not farther from a seed than so many links."""
    deepest = configuration.scope.depth

    def rule(link: Link) -> str | None:
        return f"too-deep: {link.depth} > {deepest}" if link.depth > deepest else None

    return rule


def scope_rule(configuration: Configuration) -> Rule:
    """Anywhere, or only on the registrable domains of the seeds."""
    if configuration.scope.sites == "any":
        return admit_all
    domains = {domain_of(site_of(seed)) for seed in configuration.seeds}

    def rule(link: Link) -> str | None:
        domain = domain_of(site_of(link.url))
        return None if domain in domains else f"out-of-scope: {domain} is not a seed's domain"

    return rule


def pattern_rule(configuration: Configuration) -> Rule:
    """The operator's word: blocked patterns, then, where there are any, only allowed ones.

    A pattern with a slash matches host and path (`example.org/private/*`), one
    without matches the host and all below it (`example.org`); `*` matches anything.
    """
    block = [(pattern, matcher(pattern)) for pattern in configuration.scope.block]
    allow = [matcher(pattern) for pattern in configuration.scope.allow]
    if not block and not allow:
        return admit_all

    def rule(link: Link) -> str | None:
        for pattern, matches in block:
            if matches(link.url):
                return f"blocked: {pattern}"
        if allow and not any(matches(link.url) for matches in allow):
            return "out-of-scope: matches no allowed pattern"
        return None

    return rule


def matcher(pattern: str) -> Callable[[str], bool]:
    """A test of URLs against a pattern."""
    bare = pattern.partition("://")[2] if "://" in pattern else pattern
    expression = re.compile(fnmatch.translate(bare))
    if "/" in bare:
        return lambda url: expression.match(url.partition("://")[2]) is not None
    below = re.compile(fnmatch.translate("*." + bare))

    def matches_host(url: str) -> bool:
        host = host_of(site_of(url))
        return expression.match(host) is not None or below.match(host) is not None

    return matches_host
