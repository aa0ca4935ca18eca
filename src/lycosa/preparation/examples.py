"""Example pages as texts: files are read, URLs fetched once, and kept with the crawl."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lycosa.configuration.sections import Configuration
from lycosa.crawl_folder.folder import CrawlError
from lycosa.durable import put_file
from lycosa.preparation.page_fetching import NotHad, PageVisitor, page_of_file
from lycosa.records import Page


async def gather_examples(named: Sequence[str], configuration: Configuration) -> list[str]:
    """The texts of example pages."""
    texts = []
    async with PageVisitor(configuration) as visitor:
        for name in named:
            page = await visitor.page(name) if "://" in name else _read(name)
            if isinstance(page, NotHad):
                raise CrawlError(f"example {name}: {page.why}")
            if not page.text.strip():
                raise CrawlError(f"example {name}: no text could be read from it; use a page with more text")
            texts.append(f"{page.title}\n{page.text}\n")
    return texts


def example_names(number: int) -> tuple[str, ...]:
    """Where so many texts lie in a crawl's folder, seen from it: a crawl that was moved still finds them."""
    return tuple(f"examples/{each}.txt" for each in range(1, number + 1))


def keep_examples(texts: Sequence[str], folder: Path) -> None:
    """Write texts into a crawl's folder."""
    for name, text in zip(example_names(len(texts)), texts, strict=True):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        put_file(folder / name, text.encode("utf-8", "replace"))


def _read(name: str) -> Page:
    path = Path(name)
    if not path.is_file():
        raise CrawlError(f"example {name}: no such file; give a file or an http(s) URL")
    return page_of_file(path, "http://example.invalid/")
