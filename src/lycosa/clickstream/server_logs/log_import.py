"""A site's logs become what people did with its pages: read, sifted, followed, counted, written.

What was counted and how far each log was read become durable together, so an import that
is killed goes on where it was, and a log that was read before counts only with what is new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lycosa.click_records import Source
from lycosa.clickstream.server_logs.known_logs import marks_of
from lycosa.clickstream.server_logs.log_files import LogFile
from lycosa.clickstream.server_logs.log_selection import chosen_logs
from lycosa.clickstream.server_logs.merged_logs import LineCounts, LogNote, LogRun, in_order
from lycosa.clickstream.server_logs.page_totals import Tally
from lycosa.clickstream.server_logs.page_urls import LogSite
from lycosa.clickstream.server_logs.parsing.page_requests import Requests
from lycosa.clickstream.server_logs.request_filter import RequestSieve, renumbered
from lycosa.clickstream.server_logs.sessions.daily_visitors import DayVisitors
from lycosa.clickstream.server_logs.sessions.open_sessions import OpenSessions
from lycosa.clickstream.server_logs.sessions.pseudonyms import KEYS_KEPT, VisitorNames
from lycosa.clickstream.server_logs.sessions.sessions import Sessions
from lycosa.clickstream.server_logs.sessions.store_protocol import LogStore, VisitorKeys

VIEWS_AT_ONCE = 500_000
"""Views that are written together."""
FUTURE = 86_400
"""Seconds by which a server's clock may be ahead."""
CLOSE_EVERY = 300_000
"""Milliseconds of the log's time between looks for sessions that timed out."""


@dataclass(slots=True)
class Imported:
    """What an import found."""

    site: str
    logs: list[LogNote] = field(default_factory=list)
    counts: LineCounts = field(default_factory=LineCounts)
    visits: int = 0
    visitors: int = 0
    sessions: int = 0
    open_sessions: int = 0
    without_session: int = 0
    clock_backwards: int = 0
    keys_destroyed: int = 0

    @property
    def left_out(self) -> dict[str, int]:
        """How many requests were left out, by reason."""
        return {name: number for name, number in sorted(self.counts.left_out.items()) if number}


@dataclass(slots=True, frozen=True)
class Progress:
    """How far an import is, in bytes on disk; `total` is 0 where nobody knows."""

    lines: int
    taken: int
    total: int


class LogImport:
    """Imports logs of one site into a store. `now` is the time by the clock, in seconds."""

    def __init__(
        self, site: LogSite, store: LogStore, keys: VisitorKeys, *, now: float, session: float = 1800.0, told: str = ""
    ) -> None:
        self._site, self._store, self._keys, self._now, self._told = site, store, keys, now, told
        self._sieve = RequestSieve(site, int((now + FUTURE) * 1000))
        self._names = VisitorNames(keys, now)
        self._mark = f"sessions:{site.name}:open"
        opened = OpenSessions.unpacked(store.mark(self._mark), self._names.book, self._sieve.pages.number)
        self._sieve.settle()
        self._sessions = Sessions(self._names, opened, int(session * 1000))
        self._seen = DayVisitors(store, site.name, self._names.book)
        self._tally = Tally()
        self._runs: list[LogRun] = []
        self._time = self._closed_at = 0
        self._counted: Counter[str] = Counter()
        self.found = Imported(site.name)

    def run(self, files: Sequence[LogFile], progress: Callable[[Progress], None] | None = None) -> Imported:
        """Import logs, in any order. Returns what was found."""
        total = sum(file.size for file in files)
        left = list(files)
        while left:
            choice = chosen_logs(left, self._sieve, self._store, self._told, self.found.logs)
            left, self._runs = choice.later, choice.runs
            for requests in in_order(self._runs, self._sieve, self.found.counts):
                self._count(requests)
                if progress is not None:
                    taken = sum(run.log.blocks.stream.taken for run in self._runs if run.active)
                    progress(Progress(self.found.counts.lines, taken, total))
            self._finish()
        return self.found

    def _count(self, requests: Requests) -> None:
        followed = self._sessions.follow(requests)
        self._tally.add(requests, followed)
        found = self.found
        self._time = int(requests.time[-1])
        found.clock_backwards += followed.counts.pop("clock-backwards", 0)
        found.counts.left_out.update(followed.counts)
        found.sessions += followed.sessions
        found.without_session += followed.without_session
        found.visits += int(followed.kept.sum())
        if self._time - self._closed_at >= CLOSE_EVERY:
            self._tally.end(self._sessions.close(self._time))
            self._closed_at = self._time
        if self._tally.rows >= VIEWS_AT_ONCE or self._sieve.is_full or self._names.book.is_full:
            self._write(before := self._time / 1000 - KEYS_KEPT)
            if passed := self._names.passed(before):
                self._keys.close(passed)

    def _finish(self) -> None:
        """The end of logs: close what is over, destroy the keys that are due, and write."""
        self._time = max([self._time, *(run.time for run in self._runs)])
        before = max(self._now, self._time / 1000) - KEYS_KEPT
        self._tally.end(self._sessions.close(self._time))
        self._tally.end(self._sessions.open.close_before(before))
        self._write(before)
        passed = self._names.passed(before)
        self.found.keys_destroyed += len(destroyed := self._keys.destroy(before, passed))
        self._names.close((*destroyed, *passed))
        self.found.open_sessions = len(self._sessions.open)
        for run in self._runs:
            run.note()
            run.log.blocks.stream.close()

    def _write(self, before: float) -> None:
        """One transaction: totals, how far each log was read, and who may go on.

        What tells visitors of days that ended before a time in seconds apart is dropped.
        """
        pages = self._tally.records(self._sieve.pages, self._sieve.referrers, self._seen, before)
        self.found.visitors += sum(page.visitors for page in pages)
        self._seen.drop(before)
        marks: dict[str, bytes | None] = {self._mark: self._sessions.open.packed(self._sieve.pages.named)}
        marks.update(marks_of([(run.log, run.reached()) for run in self._runs]))
        marks.update(self._seen.taken())
        now = Counter(self.found.counts.left_out)
        now["bad-line"] = self.found.counts.bad
        refusals = {name: number - self._counted[name] for name, number in now.items() if number > self._counted[name]}
        self._store.add_pages(self._site.name, Source.LOG, pages, marks=marks, refusals=refusals)
        self._counted, self._tally = now, Tally()
        self._sessions.open.saved()
        if self._sieve.is_full:
            self._begin_anew()

    def _begin_anew(self) -> None:
        """Empty the tables of what was understood; what is open keeps its pages under new numbers."""
        pages, referrers = self._sieve.pages, self._sieve.referrers
        self._sieve.clear()
        self._sessions.open.renumber(lambda numbers: renumbered(numbers, pages, self._sieve.pages))
        for run in self._runs:
            if run.pending is not None:
                run.pending.page = renumbered(run.pending.page, pages, self._sieve.pages)
                run.pending.referrer = renumbered(run.pending.referrer, referrers, self._sieve.referrers)
        self._sieve.settle()
