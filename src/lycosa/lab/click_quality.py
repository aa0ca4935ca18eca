"""Does what people did tell what people will do? Importance learned from one half of a clickstream, tried on the other.

Every order of the pages is scored against the visits of the second half: NDCG of its
first hundred pages (the gain of a page is its visits), and Kendall's tau (b) over all
pages. Orders learned from the first half stand beside PageRank and in-degree, which
know all links between the pages (on Wikispeedia: the articles). There is no topic in it: of I(d) the time that people
spend is left, of P5 everything but BM.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from lycosa.click_records import PageClicks
from lycosa.configuration.settings import ConfigurationError
from lycosa.lab import wikispeedia
from lycosa.lab.visitors import halves, read_games, visits_of
from lycosa.lab.webs import LabWeb, open_web
from lycosa.link_graph.graph import LinkGraph
from lycosa.link_graph.pagerank import PageRanks
from lycosa.scoring.click_statistics import Clickstream
from lycosa.scoring.links.importance_value import ValueFormula

FIRST = 100
BY_PEOPLE = ("cfp", "importance-value", "visits")
BY_LINKS = ("pagerank", "indegree")


class Order(msgspec.Struct, frozen=True):
    """How well an order of pages foretells visits."""

    name: str
    ndcg_at_100: float
    tau: float


class ClickQuality(msgspec.Struct, frozen=True):
    """Orders side by side. The clickstream was halved: games with a time by time, those without in turn."""

    web: str
    pages: int
    games: int
    timed: int
    visits_learned: int
    visits_foretold: int
    orders: tuple[Order, ...]

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found

    def lines(self) -> list[str]:
        """For people."""
        split = f"{self.timed:,} halved by time, {self.games - self.timed:,} without a time in turn"
        head = f"{self.web}: {self.pages:,} pages, {self.games:,} games ({split})"
        told = f"learned from {self.visits_learned:,} visits, tried on {self.visits_foretold:,}"
        rows = [f"{each.name:<18}{each.ndcg_at_100:>10.4f}{each.tau:>10.4f}" for each in self.orders]
        return [head, told, "", f"{'order':<18}{'NDCG@100':>10}{'tau':>10}", *rows]


def ndcg(order: Sequence[str], gains: Mapping[str, float], depth: int = FIRST) -> float:
    """The gain of the first pages, discounted by the logarithm of their place, as a share of the best possible."""
    got = math.fsum(gains.get(url, 0.0) / math.log2(place + 2) for place, url in enumerate(order[:depth]))
    ideal = sorted(gains.values(), reverse=True)[:depth]
    best = math.fsum(gain / math.log2(place + 2) for place, gain in enumerate(ideal))
    return got / best if best else 0.0


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float:
    """Tau-b: pairs in the same order less pairs in opposite order, by those that are not tied."""
    one, other = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if len(one) != len(other):
        raise ValueError("tau needs two values of each page")
    agreed = one_untied = other_untied = 0
    for place in range(len(one) - 1):
        by_one = np.sign(one[place + 1 :] - one[place])
        by_other = np.sign(other[place + 1 :] - other[place])
        agreed += int(by_one @ by_other)
        one_untied += int(np.count_nonzero(by_one))
        other_untied += int(np.count_nonzero(by_other))
    most = math.sqrt(one_untied * other_untied)
    return agreed / most if most else 0.0


def measured(name: str, scores: Mapping[str, float], visits: Mapping[str, float]) -> Order:
    """An order of the pages that `visits` has, by scores; of equals the first by name goes first."""
    urls = sorted(visits)
    order = sorted(urls, key=lambda url: -scores.get(url, 0.0))
    tau = kendall_tau([scores.get(url, 0.0) for url in urls], [visits[url] for url in urls])
    return Order(name, ndcg(order, visits), tau)


def learned(pages: Sequence[PageClicks], web: LabWeb) -> dict[str, dict[str, float]]:
    """What each measure says of pages, from what people did with them; text and downloads from the pages."""
    people, formula = Clickstream(), ValueFormula(by_length=False)
    people.replace(pages)
    found: dict[str, dict[str, float]] = {name: {} for name in BY_PEOPLE}
    for url in web.urls():
        seen, page = people.of(url), web.page(url)
        found["cfp"][url] = seen.log_rank
        found["visits"][url] = seen.visits
        found["importance-value"][url] = formula.measure(0.0, formula.completed(seen, page) if page else seen)
    return found


def linked(web: LabWeb, urls: Sequence[str]) -> dict[str, dict[str, float]]:
    """PageRank and in-degree over all links between some pages."""
    graph, among = LinkGraph(), set(urls)
    for url in urls:
        page = web.page(url)
        graph.add(url, [link.url for link in page.links if link.url in among] if page else [])
    ranks = PageRanks(graph)
    ranks.refresh()
    numbers = {url: int(number) for url, number in zip(urls, graph.numbers(urls), strict=True)}
    return {
        "pagerank": {url: ranks.value(number) for url, number in numbers.items()},
        "indegree": {url: float(graph.in_degree(number)) for url, number in numbers.items()},
    }


def click_quality(notation: str) -> ClickQuality:
    """Measure on the games that were played on a web."""
    kind, _, rest = notation.partition(":")
    if kind != "wikispeedia":
        raise ConfigurationError(f"{notation!r} has no visitors that came twice; use wikispeedia:DIR")
    web = open_web(notation)
    articles = wikispeedia.article_urls(web.urls())
    games = read_games(wikispeedia.paths_folder(wikispeedia.find_wikispeedia(rest)), articles)
    earlier, later = halves(games)
    before, after = visits_of(earlier), visits_of(later)
    visits = dict.fromkeys(web.labels, 0.0)
    visits |= {page.url: float(page.visits) for page in after if page.url in visits}
    said = learned(before, web) | linked(web, sorted(visits))
    return ClickQuality(
        notation,
        len(visits),
        len(games),
        sum(game.at is not None for game in games),
        sum(page.visits for page in before),
        sum(page.visits for page in after),
        tuple(measured(name, said[name], visits) for name in (*BY_PEOPLE, *BY_LINKS)),
    )
