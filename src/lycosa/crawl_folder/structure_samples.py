"""Sample pages whose structure is looked for (M11), as they are kept in a crawl's folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.input_files import bytes_of_file
from lycosa.crawl_folder.stored_pages import page_at
from lycosa.durable import put_file
from lycosa.fetching.content_coding import BadCoding, TooLarge
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.plugins import registry
from lycosa.records import Page
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import ArchiveDamaged, Place
from lycosa.urls import normalise

FEWEST_ELEMENTS = 5
"""A parser gives any text a root, a head and a body; with a title that is four elements and no structure."""
LARGEST_CODE = 4 * 1024**2


def structure_of_page(page: Page, name: str) -> Skeleton:
    """The structure of a page; an error with its name if there is none to go by."""
    if not page.structure:
        raise CrawlError(f"{name}: is no HTML page, so it has no structure; give a page with markup")
    skeleton = Skeleton.from_bytes(page.structure)
    if skeleton.size < FEWEST_ELEMENTS:
        raise CrawlError(f"{name}: has only {skeleton.size} elements, no structure to go by; give a page with markup")
    return skeleton


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


def stored_structure(folder: CrawlFolder, name: str) -> Skeleton | None:
    """The structure of a crawl's page as it was last fetched; None if the crawl has no such page."""
    url = normalise(name)
    configuration = folder.configuration()
    if url is None:
        return None
    store_folder = (
        folder.agent(registry.find("assigners", configuration.partition)(configuration.agents)(url)) / "store"
    )
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
