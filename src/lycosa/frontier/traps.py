"""Guards against sites without an end: calendars, facets, growing paths, session ids, farms of subdomains.

A URL's *pattern* is its site and path with numbers and tokens blanked, plus the
names of its parameters. A site may bring only so many URLs of one pattern; of a
pattern with something like a session id far fewer. Memory is bounded: the oldest
patterns are forgotten.
"""

from __future__ import annotations

import re
from collections import OrderedDict

from lycosa.configuration import Configuration
from lycosa.frontier.admission import Rule
from lycosa.records import Link
from lycosa.urls import domain_of, path_of, site_of

MOST_PATTERNS = 200_000
SESSION_SHARE = 100
"""Patterns with a session id get this fraction of the budget."""

_NUMBER = re.compile(r"\d+")
_TOKEN = re.compile(r"[0-9a-fA-F]{16,}|[A-Za-z0-9_-]{32,}")
_SESSION = re.compile(
    r"(?:^|[?&;/])(?:phpsessid|jsessionid|aspsessionid\w*|sid|sessid|session_?id|cftoken)=", re.IGNORECASE
)


class _Budget:
    """Counts per name, the oldest forgotten beyond a bound."""

    def __init__(self) -> None:
        self._counts: OrderedDict[str, int] = OrderedDict()

    def used(self, name: str) -> int:
        return self._counts.get(name, 0)

    def count(self, name: str) -> None:
        self._counts[name] = self._counts.pop(name, 0) + 1
        if len(self._counts) > MOST_PATTERNS:
            self._counts.popitem(last=False)


def pattern_of(url: str) -> tuple[str, bool]:
    """A URL's pattern, and whether it carries something like a session id."""
    path, _, query = path_of(url).partition("?")
    blanked = _TOKEN.sub("@", path)
    session = blanked != path or bool(_SESSION.search(path + ("?" + query if query else "")))
    names = sorted(pair.partition("=")[0] for pair in query.split("&")) if query else []
    if query and _TOKEN.search(query):
        session = True
    return f"{site_of(url)}{_NUMBER.sub('#', blanked)}?{'&'.join(names)}", session


def trap_rule(configuration: Configuration) -> Rule:
    """Refuse what looks like a way into a site without an end."""
    traps = configuration.traps
    patterns, hosts = _Budget(), _Budget()
    known_hosts: OrderedDict[str, None] = OrderedDict()

    def shape(link: Link) -> str | None:
        url = link.url
        if len(url) > traps.longest_url:
            return f"trap: URL of {len(url)} characters"
        path, _, query = path_of(url).partition("?")
        segments = [segment for segment in path.split("/") if segment]
        if len(segments) > traps.deepest_path:
            return f"trap: path of {len(segments)} segments"
        if len(segments) > traps.repeated_segment:
            for segment in set(segments):
                if segments.count(segment) > traps.repeated_segment:
                    return f"trap: segment {segment!r} repeated"
        if query and query.count("&") + 1 > traps.most_parameters:
            return f"trap: {query.count('&') + 1} parameters"
        return None

    def budget(link: Link) -> str | None:
        pattern, session = pattern_of(link.url)
        most = max(1, traps.urls_per_pattern // (SESSION_SHARE if session else 1))
        if patterns.used(pattern) >= most:
            return f"trap: {most} URLs of pattern {pattern}"
        site = site_of(link.url)
        if site not in known_hosts:
            domain = domain_of(site)
            if hosts.used(domain) >= traps.hosts_per_domain:
                return f"trap: {traps.hosts_per_domain} hosts of {domain}"
            hosts.count(domain)
            known_hosts[site] = None
            if len(known_hosts) > MOST_PATTERNS:
                known_hosts.popitem(last=False)
        patterns.count(pattern)
        return None

    def rule(link: Link) -> str | None:
        return shape(link) or budget(link)

    return rule
