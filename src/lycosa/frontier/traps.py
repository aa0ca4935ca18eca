"""Guards against sites without an end: calendars, facets, growing paths, session ids, farms of subdomains.

A URL's *pattern* is its site and path with digits and tokens blanked, plus the
names of its parameters. A site may bring only so many URLs of one pattern; of a
pattern with something like a session id far fewer. Memory is bounded: the oldest
patterns are forgotten, though not the counts of those that brought many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice

from lycosa.configuration.sections import Configuration, Traps
from lycosa.records import SITEMAP, Link
from lycosa.urls import domain_of, fingerprint, path_of

MOST_PATTERNS = 200_000
FEWEST_KEPT = 15
"""Smaller counts are not worth keeping."""
SESSION_SHARE = 100
"""Patterns with a session id get this fraction of the budget."""

_BLANKED_DIGITS = bytes.maketrans(b"0123456789", b"##########")
_TOKEN = re.compile(rb"[0-9a-fA-F]{16,}|[A-Za-z0-9_-]{32,}")
_PART = rb"(?:[A-Z]?[a-z]{1,24}|[A-Z]{1,24}|[0-9]{1,8}|[A-Za-z0-9]{1,4})"
_WHOLE_PART = rb"(?>" + _PART + rb"(?![A-Za-z0-9]))"
_TITLE = re.compile(rb"[-_]*+" + _WHOLE_PART + rb"(?:[-_]++" + _WHOLE_PART + rb"){2,}+[-_]*+")
"""Words with hyphens between them: the title of a page, not a token."""
_SESSION = re.compile(
    r"(?:^|[?&;/])(?:phpsessid|jsessionid|aspsessionid\w*|sid|sessid|session_?id|cftoken)=", re.IGNORECASE
)
_HEX, _WORD = b"0123456789abcdefABCDEF", b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-"
_ONE_HEX = bytes.maketrans(_HEX, b"0" * len(_HEX))
_ONE_WORD = bytes.maketrans(_WORD, b"0" * len(_WORD))
_LONG_HEX, _LONG_WORD = b"0" * 16, b"0" * 32


class _Budget:
    """Counts per name in bounded memory: of two generations the older is forgotten when the younger is full.

    `news` are counts to be kept over restarts, by fingerprint: when a name is used up, and each time its count has
    doubled, so that little is written and at most half of a count is lost.
    """

    def __init__(self) -> None:
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}
        self.kept: dict[bytes, int] = {}
        self.news: dict[bytes, int] = {}

    def used(self, name: str) -> int | None:
        """How many were counted; None where memory does not know the name."""
        used = self._young.get(name)
        if used is None:
            used = self._old.pop(name, None)
            if used is None and self.kept:
                used = self.kept.get(fingerprint(name))
            if used is not None:
                self.put(name, used)
        return used

    def take(self, name: str, most: int) -> bool:
        """Count one more, unless there are so many already."""
        used = self._young.get(name)
        if used is None:
            used = self.used(name) or 0
        if used >= most:
            return False
        used += 1
        if used == 1:
            self.put(name, used)
        else:
            self._young[name] = used
        if used == most or (used > FEWEST_KEPT and not used & (used - 1)):
            self._note(fingerprint(name), used)
        return True

    def _note(self, name: bytes, used: int) -> None:
        self.news[name] = used
        if len(self.kept) < MOST_PATTERNS or name in self.kept:
            self.kept[name] = used

    def put(self, name: str, used: int) -> None:
        """Set a count."""
        if len(self._young) >= MOST_PATTERNS:
            self._old, self._young = self._young, {}
        self._young[name] = used


def _has_token(text: bytes) -> bool:
    """Whether something in a text matches `_TOKEN`: told without the regular expression, several times as fast."""
    if len(text) < len(_LONG_HEX):
        return False
    return _LONG_HEX in text.translate(_ONE_HEX) or (
        len(text) >= len(_LONG_WORD) and _LONG_WORD in text.translate(_ONE_WORD)
    )


def _blanked(found: re.Match[bytes]) -> bytes:
    return found[0] if _TITLE.fullmatch(found[0]) else b"@"


def pattern_of(url: str) -> tuple[str, bool]:
    """A URL's pattern, and whether it carries something like a session id."""
    at = url.index("/", 8)
    path, names, session = url[at:].encode(), "", "=" in url and bool(_SESSION.search(url, at))
    if "?" in url:
        path, _, query = path.partition(b"?")
        session = session or _has_token(query)
        names = b"&".join(sorted([pair.partition(b"=")[0] for pair in query.split(b"&")])).decode()
    if _has_token(path):
        before, path = path, _TOKEN.sub(_blanked, path)
        session = session or path != before
    return f"{url[:at]}{path.translate(_BLANKED_DIGITS).decode()}?{names}", session


