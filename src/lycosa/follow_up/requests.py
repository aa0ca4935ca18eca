"""Follow-up crawls: somebody said that the results for a query were not enough (M14).

The structures of the best results are taken, rare ones first: a template that a hundred
thousand pages share says little about what was wanted. Pages built like them that are
in the collection already can be shown at once; then the crawl's own agents go on for a
while by structure (M11), beginning with the links that led to such pages so far. What is
asked for, how it stands and what must be put back lies in the crawl's folder.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from lycosa.configuration.sections import Configuration
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, alone_in
from lycosa.crawl_folder.stores import reading
from lycosa.crawl_folder.structure_samples import stored_structure
from lycosa.durable import replace_file
from lycosa.indexing.template_index import Alike, Structures
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.pages.structure.sketch import SAME_TEMPLATE
from lycosa.records import Record
from lycosa.scoring.pages.structure import MATCHES
from lycosa.storage import catalogue

MOST_SAMPLES = 5
"""Templates that a follow-up looks for."""
MOST_RESULTS = 20
"""Results whose structures are looked at."""
PAGES = 200
"""Pages that a follow-up may fetch, unless somebody says otherwise."""
MOST_PAGES = 100_000
MOST_SHOWN = 100


class Sample(Record, frozen=True):
    """A result whose structure is looked for, and how many pages of the collection share its template."""

    url: str
    pages: int


class FollowUp(msgspec.Struct, frozen=True):
    """One follow-up: what was asked, and where each agent's journal stood when it began."""

    number: int
    query: str
    asked_at: float
    samples: tuple[Sample, ...]
    pages: int
    state: str = "asked"
    rows_before: dict[int, int] = {}
    trouble: str = ""


class NewPage(Record, frozen=True):
    """A page that a follow-up found and kept."""

    url: str
    title: str
    likeness: float


class SimilarPage(Record, frozen=True):
    """A page of the collection that is built like a sample."""

    url: str
    likeness: float
    title: str


class Progress(Record, frozen=True):
    """How a follow-up stands: pages looked at, pages kept, and the latest of them."""

    state: str
    looked: int
    kept: int
    pages: tuple[NewPage, ...]


def follow_up_folder(folder: CrawlFolder, number: int) -> Path:
    """Where a follow-up lies."""
    return folder.path / "follow-ups" / str(number)


# -- asking -----------------------------------------------------------------------------------


def ask(folder: CrawlFolder, query: str, results: Sequence[str], pages: int = PAGES) -> FollowUp:
    """Ask for more pages built like these results, the best first."""
    found = rarest(folder, results)
    if not found:
        raise CrawlError("none of these results has a structure to go by; try another query")
    follow_ups = folder.path / "follow-ups"
    with alone_in(follow_ups):
        number = 1 + max((each.number for each in all_of(folder)), default=0)
        samples = tuple(sample for sample, _ in found)
        asked = FollowUp(number, query, time.time(), samples, max(1, min(pages, MOST_PAGES)))
        place = follow_up_folder(folder, number)
        place.mkdir()
        for each, (_, skeleton) in enumerate(found, 1):
            (place / f"{each}.bin").write_bytes(skeleton.to_bytes())
        keep(folder, asked)
    return asked


def rarest(folder: CrawlFolder, results: Sequence[str], most: int = MOST_SAMPLES) -> list[tuple[Sample, Skeleton]]:
    """The results of different templates, those whose template the fewest pages share first."""
    structures = _structures(folder)
    known: dict[int | bytes, tuple[Sample, Skeleton]] = {}
    for url in results[:MOST_RESULTS]:
        try:
            skeleton = stored_structure(folder, url)
        except CrawlError:
            continue  # gone from the archive, or nothing in it: the other results have structures too
        if skeleton is not None:
            template = structures.template_of(skeleton)
            key = skeleton.to_bytes() if template is None else template
            known.setdefault(key, (Sample(url, structures.count(skeleton)), skeleton))
    return sorted(known.values(), key=lambda each: each[0].pages)[:most]


def similar_pages(
    folder: CrawlFolder, skeletons: Sequence[Skeleton], without: Iterable[str], most: int = 20
) -> list[SimilarPage]:
    """Pages of the collection that are built like samples, those like the first of them first."""
    structures, known, found = _structures(folder), set(without), list[Alike]()
    for skeleton in skeletons:
        for each in structures.like(skeleton, most + len(known), SAME_TEMPLATE):
            if each.url not in known and len(found) < most:
                known.add(each.url)
                found.append(each)
    titles = _titles(folder, [each.url for each in found])
    return [SimilarPage(each.url, each.likeness, titles.get(each.url, "")) for each in found]


