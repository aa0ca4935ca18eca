"""What a crawl achieved: harvest over time, speed, where time went, refusals and failures by reason, sites."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import msgspec

from lycosa.crawl_folder.costly_pages import costly_pages
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.reading_apart import LONG, read_apart
from lycosa.crawl_folder.status import Status, crawl_status
from lycosa.crawl_folder.stores import reading
from lycosa.crawl_folder.suspect_pages import TOO_COSTLY
from lycosa.inspection.site_report import KnownSites, known_sites
from lycosa.inspection.t_graph import crawl_treasure
from lycosa.records import Record
from lycosa.storage import catalogue
from lycosa.urls import site_of

MOST_POINTS = 300
MOST_SITES = 20
_COLUMNS = ("url", "at", "agent", "outcome", "why", "detail", "relevance", "length", "language", "seconds", "aside")


class CurvePoint(Record, frozen=True):
    """Pages fetched so far, those of them that are relevant, and when."""

    pages: int
    relevant: int
    at: float


class Report(Record, frozen=True):
    """A crawl in figures."""

    status: Status
    curve: tuple[CurvePoint, ...]
    sites: tuple[tuple[str, int, int], ...]
    languages: dict[str, int]
    seconds: float
    judged: dict[str, int] = msgspec.field(default_factory=dict)
    known: KnownSites = KnownSites()
    too_costly: dict[str, str] = msgspec.field(default_factory=dict)
    """Pages that could not be read within the limits, and why."""

    @property
    def pages_per_second(self) -> float:
        """Over the time in which pages came in."""
        return self.status.sums["fetched"] / self.seconds if self.seconds > 0 else 0.0

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {
            **self.status.plain(),
            "seconds": self.seconds,
            "pages_per_second_overall": self.pages_per_second,
            "curve": [[point.pages, point.relevant, point.at] for point in self.curve],
            "top_sites": [{"site": site, "pages": pages, "relevant": good} for site, pages, good in self.sites],
            "languages": self.languages,
            "links_by_treasure_level": self.judged,
            **self.known.plain(),
            "too_costly": self.too_costly,
        }


@read_apart(LONG)
def crawl_report(folder: CrawlFolder) -> Report:
    """The report of a crawl, from its catalogue."""
    configuration = folder.configuration()
    threshold = configuration.topic.threshold
    fetched: list[tuple[float, bool]] = []
    pages: Counter[str] = Counter()
    relevant: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    costly = {page.url: page.why for page in costly_pages(folder.path).values()}
    with reading(folder) as stores:
        for store in stores:
            for _, row in catalogue.history(store, columns=_COLUMNS):
                if row.why == TOO_COSTLY:
                    costly[row.url] = row.detail
                if row.outcome != "fetched":
                    continue
                good = (row.relevance or 0.0) >= threshold and not row.aside
                fetched.append((row.at, good))
                pages[site_of(row.url)] += 1
                relevant[site_of(row.url)] += good
                languages[row.language or "unknown"] += 1
        known = known_sites(stores, configuration, time.time())
    fetched.sort()
    sites = tuple((site, number, relevant[site]) for site, number in pages.most_common(MOST_SITES))
    seconds = fetched[-1][0] - fetched[0][0] if fetched else 0.0
    judged = crawl_treasure(folder).judged if configuration.link_scorer == "treasure" else {}
    spoken = dict(languages.most_common())
    return Report(crawl_status(folder), harvest_curve(fetched), sites, spoken, seconds, judged, known, costly)


def harvest_curve(fetched: list[tuple[float, bool]]) -> tuple[CurvePoint, ...]:
    """Relevant pages over pages, thinned to what a plot can show."""
    step = max(1, len(fetched) // MOST_POINTS)
    points, good = [], 0
    for place, (at, relevant) in enumerate(fetched, 1):
        good += relevant
        if place % step == 0 or place == len(fetched):
            points.append(CurvePoint(place, good, at))
    return tuple(points)
