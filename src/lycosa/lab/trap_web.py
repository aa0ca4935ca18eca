"""Honest sites beside sites without an end: a web that is a function of the URL, for tests and measurements.

Two honest sites, one with 50 000 pages and one whose 5 000 addresses are UUIDs, six traps that repeat or shuffle their
words, and three that write new sentences in the honest sites' vocabulary. Only the addresses know which is which.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable
from functools import lru_cache
from uuid import UUID

from lycosa.plugins.plug_points import AT_ONCE, Known, Turns
from lycosa.records import Failed, Fetched, Link, Outcome, Response, SiteOpened

_SYLLABLES = tuple(f"{consonant}{vowel}" for consonant in "bcdfghklmnprstv" for vowel in "aeiou")
_HTML = (("Content-Type", "text/html; charset=utf-8"),)
_UUID = re.compile(r"/items/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})")
LARGE, BY_UUID = "https://large.example", "https://uuid.example"
HONEST = (LARGE, BY_UUID)
PER_LIST = 50


def _word(number: int) -> str:
    first, rest = number % len(_SYLLABLES), number // len(_SYLLABLES)
    return _SYLLABLES[first] + _SYLLABLES[rest % len(_SYLLABLES)] + _SYLLABLES[rest // len(_SYLLABLES)]


@lru_cache(maxsize=1)
def vocabulary() -> tuple[str, ...]:
    """The words of all sites."""
    return tuple(_word(number) for number in range(6000))


def _drawn(name: str) -> random.Random:
    return random.Random(zlib.crc32(name.encode()))


def sentences(name: str, words: int = 150) -> str:
    """New sentences: the same for the same name, and no others like them."""
    drawn = _drawn(name).choices(vocabulary(), k=words)
    return ". ".join(" ".join(drawn[at : at + 12]).capitalize() for at in range(0, words, 12)) + "."


def _page(title: str, text: str, paths: list[str]) -> str:
    menu = '<nav><a href="/">Home</a> <a href="/about">About</a> <a href="/help">Help</a></nav>'
    links = "".join(f'<li><a href="{path}">see {path[-12:]}</a></li>' for path in paths)
    return (
        f"<html><head><title>{title}</title></head><body>{menu}<main><p>{text}</p></main><ul>{links}</ul></body></html>"
    )


# -- honest sites -------------------------------------------------------------------------------


class HonestSite:
    """So many pages, found by lists of fifty; each names its neighbours and some pages like it."""

    def __init__(self, name: str, pages: int, address: Callable[[int], str], number_of: Callable[[str], int]) -> None:
        self.name, self.pages = name, pages
        self._address, self._number_of = address, number_of

    def answer(self, path: str) -> str | None:
        """The page at a path."""
        if path in ("/", "/about", "/help"):
            return _page(f"{self.name}{path}", sentences(self.name + path), ["/list/0"])
        if path.startswith("/list/"):
            at = int(path[6:]) if path[6:].isdigit() else self.pages
            begin = at * PER_LIST
            if begin >= self.pages:
                return None
            listed = [self._address(number) for number in range(begin, min(begin + PER_LIST, self.pages))]
            more = [f"/list/{at + 1}"] if begin + PER_LIST < self.pages else []
            return _page(f"List {at}", sentences(self.name + path, 40), [*listed, *more])
        number = self._number_of(path)
        if not 0 <= number < self.pages:
            return None
        alike = [_drawn(path).randrange(self.pages) for _ in range(4)]
        near = [self._address(other % self.pages) for other in (number - 1, number + 1, *alike)]
        return _page(f"Item {number}", sentences(self.name + path), [*near, f"/list/{number // PER_LIST}"])


def large_site(pages: int = 50_000) -> HonestSite:
    """Pages with numbers for addresses."""
    return HonestSite(LARGE, pages, "/page/{}".format, lambda path: int(path[6:]) if path[6:].isdigit() else -1)


def uuid_site(pages: int = 5000) -> HonestSite:
    """Pages with UUIDs for addresses, from which their numbers follow."""
    key = 0x5DEECE66D5DEECE66D5DEECE66D5DEEC

    def number_of(path: str) -> int:
        match = _UUID.fullmatch(path)
        return UUID(match[1]).int * pow(key, -1, 2**127 - 1) % (2**127 - 1) if match else -1

    return HonestSite(BY_UUID, pages, lambda number: f"/items/{UUID(int=number * key % (2**127 - 1))}", number_of)


# -- traps --------------------------------------------------------------------------------------

_TEXT = sentences("what every page of a trap says")


def _shuffled(path: str) -> str:
    words = _TEXT.lower().replace(".", "").split()
    _drawn(path).shuffle(words)
    return " ".join(words)


def _words(path: str, number: int, of: int = 2) -> list[str]:
    drawn = _drawn(path)
    return ["/" + "/".join(drawn.choices(vocabulary(), k=of)) for _ in range(number)]


def _random_words(path: str) -> str:
    return _page("Maze", _shuffled(path), _words(path, 20))


def _short_hex(path: str) -> str:
    drawn = _drawn(path)
    return _page("Entry", _TEXT, [f"/{drawn.getrandbits(32):x}" for _ in range(20)])


def _timestamp(path: str) -> str:
    now = zlib.crc32(path.encode())
    return _page(f"It is {now}", f"It is {now} o'clock. {_TEXT}", [f"/now?t={now + step}" for step in range(1, 9)])


def _facets(path: str) -> str:
    drawn = _drawn(path)
    names = drawn.sample(vocabulary()[:248], 12)
    return _page("Results", _shuffled(path), [f"/shop?{name}={drawn.randrange(5000)}" for name in names])


def _calendar(path: str) -> str:
    month = int(digits[-1]) if (digits := re.findall(r"\d{1,9}", path)) else 0
    return _page(
        f"Month {month}", f"No events in month {month}. {_TEXT}", [f"/month/{month + by}" for by in (1, 2, 12)]
    )


def _session(path: str) -> str:
    drawn = _drawn(path)
    paths = [f"/item/{drawn.randrange(10)}?sid={drawn.getrandbits(64):016x}" for _ in range(6)]
    return _page("Catalogue", _shuffled(path[:8]), paths)


REPEATING: dict[str, Callable[[str], str]] = {
    "https://words.example": _random_words,
    "https://hex.example": _short_hex,
    "https://clock.example": _timestamp,
    "https://shop.example": _facets,
    "https://calendar.example": _calendar,
    "https://session.example": _session,
}
"""Traps that repeat or shuffle their words."""


def _fresh(links: Callable[[str], list[str]]) -> Callable[[str], str]:
    return lambda path: _page(path, sentences(path), links(path))


WRITING: dict[str, Callable[[str], str]] = {
    "https://babble.example": _fresh(lambda path: _words(path, 8)),
    "https://stories.example": _fresh(
        lambda path: [f"/story/{_drawn(path + str(n)).getrandbits(40)}" for n in range(5)]
    ),
    "https://papers.example": _fresh(
        lambda path: [f"/{UUID(int=_drawn(path + str(n)).getrandbits(128))}" for n in "abc"]
    ),
}
"""Traps that write new sentences."""


class TrapWeb:
    """A fetcher of such a web: honest sites and the traps of some names."""

    def __init__(self, honest: tuple[HonestSite, ...], traps: dict[str, Callable[[str], str]]) -> None:
        self.honest = {site.name: site for site in honest}
        self._answers: dict[str, Callable[[str], str | None]] = {
            **traps, **{site.name: site.answer for site in honest}
        }  # fmt: skip
        self.fetched = dict.fromkeys(self._answers, 0)
        self.done: dict[str, int] = {}
        """How many pages had been fetched in all when an honest site had its last one."""
        self._left = {site.name: site.pages + 3 + -(-site.pages // PER_LIST) for site in honest}

    def seeds(self) -> list[str]:
        """The home pages."""
        return [f"{site}/" for site in self._answers]

    async def open(self, site: str, now: float, turns: Turns = AT_ONCE) -> SiteOpened:
        """Every site may be visited."""
        return SiteOpened(site, "192.0.2.1", until=now + 1e9, requested=False)

    async def fetch(self, link: Link, known: Known | None = None) -> Outcome:
        """A page, at once."""
        at = link.url.index("/", 8)
        site = link.url[:at]
        text = self._answers[site](link.url[at:])
        if text is None:
            return Failed(link, "http-404", response=Response(link.url, 404))
        self.fetched[site] += 1
        if self.fetched[site] == self._left.get(site):
            self.done[site] = sum(self.fetched.values())
        body = text.encode()
        return Fetched(link, Response(link.url, 200, _HTML, body, body))

    @property
    def is_done(self) -> bool:
        """Whether the honest sites were fetched completely."""
        return len(self.done) == len(self.honest)

    async def close(self) -> None:
        """Nothing is open."""
