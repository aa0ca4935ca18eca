"""Links judged by the words around them and by what people do with the pages behind them.

That is what the strategies `cfp` and `importance-value` have in common (C10): a link not
yet fetched has the Okapi of its anchor and boundary, mean over its known parents, and
what the clickstream knows of its URL; a page has its own Okapi. How the two are joined
is the strategy's formula. A page that people visit and nobody links to (C13) is judged
by the words of its address instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import msgspec

from lycosa.click_records import PageClicks
from lycosa.configuration.sections import Relevance
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Link, Page, Record, Score, Visit, urls_of
from lycosa.scoring.bounded_memory import Remembered
from lycosa.scoring.click_statistics import NOBODY, Clickstream, Seen
from lycosa.scoring.importance import Spread
from lycosa.scoring.known_parents import MOST_REMEMBERED, KnownParents, Said
from lycosa.scoring.links.link_okapi import LinkOkapi
from lycosa.scoring.strategy import VISITED
from lycosa.text import term_counts
from lycosa.topics.okapi import Okapi
from lycosa.topics.weight_table import WeightTable

DARK_REMEMBERED = 200_000
JUDGED_REMEMBERED = 1_000
"""Pages between judging and learning: those of a batch and of all connections."""
GROWN = 1.1
NO_WORDS: Said = (1, 0.0)


class Usual(NamedTuple):
    """The medians that numbers are seen beside: of the formula's measure over links and over pages, and of LR."""

    links: float
    pages: float
    log_rank: float


class Formula(Protocol):
    """How content and what people do make one number."""

    def measure(self, okapi: float, seen: Seen) -> float:
        """What of a link or page is to be seen beside its median."""

    def value(self, okapi: float, seen: Seen, usual: Usual) -> float:
        """The priority of a link, between 0 and 1."""

    def why(self, okapi: float, seen: Seen, usual: Usual) -> str:
        """How that came about."""

    def completed(self, seen: Seen, page: Page) -> Seen:
        """What is known of a page's visitors and of its document, once the page is there."""

    def importance(self, okapi: float, seen: Seen, usual: Usual) -> Score:
        """The importance of a fetched page, between 0 and 1."""


class Spreads(Record, frozen=True):
    """How the formula's measure is spread over links and pages, and LR over what people visit."""

    links: Spread = Spread()
    pages: Spread = Spread()
    log_rank: Spread = Spread()

    def __add__(self, other: Spreads) -> Spreads:
        return Spreads(self.links + other.links, self.pages + other.pages, self.log_rank + other.log_rank)


