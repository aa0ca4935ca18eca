"""One spider of a population: it reads the words around links, has a taste of its own, and lives on what it finds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from lycosa.records import Link, Page
from lycosa.text import term_counts, terms

REACH = 10
"""Terms on each side of a link that a spider sees."""
MOST_KEYWORDS = 24
LEARNING = 0.1
TRUST = 0.5
"""ν: the say of the spider's own estimate; the rest is the relevance of the page it stands on."""
LOCAL_LINKS = 100
"""Links that a spider keeps in mind."""
FEWEST_LETTERS = 3
READ_FOR_KEYWORDS = 4_000


class Prospect(NamedTuple):
    """A link as spiders see it: how good its page was, and the terms near it, nearer ones weighing more."""

    url: str
    page: float
    near: Mapping[str, float]


def prospects_of(page: Page, food: float, links: Sequence[Link]) -> list[Prospect]:
    """The links of a page with the terms around each: `1/distance`, and 1 for the anchor's own."""
    read: dict[str, list[str]] = {}
    found: list[Prospect] = []
    for link in links:
        around = read.get(link.boundary)
        if around is None:
            around = read[link.boundary] = terms(link.boundary)
        found.append(Prospect(link.url, food, _near(terms(link.anchor), around)))
    return found


def _near(anchor: list[str], around: list[str]) -> dict[str, float]:
    near = dict.fromkeys(anchor, 1.0)
    if not anchor or anchor[0] not in around:
        return near
    begin = around.index(anchor[0])
    for at in range(max(0, begin - REACH), min(len(around), begin + len(anchor) + REACH)):
        distance = begin - at if at < begin else at - begin - len(anchor) + 1
        term = around[at]
        near[term] = max(near.get(term, 0.0), 1 / (1 + max(0, distance)))
    return near


class Spider:
    """Energy, a weight per keyword, and the links it has seen."""

    __slots__ = ("choosiness", "energy", "links", "weights")

    def __init__(self, weights: Mapping[str, float], energy: float, choosiness: float) -> None:
        self.weights, self.energy, self.choosiness = dict(weights), energy, choosiness
        self.links: dict[str, Prospect] = {}

    def estimate(self, near: Mapping[str, float]) -> float:
        """λ: a linear perceptron over the keywords near a link."""
        weights = self.weights
        return sum(weights[term] * close for term, close in near.items() if term in weights)

    def appeal(self, prospect: Prospect) -> float:
        """ν · λ + (1 - ν) · relevance of the page."""
        return TRUST * self.estimate(prospect.near) + (1 - TRUST) * prospect.page

    def see(self, prospects: Sequence[Prospect]) -> None:
        """Keep the most appealing links in mind."""
        for prospect in prospects:
            self.links[prospect.url] = prospect
        if len(self.links) > LOCAL_LINKS:
            best = sorted(self.links.values(), key=self.appeal, reverse=True)[:LOCAL_LINKS]
            self.links = {prospect.url: prospect for prospect in best}

    def pick(self, random: Random) -> Prospect:
        """Any link it has in mind, `exp(choosiness · appeal)` times as likely; it is forgotten with that."""
        known = list(self.links.values())
        appeals = [self.choosiness * self.appeal(prospect) for prospect in known]
        most = max(appeals)
        picked = random.choices(known, [math.exp(appeal - most) for appeal in appeals])[0]
        del self.links[picked.url]
        return picked

    def taste(self, near: Mapping[str, float], food: float) -> None:
        """The delta rule: weights move so that the estimate comes closer to what was found."""
        error = LEARNING * (food - self.estimate(near))
        for term in near.keys() & self.weights.keys():
            self.weights[term] += error * near[term]

    def offspring(self, page: Page, random: Random) -> Spider:
        """A young spider with half the energy, that has picked up a word here and chooses a little differently."""
        self.energy /= 2
        young = Spider(self.weights, self.energy, self.choosiness * random.uniform(0.75, 1.25))
        young.links = dict(self.links)
        young._pick_up_word(page)
        return young

    def _pick_up_word(self, page: Page) -> None:
        counts = term_counts(f"{page.title}\n{page.text[:READ_FOR_KEYWORDS]}", page.language or "en")
        new = [term for term in counts if term not in self.weights and len(term) >= FEWEST_LETTERS]
        if new:
            self.weights[max(new, key=lambda term: (counts[term], term))] = max(self.weights.values(), default=1.0) / 2
        while len(self.weights) > MOST_KEYWORDS:
            del self.weights[min(self.weights, key=lambda term: abs(self.weights[term]))]
