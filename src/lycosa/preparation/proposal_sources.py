"""Reads what proposals are made of: documents from files, and a crawl's pages, texts and links."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.reading_apart import LONG, read_apart
from lycosa.crawl_folder.stored_pages import page_at
from lycosa.crawl_folder.stores import reading
from lycosa.fetching.content_coding import BadCoding, TooLarge
from lycosa.link_graph.graph import LinkGraph
from lycosa.link_graph.pagerank import PageRanks
from lycosa.plugins.plug_points import Closeness
from lycosa.records import Record
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import ArchiveDamaged, Place
from lycosa.topics.mapper import Mapper
from lycosa.topics.semantic_checker.checker import SemanticChecker
from lycosa.topics.semantic_checker.proposals import SUBTOPIC, Candidate, Proposal, Refusals, exemplary_pages, passage
from lycosa.topics.vocabulary import Vocabulary

MOST_PAGES = 5_000
MOST_EXAMPLES = 3
MAPPED = 10
"""So many of the most relevant pages say what a crawl is about."""
PAGES_PROPOSED = 10
LONGEST_TEXT = 500_000


class Document(Record, frozen=True):
    """A text that somebody hands over; `url` where it is a page."""

    name: str
    text: str
    url: str = ""


class CrawledPage(Record, frozen=True):
    """A page of a crawl as its catalogue knows it."""

    url: str
    relevance: float
    title: str
    place: Place


class CrawledPages:
    """The most relevant pages of a crawl, and how they are linked."""

    def __init__(self, folder: CrawlFolder, language: str = "en") -> None:
        self._folder = folder
        self.threshold = folder.configuration().topic.threshold
        self.pages, self.candidates = _read(folder, language, self.threshold)

    def text(self, page: CrawledPage) -> str:
        """What a page says, '' where the archive cannot tell."""
        try:
            found = page_at(self._folder.archive, page.place)
        except (ArchiveDamaged, BadCoding, TooLarge):
            return ""
        return f"{found.title}\n{found.text}"[:LONGEST_TEXT]


@read_apart(LONG)
def _read(folder: CrawlFolder, language: str, threshold: float) -> tuple[list[CrawledPage], list[Candidate]]:
    """The most relevant pages of a crawl; and those of them that are relevant, with their PageRank."""
    with reading(folder) as stores:
        pages, (graph, ranks) = _most_relevant(stores, language), _ranked(stores)
    found = []
    for page in pages:
        number = graph.number(page.url)
        rank = ranks.value(number) if number is not None else 0.0
        if page.relevance >= threshold:
            found.append(Candidate(page.url, page.relevance, rank, page.title))
    return pages, found


def _most_relevant(stores: Sequence[AgentStore], language: str) -> list[CrawledPage]:
    rows = (
        CrawledPage(row["url"], row["relevance"] or 0.0, row["title"], Place(row["file"], row["offset"], row["size"]))
        for row in catalogue.table(stores, "pages")
        if not row["duplicate_of"] and row["size"] and row["language"] in ("", language)
    )
    return heapq.nlargest(MOST_PAGES, rows, key=lambda page: page.relevance)


def _ranked(stores: Sequence[AgentStore]) -> tuple[LinkGraph, PageRanks]:
    graph = LinkGraph(keep_names=False)
    for parent, links in groupby(catalogue.table(stores, "links"), key=lambda row: row["parent"]):
        graph.add(parent, list(dict.fromkeys(row["url"] for row in links)))
    ranks = PageRanks(graph)
    ranks.refresh()
    return graph, ranks


def make_proposals(
    vocabulary: Vocabulary,
    documents: Sequence[Document],
    crawled: CrawledPages | None = None,
    node: str = "",
    refusals: Refusals | None = None,
    model: Closeness | None = None,
) -> list[Proposal]:
    """What documents, or without any the relevant pages of a crawl, say about the taxonomy.

    With documents, a crawl tells only how terms are used. A crawl also proposes
    exemplary pages: for the node, or for the topic its best pages are about.
    """
    checker = SemanticChecker(vocabulary, model, node)
    for document in documents:
        checker.hand_over(document.name, document.text)
    by_url: dict[str, CrawledPage] = {}
    for page, text in _texts(crawled):
        if not documents and page.relevance >= (crawled.threshold if crawled else 0.0):
            by_url[page.url] = page
            taken = checker.hand_over(page.url, text)
        else:
            taken = checker.collect(text)
        if not taken:
            break
    refused = refusals or Refusals()
    found = [_with_examples(each, documents, by_url, crawled) for each in checker.proposals(refused)]
    return found + _pages(vocabulary, crawled, node, refused)


def _texts(crawled: CrawledPages | None) -> Iterator[tuple[CrawledPage, str]]:
    for page in crawled.pages if crawled else ():
        if crawled and (text := crawled.text(page)):
            yield page, text


def _with_examples(
    proposal: Proposal, documents: Sequence[Document], by_url: dict[str, CrawledPage], crawled: CrawledPages | None
) -> Proposal:
    """A subtopic with the texts it was seen in, so that the new topic has something to go by."""
    if proposal.kind != SUBTOPIC:
        return proposal
    named = {document.name: document for document in documents}
    texts, pages = [], []
    for name in proposal.documents[:MOST_EXAMPLES]:
        document, page = named.get(name), by_url.get(name)
        if document is not None:
            texts.append(passage(document.text, proposal.words))
            pages.append(document.url)
        elif page is not None and crawled is not None:
            texts.append(passage(crawled.text(page), proposal.words))
            pages.append(page.url)
    texts, pages = (list(filter(None, dict.fromkeys(found))) for found in (texts, pages))
    return msgspec.structs.replace(proposal, texts=tuple(texts), pages=tuple(pages))


def _pages(vocabulary: Vocabulary, crawled: CrawledPages | None, node: str, refused: Refusals) -> list[Proposal]:
    if crawled is None:
        return []
    candidates = crawled.candidates
    topic = node or _topic_of(vocabulary, crawled)
    if not topic:
        return []
    found = exemplary_pages(topic, candidates, vocabulary.taxonomy[topic].pages, len(candidates))
    return [each for each in found if not refused.cover(each)][:PAGES_PROPOSED]


def _topic_of(vocabulary: Vocabulary, crawled: CrawledPages) -> str:
    """The topic that the most relevant pages are about; '' where none fits."""
    relevant = [page for page in crawled.pages[:MAPPED] if page.relevance >= crawled.threshold]
    texts = [vocabulary.in_known_words(crawled.text(page)) for page in relevant]
    best = Mapper(vocabulary.taxonomy).map(texts).best if texts else ()
    return best[0] if best else ""
