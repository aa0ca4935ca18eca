"""Sample pages whose structure is looked for (M11): files are read, URLs fetched once.

A page of a crawl is read from its archive, as it was last fetched. What has no
structure to go by (a text, an image, an empty page) is refused with a sentence.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError
from lycosa.crawl_folder.input_files import LARGEST_FILE, bytes_of_file
from lycosa.crawl_folder.structure_samples import sample_names, structure_of_page
from lycosa.pages.document import read_page
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.preparation.page_fetching import NotHad, PageVisitor
from lycosa.records import Fetched, Link, Page, Response

MOST_SAMPLES = 50
"""Samples of one crawl: every page is compared with each of them."""
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


# -- pages of a crawl -----------------------------------------------------------------------------
