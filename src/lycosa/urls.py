"""URLs: one spelling per resource, and who a URL belongs to.

`normalise` parses by the WHATWG URL standard and then applies the exact steps
of M1; doing it twice changes nothing. Most links of real pages are plain, so a
regular expression recognises those whose normal form is known without parsing,
and the standard's parser (ada) decides all the odd ones. Nothing here asks the
network: a name is only text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import ada_url
import xxhash
from publicsuffixlist import PublicSuffixList

LONGEST = 8192
"""URLs beyond this many characters are no links but attacks; they have no normal form."""

_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_LABEL = r"(?!xn--)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_HOST = rf"(?:(?:{_LABEL}\.)*(?!xn--|0x)[a-z](?:[a-z0-9-]*[a-z0-9])?|(?:{_OCTET}\.){{3}}{_OCTET})"
_PORT = r"(?::(?!(?:80|443)(?![0-9]))(?:[1-5]\d{4}|[1-9]\d{0,3}))?"
_SEGMENT = r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*"
_PATH = rf"/(?:{_SEGMENT}/)*(?:{_SEGMENT})?"
_TRACKER = r"(?:utm_\w+|gclid|gclsrc|dclid|fbclid|msclkid|yclid|mc_cid|mc_eid|igshid|_hsenc|_hsmi|wbraid|gbraid)"
_QUERY = rf"(?:\?(?!(?:[^&]*&)*{_TRACKER}(?:=|&|$))[A-Za-z0-9._~=&+,;:/-]+)?"
_PLAIN_FILE = re.compile(_SEGMENT + _QUERY)
_PLAIN_URL = re.compile(rf"https?://{_HOST}{_PORT}{_PATH}{_QUERY}")
_TRACKING = re.compile(_TRACKER)
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_NUMBERED = re.compile(r"&%23(\d+);")
_IN_QUERY = [chr(code) if 32 < code < 127 and code not in b"\"#<>'" else f"%{code:02X}" for code in range(256)]
"""How the WHATWG URL standard writes each byte of a query."""
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_REFUSED_SCHEME = re.compile(r"\s*(?!https?:)[A-Za-z][A-Za-z0-9+.-]*:", re.IGNORECASE)


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def normalise(url: str, *, drop_tracking: bool = True) -> str | None:
    """The normal form of an absolute URL (M1), or None where it is not an http(s) URL."""
    if len(url) > LONGEST:
        return None
    return url if is_plain(url) else _normalise_odd(url, drop_tracking)


def is_plain(url: str) -> bool:
    """Whether a URL is known at a glance to be its own normal form, whatever becomes of tracking parameters."""
    return _PLAIN_URL.fullmatch(url) is not None


remembered: dict[str, str] = {}
"""Plain absolute URLs met lately: the links of a site's pages are mostly the same ones."""
MOST_REMEMBERED = 100_000


def resolve(base: str, hrefs: Iterable[str], *, drop_tracking: bool = True, codec: str = "") -> list[str | None]:
    """The normal forms of a page's links, in order; None for what leads nowhere a crawler can go.

    `base` must be in normal form; `codec` is what the page's queries are written in where that is not UTF-8.
    """
    origin = site_of(base)
    folder = folder_of(base)
    known, plain_file = remembered.get, _PLAIN_FILE.fullmatch
    found: list[str | None] = []
    for href in hrefs:
        if "#" in href:
            href = href.partition("#")[0]
        if href[:1] == "/" and href[1:2] != "/":
            absolute = origin + href
        elif href[:3] == "../" and len(href) <= LONGEST:
            absolute = _climbed(folder, origin, href)
        else:
            absolute = href
        url = known(absolute)
        if url is None:
            if plain_file(href):
                url = folder + href if len(folder) + len(href) <= LONGEST else None
            else:
                url = _plain(absolute) or _resolve_odd(base, href, drop_tracking, codec)
        found.append(url)
    return found