def _titles(folder: CrawlFolder, urls: Sequence[str]) -> dict[str, str]:
    with reading(folder) as stores:
        rows = [row for url in urls for store in stores for _, row in catalogue.about(store, url)]
    return {row.url: row.title for row in rows if row.title}


def matching_pages(folder: CrawlFolder, follow_up: FollowUp) -> set[str]:
    """All pages of the collection that share a template with a sample."""
    structures = _structures(folder)
    templates = {structures.template_of(skeleton) for skeleton in samples_of(folder, follow_up)}
    return {url for number in templates if number is not None for url in structures.pages_of(number)}


def _structures(folder: CrawlFolder) -> Structures:
    structures = Structures.open(folder)
    with reading(folder) as stores:
        structures.follow(stores)
    return structures


def samples_of(folder: CrawlFolder, follow_up: FollowUp) -> list[Skeleton]:
    """The structures that a follow-up looks for."""
    place = follow_up_folder(folder, follow_up.number)
    numbers = range(1, len(follow_up.samples) + 1)
    return [Skeleton.from_bytes((place / f"{each}.bin").read_bytes()) for each in numbers]


# -- keeping ----------------------------------------------------------------------------------


def all_of(folder: CrawlFolder) -> list[FollowUp]:
    """All follow-ups of a crawl, the latest last."""
    found = []
    for path in (folder.path / "follow-ups").glob("*/follow-up.json"):
        try:
            found.append(msgspec.json.decode(path.read_bytes(), type=FollowUp))
        except msgspec.DecodeError as error:
            raise CrawlError(f"{path} cannot be read: {error}; remove its folder") from None
    return sorted(found, key=lambda each: each.number)


def find(folder: CrawlFolder, number: int) -> FollowUp:
    """One follow-up."""
    for each in all_of(folder):
        if each.number == number:
            return each
    raise CrawlError(f"crawl {folder.name!r} has no follow-up {number}; it may have been removed")


def keep(folder: CrawlFolder, follow_up: FollowUp) -> None:
    """Write down how a follow-up stands."""
    replace_file(follow_up_folder(folder, follow_up.number) / "follow-up.json", msgspec.json.encode(follow_up).decode())


def begin(folder: CrawlFolder, number: int) -> FollowUp:
    """A follow-up begins, or goes on: from here on all pages that match are its finds."""
    asked = find(folder, number)
    with reading(folder) as stores:
        rows = asked.rows_before or {int(store.folder.parent.name): store.last_row() for store in stores}
    begun = msgspec.structs.replace(asked, state="running", rows_before=rows)
    keep(folder, begun)
    return begun


def end(folder: CrawlFolder, number: int, trouble: str = "") -> None:
    """A follow-up is over."""
    keep(folder, msgspec.structs.replace(find(folder, number), state="failed" if trouble else "done", trouble=trouble))


def settings_of(configuration: Configuration, follow_up: FollowUp) -> Configuration:
    """The settings by which a crawl's agents work on a follow-up: scope and manners are the crawl's own."""
    place = f"follow-ups/{follow_up.number}"
    samples = tuple(f"{place}/{each}.bin" for each in range(1, len(follow_up.samples) + 1))
    return msgspec.structs.replace(
        configuration,
        strategy="structure",
        relevance=msgspec.structs.replace(configuration.relevance, scorer="structure"),
        structure=msgspec.structs.replace(configuration.structure, samples=samples, threshold=0.0),
        pages=follow_up.pages,
    )


# -- looking ----------------------------------------------------------------------------------


def progress(folder: CrawlFolder, follow_up: FollowUp, most: int = MOST_SHOWN) -> Progress:
    """What a follow-up has done so far."""
    looked, kept, pages = 0, 0, list[NewPage]()
    state = follow_up.state
    if state == "running" and not folder.running():
        state = "interrupted"
    if follow_up.rows_before:
        columns = ("url", "at", "agent", "outcome", "title", "relevance", "aside", "duplicate_of")
        with reading(folder) as stores:
            for store in stores:
                after = follow_up.rows_before.get(int(store.folder.parent.name), 0)
                for _, row in catalogue.history(store, after, columns):
                    if row.outcome != "fetched":
                        continue
                    looked += 1
                    if row.relevance is not None and row.relevance >= MATCHES and not (row.aside or row.duplicate_of):
                        kept += 1
                        pages.append(NewPage(row.url, row.title, row.relevance))
    return Progress(state, looked, kept, tuple(pages[-most:]))
