"""The versions of a page: what each visit brought, and what changed in its text (M8).

Every visit is a row of the catalogue and every text lies in the archive, so the past of
a page needs no store of its own. A version is a text that differs from the one before;
visits that found it unchanged belong to it. Differences are told by sentences, since the
main text of a page has no lines, and are bounded, whatever a page holds.
"""

from __future__ import annotations

import difflib
import re
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.reading_apart import read_apart
from lycosa.crawl_folder.stored_pages import page_at
from lycosa.crawl_folder.stores import reading
from lycosa.fetching.content_coding import BadCoding, TooLarge
from lycosa.records import Record
from lycosa.storage import catalogue
from lycosa.storage.archive import ArchiveDamaged, Place
from lycosa.storage.catalogue import VisitRow
from lycosa.urls import normalise

MOST_COMPARED = 3_000
"""Sentences of each text that are compared, not counting those alike at its beginning and end."""
MOST_TOLD = 400
"""Lines of a difference that are told."""
LONGEST_LINE = 500
LONG_SENTENCE = 240
"""A longer sentence is cut, mostly after about so many characters as make a line."""
CUT_AFTER = 12
"""One word in so many ends a line within a long sentence."""

_SENTENCE_END = re.compile(r"(?<=[.!?…:;])\s+|(?<=[。！？])|(?<!\s)[^\S\n]*+\n\s*")


class PageVisit(Record, frozen=True):
    """One visit of a page; `version` is 0 where no text of it was known yet, `changed` None where none came."""

    number: int
    at: float
    outcome: str
    version: int = 0
    changed: bool | None = None
    same_as: int = 0
    status: int = 0
    length: int = 0
    digest: str = ""
    relevance: float | None = None
    title: str = ""
    detail: str = ""
    duplicate_of: str = ""


class PageVersions(Record, frozen=True):
    """A page's visits, oldest first, and where the text of each of its versions lies."""

    url: str
    visits: tuple[PageVisit, ...]
    places: tuple[Place, ...]

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        visits = [{name: getattr(visit, name) for name in visit.__struct_fields__} for visit in self.visits]
        return {"url": self.url, "versions": len(self.places), "visits": visits}

    def beginning_of(self, version: int) -> float:
        """When a version was first seen."""
        return next(visit.at for visit in self.visits if visit.version == version)


class Difference(Record, frozen=True):
    """What changed between two versions: a unified diff of their sentences, and how much of it is left out."""

    older: int
    newer: int
    removed: int
    added: int
    lines: tuple[str, ...]
    left_out: int = 0
    not_compared: int = 0

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        found: dict[str, Any] = {name: getattr(self, name) for name in self.__struct_fields__}
        return found | {"lines": list(self.lines)}


@read_apart()
def versions_of(folder: CrawlFolder, typed: str) -> PageVersions:
    """The visits of a page in a crawl; a URL without a scheme is looked for with either."""
    urls = [normalise(each) for each in ([typed] if "://" in typed else [f"https://{typed}", f"http://{typed}"])]
    if not any(urls):
        raise CrawlError(f"{typed!r} is no http(s) URL; give the page's whole address")
    with reading(folder) as stores:
        for url in filter(None, urls):
            found = [[row for _, row in catalogue.about(store, url)] for store in stores]
            rows = _joined([part for part in found if part])
            if rows:
                return _versions(url, rows)
    raise CrawlError(
        f"{urls[-1]} was never visited by crawl {folder.name!r}; `lycosa explain {folder.name} URL` says why"
    )


def _joined(parts: Sequence[list[VisitRow]]) -> list[VisitRow]:
    """The rows of all agents in order; those of one agent are in order already, whatever its clock did."""
    rows = [row for part in parts for row in part]
    return rows if len(parts) < 2 else sorted(rows, key=lambda row: row.at)


