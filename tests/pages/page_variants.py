"""Real articles and pages that say the same in other clothes: other frames, timestamps, advertisements, edits.

Frames, timestamps and advertisements are put into the HTML, and the page is read as a crawl
reads it; edits are made to the words of its text. `judge` then says what an index made of them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from lycosa.configuration.settings import ConfigurationError
from lycosa.duplicates.near_duplicates import NearDuplicates
from lycosa.duplicates.text_sketch import sketch_of
from lycosa.lab.wikispeedia import SchoolsWikipedia, find_wikispeedia
from lycosa.pages.document import read_page
from lycosa.records import Fetched, Link, Response
from lycosa.text import words

SAME_WORDS = 0.85
"""Two articles are one if an alignment of their words pairs so many: 5 234 pages hold some thirty such pairs."""
WORDS_PER_AD = 300
MOST_ADS = 6

_HEADERS = (("Content-Type", "text/html; charset=utf-8"),)
_BODY = re.compile(rb"<body[^>]*>", re.IGNORECASE)
_BODY_END = re.compile(rb"</body", re.IGNORECASE)
_PARAGRAPH_END = re.compile(rb"</p\s*>", re.IGNORECASE)


class Article(NamedTuple):
    """A page as it was recorded and the main text that a crawl reads in it."""

    url: str
    html: bytes
    text: str


class Judgement(NamedTuple):
    """What became of variants: how many there were, found their article, and joined something else."""

    variants: int
    found: int
    wrong: int

    @property
    def recall(self) -> float:
        return self.found / self.variants

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.wrong) if self.found + self.wrong else 1.0


def articles(most: int) -> list[Article]:
    """Up to so many articles, spread over all there are. Raises ConfigurationError where there are none."""
    web = SchoolsWikipedia(find_wikispeedia(""))
    urls = [url for url in sorted(web.urls()) if "/wp/" in url]
    step = max(1, len(urls) / most)
    chosen = [urls[int(number * step)] for number in range(min(most, len(urls)))]
    return [Article(url, html, text_in(html)) for url in chosen if (html := web.respond(url).raw)]


def why_not() -> str:
    """Why there are no articles here; '' if there are."""
    try:
        find_wikispeedia("")
    except ConfigurationError as error:
        return str(error)
    return ""


def text_in(html: bytes) -> str:
    """The main text of a page, as a crawl reads it."""
    url = "http://web.test/page.htm"
    return read_page(Fetched(Link(url), Response(url, 200, _HEADERS, html))).text


class Disguise:
    """Makes variants of articles with words of other articles; the same seed makes the same variants."""

    def __init__(self, found: Sequence[Article], seed: int = 1) -> None:
        self._chance = random.Random(seed)
        self._words = [word for article in found[:: max(1, len(found) // 100)] for word in article.text.split()]

    def framed(self, article: Article) -> str:
        """Another navigation, sidebar and footer; on every other page nothing in the markup says that they are that."""
        nav, footer = self._chance.choice((("nav", "footer"), ("div", "div")))
        items = "".join(f'<li><a href="/{self._some(1)}">{self._some(2)}</a></li>' for _ in range(25))
        related = "".join(f'<a href="/{self._some(1)}">{self._some(4)}</a> ' for _ in range(12))
        head = f"<{nav}><ul>{items}</ul></{nav}><div>{related}</div>"
        foot = f"<{footer}><p>© 2024 {self._some(3)}. {self._some(30)}</p><ul>{items}</ul></{footer}>"
        html = _BODY.sub(lambda match: match[0] + head.encode(), article.html, count=1)
        return text_in(_BODY_END.sub(lambda match: foot.encode() + match[0], html, count=1))

    def stamped(self, article: Article) -> str:
        """Lines that are different at every visit: date, time, number of readers, seconds taken."""
        number = self._chance.randrange
        date = f"{number(1, 29)} {self._chance.choice(('March', 'June', 'October'))} {number(2001, 2025)}"
        clock = f"{number(24):02}:{number(60):02}:{number(60):02}"
        lines = (
            f"Last updated on {date} at {clock}",
            f"{number(10**6)} views",
            f"Generated in 0.{number(1000)} seconds",
        )
        return self._with(article, [f"<p>{line}</p>" for line in lines])

    def advertised(self, article: Article) -> str:
        """An advertisement of 6 to 14 words for every 300 words, between paragraphs."""
        count = min(MOST_ADS, 1 + len(article.text.split()) // WORDS_PER_AD)
        return self._with(article, [f'<div class="ad">{self._some(self._chance.randint(6, 14))}</div>'] * count)

    def edited(self, article: Article, share: float) -> str:
        """A share of all words has another word before it, is left out or replaced; at least one is."""
        told = article.text.split()
        changed = set(self._chance.sample(range(len(told)), min(len(told), max(1, round(share * len(told))))))
        found: list[str] = []
        for place, word in enumerate(told):
            if place not in changed:
                found.append(word)
                continue
            kind = self._chance.randrange(3)
            found += [(self._some(1), word), (), (self._some(1),)][kind]
        return " ".join(found)

    def little_edited(self, article: Article) -> str:
        """Up to 5 % of the words."""
        return self.edited(article, self._chance.uniform(0, 0.05))

    def much_edited(self, article: Article) -> str:
        """Between 5 % and 10 % of the words."""
        return self.edited(article, self._chance.uniform(0.05, 0.1))

    def kinds(self) -> dict[str, Callable[[Article], str]]:
        """All kinds of variants."""
        return {
            "boilerplate": self.framed,
            "timestamps": self.stamped,
            "ads": self.advertised,
            "edits up to 5 %": self.little_edited,
            "edits of 5 %": lambda article: self.edited(article, 0.05),
            "edits of 5-10 %": self.much_edited,
        }

    def _some(self, number: int) -> str:
        begin = self._chance.randrange(len(self._words) - number)
        return re.sub(r"[<>&\"]", "", " ".join(self._words[begin : begin + number])) or "word"

    def _with(self, article: Article, parts: Sequence[str]) -> str:
        """The text with parts put behind paragraphs taken at random, or at the end where there are none."""
        ends = [match.end() for match in _PARAGRAPH_END.finditer(article.html)]
        ends = ends or [match.start() for match in _BODY_END.finditer(article.html)] or [len(article.html)]
        html = article.html
        for place, part in sorted(((self._chance.choice(ends), part) for part in parts), reverse=True):
            html = html[:place] + part.encode() + html[place:]
        return text_in(html)


def same_article(a: Article, b: Article) -> bool:
    """Whether two articles are one, by an alignment of their words."""
    return SequenceMatcher(None, words(a.text), words(b.text), autojunk=False).ratio() >= SAME_WORDS


def indexed(found: Sequence[Article]) -> NearDuplicates:
    """An index of articles; the key of each is its number."""
    return NearDuplicates.of((number, sketch_of(article.text)) for number, article in enumerate(found))


def judged(
    index: NearDuplicates, found: Sequence[Article], variant: Callable[[Article], str], every: int = 1
) -> Judgement:
    """Where the index of the articles would put a variant of every so manieth of them."""
    right = wrong = 0
    numbers = range(0, len(found), every)
    for number in numbers:
        key = index.near(sketch_of(variant(found[number])))
        if key is not None:
            is_right = key == index.representative(number) or same_article(found[number], found[key])
            right, wrong = right + is_right, wrong + (not is_right)
    return Judgement(len(numbers), right, wrong)


def grouped_apart(index: NearDuplicates, found: Sequence[Article]) -> tuple[int, int]:
    """Of the articles that were grouped under another one, how many there are, and how many are different articles."""
    members = [(group[0], key) for group in index.groups() for key in group[1:]]
    return len(members), sum(not same_article(found[leader], found[key]) for leader, key in members)
