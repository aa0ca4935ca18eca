"""Logs on their way into an import: read in order, left and taken up again, and what they add to each page."""

from __future__ import annotations

import inspect
from collections import Counter
from functools import partial
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_desk import NOON, line

from lycosa.click_records import DAY, LONGEST_SPAN, MOST_REFERRERS, PageClicks
from lycosa.clickstream.server_logs.known_logs import OpenLog, Reached
from lycosa.clickstream.server_logs.line_blocks import LineBlocks
from lycosa.clickstream.server_logs.log_files import LogFile
from lycosa.clickstream.server_logs.merged_logs import LineCounts, LogNote, LogRun, in_order
from lycosa.clickstream.server_logs.page_totals import Tally
from lycosa.clickstream.server_logs.page_urls import LogSite
from lycosa.clickstream.server_logs.parsing.columns import TARGET
from lycosa.clickstream.server_logs.parsing.formats import format_called
from lycosa.clickstream.server_logs.parsing.page_requests import Requests
from lycosa.clickstream.server_logs.request_filter import NO_REFERRER, Numbered, RequestSieve
from lycosa.clickstream.server_logs.sessions.daily_visitors import DayVisitors
from lycosa.clickstream.server_logs.sessions.sessions import Followed
from lycosa.clickstream.server_logs.sessions.store_protocol import LogStore, VisitorKeys
from lycosa.clickstream.server_logs.sessions.visitor_register import NO_ENTRY, VisitorBook
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys

ODD, short = "a line that nobody understands\n", partial(line, agent="x")
SIEVE = RequestSieve(LogSite("example.org"), (NOON + DAY) * 1000)
Pair = tuple[int, int]
View = tuple[int, int, int, int, bool]
PAGES, REFERRERS = ([f"http://{number}.example/" for number in range(most)] for most in (6, 40))


class SmallBlocks(OpenLog):
    """A log that is read a few lines at a time."""

    def resume(self) -> None:
        super().resume()
        self.blocks.size = 500


def run_of(path: Path, reached: Reached | None = None, first_time: int = 0, note: LogNote | None = None) -> LogRun:
    log = SmallBlocks(LogFile(str(path)), LineBlocks(LogFile(str(path)).open()), "", [], reached)
    log.release()
    return LogRun(log, format_called("combined"), note or LogNote(""), first_time)


def begun(path: Path, *lines: str) -> LogRun:
    """A run of a log that goes on after its first line; the next block holds all these lines, and some odd ones."""
    path.write_text(ODD + "".join(lines) + ODD * 9)
    run = run_of(path, Reached(len(ODD), b"", lines=1))
    run.begin(SIEVE)
    run.advance(SIEVE, LineCounts())
    return run


