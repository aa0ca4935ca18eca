"""Where a crawl begins: seeds that search engines agree on (N1), and the pages of people and of the topic (C5).

Nothing is written here; `operations` decide which of the seeds a crawl gets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lycosa.configuration.sections import Configuration
from lycosa.crawl_folder.folder import CrawlError
from lycosa.plugins.plug_points import EngineFailed, SeedEngine
from lycosa.preparation.page_fetching import PageVisitor
from lycosa.preparation.seed_search import Proposal, Proposals, meta_search
from lycosa.records import Page
from lycosa.urls import normalise


async def find_seeds(query: str, asked: Sequence[SeedEngine], number: int, configuration: Configuration) -> Proposals:
    """What the engines agree on; it is an error only where all of them fail."""
    try:
        return await meta_search(query, asked, number, configuration.fetching.total_within)
    except EngineFailed as error:
        raise CrawlError(f"no search engine answered: {error}") from None


def snippets(proposals: Iterable[Proposal]) -> dict[str, str]:
    """Title and content of each result, by URL: what the engines themselves said of it."""
    return {each.url: f"{each.title}\n{each.content}" for each in proposals}


async def page_texts(urls: Sequence[str], configuration: Configuration) -> dict[str, str]:
    """The texts of these pages, fetched as a crawl would; one that does not come in time is left out."""
    async with PageVisitor(configuration) as visitor:
        came = await visitor.pages(urls, configuration.fetching.total_within)
    texts = {url: f"{page.title}\n{page.text}" for url, page in came.items() if isinstance(page, Page)}
    return {url: text for url, text in texts.items() if text.strip()}


def second_level_seeds(user_urls: Iterable[str], node_pages: Iterable[str]) -> tuple[str, ...]:
    """CL = D_u + D(c*): what the user brought, then the topic's exemplary pages, each once and in normal form."""
    normal = (normalise(url) for url in (*user_urls, *node_pages))
    return tuple(dict.fromkeys(url for url in normal if url is not None))