def folder_of(url: str) -> str:
    """The folder of a URL in normal form, from which its links to files are seen."""
    return url.partition("?")[0].rpartition("/")[0] + "/"


def _climbed(folder: str, origin: str, href: str) -> str:
    """A link that begins with steps up, seen from the root of its site."""
    while href.startswith("../"):
        href = href[3:]
        folder = folder[: folder.rindex("/", 0, -1) + 1] if len(folder) > len(origin) + 1 else folder
    return folder + href


def _plain(absolute: str) -> str | None:
    """A URL that is its own normal form, remembered."""
    if len(absolute) > LONGEST or not is_plain(absolute):
        return None
    if len(remembered) >= MOST_REMEMBERED:
        remembered.clear()
    remembered[absolute] = absolute
    return absolute


def _resolve_odd(base: str, href: str, drop_tracking: bool, codec: str) -> str | None:
    if len(href) > LONGEST or _REFUSED_SCHEME.match(href):
        return None
    if codec and not href.isascii():
        path, mark, query = href.partition("?")
        href = path + mark + _FOREIGN.sub(lambda found: _escaped(found[0], codec), query)
    try:
        return _normalise_odd(ada_url.join_url(base, href), drop_tracking)
    except ValueError:
        return None


def _escaped(letters: str, codec: str) -> str:
    """Letters of a query as a browser sends them in the charset of their page; those it has not go by their number."""
    written = letters.encode(codec, "xmlcharrefreplace")
    return _NUMBERED.sub(r"%26%23\1%3B", "".join(map(_IN_QUERY.__getitem__, written)))


def _normalise_odd(url: str, drop_tracking: bool) -> str | None:
    """Steps are repeated until they change nothing: an escape may hide another one."""
    for _ in range(5):
        again = _normalise_once(url, drop_tracking)
        if again is None or again == url:
            return again
        url = again
    return None


def _normalise_once(url: str, drop_tracking: bool) -> str | None:
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return None
    if parsed.protocol not in ("http:", "https:") or not parsed.hostname:
        return None
    path = _ESCAPE.sub(_plain_escape, parsed.pathname)
    query = _ESCAPE.sub(_plain_escape, parsed.search)
    if drop_tracking and query:
        query = _without_tracking(query)
    normal = f"{parsed.protocol}//{parsed.host}{path}{query}"
    return normal if len(normal) <= LONGEST else None


def one_spelling(text: str) -> str:
    """Text of a path or query with its escapes as normal forms have them: in capitals, and none for plain letters."""
    return _ESCAPE.sub(_plain_escape, text)


def _plain_escape(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return chr(code) if code in _UNRESERVED else match[0].upper()


def _without_tracking(query: str) -> str:
    pairs = query[1:].split("&")
    kept = [pair for pair in pairs if not _TRACKING.fullmatch(pair.partition("=")[0])]
    if len(kept) == len(pairs):
        return query
    return "?" + "&".join(kept) if kept else ""


def site_of(url: str) -> str:
    """The site of a normalised URL: scheme, host and port, such as `https://example.org`.

    Queues, delays and robots.txt are per site; who owns it is decided by its `domain_of`.
    """
    return url[: url.index("/", 8)]


def path_of(url: str) -> str:
    """Path and query of a normalised URL."""
    return url[url.index("/", 8) :]


def host_of(site: str) -> str:
    """The host of a site, without scheme and port; IPv6 keeps its brackets."""
    authority = site.partition("://")[2]
    head, colon, tail = authority.rpartition(":")
    return head if colon and tail.isdigit() else authority


@lru_cache(maxsize=65_536)
def domain_of(site: str) -> str:
    """The registrable domain of a site by the public suffix list; addresses and bare suffixes stand for themselves."""
    host = host_of(site).rstrip(".")
    if host.startswith("[") or host.rpartition(".")[2].isdigit():
        return host
    return _suffixes().privatesuffix(host) or host


def fingerprint(url: str) -> bytes:
    """Eight bytes that stand for a URL within its site."""
    return xxhash.xxh3_64_digest(url.encode())