def _versions(url: str, rows: Sequence[VisitRow]) -> PageVersions:
    visits: list[PageVisit] = []
    places: list[Place] = []
    digests: list[str] = []
    for number, row in enumerate(rows, 1):
        changed: bool | None = False if row.outcome == "unchanged" and digests else None
        same_as = 0
        if row.outcome == "fetched":
            changed = bool(digests) and row.digest != digests[-1]
            if changed or not digests:
                same_as = digests.index(row.digest) + 1 if row.digest in digests else 0
                digests.append(row.digest)
                places.append(Place(row.file, row.offset, row.size))
        visits.append(_visit(number, row, len(digests), changed, same_as))
    return PageVersions(url, tuple(visits), tuple(places))


def _visit(number: int, row: VisitRow, version: int, changed: bool | None, same_as: int) -> PageVisit:
    detail = f"to {row.target}" if row.target else f"{row.why} {row.detail}".strip()
    return PageVisit(
        number,
        row.at,
        row.outcome,
        version,
        changed,
        same_as,
        row.status,
        row.length,
        row.digest,
        row.relevance,
        row.title,
        detail,
        row.duplicate_of,
    )


@read_apart()
def difference(folder: CrawlFolder, page: PageVersions, older: int = 0, newer: int = 0) -> Difference:
    """How the text changed between two versions; without numbers, between the last two."""
    if not older and not newer:
        if len(page.places) < 2:
            known = "one version" if page.places else "no version"
            raise CrawlError(f"there is {known} of the text of {page.url}, so there is nothing to compare")
        older, newer = len(page.places) - 1, len(page.places)
    return compared(older, _text(folder, page, older), newer, _text(folder, page, newer))


def _text(folder: CrawlFolder, page: PageVersions, version: int) -> str:
    if not 1 <= version <= len(page.places):
        there = f"the versions are 1 to {len(page.places)}" if page.places else "no text of it ever came"
        raise CrawlError(f"{page.url} has no version {version}; {there}")
    try:
        return page_at(folder.archive, page.places[version - 1]).text
    except (ArchiveDamaged, BadCoding, TooLarge) as error:
        raise CrawlError(
            f"version {version} cannot be read from the archive ({error}); `lycosa check {folder.name}` tells more"
        ) from error


def compared(older: int, before: str, newer: int, after: str) -> Difference:
    """The difference of two texts, by sentences."""
    old, new = list(sentences(before)), list(sentences(after))
    begin = _alike(old, new)
    end = _alike(old[begin:][::-1], new[begin:][::-1])
    context = max(0, begin - 3)
    old, new = old[context : len(old) - max(0, end - 3)], new[context : len(new) - max(0, end - 3)]
    beyond = max(0, len(old) - MOST_COMPARED) + max(0, len(new) - MOST_COMPARED)
    names = (f"version {older}", f"version {newer}")
    listed = list(difflib.unified_diff(old[:MOST_COMPARED], new[:MOST_COMPARED], *names, lineterm=""))
    lines = [_placed(line, context) if line.startswith("@@") else _short(line) for line in listed]
    removed, added = (sum(line[0] == sign for line in lines[2:]) for sign in "-+")
    told = tuple(lines[:MOST_TOLD])
    return Difference(older, newer, removed, added, told, len(lines) - len(told), beyond)


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """How many sentences two texts have in common at their beginning."""
    same = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        same += 1
    return same


def _placed(hunk: str, skipped: int) -> str:
    """A hunk's header, counted from the beginning of the text."""
    return re.sub(r"([-+])(\d+)", lambda found: f"{found[1]}{int(found[2]) + skipped}", hunk) if skipped else hunk


def _short(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"


def sentences(text: str) -> Iterator[str]:
    """A text by sentences. Long ones are cut after words that are chosen by themselves.

    So a word more or less moves no cut but those beside it, and a difference stays small.
    """
    for sentence in _SENTENCE_END.split(text):
        if not sentence:
            continue
        if len(sentence) <= LONG_SENTENCE:
            yield sentence
        else:
            yield from _cut(sentence)


def _cut(sentence: str) -> Iterator[str]:
    line: list[str] = []
    length = 0
    for word in sentence.split():
        line.append(word)
        length += len(word) + 1
        if zlib.crc32(word.encode("utf-8", "replace")) % CUT_AFTER == 0 or length > LONGEST_LINE:
            yield " ".join(line)
            line, length = [], 0
    if line:
        yield " ".join(line)
