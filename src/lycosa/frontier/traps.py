"""Guards against sites without an end: calendars, facets, growing paths, session ids, mazes, farms of subdomains.

A URL's *pattern* is its site and path with digits and tokens blanked, plus the
names of its parameters. A site, and a pattern, may bring so many pages without
new text, and `GROWTH` more for each page with new text (`site_yield.py`): what is
worth it is never cut off, and what repeats itself soon is. Then its waiting links
are refused when their turn comes, and further ones at once. A site whose links
all lead to pages nobody has met shows no end: it gets its share of the agent's
time, but a small one while other sites have links. Memory is bounded: the oldest
names are forgotten, though not the counts of those that brought many.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from secrets import token_bytes

from lycosa.configuration.sections import Configuration, Traps
from lycosa.frontier.site_yield import CALM, ONE_OF, SiteYield, is_sampled
from lycosa.records import SITEMAP, Fetched, Link, Page, Visit
from lycosa.urls import domain_of, fingerprint, path_of

MOST_PATTERNS = 200_000
FEWEST_KEPT = 15
"""Smaller counts are not worth keeping."""
SESSION_SHARE, LEAST_SHARE = 10, 50
"""Patterns with a session id get this fraction of the budget to begin with, but enough to see what they bring."""
GROWTH = 3
"""Pages that each page with new text adds to a budget."""
MOST_SITES = 50_000
"""Sites of which it is remembered what they brought; the oldest are forgotten."""
MOST_SPENT = 1000
"""Patterns of a site of which it is remembered that they are spent."""
SHARE = 16
"""A site that shows no end gets one of so many requests while there are other sites."""

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

    `news` are counts to be kept over restarts, by fingerprint: each time a count has doubled, so that little is
    written and at most half of a count is lost, and when it will grow no more.
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

    def add(self, name: str, number: int = 1) -> int:
        """Count some more; returns how many there are now."""
        before = self.used(name) or 0
        used = before + number
        self.put(name, used)
        if used > FEWEST_KEPT and used.bit_length() > before.bit_length():
            self._note(fingerprint(name), used)
        return used

    def use_up(self, name: str) -> None:
        """Keep a count as it is: it will not grow any more."""
        self._note(fingerprint(name), self.used(name) or 0)

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
        self._traps, self._key = traps, token_bytes(16)
        first = traps.urls_per_pattern
        self._fewest = min(first, max(LEAST_SHARE, first // SESSION_SHARE))
        self._calm = min(CALM, traps.urls_per_pattern // 4)
        self._plain_path = min(traps.repeated_segment, traps.deepest_path)
        self._counts, self._hosts, self._sites = _Budget(), _Budget(), _Budget()
        self._yields: dict[str, SiteYield] = {}

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
        site = url[: url.index("/", 8)]
        if self._sites.used(site) is None and (why := self._meet(site)):
            return why
        found = self._yields.get(site)
        if found is None:
            return None
        if why := _spent(found, url):
            return why
        if found.is_doubted:
            found.unsure += 1
            if found.unsure > self._traps.urls_per_pattern:
                return f"trap: {found.new} of {found.sampled} pages of {site} that were looked at had new text"
        return None

    def _meet(self, site: str) -> str | None:
        domain, most = domain_of(site), self._traps.hosts_per_domain
        if (self._hosts.used(domain) or 0) >= most:
            return f"trap: {most} hosts of {domain}"
        self._hosts.add(domain)
        self._sites.put(site, 1)
        return None

    # -- what pages brought -----------------------------------------------------------------------

    def spent(self, link: Link) -> str | None:
        """Why a link that waits is not worth its turn any more, or None."""
        if link.rel == SITEMAP:
            return None
        found = self._yields.get(link.url[: link.url.index("/", 8)])
        return None if found is None else _spent(found, link.url) or None

    def learn(self, visits: Sequence[Visit], is_known: Callable[[str], bool]) -> None:
        """Count what pages brought that were fetched; their links are not let in yet."""
        for visit in visits:
            if visit.page is not None and visit.link.rel != SITEMAP and isinstance(visit.outcome, Fetched):
                self._learn(visit.link.url, visit.page, is_known)

    def _learn(self, url: str, page: Page, is_known: Callable[[str], bool]) -> None:
        if not is_sampled(url, self._key):
            return
        site = url[: url.index("/", 8)]
        pages = self._counts.add(f"pages {site}", ONE_OF)
        if pages <= self._calm:
            return
        found = self._yields.get(site) or self._yield_of(site)
        new = ONE_OF * found.brings_new_text(page)
        found.note_links(site, page, is_known)
        first = self._traps.urls_per_pattern
        found.spent = found.spent or self._over(site, f"site {site}", pages, new, first)
        pattern, session = pattern_of(url)
        number = self._counts.add(f"pages {pattern}", ONE_OF)
        why = self._over(pattern, f"pattern {pattern}", number, new, self._fewest if session else first)
        if why and len(found.patterns) < MOST_SPENT:
            found.patterns[pattern] = why

    def _yield_of(self, site: str) -> SiteYield:
        if len(self._yields) >= MOST_SITES:
            del self._yields[next(iter(self._yields))]
        found = self._yields[site] = SiteYield()
        return found

    def _over(self, name: str, called: str, pages: int, new: int, first: int) -> str:
        """Why nothing more is fetched of what has a budget, or ''."""
        counts = self._counts
        texts = counts.add(f"new {name}", new) if new else counts.used(f"new {name}") or 0
        if pages < first + GROWTH * texts:
            return ""
        counts.use_up(f"pages {name}")
        counts.use_up(f"new {name}")
        return f"trap: of about {pages} pages of {called} some {texts} had new text"

    def holds_back(self, site: str, requests: int) -> bool:
        """Whether a site has to wait for others, after so many requests; if not, it is its turn now."""
        found = self._yields.get(site)
        if found is None or not found.shows_no_end:
            return False
        if requests < found.turn:
            return True
        found.turn = requests + SHARE
        return False

    # -- memory ---------------------------------------------------------------------------------

    def take_over(self, before: TrapRule) -> None:
        """Go on with what was counted by other settings."""
        self._counts, self._hosts, self._sites = before._counts, before._hosts, before._sites
        self._yields = before._yields

    def recall(self, kept: Mapping[bytes, int], sites: Iterable[str]) -> None:
        """Go on after a restart: with counts that were kept, and the sites that are known."""
        self._counts.kept.update(islice(kept.items(), MOST_PATTERNS))
        for site in sites:
            self._hosts.add(domain_of(site))
            self._sites.put(site, 1)

    def news(self) -> dict[bytes, int]:
        """The counts to be kept since this was asked last."""
        news, self._counts.news = self._counts.news, {}
        return news


def _spent(found: SiteYield, url: str) -> str:
    return found.spent or (found.patterns.get(pattern_of(url)[0], "") if found.patterns else "")
