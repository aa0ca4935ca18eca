"""Lycosa beside a conventional crawler on a web that changes: what each finds, and what looking again costs.

Both are whole crawls with archive and catalogue, polite to nobody, by a clock that is set to
the moments of the web. The conventional one reads no sitemaps and, looking again, asks for
every page it holds, conditionally. What a crawl did is read from its catalogue; what it
should have found, from the web's own truth.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from lycosa.configuration.settings import ConfigurationError, build
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.crawling.assembly import build_agent
from lycosa.freshness.change_history import SEEN
from lycosa.freshness.revisit_round import build_round, looks_of
from lycosa.lab.changing_webs import WebVersions
from lycosa.lab.webs import Tell
from lycosa.records import GONE, SITEMAP, Record
from lycosa.storage import catalogue
from lycosa.storage.catalogue import VisitRow
from lycosa.supervision.control_channel import Desk
from lycosa.urls import site_of

CONVENTIONAL, WITH_SITEMAPS = "conventional", "with sitemaps"
NAMES = (CONVENTIONAL, WITH_SITEMAPS)
MOST_ROUNDS = 100
OK, NOT_MODIFIED = 200, 304
UNGUARDED = {"urls_per_pattern": 1_000_000, "hosts_per_domain": 1_000_000}
"""A recording has an end, whatever its addresses look like."""


class Spent(Record, frozen=True):
    """What a run cost. Reading robots.txt is not counted: both do it alike.

    `bodies` are pages that came whole, `not_modified` those whose server said that they had not changed; `seconds`
    is processor time, `polite_seconds` how long it takes at one request a second to each site.
    """

    requests: int
    bodies: int
    not_modified: int
    sitemaps: int
    bytes: int
    seconds: float
    polite_seconds: int


class FirstCrawl(Record, frozen=True):
    """What a crawl found: pages of the web, and those of them to which no links lead."""

    name: str
    pages: int
    unlinked: int
    spent: Spent


class LookedAgain(Record, frozen=True):
    """What a round found, judged by the truth about the pages that the crawl held before it.

    `touched` pages have another file, `changed` ones another text: of these `found` came whole and `missed` did not.
    `gone` pages are no more there, `noticed` of them were asked for. `pages` are there now, `held` of them afterwards.
    `sites` made claims that could be judged, `believed` of them are believed from now on.
    """

    name: str
    round: int
    touched: int
    changed: int
    found: int
    missed: int
    gone: int
    noticed: int
    pages: int
    held: int
    sites: int
    believed: int
    spent: Spent


class Revisits(Record, frozen=True):
    """Both crawlers on one web: the first crawl, and the rounds of looking again."""

    web: str
    pages: int
    unlinked: int
    first: tuple[FirstCrawl, ...]
    rounds: tuple[LookedAgain, ...]

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        told = {"web": self.web, "pages": self.pages, "unlinked": self.unlinked}
        return told | {"first": list(map(_plain, self.first)), "rounds": list(map(_plain, self.rounds))}

    def pairs(self) -> list[tuple[LookedAgain, LookedAgain]]:
        """Each round of the conventional crawler beside ours."""
        usual, ours = ([each for each in self.rounds if each.name == name] for name in NAMES)
        return list(zip(usual, ours, strict=True))


class SetClock:
    """A clock that goes as all do, and can be set to another time."""

    def __init__(self, now: float) -> None:
        self.set(now)

    def set(self, now: float) -> None:
        """It is now this late."""
        self._set, self._began = now, time.monotonic()

    def __call__(self) -> float:
        return self._set + time.monotonic() - self._began


def compare(web: WebVersions, rounds: int, home: Path, tell: Tell | None = None) -> Revisits:
    """Crawl a web with both, let it change, and look again with both, so many times."""
    if not 1 <= rounds <= MOST_ROUNDS:
        raise ConfigurationError(f"--rounds {rounds} is not possible; use 1 to {MOST_ROUNDS}")
    crawlers = [Crawler(name, web, home / name.replace(" ", "-")) for name in NAMES]
    say = tell or (lambda line: None)
    first, again = [], []
    for crawler in crawlers:
        say(f"first crawl, {crawler.name}")
        first.append(crawler.crawl())
    for number in range(1, rounds + 1):
        for crawler in crawlers:
            say(f"round {number} of {rounds}, {crawler.name}")
            again.append(crawler.look_again(number))
    return Revisits(web.name, len(web.pages(0)), len(web.unlinked()), tuple(first), tuple(again))


class Crawler:
    """One of the two crawls, and what is known of the copies it holds."""

    def __init__(self, name: str, web: WebVersions, path: Path) -> None:
        self.name, self._web = name, web
        self.folder = CrawlFolder(path)
        self.clock = SetClock(web.moment(0))
        self._read = 0
        self._copies: dict[str, float] = {}
        self.folder.create(build(_settings(web, sitemaps=name == WITH_SITEMAPS), origin="lab"))

    def crawl(self) -> FirstCrawl:
        """Crawl everything that can be found."""
        rows, seconds = self._timed(build_agent)
        self._remember(rows)
        if not self._copies:
            why = ", ".join(sorted({row.why or str(row.status) for row in rows})) or "no seed was let in"
            raise ConfigurationError(
                f"{self._web.name}: no page could be fetched ({why}), so there is nothing to look at again; "
                "name a web whose first page can be read"
            )
        held = self._held(0)
        return FirstCrawl(self.name, len(held), len(held & self._web.unlinked()), _spent(rows, seconds))

    def look_again(self, number: int) -> LookedAgain:
        """Let the web change and look again; then fetch the pages that turned up."""
        begin = max(self._web.moment(number), self.clock() + 1.0)
        self.clock.set(begin)
        self.folder.change(f"fetching.web={self._web.notation(number)}")
        before = dict(self._copies)
        rows, seconds = self._timed(build_round, build_agent)
        self._remember(rows)
        states = {url: (self._web.state(url, at), self._web.state(url, begin)) for url, at in before.items()}
        whole = {row.url for row in rows if row.status == OK}
        gone = {url for url, (_, now) in states.items() if now is None}
        there = [(url, then, now) for url, (then, now) in states.items() if now is not None]
        changed = {url for url, then, now in there if then is None or then.text != now.text}
        believed = self._believed()
        return LookedAgain(
            name=self.name,
            round=number,
            touched=sum(then is None or then.file != now.file for _, then, now in there),
            changed=len(changed),
            found=len(changed & whole),
            missed=len(changed - whole),
            gone=len(gone),
            noticed=len(gone & {row.url for row in rows}),
            pages=len(self._web.pages(number)),
            held=len(self._held(number)),
            sites=len(believed),
            believed=sum(believed),
            spent=_spent(rows, seconds),
        )

    def _timed(self, *builders: Callable[..., Any]) -> tuple[list[VisitRow], float]:
        """What agents did that were run one after the other, and the processor time it took."""
        began = time.process_time()
        for builder in builders:
            desk = Desk(self.folder, 0, alone=builder is build_agent)
            agent = builder(self.folder, 0, desk, self.clock)
            try:
                asyncio.run(agent.run())
            finally:
                agent.crawl.close()
        return self._new_rows(), time.process_time() - began

    def _new_rows(self) -> list[VisitRow]:
        with reading(self.folder) as (store,):
            found = list(catalogue.history(store, after=self._read))
        self._read = found[-1][0] if found else self._read
        return [row for _, row in found]

    def _remember(self, rows: Iterable[VisitRow]) -> None:
        """Which pages the crawl holds a copy of, and when each was last looked at."""
        for row in rows:
            if row.outcome in SEEN:
                self._copies[row.url] = row.at
            elif row.why in GONE:
                self._copies.pop(row.url, None)

    def _held(self, number: int) -> frozenset[str]:
        return self._web.pages(number) & {self._web.listed(url, number) for url in self._copies}

    def _believed(self) -> list[bool]:
        """Whether each site that made claims is believed."""
        with reading(self.folder) as (store,):
            return [claims.believed for claims in looks_of(store).claims.values()]


def _settings(web: WebVersions, *, sitemaps: bool) -> dict[str, Any]:
    """A crawl of everything, as fast as it goes: robots.txt is obeyed, but nobody is there to be waited for."""
    return {
        "name": "revisits",
        "seeds": list(web.seeds),
        "strategy": "breadth-first",
        "patience": "2s",
        "topic": {"page_classes": False},
        "politeness": {
            "delay": 0,
            "address_delay": 0,
            "adaptive": 0.0,
            "longest_delay": "1ms",
            "longest_crawl_delay": "1ms",
            "retry_after": "10ms",
            "errors_before_rest": 1_000_000,
        },
        "fetching": {"fetcher": web.fetcher, "web": web.notation(0)},
        "traps": UNGUARDED if web.fetcher == "recorded" else {},
        "sitemaps": {"read": sitemaps},
        "index": {"enabled": False},
    }


def _plain(found: FirstCrawl | LookedAgain) -> dict[str, Any]:
    return msgspec.structs.asdict(found) | {"spent": msgspec.structs.asdict(found.spent)}


def _spent(rows: Sequence[VisitRow], seconds: float) -> Spent:
    asked = [row for row in rows if row.status]
    sites = Counter(site_of(row.url) for row in asked)
    return Spent(
        requests=len(asked),
        bodies=sum(row.status == OK and row.outcome != SITEMAP for row in asked),
        not_modified=sum(row.status == NOT_MODIFIED for row in asked),
        sitemaps=sum(row.outcome == SITEMAP for row in asked),
        bytes=sum(row.length for row in asked),
        seconds=round(seconds, 3),
        polite_seconds=max(sites.values(), default=0),
    )
