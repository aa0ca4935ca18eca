"""What was asked for: which requests are for pages of the site, and the URL that the crawler calls them by."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from itertools import pairwise

from lycosa.clickstream.server_logs.parsing.entries import unescaped
from lycosa.configuration.settings import ConfigurationError
from lycosa.urls import host_of, normalise, site_of

_ASSET_NAMES = """
avif avi bmp br bz2 cab class css cur deb dmg eot exe flac flv gif gz ico iso jar jpeg jpg js json less m3u8 m4a m4v map
mid mjs mkv mov mp3 mp4 mpeg mpg msi ogg ogv opus otf pkg png rar rpm scss svg svgz swf tar tgz tif tiff ttf wasm wav
webm webmanifest webp whl wma wmv woff woff2 xml xpi xsl xz zip zst 7z atom rss rdf bin
"""
_ASSETS = frozenset(_ASSET_NAMES.split())
_MONITORED_PATHS = """
/server-status /server-info /nginx_status /stub_status /basic_status /healthz /health /livez /readyz /ping /metrics
/-/healthy /-/ready /fpm-status
"""
_MONITORED = frozenset(_MONITORED_PATHS.split())
_LOG_IN_NAMES = """
login log-in log_in logon signin sign-in sign_in logout log-out log_out logoff signout sign-out sign_out wp-login
"""
_LOG_INS = frozenset(_LOG_IN_NAMES.split())
_FEEDS = frozenset(["feed", "feeds", "rss", "rss2", "atom", "rdf"])
_FEED_PARAMETERS = frozenset(["feed", "flav", "flavor", "flavour", "format", "type", "output", "alt"])
_FEED_VALUES = frozenset(["feed", "rss", "rss2", "rss20", "rss-2.0", "atom", "atom10", "rdf"])
_APIS = frozenset(["api", "wp-json", "graphql", "xmlrpc", "ajax", "wp-cron", "admin-ajax", "jsonrpc", "xml-rpc"])
_VERSION = re.compile(r"v?\d+(\.\d+)?")
_DOCUMENTS = frozenset(["html", "htm", "xhtml", "md", "txt", "pdf"])
_SCRIPTS = frozenset(["php", "asp", "aspx", "jsp", "do", "cgi", "pl", "cfm"])
_ABSOLUTE = re.compile(rb"https?://[^/?#]*", re.IGNORECASE)
MOST_REFERRER = 500


class Asked(IntEnum):
    """What a request was for, where it was not for a page."""

    ASSET = -1
    ROBOTS_TXT = -2
    MONITORING = -3
    BAD_URL = -4
    FOREIGN = -5
    FEED = -6
    LOG_IN = -7
    API = -8


NAMES = {
    Asked.ASSET: "asset", Asked.MONITORING: "monitoring", Asked.BAD_URL: "bad-url", Asked.FOREIGN: "foreign-site",
    Asked.FEED: "feed", Asked.LOG_IN: "log-in", Asked.API: "api",
}  # fmt: skip


class LogSite:
    """The site that a log is of. A log may be of several hosts: each line then says which."""

    def __init__(self, told: str, *, by_host: bool = False) -> None:
        url = normalise(told if "://" in told else f"http://{told}")
        if url is None or not told.strip() or not _is_bare(url):
            raise ConfigurationError(f"{told!r} is no site; write it like example.org or https://example.org")
        self.site = site_of(url)
        self.scheme = self.site.partition("://")[0]
        self.name = host_of(self.site)
        self.by_host = by_host
        authority = self.site.partition("://")[2]
        self._own = {authority, "www." + authority, authority.removeprefix("www.")}
        self._site = lru_cache(maxsize=4096)(self._site_of)

    def page(self, host: bytes, target: bytes) -> str | Asked:
        """The URL of the page that was asked for, or what was asked for instead."""
        absolute = _ABSOLUTE.match(target)
        path = unescaped(target[absolute.end() :] if absolute else target)
        site = self._site(host)
        if site is None:
            return Asked.FOREIGN
        if absolute and not path.startswith(b"/"):
            path = b"/" + path
        if not path.startswith(b"/"):
            return Asked.BAD_URL
        written, _, query = path.partition(b"#")[0].decode("latin-1").partition("?")
        bare = written.lower()
        if bare == "/robots.txt":
            return Asked.ROBOTS_TXT
        if bare in _MONITORED:
            return Asked.MONITORING
        name = bare.rpartition("/")[2]
        if ("." in name and name.rpartition(".")[2] in _ASSETS) or bare.startswith("/.well-known/"):
            return Asked.ASSET
        return _not_read(written, query.lower()) or normalise(site + _text(path)) or Asked.BAD_URL

    def _site_of(self, host: bytes) -> str | None:
        """The site of a line: with a host in it, that host's, if it belongs to the site."""
        if not self.by_host or host in (b"", b"-"):
            return self.site
        named = normalise(f"{self.scheme}://{_text(host).lower().removesuffix(':80').removesuffix(':443')}")
        if named is None:
            return None
        name = site_of(named).partition("://")[2]
        return site_of(named) if name in self._own or host_of(site_of(named)).endswith("." + self.name) else None

    def referrer(self, text: bytes) -> str:
        """Where a visitor came from, without query and fragment; empty for nowhere and for the site itself."""
        if text in (b"", b"-") or len(text) > MOST_REFERRER * 4:
            return ""
        found = normalise(_text(unescaped(text)).partition("#")[0].partition("?")[0])
        if found is None or len(found) > MOST_REFERRER or site_of(found).partition("://")[2] in self._own:
            return ""
        return found


def _not_read(path: str, query: str) -> Asked | None:
    """What a path asks for, be it a feed, a log-in or an API. A feed's name is in lower case: /wiki/RSS is a page."""
    *folders, written = [part for part in path.split("/") if part] or [""]
    last = written.lower()
    name, _, ending = last.rpartition(".")
    name = name if ending in _SCRIPTS else last
    if name in _LOG_INS or (folders[-1:] in (["session"], ["sessions"]) and name == "new"):
        return Asked.LOG_IN
    if written in _FEEDS or any(map(_is_feed, query.split("&") if query else ())):
        return Asked.FEED
    return Asked.API if ending not in _DOCUMENTS and _is_api([*map(str.lower, folders), name]) else None


def _is_feed(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name in _FEED_PARAMETERS and (value in _FEED_VALUES or parameter == "feed")


def _is_api(parts: list[str]) -> bool:
    """Whether a path is an API's; /docs/api/intro is about one."""
    if parts[0] in _APIS or parts[-1] in _APIS - {"api"}:
        return True
    return any(part in ("api", "rest") and _VERSION.fullmatch(after) for part, after in pairwise(parts))


def _is_bare(url: str) -> bool:
    return url.count("/") == 3 and url.endswith("/") and "?" not in url


def _text(path: bytes) -> str:
    """Bytes of a request as text: UTF-8, and where it is none, each byte as it would be written in a URL."""
    try:
        return path.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 128 else f"%{byte:02X}" for byte in path)
