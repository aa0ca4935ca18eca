"""What was asked for: which requests are for pages of the site, and the URL that the crawler calls them by."""

from __future__ import annotations

import re
from enum import IntEnum

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
_ABSOLUTE = re.compile(rb"https?://[^/?#]*", re.IGNORECASE)
MOST_REFERRER = 500


class Asked(IntEnum):
    """What a request was for, where it was not for a page."""

    ASSET = -1
    ROBOTS_TXT = -2
    MONITORING = -3
    BAD_URL = -4
    FOREIGN = -5


NAMES = {Asked.ASSET: "asset", Asked.MONITORING: "monitoring", Asked.BAD_URL: "bad-url", Asked.FOREIGN: "foreign-site"}


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
        bare = path.partition(b"?")[0].partition(b"#")[0].decode("latin-1").lower()
        if bare == "/robots.txt":
            return Asked.ROBOTS_TXT
        if bare in _MONITORED:
            return Asked.MONITORING
        name = bare.rpartition("/")[2]
        if ("." in name and name.rpartition(".")[2] in _ASSETS) or bare.startswith("/.well-known/"):
            return Asked.ASSET
        return normalise(site + _text(path)) or Asked.BAD_URL

    def _site(self, host: bytes) -> str | None:
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


def _is_bare(url: str) -> bool:
    return url.count("/") == 3 and url.endswith("/") and "?" not in url


def _text(path: bytes) -> str:
    """Bytes of a request as text: UTF-8, and where it is none, each byte as it would be written in a URL."""
    try:
        return path.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 128 else f"%{byte:02X}" for byte in path)
