"""Structures of pages in a crawl: of one page, and of all of them, brought up to date."""

from __future__ import annotations

import asyncio

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.structure_samples import stored_structure
from lycosa.indexing.template_index import Structures
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.preparation.structure_samples import is_url, structures_of


def structure_like(folder: CrawlFolder, name: str) -> Skeleton:
    """The structure of a page of the crawl, of a file, or of a page that is fetched as the crawl would fetch it."""
    if is_url(name):
        stored = stored_structure(folder, name)
        if stored is not None:
            return stored
    try:
        return asyncio.run(structures_of([name], folder.configuration()))[0]
    except CrawlError as error:
        if not is_url(name):
            raise
        raise CrawlError(f"no page of crawl {folder.name!r}, and it cannot be fetched now: {error}") from None


def structures_up_to_date(folder: CrawlFolder) -> Structures:
    """The structures of all pages that the crawl has by now."""
    structures = Structures.open(folder)
    structures.update()
    if not len(structures):
        raise CrawlError(f"crawl {folder.name!r} has no pages with a structure yet; `lycosa status` says how it stands")
    return structures