def trap_rule(configuration: Configuration) -> TrapRule:
    """Refuse what looks like a way into a site without an end."""
    return TrapRule(configuration.traps)


class TrapRule:
    """What is counted outlives changes of settings and, but for a little, restarts."""

    def __init__(self, traps: Traps) -> None:
        self._traps = traps
        self._fewest = max(1, traps.urls_per_pattern // SESSION_SHARE)
        self._plain_path = min(traps.repeated_segment, traps.deepest_path)
        self._patterns, self._hosts, self._sites = _Budget(), _Budget(), _Budget()

    def __call__(self, link: Link) -> str | None:
        """Why a link is refused, or None."""
        return self._shape(link.url) or (None if link.rel == SITEMAP else self._budget(link.url))

    def _shape(self, url: str) -> str | None:
        traps = self._traps
        if len(url) > traps.longest_url:
            return f"trap: URL of {len(url)} characters"
        path, _, query = url.partition("?") if "?" in url else (url, "", "")
        if path.count("/", 8) > self._plain_path:
            segments = [segment for segment in path_of(path).split("/") if segment]
            if len(segments) > traps.deepest_path:
                return f"trap: path of {len(segments)} segments"
            for segment in set(segments):
                if segments.count(segment) > traps.repeated_segment:
                    return f"trap: segment {segment!r} repeated"
        if query and query.count("&") + 1 > traps.most_parameters:
            return f"trap: {query.count('&') + 1} parameters"
        return None

    def _budget(self, url: str) -> str | None:
        traps, sites, patterns, fewest = self._traps, self._sites, self._patterns, self._fewest
        at = url.index("/", 8)
        site = url[:at]
        used = sites.used(site)
        if used is None:
            domain = domain_of(site)
            if not self._hosts.take(domain, traps.hosts_per_domain):
                return f"trap: {traps.hosts_per_domain} hosts of {domain}"
        if used != fewest and sites.take(site, fewest):
            return None
        pattern, session = site + url[at:].encode().translate(_BLANKED_DIGITS).decode() + "?", False
        if "?" in url or "=" in url or patterns.used(pattern) is None:
            pattern, session = pattern_of(url)
        most = fewest if session else traps.urls_per_pattern
        return None if patterns.take(pattern, most) else f"trap: {most} URLs of pattern {pattern}"

    # -- memory ---------------------------------------------------------------------------------

    def take_over(self, before: TrapRule) -> None:
        """Go on with what was counted by other settings."""
        self._patterns, self._hosts, self._sites = before._patterns, before._hosts, before._sites

    def recall(self, kept: Mapping[bytes, int], sites: Iterable[str]) -> None:
        """Go on after a restart: with counts that were kept, and the sites that are known."""
        self._patterns.kept.update(islice(kept.items(), MOST_PATTERNS))
        for site in sites:
            domain = domain_of(site)
            self._hosts.put(domain, (self._hosts.used(domain) or 0) + 1)
            self._sites.put(site, self._fewest)

    def news(self) -> dict[bytes, int]:
        """The counts to be kept since this was asked last."""
        news, self._patterns.news = self._patterns.news, {}
        return news
