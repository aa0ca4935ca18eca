"""The crawls of a home as the pages see them, found by name. What may be damaged is read in processes beside."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import lmdb
import msgspec
from starlette.datastructures import QueryParams

from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.status import Status, crawl_status
from lycosa.interface.shared.errors import UnknownCrawl, UnreadableCrawl
from lycosa.interface.shared.server_paths import sentence_of, without_paths
from lycosa.interface.views.crawl_statistics import Overview, overview_of
from lycosa.interface.views.search.class_names import TopicNames
from lycosa.interface.views.search.open_index import answered, searched, stamp_of, suggested
from lycosa.interface.views.search.request import Question
from lycosa.interface.views.search.results import Answer, unanswered
from lycosa.records import Record
from lycosa.search.index import Found
from lycosa.search.schema import IndexDamaged


class Shelved(Record, frozen=True):
    """A crawl in the list of crawls; `trouble` instead of a status where it cannot be read."""

    name: str
    searchable: bool
    status: Status | None = None
    trouble: str = ""


class Library:
    """All crawls below a home, read only."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._topics: dict[str, tuple[int, TopicNames]] = {}

    def names(self) -> list[str]:
        """The names of all crawls."""
        return [folder.name for folder in CrawlFolder.all(self._home)]

    def searchable(self) -> list[str]:
        """The names of the crawls that have an index."""
        return [folder.name for folder in CrawlFolder.all(self._home) if stamp_of(folder)]

    def crawl(self, name: str) -> CrawlFolder:
        """A crawl by its name, which is only ever compared, never made into a path."""
        for folder in CrawlFolder.all(self._home):
            if folder.name == name:
                return folder
        raise UnknownCrawl(f"There is no crawl named “{name[:80]}”.")

    def shelves(self) -> list[Shelved]:
        """Every crawl with how it stands."""
        found = []
        for folder in CrawlFolder.all(self._home):
            searchable = bool(stamp_of(folder))
            try:
                found.append(Shelved(folder.name, searchable, self.status(folder)))
            except UnreadableCrawl as error:
                found.append(Shelved(folder.name, searchable, trouble=sentence_of(error)))
        return found

    def status(self, folder: CrawlFolder) -> Status:
        """How a crawl stands now."""
        try:
            return _openly(crawl_status(folder))
        except (ConfigurationError, OSError, KeyError, ValueError) as error:
            raise UnreadableCrawl(f"The crawl “{folder.name}” cannot be read: {sentence_of(error)}") from error

    def overview(self, folder: CrawlFolder) -> Overview:
        """The crawl's journals in brief, as far as they have been read."""
        try:
            return overview_of(folder)
        except (CrawlError, ConfigurationError, OSError, lmdb.Error) as error:
            return Overview(trouble=sentence_of(error))

    def search(self, folder: CrawlFolder, typed: str, limit: int, offset: int) -> Found | None:
        """The answer of a crawl's index, or None where there is no index (any more, or yet)."""
        try:
            return searched(folder, typed, limit, offset)
        except (IndexDamaged, CrawlError, OSError):
            return None

    def asked(self, parameters: QueryParams, now: float) -> tuple[Question, CrawlFolder | None, Answer]:
        """The question in an address, its crawl and its answer; a crawl is chosen where only one can be searched."""
        question, searchable = Question.of(parameters), self.searchable()
        if not question.crawl and len(searchable) == 1:
            question = question.changed(crawl=searchable[0], number=question.number)
        folder = self.crawl(question.crawl) if question.crawl else None
        return question, folder, self.ask(folder, question, now) if folder else Answer(trouble="no crawl chosen")

    def ask(self, folder: CrawlFolder, question: Question, now: float) -> Answer:
        """The answer to a question: a page of results, what they have in common, and another spelling if need be."""
        try:
            return answered(folder, question, now)
        except (IndexDamaged, CrawlError, OSError) as error:
            return unanswered(folder.name, error, there=bool(stamp_of(folder)), running=self._running(folder))

    def suggest(self, folder: CrawlFolder, typed: str, queries: Sequence[str]) -> list[str]:
        """How what somebody types may go on; `queries` of others may be told."""
        try:
            return suggested(folder, typed, queries)
        except (IndexDamaged, CrawlError, OSError):
            return []

    def topics(self, folder: CrawlFolder) -> TopicNames:
        """What the classes of a crawl's pages are called, read anew when its settings have changed."""
        try:
            stamp = (folder.path / "crawl.toml").stat().st_mtime_ns
        except OSError:
            return TopicNames(())
        kept = self._topics.get(folder.name)
        if kept is None or kept[0] != stamp:
            kept = self._topics[folder.name] = (stamp, TopicNames.of_crawl(folder))
        return kept[1]

    def _running(self, folder: CrawlFolder) -> bool:
        try:
            return self.status(folder).state == "running"
        except UnreadableCrawl:
            return False


def _openly(status: Status) -> Status:
    """How a crawl stands, for browsers."""
    agents = (each | {"settings_trouble": without_paths(each.get("settings_trouble", ""))} for each in status.agents)
    return msgspec.structs.replace(status, trouble=without_paths(status.trouble), agents=tuple(agents))
