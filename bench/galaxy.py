"""`galaxy`: how fast links and pages find their classes, beside the formula done plainly in the same run."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable

from bench.rows import Row, more_is_better
from bench.web_text import FREQUENT, vocabulary
from lycosa.configuration.settings import ConfigurationError
from lycosa.lab.webs import open_web
from lycosa.records import Link, Page
from lycosa.text import stems, words
from lycosa.topics.classification.classifier import Predictor
from lycosa.topics.classification.scheme import ClassLine, Scheme
from lycosa.topics.classification.scheme_file import shipped_classes

PAGES = 200
LINKS_PER_PAGE = 30
ROUNDS = 5
RIVAL = "brute force"


def run() -> list[Row]:
    """CPU time for all links and pages of a sample, the best of several rounds; words are those of whole pages."""
    scheme, pages, told = _scene()
    links = [link for page in pages for link in page.links]
    boundaries = len({(link.parent, link.boundary) for link in links})
    running = sum(len(words(page.text)) for page in pages)
    plain = _Plainly(scheme)
    ours = _seconds(lambda: _links(Predictor(scheme).of_link, links))
    rival = _seconds(lambda: _links(plain.of_link, links), rounds=1)
    our_pages = _seconds(lambda: list(map(Predictor(scheme).of_page, pages)))
    rival_pages = _seconds(lambda: list(map(plain.of_page, pages)), rounds=1)
    return [
        _rate("links/s", len(links), ours, rival, told),
        _rate("boundaries/s", boundaries, ours, rival, told),
        _rate("words/s", running, our_pages, rival_pages, told),
    ]


def _rate(metric: str, number: int, ours: float, rival: float, note: str) -> Row:
    return more_is_better("galaxy", metric, number / ours, number / rival, other_name=RIVAL, unit="1/s", note=note)


def _links(predict: Callable[[str, str], object], links: Iterable[Link]) -> None:
    for link in links:
        predict(link.boundary, link.anchor)


def _seconds(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    taken = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)


def _scene() -> tuple[Scheme, list[Page], str]:
    """Pages of Wikispeedia where they are at hand, else invented ones with a classification of their words."""
    chance = random.Random(1)
    try:
        web = open_web("wikispeedia:")
    except ConfigurationError:
        return *_invented(chance), "invented pages"
    sample = chance.sample(web.urls(), PAGES)
    return shipped_classes(), [page for url in sample if (page := web.page(url)) is not None], "pages of Wikispeedia"


def _invented(chance: random.Random) -> tuple[Scheme, list[Page]]:
    known = vocabulary(15_000, 1)
    telling = known[len(FREQUENT) :]
    weights = [1 / (rank + 10) for rank in range(len(known))]
    lines = []
    for number in range(1000):
        pairs = zip(chance.choices(telling, k=4), chance.choices(telling, k=4), strict=True)
        lines.append(ClassLine(f"{number:03d}", "invented", (*chance.choices(telling, k=12), *map(" ".join, pairs))))
    pages = []
    for number in range(PAGES):
        paragraphs = [chance.choices(known, weights, k=50) for _ in range(LINKS_PER_PAGE // 2)]
        links = tuple(
            Link(f"http://a/{number}/{position}", anchor=" ".join(told[at : at + 2]), boundary=" ".join(told))
            for position, told in enumerate(chance.choices(paragraphs, k=LINKS_PER_PAGE))
            for at in [chance.randrange(48)]
        )
        text = "\n".join(" ".join(told) for told in paragraphs)
        pages.append(Page(f"http://a/{number}", " ".join(paragraphs[0][:3]), text=text, links=links))
    return Scheme(lines), pages


class _Plainly:
    """The formula as it is written down: every phrase length tried at every word, points parted again and again."""

    def __init__(self, scheme: Scheme) -> None:
        self._stem = stems()
        self._index: dict[str, list[str]] = {}
        for line in scheme:
            for phrase in line.phrases:
                self._index.setdefault(self._stemmed(words(phrase)), []).append(line.number)
        self._longest = max((len(phrase.split()) for phrase in self._index), default=0)

    def _stemmed(self, told: list[str]) -> str:
        return " ".join(self._stem(word) for word in told)

    def _points(self, told: list[str], begin: int, stop: int) -> list[tuple[str, float]]:
        found, at = [], 0
        while at < len(told):
            for size in range(min(self._longest, len(told) - at), 0, -1):
                phrase = self._stemmed(told[at : at + size])
                if phrase in self._index:
                    impact = 1.4 if at < stop and at + size > begin else 1.0
                    found += [(number, impact) for number in self._index[phrase]]
                    at += size - 1
                    break
            at += 1
        return found

    def _classes(self, points: list[tuple[str, float]], inside: str = "") -> list[str]:
        further = [point for point in points if len(point[0]) > len(inside)]
        if len(inside) == 3 or not further:
            return [inside] if inside else []
        weights = {}
        for start in {number[: len(inside) + 1] for number, _ in further}:
            group = [len(number) * impact for number, impact in further if number.startswith(start)]
            weights[start] = round(len(group) * sum(group), 6)
        most = max(weights.values())
        best = [start for start, weight in weights.items() if weight == most]
        return [
            each
            for start in best
            for each in self._classes([point for point in further if point[0].startswith(start)], start)
        ]

    def of_link(self, boundary: str, anchor: str) -> list[str]:
        told, spoken = words(boundary), words(anchor)
        for at in range(len(told) - len(spoken) + 1):
            if spoken and told[at : at + len(spoken)] == spoken:
                return self._classes(self._points(told, at, at + len(spoken)))
        return self._classes(self._points(told, 0, 0) + self._points(spoken, 0, len(spoken)))

    def of_page(self, page: Page) -> list[str]:
        points = self._points(words(page.text[:100_000]), 0, 0)
        for heading in (page.title, *page.headings):
            told = words(heading)
            points += self._points(told, 0, len(told))
        return self._classes(points)
