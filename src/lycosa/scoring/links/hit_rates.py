"""How often links of a kind led to pages that match, from the particular to the general.

A kind of link that was never tried is expected to be as good as the more general
kind above it; each trial makes it stand more on its own. What links have in common is
where they stand on their page and what their addresses look like.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from lycosa.scoring.bounded_memory import Remembered
from lycosa.urls import path_of, site_of

STRENGTH = 2.0
"""How many trials of its own outweigh what is known of the more general kind."""
HOPE = 0.5
"""The rate of links before anything was tried."""
MOST_KINDS = 200_000
MOST_LINEAGES = 65_536
MOST_PLACES = 16_384
LONGEST_SHAPE = 40
DEEPEST_FOLDER = 4
PLACE = "at"
"""Kinds of places begin with this, kinds of addresses with their site."""

Kind: TypeAlias = tuple[str, ...]
_WORDS = re.compile(r"([A-Z][A-Za-z]*)|([a-z][A-Za-z]*)|([0-9]+)|([^A-Za-z0-9]+)")
_PARTS = re.compile(r"[^-_.0-9]+")


class Rate:
    """Trials of links of a kind, how many of them matched, and what they were worth together."""

    __slots__ = ("_told", "kind", "matched", "tried", "worth")

    def __init__(self, kind: Kind = ()) -> None:
        self.kind = kind
        self.tried = self.matched = 0
        self.worth = 0.0
        self._told = ""

    def note(self, worth: float, matched: bool) -> None:
        """One more trial; one that nearly matched may be worth something too."""
        self.tried += 1
        self.matched += matched
        self.worth += worth
        self._told = ""

    @property
    def told(self) -> str:
        """The rate in words."""
        if not self._told:
            self._told = f"{self.matched} of {self.tried} links {_name_of(self.kind)} led to matching pages"
        return self._told


class Lineage:
    """A kind of link with the more general ones above it, and what they let expect."""

    __slots__ = ("above", "expected", "judged", "rate", "telling", "tried")

    def __init__(self, above: Lineage | None, rate: Rate) -> None:
        self.above, self.rate = above, rate
        self.judged = -1
        self.expected = 0.0
        self.tried = 0
        """How often the kind itself was tried."""
        self.telling: Rate | None = None
        """The most particular kind that was tried at all."""

    def rates(self) -> Iterator[Rate]:
        """The rates of the kind and of those above it."""
        at: Lineage | None = self
        while at is not None:
            yield at.rate
            at = at.above


class LinkRates:
    """Rates of kinds of links; the latest that were met, when there are too many."""

    def __init__(self, most: int = MOST_KINDS) -> None:
        self._rates: Remembered[Kind, Rate] = Remembered(most)
        self._lineages: Remembered[tuple[Kind, ...], Lineage] = Remembered(most)
        self._addresses: Remembered[str, Lineage] = Remembered(MOST_LINEAGES)
        self._places: Remembered[tuple[str, int, str, str], Lineage] = Remembered(MOST_PLACES)
        self.learnt = 0
        """How many times something was learnt; lineages that were judged before are to be judged again."""
        self.all = Rate()

    def at_place(self, site: str, template: int, tag_path: str, rel: str) -> Lineage:
        """The kinds of links at a place of a page."""
        key = (site, template, tag_path, rel)
        found = self._places.get(key)
        if found is None:
            found = self.lineage(place_kinds(*key))
            self._places.put(key, found)
        return found

    def of_address(self, url: str) -> Lineage:
        """The kinds of links with such an address."""
        found = self._addresses.get(url)
        if found is None:
            found = self.lineage(address_kinds(url))
            self._addresses.put(url, found)
        return found

    def lineage(self, kinds: tuple[Kind, ...]) -> Lineage:
        """The lineage of these kinds, the most general first. Those that are met again are not forgotten."""
        at: Lineage | None = None
        for number, kind in enumerate(kinds, 1):
            above, at = at, self._lineages.get(kinds[:number])
            if at is None:
                at = Lineage(above, self._rates.get(kind) or Rate(kind))
            self._rates.put(kind, at.rate)
            self._lineages.put(kinds[:number], at)
        assert at is not None, "a link is of some kind"
        return at

    def note(self, lineages: Iterable[Lineage], worth: float, matched: bool) -> None:
        """A link of these kinds was tried."""
        rates = {rate for lineage in lineages for rate in lineage.rates()}
        for rate in rates:
            rate.note(worth, matched)
        if rates:
            self.all.note(worth, matched)

    @property
    def overall(self) -> float:
        """The rate of all links."""
        return (self.all.worth + STRENGTH * HOPE) / (self.all.tried + STRENGTH)

    def judge(self, lineage: Lineage) -> None:
        """Work out what a link of these kinds may be worth by all that was learnt."""
        above, rate = lineage.above, lineage.rate
        if above is None:
            expected, telling = self.overall, None
        else:
            if above.judged != self.learnt:
                self.judge(above)
            expected, telling = above.expected, above.telling
        if rate.tried:
            telling = rate
            expected = (rate.worth + STRENGTH * expected) / (rate.tried + STRENGTH)
        lineage.judged, lineage.tried, lineage.expected, lineage.telling = self.learnt, rate.tried, expected, telling


def _name_of(kind: Kind) -> str:
    if kind[0] == PLACE:
        return f"at {kind[1]} of such pages" if len(kind) > 3 else f"at {kind[1]}"
    return f"to addresses like {kind[0]}{kind[1] if len(kind) > 1 else ''}"


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


def place_kinds(site: str, template: int, tag_path: str, rel: str) -> tuple[Kind, ...]:
    """Where a link stands: at a place of any page, of a page of its site, of a page of that template there."""
    place = f"{tag_path} {rel}" if rel else tag_path
    kinds: tuple[Kind, ...] = ((PLACE, place), (PLACE, place, site))
    return kinds if template < 0 else (*kinds, (PLACE, place, site, str(template)))
