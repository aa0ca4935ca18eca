"""Where a crawl begins: seeds that search engines agree on (N1), and the pages of people and of the topic (C5).

Engines are written `KIND:WHERE`, such as `searxng:http://127.0.0.1:8080` or
`index:NAME`; which of them are asked, and where the index of a crawl lies, is
known here. Nothing is written: what becomes of the seeds is somebody else's decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from lycosa import plugins
from lycosa.configuration.settings import Configuration, ConfigurationError
from lycosa.cooperation.partition import Assigner
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.preparation.page_fetching import PageVisitor
from lycosa.preparation.seed_search import EngineFailed, Proposal, Proposals, SeedEngine, meta_search
from lycosa.records import Page
from lycosa.urls import normalise

ENGINES_FILE = "engines.txt"


def second_level_seeds(user_urls: Iterable[str], node_pages: Iterable[str]) -> tuple[str, ...]:
    """CL = D_u + D(c*): what the user brought, then the topic's exemplary pages, each once and in normal form."""
    normal = (normalise(url) for url in (*user_urls, *node_pages))
    return tuple(dict.fromkeys(url for url in normal if url is not None))


def share_of_agents(seeds: Iterable[str], assigner: Assigner, agents: int) -> dict[int, int]:
    """How many of the seeds each agent owns; an agent without any is named too."""
    shares = dict.fromkeys(range(agents), 0)
    for url in second_level_seeds(seeds, ()):
        shares[assigner(url)] += 1
    return shares


def known_engines(base: Path) -> list[str]:
    """The engines to ask where none was named: those of `engines.txt`, else the indexes of all crawls here."""
    path = base / ENGINES_FILE
    listed = _listed(path) if path.is_file() else []
    found = listed or [f"index:{each.name}" for each in CrawlFolder.all(base) if (each.index / "meta.json").exists()]
    if not found:
        raise ConfigurationError(
            f"no search engine is known: name one (--engine searxng:http://127.0.0.1:8080), "
            f"or list some in {path}, one a line; crawls with an index are asked by themselves, but there is none yet"
        )
    return found


def _listed(path: Path) -> list[str]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read ({error}); it has one engine a line") from None
    return [line for line in (written.strip() for written in lines) if line and not line.startswith("#")]


def engines(notations: Iterable[str], base: Path, configuration: Configuration) -> list[SeedEngine]:
    """The engines that these notations name; a wrong one is refused before any is asked."""
    return [_engine(notation.strip(), base, configuration) for notation in notations]


def _engine(notation: str, base: Path, configuration: Configuration) -> SeedEngine:
    kind, _, where = notation.partition(":")
    if not where or where.startswith("//"):
        meant = f"searxng:{notation}" if where else "searxng:http://127.0.0.1:8080 or index:NAME"
        raise ConfigurationError(f"engine {notation!r} is no KIND:WHERE; write {meant}")
    place = str(CrawlFolder.find(base, where).index) if kind == "index" else where
    engine: SeedEngine = plugins.find("seed_engines", kind)(configuration, place)
    return engine


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
