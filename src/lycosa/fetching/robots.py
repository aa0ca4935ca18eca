"""robots.txt by RFC 9309: what a site lets us read, how often, and where its sitemaps are.

Patterns are matched by walking through their pieces, never by a regular
expression built from them: a hostile file could choose one that takes for
ever, while walking costs at most one pass over the path per pattern.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from lycosa.records import Record

LARGEST = 500 * 1024
"""Bytes of a robots.txt that are read; RFC 9309 asks for at least this many."""

LONGEST_DELAY = 86_400.0
MOST_SITEMAPS = 1000
_MARK_BYTES = b"\xef\xbb\xbf\xff\xfe"
"""What byte-order marks are made of: servers put them before a file in part, or twice."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_TOKEN = re.compile(r"[A-Za-z0-9_-]+")
_NAMED = re.compile(r"[\s\"'+:]*(?:(\*)(?![^\s\"'])|([A-Za-z0-9_-]+))")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_KEYS = {
    "user-agent": "user-agent", "useragent": "user-agent", "user agent": "user-agent",
    "disallow": "disallow", "dissallow": "disallow", "disalow": "disallow", "dissalow": "disallow",
    "desallow": "disallow", "disallaw": "disallow", "diasllow": "disallow",
    "allow": "allow", "crawl-delay": "crawl-delay", "crawldelay": "crawl-delay", "sitemap": "sitemap",
}  # fmt: skip
"""The lines we understand, with the misspellings that site owners plainly meant."""


class Rule(Record, frozen=True):
    """One Allow or Disallow line: the pieces between its asterisks, and whether `$` ends it."""

    allow: bool
    length: int
    pieces: tuple[str, ...]
    anchored: bool

    def matches(self, path: str) -> bool:
        """Whether a normalised path fits, leftmost piece after leftmost piece."""
        first, *others = self.pieces
        if not path.startswith(first):
            return False
        if not others:
            return not self.anchored or len(path) == len(first)
        last = others.pop() if self.anchored else ""
        at = len(first)
        for piece in others:
            found = path.find(piece, at)
            if found < 0:
                return False
            at = found + len(piece)
        return len(path) - len(last) >= at and path.endswith(last)


class Rules(Record, frozen=True):
    """What one crawler may do at a site. Rules are kept longest first, allowing before forbidding."""

    rules: tuple[Rule, ...] = ()
    crawl_delay: float | None = None

    def allows(self, path_and_query: str) -> bool:
        """The longest matching rule decides, Allow wins a tie, and robots.txt itself is always allowed."""
        if not self.rules or path_and_query == "/robots.txt":
            return True
        path = _escaped(path_and_query).replace("*", "%2A").replace("$", "%24")
        return next((rule.allow for rule in self.rules if rule.matches(path)), True)


ALLOW_ALL = Rules()


class Group(Record, frozen=True):
    """The lines of a robots.txt that speak to certain agents (`*` is everybody else).

    A delay comes with the number of agents named above it, to whom alone it speaks.
    """

    agents: tuple[str, ...]
    rules: tuple[Rule, ...]
    delays: tuple[tuple[int, float], ...]

    def delays_for(self, agent: str) -> Iterator[float]:
        """The delays of an agent that this group names."""
        position = self.agents.index(agent)
        return (delay for named, delay in self.delays if position < named)


class Robots(Record, frozen=True):
    """A robots.txt understood."""

    groups: tuple[Group, ...] = ()
    sitemaps: tuple[str, ...] = ()

    def rules_for(self, agent: str) -> Rules:
        """The merged groups that name this product token, else those for `*`, else no rules at all."""
        named = agent.lower()
        key = named if any(named in group.agents for group in self.groups) else "*"
        mine = [group for group in self.groups if key in group.agents]
        rules = {rule for group in mine for rule in group.rules}
        ordered = sorted(rules, key=lambda rule: (-rule.length, not rule.allow))
        return Rules(tuple(ordered), max((delay for group in mine for delay in group.delays_for(key)), default=None))


def product_token(user_agent: str) -> str:
    """The name by which robots.txt calls the sender of a User-Agent header."""
    token = _TOKEN.match(user_agent.strip())
    return token[0].lower() if token else "*"