def told(requests: Requests | None) -> list[tuple[int, str]]:
    """The times of requests, in seconds since noon, and what was asked for."""
    assert requests is not None
    where = zip(requests.time.tolist(), requests.block.tolist(), requests.row.tolist(), strict=True)
    return [(time // 1000 - NOON, requests.blocks[block].text(TARGET, row).decode()) for time, block, row in where]


def plain_order(logs: list[list[Pair]]) -> list[tuple[int, str]]:
    """Requests by the latest time so far in their log, then by log, then by place."""
    found = list[tuple[int, int, int]]()
    for rank, log in enumerate(logs):
        times = accumulate((at if status else 0 for at, status in log), max)
        found += [(time, rank, place) for place, time in enumerate(times) if log[place][1] == 200]
    return [(time, f"/{rank}/{place}") for time, rank, place in sorted(found)]


LOG = st.lists(st.tuples(st.integers(0, 9), st.sampled_from([200, 200, 200, 404, 0])), max_size=12)
"""When requests came and how they were answered; 0 stands for a line that nobody understands."""


@given(logs=st.lists(LOG, max_size=4), stop=st.integers(0, 6))
def test_requests_of_several_logs_come_in_order_and_once_though_reading_stops_and_begins_again(
    tmp_path_factory: pytest.TempPathFactory, logs: list[list[Pair]], stop: int
) -> None:
    folder, runs, found, counts = tmp_path_factory.mktemp("logs"), list[LogRun](), list[tuple[int, str]](), LineCounts()
    for rank, log in enumerate(logs):
        asked = [(NOON + at, f"/{rank}/{place}", status) for place, (at, status) in enumerate(log)]
        (folder / str(rank)).write_text("".join(short(at, name, status=how) if how else ODD for at, name, how in asked))
        runs.append(run_of(folder / str(rank), None, next(((NOON + at) * 1000 for at, status in log if status), 0)))
    for _, requests in zip(range(stop), in_order(runs, SIEVE, counts), strict=False):
        found += told(requests)
    runs = [run_of(folder / str(rank), run.reached() if run.active else None) for rank, run in enumerate(runs)]
    found += [each for requests in in_order(runs, SIEVE, counts) for each in told(requests)]
    assert found == plain_order(logs)
    assert (counts.lines, counts.bad) == (sum(map(len, logs)), sum(status == 0 for log in logs for _, status in log))


def test_a_log_is_opened_when_the_others_reach_its_time(tmp_path: Path) -> None:
    for name, times in (("a", range(50, 59)), ("b", [*range(9), 50])):
        (tmp_path / name).write_text("".join(short(NOON + time, f"/{name}") for time in times))
    late, early = run_of(tmp_path / "a", Reached(0, b"known"), (NOON + 50) * 1000), run_of(tmp_path / "b")
    work = in_order([late, early], SIEVE, LineCounts())
    next(work)
    assert (early.active, late.active, late.reached()) == (True, False, Reached(0, b"known"))
    found = [each for requests in work for each in told(requests)]
    assert found[-10:] == [(50, "/a"), (50, "/b"), *((time, "/a") for time in range(51, 59))]


def test_bad_lines_are_shown_by_their_numbers_in_the_whole_log_and_a_torn_one_waits(tmp_path: Path) -> None:
    note, counts, good, asset = LogNote("log"), LineCounts(), line(NOON), line(NOON, "/s.css")
    (tmp_path / "log").write_text(ODD * 3 + "\n" + asset * 5 + ODD + good + ODD * 9 + good[:-1])
    run = run_of(tmp_path / "log", Reached(len(ODD), b"", lines=1), note=note)
    assert len(list(in_order([run], SIEVE, counts))) == 1
    run.note()
    assert [bad.number for bad in counts.examples] == [2, 3, 10, 12, 13], "five of them"
    assert (counts.lines, counts.bad, counts.left_out["asset"]) == (19, 12, 5)
    assert (note.lines, note.waiting, note.said) == (19, len(good) - 1, "")


def test_requests_are_emitted_as_many_as_are_asked_for_and_the_place_says_how_many(tmp_path: Path) -> None:
    run = begun(tmp_path / "log", *(short(NOON + place, f"/{place}") for place in range(3)))
    size = run.log.blocks.length
    assert (run.emit(0), told(run.emit(1)), told(run.emit(1))) == (None, [(0, "/0")], [(1, "/1")])
    place = run.reached()
    assert (place.length, place.lines, place.emitted, place.again) == (len(ODD), 1, 2, size - len(ODD))
    assert told(run.emit(9)) == [(2, "/2")]
    assert run.emit(1) is None
    again = run_of(tmp_path / "log", place)
    again.begin(SIEVE)
    assert told(again.pending) == [(2, "/2")]
    end = run.reached()
    assert (end.length, end.lines, end.time, end.again, end.format) == (size, run.lines, run.time, 0, "combined")


def test_merged_requests_and_parts_of_them_lead_to_their_own_lines(tmp_path: Path) -> None:
    asked = [[(5, "/a"), (7, "/b")], [(9, "/none")], [(5, "/c"), (6, "/d")], [(5, "/e")]]
    runs = [begun(tmp_path / "log", *(short(NOON + at, target) for at, target in each)) for each in asked]
    first, none, *others = (run.pending for run in runs if run.pending is not None)
    rest = Requests.merged([none.part(slice(0)), *others])
    found = Requests.merged([first.part(slice(1, None)), rest, first.part(slice(1))])
    assert told(found) == [(5, "/c"), (5, "/e"), (5, "/a"), (6, "/d"), (7, "/b")]
    assert told(found.part(slice(2, 4))) == [(5, "/a"), (6, "/d")]
    assert told(Requests.merged([rest.part(slice(1)), first.part(slice(1))] * 30)) == [(5, "/c"), (5, "/a")] * 30
    found.at = np.array([-1, 0, DAY * 1000 - 1, DAY * 1000])
    assert found.day.tolist() == [-1, 0, 0, 1]


def added_up(folder: Path, views: list[View], spans: list[Pair], unended: list[int], before: float) -> list[PageClicks]:
    """What a tally says of views (page, second, visitor, referrer, whether it counts), added in two stretches."""
    tally, book, pages, referrers = Tally(), VisitorBook(lambda _: None), Numbered(), Numbered()
    pages.texts, referrers.texts = PAGES, REFERRERS
    book.add_named(np.zeros(3, int), np.arange(3).astype(np.uint64), np.arange(6).astype(np.uint64).reshape(3, 2))
    for some in (slice(4), slice(4, None))[: len(views) + len(spans) + len(unended)]:
        page, second, who, origin, kept = np.array(views[some], int).reshape(-1, 5).T
        nobody, none, times = np.zeros(len(page), np.uint64), page * 0, np.array(spans[some], int).reshape(-1, 2).T
        followed = Followed(kept > 0, who, times[0], times[1], np.array(unended[some][1:], int))
        tally.add(Requests(nobody, nobody, page, origin, second * 1000, none, none, none, []), followed)
        tally.end(np.array(unended[some][:1], int))
    with ClickStore(folder) as store:
        return tally.records(pages, referrers, DayVisitors(store, "example.org", book), before)


VIEW = st.tuples(*map(st.integers, (0, 1, NO_ENTRY, NO_REFERRER), (2, 3 * DAY, 2, 2)), st.booleans())
SPAN = st.tuples(st.integers(0, 3), st.sampled_from([0, 999, 1000, LONGEST_SPAN * 1000 + 999, LONGEST_SPAN * 3000]))


@given(st.lists(VIEW), st.lists(SPAN), st.lists(st.integers(0, 4)), st.sampled_from([0.0, 9e9]))
def test_a_tally_says_of_each_page_what_is_added_up_by_hand(
    tmp_path_factory: pytest.TempPathFactory, views: list[View], spans: list[Pair], unended: list[int], before: float
) -> None:
    expected = []
    for number, url in enumerate(PAGES):
        seen = [view for view in views if view[0] == number and view[4]]
        times = [time for page, time in spans if page == number]
        seconds = [view[1] for view in seen] or [0]
        page = PageClicks(
            url, len(seen), len({(at // DAY, who) for _, at, who, *_ in seen if who != NO_ENTRY}), sum(times),
            unended.count(number), Counter(min(time // 1000, LONGEST_SPAN) for time in times),
            created=min(seconds), last_access=max(seconds),
            referrers=Counter(REFERRERS[origin] for *_, origin, _ in seen if origin != NO_REFERRER),
        )  # fmt: skip
        expected += [page] if seen or times or page.unended else []
    assert added_up(tmp_path_factory.getbasetemp() / "tally", views, spans, unended, before) == expected


def test_only_the_most_frequent_referrers_of_a_page_are_told(tmp_path: Path) -> None:
    views = [(0, 1, NO_ENTRY, origin, True) for origin in (*range(40), *range(20, 40))]
    assert [*added_up(tmp_path, views, [], [], 0.0)[0].referrers.values()] == [2] * 20 + [1] * (MOST_REFERRERS - 20)


@pytest.mark.parametrize(("asked", "answering"), [(LogStore, ClickStore), (VisitorKeys, DayKeys)])
def test_stores_and_keys_can_be_asked_what_an_import_asks(asked: type, answering: type) -> None:
    questions = [name for name in vars(asked) if not name.startswith("_")]
    found, meant = ([inspect.signature(getattr(each, name)) for name in questions] for each in (answering, asked))
    assert found == meant != []
