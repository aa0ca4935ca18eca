"""Articles and links of known categories fall into the classes that a librarian would choose for them."""

from __future__ import annotations

import tomllib
import zlib
from collections.abc import Iterable
from pathlib import Path

import pytest

from lycosa.configuration.settings import ConfigurationError
from lycosa.lab.webs import LabWeb, open_web
from lycosa.text import words
from lycosa.topics.classification.classifier import Predictor, complies
from lycosa.topics.classification.scheme_file import shipped_classes

HERE = Path(__file__).parent
FLOORS = tomllib.loads((HERE.parent / "quality_floors.toml").read_text("utf-8"))["galaxy-wikispeedia"]
CLASSES: dict[str, list[str]] = tomllib.loads((HERE / "category_classes.toml").read_text("utf-8"))["classes"]
HALVES = ("development", "unseen")
"""The index may be mended by looking at the articles of the first half; the other half tells whether it helped."""
KNOWN_WORDS = 3
"""Boundaries that say less than this say nothing about where their link leads."""


class Tally:
    """How many of a category comply, by half."""

    def __init__(self) -> None:
        self.right, self.all = [0, 0], [0, 0]

    def add(self, url: str, right: bool) -> None:
        half = zlib.crc32(url.encode()) % 2
        self.right[half] += right
        self.all[half] += 1

    def share(self, half: int) -> float:
        return self.right[half] / max(1, self.all[half])

    @property
    def whole(self) -> float:
        return sum(self.right) / max(1, sum(self.all))


@pytest.fixture(scope="module")
def web() -> LabWeb:
    try:
        return open_web("wikispeedia:")
    except ConfigurationError as error:
        pytest.skip(str(error))


def mean(shares: Iterable[float]) -> float:
    every = list(shares)
    return sum(every) / len(every)


def report(name: str, tallies: dict[str, Tally]) -> None:
    for category, tally in sorted(tallies.items(), key=lambda each: each[1].whole):
        halves = ", ".join(f"{half} {tally.share(number):.2f}" for number, half in enumerate(HALVES))
        print(f"{tally.whole:.2f} of {sum(tally.all):5} {name} of {category} ({halves})")
    halves = ", ".join(
        f"{half} {mean(each.share(n) for each in tallies.values()):.3f}" for n, half in enumerate(HALVES)
    )
    print(f"{name}: mean {mean(tally.whole for tally in tallies.values()):.3f} ({halves})")


def test_the_categories_are_twenty_and_their_classes_known() -> None:
    scheme = shipped_classes()
    assert len(CLASSES) == 20
    for numbers in CLASSES.values():
        for number in numbers:
            assert scheme.find(number).number == number


def test_articles_fall_into_the_classes_of_their_category(web: LabWeb) -> None:
    quick = Predictor(shipped_classes())
    tallies = {category: Tally() for category in CLASSES}
    for category, wanted in CLASSES.items():
        for url in web.topic(category):
            page = web.page(url)
            assert page is not None
            tallies[category].add(url, complies(quick.of_page(page), wanted))
    report("articles", tallies)
    assert mean(tally.whole for tally in tallies.values()) >= max(0.70, FLOORS["articles"])
    assert min(tally.whole for tally in tallies.values()) >= FLOORS["worst_articles"]


def test_links_are_sent_to_the_classes_of_their_category(web: LabWeb) -> None:
    scheme = shipped_classes()
    quick = Predictor(scheme)
    tallies = {category: Tally() for category in CLASSES}
    for category, wanted in CLASSES.items():
        held = web.topic(category)
        for url in held:
            page = web.page(url)
            assert page is not None
            for link in page.links:
                if link.url in held and known_words(link.boundary) >= KNOWN_WORDS:
                    right = complies(quick.of_link(link.boundary, link.anchor), wanted)
                    tallies[category].add(url, right)
    report("links", tallies)
    pooled = sum(sum(tally.right) for tally in tallies.values()) / sum(sum(tally.all) for tally in tallies.values())
    print(f"links: {pooled:.3f} of all taken together")
    assert mean(tally.whole for tally in tallies.values()) >= max(0.60, FLOORS["links"])
    assert pooled >= max(0.60, FLOORS["all_links"])


def known_words(text: str) -> int:
    return len(shipped_classes().matches(words(text)))


def test_the_index_knows_a_good_share_of_running_words(web: LabWeb) -> None:
    scheme = shipped_classes()
    pages = [page for url in web.urls()[::25] if (page := web.page(url)) is not None]
    share = mean(scheme.share_known(page.text) for page in pages)
    print(f"{scheme.phrases} words and phrases know {share:.3f} of the running words of {len(pages)} pages")
    assert share >= FLOORS["known"]
