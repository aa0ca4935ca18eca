"""Layers of pages around the relevant ones: how many links away they are, as far as the crawl has seen."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt
import xxhash

from lycosa.records import Page
from lycosa.scoring.naive_bayes import Bags, Floats, NaiveBayes, Places
from lycosa.topics.vectors import vectors

LAYERS = 4
"""Relevant pages, and those one, two and three links away from one."""
MOST_TERMS = 200
"""A page's most telling terms; the rest says little and takes memory."""
PLACES = 1 << 16


class CrawledPage(msgspec.Struct, frozen=True, eq=False):
    """What is kept of a page that was fetched."""

    url: int
    targets: npt.NDArray[np.uint64]
    places: Places
    weights: Floats
    relevance: float

    @classmethod
    def of(cls, page: Page, relevance: float) -> CrawledPage:
        """URLs become numbers, the text its telling terms."""
        places, weights = vectors().of_page(page)
        if len(places) > MOST_TERMS:
            telling = np.argpartition(-weights, MOST_TERMS)[:MOST_TERMS]
            places, weights = places[telling], weights[telling]
        targets = np.array([_number(link.url) for link in page.links], np.uint64)
        return cls(_number(page.url), targets, places % PLACES, weights, relevance)


def _number(url: str) -> int:
    return xxhash.xxh3_64_intdigest(url.encode())


def layers_of(pages: Sequence[CrawledPage], threshold: float) -> npt.NDArray[np.int64]:
    """For each page the number of links to the nearest relevant one, `LAYERS` where it is that far or farther."""
    layers = np.array([0 if page.relevance >= threshold else LAYERS for page in pages], np.int64)
    sources = np.repeat(np.arange(len(pages)), [len(page.targets) for page in pages])
    targets = np.concatenate([page.targets for page in pages]) if pages else np.empty(0, np.uint64)
    numbers = np.array([page.url for page in pages], np.uint64)
    order = np.argsort(numbers, kind="stable")
    at = np.minimum(np.searchsorted(numbers[order], targets), len(pages) - 1)
    known = numbers[order][at] == targets
    sources, targets = sources[known], order[at[known]]
    for _ in range(LAYERS - 1):
        np.minimum.at(layers, sources, layers[targets] + 1)
    return layers


def trained_on(pages: Sequence[CrawledPage], layers: npt.NDArray[np.int64]) -> NaiveBayes:
    """A classifier that tells the layers apart. Pages beyond the last layer teach it nothing."""
    inside = np.flatnonzero(layers < LAYERS).tolist()
    bags = Bags([pages[at].places for at in inside], [pages[at].weights for at in inside])
    return NaiveBayes(bags, layers[inside], LAYERS, PLACES)
