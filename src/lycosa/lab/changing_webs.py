"""Webs as they are now and later, with the truth about what changed in between.

A simulated web changes by itself, and its generator knows every version of every page. A
recorded web has as many versions as were recorded; what changed is seen by comparing their
files. No crawler is told any of it.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from lycosa.configuration.settings import ConfigurationError
from lycosa.fetching.recorded_web import Recording, parse_recording, recording_of
from lycosa.fetching.sitemaps import read_sitemap
from lycosa.lab.simulated_web.notation import parse_box, written
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.lab.webs import LabWeb, Tell, listed_spelling, open_web
from lycosa.urls import site_of

DAY = 86_400.0
BEGINS = 1_700_000_000.0
"""When a simulated web begins that does not say so itself: any time will do, as long as it is always the same."""
AFTERWARDS = 60.0
"""A version is met so many seconds after its last change."""
BOX_ROUNDS = 3


class PageState(NamedTuple):
    """What a page is at a time: equal files are equal to the byte, equal texts have the same main text."""

    file: str
    text: str


class WebVersions(Protocol):
    """A web that changes."""

    name: str
    fetcher: str
    seeds: tuple[str, ...]
    rounds: int
    """How many rounds show all of it."""

    def notation(self, round_: int) -> str:
        """What a crawl is told to fetch from in a round; 0 is the first crawl."""

    def moment(self, round_: int) -> float:
        """When a round begins."""

    def pages(self, round_: int) -> frozenset[str]:
        """All pages there are when a round begins, by the address they are listed with."""

    def unlinked(self) -> frozenset[str]:
        """The pages that no way of links leads to from the seeds, at the first crawl."""

    def listed(self, url: str, round_: int) -> str:
        """The address that a page is listed with, by any address of it."""

    def state(self, url: str, at: float) -> PageState | None:
        """What a page was at a time; None where there was none."""


def open_versions(web: str, then: Sequence[str] = (), tell: Tell | None = None) -> WebVersions:
    """The web that a notation names, and what becomes of it."""
    kind = web.partition(":")[0]
    if kind == "box":
        if then:
            raise ConfigurationError(f"{web} changes by itself; leave --then out, and say changed=SHARE in it")
        return ChangingBox(web)
    if kind not in ("dir", "warc"):
        raise ConfigurationError(f"{web!r} cannot be looked at twice; write box:SEED?changed=0.1, dir:DIR or warc:FILE")
    if not then:
        raise ConfigurationError(f"{web}: say what becomes of it, with --then dir:OTHER or --then warc:OTHER")
    return RecordedVersions([web, *then], tell)


class ChangingBox:
    """A simulated web: one period lies between two rounds."""

    fetcher = "simulated"
    rounds = BOX_ROUNDS

    def __init__(self, notation: str) -> None:
        told = parse_box(notation)
        settings = told if told.begins is not None else msgspec.structs.replace(told, begins=BEGINS)
        self.name, self._notation = notation, written(settings)
        self.web = SimulatedWeb(settings.seed, settings)
        self.seeds = tuple(self.web.roots())
        self._pages = frozenset(self.web.page_urls())

    def notation(self, round_: int) -> str:
        """The same web at all times; the clock decides."""
        return self._notation

    def moment(self, round_: int) -> float:
        """A period after the round before."""
        return self.web.begins + AFTERWARDS + round_ * float(self.web.settings.period)

    def pages(self, round_: int) -> frozenset[str]:
        """Its pages are always the same ones."""
        return self._pages

    def unlinked(self) -> frozenset[str]:
        """By the generator's own links."""
        return self._pages - self.web.reachable_from(self.seeds)

    def listed(self, url: str, round_: int) -> str:
        """Every page has one address."""
        return url

    def state(self, url: str, at: float) -> PageState | None:
        """By the generator: every change is one of the text."""
        if url not in self._pages:
            return PageState(url, url)
        version = str(self.web.version_of(url, at))
        return PageState(version, version)


class RecordedVersions:
    """Folders or archives that hold the same web at different times, oldest first."""

    fetcher = "recorded"

    def __init__(self, notations: Sequence[str], tell: Tell | None = None) -> None:
        self.name, self._notations = notations[0], list(notations)
        self.rounds = len(notations) - 1
        self._recordings = [recording_of(parse_recording(each)) for each in notations]
        self._webs = [open_web(each, tell) for each in notations]
        self._pages = [frozenset(web.urls()) for web in self._webs]
        for place, pages in enumerate(self._pages):
            if not pages & self._pages[0]:
                raise ConfigurationError(f"{notations[place]}: has no page in common with {notations[0]}")
        self._spellings = [listed_spelling(recording.urls()) for recording in self._recordings]
        self._moments = _moments(self._recordings, [parse_recording(each).path for each in notations])
        roots = sorted({f"{site_of(url)}/" for url in self._pages[0]} & self._pages[0])
        self.seeds = tuple(roots or [self._webs[0].generic_seed])

    def notation(self, round_: int) -> str:
        """The version of a round; after the last one nothing changes any more."""
        return self._notations[min(round_, self.rounds)]

    def moment(self, round_: int) -> float:
        """After the last change of a version, and at least a day after the round before."""
        return self._moments[min(round_, self.rounds)] + max(0, round_ - self.rounds) * DAY

    def pages(self, round_: int) -> frozenset[str]:
        """The HTML files of a version."""
        return self._pages[min(round_, self.rounds)]

    def unlinked(self) -> frozenset[str]:
        """By the links that the crawler's reader sees in the files."""
        return self._pages[0] - _reached(self._webs[0], self.seeds, self._spellings[0])

    def listed(self, url: str, round_: int) -> str:
        """A folder's index page is listed as the folder."""
        return self._spellings[min(round_, self.rounds)](url)

    def state(self, url: str, at: float) -> PageState | None:
        """By the file, and by the text that the crawler's reader sees in it."""
        version = max(0, bisect_right(self._moments, at) - 1)
        answer = self._recordings[version].respond(url)
        if answer.status != 200:
            return None
        file = blake2b(answer.raw, digest_size=16).hexdigest()
        page = self._webs[version].page(self._spellings[version](url))
        return PageState(file, page.digest.hex() if page is not None else file)


def _reached(web: LabWeb, seeds: Sequence[str], spelling: Callable[[str], str]) -> set[str]:
    found, waiting = set(seeds), list(seeds)
    while waiting:
        page = web.page(waiting.pop())
        new = {spelling(link.url) for link in page.links} - found if page is not None else set()
        found |= new
        waiting += new
    return found


def _moments(recordings: Sequence[Recording], paths: Sequence[Path]) -> list[float]:
    """When each version is met: after the latest change that its sitemaps tell of, or else after its files' times."""
    moments: list[float] = []
    for recording, path in zip(recordings, paths, strict=True):
        latest = _latest_claim(recording) or _latest_file(path)
        earliest = moments[-1] + DAY if moments else 0.0
        moments.append(max(earliest, latest + AFTERWARDS))
    return moments


def _latest_claim(recording: Recording) -> float:
    named = [url for url in recording.urls() if "sitemap" in url.rpartition("/")[2]]
    found = (read_sitemap(url, [recording.respond(url).raw], time.time()) for url in named)
    return max((entry.lastmod or 0.0 for each in found for entry in each.entries), default=0.0)


def _latest_file(path: Path) -> float:
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return max((each.stat().st_mtime for each in files), default=0.0)
