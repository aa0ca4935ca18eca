"""Pages that a process was reading when it died, or was ended because it got no further.

Each is read alone the next time, in a process with limits. A page that fails there too is refused
for good: nothing reads it again. One that passes there, but still ends the process that reads it
for its purposes, is refused at its third death.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
import xxhash

from lycosa.crawl_folder.reading_slot import ReadingSlot, name_of
from lycosa.durable import replace_file
from lycosa.urls import site_of

TOO_COSTLY = "too-costly"
"""The name under which a page is counted and recorded that nobody can read within the limits."""
SAME_BYTES = "a page with the same bytes takes too much"
MOST_DEATHS = 3
MOST_OF_SITE = 3
"""When so many pages of a site were refused, every other one of it is read alone before it is read with others."""


class _Kept(msgspec.Struct):
    """What is kept in a file: deaths by page, why pages were refused, digests of what these said."""

    deaths: dict[str, int] = {}
    refused: dict[str, str] = {}
    contents: set[str] = set()


class SuspectPages:
    """The suspects of one process, and the slot in which it says what it reads."""

    def __init__(self, path: Path) -> None:
        self._slot, self._file = ReadingSlot(path), path.with_suffix(".suspects.json")
        self._kept = _load(self._file)
        self._of_site = Counter(map(site_of, self._kept.refused))
        self._seen: set[str] = set()
        for name in self._slot.left_over.suspects:
            self._kept.deaths[name] = self._kept.deaths.get(name, 0) + 1
        if self._slot.left_over.suspects:
            self._save()

    def begin(self, urls: Sequence[str]) -> None:
        """A batch of pages is about to be read."""
        self._slot.begin(map(name_of, urls))

    def page(self, url: str) -> None:
        """This page is being read now."""
        name = name_of(url)
        self._slot.page(name)
        if name in self._kept.deaths:
            self._seen.add(name)

    def together(self) -> None:
        """The pages of the batch are dealt with all at once."""
        self._slot.page("")

    def done(self) -> None:
        """All that was begun is done: nobody died of it."""
        self._slot.done()
        if self._seen:
            for name in self._seen:
                self._kept.deaths.pop(name, None)
            self._seen.clear()
            self._save()

    def __contains__(self, url: str) -> bool:
        """Whether a process died while it read the page, perhaps because of it."""
        return bool(self._kept.deaths) and name_of(url) in self._kept.deaths

    def doubts(self, url: str) -> bool:
        """Whether a page is to be read alone first."""
        return url in self or (bool(self._of_site) and self._of_site[site_of(url)] >= MOST_OF_SITE)

    def refused(self, url: str, body: bytes = b"") -> str:
        """Why a page is not read any more, or ''. Another page that has the same bytes is not read either."""
        name = name_of(url)
        if name in self._kept.refused:
            return self._kept.refused[name]
        if self._kept.deaths.get(name, 0) >= MOST_DEATHS:
            self.refuse(url, f"{MOST_DEATHS} processes died of it", body)
            return self._kept.refused[name]
        if body and self._kept.contents and xxhash.xxh3_128_hexdigest(body) in self._kept.contents:
            return SAME_BYTES
        return ""

    def refuse(self, url: str, why: str, body: bytes = b"") -> None:
        """Never read a page again."""
        name = name_of(url)
        self._kept.deaths.pop(name, None)
        self._kept.refused[name] = why
        self._of_site[site_of(url)] += 1
        if body:
            self._kept.contents.add(xxhash.xxh3_128_hexdigest(body))
        self._save()

    def _save(self) -> None:
        replace_file(self._file, msgspec.json.encode(self._kept).decode())

    def close(self) -> None:
        """Close the slot: a process that ends in order has died of no page."""
        self._slot.done()
        self._slot.close()


def _load(path: Path) -> _Kept:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Kept)
    except (FileNotFoundError, msgspec.MsgspecError):
        return _Kept()
