"""What a crawl without a name is called: after its topic, or after where it begins; and whether it exists already."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.asked import Asked, asked_of
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.urls import normalise, site_of

LONGEST = 40
MOST_ALIKE = 1000
USUAL = "crawl"
"""What every crawl without a name was called by earlier versions."""
_WORDS = re.compile(r"[a-z0-9]+")


def name_for(asked: Asked) -> str:
    """A name that says what a crawl looks for, or else where it begins."""
    of_words = _short("-".join(_WORDS.findall(_ascii(asked.topic))))
    if of_words:
        return of_words
    places = (*asked.seeds, *asked.examples, *asked.structures)
    return next(filter(None, map(_of_place, places)), USUAL)


def _of_place(place: str) -> str:
    """A site without what all have, or the name of a file."""
    url = normalise(place) if "://" in place else None
    if url is None:
        return _short("-".join(_WORDS.findall(_ascii(Path(place).stem))))
    host = site_of(url).partition("://")[2].removeprefix("www.")
    return _short(re.sub(r"[^a-z0-9.]+", "-", host))


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()


def _short(name: str) -> str:
    whole = name[: LONGEST + 1]
    return (whole if len(whole) <= LONGEST else whole.rpartition("-")[0] or whole[:LONGEST]).strip("-.")


def unnamed(home: Path, asked: Asked) -> CrawlFolder:
    """The crawl that was asked for just so before, or a new one with a name of its own."""
    if not asked.for_anything:
        return CrawlFolder(home / "crawls" / USUAL)
    earlier = CrawlFolder(home / "crawls" / USUAL)
    if earlier.exists and same(earlier, asked):
        return earlier
    for name in _numbered(name_for(asked)):
        folder = CrawlFolder(home / "crawls" / name)
        if not folder.exists or same(folder, asked):
            return folder
    raise CrawlError(f"there are {MOST_ALIKE} crawls of that topic; choose a --name")


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in range(2, MOST_ALIKE + 1))


def same(folder: CrawlFolder, asked: Asked) -> bool:
    """Whether a crawl began with the same topic and the same pages."""
    try:
        return asked_of(folder).plain() == asked.plain()
    except ConfigurationError:
        return False


def check_same(folder: CrawlFolder, asked: Asked) -> None:
    """Refuse to take up a crawl for something else; what is not said again stays as it was."""
    began, now = asked_of(folder), asked.plain()
    before = began.plain()
    if now.topic and now.topic != before.topic:
        looks_for = f"looks for {began.topic!r}" if began.topic else "has no topic in words"
        raise CrawlError(
            f"crawl {folder.name!r} {looks_for}; choose another --name for {asked.topic!r}, or change what that crawl "
            f"looks for: `lycosa set {folder.name} topic.words=…`"
        )
    if now.seeds and now.seeds != before.seeds:
        raise CrawlError(
            f"crawl {folder.name!r} began at {', '.join(began.seeds[:3]) or 'no page'}; choose another --name to begin "
            f"elsewhere, or add pages to that one: `lycosa add {folder.name} URL`"
        )
    if now.examples and now.examples != before.examples:
        raise CrawlError(f"crawl {folder.name!r} began with other examples; choose another --name for these")
