"""How often links of a kind led to pages that match, from the particular to the general.

A kind of link that was never tried is expected to be as good as the more general
kind above it; each trial makes it stand more on its own. What links have in common is
where they stand on their page and what their addresses look like.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

from lycosa.scoring.remembered import Remembered
from lycosa.urls import path_of, site_of

STRENGTH = 2.0
"""How many trials of its own outweigh what is known of the more general kind."""
HOPE = 0.5
"""The rate of links before anything was tried."""
MOST_KINDS = 200_000
LONGEST_SHAPE = 40
DEEPEST_FOLDER = 4
PLACE = "at"
"""Kinds of places begin with this, kinds of addresses with their site."""

Kind: TypeAlias = tuple[str, ...]
_WORDS = re.compile(r"([A-Z][A-Za-z]*)|([a-z][A-Za-z]*)|([0-9]+)|([^A-Za-z0-9]+)")
_PARTS = re.compile(r"[^-_.0-9]+")


class Rate:
    """Trials, how many of them matched, and what they were worth together."""

    __slots__ = ("matched", "tried", "worth")

    def __init__(self) -> None:
        self.tried = self.matched = 0
        self.worth = 0.0

    def note(self, worth: float, matched: bool) -> None:
        """One more trial; one that nearly matched may be worth something too."""
        self.tried += 1
        self.matched += matched
        self.worth += worth


class LinkRates:
    """Rates of kinds of links; the latest that were met, when there are too many."""

    def __init__(self, most: int = MOST_KINDS) -> None:
        self._rates: Remembered[Kind, Rate] = Remembered(most)
        self.all = Rate()

    def note(self, kind: Kind, worth: float, matched: bool) -> None:
        """A link of a kind was tried."""
        rate = self._rates.get(kind)
        if rate is None:
            rate = Rate()
            self._rates.put(kind, rate)
        rate.note(worth, matched)

    def tried(self, kind: Kind) -> int:
        """How often a kind was tried."""
        rate = self._rates.get(kind)
        return 0 if rate is None else rate.tried

    def of(self, kind: Kind) -> Rate | None:
        """What is known of a kind."""
        return self._rates.get(kind)

    @property
    def overall(self) -> float:
        """The rate of all links."""
        return (self.all.worth + STRENGTH * HOPE) / (self.all.tried + STRENGTH)

    def estimate(self, kinds: tuple[Kind, ...]) -> float:
        """What a link of these kinds, the most general first, may be worth."""
        expected = self.overall
        for kind in kinds:
            rate = self._rates.get(kind)
            if rate is not None:
                expected = (rate.worth + STRENGTH * expected) / (rate.tried + STRENGTH)
        return expected


@lru_cache(maxsize=65_536)
def address_kinds(url: str) -> tuple[Kind, ...]:
    """What an address looks like, the most general first.

    Its site, its upper directories, the shape of what follows the first of them, its directory,
    the shape of its last part with the names of its query, and how that part begins and ends.
    """
    site = site_of(url)
    path, mark, query = path_of(url).partition("?")
    directory, _, last = path.rpartition("/")
    names = "&".join(sorted(pair.partition("=")[0] for pair in query.split("&"))) if mark else ""
    upper = directory.split("/")
    first, folder = f"{site}{'/'.join(upper[:2])}/", f"{site}{directory}/"
    rest = "/".join([*upper[2:], last])
    shape = (shape_of(last), names)
    kinds: list[Kind] = [(site,), (first,), (first, shape_of(rest), names)]
    kinds += [(f"{site}{'/'.join(upper[:deep])}/",) for deep in range(3, min(len(upper), DEEPEST_FOLDER) + 1)]
    kinds += [(folder,), (folder, *shape)]
    parts = _PARTS.findall(last.rpartition(".")[0] or last)
    if len(parts) > 1:
        kinds += [(folder, *shape, parts[0]), (folder, *shape, parts[0], parts[-1])]
    return tuple(dict.fromkeys(kinds))


def shape_of(text: str) -> str:
    """A part of an address with its words and numbers taken out: `mod_ssl.html` is `w_w.w`."""
    return _WORDS.sub(_word_shape, text)[:LONGEST_SHAPE]


def _word_shape(match: re.Match[str]) -> str:
    if match[4] is not None:
        return match[4]
    return "W" if match[1] else "w" if match[2] else "0"


@lru_cache(maxsize=16_384)
def place_kinds(site: str, template: int, tag_path: str, rel: str) -> tuple[Kind, ...]:
    """Where a link stands: at a place of any page, of a page of its site, of a page of that template there."""
    place = f"{tag_path} {rel}" if rel else tag_path
    kinds: tuple[Kind, ...] = ((PLACE, place), (PLACE, place, site))
    return kinds if template < 0 else (*kinds, (PLACE, place, site, str(template)))