class WatchedLinkScorer:
    """The link scorer of a formula."""

    def __init__(self, okapi: Okapi, formula: Formula, most: int = MOST_REMEMBERED) -> None:
        self._okapi, self._formula = okapi, formula
        self._words = LinkOkapi(okapi)
        self._people = Clickstream()
        self._parents = KnownParents(most)
        self._dark: Remembered[str, bool] = Remembered(DARK_REMEMBERED)
        self._changed: dict[str, Score | None] = {}
        self._judged: Remembered[str, tuple[float, ...]] = Remembered(JUDGED_REMEMBERED)
        self._pages: Remembered[str, tuple[float, Seen]] = Remembered(JUDGED_REMEMBERED)
        self._measures = Measures(formula.measure(okapi.bound / max(1, len(okapi.terms)), NOBODY))

    # -- judging --------------------------------------------------------------------------------

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """Each link's score with this page among its parents."""
        okapis = self._okapis(page)
        self._judged.put(page.url, okapis)
        own, parents, people = page.url, self._parents.with_page, self._people.of
        nothing = self._score(NO_WORDS, NOBODY, 0.0)
        found = []
        for link, okapi in zip(links, okapis, strict=True):
            said, seen = parents(own, link.url, okapi), people(link.url)
            found.append(nothing if said == NO_WORDS and seen is NOBODY else self._score(said, seen, okapi))
        return found

    def _okapis(self, page: Page) -> tuple[float, ...]:
        bound = self._okapi.bound
        return tuple([score.value * bound for score in self._words.of(page.links, page.language)])

    def estimates(self, links: Sequence[Link]) -> Sequence[Score]:
        """Pages that people visit and nobody links to: the words of the address stand for those of a parent."""
        for link in links:
            self._dark.put(link.url, True)
        return [self._alone(link.url) for link in links]

    def _alone(self, url: str) -> Score:
        okapi, seen = self._words.of_address(url).value * self._okapi.bound, self._people.of(url)
        told = self._formula.why(okapi, seen, self._measures.usual)
        return Score(self._value(okapi, seen), f"{VISITED}; by its address {told}")

    def _score(self, said: Said, seen: Seen, own: float) -> Score:
        """A score that says how it came about; what this parent says goes to another agent as a part."""
        okapi = said[1] / said[0]
        told = self._formula.why(okapi, seen, self._measures.usual)
        why = f"{told}; mean of {said[0]} parent{'' if said[0] == 1 else 's'}"
        return Score(self._value(okapi, seen), why, (Score(own, "okapi"),))

    def _value(self, okapi: float, seen: Seen) -> float:
        return max(OFF_TOPIC, self._formula.value(okapi, seen, self._measures.usual))

    def importance(self, page: Page, relevance: Score) -> Score:
        """The page's own value, which replaces what was thought of the link."""
        okapi, seen = self._of_page(page)
        self._pages.put(page.url, (okapi, seen))
        return self._formula.importance(okapi, seen, self._measures.usual)

    def _of_page(self, page: Page) -> tuple[float, Seen]:
        counted = self._okapi.count(page.text, page.language, page.title)
        seen = self._formula.completed(self._people.of(page.url), page)
        return self._okapi.score(*counted).value * self._okapi.bound, seen

    # -- learning -------------------------------------------------------------------------------

    def watch(self, pages: Iterable[PageClicks]) -> None:
        """What people did so far; links of which something else is known now are judged anew.

        At first only those that pages have are: all others are let in as dark pages, with an estimate.
        """
        first = not len(self._people)
        for url in self._people.replace(pages):
            if not self._parents.is_fetched(url) and (not first or self._parents.of(url)[0] or url in self._dark):
                self._changed[url] = None
        self._measures.watch(self._people.log_rank)

    def learn(self, visits: Sequence[Visit]) -> None:
        """Each page becomes a parent of those it links to, and its values are counted among what is usual."""
        for visit in visits:
            page = visit.page
            if page is None or visit.relevance is None:
                continue
            self._take_in(page, visit.priorities)
            if page.text:
                self._measures.pages.append(self._formula.measure(*(self._pages.pop(page.url) or self._of_page(page))))
        self._measures.count()

    def _take_in(self, page: Page, priorities: Sequence[Score]) -> None:
        """Let a page speak for its links."""
        okapis = self._judged.pop(page.url)
        if okapis is None or len(okapis) != len(page.links):
            okapis = self._okapis(page)
        urls = urls_of(page.links)
        said, judged = dict(zip(urls, okapis, strict=True)), dict(zip(urls, priorities, strict=False))
        for link in self._parents.count(page):
            url, okapi = link.url, said[link.url]
            number, _ = self._parents.add(url, okapi)
            self._measures.links.append(self._formula.measure(okapi, self._people.of(url)))
            if (number > 1 or url in self._dark) and not self._parents.is_fetched(url):
                self._changed[url] = judged.get(url)

    def hear(self, letters: Sequence[tuple[Link, Score]]) -> None:
        """A page of another agent links here; what it said of the link counts as one parent's word."""
        for link, score in letters:
            self._parents.add(link.url, score.parts[0].value if score.parts else 0.0)
            if not self._parents.is_fetched(link.url):
                self._changed[link.url] = None

    def revised(self) -> Iterator[tuple[str, Score]]:
        """Waiting links with another parent, or of which people's doings are known better now."""
        changed, self._changed = self._changed, {}
        for url, judged in changed.items():
            said, seen = self._parents.of(url), self._people.of(url)
            if not said[0]:
                yield url, self._alone(url)
            elif judged is not None and judged.value == self._value(said[1] / said[0], seen):
                yield url, judged
            else:
                yield url, self._score(said, seen, 0.0)

    # -- what is usual --------------------------------------------------------------------------

    def statistics(self) -> bytes:
        """How the measures are spread, as far as this agent knows."""
        return self._measures.statistics()

    def recall(self, own: bytes | None, others: Sequence[bytes]) -> None:
        """Take up what was counted before a restart, and what other agents count."""
        self._measures.recall(own, others)


def topic_okapi(topic: Topic, settings: Relevance) -> Okapi:
    """Okapi for a topic: the words of its label, and of examples the most frequent terms (the table of N2).

    Around links few words stand, so the terms have to be those that are used, not those that are rare.
    """
    found = term_counts(topic.label)
    for term, _ in WeightTable.of_texts(topic.examples).weights if topic.examples else ():
        found[term] = found.get(term, 0) + len(topic.examples)
    return Okapi(found, settings)


class Measures:
    """What was measured, and its medians over all agents; they are taken anew when a tenth has come to it."""

    def __init__(self, usual: float) -> None:
        self._first = usual
        self._own = self._elsewhere = Spreads()
        self._others: list[bytes] = []
        self._counted, self._due = 0, 0.0
        self.links: list[float] = []
        self.pages: list[float] = []
        """Measures that came since the last count."""
        self.usual = Usual(usual, usual, 0.0)

    def count(self) -> None:
        """Count what has come."""
        if self._counted + len(self.links) >= self._due:
            self._fold()
            self._take_medians()

    def _fold(self) -> None:
        own = self._own
        self._counted += len(self.links)
        self._own = Spreads(own.links.moved((), self.links), own.pages.moved((), self.pages), own.log_rank)
        self.links, self.pages = [], []

    def watch(self, log_rank: Spread) -> None:
        """LR is spread so over what people visit."""
        self._own = msgspec.structs.replace(self._own, log_rank=log_rank)
        self._take_medians()

    def statistics(self) -> bytes:
        """What this agent counted."""
        self._fold()
        return msgspec.msgpack.encode(self._own)

    def recall(self, own: bytes | None, others: Sequence[bytes]) -> None:
        """Take up earlier counts, and those of others."""
        if own is None and list(others) == self._others:
            return
        self._others = list(others)
        self._elsewhere = sum((msgspec.msgpack.decode(each, type=Spreads) for each in others), Spreads())
        if own is not None:
            self._own = msgspec.msgpack.decode(own, type=Spreads)
        self._take_medians()

    def _take_medians(self) -> None:
        self._due = GROWN * self._counted
        told = self._own + self._elsewhere
        links, pages = told.links.median() or self._first, told.pages.median() or self._first
        self.usual = Usual(links, pages, told.log_rank.median())
