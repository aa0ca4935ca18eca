"""What a stored page is worth, and why: to the crawl's topic, to people, and for a query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import lmdb
import msgspec

from lycosa.click_records import Action, PageClicks
from lycosa.clickstream.behaviour import page_weight
from lycosa.configuration.sections import Clicks
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.reading_apart import read_apart
from lycosa.inspection.explanation import Explanation, explain
from lycosa.interface.shared.server_paths import sentence_of
from lycosa.interface.views.open_crawls import Library
from lycosa.interface.views.reader.stored_page import StoredPage
from lycosa.records import Score
from lycosa.storage.catalogue import MissingExtra
from lycosa.storage.click_store import ClickStore

DEPTH = 100
"""Results of a query among which the page is looked for."""


@dataclass(frozen=True, slots=True)
class Watched:
    """What people did with a page, by one click store: `where` is whose it is."""

    where: str
    clicks: PageClicks
    weight: Score

    @property
    def rating(self) -> float | None:
        """The mean of the stars that people gave."""
        return self.clicks.rating_sum / self.clicks.ratings if self.clicks.ratings else None

    @property
    def actions(self) -> dict[str, int]:
        """How often each action was done, by name."""
        known = {int(action): action.name.lower() for action in Action}
        return {known[each]: times for each, times in sorted(self.clicks.actions.items()) if each in known}


@dataclass(frozen=True, slots=True)
class ScoresTold:
    """All scores of a page. `place` is where it stands among the results of a query, from 1; 0 if it is not there."""

    relevance: float | None
    relevance_why: str
    importance: float | None
    classes: tuple[str, ...]
    watched: tuple[Watched, ...]
    story: Explanation | None
    story_trouble: str
    place: int = 0
    for_query: Score | None = None


def scores_told(library: Library, folder: CrawlFolder, stored: StoredPage, query: str = "") -> ScoresTold:
    """What a page is worth, and why."""
    row = stored.row
    topics = library.topics(folder)
    story, trouble = _story(folder, stored.url)
    place, score = _in_search(library, folder, stored.url, query) if query else (0, None)
    return ScoresTold(
        row.relevance,
        row.relevance_why,
        row.importance,
        tuple(topics.named(each) for each in row.classes.split()),
        watched(folder, stored.url),
        story,
        trouble,
        place,
        score,
    )


def _story(folder: CrawlFolder, url: str) -> tuple[Explanation | None, str]:
    """Every decision of the crawl about the page, or why they cannot be told."""
    try:
        return explain(folder, url), ""
    except (CrawlError, ConfigurationError, MissingExtra, lmdb.Error) as error:
        return None, sentence_of(error)


def _in_search(library: Library, folder: CrawlFolder, url: str, query: str) -> tuple[int, Score | None]:
    found = library.search(folder, query, DEPTH, 0)
    for place, hit in enumerate(found.hits if found else (), 1):
        if hit.url == url:
            return place, hit.why or Score(hit.score, "by its words alone")
    return 0, None


@read_apart()
def watched(folder: CrawlFolder, url: str) -> tuple[Watched, ...]:
    """What the crawl's own readers did, and what the clickstream knows where the crawl uses one."""
    try:
        settings = folder.configuration().clicks
    except (ConfigurationError, OSError):
        settings = Clicks()
    seen = [*_seen_in(folder.path / "clicks", "readers of this crawl", url, settings)]
    if settings.source:
        seen += _seen_in(folder.path.parent.parent / "clicks", "visitors of the site", url, settings)
    return tuple(seen)


def _seen_in(place: Path, where: str, url: str, settings: Clicks) -> Iterator[Watched]:
    if not (place / "data.mdb").exists():
        return
    try:
        with ClickStore(place, readonly=True) as store:
            found = [clicks for site in store.sites() if (clicks := store.page(site.name, url)) is not None]
    except (lmdb.Error, OSError, msgspec.DecodeError):
        return
    for clicks in found:
        weight = page_weight(clicks.sets, settings.least_support, settings.least_confidence)
        yield Watched(where, clicks, weight.score())
