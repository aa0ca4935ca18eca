"""Example pages as texts: files are read, URLs fetched once, and kept with the crawl."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lycosa import plugins
from lycosa.agents.desk import clock
from lycosa.agents.folder import CrawlError
from lycosa.configuration import Configuration
from lycosa.fetching.fetcher import Fetcher
from lycosa.pages.document import read_page
from lycosa.records import Fetched, Link, Page, Redirected, Response, SiteShut
from lycosa.urls import normalise, site_of

MOST_HOPS = 5


async def gather_examples(named: Sequence[str], configuration: Configuration) -> list[str]:
    """The texts of example pages."""
    fetcher = plugins.find("fetchers", configuration.fetching.fetcher)(configuration, clock)
    texts = []
    try:
        for name in named:
            page = await _fetch(name, fetcher) if "://" in name else _read(name)
            if not page.text.strip():
                raise CrawlError(f"example {name}: no text could be read from it; use a page with more text")
            texts.append(f"{page.title}\n{page.text}\n")
    finally:
        await fetcher.close()
    return texts


def example_names(number: int) -> tuple[str, ...]:
    """Where so many texts lie in a crawl's folder, seen from it: a crawl that was moved still finds them."""
    return tuple(f"examples/{each}.txt" for each in range(1, number + 1))


def keep_examples(texts: Sequence[str], folder: Path) -> None:
    """Write texts into a crawl's folder."""
    for name, text in zip(example_names(len(texts)), texts, strict=True):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def _read(name: str) -> Page:
    path = Path(name)
    if not path.is_file():
        raise CrawlError(f"example {name}: no such file; give a file or an http(s) URL")
    kind = "text/html" if path.suffix.lower() in (".htm", ".html", ".xhtml") else "text/plain"
    body = path.read_bytes()
    link = Link("http://example.invalid/")
    return read_page(Fetched(link, Response(link.url, 200, (("Content-Type", kind),), body, body)))


async def _fetch(name: str, fetcher: Fetcher) -> Page:
    url = normalise(name)
    for _ in range(MOST_HOPS):
        if url is None:
            break
        opened = await fetcher.open(site_of(url), clock())
        if isinstance(opened, SiteShut):
            raise CrawlError(f"example {name}: its site cannot be visited ({opened.why} {opened.detail})")
        outcome = await fetcher.fetch(Link(url))
        if isinstance(outcome, Redirected):
            url = outcome.target
        elif isinstance(outcome, Fetched):
            return read_page(outcome)
        else:
            raise CrawlError(f"example {name}: could not be fetched ({getattr(outcome, 'why', 'unchanged')})")
    raise CrawlError(f"example {name}: leads nowhere")
