"""What a stretch of log adds to each page: views, times, visitors, referrers, as one record per page."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lycosa.click_records import DAY, LONGEST_SPAN, MOST_REFERRERS, PageClicks, most_frequent
from lycosa.clickstream.server_logs.parsing.byte_slices import Places, Words
from lycosa.clickstream.server_logs.parsing.page_requests import Requests
from lycosa.clickstream.server_logs.request_filter import NO_REFERRER, Numbered, page_hashes
from lycosa.clickstream.server_logs.sessions.daily_visitors import DayVisitors
from lycosa.clickstream.server_logs.sessions.sessions import Followed
from lycosa.clickstream.server_logs.sessions.visitor_register import NO_ENTRY

_SHIFT = 32


@dataclass(slots=True)
class Tally:
    """Views, times and referrers since the last write, as they came."""

    views: list[tuple[Places, Places, Places]] = field(default_factory=list)
    spans: list[tuple[Places, Places]] = field(default_factory=list)
    unended: list[Places] = field(default_factory=list)
    referrers: list[Places] = field(default_factory=list)
    rows: int = 0

    def add(self, requests: Requests, followed: Followed) -> None:
        """Count what came of requests."""
        kept = followed.kept
        page, origin = requests.page[kept], requests.referrer[kept]
        self.views.append((page, requests.at[kept], followed.entries[kept]))
        self.spans.append((followed.span_pages, followed.span_times))
        self.unended.append(followed.unended)
        came = origin != NO_REFERRER
        self.referrers.append(page[came] << _SHIFT | origin[came])
        self.rows += len(page)

    def end(self, pages: Places) -> None:
        """Count views whose end nobody saw."""
        self.unended.append(pages)

    def records(self, pages: Numbered, referrers: Numbered, seen: DayVisitors, before: float) -> list[PageClicks]:
        """The sums, per page. The keys of days that ended before a time in seconds are due."""
        total = len(pages.texts)
        span_pages, span_times = _joined([each[0] for each in self.spans]), _joined([each[1] for each in self.spans])
        duration = np.zeros(total, np.int64)
        np.add.at(duration, span_pages, span_times)
        page, at = _joined([each[0] for each in self.views]), _joined([each[1] for each in self.views])
        visits = np.bincount(page, minlength=total)
        unended = np.bincount(_joined(self.unended), minlength=total)
        visitors = self._visitors(page, at, page_hashes(pages.texts), seen, before)
        created, last = np.full(total, np.iinfo(np.int64).max), np.zeros(total, np.int64)
        np.minimum.at(created, page, at)
        np.maximum.at(last, page, at)
        spans = _grouped(span_pages << _SHIFT | np.minimum(span_times // 1000, LONGEST_SPAN))
        origins = _grouped(_joined(self.referrers))
        touched = np.flatnonzero(visits + unended + np.bincount(span_pages, minlength=total))
        return [
            PageClicks(
                pages.texts[number],
                int(visits[number]),
                int(visitors[number]),
                int(duration[number]),
                int(unended[number]),
                spans.get(number, {}),
                created=int(created[number]) / 1000 if visits[number] else 0.0,
                last_access=int(last[number]) / 1000,
                referrers=_named(origins.get(number, {}), referrers),
            )
            for number in touched.tolist()
        ]

    def _visitors(self, page: Places, at: Places, hashes: Words, seen: DayVisitors, before: float) -> Places:
        """How many came to each page for the first time that day; those whom nobody knows do not count."""
        entries = _joined([each[2] for each in self.views])
        known = entries != NO_ENTRY
        page, at, entries = page[known], at[known], entries[known]
        new = seen.new(at // (DAY * 1000), entries, hashes[page], before)
        return np.bincount(page[new], minlength=len(hashes))


def _joined(parts: list[Places]) -> Places:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _grouped(pairs: Places) -> dict[int, dict[int, int]]:
    """Pairs of a page and something, as counts per page."""
    found: dict[int, dict[int, int]] = {}
    each, times = np.unique(pairs, return_counts=True)
    for pair, number in zip(each.tolist(), times.tolist(), strict=True):
        found.setdefault(pair >> _SHIFT, {})[pair & (1 << _SHIFT) - 1] = number
    return found


def _named(counts: dict[int, int], referrers: Numbered) -> dict[str, int]:
    return most_frequent({referrers.texts[number]: times for number, times in counts.items()}, MOST_REFERRERS)
