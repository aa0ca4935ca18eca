"""Guards against sites without an end: calendars, facets, growing paths, session ids, farms of subdomains.

A URL's *pattern* is its site and path with digits and tokens blanked, plus the
names of its parameters. A site may bring only so many URLs of one pattern; of a
pattern with something like a session id far fewer. Memory is bounded: the oldest
patterns are forgotten.
"""

from __future__ import annotations

import re

from lycosa.configuration import Configuration
from lycosa.frontier.admission import Rule
from lycosa.records import Link
from lycosa.urls import domain_of, path_of, site_of

MOST_PATTERNS = 200_000
SESSION_SHARE = 100
"""Patterns with a session id get this fraction of the budget."""

SHORTEST_TOKEN = 16
_DIGITS = str.maketrans("0123456789", "##########")
_TOKEN = re.compile(r"[0-9a-fA-F]{16,}|[A-Za-z0-9_-]{32,}")
_SESSION = re.compile(
    r"(?:^|[?&;/])(?:phpsessid|jsessionid|aspsessionid\w*|sid|sessid|session_?id|cftoken)=", re.IGNORECASE
)


class _Budget:
    """Counts per name in bounded memory: of two generations the older is forgotten when the younger is full."""

    def __init__(self) -> None:
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}

    def take(self, name: str, most: int) -> bool:
        """Count one more, unless there are so many already."""
        used = self._young.get(name)
        if used is None:
            if len(self._young) >= MOST_PATTERNS:
                self._old, self._young = self._young, {}
            used = self._old.pop(name, 0)
        if used >= most:
            self._young[name] = used
            return False
        self._young[name] = used + 1
        return True

    def __contains__(self, name: str) -> bool:
        return name in self._young or name in self._old


def pattern_of(url: str) -> tuple[str, bool]:
    """A URL's pattern, and whether it carries something like a session id."""
    whole, _, query = url.partition("?")
    at = whole.index("/", 8)
    path = whole[at:]
    session = ("=" in url and bool(_SESSION.search(url, at))) or bool(query and _TOKEN.search(query))
    if len(path) > SHORTEST_TOKEN:
        blanked = _TOKEN.sub("@", path)
        session = session or blanked != path
        path = blanked
    names = "&".join(sorted(pair.partition("=")[0] for pair in query.split("&"))) if query else ""
    return f"{url[:at]}{path.translate(_DIGITS)}?{names}", session


def trap_rule(configuration: Configuration) -> Rule:
    """Refuse what looks like a way into a site without an end."""
    traps = configuration.traps
    fewest = max(1, traps.urls_per_pattern // SESSION_SHARE)
    patterns, hosts, sites = _Budget(), _Budget(), _Budget()

    def shape(link: Link) -> str | None:
        url = link.url
        if len(url) > traps.longest_url:
            return f"trap: URL of {len(url)} characters"
        path, _, query = path_of(url).partition("?")
        if path.count("/") > min(traps.repeated_segment, traps.deepest_path):
            segments = [segment for segment in path.split("/") if segment]
            if len(segments) > traps.deepest_path:
                return f"trap: path of {len(segments)} segments"
            for segment in set(segments):
                if segments.count(segment) > traps.repeated_segment:
                    return f"trap: segment {segment!r} repeated"
        if query and query.count("&") + 1 > traps.most_parameters:
            return f"trap: {query.count('&') + 1} parameters"
        return None

    def budget(link: Link) -> str | None:
        site = site_of(link.url)
        if site not in sites:
            domain = domain_of(site)
            if not hosts.take(domain, traps.hosts_per_domain):
                return f"trap: {traps.hosts_per_domain} hosts of {domain}"
        if sites.take(site, fewest):
            return None
        pattern, session = pattern_of(link.url)
        most = fewest if session else traps.urls_per_pattern
        return None if patterns.take(pattern, most) else f"trap: {most} URLs of pattern {pattern}"

    def rule(link: Link) -> str | None:
        return shape(link) or budget(link)

    return rule
