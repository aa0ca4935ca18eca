"""How the hosts of a simulated web answer: pages with validators, errors, notices, private pages and traps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import formatdate, parsedate_to_datetime
from random import Random

from lycosa.lab.simulated_web.changes import Change, Changes
from lycosa.lab.simulated_web.link_map import Place, WebMap
from lycosa.lab.simulated_web.page_text import TEMPLATES, page_html, plain_html, sentences, wording
from lycosa.lab.simulated_web.robots_and_sitemaps import (
    SITEMAP_URLS,
    Manners,
    manners,
    robots_txt,
    sitemap,
    sitemap_files,
    sitemap_index,
)
from lycosa.lab.simulated_web.signposts import Signposts
from lycosa.lab.simulated_web.traps import TRAPS
from lycosa.lab.simulated_web.vocabulary import phrase_table
from lycosa.records import Response

ERROR_KINDS = ("gone", "flaky", "moved", "soft-404")
PAGES_PER_PRIVATE = 7
"""Every so many pages of a host with secrets links to one."""

_ERROR = re.compile(r"/archive/([0-9]{1,9})\.html")
_PRIVATE = re.compile(r"/private/([0-9]{1,9})")
_SITEMAP = re.compile(r"/sitemap-([0-9]{1,6})\.xml")
_HTML = "text/html; charset=utf-8"


class Answers:
    """The answer to every request, as a function of the URL, the time and the attempt."""

    def __init__(self, web: WebMap, changes: Changes) -> None:
        self._map = web
        self._changes = changes
        settings = web.settings
        self.signposts = Signposts(web) if settings.signposts else None
        order = sorted(range(settings.hosts), key=lambda host: web.draw(b"trap", host)) if settings.traps else []
        self.traps = {host: TRAPS[turn % len(TRAPS)] for turn, host in enumerate(order[: settings.traps])}

    def respond(self, url: str, now: float, attempt: int, headers: Mapping[str, str]) -> Response:
        """The answer to a GET."""
        host, path = self._where(url)
        if host is None:
            return _answer(url, now, 404, b"no such host\n", "text/plain")
        place = self._map.find(host, path)
        if place is not None:
            return self._page(place, now, headers)
        match self.kind(url):
            case "notice":
                return self._notice(url, host, path, now)
            case "private" | "trap" as kind:
                return _answer(
                    url, now, 200, self._private(host, path) if kind == "private" else self._trap(host, path)
                )
            case kind:
                return self._error(url, host, kind, now, attempt)

    def kind(self, url: str) -> str:
        """What a URL that is no page is."""
        host, path = self._where(url)
        if host is None:
            return "nothing"
        if path == "/robots.txt" or self._sitemap_file(host, path) is not None:
            return "notice"
        if (error := _ERROR.fullmatch(path)) and int(error[1]) < self.errors(host):
            return ERROR_KINDS[self._map.draw(b"error", host, int(error[1])) % len(ERROR_KINDS)]
        if (private := _PRIVATE.fullmatch(path)) and int(private[1]) < self.privates(host):
            return "private"
        if host in self.traps and self.traps[host].page(path, self._map.draw):
            return "trap"
        return "nothing"

    def manners(self, host: int) -> Manners:
        """What a host asks of crawlers."""
        return manners(self._map.draw(b"manners", host))

    def errors(self, host: int) -> int:
        """How many links of a host lead to no page."""
        return round(self._map.linked[host] * self._map.settings.errors)

    def privates(self, host: int) -> int:
        """How many private pages a host has."""
        return -(-self._map.linked[host] // PAGES_PER_PRIVATE) if self.manners(host).private else 0

    def error_urls(self) -> list[str]:
        """All links that lead to no page."""
        hosts = range(self._map.settings.hosts)
        return [f"{self._map.site(host)}/archive/{k}.html" for host in hosts for k in range(self.errors(host))]

    def private_urls(self) -> list[str]:
        """All private pages."""
        hosts = range(self._map.settings.hosts)
        return [f"{self._map.site(host)}/private/{k}" for host in hosts for k in range(self.privates(host))]

    def _where(self, url: str) -> tuple[int | None, str]:
        cut = url.find("/", 8)
        return (self._map.host_of(url[:cut]), url[cut:]) if cut > 0 else (None, "")

    def _page(self, place: Place, now: float, headers: Mapping[str, str]) -> Response:
        change = self._changes.last(place.key, now)
        etag = self._etag(place, change.version)
        validators = (("ETag", etag), ("Last-Modified", formatdate(int(change.at), usegmt=True)))
        if _is_current(headers, etag, change):
            return Response(place.url, 304, validators, began=now)
        settings = self._map.settings
        body = page_html(
            place,
            self._map.links(place),
            wording(place, self._map.topics, settings.size, settings.links),
            change.version,
            self._template(place.host),
            self._extras(place),
            self.signposts,
        )
        return _answer(place.url, now, 200, body, more=validators)

    def _etag(self, place: Place, version: int) -> str:
        """A page's entity tag: other signposts make other bytes of the same page."""
        signposts = self._map.settings.signposts
        name = b"etag %d" % signposts if signposts else b"etag"
        return f'"{self._map.draw(name, place.host, place.number) & 0xFFFFFFFF:08x}-{version}"'

    def _template(self, host: int) -> int:
        return self._map.draw(b"template", host) % len(TEMPLATES)

    def _extras(self, place: Place) -> list[tuple[str, str]]:
        """Links of a page that lead to no page: each error URL is linked once."""
        host, number = place.host, place.number
        linked, errors = self._map.linked[host], self.errors(host)
        found = []
        if number < linked:
            kth = -(-number * errors // linked)
            if kth < errors and kth * linked // errors == number:
                found.append((f"/archive/{kth}.html", "From the archive"))
            if number % PAGES_PER_PRIVATE == 0 and self.manners(host).private:
                found.append((f"/private/{number // PAGES_PER_PRIVATE}", "For members"))
        if host in self.traps and number % 3 == 0:
            found.append(self.traps[host].entrance)
        return found

    def _notice(self, url: str, host: int, path: str, now: float) -> Response:
        if path == "/robots.txt":
            wishes = self.manners(host)
            if wishes.silent:
                return _answer(url, now, 404, b"not found\n", "text/plain")
            return _answer(url, now, 200, robots_txt(self._map.site(host), wishes), "text/plain")
        file = self._sitemap_file(host, path)
        if file is None or file < 0:
            return _answer(url, now, 200, sitemap_index(self._map, host), "application/xml")
        numbers = range(file * SITEMAP_URLS, min((file + 1) * SITEMAP_URLS, self._map.sizes[host]))
        places = (self._map.place(host, number) for number in numbers)
        return _answer(url, now, 200, sitemap((one.url, self._lastmod(one, now)) for one in places), "application/xml")

    def _sitemap_file(self, host: int, path: str) -> int | None:
        """Which sitemap file a path is: -1 for an index of them, None for none."""
        files = sitemap_files(self._map.sizes[host])
        if path == "/sitemap.xml":
            return -1 if files > 1 else 0
        match = _SITEMAP.fullmatch(path)
        return int(match[1]) if match and files > 1 and int(match[1]) < files else None

    def _lastmod(self, place: Place, now: float) -> float | None:
        match self._map.settings.lastmod:
            case "never":
                return None
            case "now":
                return now
            case _:
                return self._changes.last(place.key, now).at

    def _private(self, host: int, path: str) -> bytes:
        return self._plain(host, path, "For members only", [])

    def _trap(self, host: int, path: str) -> bytes:
        page = self.traps[host].page(path, self._map.draw)
        return self._plain(host, page.title, page.title, page.links) if page else b""

    def _plain(self, host: int, about: str, title: str, links: list[tuple[str, str]]) -> bytes:
        """A page in the host's looks; what it says follows from what it is about, so a trap repeats itself."""
        table = phrase_table(self._map.topics[self._map.main_topic(host)], 0)
        rng = Random(self._map.draw(b"plain " + about.encode(), host))
        return plain_html(title, self._map.menu(host), sentences(rng, table, 80, ()), links, self._template(host))

    def _error(self, url: str, host: int, kind: str, now: float, attempt: int) -> Response:
        match kind:
            case "moved":
                target = self._map.any_linked(self._map.draw(b"moved " + url.encode(), host))
                return _answer(url, now, 301, b"moved\n", "text/plain", (("Location", target.url),))
            case "flaky" if attempt > 1:
                return _answer(url, now, 200, self._plain(host, url, "Back again", []))
            case "flaky":
                return _answer(url, now, 500, b"please try again\n", "text/plain")
            case "soft-404":
                text = ["Sorry, the page that you were looking for could not be found.", "It may have been removed."]
                return _answer(
                    url, now, 200, plain_html("Not found", self._map.menu(host), text, [], self._template(host))
                )
            case _:
                return _answer(url, now, 404, b"<html><title>404</title><h1>Not found</h1></html>\n")


def _answer(
    url: str, now: float, status: int, body: bytes, kind: str = _HTML, more: tuple[tuple[str, str], ...] = ()
) -> Response:
    return Response(url, status, (("Content-Type", kind), *more), body, body, began=now)


def _is_current(headers: Mapping[str, str], etag: str, change: Change) -> bool:
    """Whether the copy the client has is the one it would get; an entity tag outweighs a date (RFC 9110)."""
    if offered := headers.get("if-none-match"):
        return offered.strip() == "*" or etag in [one.strip().removeprefix("W/") for one in offered.split(",")]
    try:
        since = parsedate_to_datetime(headers.get("if-modified-since", ""))
    except ValueError:
        return False
    return int(change.at) <= (since if since.tzinfo else since.replace(tzinfo=UTC)).timestamp()
