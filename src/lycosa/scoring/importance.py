"""How important a page is, by what it says and by what people do with it: CFP's I(d) and the importance value.

I(d) (C10) weighs content against the time that visitors spend; each measure x becomes
x/(x + median of x), so that both live on one scale and the best pages stay apart. The
importance value (P4 to P6) is a page's share in a list, by visits, BM25, time, text and
downloads. Everything here is arithmetic on what is handed in, and every result says how
it came about.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

import msgspec

from lycosa.click_records import PageClicks, added, median_span
from lycosa.configuration.settings import ConfigurationError
from lycosa.records import Record, Score
from lycosa.urls import site_of

CONTENT = 2.0
MOST_BM25 = 25.0
BY_RELEVANCE, BY_TIME, BY_DOWNLOADS = 1.5, 0.75, 5.0
TOP = 20
SPENT = ("duration", "length")
_STEP = math.log(1.01)
_SMALLEST = 1e-12


# -- I(d) -------------------------------------------------------------------------------------------


class Medians(Record, frozen=True):
    """The medians of both measures over the pages that have any of it; 0 where no page has."""

    okapi: float = 0.0
    log_rank: float = 0.0


def medians(okapi: Iterable[float], log_rank: Iterable[float]) -> Medians:
    """The exact medians over the values above 0."""
    return Medians(_median(okapi), _median(log_rank))


def _median(values: Iterable[float]) -> float:
    present = [value for value in values if value > 0]
    return median(present) if present else 0.0


class Spread(Record, frozen=True):
    """How values above 0 are spread: how many lie in each step of one per cent.

    Spreads of agents add up and can be told to others; their median is right to within a per cent.
    """

    steps: dict[int, int] = msgspec.field(default_factory=dict)

    def __add__(self, other: Spread) -> Spread:
        return Spread(added(self.steps, other.steps))

    def moved(self, gone: Iterable[float], come: Iterable[float]) -> Spread:
        """With values that came, without those that went: a page's new value takes the place of its old one."""
        changes: dict[int, int] = {}
        for values, by in ((gone, -1), (come, 1)):
            for value in values:
                if value > _SMALLEST:
                    step = math.floor(math.log(value) / _STEP)
                    changes[step] = changes.get(step, 0) + by
        return Spread(added(self.steps, changes))

    def median(self) -> float:
        """About the middle value; 0 of none."""
        total, seen = sum(self.steps.values()), 0
        middle: list[int] = []
        for step in sorted(self.steps):
            seen += self.steps[step]
            if not middle and 2 * seen >= total:
                middle.append(step)
            if 2 * seen > total:
                middle.append(step)
                break
        return sum(math.exp((step + 0.5) * _STEP) for step in middle) / 2 if total > 0 else 0.0


class Spreads(Record, frozen=True):
    """The spreads of both measures: what travels with the collection statistics, so that agents' values compare."""

    okapi: Spread = Spread()
    log_rank: Spread = Spread()

    def __add__(self, other: Spreads) -> Spreads:
        return Spreads(self.okapi + other.okapi, self.log_rank + other.log_rank)

    def medians(self) -> Medians:
        """The medians, each right to within a per cent."""
        return Medians(self.okapi.median(), self.log_rank.median())


def scaled(value: float, middle: float) -> float:
    """x/(x + median of x): the usual page gets one half, and none is ever cut off; without a median 0."""
    return value / (value + middle) if value > 0 and middle > 0 else 0.0


def importance(okapi: float, log_rank: float, middle: Medians, content: float = CONTENT) -> Score:
    """CFP's I(d): content, stressed by E (`content`), and the time of all visits."""
    by_content, by_time = scaled(okapi, middle.okapi), scaled(log_rank, middle.log_rank)
    measured = f"Okapi {okapi:.2f}, median {middle.okapi:.2f}"
    parts = (
        Score(content * by_content, f"content: {content:g} x {by_content:.3f} ({measured})"),
        Score(by_time, f"visits: {log_rank:,.0f} ms in all (median {middle.log_rank:,.0f})"),
    )
    return Score(content * by_content + by_time, "importance I(d)", parts)


# -- the importance value ---------------------------------------------------------------------------


def bm25_scaled(raw: float) -> float:
    """BM25, taken in 0 to 25, on the scale 0 to 100 (P4)."""
    return 100.0 * min(max(raw, 0.0), MOST_BM25) / MOST_BM25


