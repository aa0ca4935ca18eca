"""Sample pages whose structure is looked for: files are read, URLs fetched once, their skeletons kept with the crawl.

A page of a crawl is read from its archive, as it was last fetched. What has no
structure to go by (a text, an image, an empty page) is refused with a sentence.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from lycosa import plugins
from lycosa.configuration.settings import Configuration, ConfigurationError
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.input_files import LARGEST_FILE, bytes_of_file, put_file
from lycosa.fetching.content_coding import BadCoding, TooLarge
from lycosa.pages.document import read_page
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.preparation.page_fetching import NotHad, PageVisitor
from lycosa.records import Fetched, Link, Page, Response
from lycosa.search.indexer import page_at
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import ArchiveDamaged, Place
from lycosa.urls import normalise

MOST_SAMPLES = 50
"""Samples of one crawl: every page is compared with each of them."""
FEWEST_ELEMENTS = 5
"""A parser gives any text a root, a head and a body; with a title that is four elements and no structure."""
LARGEST_CODE = 4 * 1024**2
_FILE_URL = "http://example.invalid/"


def is_url(name: str) -> bool:
    """Whether a person named a page of the web, not a file."""
    return "://" in name


async def structures_of(named: Sequence[str], configuration: Configuration) -> list[Skeleton]:
    """The structures of pages that a person named: files or URLs."""
    found = []
    async with PageVisitor(configuration, structure=True) as visitor:
        for name in named:
            page = await visitor.page(name) if is_url(name) else page_in_file(name)
            if isinstance(page, NotHad):
                raise CrawlError(f"{name}: {page.why}; give another URL, or a saved copy of the page as a file")
            found.append(structure_of_page(page, name))
    return found


def page_in_file(name: str) -> Page:
    """A saved page, whatever its file is called, with its structure."""
    body = bytes_of_file(Path(name), LARGEST_FILE, "give an HTML file of one page, or an http(s) URL")
    answer = Response(_FILE_URL, 200, (("Content-Type", "text/html"),), body, body)
    return read_page(Fetched(Link(_FILE_URL), answer), structure=True)


def structure_of_page(page: Page, name: str) -> Skeleton:
    """The structure of a page; an error with its name if there is none to go by."""
    if not page.structure:
        raise CrawlError(f"{name}: is no HTML page, so it has no structure; give a page with markup")
    skeleton = Skeleton.from_bytes(page.structure)
    if skeleton.size < FEWEST_ELEMENTS:
        raise CrawlError(f"{name}: has only {skeleton.size} elements, no structure to go by; give a page with markup")
    return skeleton


# -- the samples of a crawl -----------------------------------------------------------------------


def with_samples(named: Sequence[str], configuration: Configuration) -> tuple[Configuration, list[Skeleton]]:
    """The configuration that names these samples, and their structures, equal ones once; nothing is written yet."""
    check_samples(named, configuration)
    if not named:
        return configuration, []
    found = list(dict.fromkeys(asyncio.run(structures_of(named, configuration))))
    structure = msgspec.structs.replace(configuration.structure, samples=sample_names(len(found)))
    return msgspec.structs.replace(configuration, structure=structure), found


def check_samples(named: Sequence[str], configuration: Configuration) -> None:
    """Refuse a crawl by structure without a sample, and more samples than a crawl can have."""
    if configuration.reads_structure and not (named or configuration.structure.samples):
        raise ConfigurationError(
            "a crawl by structure needs a page of the wanted kind to go by: --example-structure URL|FILE"
        )
    if len(named) > MOST_SAMPLES:
        raise ConfigurationError(f"{len(named)} sample pages are too many; {MOST_SAMPLES} are enough for any template")


def sample_names(number: int) -> tuple[str, ...]:
    """Where the codes of so many samples lie in a crawl's folder, seen from it."""
    return tuple(f"structures/{each}.bin" for each in range(1, number + 1))


def keep_samples(skeletons: Sequence[Skeleton], folder: Path) -> None:
    """Write the codes of samples into a crawl's folder, each whole or not at all."""
    for name, skeleton in zip(sample_names(len(skeletons)), skeletons, strict=True):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        put_file(folder / name, skeleton.to_bytes())


def samples_of(configuration: Configuration, folder: Path) -> tuple[bytes, ...]:
    """The codes of a crawl's samples, from its folder or from where a job file says."""
    codes = []
    instead = "name the page itself with --example-structure"
    for name in configuration.structure.samples:
        path = folder / name if (folder / name).is_file() else Path(name)
        code = bytes_of_file(path, LARGEST_CODE, instead, f"structure.samples: {name!r}")
        try:
            codes.append(Skeleton.from_bytes(code).to_bytes())
        except ValueError:
            raise ConfigurationError(f"structure.samples: {name!r} is no structure of a page; {instead}") from None
    return tuple(codes)


# -- pages of a crawl -----------------------------------------------------------------------------


def stored_structure(folder: CrawlFolder, name: str) -> Skeleton | None:
    """The structure of a crawl's page as it was last fetched; None if the crawl has no such page."""
    url = normalise(name)
    configuration = folder.configuration()
    if url is None:
        return None
    store_folder = folder.agent(plugins.find("assigners", configuration.partition)(configuration.agents)(url)) / "store"
    if not (store_folder / "ready").exists():
        return None
    with AgentStore(store_folder, readonly=True) as store:
        rows = [row for _, row in catalogue.about(store, url) if row.outcome == "fetched"]
    if not rows:
        return None
    try:
        page = page_at(folder.archive, Place(rows[-1].file, rows[-1].offset, rows[-1].size), structure=True)
    except (ArchiveDamaged, BadCoding, TooLarge) as error:
        raise CrawlError(f"{url}: cannot be read from the archive ({error}); give a saved copy as a file") from None
    return structure_of_page(page, url)