def _agent_named(value: str) -> str:
    """Whom a User-agent line speaks to: `*`, a product token in lower case, or '' for nobody.

    Quotes and signs in front are forgiven; but what cannot be read is not taken for `*`, which speaks for everybody.
    """
    named = _NAMED.match(value)
    return "" if named is None else named[1] or named[2].lower()


def parse(body: bytes) -> Robots:
    """What a robots.txt says; lines that make no sense are passed over, whatever bytes they hold."""
    text = _text(body)
    if _is_html(text):
        return Robots()
    reading = _Reading()
    for key, value in _lines(text):
        reading.take(key, value)
    return reading.finished()


class _Reading:
    """The groups read so far. Only Allow and Disallow close the list of agents above them (RFC 9309, 2.2.4)."""

    def __init__(self) -> None:
        self._groups: list[Group] = []
        self._sitemaps: list[str] = []
        self._agents: list[str] = []
        self._rules: list[Rule] = []
        self._delays: list[tuple[int, float]] = []
        self._has_rules = False

    def take(self, key: str, value: str) -> None:
        if key == "sitemap":
            if value and len(self._sitemaps) < MOST_SITEMAPS:
                self._sitemaps.append(value)
        elif key == "crawl-delay":
            delay = _delay(value)
            if delay is not None:
                self._delays.append((len(self._agents), delay))
        elif key == "user-agent":
            if self._has_rules:
                self._close_group()
            self._agents.append(_agent_named(value))
        else:
            self._has_rules = True
            if value:
                self._rules.append(_rule(key == "allow", value))

    def _close_group(self) -> None:
        if self._agents:
            self._groups.append(Group(tuple(self._agents), tuple(self._rules), tuple(self._delays)))
        self._agents, self._rules, self._delays, self._has_rules = [], [], [], False

    def finished(self) -> Robots:
        self._close_group()
        return Robots(tuple(self._groups), tuple(self._sitemaps))


def _text(body: bytes) -> str:
    """The text within the size limit; a line cut by the limit is dropped, since half an Allow allows more."""
    cut = body[:LARGEST]
    if cut.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = cut.decode("utf-16", "replace")
    else:
        cut = cut.lstrip(_MARK_BYTES)
        wide = cut[:16].count(0) >= 4
        text = cut.decode(("utf-16-be" if cut[0] == 0 else "utf-16-le") if wide else "utf-8", "replace")
    if len(body) > LARGEST:
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1]
    return text.lstrip("\ufeff")


def _is_html(text: str) -> bool:
    return text[:256].lstrip("\ufeff \t\r\n").lower().startswith(("<!doctype", "<html", "<head", "<body", "<?xml"))


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """The lines we understand; a forgotten colon is forgiven where only one word follows."""
    for line in _LINE_END.split(text):
        plain = line.partition("#")[0]
        key, colon, value = plain.partition(":")
        if not colon:
            key, _, value = plain.strip().partition(" ")
            if not value or " " in value.strip():
                continue
        known = _KEYS.get(key.strip().lower())
        if known:
            yield known, value.strip()


def _rule(allow: bool, value: str) -> Rule:
    anchored = value.endswith("$")
    pattern = _escaped(value.removesuffix("$")).replace("$", "%24")
    if not pattern.startswith(("/", "*")):
        pattern = "/" + pattern
    return Rule(allow, len(pattern) + anchored, tuple(pattern.split("*")), anchored)


def _escaped(path: str) -> str:
    """One spelling for a path: unreserved characters plain, all others outside ASCII as upper-case escapes."""
    if not path.isascii():
        path = "".join(char if char.isascii() else _escape(char) for char in path)
    return _ESCAPE.sub(_plain_escape, path) if "%" in path else path


def _escape(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace"))


def _plain_escape(match: re.Match[str]) -> str:
    char = chr(int(match[0][1:], 16))
    return char if char in _UNRESERVED else match[0].upper()


def _delay(value: str) -> float | None:
    """Seconds between requests; what is no positive number says nothing, and no site may stop a crawl for ever."""
    try:
        seconds = float(value)
    except ValueError:
        return None
    return min(seconds, LONGEST_DELAY) if seconds > 0 and not math.isnan(seconds) else None