def value_score(visits: float, relevance: float, spent: float, ascii_sum: float, downloads: float) -> Score:
    """P5's Score of visits V, BM in 0 to 100, time (or length) D, ASCII sum A, downloads Do."""
    text = math.log(spent) + math.log(ascii_sum) if spent > 0 and ascii_sum > 0 else 0.0
    parts = (
        Score(visits, f"{visits:,.0f} visits"),
        Score(BY_RELEVANCE * relevance, f"{BY_RELEVANCE:g} x relevance {relevance:.1f} of 100"),
        Score(BY_TIME * max(0.0, text), f"{BY_TIME:g} x ln({spent:,.0f} x {ascii_sum:,.0f}), time and text"),
        Score(BY_DOWNLOADS * downloads, f"{BY_DOWNLOADS:g} x {downloads:,.0f} downloads"),
    )
    return Score(math.fsum(part.value for part in parts), "score", parts)


def shares(scores: Sequence[float]) -> list[float]:
    """IV of each: its part of all scores, of 100; 0 for all where all are 0."""
    total = math.fsum(scores)
    return [100.0 * (score / total) if total > 0 else 0.0 for score in scores]


# -- the lists --------------------------------------------------------------------------------------


class PlacedPage(Record, frozen=True):
    """A page of a list with all that its place comes from. `bm25` is raw, `log_rank` in milliseconds."""

    clicks: PageClicks
    bm25: float
    log_rank: float
    importance: Score
    score: Score
    iv: float

    @property
    def relevance(self) -> float:
        """BM25 on the scale 0 to 100."""
        return bm25_scaled(self.bm25)


ORDERS = {
    "iv": lambda page: page.iv,
    "i": lambda page: page.importance.value,
    "visits": lambda page: page.clicks.visits,
    "lr": lambda page: page.log_rank,
    "bm25": lambda page: page.bm25,
}
"""What a list can be ordered by: `bm25` makes the first ordered list (P4), `iv` the final one (P6)."""


def placed_pages(
    pages: Iterable[PageClicks], bm25: Mapping[str, float], content: float = CONTENT, spent: str = "duration"
) -> list[PlacedPage]:
    """Pages with I(d) and IV, in the order they came in; pages that only `bm25` has are there too, as unvisited."""
    if spent not in SPENT:
        raise ConfigurationError(f"clicks.spent: {spent!r} is not known; use one of: {', '.join(SPENT)}")
    listed = list(pages)
    there = {page.url for page in listed}
    listed += [PageClicks(url) for url in bm25 if url not in there]
    raw = [bm25.get(page.url, 0.0) for page in listed]
    ranks = log_ranks(listed)
    middle = medians(raw, ranks)
    scores = [_page_score(*each, spent) for each in zip(listed, raw, ranks, strict=True)]
    values = shares([score.value for score in scores])
    judged = [importance(okapi, rank, middle, content) for okapi, rank in zip(raw, ranks, strict=True)]
    return [PlacedPage(*each) for each in zip(listed, raw, ranks, judged, scores, values, strict=True)]


def _page_score(page: PageClicks, bm25: float, log_rank: float, spent: str) -> Score:
    measured = page.length if spent == "length" else log_rank
    return value_score(page.visits, bm25_scaled(bm25), measured, page.ascii_sum, page.downloads)


def log_ranks(pages: Sequence[PageClicks]) -> list[float]:
    """LR of each; views whose end nobody saw last as long as is usual on the page, or else on its site (C8)."""
    spans: dict[str, dict[int, int]] = {}
    for page in pages:
        known = spans.setdefault(site_of(page.url), {})
        for span, number in page.spans.items():
            known[span] = known.get(span, 0) + number
    usual = {site: median_span(known) or 0.0 for site, known in spans.items()}
    return [page.log_rank(usual[site_of(page.url)]) for page in pages]


def ordered(pages: Iterable[PlacedPage], by: str = "iv") -> list[PlacedPage]:
    """The pages in the order of one measure, the most important first; equals by I(d), then by their URLs."""
    measure = ORDERS.get(by)
    if measure is None:
        raise ConfigurationError(f"no order named {by!r}; there are: {', '.join(ORDERS)}")
    return sorted(pages, key=lambda page: (-measure(page), -page.importance.value, page.clicks.url))
